// Merges along the edges of a graph, in memory that is linear in them.
//
// Invariant. Every cluster C lists the clusters that it may merge with, and their values. Both know of each other. Of
// the two the younger one owns the pair: it keeps its pairs in a heap, and a heap of all clusters has the first of
// each. Entries of clusters that are gone stay until they are met: ids are never used again.
//
// A merge of A and B reads both lists, writes that of the union, which owns all its pairs, and adds the union to the
// lists of its neighbours. So nobody has to look for a lost neighbour. Values may fall, also those of reducible rules,
// since the union is adjacent to clusters that one of its halves was near to but not adjacent.
//
// Values<...> offer
//   between(p, q, i)         the value of two points, of which q is entry i of the graph
//   unite(a, b, value)       the union takes the slot a
//   value(a, x, to_a, to_b)  between that union and x, given the values of its halves: infinite if not listed
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../base/heap.hpp"
#include "../linkage/centres.hpp"
#include "../linkage/constraints.hpp"

namespace chamfer {

// By a rule, from the values of edges. Pairs that are not listed have the value `missing`, or, if that is not a number,
// do not count: a union takes the value of the half that has one.
template <Rule R>
class EdgeValues {
   public:
    EdgeValues(const double* values, double missing, const std::vector<double>& weights)
        : values_(values), missing_(missing), weights_(weights) {}

    double between(Id, Id, Index entry) const { return values_[entry]; }

    void unite(Id a, Id b, double between) {
        sizes_ = {weights_[a], weights_[b], 0};
        between_ = between;
        weights_[a] += weights_[b];
    }

    double value(Id, Id x, double to_a, double to_b) const {
        const bool both = to_a < kFar<double> && to_b < kFar<double>;
        if (!both && std::isnan(missing_)) return std::min(to_a, to_b);
        const auto known = [&](double value) { return value < kFar<double> ? value : missing_; };
        return R::update(known(to_a), known(to_b), between_, {sizes_.a, sizes_.b, weights_[x]});
    }

   private:
    const double* values_;
    double missing_;
    std::vector<double> weights_;
    Sizes sizes_{};
    double between_ = 0;
};

// By a rule that is told from centres.
template <CentreRule R>
class CentreValues {
   public:
    template <class T>
    CentreValues(const Points<T>& points, const std::vector<double>& weights) : centres_(points, weights) {}

    double between(Id p, Id q, Index) const { return centres_.value(p, q); }
    void unite(Id a, Id b, double) { centres_.unite(a, b); }
    double value(Id a, Id x, double, double) const { return centres_.value(a, x); }

   private:
    Centres<R> centres_;
};

// Single linkage, by J. B. Kruskal's algorithm: the shortest edge between two clusters is their value, so edges need no
// contraction. A pair that is not allowed never will be.
inline Merges spanning_edges(const double* values, const Constraints& constraints, const Tick& tick) {
    constexpr std::size_t kOften = 256;  // merges that take less time than to look at the clock for each
    const Index n = constraints.n();
    Merges edges, merges;
    edges.reserve(constraints.graph.items.size() / 2);
    for (Id p = 0; p < n; ++p)
        for (Index i = constraints.graph.firsts[p]; i < constraints.graph.firsts[p + 1]; ++i)
            if (const Id q = constraints.graph.items[i]; p < q) edges.push_back({p, q, values[i]});
    merges.reserve(n - 1);
    UnionFind sets(n);
    Limits limits(constraints);
    const auto unite = [&](const Merge& merge, bool forced) {
        Id a = sets.find(merge.a), b = sets.find(merge.b);
        if (a == b || !(forced || limits.allow(a, b))) return;
        if (limits.size(a) < limits.size(b)) std::swap(a, b);
        sets.attach(b, a);
        limits.unite(a, b);
        merges.push_back(merge);
        if (merges.size() % kOften == 0) tick(static_cast<Index>(merges.size()));
    };
    for (const Merge& merge : constraints.together) unite(merge, true);
    // Edges are in the order of their points, so a stable sort follows the tie rule.
    for (const Merge& merge : by_height(std::move(edges))) unite(merge, false);
    return merges;
}

template <class Values>
class Contraction {
   public:
    Contraction(Values& values, const Constraints& constraints)
        : values_(values),
          limits_(constraints),
          n_(constraints.n()),
          next_id_(static_cast<Id>(n_)),
          id_(n_),
          slot_(2 * n_ - 1, kNone),
          lists_(n_),
          owned_(n_),
          halves_(n_, kNone),
          heap_(n_) {
        for (Id p = 0; p < n_; ++p) id_[p] = slot_[p] = p;
        for (Id p = 0; p < n_; ++p)
            for (Index i = constraints.graph.firsts[p]; i < constraints.graph.firsts[p + 1]; ++i) {
                const Id q = constraints.graph.items[i];
                if (!limits_.allow(p, q)) continue;
                lists_[p].push_back({q, values_.between(p, q, i)});
                if (q < p) owned_[p].push_back(lists_[p].back());
            }
    }

    Merges run(const Merges& together, const Tick& tick) {
        Merges merges;
        merges.reserve(n_ - 1);
        UnionFind sets(n_);
        for (const Merge& merge : together) {
            Id a = sets.find(merge.a), b = sets.find(merge.b);
            if (lists_[a].size() < lists_[b].size()) std::swap(a, b);
            sets.attach(b, a);
            merges.push_back({a, b, merge.height});
            unite(a, b, 0);
            tick(static_cast<Index>(merges.size()));
        }
        for (Id c = 0; c < n_; ++c)
            if (slot_[id_[c]] == c) settle(c);
        while (!heap_.empty()) {
            const Id c = heap_.top(), other = slot_[owned_[c].front().cluster];
            if (other == kNone) {
                settle(c);
                continue;
            }
            const double value = heap_.key(c).value;
            const auto [a, b] = lists_[c].size() < lists_[other].size() ? std::pair(other, c) : std::pair(c, other);
            merges.push_back({a, b, value});
            unite(a, b, value);
            settle(a);
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    struct Entry {
        Id cluster;  // its id
        double value;
    };
    struct Half {
        Id slot;
        double to_a, to_b;
    };
    using Key = TieKey<double>;

    // The first pair of c that is not gone; without one, c is out of the heap.
    void settle(Id c) {
        auto& owned = owned_[c];
        const auto later = [](const Entry& x, const Entry& y) {
            return x.value != y.value ? x.value > y.value : x.cluster > y.cluster;
        };
        if (!heap_.has(c)) std::ranges::make_heap(owned, later);
        while (!owned.empty() && slot_[owned.front().cluster] == kNone) {
            std::ranges::pop_heap(owned, later);
            owned.pop_back();
        }
        if (owned.empty())
            heap_.remove(c);
        else
            heap_.set(c, {owned.front().value, owned.front().cluster, id_[c]});
    }

    // The union takes the slot of a, whose list should be the longer one.
    void unite(Id a, Id b, double between) {
        collect(a, b);
        values_.unite(a, b, between);
        limits_.unite(a, b);
        heap_.remove(a);
        heap_.remove(b);
        slot_[id_[a]] = slot_[id_[b]] = kNone;
        id_[a] = next_id_;
        slot_[next_id_++] = a;
        lists_[a].clear();
        std::vector<Entry>().swap(lists_[b]);
        std::vector<Entry>().swap(owned_[b]);
        for (const Half& half : found_) {
            halves_[half.slot] = kNone;
            if (limits_.allow(a, half.slot)) add(a, half.slot, values_.value(a, half.slot, half.to_a, half.to_b));
        }
        owned_[a] = lists_[a];
    }

    void add(Id a, Id x, double value) {
        if (!(value < kFar<double>)) return;
        lists_[a].push_back({id_[x], value});
        make_room(lists_[x]);
        lists_[x].push_back({id_[a], value});
    }

    // Room for one more entry, in the place of those that are gone if these are many.
    void make_room(std::vector<Entry>& list) {
        if (list.size() < list.capacity()) return;
        forget_gone(list);
        if (2 * list.size() > list.capacity()) list.reserve(2 * list.capacity());
    }

    void forget_gone(std::vector<Entry>& list) {
        std::erase_if(list, [&](const Entry& each) { return slot_[each.cluster] == kNone; });
    }

    // The neighbours of a and b, with the values that are known.
    void collect(Id a, Id b) {
        found_.clear();
        for (const Id c : {a, b})
            for (const Entry& each : lists_[c]) {
                const Id x = slot_[each.cluster];
                if (x == kNone || x == a || x == b) continue;
                if (halves_[x] == kNone) {
                    halves_[x] = static_cast<Id>(found_.size());
                    found_.push_back({x, kFar<double>, kFar<double>});
                }
                (c == a ? found_[halves_[x]].to_a : found_[halves_[x]].to_b) = each.value;
            }
    }

    Values& values_;
    Limits limits_;
    Index n_;
    Id next_id_;
    std::vector<Id> id_;                     // by slot
    std::vector<Id> slot_;                   // by id; kNone for those that are gone
    std::vector<std::vector<Entry>> lists_;  // by slot
    std::vector<std::vector<Entry>> owned_;  // by slot: pairs with older clusters, a heap once c is in heap_
    std::vector<Half> found_;
    std::vector<Id> halves_;  // by slot: the place in found_
    Heap<Key> heap_;
};

}  // namespace chamfer
