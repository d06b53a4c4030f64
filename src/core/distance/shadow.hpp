// Packed points once more, in float: which blocks may have a point within reach is known at a quarter of the cost of
// their distances, from half the memory. Blocks as in packed.hpp; the rounding argument is in search/filter.hpp.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "../search/filter.hpp"
#include "packed.hpp"

namespace chamfer {

class Shadow {
   public:
    explicit Shadow(const Packed& points)
        : d_(points.d()),
          slack_(d_),
          blocks_((points.n() + kBlock - 1) / kBlock),
          strips_(std::make_unique_for_overwrite<Strip[]>(blocks_ * d_)),
          each_(blocks_ * kBlock, 0.0f) {
        for (Index i = 0; i < blocks_ * d_; ++i) {
            const double* lane = points.block(0) + i * kBlock;
            std::transform(lane, lane + kBlock, strips_[i].lane, [](double x) { return static_cast<float>(x); });
        }
    }

    // A number that each point has for limits of its own.
    float& each(Index j) { return each_[j]; }

    // A point that looks for others.
    struct Query {
        std::vector<float> x;
        double slack;
    };
    Query query(const double* x) const {
        Query query{std::vector<float>(d_), slack_.at([x](Index k) { return x[k]; })};
        std::transform(x, x + d_, query.x.begin(), [](double each) { return static_cast<float>(each); });
        return query;
    }

    void put(Index j, Index k, double x) { at(j, k) = static_cast<float>(x); }
    void remove(Index j) {
        for (Index k = 0; k < d_; ++k) at(j, k) = kFar<float>;
    }
    void move(Index from, Index to) {
        for (Index k = 0; k < d_; ++k) at(to, k) = at(from, k);
        each_[to] = each_[from];
    }

    // The limit of a squared distance that is to be compared with what is computed here, for a point with that slack.
    float limit(double squared, double slack) const { return slack_.widen(squared, slack); }
    double slack(Index j) const {
        return slack_.at([&](Index k) { return strips_[j / kBlock * d_ + k].lane[j % kBlock]; });
    }

    // Those of blocks [first, last) that may have a point j within the squared distance fixed + slope * each(j), both
    // of which are limits; ascending. `near` has room for all.
    Index near(const Query& query, Index first, Index last, float slope, float fixed, Id* near) const {
        const Index found =
            kernels<float>().near_blocks(query.x.data(), strips_[first * d_].lane, d_, last - first,
                                         slope == 0 ? nullptr : &each_[first * kBlock], slope, fixed, near);
        for (Index i = 0; i < found; ++i) near[i] += static_cast<Id>(first);
        return found;
    }

   private:
    struct alignas(64) Strip {
        float lane[kBlock];
    };

    float& at(Index j, Index k) { return strips_[j / kBlock * d_ + k].lane[j % kBlock]; }

    Index d_;
    FloatSlack slack_;
    Index blocks_;
    std::unique_ptr<Strip[]> strips_;
    std::vector<float> each_;
};

}  // namespace chamfer
