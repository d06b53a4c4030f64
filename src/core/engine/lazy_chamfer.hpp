// Ch and Ch_S over all pairs, from the distances from points to clusters alone.
//
// A cluster has the slot of one of its points. Kept at all times, for every active cluster C:
//   nearest(C)[p]  the distance from point p to C: row C of the given square matrix
// A merge takes the smaller of two rows. A value adds up some of these numbers,
//   Ch_S(A, B) = sum over a of nearest(B)[a] + sum over b of nearest(A)[b],   |A| + |B| terms,
//   Ch             the smaller of the two sums,                               at least min(|A|, |B|) terms,
// so it is at least the number of terms times the smallest of them. A cluster C looks for its nearest one by these
// bounds and computes few values. Bounds are kept, in a row that the second point of C has no more use for:
//   bounds(C)[p]   terms * nearest(C)[p], for every point p of a cluster B that C has not been compared with
//   bounds(C)[b]   of the others, at the slot of B only: what is known of the value of C and B
//
// One side of a pair is enough: a cluster looks at older ones. They do not change until they are gone, and there will
// be no more of them. So the bounds stay, and so does the smallest value when its cluster is gone, as a bound: C does
// not look again before that is the smallest of all.
//
// Ch_S grows with both sizes, so small clusters merge first and sizes differ little. All values of a cluster take
// O(n) steps then. (The normalized variants merge single points into large clusters: they keep sums, see
// dense_chamfer.hpp.) For Ch this is not proven, and distances that are equal have equal bounds, which tell nothing: so
// steps are counted, and sums are taken if they are too many.
#pragma once

#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "../base/threads.hpp"
#include "../base/tournament.hpp"
#include "../kernels/kernels.hpp"
#include "../linkage/chamfer.hpp"

namespace chamfer {

template <class T, class Variant>
class LazyChamfer {
   public:
    // `square` holds all distances, is changed, and must outlive this.
    LazyChamfer(T* square, Index n, int threads)
        : n_(n),
          threads_(threads),
          nearest_(square),
          order_(n),
          neighbour_(n, kNone),
          ids_(n),
          groups_(n),
          slot_(n),
          age_(n),
          size_(n, 1),
          minima_((n + kPart - 1) / kPart) {
        for (auto* each : {&ids_, &slot_, &age_}) std::iota(each->begin(), each->end(), Id{0});
    }

    // Nothing if bounds tell too little, and looking takes too long.
    std::optional<Merges> run(const Tick& tick) {
        find_first_neighbours(tick);
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const Id a = closest();
            if (a == kNone) return std::nullopt;
            const Id b = neighbour_[a];
            merges.push_back({a, b, order_.key(a).value});
            merge(a, b, static_cast<Id>(n_ + merges.size() - 1));
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    static constexpr double kPair = Variant::symmetric ? 2 : 1;  // the value of two points, in distances
    static constexpr Index kShare = 4096;                        // points worth a thread
    static constexpr double kSlack = 1 - 0x1p-20;                // bounds and sums are rounded
    // Looking may take so many steps, for each n^2. Up to four are usual; with all distances equal there are hundreds.
    static constexpr Index kSteps = 8;
    static constexpr Index kMiss = 4, kAtOnce = 8;  // steps of a cache miss, and values that take one together
    static constexpr int kFirst = 4;                // parts of a row with the smallest bounds, looked at first

    // The nearest of the older clusters, as far as they have been looked at.
    struct Found {
        TieKey<double> key;
        Id slot = kNone;
        bool may_be_beaten(double bound) const { return bound * kSlack <= key.value; }
    };

    T* nearest(Id c) const { return nearest_ + c * n_; }
    T* bounds(Id c) const { return nearest(members(c)[size_[c] > 1]); }
    std::span<const Id> members(Id c) const {
        return groups_[c].empty() ? std::span(&slot_[c], 1) : std::span(groups_[c]);
    }
    Index parts() const { return static_cast<Index>(minima_.size()); }

    // Single points first: a row of distances each.
    void find_first_neighbours(const Tick& tick) {
        const Index batch = 1 + kBatch / n_;
        for (Index first = 0; first < n_; first += batch) {
            parallel_tasks(std::min(batch, n_ - first), n_ < kAlone ? 1 : threads_, [&](Index task, int) {
                if (const Index p = first + task; p > 0) neighbour_[p] = static_cast<Id>(argmin(nearest(p), p));
            });
            tick(0);
        }
        for (Id p = 1; p < n_; ++p)
            order_.set(p, {kPair * static_cast<double>(nearest(p)[neighbour_[p]]), neighbour_[p], p});
    }

    // The cluster with the smallest value, by the tie rule; kNone if that takes too long.
    Id closest() {
        while (steps_ < kSteps * n_ * n_) {
            const Id c = order_.top();
            if (c == kNone || order_.key(c).value == kFar<double>)
                throw std::domain_error("distances that are not finite");
            if (ids_[neighbour_[c]] == order_.key(c).low) return c;
            find_minima(c);
            look(c);
        }
        return kNone;
    }

    // The smaller cluster joins the larger one's slot, a; the union gets the identity `id`.
    void merge(Id a, Id b, Id id) {
        if (size_[a] < size_[b]) std::swap(a, b);
        order_.remove(b);
        ids_[a] = id;
        ids_[b] = kNone;
        const T size = size_[a] + size_[b];
        std::vector<Id>& points = groups_[a];
        if (points.empty()) points.push_back(a);
        for (const Id p : members(b)) points.push_back(p), slot_[p] = a;
        for (const Id p : points) age_[p] = id, size_[p] = size;
        groups_[b] = {};
        unite(a, b);
        look(a);
    }

    // The rows of a after it has got the points of b, and minima of bounds. The row of b may become that of the bounds.
    void unite(Id a, Id b) {
        T *row = nearest(a), *other = nearest(b), *bound = bounds(a);
        parallel_ranges(parts(), kShare / kPart, threads_, [&](Index first, Index last) {
            const Index begin = first * kPart, count = std::min(n_, last * kPart) - begin;
            kernels<T>().lower(other + begin, count, row + begin);
            kernels<T>().bound_values[Variant::symmetric](row + begin, size_.data() + begin, size_[a], count,
                                                          bound + begin);
            kernels<T>().older_minima(bound + begin, age_.data() + begin, ids_[a], count, &minima_[first]);
        });
    }

    // Minima of the bounds for older clusters, in each part of the row.
    void find_minima(Id c) {
        steps_ += n_ / kAtOnce;
        parallel_ranges(parts(), kShare / kPart, threads_, [&](Index first, Index last) {
            const Index begin = first * kPart, count = std::min(n_, last * kPart) - begin;
            kernels<T>().older_minima(bounds(c) + begin, age_.data() + begin, ids_[c], count, &minima_[first]);
        });
    }

    // The nearest of the older clusters, given the minima. What comes first makes it unlikely for others.
    void look(Id c) {
        Found found;
        for (int i = 0; i < kFirst; ++i) look_at(c, argmin(minima_.data(), parts()), found);
        for (Index part = 0; part < parts(); ++part) look_at(c, part, found);
        neighbour_[c] = found.slot;
        if (found.slot == kNone)
            order_.remove(c);
        else
            order_.set(c, found.key);
    }

    void look_at(Id c, Index part, Found& found) {
        const bool alone = size_[c] == 1;  // and so are all that are older: bounds are distances
        const double unit = alone ? kPair : 1;
        if (minima_[part] == kFar<T> || !found.may_be_beaten(unit * static_cast<double>(minima_[part]))) return;
        minima_[part] = kFar<T>;
        steps_ += kPart;
        const T* bound = bounds(c);
        // No value is below zero: equal points, of which there may be many, are compared by their identities alone.
        const auto than = [&] { return found.key.value > 0 ? ids_[c] : found.key.low; };
        for (Index p = part * kPart; p < std::min(n_, (part + 1) * kPart); ++p) {
            if (age_[p] >= than() || !found.may_be_beaten(unit * static_cast<double>(bound[p]))) continue;
            const Id x = slot_[p];
            const double here = alone ? unit * static_cast<double>(bound[p]) : value(c, x, found);
            if (const TieKey<double> key{here, ids_[x], ids_[c]}; key < found.key) found = {key, x};
        }
    }

    // The value of C and X, or a bound above what has been found. From C to X there is a cache miss for each point of
    // C, so the other direction decides whether that is worth it.
    double value(Id c, Id x, const Found& found) {
        const T* to_c = nearest(c);
        T *bound = bounds(c), least = kFar<T>;
        steps_ += static_cast<Index>(size_[x]);
        double from_x = 0;
        for (const Id p : members(x)) {
            from_x += static_cast<double>(to_c[p]);
            least = std::min(least, to_c[p]);
            bound[p] = kFar<T>;
        }
        const double from_c = static_cast<double>(size_[c]) * static_cast<double>(least);
        double here = both(from_x, from_c);
        if (may_differ(from_x, from_c) && found.may_be_beaten(here)) here = both(from_x, sum(c, x));
        bound[x] = static_cast<T>(std::min(here, static_cast<double>(std::numeric_limits<T>::max())));
        return here;
    }

    static double both(double one, double other) { return Variant::symmetric ? one + other : std::min(one, other); }
    // Whether the value may be another one than by a bound for Ch(C, X) instead of the sum.
    static bool may_differ(double from_x, double from_c) { return Variant::symmetric || from_c * kSlack <= from_x; }

    // Ch(C, X)
    double sum(Id c, Id x) {
        steps_ += kMiss * static_cast<Index>(size_[c]);
        const T* to_x = nearest(x);
        double sum = 0;
        for (const Id p : members(c)) sum += static_cast<double>(to_x[p]);
        return sum;
    }

    Index n_;
    int threads_;
    T* nearest_;
    Tournament<TieKey<double>> order_;  // of clusters that have an older one, by the nearest, or a lower bound
    std::vector<Id> neighbour_;         // slot of the nearest, unless its identity is another by now
    std::vector<Id> ids_;               // of the clusters, in the order of their making; kNone for slots that are gone
    std::vector<std::vector<Id>> groups_;  // points of a cluster of two and more, that of the slot first
    std::vector<Id> slot_, age_;           // of the clusters of points: where they are, and their identities
    std::vector<T> size_;                  // of the clusters of points
    std::vector<T> minima_;
    Index steps_ = 0;  // of looking
};

}  // namespace chamfer
