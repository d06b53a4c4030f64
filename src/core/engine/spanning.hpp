// Single linkage is the minimum spanning tree, its edges sorted. J. C. Gower, G. J. S. Ross, Minimum spanning
// trees and single linkage cluster analysis, Appl. Stat. 18 (1969) 54-64.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "../base/union_find.hpp"
#include "../distance/packed.hpp"
#include "../distance/triangle.hpp"
#include "../linkage/square.hpp"
#include "../search/top_k.hpp"
#include "neighbours.hpp"

namespace chamfer {

// From few points by Prim's algorithm: one tree grows by the nearest point outside. The points outside stay
// packed, so a step costs no more than they are. Heights are squared distances.
template <class T>
Merges spanning_tree(const Points<T>& points, const Tick& tick) {
    constexpr Index kChunk = 16 * kBlock;
    Packed outside(points);
    std::vector<Id> point(points.n), from(points.n, 0);
    std::iota(point.begin(), point.end(), Id{0});
    std::vector<double> best(points.n, kFar<double>), centre(points.d);
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
            kernels<double>().relax(squared, nullptr, 0, here, length, best.data() + first, from.data() + first);
        }
        joining = argmin(best.data(), left);
        merges.push_back({from[joining], point[joining], best[joining]});
        tick(points.n - left);
    }
    return merges;
}

// From many points by Boruvka's algorithm, in O(n k) memory beside a search: every tree but the largest joins the one
// nearest to it, in rounds.
//
// Invariant. Every point p has a list of points and a bound. All points outside its own tree are on the list, or at
// least at that bound from p. So the shortest edge of a tree is known when no point whose list is used up has a bound
// below it; such points look again, all points of a tree together no farther than the shortest edge they find. Of equal
// edges any is right, as long as it closes no circle.
template <class T, class Search>
class SpanningForest {
   public:
    // `search` calls near(i, q) for the points q outside the tree of query i that may be within reach(i), and others.
    // `most` is the share of all pairs that it may call with.
    SpanningForest(Distances<T> distance, const Search& search, const FirstLists<T>& first, double most, int threads)
        : n_(distance.points.n),
          distance_(distance),
          search_(search),
          most_(most),
          threads_(threads),
          k_(first.k),
          nearest_(first.points, first.points + n_ * k_),
          distances_(first.distances, first.distances + n_ * k_),
          bound_(first.bounds, first.bounds + n_),
          sets_(n_),
          tree_(n_),
          size_(n_, 1),
          shortest_(n_) {
        std::iota(tree_.begin(), tree_.end(), Id{0});
    }

    // Nothing if the search leaves too many pairs: trees that are far apart may differ in other coordinates than those
    // that tell near points apart.
    std::optional<Merges> run(const Tick& tick) {
        Merges merges;
        merges.reserve(n_ - 1);
        for (Id largest = 0; static_cast<Index>(merges.size()) < n_ - 1;) {
            std::vector<Id> used_up = find_edges(largest);
            while (!used_up.empty()) {
                look_again(used_up, [&](Index) { tick(static_cast<Index>(merges.size())); });
                if (static_cast<double>(computed_) > most_ * static_cast<double>(compared_)) return std::nullopt;
                std::erase_if(used_up, [&](Id p) { return shortest_[tree_[p]].length <= bound_[p]; });
            }
            for (const Edge& edge : shortest_)
                if (edge.to != kNone) join(edge, merges, largest);
            for (Id p = 0; p < n_; ++p) tree_[p] = sets_.find(p);
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    static constexpr Index kShare = 4, kLeast = 4096;  // a part of the points that look again does so at a time
    static constexpr Index kTried = 256;               // points that look first of all

    struct Edge {
        T length = kFar<T>;
        Id from = kNone, to = kNone;
        auto operator<=>(const Edge&) const = default;
    };

    // By a query that looks again.
    struct Found {
        Edge edge;
        Index computed = 0;
    };

    // The shortest edges of all trees but the largest that lists know; the points that have to look again.
    std::vector<Id> find_edges(Id largest) {
        std::fill(shortest_.begin(), shortest_.end(), Edge{});
        std::vector<Id> used_up;
        for (Id p = 0; p < n_; ++p)
            if (const Id tree = tree_[p]; tree != largest) {
                const Edge edge = first_edge(p, tree);
                if (edge.to == kNone) used_up.push_back(p);
                shortest_[tree] = std::min(shortest_[tree], edge);
            }
        std::erase_if(used_up, [&](Id p) { return shortest_[tree_[p]].length <= bound_[p]; });
        std::sort(used_up.begin(), used_up.end(),
                  [&](Id p, Id q) { return std::pair(bound_[p], p) < std::pair(bound_[q], q); });
        return used_up;
    }

    // What is in the tree of p will always be, so it is taken off the list.
    Edge first_edge(Id p, Id tree) {
        Edge best;
        for (Index i = p * k_; i < (p + 1) * k_; ++i) {
            if (nearest_[i] == kNone) continue;
            if (tree_[nearest_[i]] == tree)
                nearest_[i] = kNone;
            else
                best = std::min(best, Edge{distances_[i], p, nearest_[i]});
        }
        return best;
    }

    // The first of these points, those that may have the shortest edges.
    void look_again(const std::vector<Id>& used_up, const Tick& tick) {
        const Index count = static_cast<Index>(used_up.size()),
                    some = std::min(count, compared_ == 0 ? kTried : std::max(kLeast, count / kShare));
        const std::vector<Id> queries(used_up.begin(), used_up.begin() + some);
        std::vector<std::atomic<T>> reach(n_);
        for (Index p = 0; p < n_; ++p) reach[p] = shortest_[p].length;
        std::vector<Found> found(some);
        search_.each_near(
            queries, tree_, threads_, tick,
            [&](Index i) {
                // Never zero, at which a search would stop, and the first to find such an edge would decide which.
                const T length = reach[tree_[queries[i]]].load(std::memory_order_relaxed);
                return std::max<double>(squared_reach(distance_.metric, length), 4 * std::numeric_limits<float>::min());
            },
            [&](Index i, Id q) {
                const Id p = queries[i];
                if (tree_[q] == tree_[p]) return;
                const Edge edge{distance_(p, q), p, q};
                found[i].edge = std::min(found[i].edge, edge);
                ++found[i].computed;
                auto& most = reach[tree_[p]];
                for (T now = most; edge.length < now && !most.compare_exchange_weak(now, edge.length);) continue;
            });
        compared_ += some * n_;
        for (const auto& [edge, computed] : found) {
            computed_ += computed;
            if (edge.to != kNone) shortest_[tree_[edge.from]] = std::min(shortest_[tree_[edge.from]], edge);
        }
        for (Index i = 0; i < some; ++i) {
            const Id p = queries[i];
            const Edge& edge = found[i].edge;
            bound_[p] = std::min(edge.length, shortest_[tree_[p]].length);
            if (edge.length > bound_[p]) continue;
            nearest_[p * k_] = edge.to;
            distances_[p * k_] = edge.length;
        }
    }

    void join(const Edge& edge, Merges& merges, Id& largest) {
        Id a = sets_.find(edge.from), b = sets_.find(edge.to);
        if (a == b) return;
        merges.push_back({edge.from, edge.to, static_cast<double>(edge.length)});
        if (size_[a] < size_[b]) std::swap(a, b);
        sets_.attach(b, a);
        size_[a] += size_[b];
        if (size_[a] > size_[largest]) largest = a;
    }

    Index n_;
    Distances<T> distance_;
    const Search& search_;
    double most_;
    int threads_;
    Index k_;
    Index compared_ = 0, computed_ = 0;  // pairs of points in searches, and those whose distances they left
    std::vector<Id> nearest_;            // k of each point, kNone where used up
    std::vector<T> distances_, bound_;
    UnionFind sets_;               // trees are named by one of their points
    std::vector<Id> tree_, size_;  // the tree of each point as of this round; by tree
    std::vector<Edge> shortest_;   // by tree
};

// From few distances by Prim's algorithm, with the same order of edges as below. `distances` has whole rows.
template <class T>
Merges few_spanning_tree(const Square<T>& distances) {
    const Index n = distances.n();
    constexpr T kJoined = std::numeric_limits<T>::quiet_NaN();  // no edge is shorter than this, and none is equal
    const Lines<T> shortest(n, kJoined), from(n, T{0});
    T* best = shortest.data();
    std::fill(best, best + n, kFar<T>);
    Merges merges;
    merges.reserve(n - 1);
    for (Id joining = 0; static_cast<Index>(merges.size()) < n - 1;) {
        best[joining] = kJoined;
        const auto edge = kernels<T>().join(distances.row(joining), static_cast<T>(joining), n, best, from.data());
        const Id low = static_cast<Id>(edge.low), high = static_cast<Id>(edge.high);
        merges.push_back({low, high, static_cast<double>(edge.length)});
        joining = std::isnan(best[low]) ? high : low;
    }
    return merges;
}

// From a matrix by Boruvka's algorithm: every tree joins the one nearest to it, in rounds that read the
// matrix once. The order of edges, by value and then by points, is total, so that equal values make no
// circles.
template <class T>
Merges spanning_tree(const Triangle<T>& distances, int threads, const Tick& tick) {
    const Index n = distances.n;
    UnionFind sets(n);
    std::vector<Id> tree(n);
    std::iota(tree.begin(), tree.end(), Id{0});
    Merges merges;
    merges.reserve(n - 1);
    while (static_cast<Index>(merges.size()) < n - 1) {
        const auto found = find_neighbours<T>(
            n, 1 + kBatch / n, threads,
            [&](Id i, int, Neighbours<T>& each) { each.compare(i, distances.row(i), tree.data()); },
            [&](Index, Index) { tick(static_cast<Index>(merges.size())); });
        std::vector<TieKey<T>> shortest(n);
        for (Id p = 0; p < n; ++p)
            shortest[tree[p]] = std::min(shortest[tree[p]], TieKey<T>(found.value[p], p, found.nearest[p]));
        for (const TieKey<T>& edge : shortest)
            if (edge.low != kNone && sets.find(edge.low) != sets.find(edge.high)) {
                sets.attach(sets.find(edge.low), sets.find(edge.high));
                merges.push_back({edge.low, edge.high, static_cast<double>(edge.value)});
            }
        for (Id p = 0; p < n; ++p) tree[p] = sets.find(p);
    }
    return merges;
}

}  // namespace chamfer
