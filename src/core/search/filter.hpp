// The filter: few coordinates of points or centres whose distance is a lower bound of the true one, and all that
// rounding can do to it. Searches skip a pair only if its bound, less that, is beyond reach; the rest is computed in
// full. Every search that skips points here for its rounding argument.
//
// Unit. Points come in a unit in which no squared distance exceeds 2^100 (units.py), so that nothing here overflows
// in float or double. What is below the smallest normal number may be lost, all of it.
//
// Coordinates. c(x) has m numbers, computed in double from d and rounded to F. With u the unit roundoff of F, c(x) is
// off by at most (u + (d + 16) 2^-53) |x|, and by what underflow takes from each number: at most `tiny`, the smallest
// normal one. Against a difference D that is 2 D tiny <= u D^2 + tiny^2 / u in a squared distance: a rounding more, and
// nothing.
//
// Products. N_a + N_b - 2 a.b, N being squared lengths, is off by at most (m + 16) u (N_a + N_b), rounding of
// coordinates (the 16, and d more if F is double) and of comparisons included; and by `tiny` for each of the m
// products, of the m sums and of the few numbers compared. So every N is multiplied by `shrink` = 1 - (m + 16) 2u
// beforehand, every half of a squared reach is rounded up, and `floor` = 4 (m + 4) tiny is added to it.
//
// Trees. Squared distances of coordinates in double, by differences, are off by at most e (|x|^2 + |y|^2) with
// e = 8 (d + 16) 2^-53. A query x does not know |y|. If |y| <= 2 |x|, that is at most 5 e |x|^2. If not,
// |x - y| >= |y| / 2, and it is at most 5 e |x - y|^2. So `slack` = 5 e |x|^2 is added to a squared reach that was
// multiplied by 1 + 8 e.
//
// Differences in float (distance/shadow.hpp). Rounded to float, with u = 2^-24, x and y are at most u |x| + u |y|
// nearer or farther, so at most 2 u |x| + u |x - y|, whichever of the two x is. For any t, a square (a + b)^2 is at
// most (1 + t) a^2 + (1 + 1 / t) b^2. With t = 2^-12 a squared distance becomes at most 1 + 2^-11 times as large plus
// 2^-33 |x|^2; summing up d squares adds d + 8 roundings.
//
// Balls. Coordinates of x are off by less than 2 u |x|, u >= 2^-24, so the distance of two is by less than 4 u times
// their lengths; radii and the distance of centres, computed in double, are off by much less than 1e-6 of them.
#pragma once

#include <algorithm>
#include <limits>

#include "../base/types.hpp"

namespace chamfer {

template <class F>
class Filter {
   public:
    // m coordinates, made of d.
    Filter(Index m, Index d)
        : shrink_(1 - static_cast<double>(m + 16 + (sizeof(F) == 8 ? d : 0)) * kEpsilon),
          floor_(4 * static_cast<double>(m + 4) * static_cast<double>(std::numeric_limits<F>::min())) {}

    // Half of a squared length, or of one and what else adds to a squared distance, rounded down.
    F half(double squared) const { return static_cast<F>(shrink_ * squared / 2); }
    F half_length(const F* coordinates, Index m, double more = 0) const {
        for (Index k = 0; k < m; ++k) more += static_cast<double>(coordinates[k]) * static_cast<double>(coordinates[k]);
        return half(more);
    }
    // Half of a squared reach, rounded up; to be compared with half(a) + half(b) - product.
    F half_reach(double squared) const { return static_cast<F>(squared / 2 * (1 + 8 * kEpsilon) + floor_); }
    // What underflow may add to half(a) + half(b) - product.
    F floor() const { return static_cast<F>(floor_); }

   private:
    static constexpr double kEpsilon = std::numeric_limits<F>::epsilon();
    double shrink_, floor_;
};

// Whether no two points of balls that are `gap` apart can be within reach; `lengths`: of the longest row of each.
template <class F>
bool balls_apart(double gap, double lengths, double reach) {
    return gap > (reach + 4 * static_cast<double>(std::numeric_limits<F>::epsilon()) * lengths) * (1 + 1e-6);
}

// The same for a tree of coordinates in double; exact if they are the points' own.
class TreeSlack {
   public:
    TreeSlack(Index m, Index d, bool own)
        : m_(m), error_(own ? 0 : 8 * static_cast<double>(d + 16) * std::numeric_limits<double>::epsilon()) {}

    // For a query with these coordinates.
    double at(const double* x) const {
        double length = 0;
        for (Index k = 0; error_ > 0 && k < m_; ++k) length += x[k] * x[k];
        return 5 * error_ * length + std::numeric_limits<double>::min();
    }
    // The squared distance that a search has to look at, given the slack of the query.
    double widen(double squared, double slack) const { return squared * (1 + 1e-12 + 8 * error_) + slack; }

   private:
    Index m_;
    double error_;
};

// The same for differences of coordinates that are the points' own, rounded to float.
class FloatSlack {
   public:
    explicit FloatSlack(Index d) : d_(d), factor_(1 + 0x1p-11 + static_cast<double>(d + 8) * 0x1p-23) {}

    // For a point whose coordinates x(k) gives.
    template <class X>
    double at(X&& x) const {
        double length = 0;
        for (Index k = 0; k < d_; ++k) length += static_cast<double>(x(k)) * static_cast<double>(x(k));
        return 0x1p-33 * length + static_cast<double>(4 * (d_ + 4)) * std::numeric_limits<float>::min();
    }
    // Finite: whatever is gone is infinitely far.
    float widen(double squared, double slack) const {
        constexpr double kLargest = std::numeric_limits<float>::max();
        return static_cast<float>(std::min(squared * factor_ + slack, kLargest));
    }

   private:
    Index d_;
    double factor_;
};

}  // namespace chamfer
