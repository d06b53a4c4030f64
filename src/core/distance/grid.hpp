// Points rounded to a grid, whose squared distances are integers: exact, whatever the machine, in a quarter of the time
// of products in double.
//
// The grid is centred at about the mean of the points, and no point is farther from there than kRadius steps. So half a
// squared distance is below 2^31, a coordinate takes 16 bits, and a vector of 32-bit lanes two coordinates. How far a
// point moves is measured: the mean of some points, whose move is the mean of theirs, moves no farther than the
// farthest. That is some sqrt(d / 12) steps, where sqrt(d) / 2 are possible.
//
// What follows the centring is in float. It moves a point by 2^-24 of its distance from the centre, when the difference
// is rounded, and as much again when it is multiplied; and sums of d <= 512 squares are off by less than 2^-14.
#pragma once

#include <cmath>
#include <vector>

#include "../base/lines.hpp"
#include "../base/threads.hpp"
#include "few.hpp"
#include "points.hpp"

namespace chamfer {

class Grid {
   public:
    static constexpr double kRadius = 32766;    // its square is below 2^30
    static constexpr double kSquares = 0x1p31;  // above half of all squared distances

    // Distances of few coordinates are as fast by differences; of very many, rounding tells too little.
    static bool takes(Index n, Index d) { return n <= kFewPoints && d > kSequential && d <= kMostOnGrid; }

    explicit Grid(const Points<double>& points)
        : n_(points.n), pairs_((points.d + 1) / 2), strips_(whole(n_) * pairs_), halves_(whole(n_), 0) {
        const Index d = points.d;
        const Lines<float> rows(n_ * d + kSlack);
        const double most = centre(points, rows.data());
        if (!(most > 0)) return;
        const double possible = std::sqrt(static_cast<double>(d)) / 2;
        const float factor = static_cast<float>((kRadius - possible - 1) / std::sqrt(most));
        float farthest = 0;
        std::vector<Id> pairs(kBlock * pairs_ + kSlack);
        for (Index first = 0; first < n_; first += kBlock) {
            for (Index i = first; i < std::min(n_, first + kBlock); ++i) {
                float moved;
                const Id norm =
                    level->grid->to_grid(rows.data() + i * d, factor, d, &pairs[(i - first) * pairs_], &moved);
                halves_.data()[i] = (norm + 1) / 2;
                farthest = std::max(farthest, moved);
            }
            level->grid->pack(pairs.data(), pairs_, block(first));
        }
        move_ = std::sqrt(static_cast<double>(farthest)) * (1 + 0x1p-14) + 0x1p-21 * kRadius;
        spread_ = true;
    }

    bool spread() const { return spread_; }  // whether not all points are the same; otherwise there is no grid
    double move() const { return move_; }    // steps that a point moves at most

    // Half the squared distances in steps, or up to 1 more, as floats, above the diagonal of a matrix that has room for
    // whole groups of kRows rows and whole cache lines in a row.
    void squared_distances(float* out, Index stride, int threads) const {
        const auto tile = [&](Index own, Index first) {  // both blocks stay in the first-level cache
            for (Index top = own; top < std::min(n_, own + kBlock); top += kRows)
                level->grid->distances(block(own) + (top - own), halves_.data() + top, block(first),
                                       halves_.data() + first, pairs_, std::max(top + 1 - first, Index{0}),
                                       std::min(kBlock, n_ - first), stride, out + top * stride + first);
        };
        parallel_tasks(whole(n_) / kBlock, threads, [&](Index task, int) {
            for (Index own = task * kBlock, first = own; first < n_; first += kBlock) tile(own, first);
        });
    }

   private:
    static constexpr Index kSlack = 2 * kRoom;  // for what kernels read and write behind a row

    // Rows around about the mean; the largest squared length.
    double centre(const Points<double>& points, float* rows) const {
        constexpr Index kSome = 32;  // tell the mean well enough
        const Index d = points.d, step = std::max(n_ / kSome, Index{1});
        std::vector<double> centre(d);
        level->grid->mean(points.data, step * d, n_ / step, d, centre.data());
        double most = 0;
        for (Index i = 0; i < n_; ++i)
            most = std::max(most, level->grid->centred(points.row(i), centre.data(), d, rows + i * d));
        return most;
    }

    static Index whole(Index n) { return (n + kBlock - 1) / kBlock * kBlock; }
    Id* block(Index first) const { return strips_.data() + first * pairs_; }

    Index n_, pairs_;
    double move_ = 0;
    Lines<Id> strips_;  // all points, packed
    Lines<Id> halves_;  // of squared lengths, rounded up
    bool spread_ = false;
};

}  // namespace chamfer
