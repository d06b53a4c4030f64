// Single linkage is the minimum spanning tree, its edges sorted. J. C. Gower, G. J. S. Ross, Minimum spanning
// trees and single linkage cluster analysis, Appl. Stat. 18 (1969) 54-64.
#pragma once

#include <numeric>
#include <tuple>

#include "neighbours.hpp"
#include "packed.hpp"
#include "pairwise.hpp"
#include "parallel.hpp"

namespace chamfer {

// From points by Prim's algorithm: one tree grows by the nearest point outside. The points outside stay
// packed, so a step costs no more than they are. Heights are squared distances.
template <class T>
Merges spanning_tree(const Points<T>& points, const Tick& tick) {
    constexpr Index kChunk = 16 * Packed::kBlock;
    Packed outside(points);
    std::vector<Id> point(points.n), from(points.n, 0);
    std::iota(point.begin(), point.end(), Id{0});
    std::vector<double> best(points.n, Packed::kGone), centre(points.d);
    double squared[kChunk];
    Merges merges;
    merges.reserve(points.n - 1);
    Index joining = points.n - 1;
    for (Index left = points.n - 1; left > 0; --left) {
        const Id here = point[joining];
        outside.get(joining, centre.data());
        outside.move(left, joining);  // the last one fills the gap
        point[joining] = point[left], from[joining] = from[left], best[joining] = best[left];
        for (Index first = 0; first < left; first += kChunk) {
            const Index length = std::min(kChunk, left - first);
            outside.squared_distances(centre.data(), first, first + length, squared);
            double* nearest = best.data() + first;
            Id* by = from.data() + first;
            for (Index i = 0; i < length; ++i) {
                by[i] = squared[i] < nearest[i] ? here : by[i];
                nearest[i] = squared[i] < nearest[i] ? squared[i] : nearest[i];
            }
        }
        joining = argmin(best.data(), left);
        merges.push_back({from[joining], point[joining], best[joining]});
        tick(points.n - left);
    }
    return merges;
}

// From a matrix by Boruvka's algorithm: every tree joins the one nearest to it, in rounds that read the
// matrix once. The order of edges, by value and then by points, is total, so that equal values make no
// circles.
template <class T>
Merges spanning_tree(const Triangle<T>& distances, int threads, const Tick& tick) {
    using Edge = std::tuple<T, Id, Id>;
    const Index n = distances.n;
    std::vector<Id> tree(n);
    std::iota(tree.begin(), tree.end(), Id{0});
    const auto root = [&](Id p) {
        while (tree[p] != p) p = tree[p] = tree[tree[p]];
        return p;
    };
    Merges merges;
    merges.reserve(n - 1);
    while (static_cast<Index>(merges.size()) < n - 1) {
        const auto found = find_neighbours<T>(
            n, 1 + kBatch / n, threads,
            [&](Id i, int, Neighbours<T>& each) { each.compare(i, distances.row(i), tree.data()); },
            [&](Index, Index) { tick(static_cast<Index>(merges.size())); });
        std::vector<Edge> shortest(n, Edge{std::numeric_limits<T>::infinity(), 0, 0});
        for (Id p = 0; p < n; ++p) {
            const auto [low, high] = std::minmax(p, found.nearest[p]);
            shortest[tree[p]] = std::min(shortest[tree[p]], Edge{found.value[p], low, high});
        }
        for (const auto& [value, p, q] : shortest)
            if (const Id a = root(p), b = root(q); a != b) {
                tree[a] = b;
                merges.push_back({p, q, static_cast<double>(value)});
            }
        for (Id p = 0; p < n; ++p) tree[p] = root(p);
    }
    return merges;
}

}  // namespace chamfer
