// Exact Chamfer linkage in O(n k) memory: certified lists of nearest clusters.
//
// Invariant. Every point p keeps a list of (cluster, distance) and a bound r(p). For every active cluster C
// without p: if C is listed, the value is d(p, C); if not, d(p, C) >= r(p). Merging A and B keeps it: both
// listed, take the smaller; one listed, it is the smaller (the other is >= r(p) >= it); none listed, d(p, A +
// B) >= r(p).
//
// Bound. With S the points of C that list B, Ch(C, B) >= sum of d(p, B) over S + sum of r(p) over the rest
// = R(C) - gain(C, B), where R(C) sums r over C and the gain sums r(p) - d(p, B) over S. If S = C it is an
// equality: certified. So the B with the largest gain has the smallest bound, and if certified it is C's
// nearest neighbour.
//
// Loop. The cluster with the smallest bound is on top of a heap. Certified: merge, it is the global minimum.
// Not certified: stop and ask for the lists of the points that miss the candidate. For the capped linkage, in
// which a point counts at most r(p), every bound is the value itself and nothing is asked until no candidate
// is left.
//
// Cost. Merging renames the entries of the shorter of two columns (the points that list a cluster), and adds
// the smaller of two maps of gains and of two member lists to the larger: O(n k log n) in all, whatever the
// tree.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "heap.hpp"
#include "sums.hpp"
#include "types.hpp"

namespace chamfer {

struct ListsOptions {
    bool normalized;    // divide by the size of the cluster: Ch_N
    bool capped;        // a point counts at most its bound
    Index k;            // clusters asked for when a list is refreshed
    Index batch;        // points asked for at once, about
    Index finish_size;  // ask for all clusters of all points once they are at most this many in all
};

// Points whose lists are needed, with so many clusters each. No points: all merges are done.
struct Request {
    std::vector<Id> points;
    Index k = 0;
};

template <class T>
class Lists {
   public:
    Lists(Index n, ListsOptions options)
        : n_(n),
          options_(options),
          active_(n),
          entries_(n),
          bound_(n, T{0}),
          set_of_(n),
          cluster_of_(n),
          members_(n),
          columns_(n),
          gains_(n),
          total_(n),
          best_(n),
          ids_(n),
          heap_(n),
          marked_(n, false) {
        std::iota(set_of_.begin(), set_of_.end(), Id{0});
        std::iota(cluster_of_.begin(), cluster_of_.end(), Id{0});
        std::iota(ids_.begin(), ids_.end(), Id{0});
        for (Id p = 0; p < n; ++p) members_[p] = {p};
        for (Id p = 0; p < n; ++p) heap_.set(p, key(p));
        merges_.reserve(n - 1);
    }

    const Merges& merges() const { return merges_; }
    Id cluster(Id p) const { return cluster_of_[set_of_[p]]; }
    Index active() const { return active_; }

    // New lists for the given points: k clusters (or -1) and distances each, and the bound for all other
    // clusters.
    void refresh(const Id* points, Index count, Index k, const Id* clusters, const T* distances, const T* bounds) {
        std::vector<Id> touched;
        for (Index i = 0; i < count; ++i) {
            replace(points[i], k, clusters + i * k, distances + i * k, bounds[i]);
            mark(cluster(points[i]), touched);
        }
        for (const Id c : touched) {
            marked_[c] = false;
            find_best(c);
        }
    }

    // Merges as long as the lists tell what to merge.
    Request advance(const Tick& tick) {
        while (active_ > 1) {
            const Id a = heap_.top();
            if (!certified(a) && options_.capped) uncap();
            if (!certified(a)) return request();
            const Id b = best_[a].cluster;
            merges_.push_back({members_[a].front(), members_[b].front(), heap_.key(a).value});
            columns_[a].size() < columns_[b].size() ? merge(b, a) : merge(a, b);
            tick(static_cast<Index>(merges_.size()));
        }
        return {};
    }

   private:
    struct Entry {
        Id cluster;
        T distance;
    };
    struct Best {
        Id cluster = -1;
        Id count = 0;
        Sum gain;
    };
    // Smaller value, certified before not, smaller lower id, smaller higher id.
    struct Key {
        double value = 0;
        bool open = true;
        Id low = 0, high = 0;
        bool operator<(const Key& other) const {
            if (value != other.value) return value < other.value;
            if (open != other.open) return other.open;
            return std::pair(low, high) < std::pair(other.low, other.high);
        }
    };

    bool certified(Id c) const { return best_[c].cluster >= 0 && (options_.capped || best_[c].count == size(c)); }
    Id size(Id c) const { return static_cast<Id>(members_[c].size()); }

    Key key(Id c) const {
        const Best& best = best_[c];
        double value = total_[c].minus(best.gain);
        if (options_.normalized) value /= size(c);
        // With the cap, a cluster that nobody lists is no candidate at any height.
        if (options_.capped && best.cluster < 0) value = std::numeric_limits<double>::infinity();
        const Id other = best.cluster < 0 ? ids_[c] : ids_[best.cluster];
        return {value, !certified(c), std::min(ids_[c], other), std::max(ids_[c], other)};
    }

    bool better(const Best& one, const Best& two, Id c) const {
        if (one.gain.high != two.gain.high) return one.gain.high > two.gain.high;
        if (one.gain.low != two.gain.low) return one.gain.low > two.gain.low;
        const bool one_sure = one.count == size(c), two_sure = two.count == size(c);
        if (one_sure != two_sure) return one_sure;
        return two.cluster < 0 || ids_[one.cluster] < ids_[two.cluster];
    }

    void mark(Id c, std::vector<Id>& touched) {
        if (marked_[c]) return;
        marked_[c] = true;
        touched.push_back(c);
    }

    // A single point needs no map: its list says it all.
    void find_best(Id c) {
        Best best;
        const auto consider = [&](Id cluster, Id count, const Sum& gain) {
            const Best other{cluster, count, gain};
            if (best.cluster < 0 || better(other, best, c)) best = other;
        };
        if (size(c) == 1) {
            const Id p = members_[c].front();
            for (const Entry& entry : entries_[p]) consider(entry.cluster, 1, gain_of(p, entry));
        } else {
            gains_[c].each([&](const Gain& gain) { consider(gain.cluster, gain.count, gain.sum); });
        }
        best_[c] = best;
        heap_.set(c, key(c));
    }

    Sum gain_of(Id p, const Entry& entry) const {
        Sum gain;
        gain.add(static_cast<double>(bound_[p]));
        gain.add(-static_cast<double>(entry.distance));
        return gain;
    }

    void count_entry(Id c, Id p, const Entry& entry, int sign) {
        if (size(c) == 1 || entry.cluster == c) return;
        Gain& gain = gains_[c].at(entry.cluster);
        gain.sum.add(sign * static_cast<double>(bound_[p]));
        gain.sum.add(-sign * static_cast<double>(entry.distance));
        gain.count += sign;
        if (gain.count == 0) gains_[c].erase(entry.cluster);
    }

    void replace(Id p, Index k, const Id* clusters, const T* distances, T bound) {
        const Id c = cluster(p);
        std::vector<Entry>& list = entries_[p];
        for (const Entry& entry : list) count_entry(c, p, entry, -1);
        total_[c].add(-static_cast<double>(bound_[p]));
        bound_[p] = bound;
        total_[c].add(static_cast<double>(bound));
        // The columns of clusters no longer listed keep p; whoever reads a column looks into the list again.
        std::vector<Id> before;
        for (const Entry& entry : list) before.push_back(entry.cluster);
        std::sort(before.begin(), before.end());
        list.clear();
        list.reserve(k);
        for (Index i = 0; i < k; ++i) {
            if (clusters[i] < 0) continue;
            list.push_back({clusters[i], distances[i]});
            count_entry(c, p, list.back(), +1);
            if (!std::binary_search(before.begin(), before.end(), clusters[i])) columns_[clusters[i]].push_back(p);
        }
    }

    Entry* find_entry(Id p, Id c) {
        for (Entry& entry : entries_[p])
            if (entry.cluster == c) return &entry;
        return nullptr;
    }

    // b's column, the shorter one, is renamed to a; b is gone.
    void merge(Id a, Id b) {
        std::vector<Id> touched;
        for (const Id p : columns_[b])
            if (Entry* entry = find_entry(p, b)) rename(p, entry, a, b, touched);
        columns_[b] = {};
        join(a, b);
        ids_[a] = static_cast<Id>(n_ + merges_.size() - 1);
        --active_;
        heap_.remove(b);
        for (const Id c : touched) {
            marked_[c] = false;
            adopt(c, a, b);
        }
        find_best(a);
    }

    // p lists b, which is a from now on.
    void rename(Id p, Entry* entry, Id a, Id b, std::vector<Id>& touched) {
        const Id c = cluster(p);
        std::vector<Entry>& list = entries_[p];
        if (c == a || c == b) {  // p's own cluster now; its gains are dropped with those of the whole cluster
            *entry = list.back();
            list.pop_back();
            return;
        }
        mark(c, touched);
        count_entry(c, p, *entry, -1);
        if (Entry* same = find_entry(p, a)) {
            count_entry(c, p, *same, -1);
            same->distance = std::min(same->distance, entry->distance);
            count_entry(c, p, *same, +1);
            *entry = list.back();
            list.pop_back();
        } else {
            entry->cluster = a;
            columns_[a].push_back(p);
            count_entry(c, p, *entry, +1);
        }
    }

    // Members and gains of b go to a, the smaller into the larger; what a and b knew of each other is
    // dropped.
    void join(Id a, Id b) {
        for (const Id c : {a, b})
            if (size(c) == 1) list_gains(c);
        if (gains_[a].size() < gains_[b].size()) std::swap(gains_[a], gains_[b]);
        gains_[b].each([&](const Gain& gain) {
            Gain& sum = gains_[a].at(gain.cluster);
            sum.sum.add(gain.sum);
            sum.count += gain.count;
        });
        gains_[b] = {};
        gains_[a].erase(a);
        gains_[a].erase(b);
        total_[a].add(total_[b]);
        if (members_[a].size() < members_[b].size()) std::swap(members_[a], members_[b]);
        const Id set = set_of_[members_[a].front()];
        for (const Id p : members_[b]) set_of_[p] = set;
        members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
        members_[b] = {};
        cluster_of_[set] = a;
    }

    void list_gains(Id c) {
        const Id p = members_[c].front();
        for (const Entry& entry : entries_[p]) {
            Gain& gain = gains_[c].at(entry.cluster);
            gain.sum = gain_of(p, entry);
            gain.count = 1;
        }
    }

    // Nothing but the new cluster a can have come closer to c, and if b was its best, a is now.
    void adopt(Id c, Id a, Id b) {
        if (size(c) == 1) {
            find_best(c);
            return;
        }
        const Gain& gain = *gains_[c].find(a);
        const Best best{a, gain.count, gain.sum};
        if (best_[c].cluster == a || best_[c].cluster == b || better(best, best_[c], c)) best_[c] = best;
        heap_.set(c, key(c));
    }

    // No candidate is left: what remains is merged by plain Chamfer, for which the caps are bounds.
    void uncap() {
        options_.capped = false;
        for (Id p = 0; p < n_; ++p)
            if (members_[cluster(p)].front() == p) heap_.set(cluster(p), key(cluster(p)));
    }

    // Other clusters on p's list.
    Index known(Id p) const {
        return std::ranges::count_if(entries_[p], [&](const Entry& entry) { return entry.cluster != cluster(p); });
    }

    // The points of the cluster on top that miss its candidate, and those of the next clusters that are not
    // certified.
    Request request() {
        Request request;
        if (n_ * (active_ - 1) <= options_.finish_size) {
            request.k = active_ - 1;
            for (Id p = 0; p < n_; ++p)
                if (known(p) < active_ - 1) request.points.push_back(p);
            return request;
        }
        // Twice the clusters known so far; the cluster on top decides, and points that need more wait for their turn.
        const auto wanted = [&](Id p) { return std::max(options_.k, 2 * known(p)); };
        const Id top = heap_.top();
        Index visits = 4 * options_.batch;
        heap_.in_order([&](Id c) {
            if (!certified(c))
                for (const Id p : members_[c])
                    if (best_[c].cluster < 0 || !find_entry(p, best_[c].cluster)) {
                        if (c == top) request.k = std::max(request.k, wanted(p));
                        if (wanted(p) <= request.k) request.points.push_back(p);
                    }
            return static_cast<Index>(request.points.size()) < options_.batch && --visits > 0;
        });
        request.k = std::min(request.k, active_ - 1);
        return request;
    }

    Index n_;
    ListsOptions options_;
    Index active_;
    std::vector<std::vector<Entry>> entries_;  // by point; may still name the point's own cluster
    std::vector<T> bound_;                     // r(p)
    std::vector<Id> set_of_, cluster_of_;      // point -> member set -> cluster
    std::vector<std::vector<Id>> members_;     // by cluster
    std::vector<std::vector<Id>> columns_;     // by cluster: points that list it, and some that no longer do
    std::vector<Gains> gains_;                 // by cluster of two points and more
    std::vector<Sum> total_;                   // by cluster: R(C)
    std::vector<Best> best_;                   // by cluster: the largest gain
    std::vector<Id> ids_;                      // by cluster: SciPy's number
    Heap<Key> heap_;
    std::vector<bool> marked_;
    Merges merges_;
};

}  // namespace chamfer
