// Exact Chamfer linkage in O(n k) memory: certified lists of nearest clusters.
//
// Invariant. Every point p keeps a list of (cluster, distance) and a bound r(p). For every active cluster C
// without p: if C is listed, the value is d(p, C); if not, d(p, C) >= r(p). Merging A and B keeps it: both
// listed, take the smaller; one listed within r(p), it is the smaller (the other is >= r(p) >= it); none listed, or
// one beyond r(p), d(p, A + B) >= r(p), and it is not listed.
//
// Bound. With S the points of C that list B, Ch(C, B) >= sum of d(p, B) over S + sum of r(p) over the rest
// = R(C) - gain(C, B), where R(C) sums r over C and the gain sums r(p) - d(p, B) over S. If S = C it is an
// equality: certified. So the B with the largest gain (zero for clusters that no point of C lists) has the smallest
// bound, and if certified it is C's nearest neighbour. In a merge the gain of a union is, point by point, the larger
// of two, so nothing but the union can have come closer; and gains of C + D are sums, so that the largest of C and
// the largest of D bound them until somebody has to know.
//
// Loop. The cluster with the smallest bound is on top of a heap. Certified: merge, it is the global minimum.
// Not certified: if the candidate is small, compute the distances that are missing, which are listed beyond r(p);
// if both are large, ask for these distances; else ask for the lists of the points that miss the candidate. For the
// capped linkage, in which a point counts at most r(p), every bound is the value itself and nothing is asked until no
// candidate is left.
//
// Epsilon. The smallest bound is not above any value, so a certified pair within 1 + epsilon of it is within
// 1 + epsilon of the smallest value, and is merged before anything is computed or asked for. A second heap keeps the
// clusters by the value of their best certified pair.
//
// Cost. Merging renames the entries of the shorter of two columns (the points that list a cluster), and adds
// the smaller of two maps of gains and of two member lists to the larger: O(n k log n) in all, whatever the
// tree. Entries beyond r(p) are looked at in every merge of their cluster, but one of the two that a point has, or
// the only one, is dropped then.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "../base/heap.hpp"
#include "../base/sums.hpp"
#include "../base/threads.hpp"
#include "../distance/points.hpp"

namespace chamfer {

struct ListsOptions {
    bool normalized;  // divide by the size of the cluster: Ch_N
    bool capped;      // a point counts at most its bound
    Index k;          // clusters asked for when a list is refreshed, at least
    Index batch;      // points asked for at once, about
    Index near;       // points of candidates that a point is compared with before its list is refreshed
    Index pairs;      // distances between two clusters that are computed one by one, at most; more are searched for
    double epsilon;   // merges may exceed the smallest value by this part of it
    int threads;
};

// Points whose lists are needed, with so many clusters each; or, with a cluster, points of one cluster whose distances
// to that one are needed. No points: all merges are done.
struct Request {
    std::vector<Id> points;
    Index k = 0;
    Id cluster = kNone;
};

template <class T>
class Lists {
   public:
    // With `direct`, distances can be computed without asking for lists. `numbers` are those of the points in the tree,
    // which also decide ties.
    Lists(Index n, ListsOptions options, std::optional<Distances<T>> direct, std::vector<Id> numbers)
        : n_(n),
          options_(options),
          direct_(direct),
          numbers_(std::move(numbers)),
          active_(n),
          entries_(n),
          bound_(n, T{0}),
          set_of_(n),
          cluster_of_(n),
          members_(n),
          columns_(n),
          beyond_(n),
          spent_(n, 0),
          gains_(n),
          total_(n),
          best_(n),
          sure_(options.epsilon > 0 ? n : 0),
          ids_(numbers_),
          heap_(n),
          sure_heap_(options.epsilon > 0 ? n : 0),
          marked_(n, false) {
        std::iota(set_of_.begin(), set_of_.end(), Id{0});
        std::iota(cluster_of_.begin(), cluster_of_.end(), Id{0});
        for (Id p = 0; p < n; ++p) members_[p] = {p};
        for (Id p = 0; p < n; ++p) heap_.set(p, key(p));
        merges_.reserve(n - 1);
    }

    const Merges& merges() const { return merges_; }
    Id cluster(Id p) const { return cluster_of_[set_of_[p]]; }
    Index n() const { return n_; }
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
            spent_[c] = 0;
            find_best(c);
        }
    }

    // Distances from points of a cluster to the cluster b; infinite if the source does not know.
    void complete(const Id* points, Index count, Id b, const T* distances) {
        const Id c = cluster(points[0]);
        for (Index i = 0; i < count; ++i) {
            if (!(distances[i] < kFar<T>)) continue;
            add(points[i], {b, distances[i]});
            columns_[b].push_back(points[i]);
        }
        spent_[c] += size(b) + kEntry;
        find_best(c);
    }

    // Merges as long as the lists tell what to merge.
    Request advance(const Tick& tick) {
        while (active_ > 1) {
            const Id a = heap_.top();
            if (best_[a].stale) {
                find_best(a);
                continue;
            }
            const Pair pair = closest();
            if (pair.a < 0) {
                if (options_.capped)
                    uncap();
                else if (near(a))
                    certify(a);
                else
                    return narrow(a) ? request_distances(a) : request_lists();
            } else {
                merges_.push_back({number(pair.a), number(pair.b), pair.value});
                columns_[pair.a].size() < columns_[pair.b].size() ? merge(pair.b, pair.a) : merge(pair.a, pair.b);
            }
            tick(static_cast<Index>(merges_.size()));
        }
        return {};
    }

   private:
    static constexpr T kTaken = -1;
    static constexpr double kDigits = 0x1p-48;  // of 106 that a sum has, 58 are left to such a part of it
    static constexpr Index kShort = 32;         // clusters on a list that costs no more than a shorter one
    static constexpr Index kFew = 4096;         // distances too few to share among threads
    static constexpr Index kPart = 2;           // of the other points, a cluster may have half compared one by one
    static constexpr Index kEntry = 32;         // distances that take as long as an entry that keeps one

    struct Entry {
        Id cluster;
        T distance;
    };
    // The largest gain of a cluster; if stale, not below it.
    struct Best {
        Id cluster = -1;  // none: a cluster that no point lists
        Id count = 0;
        Sum gain;
        bool stale = false;
        bool tied = false;  // whether another one may have the same value
    };
    // To be merged, at the value of Ch(a, b).
    struct Pair {
        Id a = -1, b = -1;
        double value = 0;
    };
    // The tie rule, but of equal values those of certified pairs come first.
    struct Key {
        TieKey<double> pair{0.0};
        bool open = true;
        double value() const { return pair.value; }
        bool operator<(const Key& other) const {
            if (pair.value == other.pair.value && open != other.open) return other.open;
            return pair < other.pair;
        }
    };

    bool certified(Id c) const { return certified(c, best_[c]); }
    bool certified(Id c, const Best& best) const {
        return !best.stale && best.cluster >= 0 && (options_.capped || best.count == size(c));
    }
    Id size(Id c) const { return static_cast<Id>(members_[c].size()); }
    Id number(Id c) const { return numbers_[members_[c].front()]; }

    Key key(Id c) const { return key(c, best_[c]); }
    Key key(Id c, const Best& best) const {
        double value = value_of(c, best);
        // With the cap, a cluster that nobody lists is no candidate at any height.
        if (options_.capped && best.cluster < 0 && !best.stale) value = kFar<double>;
        const Id other = best.cluster < 0 ? ids_[c] : ids_[best.cluster];
        return {{value, ids_[c], other}, !certified(c, best)};
    }

    // Ch(C, B) or its bound, rounded once: equal values tie, in whatever order their terms were added.
    double value_of(Id c, const Best& best) const {
        double value = total_[c].minus(best.gain);
        if (wide_ && value < kDigits * total_[c].high) value = best.stale ? 0 : term_by_term(c, best.cluster);
        return options_.normalized ? value / size(c) : value;
    }

    // The same without the difference of two large sums, which leaves no digits of a small value.
    double term_by_term(Id c, Id b) const {
        Sum sum;
        for (const Id p : members_[c]) {
            const Entry* entry = find_entry(p, b);
            sum.add(static_cast<double>(entry ? entry->distance : bound_[p]));
        }
        return sum.high + sum.low;
    }

    // Whether values may be so small against sums of bounds: none is below the smallest distance, unless it is zero.
    void measure(T distance, T bound) {
        if (distance > 0) smallest_ = std::min(smallest_, static_cast<double>(distance));
        largest_ = std::max(largest_, static_cast<double>(bound));
        wide_ = smallest_ < kDigits * static_cast<double>(n_) * largest_;
    }

    // Takes the other one if its value is smaller or, of equal ones, if it comes first: certified, or of smaller id.
    void improve(Id c, Best& best, double& value, const Best& other) const {
        const double now = value_of(c, other);
        if (now > value) return;
        const bool tied = now == value, sure = other.count == size(c);
        bool first = sure;
        if (sure == (best.count == size(c))) first = best.cluster < 0 || ids_[other.cluster] < ids_[best.cluster];
        if (!tied || first) best = other;
        best.tied = tied;
        value = now;
    }

    void place(Id c) {
        heap_.set(c, key(c));
        if (options_.epsilon == 0) return;
        sure_[c].cluster < 0 ? sure_heap_.remove(c) : sure_heap_.set(c, key(c, sure_[c]));
    }

    // A certified pair of a value within the factor of all bounds; none if the lists do not tell.
    Pair closest() const {
        const Id top = heap_.top();
        if (certified(top)) return {top, best_[top].cluster, heap_.key(top).value()};
        if (options_.epsilon == 0 || sure_heap_.empty()) return {};
        const Id c = sure_heap_.top();
        const double value = sure_heap_.key(c).value();
        if (value > (1 + options_.epsilon) * heap_.key(top).value()) return {};
        return {c, sure_[c].cluster, value};
    }

    void mark(Id c, std::vector<Id>& touched) {
        if (marked_[c]) return;
        marked_[c] = true;
        touched.push_back(c);
    }

    // A single point needs no map: its list says it all.
    void find_best(Id c) {
        Best best, sure;
        // With the cap only listed clusters are candidates; else the rest are bounded by a gain of zero.
        double value = options_.capped ? kFar<double> : value_of(c, best), sure_value = kFar<double>;
        Index others = 0;
        const auto consider = [&](Id cluster, Id count, const Sum& gain) {
            const Best other{cluster, count, gain};
            improve(c, best, value, other);
            if (options_.epsilon > 0 && count == size(c)) improve(c, sure, sure_value, other);
            ++others;
        };
        const auto consider_all = [&] {
            if (size(c) == 1) {
                const Id p = members_[c].front();
                for (const Entry& entry : entries_[p])
                    if (entry.cluster != c) consider(entry.cluster, 1, gain_of(p, entry));
            } else {
                gains_[c].each([&](const Gain& gain) { consider(gain.cluster, gain.count, gain.sum); });
            }
        };
        consider_all();
        if (best.cluster < 0 && others == active_ - 1) {  // no cluster is unlisted
            value = kFar<double>;
            consider_all();
        }
        best_[c] = best;
        if (options_.epsilon > 0) sure_[c] = sure;
        place(c);
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
        std::vector<Entry> before = std::move(list);
        std::sort(before.begin(), before.end(), [](const Entry& a, const Entry& b) { return a.cluster < b.cluster; });
        list.clear();
        list.reserve(k);
        for (Index i = 0; i < k; ++i) {
            if (clusters[i] < 0) continue;
            add(p, {clusters[i], distances[i]});
            const auto same = std::ranges::lower_bound(before, clusters[i], {}, &Entry::cluster);
            if (same == before.end() || same->cluster != clusters[i])
                columns_[clusters[i]].push_back(p);
            else
                same->distance = kTaken;
        }
        // What is known beyond the new bound stays known.
        for (const Entry& entry : before)
            if (entry.cluster != c && entry.distance != kTaken) add(p, entry);
    }

    void add(Id p, const Entry& entry) {
        measure(entry.distance, bound_[p]);
        entries_[p].push_back(entry);
        count_entry(cluster(p), p, entry, +1);
        if (entry.distance > bound_[p]) beyond_[entry.cluster].push_back(p);
    }

    // p does not list this entry's cluster any more; its column keeps p, so whoever reads a column looks into the list.
    void drop(Id p, Entry* entry) {
        *entry = entries_[p].back();
        entries_[p].pop_back();
    }

    Entry* find_entry(Id p, Id c) { return const_cast<Entry*>(std::as_const(*this).find_entry(p, c)); }
    const Entry* find_entry(Id p, Id c) const {
        for (const Entry& entry : entries_[p])
            if (entry.cluster == c) return &entry;
        return nullptr;
    }

    // b's column, the shorter one, is renamed to a; b is gone.
    void merge(Id a, Id b) {
        std::vector<Id> touched;
        std::erase_if(beyond_[a], [&](Id p) { return forget(p, a, b, touched); });
        for (const Id p : columns_[b])
            if (Entry* entry = find_entry(p, b)) rename(p, entry, a, b, touched);
        columns_[b] = {};
        beyond_[b] = {};
        join(a, b);
        ids_[a] = static_cast<Id>(n_ + merges_.size() - 1);
        --active_;
        heap_.remove(b);
        if (options_.epsilon > 0) {
            sure_heap_.remove(b);
            sure_[a] = {};
        }
        for (const Id c : touched) {
            marked_[c] = false;
            adopt(c, a, b);
        }
        place(a);
    }

    // p's distance to a beyond its bound says nothing of a + b, unless p lists b too.
    bool forget(Id p, Id a, Id b, std::vector<Id>& touched) {
        const Id c = cluster(p);
        Entry* entry = find_entry(p, a);
        if (!entry || c == a || !(entry->distance > bound_[p])) return true;
        if (c == b || find_entry(p, b)) return false;
        mark(c, touched);
        count_entry(c, p, *entry, -1);
        drop(p, entry);
        return true;
    }

    // p lists b, which is a from now on.
    void rename(Id p, Entry* entry, Id a, Id b, std::vector<Id>& touched) {
        const Id c = cluster(p);
        if (c == a || c == b) {  // p's own cluster now; its gains are dropped with those of the whole cluster
            drop(p, entry);
            return;
        }
        mark(c, touched);
        count_entry(c, p, *entry, -1);
        if (Entry* same = find_entry(p, a)) {
            count_entry(c, p, *same, -1);
            same->distance = std::min(same->distance, entry->distance);
            count_entry(c, p, *same, +1);
            drop(p, entry);
        } else if (entry->distance > bound_[p]) {
            drop(p, entry);
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
        best_[a].gain.add(best_[b].gain);
        best_[a].stale = true;
        spent_[a] = 0;
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
        Best& best = best_[c];
        const Gain* gain = gains_[c].find(a);  // none if all that was known of a and b lay beyond bounds
        if (size(c) == 1 || (!gain && !best.stale)) {
            find_best(c);
            return;
        }
        const Best other = gain ? Best{a, gain->count, gain->sum} : Best{};
        double value = heap_.key(c).value();
        if (best.stale) {
            best.gain = std::max(best.gain, other.gain);
        } else if (best.cluster != a && best.cluster != b) {
            improve(c, best, value, other);
        } else if (best.tied && value_of(c, other) == value) {  // one of smaller id than a has now may be as near
            find_best(c);
            return;
        } else {
            best = other;
        }
        if (options_.epsilon > 0) {
            Best& sure = sure_[c];
            if (sure.cluster == a || sure.cluster == b) sure = {};
            double sure_value = sure.cluster < 0 ? kFar<double> : value_of(c, sure);
            if (certified(c, other)) improve(c, sure, sure_value, other);
        }
        place(c);
    }

    // No candidate is left: what remains is merged by plain Chamfer, for which the caps are bounds.
    void uncap() {
        options_.capped = false;
        for (Id p = 0; p < n_; ++p)
            if (members_[cluster(p)].front() == p) find_best(cluster(p));
    }

    // Whether comparing c with its candidate costs little against making lists anew.
    bool near(Id c) const {
        if (!direct_ || best_[c].cluster < 0) return false;
        const Index others = size(best_[c].cluster);
        return spent_[c] + others + kEntry <= options_.near && size(c) * others <= options_.pairs;
    }

    // Computes what the points of c miss of its candidate.
    void certify(Id c) {
        const Id b = best_[c].cluster;
        const std::vector<Id> missing = missing_of(c);
        std::vector<T> nearest(missing.size());
        parallel_ranges(static_cast<Index>(missing.size()), 1 + kFew / size(b), options_.threads,
                        [&](Index begin, Index end) {
                            for (Index i = begin; i < end; ++i) nearest[i] = nearest_of(missing[i], members_[b]);
                        });
        complete(missing.data(), static_cast<Index>(missing.size()), b, nearest.data());
    }

    // The points of c that do not list its candidate.
    std::vector<Id> missing_of(Id c) const {
        std::vector<Id> missing;
        for (const Id p : members_[c])
            if (best_[c].cluster < 0 || !find_entry(p, best_[c].cluster)) missing.push_back(p);
        return missing;
    }

    // Whether searching the candidate of c alone costs little against making lists anew, which search all clusters.
    bool narrow(Id c) const {
        if (!direct_ || best_[c].cluster < 0) return false;
        const Index others = size(best_[c].cluster);
        return size(c) * others > options_.pairs && kPart * (spent_[c] + others) <= n_ - size(c);
    }

    Request request_distances(Id c) const { return {missing_of(c), 1, best_[c].cluster}; }

    T nearest_of(Id p, const std::vector<Id>& others) const {
        const T* x = direct_->points.row(p);
        T nearest = kFar<T>;
        double reach = kFar<double>;
        for (const Id q : others) {
            if (direct_->beyond(x, direct_->points.row(q), reach)) continue;
            const T found = (*direct_)(p, q);
            if (!(found < nearest)) continue;
            nearest = found;
            reach = squared_reach(direct_->metric, nearest);
        }
        return nearest;
    }

    // Other clusters on p's list within its bound.
    Index known(Id p) const {
        return std::ranges::count_if(entries_[p], [&](const Entry& entry) {
            return entry.cluster != cluster(p) && !(entry.distance > bound_[p]);
        });
    }

    // The points of the cluster on top that miss its candidate, and those of the next clusters that are not
    // certified. Twice the clusters known so far: the points of the cluster on top that know least decide, and those
    // that need more wait for their turn.
    Request request_lists() {
        Request request;
        const auto each_missing = [&](Id c, auto&& visit) {
            for (const Id p : missing_of(c)) visit(p, std::max(options_.k, 2 * known(p)));
        };
        Index least = std::numeric_limits<Index>::max(), most = 0;
        each_missing(heap_.top(), [&](Id, Index k) {
            least = std::min(least, k);
            most = std::max(most, k);
        });
        request.k = std::max(least, std::min(most, kShort));
        Index visits = 4 * options_.batch;
        heap_.in_order([&](Id c) {
            if (!best_[c].stale && !certified(c) && !near(c))
                each_missing(c, [&](Id p, Index k) {
                    if (k <= request.k) request.points.push_back(p);
                });
            return static_cast<Index>(request.points.size()) < options_.batch && --visits > 0;
        });
        request.k = std::min(request.k, active_ - 1);
        return request;
    }

    Index n_;
    ListsOptions options_;
    std::optional<Distances<T>> direct_;
    std::vector<Id> numbers_;  // by point
    Index active_;
    std::vector<std::vector<Entry>> entries_;  // by point; may still name the point's own cluster
    std::vector<T> bound_;                     // r(p)
    std::vector<Id> set_of_, cluster_of_;      // point -> member set -> cluster
    std::vector<std::vector<Id>> members_;     // by cluster
    std::vector<std::vector<Id>> columns_;     // by cluster: points that list it, and some that no longer do
    std::vector<std::vector<Id>> beyond_;      // by cluster: points that list it beyond their bound, and some others
    std::vector<Index> spent_;                 // by cluster: points that each of its points was compared with
    std::vector<Gains> gains_;                 // by cluster of two points and more
    std::vector<Sum> total_;                   // by cluster: R(C)
    std::vector<Best> best_;                   // by cluster: the largest gain
    std::vector<Best> sure_;                   // by cluster, with epsilon: the largest that is certified, if known
    std::vector<Id> ids_;                      // by cluster: SciPy's number
    Heap<Key> heap_;                           // clusters by their bounds
    Heap<Key> sure_heap_;                      // those with something sure by its value
    std::vector<bool> marked_;
    double smallest_ = kFar<double>, largest_ = 0;  // distance but zero, and bound, so far
    bool wide_ = false;
    Merges merges_;
};

}  // namespace chamfer
