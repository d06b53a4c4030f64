// Chamfer linkage and its variants over all pairs, the paper's HAC-NN (Algorithms 1 and 2).
//
// Kept at all times, for every active cluster C:
//   nearest(C, p)  the distance from point p to C, as row C of the given square matrix
//   sums(C, X)     Ch(C, X) = sum over p in C of the distance from p to X; a single point needs no row, because
//                  Ch({p}, X) is nearest(X, p)
// A merge touches one row of each and one column of `sums`: O(n). Ch and Ch_N never come closer to anything but the
// new cluster, so a lost nearest neighbour is replaced by it; Ch_S and Ch_NS may have to look again.
#pragma once

#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels.hpp"
#include "parallel.hpp"
#include "types.hpp"

namespace chamfer {

struct Ch {
    static constexpr bool normalized = false, symmetric = false;
};
struct ChN {
    static constexpr bool normalized = true, symmetric = false;
};
struct ChS {
    static constexpr bool normalized = false, symmetric = true;
};
struct ChNS {
    static constexpr bool normalized = true, symmetric = true;
};

template <class T, class Variant>
class DenseChamfer {
   public:
    // `square` holds all distances, is changed, and must outlive this.
    DenseChamfer(T* square, Index n, int threads)
        : n_(n),
          threads_(threads),
          nearest_(square),
          sums_(std::make_unique_for_overwrite<double[]>(n * n)),
          active_(n),
          cluster_(n),
          ids_(n),
          sizes_(n, 1.0),
          neighbour_(n),
          value_(n),
          incoming_(n) {
        std::iota(active_.begin(), active_.end(), Id{0});
        std::iota(cluster_.begin(), cluster_.end(), Id{0});
        std::iota(ids_.begin(), ids_.end(), Id{0});
    }

    Merges run(const Tick& tick) {
        for (const Id c : active_) find_neighbour(c);
        Merges merges;
        merges.reserve(n_ - 1);
        while (active_.size() > 1) {
            const Id a = closest(), b = neighbour_[a];
            merges.push_back({a, b, value_[a]});
            merge(a, b, static_cast<Id>(n_ + merges.size() - 1));
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    bool single(Id c) const { return sizes_[c] == 1; }
    double sum(Id c, Id x) const { return single(c) ? static_cast<double>(nearest_[x * n_ + c]) : sums_[c * n_ + x]; }
    double weight(Id c) const { return Variant::normalized ? 1 / sizes_[c] : 1.0; }
    double linkage(Id c, Id x) const {
        if constexpr (Variant::symmetric) return weight(c) * sum(c, x) + weight(x) * sum(x, c);
        return weight(c) * sum(c, x);
    }

    // The tie rule: smaller value, then smaller lower id, then smaller higher id.
    bool before(double value, Id a, Id b, double other, Id c, Id d) const {
        if (value != other) return value < other;
        const auto one = std::minmax(ids_[a], ids_[b]), two = std::minmax(ids_[c], ids_[d]);
        return one < two;
    }

    void find_neighbour(Id c) {
        neighbour_[c] = -1;
        for (const Id x : active_) {
            if (x == c) continue;
            const double value = linkage(c, x);
            if (neighbour_[c] < 0 || before(value, c, x, value_[c], c, neighbour_[c])) {
                neighbour_[c] = x;
                value_[c] = value;
            }
        }
    }

    Id closest() const {
        Id best = active_[0];
        for (const Id c : active_)
            if (before(value_[c], c, neighbour_[c], value_[best], best, neighbour_[best])) best = c;
        return best;
    }

    // Cluster b joins cluster a, or a joins b; the union gets the identity `id`.
    void merge(Id a, Id b, Id id) {
        if (single(a)) std::swap(a, b);
        add_outgoing(a, b);
        sizes_[a] += sizes_[b];
        ids_[a] = id;
        for (Id& c : cluster_)
            if (c == b) c = a;
        active_.erase(std::lower_bound(active_.begin(), active_.end(), b));
        gather_incoming(a, b);
        find_neighbour_of_union(a);
        for (const Id c : active_)
            if (c != a) update_neighbour(c, a, b);
    }

    // Ch(A + B, X) = Ch(A, X) + Ch(B, X)
    void add_outgoing(Id a, Id b) {
        double* row = sums_.get() + a * n_;
        const double* other = sums_.get() + b * n_;
        if (!single(b))
            for (const Id x : active_) row[x] += other[x];
        else if (!single(a))
            for (const Id x : active_) row[x] += nearest_[x * n_ + b];
        else
            for (const Id x : active_)
                row[x] = static_cast<double>(nearest_[x * n_ + a]) + static_cast<double>(nearest_[x * n_ + b]);
    }

    // d(p, A + B) = min(d(p, A), d(p, B)), summed over the points of each cluster
    void gather_incoming(Id a, Id b) {
        T* row = nearest_ + a * n_;
        const T* other = nearest_ + b * n_;
        parallel_ranges(n_, 16384, threads_,
                        [&](Index begin, Index end) { take_minimum(row + begin, other + begin, end - begin); });
        for (const Id c : active_) incoming_[c] = 0;
        for (Index p = 0; p < n_; ++p) incoming_[cluster_[p]] += row[p];
        for (const Id c : active_)
            if (!single(c)) sums_[c * n_ + a] = incoming_[c];
    }

    double linkage_of_union(Id c, Id a) const {
        if constexpr (Variant::symmetric) return weight(c) * incoming_[c] + weight(a) * sums_[a * n_ + c];
        return weight(c) * incoming_[c];
    }

    void find_neighbour_of_union(Id a) {
        neighbour_[a] = -1;
        for (const Id x : active_) {
            if (x == a) continue;
            const double value =
                Variant::symmetric ? linkage_of_union(x, a) : weight(a) * sums_[a * n_ + x];
            if (neighbour_[a] < 0 || before(value, a, x, value_[a], a, neighbour_[a])) {
                neighbour_[a] = x;
                value_[a] = value;
            }
        }
    }

    void update_neighbour(Id c, Id a, Id b) {
        const double value = linkage_of_union(c, a);
        const bool lost = neighbour_[c] == a || neighbour_[c] == b;
        if (lost && Variant::symmetric && value > value_[c]) {
            find_neighbour(c);
        } else if (lost || value < value_[c]) {
            neighbour_[c] = a;
            value_[c] = value;
        }
    }

    Index n_;
    int threads_;
    T* nearest_;
    std::unique_ptr<double[]> sums_;  // untouched rows (single points) never become resident memory
    std::vector<Id> active_, cluster_, ids_;
    std::vector<double> sizes_;
    std::vector<Id> neighbour_;
    std::vector<double> value_, incoming_;
};

}  // namespace chamfer
