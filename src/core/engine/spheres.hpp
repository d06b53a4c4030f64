// A sphere around the points of each cluster, for a bound of their values in a few steps: a point of B is no farther
// than its radius from the centre of B, and the mean of a convex function of the points of A is not below that of their
// mean. So Ch(A, B) is at least |A| times the distance of both centres, less the radius of B.
//
// Centres are rounded. A sphere is drawn around the rounded one, but as a mean it may be wrong by a few digits of the
// coordinates, each time that it moves, which is much where points are far from zero and close together.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../distance/points.hpp"

namespace chamfer {

template <class T>
class Spheres {
   public:
    Spheres(const Distances<T>& distances, const std::vector<double>& weights)
        : metric_(distances.metric),
          points_(distances.points),
          centres_(points_.data, points_.data + points_.n * points_.d),
          radii_(points_.n),
          errors_(points_.n),
          sizes_(weights) {
        for (Id p = 0; p < static_cast<Id>(points_.n); ++p) step_ = std::max(step_, length(centre(p)));
        step_ *= 0x1p-49;  // three roundings of coordinates up to twice as large, and some room
    }

    // b's points belong to a, which has these then.
    void unite(Id a, Id b, std::span<const Id> members) {
        const double share = sizes_[b] / (sizes_[a] + sizes_[b]);
        double *x = centre(a), largest = 0;
        for (Index k = 0; k < points_.d; ++k) x[k] += share * (centre(b)[k] - x[k]);
        for (const Id p : members) largest = std::max(largest, squared(x, points_.row(p)));
        radii_[a] = std::sqrt(largest) * kMore;
        errors_[a] = std::max(errors_[a], errors_[b]) + step_;
        sizes_[a] += sizes_[b];
    }

    // Of Ch(a, b) and Ch(b, a), the sum; for means over points, if these are asked for.
    double bound(Id a, Id b, bool means) const {
        const double apart = std::sqrt(squared(centre(a), centre(b))) * kLess;
        const double from_a = distance(apart - errors_[a] - radii_[b]),
                     from_b = distance(apart - errors_[b] - radii_[a]);
        return (means ? from_a + from_b : sizes_[a] * from_a + sizes_[b] * from_b) * kLess;
    }

   private:
    static constexpr double kLess = 1 - 0x1p-20, kMore = 1 + 0x1p-20;  // everything is rounded, values to T

    double* centre(Id c) { return &centres_[c * points_.d]; }
    const double* centre(Id c) const { return &centres_[c * points_.d]; }

    double length(const double* x) const {
        double sum = 0;
        for (Index k = 0; k < points_.d; ++k) sum += x[k] * x[k];
        return std::sqrt(sum);
    }

    template <class U>
    double squared(const double* x, const U* y) const {
        double sum = 0;
        for (Index k = 0; k < points_.d; ++k) {
            const double difference = x[k] - static_cast<double>(y[k]);
            sum += difference * difference;
        }
        return sum;
    }

    double distance(double apart) const { return apart <= 0 ? 0 : from_squared(metric_, apart * apart); }

    Metric metric_;
    Points<T> points_;
    std::vector<double> centres_, radii_;
    std::vector<double> errors_;  // of centres as means, at most
    std::vector<double> sizes_;   // sums of weights
    double step_ = 0;             // the error of one rounded move of a centre
};

}  // namespace chamfer
