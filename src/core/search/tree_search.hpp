// Nearest clusters by a k-d tree, exactly: for points whose distances are carried by few coordinates.
//
// The tree stands over coordinates whose distance never exceeds the true one (the points' own, or those of the
// filter), so a box beyond the reach of a query is skipped whole. Queries of a leaf search together. Where clusters are
// single points, points are gathered without a look at what a list holds already. Where not, a node whose points are
// all in one cluster is skipped if that is the query's own, or one that the query has already found at least as near.
//
// Copies of a point would all be compared with each other, for those with the lowest numbers. So nodes know their
// lowest number, and are skipped if they can only offer equal distances and higher numbers.
#pragma once

#include "filter.hpp"
#include "leaves.hpp"
#include "node_labels.hpp"
#include "shortlists.hpp"
#include "top_k.hpp"

namespace chamfer {

template <class T>
class TreeSearch {
   public:
    // `own`: the coordinates are the points' own, all of them.
    TreeSearch(Distances<T> distances, const double* coordinates, Index m, bool own, int threads, const Tick& tick)
        : distances_(distances),
          own_(own),
          slack_(m, distances.points.d, own),
          leaves_(coordinates, distances.points.n, m, threads, tick) {}

    Index n() const { return distances_.points.n; }
    // Whether points with equal coordinates are copies.
    bool own() const { return own_; }
    const Leaves& leaves() const { return leaves_; }
    // The lowest number of a node's points.
    Id lowest(Id node) const { return lowest_[node]; }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void nearest(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads,
                 const Tick& tick) const {
        const std::vector<Leaves::Query> sorted = leaves_.sorted(queries, count);
        if (are_alone(labels)) {
            const auto write = [&, k = answers.k](Index at, const Id* places, const T* distances, Index found) {
                for (Index i = 0; i < k; ++i)
                    answers.clusters[at * k + i] = i < found ? leaves_.order()[places[i]] : kNone;
                std::copy_n(distances, found, answers.distances + at * k);
                answers.bounds[at] = found > 0 ? distances[found - 1] : T{0};
            };
            return each_list(sorted, answers.k, threads, tick, write);
        }
        const auto clusters = node_labels(labels);
        each_group(sorted, threads, tick, [&](Queries& group, int) {
            each_bit(group.lanes, [&](Index lane) {
                group.home[lane] = clusters.at(group.place(lane));
                group.nearest[lane] = answers.row(group.row[lane]);
            });
            find_clusters(group, clusters);
            each_bit(group.lanes, [&](Index lane) { answers.bounds[group.row[lane]] = group.nearest[lane].finish(); });
        });
    }

    // The same for visitors, going on from what the answers hold; the coordinates are the points' own.
    void visit(Visitors<T, double> visitors, const Id* labels, Answers<T> answers, int threads,
               const Tick& tick) const {
        const auto clusters = node_labels(labels);
        std::vector<Queries> groups(threads);
        const auto done = [&](Index g) { tick(std::min(visitors.count, g * kBlock)); };
        parallel_queries((visitors.count + kBlock - 1) / kBlock, kShare, threads, done, [&](Index g, int thread) {
            Queries& group = groups[thread];
            take(visitors, g * kBlock, group);
            each_bit(group.lanes, [&](Index lane) {
                group.home[lane] = visitors.homes[group.row[lane]];
                group.nearest[lane] = answers.resumed(group.row[lane]);
                group.limit[lane] = limit(group.nearest[lane].reach(), group, lane);
            });
            group.update();
            find_clusters(group, clusters);
            each_bit(group.lanes, [&](Index lane) { answers.bounds[group.row[lane]] = group.nearest[lane].finish(); });
        });
    }

    // Calls list(at, places, distances, found) for all queries: the k nearest other points by distance and number, or
    // as many as there are. Queries are sorted by leaf.
    template <class List>
    void each_list(const std::vector<Leaves::Query>& sorted, Index k, int threads, const Tick& tick,
                   List&& list) const {
        std::vector<Shortlists<T>> lists(threads, Shortlists<T>(distances_.metric, k, leaves_.order()));
        each_group(sorted, threads, tick, [&](Queries& group, int thread) {
            Shortlists<T>& own = lists[thread];
            find_points(group, own);
            each_bit(group.lanes, [&](Index lane) {
                const Index found = own.finish(lane);
                list(group.row[lane], own.places(lane), own.distances(lane), found);
            });
        });
    }

    // The squared distance of coordinates within which a query has to look for points within its reach.
    double limit(T reach, const Group& group, Index lane) const {
        const double slack = slack_.at(group.rows.data() + lane * leaves_.m());
        return slack_.widen(squared_reach(distances_.metric, reach), slack);
    }

    // Whether no point of a box is nearer than `reach`, given the squared distance of coordinates.
    bool none_nearer(double squared, T reach) const {
        return reach == 0 || (own_ && static_cast<T>(from_squared(distances_.metric, squared)) >= reach);
    }

    // The distance from a point to a place, given the squared distance of their coordinates.
    T distance(const T* point, Id place, double squared) const {
        if (own_) return static_cast<T>(from_squared(distances_.metric, squared));
        return distances_.between(point, row(place));
    }
    const T* row(Id place) const { return distances_.points.row(leaves_.order()[place]); }

   private:
    static constexpr Index kShare = 8;  // groups a task
    static constexpr Id kLeaf = kBlock;

    // A group of queries, by lane.
    struct Queries : Group {
        Id row[kBlock];   // which query it is
        Id home[kBlock];  // its cluster
        const T* point[kBlock];
        std::vector<Nearest<T>> nearest = std::vector<Nearest<T>>(kBlock, Nearest<T>(nullptr, nullptr, 0));
        std::vector<double> packed;  // visitors

        // How far a cluster is of use to any query: of the clusters asked for last, until a list changes.
        static constexpr Id kKnown = 64;
        struct Known {
            Id label;
            double most;
        } known[kKnown];

        void forget() { std::fill_n(known, kKnown, Known{kNone, 0}); }
        Id place(Index lane) const { return first + static_cast<Id>(lane); }
    };

    // The most that a node could offer: a distance, and a number at equal distance, below these of some query.
    struct Worst {
        T reach = kFar<T>;
        Id number = std::numeric_limits<Id>::max();

        void include(T other_reach, Id other_number) {
            reach = std::max(reach, other_reach);
            number = std::max(number, other_number);
        }
    };

    auto node_labels(const Id* labels) const {
        const auto label = [labels, order = leaves_.order()](Id place) { return labels[order[place]]; };
        return NodeLabels<decltype(label)>(leaves_.tree(), label);
    }

    bool are_alone(const Id* labels) const {
        for (Id p = 0; p < n(); ++p)
            if (labels[p] != p) return false;
        return true;
    }

    // Calls body(group, thread) for queries sorted by leaf, those of a leaf together.
    template <class Body>
    void each_group(const std::vector<Leaves::Query>& sorted, int threads, const Tick& tick, Body&& body) const {
        const std::vector<Index> start = group_starts(sorted);
        std::vector<Queries> groups(threads);
        const auto done = [&](Index g) { tick(start[g]); };
        parallel_queries(static_cast<Index>(start.size()) - 1, kShare, threads, done, [&](Index g, int thread) {
            Queries& group = groups[thread];
            const Id first = sorted[start[g]].place / kLeaf * kLeaf;
            std::uint32_t lanes = 0;
            for (Index i = start[g]; i < start[g + 1]; ++i) {
                const Index lane = sorted[i].place % kLeaf;
                lanes |= std::uint32_t{1} << lane;
                group.row[lane] = sorted[i].at;
                group.point[lane] = row(sorted[i].place);
            }
            group.start(leaves_.block(first), first, lanes, leaves_.m());
            body(group, thread);
        });
    }

    // Where a group ends and the next begins: no two queries of a group are at the same place.
    static std::vector<Index> group_starts(const std::vector<Leaves::Query>& sorted) {
        std::vector<Index> start{0};
        std::uint32_t taken = 0;
        for (Index i = 0; i < static_cast<Index>(sorted.size()); ++i) {
            const std::uint32_t lane = std::uint32_t{1} << sorted[i].place % kLeaf;
            if (i > 0 && (sorted[i].place / kLeaf != sorted[i - 1].place / kLeaf || (taken & lane) != 0)) {
                start.push_back(i);
                taken = 0;
            }
            taken |= lane;
        }
        if (!sorted.empty()) start.push_back(static_cast<Index>(sorted.size()));
        return start;
    }

    // Takes up to a block of visitors for queries.
    void take(const Visitors<T, double>& visitors, Index first, Queries& group) const {
        const Index m = leaves_.m(), count = std::min(kBlock, visitors.count - first);
        group.packed.assign(m * kBlock, kFar<double>);
        for (Index lane = 0; lane < count; ++lane) {
            group.row[lane] = static_cast<Id>(first + lane);
            group.point[lane] = visitors.rows + (first + lane) * distances_.points.d;
            for (Index k = 0; k < m; ++k)
                group.packed[k * kBlock + lane] = visitors.coordinates[(first + lane) * m + k];
        }
        group.start(group.packed.data(), kNone, first_bits(count), m);
    }

    void find_points(Queries& group, Shortlists<T>& lists) const {
        lists.start();
        Worst worst;
        leaves_.each_leaf(
            group,
            [&](Id node, double squared) { return lowest_[node] > worst.number && none_nearer(squared, worst.reach); },
            [&](Id node, std::uint32_t lanes) {
                const Id first = leaves_.tree().nodes()[node].begin;
                each_bit(lanes, [&](Index lane) {
                    double squared[kBlock];
                    std::uint32_t near = leaves_.near_points(group, lane, node, group.limit[lane], squared);
                    if (first == group.first) near &= ~(std::uint32_t{1} << lane);
                    if (!own_)
                        each_bit(near, [&](Index i) {
                            squared[i] = squared_distance(group.point[lane], row(first + static_cast<Id>(i)),
                                                          distances_.points.d);
                        });
                    if (lists.add(lane, first, near, squared))
                        group.limit[lane] = limit(lists.reach(lane), group, lane);
                });
                worst = {0, 0};
                each_bit(group.lanes, [&](Index lane) { worst.include(lists.reach(lane), lists.last(lane)); });
            });
    }

    template <class Clusters>
    void find_clusters(Queries& group, const Clusters& clusters) const {
        Worst worst;
        group.forget();
        leaves_.each_leaf(
            group,
            [&](Id node, double squared) {
                return nothing_new(group, clusters.few(node), squared) ||
                       (none_nearer(squared, worst.reach) && clusters.lowest(node) > worst.number);
            },
            [&](Id node, std::uint32_t lanes) {
                const auto& [begin, end, right] = leaves_.tree().nodes()[node];
                Id label[kBlock];
                for (Id place = begin; place < end; ++place) label[place - begin] = clusters.at(place);
                const FewLabels few = clusters.few(node);
                bool changed = false;
                each_bit(lanes, [&](Index lane) { changed |= scan(group, lane, node, few, label); });
                if (!changed) return;
                group.forget();
                worst = {0, 0};
                each_bit(group.lanes,
                         [&](Index lane) { worst.include(group.nearest[lane].reach(), group.nearest[lane].last()); });
            });
    }

    // Whether no query of the group can learn from a node at this squared distance with these labels.
    bool nothing_new(Queries& group, const FewLabels& labels, double squared) const {
        return labels.known() && std::all_of(labels.begin(), labels.end(), [&](Id label) {
                   auto& [known, most] = group.known[label % Queries::kKnown];
                   if (known != label) {
                       known = label;
                       most = -1;
                       each_bit(group.lanes, [&](Index lane) { most = std::max(most, within(group, lane, label)); });
                   }
                   return squared > most;
               });
    }

    // The squared distance at which points of a cluster are of no use to a query any more.
    double within(const Queries& group, Index lane, Id label) const {
        if (label == group.home[lane]) return -1;
        return std::min(group.limit[lane], limit(group.nearest[lane].distance_to(label), group, lane));
    }

    // Offers a query what is near in a leaf; whether that was of use.
    bool scan(Queries& group, Index lane, Id node, const FewLabels& few, const Id* label) const {
        const Id first = leaves_.tree().nodes()[node].begin;
        Nearest<T>& nearest = group.nearest[lane];
        double squared[kBlock], &limit_now = group.limit[lane], most = few.known() ? -1 : limit_now;
        for (Index i = 0; few.known() && i < few.count; ++i) most = std::max(most, within(group, lane, few.label[i]));
        bool changed = false;
        if (most < 0) return changed;
        each_bit(leaves_.near_points(group, lane, node, most, squared), [&](Index i) {
            if (label[i] == group.home[lane] || squared[i] > limit_now) return;
            const T reach = nearest.reach();
            changed |= nearest.offer(label[i], distance(group.point[lane], first + static_cast<Id>(i), squared[i]));
            if (nearest.reach() < reach) limit_now = limit(nearest.reach(), group, lane);
        });
        return changed;
    }

    Distances<T> distances_;
    bool own_;
    TreeSlack slack_;
    Leaves leaves_;
    std::vector<Id> lowest_ = leaves_.tree().gather(
        [this](Id begin, Id end) { return *std::min_element(leaves_.order() + begin, leaves_.order() + end); },
        [](Id left, Id right) { return std::min(left, right); });
};

}  // namespace chamfer
