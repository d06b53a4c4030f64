// The minimum spanning tree of many points in few coordinates: Boruvka's algorithm on a k-d tree. W. B. March, P. Ram,
// A. G. Gray, Fast Euclidean minimum spanning tree, KDD 2010, 603-612.
//
// In each round every component but the largest joins the one that its shortest edge leads to. Edges are ordered by
// length, then by the numbers of their points. This order is total, so there is one minimum spanning tree, whatever the
// tree of the search looks like and however threads share the work.
//
// Invariant. Every point p has a list of its nearest points, sorted, and a bound. Every point outside p's component is
// on the list, or not nearer than the bound. So the shortest edge of a component is known if no point whose list is
// used up has a bound that is not above its length. Such points search again, no farther than the shortest edge that
// their component has found by then, and what a search did not find raises the bound for all later rounds.
//
// Everything is kept by place in the k-d tree: the points of a list are near in memory, too.
#pragma once

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "../base/union_find.hpp"
#include "../search/tree_search.hpp"

namespace chamfer {

template <class T>
class TreeForest {
   public:
    // Lists of k points.
    TreeForest(const TreeSearch<T>& search, Index k, int threads)
        : search_(search),
          leaves_(search.leaves()),
          n_(search.n()),
          k_(std::min(k, n_ - 1)),
          threads_(threads),
          nearest_(n_ * k_),
          distances_(n_ * k_),
          next_(n_, 0),
          bound_(n_),
          component_(n_),
          roots_(n_),
          now_(n_),
          sets_(n_),
          size_(n_, 1),
          shortest_(n_),
          reach_(n_) {
        std::iota(component_.begin(), component_.end(), Id{0});
        roots_ = component_;
    }

    // Edges by length and points.
    Merges run(const Tick& tick) {
        std::vector<Leaves::Query> all(n_);
        for (Id place = 0; place < n_; ++place) all[place] = {place, place};
        search_.each_list(
            all, k_, threads_, [&](Index) { tick(0); },
            [&](Index place, const Id* places, const T* distances, Index) {
                std::copy_n(places, k_, nearest_.data() + place * k_);
                std::copy_n(distances, k_, distances_.data() + place * k_);
                bound_[place] = distances[k_ - 1];
            });
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const auto progress = [&](Index) { tick(static_cast<Index>(merges.size())); };
            take_off_lists();
            find_listed();
            look_again(used_up(), progress);
            join(merges);
            progress(0);
        }
        sort(merges);
        return merges;
    }

   private:
    using Edge = TieKey<T>;

    // What is in the component of a point will always be.
    void take_off_lists() {
        parallel_ranges(n_, kGrain, threads_, [&](Index begin, Index end) {
            for (Index p = begin; p < end; ++p) {
                if (component_[p] == largest_) continue;
                std::uint8_t& next = next_[p];
                while (next < k_ && component_[nearest_[p * k_ + next]] == component_[p]) ++next;
            }
        });
    }

    Edge edge(Index p) const {
        const Index at = p * k_ + next_[p];
        return {distances_[at], leaves_.order()[p], leaves_.order()[nearest_[at]]};
    }

    // The shortest edges of all components but the largest that lists know.
    void find_listed() {
        for (const Id root : roots_) shortest_[root] = Edge{};
        for (Index p = 0; p < n_; ++p) {
            if (component_[p] == largest_ || next_[p] == k_) continue;
            Edge& best = shortest_[component_[p]];
            if (distances_[p * k_ + next_[p]] <= best.value) best = std::min(best, edge(p));
        }
    }

    // Places of points that may have a shorter edge than their component knows.
    std::vector<Id> used_up() const {
        std::vector<Id> places;
        for (Id p = 0; p < n_; ++p)
            if (component_[p] != largest_ && next_[p] == k_ && bound_[p] <= shortest_[component_[p]].value)
                places.push_back(p);
        return places;
    }

    void look_again(const std::vector<Id>& places, const Tick& tick) {
        if (places.empty()) return;
        for (const Id root : roots_) reach_[root].store(shortest_[root].value, std::memory_order_relaxed);
        std::vector<Index> start{0};
        const Index count = static_cast<Index>(places.size());
        for (Index i = 1; i <= count; ++i)
            if (i == count || places[i] / kBlock != places[i - 1] / kBlock) start.push_back(i);
        std::vector<Edge> found(count);
        const auto label = [&](Id place) { return component_[place]; };
        const NodeLabels labels(leaves_.tree(), label);
        std::vector<Lookers> groups(threads_);
        parallel_queries(static_cast<Index>(start.size()) - 1, kShare, threads_, tick, [&](Index g, int thread) {
            look(&places[start[g]], start[g + 1] - start[g], labels, groups[thread], &found[start[g]]);
        });
        for (Index i = 0; i < count; ++i) {
            Edge& best = shortest_[component_[places[i]]];
            best = std::min(best, found[i]);
        }
    }

    T reach(Index p) const { return reach_[component_[p]].load(std::memory_order_relaxed); }

    void lower_reach(Index p, T length) {
        auto& most = reach_[component_[p]];
        for (T now = most; length < now && !most.compare_exchange_weak(now, length);) continue;
    }

    // Points of a leaf that look together, by lane.
    struct Lookers : Group {
        Id first;           // the place of the first lane
        Id only;            // their component; none if there are several
        Edge best[kBlock];  // what each has found
        T farthest;         // nothing farther is of use to any of them,
        Id last;            // and at this distance nothing with a higher number
    };

    // Some used-up points of a leaf, if any of them still has to look.
    bool gather(const Id* places, Index count, Lookers& group) const {
        group.first = places[0] / kLeaf * kLeaf;
        std::uint32_t lanes = 0;
        group.only = component_[places[0]];
        for (Index i = 0; i < count; ++i) {
            if (bound_[places[i]] <= reach(places[i])) lanes |= std::uint32_t{1} << (places[i] - group.first);
            if (component_[places[i]] != group.only) group.only = kNone;
        }
        if (lanes == 0) return false;
        group.start(leaves_.block(group.first), lanes, leaves_.m());
        std::fill_n(group.best, kBlock, Edge{});
        shrink(group);
        group.update();
        return true;
    }

    // Limits are those of the components, which other threads may have lowered.
    void shrink(Lookers& group) const {
        group.farthest = 0, group.last = 0;
        each_bit(group.lanes, [&](Index lane) {
            const Index p = group.first + lane;
            const Edge& best = group.best[lane];
            const T now = reach(p);
            const bool found = best.low != kNone && best.value <= now;
            group.limit[lane] = search_.limit(now, group, lane);
            group.farthest = std::max(group.farthest, now);
            group.last = std::max(group.last, found ? other(best, p) : std::numeric_limits<Id>::max());
        });
    }

    template <class Labels>
    void look(const Id* places, Index count, const Labels& labels, Lookers& group, Edge* found) {
        if (!gather(places, count, group)) return;
        leaves_.each_leaf(
            group,
            [&](Id node, double squared) {
                return (group.only != kNone && labels.few(node).is(group.only)) ||
                       (search_.lowest(node) > group.last && search_.none_nearer(squared, group.farthest));
            },
            [&](Id node, std::uint32_t near) {
                each_bit(near, [&](Index lane) { scan(group, lane, node); });
                shrink(group);
            });
        for (Index i = 0; i < count; ++i)
            if (const Index lane = places[i] - group.first; group.lanes >> lane & 1)
                keep(places[i], group.best[lane], found[i]);
    }

    // The end of an edge that is not at place p.
    Id other(const Edge& edge, Index p) const { return edge.low == leaves_.order()[p] ? edge.high : edge.low; }

    void scan(Lookers& group, Index lane, Id node) {
        const Id p = group.first + static_cast<Id>(lane);
        Edge& best = group.best[lane];
        const Id begin = leaves_.tree().nodes()[node].begin;
        double squared[kBlock];
        each_bit(leaves_.near_points(group, lane, node, group.limit[lane], squared), [&](Index i) {
            const Id q = begin + static_cast<Id>(i);
            if (component_[q] == component_[p]) return;
            const T length = search_.distance(search_.row(p), q, squared[i]);
            if (length <= best.value) best = std::min(best, Edge(length, leaves_.order()[p], leaves_.order()[q]));
        });
        lower_reach(p, best.value);
    }

    // Of all points outside, a search has seen those within the reach that its component has now.
    void keep(Id p, const Edge& best, Edge& found) {
        const T seen = reach(p);
        if (best.value > seen) {
            bound_[p] = std::max(bound_[p], std::nextafter(seen, kFar<T>));
            return;
        }
        found = best;
        bound_[p] = best.value;
        next_[p] = static_cast<std::uint8_t>(k_ - 1);
        nearest_[(p + 1) * k_ - 1] = leaves_.place(other(best, p));
        distances_[(p + 1) * k_ - 1] = best.value;
    }

    void join(Merges& merges) {
        for (const Id root : roots_) {
            const Edge& edge = shortest_[root];
            if (edge.low == kNone) continue;
            Id a = sets_.find(leaves_.place(edge.low)), b = sets_.find(leaves_.place(edge.high));
            if (a == b) continue;
            merges.push_back({edge.low, edge.high, static_cast<double>(edge.value)});
            if (size_[a] < size_[b]) std::swap(a, b);
            sets_.attach(b, a);
            size_[a] += size_[b];
            if (size_[a] > size_[largest_]) largest_ = a;
        }
        for (const Id root : roots_) now_[root] = sets_.find(root);
        parallel_ranges(n_, kGrain, threads_, [&](Index begin, Index end) {
            for (Index p = begin; p < end; ++p) component_[p] = now_[component_[p]];
        });
        std::erase_if(roots_, [&](Id root) { return now_[root] != root; });
    }

    // By length and points: shares at the same time, then merged.
    void sort(Merges& merges) const {
        const auto key = [](const Merge& merge) { return Edge(static_cast<T>(merge.height), merge.a, merge.b); };
        const auto before = [&](const Merge& a, const Merge& b) { return key(a) < key(b); };
        const Index count = n_ - 1;
        Index share = std::max(kGrain, (count + threads_ - 1) / threads_);
        const auto at = [&](Index i) { return merges.begin() + std::min(count, i); };
        parallel_tasks((count + share - 1) / share, threads_,
                       [&](Index i, int) { std::sort(at(i * share), at((i + 1) * share), before); });
        for (; share < count; share *= 2)
            parallel_tasks((count + 2 * share - 1) / (2 * share), threads_, [&](Index i, int) {
                std::inplace_merge(at(2 * i * share), at((2 * i + 1) * share), at(2 * (i + 1) * share), before);
            });
    }

    static constexpr Index kGrain = 1 << 14, kShare = 8;  // points a share; groups of queries a task
    static constexpr Id kLeaf = kBlock;

    const TreeSearch<T>& search_;
    const Leaves& leaves_;
    Index n_, k_;
    int threads_;
    std::vector<Id> nearest_;  // k of each point, places
    std::vector<T> distances_;
    std::vector<std::uint8_t> next_;  // how many of them are in the point's own component, from the nearest on
    std::vector<T> bound_;
    std::vector<Id> component_;    // of each point as of this round: its root, the place of one of its points
    std::vector<Id> roots_, now_;  // of the components; what a root has become part of
    UnionFind sets_;
    std::vector<Id> size_;               // by root
    std::vector<Edge> shortest_;         // by root
    std::vector<std::atomic<T>> reach_;  // by root: the length of the shortest edge found so far, while points look
    Id largest_ = 0;
};

}  // namespace chamfer
