// Balls around consecutive rows of coordinates: blocks that are too far apart are not multiplied.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../base/types.hpp"

namespace chamfer {

// `size` rows each.
template <class F>
class Balls {
   public:
    struct Ball {
        double radius, length;  // length: of the longest row, for the rounding of coordinates
    };

    Balls() = default;
    Balls(const F* rows, Index n, Index m, Index size) : m_(m) {
        for (Index first = 0; first < n; first += size) {
            const Index count = std::min(size, n - first);
            centres_.resize(centres_.size() + m, 0);
            double* centre = centres_.data() + centres_.size() - m;
            for (Index i = first; i < first + count; ++i)
                for (Index k = 0; k < m; ++k) centre[k] += static_cast<double>(rows[i * m + k]);
            for (Index k = 0; k < m; ++k) centre[k] /= static_cast<double>(count);
            double radius = 0, origin = 0;
            for (Index k = 0; k < m; ++k) origin += centre[k] * centre[k];
            for (Index i = first; i < first + count; ++i) {
                double squared = 0;
                for (Index k = 0; k < m; ++k) {
                    const double difference = static_cast<double>(rows[i * m + k]) - centre[k];
                    squared += difference * difference;
                }
                radius = std::max(radius, squared);
            }
            balls_.push_back({std::sqrt(radius), std::sqrt(origin) + std::sqrt(radius)});
        }
    }

    Index size() const { return static_cast<Index>(balls_.size()); }

    // From ball i to ball j of others: between their centres.
    double between(Index i, const Balls& others, Index j) const {
        double squared = 0;
        const double *x = &centres_[i * m_], *y = &others.centres_[j * m_];
        for (Index k = 0; k < m_; ++k) squared += (x[k] - y[k]) * (x[k] - y[k]);
        return std::sqrt(squared);
    }

    // Whether no two points of balls whose centres are `between` apart can be within reach, all rounding considered.
    bool apart(Index i, const Balls& others, Index j, double between, double reach) const {
        const Ball &one = balls_[i], &two = others.balls_[j];
        const double rounding = 4 * static_cast<double>(std::numeric_limits<F>::epsilon()) * (one.length + two.length);
        return between - one.radius - two.radius > (reach + rounding) * (1 + 1e-6);
    }

   private:
    Index m_ = 0;
    std::vector<double> centres_;
    std::vector<Ball> balls_;
};

}  // namespace chamfer
