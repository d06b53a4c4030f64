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
// Weights. A point of weight w stands for w points at its place: its term is in every sum w times. Who lists whom,
// and how many points are certified, is the same.
//
// Loop. The cluster with the smallest bound is on top. Certified: merge, it is the global minimum.
// Not certified: if the candidate is small, compute the distances that are missing, which are listed beyond r(p);
// if both are large, ask for these distances; else ask for the lists of the points that miss the candidate. For the
// capped linkage, in which a point counts at most r(p), every bound is the value itself and nothing is asked until no
// candidate is left.
//
// Epsilon. The smallest bound is not above any value, so a certified pair within 1 + epsilon of it is within
// 1 + epsilon of the smallest value, and is merged before anything is computed or asked for. A second order keeps the
// clusters by the value of their best certified pair.
//
// Cost. Merging renames the entries of the shorter of two columns (the points that list a cluster), and adds
// the smaller of two maps of gains and of two sets of members to the larger: O(n k log n) in all, whatever the
// tree. Entries beyond r(p) are looked at in every merge of their cluster, but one of the two that a point has, or
// the only one, is dropped then. Merges jump about in space, so nearly all of the time goes into waiting for memory:
// what a merge is going to touch is small and is fetched ahead.
//
// Who lists whom is in engine/entries.hpp, what follows from it for clusters in engine/candidates.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "../base/threads.hpp"
#include "../distance/points.hpp"
#include "candidates.hpp"

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

template <class T, bool weighted>
class Lists {
   public:
    // With `direct`, distances can be computed without asking for lists. `numbers` are those of the points in the tree,
    // which also decide ties.
    Lists(Index n, ListsOptions options, std::optional<Distances<T>> direct, std::vector<Id> numbers, Weights weights)
        : n_(n),
          options_(options),
          direct_(direct),
          numbers_(std::move(numbers)),
          clusters_(n, options.normalized, options.capped, options.epsilon, numbers_, std::move(weights)),
          spent_(options.capped ? 0 : n, 0),
          marked_(n, false) {
        merges_.reserve(n - 1);
    }
    Lists(const Lists&) = delete;

    const Merges& merges() const { return merges_; }
    Id cluster(Id p) const { return clusters_.cluster(p); }
    Index n() const { return n_; }
    Index active() const { return clusters_.active(); }

    // The first lists: for each point k clusters (or -1) and distances, and the bound for all other clusters. The two
    // arrays belong to the engine from now on.
    void start(Index k, Id* clusters, T* distances, const T* bounds) {
        entries().start(k, clusters, distances, bounds);
        clusters_.start();
    }

    // New lists for the given points.
    void refresh(const Id* points, Index count, Index k, const Id* clusters, const T* distances, const T* bounds) {
        touched_.clear();
        for (Index i = 0; i < count; ++i) {
            replace(points[i], k, clusters + i * k, distances + i * k, bounds[i]);
            mark(cluster(points[i]));
        }
        for (const Id c : touched_) {
            marked_[c] = false;
            spent_[c] = 0;
            clusters_.find_best(c);
        }
    }

    // Distances from points of a cluster to the cluster b; infinite if the source does not know.
    void complete(const Id* points, Index count, Id b, const T* distances) {
        const Id c = cluster(points[0]);
        for (Index i = 0; i < count; ++i) {
            if (!(distances[i] < kFar<T>)) continue;
            add(points[i], b, distances[i]);
            entries().add_to_column(b, points[i]);
        }
        spent_[c] += size(b) + kEntry;
        clusters_.find_best(c);
    }

    // Merges as long as the lists tell what to merge.
    Request advance(const Tick& tick) {
        while (active() > 1) {
            const Id top = clusters_.top();
            if (best(top).stale) {
                clusters_.find_best(top);
                continue;
            }
            const Pair pair = clusters_.closest();
            if (pair.a >= 0) {
                merges_.push_back({numbers_[pair.a], numbers_[pair.b], pair.value});
                entries().column(pair.a) < entries().column(pair.b) ? merge(pair.b, pair.a) : merge(pair.a, pair.b);
            } else if (clusters_.capped()) {
                uncap();
            } else if (near(top)) {
                certify(top);
            } else {
                return narrow(top) ? request_distances(top) : request_lists();
            }
            tick(static_cast<Index>(merges_.size()));
        }
        return {};
    }

   private:
    static constexpr T kTaken = -1;
    static constexpr Index kShort = 32;  // clusters on a list that costs no more than a shorter one
    static constexpr Index kFew = 4096;  // distances too few to share among threads
    static constexpr Index kPart = 2;    // of the other points, a cluster may have half compared one by one
    static constexpr Id kEntry = 32;     // distances that take as long as an entry that keeps one

    struct Entry {
        Id cluster;
        T distance;
    };

    Entries<T>& entries() { return clusters_.entries; }
    const Entries<T>& entries() const { return clusters_.entries; }
    Id size(Id c) const { return clusters_.size(c); }
    const Best& best(Id c) const { return clusters_.best(c); }

    void mark(Id c) {
        if (marked_[c]) return;
        marked_[c] = true;
        touched_.push_back(c);
    }

    void replace(Id p, Index k, const Id* clusters, const T* distances, T bound) {
        const Id c = cluster(p), count = entries().size(p);
        std::vector<Entry> before(count);
        for (Id i = 0; i < count; ++i) {
            before[i] = {entries().clusters(p)[i], entries().distances(p)[i]};
            clusters_.count(c, p, i, -1);
        }
        clusters_.set_bound(p, bound);
        std::sort(before.begin(), before.end(), [](const Entry& a, const Entry& b) { return a.cluster < b.cluster; });
        entries().clear(p, static_cast<Id>(k));
        for (Index i = 0; i < k; ++i) {
            if (clusters[i] < 0) continue;
            add(p, clusters[i], distances[i]);
            const auto same = std::ranges::lower_bound(before, clusters[i], {}, &Entry::cluster);
            if (same == before.end() || same->cluster != clusters[i])
                entries().add_to_column(clusters[i], p);
            else
                same->distance = kTaken;
        }
        // What is known beyond the new bound stays known.
        for (const Entry& entry : before)
            if (entry.cluster != c && entry.distance != kTaken) add(p, entry.cluster, entry.distance);
    }

    void add(Id p, Id other, T distance) {
        entries().push(p, other, distance);
        clusters_.count(cluster(p), p, entries().size(p) - 1, +1);
    }

    // b's column, the shorter one, is renamed to a; b is gone.
    void merge(Id a, Id b) {
        touched_.clear();
        entries().take_beyond(a, points_);
        for (const Id p : points_)
            if (!forget(p, a, b)) entries().add_beyond(a, p);
        entries().take_beyond(b, points_);
        entries().take_column(b, points_);
        fetch();
        for (const Id p : points_)
            if (const Id place = entries().find(p, b); place >= 0) rename(p, place, a, b);
        clusters_.join(a, b, static_cast<Id>(n_ + merges_.size() - 1));
        if (!spent_.empty()) spent_[a] = 0;
        for (const Id c : touched_) {
            marked_[c] = false;
            clusters_.adopt(c, a, b);
        }
        clusters_.place(a);
    }

    // Asks for the memory of all points of a column at once, instead of waiting for one after the other.
    void fetch() const {
        for (const Id p : points_) entries().prefetch(p);
        for (const Id p : points_) clusters_.prefetch(cluster(p));
    }

    // p's distance to a beyond its bound says nothing of a + b, unless p lists b too.
    bool forget(Id p, Id a, Id b) {
        const Id c = cluster(p), place = entries().find(p, a);
        if (place < 0 || c == a || !entries().is_beyond(p, place)) return true;
        if (c == b || entries().find(p, b) >= 0) return false;
        mark(c);
        clusters_.count(c, p, place, -1);
        entries().drop(p, place);
        return true;
    }

    // p lists b, at this place, which is a from now on.
    void rename(Id p, Id place, Id a, Id b) {
        const Id c = cluster(p);
        if (c == a || c == b) {  // p's own cluster now; its gains are dropped with those of the whole cluster
            entries().drop(p, place);
            return;
        }
        mark(c);
        clusters_.count(c, p, place, -1);
        if (const Id same = entries().find(p, a); same >= 0) {
            clusters_.count(c, p, same, -1);
            T* distances = entries().distances(p);
            distances[same] = std::min(distances[same], distances[place]);
            clusters_.count(c, p, same, +1);
            entries().drop(p, place);
        } else if (entries().is_beyond(p, place)) {
            entries().drop(p, place);
        } else {
            entries().clusters(p)[place] = a;
            entries().add_to_column(a, p);
            clusters_.count(c, p, place, +1);
        }
    }

    // No candidate is left: what remains is merged by plain Chamfer, for which the caps are bounds.
    void uncap() {
        spent_.assign(n_, 0);
        clusters_.uncap();
    }

    // Whether comparing c with its candidate costs little against making lists anew.
    bool near(Id c) const {
        if (!direct_ || best(c).cluster < 0) return false;
        const Index others = size(best(c).cluster);
        return spent_[c] + others + kEntry <= options_.near && size(c) * others <= options_.pairs;
    }

    // Computes what the points of c miss of its candidate.
    void certify(Id c) {
        const Id b = best(c).cluster;
        const std::vector<Id> missing = missing_of(c);
        std::vector<Id> others;
        clusters_.each_member(b, [&](Id q) { others.push_back(q); });
        std::vector<T> nearest(missing.size());
        parallel_ranges(static_cast<Index>(missing.size()), 1 + kFew / size(b), options_.threads,
                        [&](Index begin, Index end) {
                            for (Index i = begin; i < end; ++i) nearest[i] = nearest_of(missing[i], others);
                        });
        complete(missing.data(), static_cast<Index>(missing.size()), b, nearest.data());
    }

    // The points of c that do not list its candidate.
    std::vector<Id> missing_of(Id c) const {
        std::vector<Id> missing;
        clusters_.each_member(c, [&](Id p) {
            if (best(c).cluster < 0 || entries().find(p, best(c).cluster) < 0) missing.push_back(p);
        });
        return missing;
    }

    // Whether searching the candidate of c alone costs little against making lists anew, which search all clusters.
    bool narrow(Id c) const {
        if (!direct_ || best(c).cluster < 0) return false;
        const Index others = size(best(c).cluster);
        return size(c) * others > options_.pairs && kPart * (spent_[c] + others) <= n_ - size(c);
    }

    Request request_distances(Id c) const { return {missing_of(c), 1, best(c).cluster}; }

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
        Index count = 0;
        for (Id i = 0; i < entries().size(p); ++i)
            count += entries().clusters(p)[i] != cluster(p) && !entries().is_beyond(p, i);
        return count;
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
        each_missing(clusters_.top(), [&](Id, Index k) {
            least = std::min(least, k);
            most = std::max(most, k);
        });
        request.k = std::max(least, std::min(most, kShort));
        Index visits = 4 * options_.batch;
        clusters_.in_order([&](Id c) {
            if (!best(c).stale && !clusters_.certified(c) && !near(c))
                each_missing(c, [&](Id p, Index k) {
                    if (k <= request.k) request.points.push_back(p);
                });
            return static_cast<Index>(request.points.size()) < options_.batch && --visits > 0;
        });
        request.k = std::min(request.k, active() - 1);
        return request;
    }

    Index n_;
    ListsOptions options_;
    std::optional<Distances<T>> direct_;
    std::vector<Id> numbers_;  // by point
    Candidates<T, weighted> clusters_;
    std::vector<Id> spent_;     // by cluster: points that each of its points was compared with; none with the cap
    std::vector<bool> marked_;  // by cluster: whether it is touched
    std::vector<Id> touched_;   // clusters with points that list what a merge has changed
    std::vector<Id> points_;    // of a column
    Merges merges_;
};

}  // namespace chamfer
