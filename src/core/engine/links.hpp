// Clusters that list each other, by the lists of near points that points have.
//
// Every point p has a list of its nearest points and a bound r(p): points that are not on the list are at least that
// far away. Clusters only grow, so a listed point q says that its cluster is at most d(p, q) away, and a cluster
// without a listed point is at least r(p) away. Of the links from p to a cluster only the shortest counts, forever, and
// none of those within a cluster; the others are dropped when they are met.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "../search/top_k.hpp"

namespace chamfer {

template <class T>
class Links {
   public:
    struct Link {
        Id point;
        T distance;
    };

    // The k nearest points of each, in any order.
    Links(Index n, const FirstLists<T>& first, const std::vector<double>& weights, int threads)
        : k_(first.k),
          weights_(weights),
          lists_(n * k_),
          clusters_(n),
          sizes_(n, k_),
          bounds_(n),
          points_(n),
          totals_(n),
          starts_(n + 1),
          listing_(n * k_),
          place_(n, kNone),
          seen_(n, kNone) {
        parallel_ranges(n, kAlone, threads, [&](Index begin, Index end) {
            for (Index p = begin; p < end; ++p) take(p, first);
        });
        for (const Link& link : lists_) ++starts_[link.point + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        ends_.assign(starts_.begin(), starts_.end() - 1);
        for (Id p = 0; p < static_cast<Id>(n); ++p) {
            clusters_[p] = p;
            points_[p] = {p};
            totals_[p] = weights_[p] * static_cast<double>(bounds_[p]);
            for (const auto& [point, distance] : list(p)) listing_[ends_[point]++] = {p, distance};
        }
    }

    Index n() const { return static_cast<Index>(points_.size()); }
    const std::vector<Id>& points(Id c) const { return points_[c]; }
    double total(Id c) const { return totals_[c]; }  // R(C), the weighted sum of r

    // What p lists, and the points that list p.
    std::span<const Link> list(Id p) const { return {&lists_[p * k_], static_cast<std::size_t>(sizes_[p])}; }
    std::span<const Link> listing(Id p) const { return {listing_.begin() + starts_[p], listing_.begin() + ends_[p]}; }

    // What is b's becomes a's.
    void unite(Id a, Id b) {
        for (const Id p : points_[b]) clusters_[p] = a;
        points_[a].insert(points_[a].end(), points_[b].begin(), points_[b].end());
        points_[b] = {};
        totals_[a] += totals_[b];
    }

    // Calls visit(slot, own, other) for all clusters that c lists, or that list c. `own` is how much the sum of r is
    // above the distances for the points of c that list the other cluster, and `other` for its points that list c.
    template <class Visit>
    void each_candidate(Id c, Visit&& visit) {
        candidates_.clear();
        gather_listed(c);
        gather_listing(c);
        for (const Candidate& each : candidates_) {
            place_[each.slot] = kNone;
            visit(each.slot, each.own, each.other);
        }
    }

   private:
    struct Candidate {
        Id slot;
        double own = 0, other = 0;
        Id from = kNone;  // the last point of c that listed it
    };

    // The list of p, nearest first.
    void take(Index p, const FirstLists<T>& first) {
        const auto list = std::span(&lists_[p * k_], k_);
        for (Index i = 0; i < k_; ++i) list[i] = {first.points[p * k_ + i], first.distances[p * k_ + i]};
        std::ranges::sort(list, [](const Link& x, const Link& y) {
            return x.distance != y.distance ? x.distance < y.distance : x.point < y.point;
        });
        bounds_[p] = list.back().distance;
    }

    Candidate& candidate(Id slot) {
        if (place_[slot] == kNone) {
            place_[slot] = static_cast<Id>(candidates_.size());
            candidates_.push_back({slot});
        }
        return candidates_[place_[slot]];
    }

    // The first point on a list that is in a cluster is the nearest of it.
    void gather_listed(Id c) {
        for (const Id p : points_[c]) {
            Link *const list = &lists_[p * k_], *kept = list;
            for (const Link link : std::span(list, sizes_[p])) {
                const Id other = clusters_[link.point];
                if (other == c) continue;
                Candidate& found = candidate(other);
                if (found.from == p) continue;
                found.from = p;
                found.own += gain(p, link.distance);
                *kept++ = link;
            }
            sizes_[p] = static_cast<Id>(kept - list);
        }
    }

    // Of the points of c that another one lists, the nearest counts.
    void gather_listing(Id c) {
        gathered_.clear();
        for (const Id p : points_[c]) {
            Index kept = starts_[p];
            for (Index i = kept; i < ends_[p]; ++i) {
                const Link link = listing_[i];
                if (clusters_[link.point] == c) continue;
                if (seen_[link.point] == kNone) {
                    seen_[link.point] = static_cast<Id>(gathered_.size());
                    gathered_.push_back(link);
                } else {
                    T& least = gathered_[seen_[link.point]].distance;
                    if (link.distance >= least) continue;
                    least = link.distance;
                }
                listing_[kept++] = link;
            }
            ends_[p] = kept;
        }
        for (const auto& [point, distance] : gathered_) {
            seen_[point] = kNone;
            candidate(clusters_[point]).other += gain(point, distance);
        }
    }

    double gain(Id p, T distance) const {
        return weights_[p] * (static_cast<double>(bounds_[p]) - static_cast<double>(distance));
    }

    Index k_;
    const std::vector<double>& weights_;
    std::vector<Link> lists_;              // k for each point
    std::vector<Id> clusters_;             // of points, by the slot
    std::vector<Index> sizes_;             // of lists
    std::vector<T> bounds_;                // r
    std::vector<std::vector<Id>> points_;  // by slot, that of the slot first
    std::vector<double> totals_;           // by slot
    std::vector<Index> starts_, ends_;     // of the points that list a point, in listing_
    std::vector<Link> listing_;
    std::vector<Id> place_;  // of candidates, by slot
    std::vector<Id> seen_;   // what was gathered of points
    std::vector<Candidate> candidates_;
    std::vector<Link> gathered_;
};

}  // namespace chamfer
