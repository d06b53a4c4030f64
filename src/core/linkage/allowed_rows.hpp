// All values between n clusters, of which only some may be merged: for the generic algorithm. See constraints.hpp.
//
// Values<...> keep the true linkage values of all pairs, legal or not, and offer
//   operator()(a, b)    the value between two clusters
//   merge(lost, kept, left)  `kept` becomes the union; `left` are the slots that are not gone, without `lost`
#pragma once

#include <numeric>
#include <vector>

#include "chamfer.hpp"
#include "constraints.hpp"
#include "rows.hpp"

namespace chamfer {

// By a rule, from a square matrix of the values between points.
template <Rule R>
class RuleValues {
   public:
    // `square` is symmetric, is changed, and must outlive this.
    RuleValues(double* square, const std::vector<double>& weights)
        : square_(square), n_(static_cast<Index>(weights.size())), weights_(weights) {}

    double operator()(Id a, Id b) const { return square_[a * n_ + b]; }

    void merge(Id lost, Id kept, const std::vector<Id>& left) {
        const double between = (*this)(lost, kept), weight_lost = weights_[lost], weight_kept = weights_[kept];
        double *from = square_ + lost * n_, *row = square_ + kept * n_;
        for (const Id x : left)
            if (x != kept)
                square_[x * n_ + kept] = row[x] =
                    R::update(from[x], row[x], between, {weight_lost, weight_kept, weights_[x]});
        weights_[kept] += weight_lost;
    }

   private:
    double* square_;
    Index n_;
    std::vector<double> weights_;
};

// By a Chamfer linkage, from a square matrix of distances: row C becomes the distances from all points to C. Beside it,
// Ch(A, B) for all pairs: Ch(A + B, X) = Ch(A, X) + Ch(B, X), and Ch(X, A + B) is summed over the points of X.
template <class Variant>
class ChamferValues {
   public:
    // `square` is symmetric, is changed, and must outlive this.
    ChamferValues(double* square, const std::vector<double>& weights)
        : nearest_(square), n_(static_cast<Index>(weights.size())), weights_(weights), sums_(n_ * n_), scale_(n_, 1.0) {
        for (Id a = 0; a < n_; ++a) {
            members_.push_back({a});
            if (Variant::normalized) scale_[a] = 1 / weights[a];
            for (Id b = 0; b < n_; ++b) sums_[a * n_ + b] = weights[a] * nearest_[a * n_ + b];
        }
    }

    double operator()(Id a, Id b) const {
        const double forth = scale_[a] * sums_[a * n_ + b], back = scale_[b] * sums_[b * n_ + a];
        return Variant::symmetric ? forth + back : std::min(forth, back);
    }

    void merge(Id lost, Id kept, const std::vector<Id>& left) {
        double *row = nearest_ + kept * n_, *from = nearest_ + lost * n_;
        for (Index p = 0; p < n_; ++p) row[p] = std::min(row[p], from[p]);
        for (const Id x : left) {
            sums_[kept * n_ + x] += sums_[lost * n_ + x];
            double sum = 0;
            for (const Id p : members_[x]) sum += weights_[p] * row[p];
            sums_[x * n_ + kept] = sum;
        }
        auto &into = members_[kept], &taken = members_[lost];
        into.insert(into.end(), taken.begin(), taken.end());
        std::vector<Id>().swap(taken);
        if (Variant::normalized) scale_[kept] = 1 / (1 / scale_[kept] + 1 / scale_[lost]);
    }

   private:
    double* nearest_;
    Index n_;
    const std::vector<double>& weights_;
    std::vector<double> sums_, scale_;  // scale_: 1 / weight if normalized, else 1
    std::vector<std::vector<Id>> members_;
};

template <class Values>
class AllowedRows {
   public:
    using Value = double;

    AllowedRows(Values& values, const Constraints& constraints)
        : values_(values),
          width_(constraints.n()),
          max_size_(constraints.max_size),
          sizes_(constraints.weights),
          left_(width_),
          state_(width_ * width_, constraints.everywhere ? kAdjacent : 0),
          row_(width_) {
        std::iota(left_.begin(), left_.end(), Id{0});
        if (!constraints.everywhere)
            for (Id p = 0; p < width_; ++p)
                for (const Id q : constraints.graph[p]) state_[p * width_ + q] |= kAdjacent;
        forbid(constraints.labels);
    }

    Index width() const { return width_; }
    Index count() const { return static_cast<Index>(left_.size()); }
    Id first() const { return left_.front(); }
    Id point(Id c) const { return c; }

    Neighbour<double> nearest(Id c, Index from) const {
        Neighbour<double> best;
        if (sizes_[c] == 0) return best;
        for (auto x = std::ranges::lower_bound(left_, from); x != left_.end(); ++x)
            if (allowed(c, *x))
                if (const double here = values_(c, *x); here < best.value) best = {here, *x};
        return best;
    }

    void merge(Id lost, Id kept) { merge_row(lost, kept); }

    const double* merge_row(Id lost, Id kept) {
        left_.erase(std::ranges::lower_bound(left_, lost));
        values_.merge(lost, kept, left_);
        sizes_[kept] += sizes_[lost];
        sizes_[lost] = 0;
        std::ranges::fill(row_, kFar<double>);
        char *into = &state_[kept * width_], *from = &state_[lost * width_];
        for (const Id x : left_) {
            if (x == kept) continue;
            state_[x * width_ + kept] = into[x] |= from[x];
            if (allowed(kept, x)) row_[x] = values_(kept, x);
        }
        return row_.data();
    }

    bool compact(std::vector<Id>&) { return false; }

    // Whether values may be infinite: then no merge is left.
    static constexpr bool partial = true;

   private:
    static constexpr char kAdjacent = 1, kForbidden = 2;

    bool allowed(Id a, Id b) const {
        return a != b && state_[a * width_ + b] == kAdjacent && sizes_[a] + sizes_[b] <= max_size_;
    }

    void forbid(const Csr& labels) {
        std::vector<std::vector<Id>> sharing;
        for (Id p = 0; p < width_; ++p)
            for (const Id label : labels[p]) {
                if (label >= static_cast<Id>(sharing.size())) sharing.resize(label + 1);
                for (const Id q : sharing[label]) {
                    state_[p * width_ + q] |= kForbidden;
                    state_[q * width_ + p] |= kForbidden;
                }
                sharing[label].push_back(p);
            }
    }

    Values& values_;
    Index width_;
    double max_size_;
    std::vector<double> sizes_;  // 0 for slots that are gone
    std::vector<Id> left_;       // ascending
    std::vector<char> state_;    // of all pairs
    std::vector<double> row_;
};

}  // namespace chamfer
