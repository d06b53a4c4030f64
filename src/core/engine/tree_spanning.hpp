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
          nearest_(std::make_unique_for_overwrite<Id[]>(n_ * k_)),
          distances_(std::make_unique_for_overwrite<T[]>(n_ * k_)),
          next_(n_, 0),
          bound_(n_),
          component_(n_),
          roots_(n_),
          now_(n_),
          sets_(n_),
          size_(n_, 1),
          first_(n_),
          shortest_(n_),
          reach_(n_) {
        std::iota(component_.begin(), component_.end(), Id{0});
        roots_ = component_;
    }

    // Edges by length and points.
    Merges run(const Tick& tick) {
        first_lists(tick);
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const auto progress = [&](Index) { tick(static_cast<Index>(merges.size())); };
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

    void first_lists(const Tick& tick) {
        std::vector<Leaves::Query> all(n_);
        for (Id place = 0; place < n_; ++place) all[place] = {place, place};
        search_.each_list(
            all, k_, threads_, [&](Index) { tick(0); },
            [&](Index place, const Id* places, const T* distances, Index) {
                std::copy_n(places, k_, nearest_.get() + place * k_);
                std::copy_n(distances, k_, distances_.get() + place * k_);
                bound_[place] = distances[k_ - 1];
            });
    }

    Edge edge(Index p) const {
        const Index at = p * k_ + next_[p];
        return {distances_[at], leaves_.order()[p], leaves_.order()[nearest_[at]]};
    }

    bool shorter(Index p, Index q) const {
        const T a = distances_[p * k_ + next_[p]], b = distances_[q * k_ + next_[q]];
        return a != b ? a < b : edge(p) < edge(q);
    }

    // The shortest edges of all components but the largest that lists know. What is in the component of a point will
    // always be, and leaves its list.
    void find_listed() {
        const Index roots = static_cast<Index>(roots_.size());
        const auto each_root = [&](auto&& body) {
            parallel_ranges(roots, kGrain, threads_, [&](Index begin, Index end) {
                for (Index i = begin; i < end; ++i) body(roots_[i]);
            });
        };
        each_root([&](Id root) { first_[root].store(kNone, std::memory_order_relaxed); });
        parallel_ranges(n_, kGrain, threads_, [&](Index begin, Index end) {
            for (Index p = begin; p < end; ++p) {
                if (component_[p] == largest_) continue;
                std::uint8_t& next = next_[p];
                while (next < k_ && component_[nearest_[p * k_ + next]] == component_[p]) ++next;
                if (next < k_) offer(static_cast<Id>(p), first_[component_[p]]);
            }
        });
        each_root([&](Id root) {
            const Id p = first_[root].load(std::memory_order_relaxed);
            shortest_[root] = p == kNone ? Edge{} : edge(p);
        });
    }

    // Whoever reads a point reads how much of its list is used up.
    void offer(Id p, std::atomic<Id>& best) const {
        for (Id now = best.load(std::memory_order_acquire); now == kNone || shorter(p, now);)
            if (best.compare_exchange_weak(now, p, std::memory_order_acq_rel, std::memory_order_acquire)) return;
    }

    // Places of points that may have a shorter edge than their component knows.
    std::vector<Id> used_up() const {
        const Index shares = std::clamp<Index>(n_ / kGrain, 1, threads_);
        std::vector<std::vector<Id>> found(shares);
        parallel_tasks(shares, threads_, [&](Index i, int) {
            for (Index p = n_ * i / shares; p < n_ * (i + 1) / shares; ++p)
                if (component_[p] != largest_ && next_[p] == k_ && bound_[p] <= shortest_[component_[p]].value)
                    found[i].push_back(static_cast<Id>(p));
        });
        for (Index i = 1; i < shares; ++i) found[0].insert(found[0].end(), found[i].begin(), found[i].end());
        return std::move(found[0]);
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
        Id only;            // their component; none if there are several
        Edge best[kBlock];  // what each has found
        T farthest;         // nothing farther is of use to any of them,
        Id last;            // and at this distance nothing with a higher number
    };

    // Some used-up points of a leaf, if any of them still has to look.
    bool gather(const Id* places, Index count, Lookers& group) {
        const Id first = places[0] / kLeaf * kLeaf;
        std::uint32_t lanes = 0;
        group.only = component_[places[0]];
        for (Index i = 0; i < count; ++i) {
            if (bound_[places[i]] <= reach(places[i])) lanes |= std::uint32_t{1} << (places[i] - first);
            if (component_[places[i]] != group.only) group.only = kNone;
        }
        lanes &= ~rest_copies(first, lanes);
        if (lanes == 0) return false;
        group.start(leaves_.block(first), first, lanes, leaves_.m());
        std::fill_n(group.best, kBlock, Edge{});
        shrink(group);
        group.update();
        return true;
    }

    // Of copies of a point in one component, the edge of the one with the lowest number comes first. The others never
    // have to look again: there may be far more copies than a list has entries.
    std::uint32_t rest_copies(Id first, std::uint32_t lanes) {
        const double* block = leaves_.block(first);
        std::uint32_t idle = 0;
        if (!search_.own()) return idle;
        each_bit(lanes, [&](Index a) {
            if (distances_[(first + a) * k_] > 0 || (idle >> a & 1) != 0) return;
            each_bit(lanes & ~first_bits(a + 1) & ~idle, [&](Index b) {
                if ((idle >> a & 1) != 0 || component_[first + a] != component_[first + b]) return;
                for (Index k = 0; k < leaves_.m(); ++k)
                    if (block[k * kBlock + a] != block[k * kBlock + b]) return;
                idle |= std::uint32_t{1} << (leaves_.order()[first + a] < leaves_.order()[first + b] ? b : a);
            });
        });
        each_bit(idle, [&](Index lane) { bound_[first + lane] = kFar<T>; });
        return idle;
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
        const auto before = [](const Merge& a, const Merge& b) {
            return a.height != b.height ? a.height < b.height : a.a != b.a ? a.a < b.a : a.b < b.b;
        };
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
    std::unique_ptr<Id[]> nearest_;  // k of each point, places
    std::unique_ptr<T[]> distances_;
    std::vector<std::uint8_t> next_;  // how many of them are in the point's own component, from the nearest on
    std::vector<T> bound_;
    std::vector<Id> component_;    // of each point as of this round: its root, the place of one of its points
    std::vector<Id> roots_, now_;  // of the components; what a root has become part of
    UnionFind sets_;
    std::vector<Id> size_;                // by root
    std::vector<std::atomic<Id>> first_;  // by root: the point with the shortest edge on a list
    std::vector<Edge> shortest_;          // by root
    std::vector<std::atomic<T>> reach_;   // by root: the length of the shortest edge found so far, while points look
    Id largest_ = 0;
};

}  // namespace chamfer
