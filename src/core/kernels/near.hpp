// Vector loops of searches by a tree: for kernels.cpp, and for nothing else.
#pragma once

#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

// Which points of a block have of(sum) <= limit, as bits, where `sum` adds up term(k, lanes) over the coordinates.
// store(place, sums) is called for every vector, limit(place) gives what it is compared with.
template <class Term, class Limit, class Store>
std::uint32_t within_block(const double* strips, Index m, Term&& term, Limit&& limit, Store&& store) {
    using V = Vector<double>;
    constexpr Index kSums = 4;  // as in packed_distances
    std::uint32_t near = 0;
    for (Index part = 0; part < kBlock; part += kSums * V::width) {
        V::Lanes sums[kSums] = {};
        for (Index k = 0; k < m; ++k)
            for (Index s = 0; s < kSums; ++s) {
                const auto outside = term(k, V::load(strips + k * kBlock + part + s * V::width));
                sums[s] += outside * outside;
            }
        for (Index s = 0; s < kSums; ++s) {
            const Index place = part + s * V::width;
            store(place, sums[s]);
            near |= static_cast<std::uint32_t>(bits(sums[s] <= limit(place))) << place;
        }
    }
    return near;
}

std::uint32_t near_points(const double* x, const double* strips, Index m, double limit, double* squared) {
    using V = Vector<double>;
    const auto most = V::fill(limit);
    return within_block(
        strips, m, [&](Index k, V::Lanes y) { return x[k] - y; }, [&](Index) { return most; },
        [&](Index place, V::Lanes sums) { V::store(sums, squared + place); });
}

std::uint32_t near_box(const double* strips, Index m, const double* low, const double* high, const double* limits) {
    using V = Vector<double>;
    return within_block(
        strips, m,
        [&](Index k, V::Lanes y) {
            const auto below = low[k] - y, above = y - high[k];
            const auto outside = below > above ? below : above;
            return outside > 0.0 ? outside : V::Lanes{};
        },
        [&](Index place) { return V::load(limits + place); }, [](Index, V::Lanes) {});
}

// The smallest squared distance of each place in kSums vectors to kRows points x, if it is below nearest[place]; and
// each(i, s, lanes), the squared distances of point i and vector s. Vectors of a coordinate are `stride` places apart.
template <Index kRows, Index kSums, class T, class Each>
__attribute__((always_inline)) inline void nearest_part(const T* const* x, const double* strips, Index d, Index stride,
                                                        double* nearest, Each&& each) {
    using V = Vector<double>;
    V::Lanes sums[kRows][kSums] = {};
    for (Index k = 0; k < d; ++k) {
        V::Lanes y[kSums];
        unrolled<kSums>([&](Index s)
                            __attribute__((always_inline)) { y[s] = V::load(strips + k * stride + s * V::width); });
        unrolled<kRows>([&](Index i) __attribute__((always_inline)) {
            const auto all = V::fill(static_cast<double>(x[i][k]));
            unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
                const auto difference = all - y[s];
                sums[i][s] += difference * difference;
            });
        });
    }
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
        auto smallest = V::load(nearest + s * V::width);
        unrolled<kRows>([&](Index i) __attribute__((always_inline)) {
            each(i, sums[i][s]);
            smallest = sums[i][s] < smallest ? sums[i][s] : smallest;
        });
        V::store(smallest, nearest + s * V::width);
    });
}

template <class T>
void nearest_both(const T* rows, const Id* which, Index count, const double* strips, Index d, Index lanes,
                  double* least, double* nearest) {
    using V = Vector<double>;
    constexpr Index kRows = 4, kSums = 2;
    for (Index i = 0; i < count; i += kRows) {
        const T* x[kRows];  // the last one several times, if there are fewer
        for (Index r = 0; r < kRows; ++r) x[r] = rows + which[i + r < count ? i + r : count - 1] * d;
        V::Lanes smallest[kRows];
        for (auto& each : smallest) each = V::fill(kFar<double>);
        const auto lower = [&](Index r, V::Lanes squared) __attribute__((always_inline)) {
            smallest[r] = squared < smallest[r] ? squared : smallest[r];
        };
        Index j = 0;
        for (; j + kSums * V::width <= lanes; j += kSums * V::width)
            nearest_part<kRows, kSums>(x, strips + j, d, lanes, nearest + j, lower);
        for (; j < lanes; j += V::width) nearest_part<kRows, 1>(x, strips + j, d, lanes, nearest + j, lower);
        for (Index r = 0; r < kRows && i + r < count; ++r) {
            least[i + r] = smallest[r][0];
            for (Index lane = 1; lane < V::width; ++lane)
                least[i + r] = smallest[r][lane] < least[i + r] ? smallest[r][lane] : least[i + r];
        }
    }
}

void nearest_rows(const double* rows, Index count, const double* strips, Index d, Index blocks, double* nearest) {
    using V = Vector<double>;
    constexpr Index kRows = 4, kSums = 2;
    for (Index block = 0; block < blocks; ++block, strips += d * kBlock, nearest += kBlock) {
        for (Index lane = 0; lane < kBlock; ++lane) nearest[lane] = kFar<double>;
        for (Index i = 0; i < count; i += kRows) {
            const double* x[kRows];
            for (Index r = 0; r < kRows; ++r) x[r] = rows + (i + r < count ? i + r : count - 1) * d;
            for (Index j = 0; j < kBlock; j += kSums * V::width)
                nearest_part<kRows, kSums>(x, strips + j, d, kBlock, nearest + j, [](Index, V::Lanes) {});
        }
    }
}

template <bool own_limits, class T>
Index near_blocks_by(const T* x, const T* strips, Index d, Index blocks, const T* each, T slope, T fixed, Id* near) {
    using V = Vector<T>;
    constexpr Index kSums = kBlock / V::width;
    Index found = 0;
    for (Index block = 0; block < blocks; ++block, strips += d * kBlock) {
        typename V::Lanes sums[kSums] = {};
        for (Index k = 0; k < d; ++k)
            for (Index s = 0; s < kSums; ++s) {
                const auto difference = x[k] - V::load(strips + k * kBlock + s * V::width);
                sums[s] = multiply_add(difference, difference, sums[s]);
            }
        decltype(sums[0] < sums[0]) within = {};
        for (Index s = 0; s < kSums; ++s) {
            auto limit = V::fill(fixed);
            if constexpr (own_limits) limit += slope * V::load(each + block * kBlock + s * V::width);
            within |= sums[s] <= limit;
        }
        near[found] = static_cast<Id>(block);
        found += bits(within) != 0;
    }
    return found;
}

template <class T>
Index near_blocks(const T* x, const T* strips, Index d, Index blocks, const T* each, T slope, T fixed, Id* near) {
    return each ? near_blocks_by<true>(x, strips, d, blocks, each, slope, fixed, near)
                : near_blocks_by<false>(x, strips, d, blocks, each, slope, fixed, near);
}

// rank[i] = for how many j `before` holds, which gets the value of j, a vector of those of i, j and the first i.
template <class T, class Before>
void count_before(const T* values, Index n, Id* rank, Before&& before) {
    using V = Vector<T>;
    constexpr Index kSums = 2;
    for (Index i = 0; i < n; i += kSums * V::width) {
        typename V::Lanes own[kSums];
        decltype(own[0] < own[0]) count[kSums] = {};
        for (Index s = 0; s < kSums; ++s) own[s] = V::load(values + i + s * V::width);
        for (Index j = 0; j < n; ++j) {
            const auto other = V::fill(values[j]);
            for (Index s = 0; s < kSums; ++s) count[s] -= before(other, own[s], j, i + s * V::width);
        }
        for (Index s = 0; s < kSums; ++s) {
            const auto narrow = __builtin_convertvector(count[s], IdLanes<V::width>);
            std::memcpy(rank + i + s * V::width, &narrow, sizeof narrow);
        }
    }
}

template <class T>
Index ranks(const T* values, Index n, Id* rank) {
    count_before(values, n, rank, [](auto other, auto own, Index, Index) { return other < own; });
    Index sum = 0;
    for (Index i = 0; i < n; ++i) sum += rank[i];
    return sum;
}

template <class T>
void ranks_by_number(const T* values, const Id* number, Index n, Id* rank) {
    count_before(values, n, rank, [number](auto other, auto own, Index j, Index i) {
        using Lanes = decltype(other < own);
        IdLanes<Vector<T>::width> numbers;
        std::memcpy(&numbers, number + i, sizeof numbers);
        const Lanes lower = number[j] < __builtin_convertvector(numbers, Lanes);
        return (other < own) | ((other == own) & lower);
    });
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
