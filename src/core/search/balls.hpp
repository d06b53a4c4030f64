// Balls around consecutive rows of coordinates: blocks that are too far apart are not multiplied.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "filter.hpp"

namespace chamfer {

struct BallPair {
    float between;
    Id a, b;
};

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
        return balls_apart<F>(between - one.radius - two.radius, one.length + two.length, reach);
    }

    // Calls visit(pairs) with all pairs of different balls, near ones first: all in one vector if they are few. If
    // they are many they are visited band by band of distances, which are computed again for each.
    template <class Visit>
    void each_pair(Index at_once, Visit&& visit) const {
        const Id blocks = static_cast<Id>(size());
        const auto apart = [&](Id a, Id b) { return static_cast<float>(between(a, *this, b)); };
        const Index count = Index{blocks} * (blocks - 1) / 2, bands = (count + at_once - 1) / at_once;
        std::vector<float> limits;  // distances of random pairs: their quantiles part all pairs about equally
        std::minstd_rand random;
        for (int i = 0; bands > 1 && i < 4096; ++i)
            limits.push_back(apart(static_cast<Id>(random() % blocks), static_cast<Id>(random() % blocks)));
        std::ranges::sort(limits);
        std::vector<BallPair> pairs;
        const auto flush = [&] {
            std::ranges::sort(pairs, {}, [](const BallPair& pair) { return std::tuple(pair.between, pair.a, pair.b); });
            visit(pairs);
            pairs.clear();
        };
        for (Index band = 0; band < bands; ++band) {
            const auto limit = [&](Index i) { return limits[i * static_cast<Index>(limits.size()) / bands]; };
            const float low = band == 0 ? -1 : limit(band), infinite = kFar<float>;
            const float high = band == bands - 1 ? infinite : limit(band + 1);
            for (Id a = 0; a < blocks; ++a)
                for (Id b = a + 1; b < blocks; ++b)
                    if (const float gap = apart(a, b); low <= gap && (gap < high || high == infinite)) {
                        pairs.push_back({gap, a, b});
                        if (static_cast<Index>(pairs.size()) == 2 * at_once) flush();
                    }
            flush();
        }
    }

   private:
    Index m_ = 0;
    std::vector<double> centres_;
    std::vector<Ball> balls_;
};

}  // namespace chamfer
