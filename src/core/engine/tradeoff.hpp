// Chamfer linkage in less memory for more time, the paper's section 5. What the dense engine keeps for every cluster
// is kept for large ones only, of at least t points, of which there are at most n / t. For a small cluster it is
// computed from the points whenever it is needed, O(n) distances for each of fewer than t points. O(n^2 / t) memory and
// O(n^2 t) distances.
//
// A cluster has the slot of one of its points. Kept at all times, for every cluster C its points, its nearest neighbour
// and the value to that; and for large C
//   to[p]    the distance from point p to C
//   from[x]  Ch(C, X) for every other cluster X, by slot
// Ch and Ch_N never come closer to anything but the new cluster, so a lost nearest neighbour is replaced by it
// (Observation 2). The symmetric variants have no such neighbour: they do not compile. Terms of a sum are multiplied by
// the weights of their points.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "../base/threads.hpp"
#include "../distance/points.hpp"
#include "../linkage/chamfer.hpp"
#include "../linkage/weights.hpp"

namespace chamfer {

template <class T, class Variant>
    requires(!Variant::symmetric)
class Tradeoff {
   public:
    // `nearest` and `distances`: the nearest other point of every point.
    Tradeoff(Distances<T> distance, Index t, const Id* nearest, const T* distances, const Weights& weights, int threads)
        : distance_(distance),
          n_(distance.points.n),
          t_(t),
          threads_(threads),
          neighbour_(nearest, nearest + n_),
          value_(distances, distances + n_),
          weight_(or_ones(weights, n_)),
          mass_(weight_),
          slot_(n_),
          id_(n_),
          active_(n_),
          members_(n_),
          kept_(n_),
          place_(n_, kNone),
          block_(kTogether * n_),
          least_(n_, kFar<T>),
          in_(n_) {
        std::iota(slot_.begin(), slot_.end(), Id{0});
        id_ = active_ = slot_;
        for (Id p = 0; p < n_; ++p) {
            members_[p] = {p};
            if (!Variant::normalized) value_[p] *= weight_[p];
        }
    }

    Merges run(const Tick& tick) {
        if (t_ == 1) keep_all(tick);
        Merges merges;
        merges.reserve(n_ - 1);
        while (active_.size() > 1) {
            const Id a = closest(), b = neighbour_[a];
            merges.push_back({a, b, value_[a]});
            const Index done = static_cast<Index>(merges.size());
            merge(a, b, static_cast<Id>(n_ + done - 1), tick, done);
            tick(done);
        }
        return merges;
    }

   private:
    static constexpr Index kTogether = 64;  // points whose distances are computed together

    struct Rows {
        std::vector<T> to;
        std::vector<double> from;
    };

    Index size(Id c) const { return static_cast<Index>(members_[c].size()); }
    double scale(Id c) const { return Variant::normalized ? 1 / mass_[c] : 1; }
    TieKey<double> key(double value, Id c, Id x) const { return {value, id_[c], id_[x]}; }
    TieKey<double> key(Id c) const { return key(value_[c], c, neighbour_[c]); }

    void keep_all(const Tick& tick) {
        for (Id p = 0; p < n_; ++p) {
            if (place_[p] == kNone) {
                forget();
                for (Id q = p; q < std::min<Index>(n_, p + kTogether); ++q) want(q, 0);
                fetch_wanted();
                tick(0);
            }
            kept_[p] = compute(p, tick, 0);
        }
    }

    Id closest() const {
        Id best = active_.front();
        for (const Id c : active_)
            if (value_[c] < value_[best] || (value_[c] == value_[best] && key(c) < key(best))) best = c;
        return best;
    }

    void merge(Id a, Id b, Id id, const Tick& tick, Index done) {
        if (size(a) < size(b)) std::swap(a, b);
        Rows rows = take(a, tick, done), other = take(b, tick, done);
        kernels<T>().lower(other.to.data(), n_, rows.to.data());
        for (const Id x : active_) rows.from[x] += other.from[x];
        spare_.push_back(std::move(other));
        join(a, b, id);
        update_neighbours(a, b, rows.to);
        choose_neighbour(a, rows.from);
        (size(a) >= t_ ? kept_[a] : spare_.emplace_back()) = std::move(rows);
    }

    Rows take(Id c, const Tick& tick, Index done) {
        return kept_[c].to.empty() ? compute(c, tick, done) : std::exchange(kept_[c], {});
    }

    // The rows of a cluster from its points.
    Rows compute(Id c, const Tick& tick, Index done) {
        Rows rows;
        if (!spare_.empty()) {
            rows = std::move(spare_.back());
            spare_.pop_back();
        }
        rows.to.assign(n_, kFar<T>);
        rows.from.assign(n_, 0.0);
        for (Index i = 0; i < size(c); ++i) {
            if (place_[members_[c][i]] == kNone) {
                fetch(c, i);
                tick(done);
            }
            add(members_[c][i], rows);
        }
        return rows;
    }

    // Distances from points of c, from the i-th on, and from those of the clusters that may merge next: many rows at a
    // time, or memory would be slower than the processor.
    void fetch(Id c, Index i) {
        forget();
        want(c, i);
        std::vector<Id> next = active_;
        const auto end = next.begin() + std::min<std::ptrdiff_t>(kTogether, next.size());
        std::partial_sort(next.begin(), end, next.end(), [&](Id x, Id y) { return value_[x] < value_[y]; });
        for (auto x = next.begin(); x != end; ++x) {
            want(*x, 0);
            if (neighbour_[*x] != kNone) want(neighbour_[*x], 0);
        }
        fetch_wanted();
    }

    void forget() {
        for (const Id p : fetched_) place_[p] = kNone;
        fetched_.clear();
    }

    void fetch_wanted() {
        constexpr Index kPart = 64;  // points that stay in the cache for all rows
        const Index n = n_, count = static_cast<Index>(fetched_.size());
        parallel_tasks((n + kPart - 1) / kPart, count * n * distance_.points.d < (1 << 18) ? 1 : threads_,
                       [&](Index part, int) {
                           for (Index row = 0; row < count; ++row)
                               for (Index q = part * kPart; q < std::min(n, (part + 1) * kPart); ++q)
                                   block_[row * n + q] = distance_(fetched_[row], q);
                       });
    }

    void want(Id c, Index i) {
        if (!kept_[c].to.empty()) return;
        for (; i < size(c) && static_cast<Index>(fetched_.size()) < kTogether; ++i)
            if (const Id p = members_[c][i]; place_[p] == kNone) {
                place_[p] = static_cast<Id>(fetched_.size());
                fetched_.push_back(p);
            }
    }

    // What a point of a cluster adds to its rows; its distances to all points are in the block.
    void add(Id p, Rows& rows) {
        const T* row = &block_[place_[p] * n_];
        kernels<T>().lower(row, n_, rows.to.data());
        for (Index q = 0; q < n_; ++q) least_[slot_[q]] = std::min(least_[slot_[q]], row[q]);
        for (const Id x : active_) rows.from[x] += weight_[p] * static_cast<double>(std::exchange(least_[x], kFar<T>));
    }

    void join(Id a, Id b, Id id) {
        for (const Id p : members_[b]) slot_[p] = a;
        members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
        std::vector<Id>().swap(members_[b]);
        id_[a] = id;
        mass_[a] += mass_[b];
        value_[b] = kFar<double>;
        active_.erase(std::lower_bound(active_.begin(), active_.end(), b));
    }

    // Everything compares its nearest neighbour with the union of a and b, in the slot of a.
    void update_neighbours(Id a, Id b, const std::vector<T>& to) {
        for (const Id x : active_) in_[x] = 0;
        for (Index p = 0; p < n_; ++p) in_[slot_[p]] += weight_[p] * static_cast<double>(to[p]);
        for (const Id x : active_) {
            if (x == a) continue;
            if (!kept_[x].from.empty()) kept_[x].from[a] = in_[x];
            const double value = scale(x) * in_[x];
            if (value < value_[x] || neighbour_[x] == a || neighbour_[x] == b) {
                neighbour_[x] = a;
                value_[x] = value;
            }
        }
    }

    void choose_neighbour(Id a, const std::vector<double>& from) {
        Id best = a;
        for (const Id x : active_)
            if (x != a && (best == a || key(from[x], a, x) < key(from[best], a, best))) best = x;
        neighbour_[a] = best;
        value_[a] = best == a ? kFar<double> : scale(a) * from[best];
    }

    Distances<T> distance_;
    Index n_, t_;
    int threads_;
    std::vector<Id> neighbour_;
    std::vector<double> value_;             // linkage value to the neighbour
    Weights weight_, mass_;                 // by point, by slot
    std::vector<Id> slot_;                  // by point
    std::vector<Id> id_;                    // of the clusters, in the order of their making
    std::vector<Id> active_;                // slots, ascending
    std::vector<std::vector<Id>> members_;  // by slot
    std::vector<Rows> kept_, spare_;        // by slot, empty for small clusters; rows to use again
    std::vector<Id> fetched_, place_;       // points whose distances are in block_, and in which row
    std::vector<T> block_;
    std::vector<T> least_;  // distances from one point to clusters, infinite when not in use
    std::vector<double> in_;
};

}  // namespace chamfer
