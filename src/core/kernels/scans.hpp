// Vector loops that look for the nearest along a row of values: for kernels.cpp, and for nothing else.
#pragma once

#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

template <class T>
T minimum(const T* values, Index n) {
    using V = Vector<T>;
    if (n < V::width) {
        T smallest = kFar<T>;
        for (Index i = 0; i < n; ++i) smallest = smaller(smallest, values[i]);
        return smallest;
    }
    const auto least = [](auto a, auto b) { return b < a ? b : a; };
    auto one = V::load(values + n - V::width), two = one, three = one, four = one;  // the last ones may be read twice
    Index i = 0;
    for (; i + 4 * V::width <= n; i += 4 * V::width) {
        one = least(one, V::load(values + i)), two = least(two, V::load(values + i + V::width));
        three = least(three, V::load(values + i + 2 * V::width)),
        four = least(four, V::load(values + i + 3 * V::width));
    }
    for (; i + V::width <= n; i += V::width) one = least(one, V::load(values + i));
    one = least(least(one, two), least(three, four));
    return smallest_lane<T>(one);
}

template <class T>
Index find(const T* values, Index n, T value) {
    using V = Vector<T>;
    Index i = 0;
    for (; i + V::width <= n; i += V::width)
        if (const unsigned found = bits(V::load(values + i) == value)) return i + __builtin_ctz(found);
    while (i < n && values[i] != value) ++i;
    return i;
}

template <class T>
Index argmin(const T* values, Index n) {
    constexpr Index kChunk = 512;  // so that of many values not all are read again
    T smallest = kFar<T>;
    Index best = 0;
    for (Index start = 0; start < n; start += kChunk) {
        const T here = minimum(values + start, n - start < kChunk ? n - start : kChunk);
        best = here < smallest ? start : best;
        smallest = smaller(smallest, here);
    }
    const Index place = best + find(values + best, n - best, smallest);
    return place < n ? place : n - 1;
}

template <class T>
Neighbour<T> nearest(const T* row, const T* gone, Index from, Index n) {
    using V = Vector<T>;
    static constexpr auto kBefore = [] {
        struct {
            T far[2 * V::width] = {};
        } mask;
        for (Index i = 0; i < V::width; ++i) mask.far[i] = kFar<T>;
        return mask;
    }();
    const auto lanes = [&](Index i) { return V::load(row + i) + V::load(gone + i); };
    const Index start = from / V::width * V::width;
    const auto before = V::load(kBefore.far + V::width - (from - start));  // where a row may hold anything, NaN as well
    const auto first = before == 0 ? lanes(start) : before;
    auto one = first < kFar<T> ? first : V::fill(kFar<T>), two = one;  // no NaN
    Index i = start + V::width;
    for (; i + 2 * V::width <= n; i += 2 * V::width) {
        const auto here = lanes(i), next = lanes(i + V::width);
        one = here < one ? here : one;
        two = next < two ? next : two;
    }
    for (; i < n; i += V::width) {
        const auto here = lanes(i);
        one = here < one ? here : one;
    }
    const T smallest = smallest_lane<T>(two < one ? two : one);
    if (!(smallest < kFar<T>)) return {};
    if (const unsigned found = bits(first == smallest))
        return {smallest, static_cast<Id>(start + __builtin_ctz(found))};
    for (i = start + V::width;; i += V::width)
        if (const unsigned found = bits(lanes(i) == smallest))
            return {smallest, static_cast<Id>(i + __builtin_ctz(found))};
}

template <class T>
T add(const T* row, const T* penalty, Index n, T* values) {
    for (Index i = 0; i < n; ++i) values[i] = row[i] + penalty[i];
    return minimum(values, n);
}

template <bool labelled, class T>
T relax_by(const T* row, const Id* label, Id own, Id i, Index n, T* best, Id* from) {
    T smallest = kFar<T>;
#pragma omp simd reduction(min : smallest)
    for (Index j = 0; j < n; ++j) {
        const T here = !labelled || label[j] != own ? row[j] : kFar<T>;
        from[j] = here < best[j] ? i : from[j];
        best[j] = here < best[j] ? here : best[j];
        smallest = here < smallest ? here : smallest;
    }
    return smallest;
}

template <class T>
T relax(const T* row, const Id* label, Id own, Id i, Index n, T* best, Id* from) {
    return label ? relax_by<true>(row, label, own, i, n, best, from)
                 : relax_by<false>(row, label, own, i, n, best, from);
}

template <class T>
TreeEdge<T> join(const T* row, T point, Index n, T* best, T* from) {
    using V = Vector<T>;
    const auto own = V::fill(point);
    auto least = V::fill(kFar<T>);
    for (Index j = 0; j < n; j += V::width) {
        const auto here = V::load(row + j), before = V::load(best + j), other = V::load(from + j);
        const auto now = here < before ? here : before, lower = own < other ? own : other;
        const auto equal = here == before ? lower : other;
        V::store(now, best + j);
        V::store(here < before ? own : equal, from + j);
        least = now < least ? now : least;
    }
    TreeEdge<T> edge{smallest_lane<T>(least), kFar<T>, kFar<T>};
    constexpr Index kBits = 64;  // a branch for so many places, as one of them will do
    for (Index first = 0; first < n; first += kBits) {
        std::uint64_t equal = 0;
        for (Index j = first; j < n && j < first + kBits; j += V::width)
            equal |= static_cast<std::uint64_t>(bits(V::load(best + j) == edge.length)) << (j - first);
        for (; equal != 0; equal &= equal - 1) {
            const Index j = first + __builtin_ctzll(equal);
            const T end = static_cast<T>(j), low = smaller(end, from[j]), high = larger(end, from[j]);
            if (low < edge.low || (low == edge.low && high < edge.high)) edge.low = low, edge.high = high;
        }
    }
    return edge;
}

template <class T>
Neighbour<T> relax_bounds(const T* row, const T* gone, Id a, Id b, Index n, T* bound, Id* nearest) {
    const Index end = b / kRoom * kRoom + kRoom < n ? b / kRoom * kRoom + kRoom : n;
#pragma omp simd
    for (Index x = 0; x < end; ++x) {
        const T here = x < a ? row[x] + gone[x] : kFar<T>;
        const bool closer = here < bound[x], unknown = (nearest[x] == a) | (nearest[x] == b);
        nearest[x] = closer ? a : unknown ? kNone : nearest[x];
        bound[x] = closer ? here : bound[x];
    }
    return loops::nearest(row, gone, a + 1, n);
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
