// Chamfer linkage and its variants over all pairs, the paper's HAC-NN (Algorithms 1 and 2).
//
// A cluster has the slot of one of its points. Kept at all times, for every active cluster C:
//   nearest(C)[p]  the distance from point p to C, row C of the given square matrix
//   sums(C)[X]     Ch(C, X), the sum over p in C of the distance from p to X, for every active X
// A group (two points and more) has a row of sums. A single point p needs none: Ch({p}, X) is nearest(X)[p],
// and by symmetry nearest(p)[q] for a single X = {q}. So a merge is a few passes over contiguous rows, and
// only the values between groups are read and written down a column. O(n) a merge.
//
// Ch and Ch_N never come closer to anything but the new cluster, so a lost nearest neighbour is replaced by
// it (the paper's Observation 2); Ch_S and Ch_NS may have to look again.
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
          members_(n),
          ids_(n),
          neighbour_(n, kNone),
          value_(n, kGone),
          scale_(n, 1.0),
          penalty_(n, 0.0),
          scan_(n) {
        std::iota(ids_.begin(), ids_.end(), Id{0});
        for (Id p = 0; p < n; ++p) members_[p] = {p};
    }

    Merges run(const Tick& tick) {
        for (Id p = 0; p < n_; ++p) {
            find_neighbour(p);
            tick(0);
        }
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const Id a = closest(), b = neighbour_[a];
            merges.push_back({a, b, value_[a]});
            merge(a, b, static_cast<Id>(n_ + merges.size() - 1));
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    static constexpr double kGone = std::numeric_limits<double>::infinity();
    static constexpr Id kNone = -1;
    static constexpr Index kGrain = 8192;

    T* nearest(Id c) const { return nearest_ + c * n_; }
    double* sums(Id c) const { return sums_.get() + c * n_; }
    bool single(Id c) const { return members_[c].size() == 1; }

    // scan_[x] = linkage value between c and x for every other active x, infinite elsewhere.
    void scan(Id c) {
        const T* to_c = nearest(c);
        const double* from_c = sums(c);
        const double scale = scale_[c];
        if (single(c)) {
            const double both = Variant::symmetric ? 2 : 1;
            for (Index x = 0; x < n_; ++x) scan_[x] = both * static_cast<double>(to_c[x]) + penalty_[x];
            for (const Id g : groups_)
                scan_[g] = static_cast<double>(nearest(g)[c]) + (Variant::symmetric ? scale_[g] * sums(g)[c] : 0.0);
        } else if constexpr (Variant::symmetric) {
            for (Index x = 0; x < n_; ++x) scan_[x] = scale * from_c[x] + static_cast<double>(to_c[x]) + penalty_[x];
            for (const Id g : groups_) scan_[g] = scale * from_c[g] + scale_[g] * sums(g)[c];
        } else {
            for (Index x = 0; x < n_; ++x) scan_[x] = scale * from_c[x] + penalty_[x];
            for (const Id g : groups_) scan_[g] = scale * from_c[g];
        }
        scan_[c] = kGone;
    }

    // The tie rule: smaller value, then smaller lower id, then smaller higher id.
    void find_neighbour(Id c) {
        scan(c);
        value_[c] = minimum(scan_.data(), n_);
        neighbour_[c] = first_of_equals(scan_.data(), value_[c], [&](Id x) { return std::minmax(ids_[c], ids_[x]); });
    }

    Id closest() const {
        const double smallest = minimum(value_.data(), n_);
        return first_of_equals(value_.data(), smallest,
                               [&](Id c) { return std::minmax(ids_[c], ids_[neighbour_[c]]); });
    }

    template <class Key>
    Id first_of_equals(const double* values, double smallest, Key&& key) const {
        const double* end = values + n_;
        const double* found = std::find(values, end, smallest);
        Id best = static_cast<Id>(found - values);
        while ((found = std::find(found + 1, end, smallest)) != end) {
            const Id other = static_cast<Id>(found - values);
            if (std::pair<Id, Id>(key(other)) < std::pair<Id, Id>(key(best))) best = other;
        }
        return best;
    }

    // The smaller cluster joins the larger one's slot, a; the union gets the identity `id`.
    void merge(Id a, Id b, Id id) {
        if (members_[a].size() < members_[b].size()) std::swap(a, b);
        remove_group(b);
        remove_group(a);
        add_outgoing(a, b);
        join_members(a, b, id);
        gather_incoming(a, b);
        groups_.push_back(a);
        update_neighbours(a, b);
        find_neighbour(a);
    }

    void remove_group(Id c) {
        if (!single(c)) groups_.erase(std::find(groups_.begin(), groups_.end(), c));
    }

    void join_members(Id a, Id b, Id id) {
        members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
        members_[b] = {};
        ids_[a] = id;
        value_[b] = penalty_[a] = penalty_[b] = kGone;
        neighbour_[b] = kNone;
        if (Variant::normalized) scale_[a] = 1 / static_cast<double>(members_[a].size());
    }

    // Ch(A + B, X) = Ch(A, X) + Ch(B, X)
    void add_outgoing(Id a, Id b) {
        double* row = sums(a);
        const T *to_a = nearest(a), *to_b = nearest(b);
        const bool a_single = single(a), b_single = single(b);
        // A single point's value to a group is not in its own row.
        between_groups_.resize(groups_.size());
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const Id g = groups_[i];
            between_groups_[i] = (a_single ? static_cast<double>(nearest(g)[a]) : row[g]) +
                                 (b_single ? static_cast<double>(nearest(g)[b]) : sums(b)[g]);
        }
        parallel_ranges(n_, kGrain, threads_, [&](Index begin, Index end) {
            if (a_single)
                for (Index x = begin; x < end; ++x)
                    row[x] = static_cast<double>(to_a[x]) + static_cast<double>(to_b[x]);
            else if (b_single)
                for (Index x = begin; x < end; ++x) row[x] += static_cast<double>(to_b[x]);
            else
                for (const double* other = sums(b); begin < end; ++begin) row[begin] += other[begin];
        });
        for (std::size_t i = 0; i < groups_.size(); ++i) row[groups_[i]] = between_groups_[i];
    }

    // d(p, A + B) = min(d(p, A), d(p, B)), summed over the points of each group; scan_[x] = value between x
    // and A + B
    void gather_incoming(Id a, Id b) {
        T* row = nearest(a);
        const T* other = nearest(b);
        const double *from_a = sums(a), scale = Variant::symmetric ? scale_[a] : 0;
        parallel_ranges(n_, kGrain, threads_, [&](Index begin, Index end) {
            for (Index p = begin; p < end; ++p) {
                row[p] = other[p] < row[p] ? other[p] : row[p];
                scan_[p] = static_cast<double>(row[p]) + penalty_[p];
            }
            if constexpr (Variant::symmetric)
                for (Index p = begin; p < end; ++p) scan_[p] += scale * from_a[p];
        });
        parallel_ranges(static_cast<Index>(groups_.size()), 512, threads_, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                const Id g = groups_[i];
                double sum = 0;
                for (const Id p : members_[g]) sum += static_cast<double>(row[p]);
                sums(g)[a] = sum;
                scan_[g] = scale_[g] * sum + (Variant::symmetric ? scale * from_a[g] : 0.0);
            }
        });
    }

    // Everything compares its nearest neighbour with the union; scan_ has the values.
    void update_neighbours(Id a, Id b) {
        again_.clear();
        if constexpr (Variant::symmetric)
            for (Id c = 0; c < n_; ++c)
                if ((neighbour_[c] == a || neighbour_[c] == b) && scan_[c] > value_[c] && c != a) again_.push_back(c);
        Id* neighbour = neighbour_.data();
        double *value = value_.data(), *fresh = scan_.data();
        for (Index c = 0; c < n_; ++c) {
            const bool take = neighbour[c] == a || neighbour[c] == b || fresh[c] < value[c];
            neighbour[c] = take ? a : neighbour[c];
            value[c] = take ? fresh[c] : value[c];
        }
        for (const Id c : again_) find_neighbour(c);
    }

    Index n_;
    int threads_;
    T* nearest_;
    std::unique_ptr<double[]> sums_;  // rows of single points are never touched and take no memory
    std::vector<std::vector<Id>> members_;
    std::vector<Id> ids_, neighbour_, groups_, again_;
    std::vector<double> value_;    // linkage value to the nearest neighbour; infinite for slots that are gone
    std::vector<double> scale_;    // 1 / size if normalized, else 1
    std::vector<double> penalty_;  // infinite except for single points
    std::vector<double> scan_, between_groups_;
};

}  // namespace chamfer
