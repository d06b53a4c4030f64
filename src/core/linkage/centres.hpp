// Clusters as their centres, all that Ward's, centroid, median linkage and the mean squared distance need, O(n d)
// memory.
#pragma once

#include <vector>

#include "../distance/points.hpp"
#include "rules.hpp"
#include "weights.hpp"

namespace chamfer {

template <CentreRule R>
class Centres {
   public:
    template <class T>
    explicit Centres(const Points<T>& points, const Weights& weights = {})
        : d_(points.d),
          alike_(weights.empty()),
          centres_(points.data, points.data + points.n * points.d),
          sizes_(or_ones(weights, points.n)),
          spread_(points.n, 0.0) {}

    Index n() const { return static_cast<Index>(sizes_.size()); }
    Index d() const { return d_; }
    // Whether all points weigh one; otherwise they weigh at least that.
    bool alike() const { return alike_; }
    const double* centre(Id c) const { return centres_.data() + c * d_; }
    double size(Id c) const { return sizes_[c]; }
    double ease(Id c) const { return R::ease(sizes_[c]); }
    double spread(Id c) const { return spread_[c]; }

    double value(Id a, Id b) const {
        return (squared_distance(centre(a), centre(b), d_) + spread_[a] + spread_[b]) / (ease(a) + ease(b));
    }

    // The union takes the place of a.
    void unite(Id a, Id b) {
        const double total = sizes_[a] + sizes_[b], part = sizes_[b] / total;
        if (R::spreads)
            spread_[a] +=
                part * (spread_[b] - spread_[a]) + part * (1 - part) * squared_distance(centre(a), centre(b), d_);
        const double share = R::share(sizes_[b], sizes_[a]);
        double* kept = centres_.data() + a * d_;
        for (Index k = 0; k < d_; ++k) kept[k] += share * (centre(b)[k] - kept[k]);
        sizes_[a] = total;
    }

   private:
    Index d_;
    bool alike_;
    std::vector<double> centres_, sizes_, spread_;
};

// Every point by itself: for searches among points.
struct SinglePoints {
    Index count;
    Index n() const { return count; }
    double ease(Id) const { return 0.5; }
    double spread(Id) const { return 0; }
};

}  // namespace chamfer
