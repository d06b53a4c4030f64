// Linkages that are told from centres, exactly, in O(n (d + k)) memory.
//
// Invariant. Every cluster C keeps a short list of clusters with lower bounds of their values, and a bound r(C). Every
// other cluster is on the list, or its value to C is at least r(C). So the smallest number on the list, or r(C) if that
// is smaller, is a lower bound of all values of C. A heap keeps the clusters by it.
//
// Loop. The smallest number of the cluster on top is made exact. If it stays on top it is a global minimum: merge. If
// r(C) is what is smallest, C needs a new list, and gets it from one search together with the next ones in the heap.
//
// Reducible rules (a merge brings nobody closer): a bound for A is one for whatever A has become part of. The value
// between C and a union follows from those of its halves by Lance-Williams, which is monotone, so two lists make a list
// of the union and two bounds a bound: for reducible rules it does not fall when C grows, so C counts as one point.
// Other rules: a union may be closer to anybody than its halves were. It is compared with all by lower bounds, and goes
// on the lists of those that it may be near.
#pragma once

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "../base/heap.hpp"
#include "../base/union_find.hpp"
#include "../linkage/centres.hpp"
#include "../search/top_k.hpp"

namespace chamfer {

template <CentreRule R, class Search>
class CentreLists {
   public:
    template <class T>
    CentreLists(Centres<R>& centres, Search& search, const FirstLists<T>& first, int threads)
        : centres_(centres),
          search_(search),
          k_(first.k),
          threads_(threads),
          left_(centres.n()),
          lists_(left_),
          bound_(left_),
          id_(left_),
          slot_(2 * left_ - 1),
          union_of_(2 * left_ - 1),
          heap_(left_) {
        std::iota(id_.begin(), id_.end(), Id{0});
        std::iota(slot_.begin(), slot_.end(), Id{0});
        for (Id c = 0; c < left_; ++c) start(c, first);
    }

    Merges run(const Tick& tick) {
        for (Id c = 0; c < static_cast<Id>(lists_.size()); ++c) heap_.set(c, settle(c));
        Merges merges;
        merges.reserve(left_ - 1);
        while (left_ > 1) {
            const Id c = heap_.top();
            const Key before = heap_.key(c), now = settle(c);
            if (now != before) {
                heap_.set(c, now);
            } else if (!known(now)) {
                refresh([&](Index) { tick(static_cast<Index>(merges.size())); });
            } else {
                const Id other = slot_[id_[c] == now.low ? now.high : now.low];
                // Rounding must not make heights fall that cannot.
                const bool falls = R::reducible && !merges.empty() && now.value < merges.back().height;
                merges.push_back({c, other, falls ? merges.back().height : now.value});
                merge(c, other, now.value);
                tick(static_cast<Index>(merges.size()));
            }
        }
        return merges;
    }

   private:
    struct Entry {
        Id cluster;  // as it was named when it was listed
        double value;
        bool exact;
    };

    // The first list of a point holds squared distances. These are the values if points weigh one; more weight brings
    // nobody closer.
    template <class T>
    void start(Id c, const FirstLists<T>& first) {
        constexpr double epsilon = std::numeric_limits<T>::epsilon();
        const bool exact = sizeof(T) == 8 && centres_.alike();
        const double down = exact ? 1 : 1 - (centres_.alike() ? 2 : 4) * epsilon;
        const auto least = [&](T squared, double size) {
            const double value = down * static_cast<double>(squared);
            return centres_.alike() ? value : between<R>(value, centres_.size(c), size);
        };
        for (Index i = c * k_; i < (c + 1) * k_; ++i)
            lists_[c].push_back({first.points[i], least(first.distances[i], centres_.size(first.points[i])), exact});
        bound_[c] = k_ == left_ - 1 ? kFar<double> : least(first.bounds[c], 1);
    }

    // A lower bound of all values of a cluster; the value to a known cluster, or not.
    using Key = TieKey<double>;
    static bool known(const Key& key) { return key.low != kNone; }

    // Makes the smallest entry of c exact, and gives the key of c.
    Key settle(Id c) {
        std::vector<Entry>& list = lists_[c];
        for (;;) {
            const auto best = std::min_element(list.begin(), list.end(), [](const Entry& x, const Entry& y) {
                return x.value != y.value ? x.value < y.value : x.cluster < y.cluster;
            });
            if (best == list.end() || best->value > bound_[c]) return Key(bound_[c]);
            const Id now = union_of_.find(best->cluster);
            if (now == best->cluster && best->exact) return {best->value, now, id_[c]};
            const bool again = std::any_of(list.begin(), list.end(),
                                           [&](const Entry& each) { return each.cluster == now && each.exact; });
            if (now == id_[c] || again || (!R::reducible && now != best->cluster)) {
                *best = list.back();
                list.pop_back();
            } else {
                *best = {now, centres_.value(c, slot_[now]), true};
            }
        }
    }

    // New lists for the cluster on top of the heap and the next ones that need them.
    void refresh(const Tick& tick) {
        const std::size_t most = std::clamp<Index>(left_ / kShare, kLeast, kMost);
        std::vector<Id> seen, queries;
        while (!heap_.empty() && queries.size() < most && seen.size() < 4 * most) {
            const Id c = heap_.top();
            heap_.remove(c);
            seen.push_back(c);
            if (!known(settle(c))) queries.push_back(c);
        }
        find_nearest(queries, tick);
        for (const Id c : seen) heap_.set(c, settle(c));
    }

    void find_nearest(const std::vector<Id>& queries, const Tick& tick) {
        std::vector<Id> clusters(queries.size() * k_);
        std::vector<double> values(queries.size() * k_), reach(queries.size(), kFar<double>);
        const Answers<double> answers{clusters.data(), values.data(), nullptr, k_};
        std::vector<Nearest<double>> nearest;
        for (std::size_t i = 0; i < queries.size(); ++i) {
            nearest.push_back(answers.row(i));
            reach[i] = known_reach(queries[i]);
        }
        search_.each_near(
            queries, threads_, tick, [&](Index i) { return std::min(reach[i], nearest[i].reach()); },
            [&](Index i, Id x) { nearest[i].offer(id_[x], centres_.value(queries[i], x), true); });
        for (std::size_t i = 0; i < queries.size(); ++i) replace(queries[i], answers, i, nearest[i]);
    }

    void replace(Id c, const Answers<double>& answers, Index row, const Nearest<double>& nearest) {
        bound_[c] = nearest.reach();
        lists_[c].clear();
        for (Index i = row * k_; i < row * k_ + nearest.count(); ++i)
            lists_[c].push_back({answers.clusters[i], answers.distances[i], true});
    }

    // The k-th smallest of the values that c knows exactly: no need to look farther.
    double known_reach(Id c) {
        std::vector<double> values;
        for (const Entry& each : lists_[c])
            if (each.exact && union_of_.is_root(each.cluster)) values.push_back(each.value);
        if (static_cast<Index>(values.size()) < k_) return kFar<double>;
        std::nth_element(values.begin(), values.begin() + k_ - 1, values.end());
        return values[k_ - 1];
    }

    // The union takes the place of a.
    void merge(Id a, Id b, double between) {
        const Id id = static_cast<Id>(2 * lists_.size() - left_);
        if constexpr (R::reducible) unite_lists(a, b, between);
        centres_.unite(a, b);
        union_of_.attach(id_[a], id);
        union_of_.attach(id_[b], id);
        id_[a] = id;
        slot_[id] = a;
        --left_;
        std::vector<Entry>().swap(lists_[b]);
        heap_.remove(b);
        search_.remove(b);
        search_.changed(a);
        if constexpr (!R::reducible) compare_with_all(a);
        heap_.set(a, settle(a));
    }

    void unite_lists(Id a, Id b, double between) {
        struct Half {
            Id cluster;
            bool of_b;
            double value;
        };
        std::vector<Half> halves;
        for (const Id c : {a, b})
            for (const Entry& each : lists_[c])
                if (const Id now = union_of_.find(each.cluster); now != id_[a] && now != id_[b])
                    halves.push_back({now, c == b, each.value});
        std::sort(halves.begin(), halves.end(), [](const Half& x, const Half& y) {
            return std::tie(x.cluster, x.of_b, x.value) < std::tie(y.cluster, y.of_b, y.value);
        });
        const double size_a = centres_.size(a), size_b = centres_.size(b);
        std::vector<Entry> list;
        for (std::size_t i = 0; i < halves.size();) {
            const Id cluster = halves[i].cluster;
            double to_a = bound_[a], to_b = bound_[b];
            for (bool first = true; i < halves.size() && halves[i].cluster == cluster; ++i, first = false)
                if (first || halves[i].of_b != halves[i - 1].of_b) (halves[i].of_b ? to_b : to_a) = halves[i].value;
            const Sizes sizes{size_a, size_b, centres_.size(slot_[cluster])};
            list.push_back({cluster, R::update(to_a, to_b, between, sizes), false});
        }
        bound_[a] = R::update(bound_[a], bound_[b], between, {size_a, size_b, 1});
        lists_[a] = std::move(list);
        shorten(a);
    }

    void compare_with_all(Id a) {
        std::vector<Id> clusters(k_);
        std::vector<double> values(k_);
        const Answers<double> answers{clusters.data(), values.data(), nullptr, k_};
        Nearest<double> nearest = answers.row(0);
        search_.lower_bounds(a, threads_, [&](Id x, double value) {
            if (value < nearest.reach()) nearest.offer(id_[x], centres_.value(a, x), true);
            if (value >= bound_[x]) return;
            lists_[x].push_back({id_[a], value, false});
            if (value < heap_.key(x).value) heap_.set(x, Key(value));
            shorten(x);
        });
        replace(a, answers, 0, nearest);
    }

    // At most 2 k entries: what is dropped lowers the bound.
    void shorten(Id c) {
        std::vector<Entry>& list = lists_[c];
        if (static_cast<Index>(list.size()) <= 2 * k_) return;
        if (!R::reducible) std::erase_if(list, [&](const Entry& each) { return !union_of_.is_root(each.cluster); });
        if (static_cast<Index>(list.size()) <= 2 * k_) return;
        std::nth_element(list.begin(), list.begin() + k_, list.end(),
                         [](const Entry& x, const Entry& y) { return x.value < y.value; });
        bound_[c] = std::min(bound_[c], list[k_].value);
        list.resize(k_);
    }

    static constexpr Index kShare = 8, kLeast = 64, kMost = 4096;  // of the clusters that get new lists at a time

    Centres<R>& centres_;
    Search& search_;
    Index k_;
    int threads_;
    Index left_;
    std::vector<std::vector<Entry>> lists_;  // by slot
    std::vector<double> bound_;
    std::vector<Id> id_;    // by slot
    std::vector<Id> slot_;  // by id
    UnionFind union_of_;    // by id: the cluster that one is now part of
    Heap<Key> heap_;
};

}  // namespace chamfer
