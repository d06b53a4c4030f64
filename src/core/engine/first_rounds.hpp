// The first rounds of merges (see rounds.hpp) of points with few coordinates, without a matrix of values.
//
// Clusters of a few points are quickly compared, and need not be compared with many others: the mean of distances is
// not below the distance of the means, and their maximum is not below their mean. So a k-d tree of the clusters'
// centres leaves a few candidates for the nearest neighbour. A merge brings nobody closer, so a cluster keeps its
// neighbour until that merges, unless another one was equally near, up to rounding.
//
// Rounds end when clusters grow or there is little to gain: then a matrix is written, of those that are left.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "../search/filter.hpp"
#include "../search/leaves.hpp"
#include "unions.hpp"

namespace chamfer {

template <class T, Rule R>
class FirstRounds {
   public:
    FirstRounds(const Distances<T>& distances, int threads)
        : unions_(distances),
          threads_(threads),
          clusters_(unions_.n()),
          parent_(unions_.n(), kNone),
          lowest_(unions_.n()),
          nearest_(unions_.n()),
          starts_{static_cast<Id>(unions_.n())},
          centres_(distances.points.data, distances.points.row(unions_.n())) {
        std::iota(clusters_.begin(), clusters_.end(), Id{0});
        std::iota(lowest_.begin(), lowest_.end(), Id{0});
    }

    Merges run(const Tick& tick) {
        Merges merges;
        merges.reserve(unions_.n() - 1);
        while (left() * kShare > unions_.n() && find(tick) && merge_pairs(merges)) {
        }
        return merges;
    }

    const Unions<T, R>& unions() const { return unions_; }
    // What is left, by lowest points.
    const std::vector<Id>& clusters() const { return clusters_; }
    Id point(Id c) const { return lowest_[c]; }
    // The first union of each round, and the next one that there would be.
    const std::vector<Id>& starts() const { return starts_; }

   private:
    // The relative difference between values that a few roundings for each round may turn around.
    static constexpr double kClose = sizeof(T) == 4 ? 1e-4 : 1e-8;
    static constexpr Index kShare = 4;        // rounds end when this part of the points is left as clusters; before,
    static constexpr double kLargest = 64;    // when a cluster has so many points,
    static constexpr Index kProductive = 32;  // when a round merges fewer than this part of all,
    static constexpr Index kEnough = 16;      // or when clusters are compared with so many points, as a part of all.
    static constexpr Index kTogether = 32;    // blocks of clusters between two ticks

    struct Nearest {
        T value = kFar<T>;
        Id cluster = kNone;
        T next = kFar<T>;  // of the other clusters

        bool tied() const {
            return static_cast<double>(next) <=
                   static_cast<double>(value) * (1 + kClose) + std::numeric_limits<T>::min();
        }
    };

    Index left() const { return static_cast<Index>(clusters_.size()); }

    bool stale(Id c) const {
        const Nearest& nearest = nearest_[c];
        return nearest.cluster == kNone || parent_[nearest.cluster] != kNone || nearest.tied();
    }

    // Finds the neighbours that are not known; false if that takes too long.
    bool find(const Tick& tick) {
        const Index d = unions_.distances().points.d;
        std::vector<double> rows(left() * d);
        for (Index i = 0; i < left(); ++i) std::copy_n(&centres_[lowest_[clusters_[i]] * d], d, &rows[i * d]);
        const Leaves leaves(rows.data(), left(), d, threads_, [&](Index) { tick(unions_.count()); });
        std::vector<Group> groups(threads_);
        const Index blocks = (left() + kBlock - 1) / kBlock;
        std::atomic<Index> compared = 0;
        for (Index begin = 0; begin < blocks; begin += kTogether) {
            parallel_tasks(std::min(kTogether, blocks - begin), threads_, [&](Index task, int thread) {
                compared += find(leaves, static_cast<Id>((begin + task) * kBlock), groups[thread]);
            });
            tick(unions_.count());
            if (compared > (begin + kTogether) * kBlock * left() / kEnough) return false;
        }
        return true;
    }

    // The same for the clusters of a leaf; gives how many pairs of points were compared.
    Index find(const Leaves& leaves, Id first, Group& group) {
        const auto cluster = [&](Id place) { return clusters_[leaves.order()[place]]; };
        std::uint32_t lanes = 0;
        for (Id place = first; place < std::min<Id>(first + kBlock, static_cast<Id>(left())); ++place)
            if (stale(cluster(place))) lanes |= std::uint32_t{1} << (place - first);
        if (lanes == 0) return 0;
        group.start(leaves.block(first), first, lanes, leaves.m());
        double slack[kBlock], squared[kBlock];
        each_bit(lanes, [&](Index lane) {
            nearest_[cluster(first + static_cast<Id>(lane))] = {};
            slack[lane] = slack_.at(&group.rows[lane * leaves.m()]);
        });
        Index compared = 0;
        leaves.each_leaf(
            group, [](Id, double) { return false; },
            [&](Id node, std::uint32_t near) {
                const Id begin = leaves.tree().nodes()[node].begin;
                each_bit(near, [&](Index lane) {
                    const Id own = cluster(first + static_cast<Id>(lane));
                    const auto look = [&](Index i) {
                        const Id other = cluster(begin + static_cast<Id>(i));
                        if (other == own || squared[i] > group.limit[lane]) return;
                        compared += static_cast<Index>(unions_.size(own) * unions_.size(other));
                        offer(nearest_[own], unions_.value(own, other), other);
                        group.limit[lane] = slack_.widen(reach(nearest_[own]), slack[lane]);
                    };
                    each_bit(leaves.near_points(group, lane, node, group.limit[lane], squared), look);
                });
            });
        return compared;
    }

    // Of equals, the one with the lowest point.
    void offer(Nearest& nearest, T value, Id other) const {
        const bool nearer =
            value < nearest.value || (value == nearest.value && lowest_[other] < lowest_[nearest.cluster]);
        nearest.next = std::min(nearest.next, nearer ? nearest.value : value);
        if (nearer) nearest.value = value, nearest.cluster = other;
    }

    // The squared distance of centres that a cluster as near as this one, or tied with it, can have.
    double reach(const Nearest& nearest) const {
        return squared_reach(unions_.distances().metric, nearest.value) * (1 + 4 * kClose);
    }

    // Merges all that are each other's nearest. False if that was the last round.
    bool merge_pairs(Merges& merges) {
        std::vector<Id> lower;
        for (const Id c : clusters_)
            if (const Id other = nearest_[c].cluster; lowest_[c] < lowest_[other] && nearest_[other].cluster == c)
                lower.push_back(c);
        if (static_cast<Index>(lower.size()) * kProductive < left()) return false;
        bool small = true;
        for (const Id low : lower) {
            const Id high = nearest_[low].cluster;
            const T between = nearest_[low].value;
            merges.push_back({lowest_[high], lowest_[low], static_cast<double>(between)});
            parent_[low] = parent_[high] = unions_.unite({low, high, between});
            parent_.push_back(kNone);
            lowest_.push_back(lowest_[low]);
            nearest_.push_back({});
            move_centre(low, high);
            small &= unions_.size(parent_[low]) < kLargest;
        }
        starts_.push_back(static_cast<Id>(lowest_.size()));
        keep_lower();
        return small;
    }

    void keep_lower() {
        std::erase_if(clusters_, [&](Id c) { return parent_[c] != kNone && unions_.halves(parent_[c]).low != c; });
        for (Id& c : clusters_)
            if (parent_[c] != kNone) c = parent_[c];
    }

    void move_centre(Id low, Id high) {
        const Index d = unions_.distances().points.d;
        const double share = R::kind == RuleKind::weighted ? 0.5 : unions_.size(high) / unions_.size(parent_[low]);
        double* kept = &centres_[lowest_[low] * d];
        const double* lost = &centres_[lowest_[high] * d];
        for (Index k = 0; k < d; ++k) kept[k] += share * (lost[k] - kept[k]);
    }

    Unions<T, R> unions_;
    int threads_;
    std::vector<Id> clusters_;
    std::vector<Id> parent_, lowest_;  // by cluster; parents of those that are left: none
    std::vector<Nearest> nearest_;     // by cluster
    std::vector<Id> starts_;
    std::vector<double> centres_;  // at lowest points
    TreeSlack slack_{unions_.distances().points.d, unions_.distances().points.d, false};
};

}  // namespace chamfer
