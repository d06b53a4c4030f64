// The true linkage values of all pairs of clusters, legal or not, for engine/allowed.hpp. They offer
//   operator()(a, b)         the value between two clusters
//   merge(lost, kept, left)  `kept` becomes the union; `left` are the slots that are not gone, without `lost`
#pragma once

#include <algorithm>
#include <vector>

#include "chamfer.hpp"
#include "rules.hpp"

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

}  // namespace chamfer
