// Vector loops that write the values of a union: for kernels.cpp, and for nothing else.
#pragma once

#include "../linkage/rules.hpp"
#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

template <class T>
void lower(const T* row, Index n, T* into) {
    for (Index i = 0; i < n; ++i) into[i] = smaller(into[i], row[i]);
}

template <class R, class T>
void update_row(const T* a, const T* b, const Union& merged, const double* sizes, Index n, T* out) {
    const auto [size_a, size_b, between] = merged;
#pragma omp simd
    for (Index z = 0; z < n; ++z) {
        const double to_a = static_cast<double>(a[z]), to_b = static_cast<double>(b[z]);
        out[z] = static_cast<T>(R::update(to_a, to_b, between, {size_a, size_b, sizes[z]}));
    }
}

// Ch(C, .) by the kind of cluster: see engine/dense_chamfer.hpp.
template <SumsKind kind, class T>
double sum_at(const SumsView<T>& sums, Index x) {
    if constexpr (kind == SumsKind::point) return static_cast<double>(sums.first[x]);
    if constexpr (kind == SumsKind::pair)
        return static_cast<double>(sums.first[x]) + static_cast<double>(sums.second[x]);
    return group_sum(sums.first, sums.second, x);
}

template <SumsKind kind_a, SumsKind kind_b, bool symmetric, class T>
void unite(const UnitePoints<T>& merge, Index begin, Index end) {
    constexpr bool points = kind_a == SumsKind::point;
    const auto [to_a, to_b, a, b, union_, alone, scale, in, out, unused] = merge;
#pragma omp simd
    for (Index x = begin; x < end; ++x) {
        const double sum = sum_at<kind_a>(a, x) + sum_at<kind_b>(b, x);
        const T least = to_b[x] < to_a[x] ? to_b[x] : to_a[x], most = to_b[x] < to_a[x] ? to_a[x] : to_b[x];
        to_a[x] = alone[x] ? least : to_a[x];
        if constexpr (points)
            to_b[x] = alone[x] ? most : to_b[x];
        else
            put_group_sum(union_.first, union_.second, x, alone[x] ? sum : group_sum(union_.first, union_.second, x));
        const double into = static_cast<double>(least) + (symmetric ? scale * sum : 0.0);
        in[x] = alone[x] ? into : in[x];
        if constexpr (!symmetric) out[x] = alone[x] ? scale * sum : out[x];
    }
}

template <SumsKind a, SumsKind b, class T>
void unite(const UnitePoints<T>& merge, Index begin, Index end) {
    merge.symmetric ? unite<a, b, true>(merge, begin, end) : unite<a, b, false>(merge, begin, end);
}

// The larger cluster is a.
template <class T>
void unite_points(const UnitePoints<T>& merge, Index begin, Index end) {
    constexpr auto point = SumsKind::point, pair = SumsKind::pair, group = SumsKind::group;
    const SumsKind b = merge.b.kind;
    if (merge.a.kind == point) return unite<point, point>(merge, begin, end);
    if (merge.a.kind == pair)
        return b == point ? unite<pair, point>(merge, begin, end) : unite<pair, pair>(merge, begin, end);
    if (b == point) return unite<group, point>(merge, begin, end);
    return b == pair ? unite<group, pair>(merge, begin, end) : unite<group, group>(merge, begin, end);
}

template <SumsKind kind, class T>
void look_from(const SumsView<T>& from, const T* to, const char* alone, double scale, Index begin, Index end,
               double* in) {
#pragma omp simd
    for (Index x = begin; x < end; ++x)
        in[x] = alone[x] ? scale * sum_at<kind>(from, x) + static_cast<double>(to[x]) : kFar<double>;
}

template <class T>
void look_again(const SumsView<T>& from, const T* to, const char* alone, double scale, Index begin, Index end,
                double* in) {
    if (from.kind == SumsKind::point) return look_from<SumsKind::point>(from, to, alone, scale, begin, end, in);
    if (from.kind == SumsKind::pair) return look_from<SumsKind::pair>(from, to, alone, scale, begin, end, in);
    look_from<SumsKind::group>(from, to, alone, scale, begin, end, in);
}

template <bool symmetric, class T>
void bound_values(const T* row, const T* size, T own, Index n, T* bounds) {
    constexpr T kMost = std::numeric_limits<T>::max();
#pragma omp simd
    for (Index p = 0; p < n; ++p) {
        const T terms = symmetric ? own + size[p] : smaller(own, size[p]);
        bounds[p] = smaller(terms * row[p], kMost);
    }
}

template <class T>
void older_minima(const T* bounds, const Id* age, Id than, Index n, T* minima) {
    for (Index start = 0; start < n; start += kPart) {
        const Index end = start + kPart < n ? start + kPart : n;
        T smallest = kFar<T>;
#pragma omp simd reduction(min : smallest)
        for (Index p = start; p < end; ++p) {
            const T here = age[p] < than ? bounds[p] : kFar<T>;
            smallest = here < smallest ? here : smallest;
        }
        *minima++ = smallest;
    }
}

void add_floats(const float* values, Index n, bool add, double* sums) {
    if (add)
        for (Index i = 0; i < n; ++i) sums[i] += static_cast<double>(values[i]);
    else
        for (Index i = 0; i < n; ++i) sums[i] = static_cast<double>(values[i]);
}

void adopt(const double* in, Id a, Id b, Index n, double* value, Id* neighbour) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) {
        const bool take = (in[c] < value[c]) | (neighbour[c] == a) | (neighbour[c] == b);
        neighbour[c] = take ? a : neighbour[c];
        value[c] = take ? in[c] : value[c];
    }
}

void adopt_two(const double* in, Id a, Id b, Index n, double* value, Id* first, double* farther, Id* second) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) {
        const double into = c < a ? in[c] : kFar<double>;
        const Id next = (second[c] == a) | (second[c] == b) ? kNone : second[c];
        const bool lost = (first[c] == a) | (first[c] == b);
        const Id kept = lost ? next : first[c];
        const double bound = lost ? farther[c] : value[c];
        const bool take = (into < bound) | ((into == bound) & (kept == kNone) & (into < kFar<double>));
        const bool behind = !take & !lost & (into < farther[c]);
        second[c] = take ? (lost ? next : kept) : lost ? kNone : behind ? a : next;
        farther[c] = take ? bound : behind ? into : farther[c];
        first[c] = take ? a : kept;
        value[c] = take ? into : bound;
    }
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
