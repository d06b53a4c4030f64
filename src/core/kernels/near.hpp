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

template <class T>
Index ranks(const T* values, Index n, Id* rank) {
    using V = Vector<T>;
    constexpr Index kSums = 2;
    Index sum = 0;
    for (Index i = 0; i < n; i += kSums * V::width) {
        typename V::Lanes own[kSums];
        decltype(own[0] < own[0]) less[kSums] = {};
        for (Index s = 0; s < kSums; ++s) own[s] = V::load(values + i + s * V::width);
        for (Index j = 0; j < n; ++j) {
            const auto other = V::fill(values[j]);
            for (Index s = 0; s < kSums; ++s) less[s] -= other < own[s];
        }
        for (Index s = 0; s < kSums; ++s)
            for (Index lane = 0; lane < V::width; ++lane) {
                const Index at = i + s * V::width + lane;
                rank[at] = static_cast<Id>(less[s][lane]);
                if (at < n) sum += rank[at];
            }
    }
    return sum;
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
