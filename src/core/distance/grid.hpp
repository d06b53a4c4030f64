// Points rounded to a grid, whose squared distances are integers: exact, whatever the machine, in a quarter of the time
// of products in double.
//
// The grid is centred at the mean of the points, and no point is farther from it than kRadius steps. So squared
// distances are below 2^31, a coordinate takes 16 bits, and a vector of 32-bit lanes two coordinates. How far a point
// moves is measured: the mean of some points, whose move is the mean of theirs, moves no farther than the farthest.
// That is some sqrt(d / 12) steps, where sqrt(d) / 2 are possible.
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
    static constexpr double kRadius = 23170;    // its square is below 2^29
    static constexpr double kSquares = 0x1p31;  // above all squared distances

    // Distances of few coordinates are as fast by differences; of very many, rounding tells too little.
    static bool takes(Index n, Index d) { return n <= kFewPoints && d > kSequential && d <= kMostOnGrid; }

    explicit Grid(const Points<double>& points)
        : n_(points.n), pairs_((points.d + 1) / 2), strips_(whole(n_) * pairs_), norms_(whole(n_), 0) {
        std::vector<double> centre(points.d);
        level->grid->mean(points.data, n_, points.d, centre.data());
        double most = 0;
        for (Index i = 0; i < n_; ++i) most = std::max(most, squared_distance(points.row(i), centre.data(), points.d));
        if (!(most > 0)) return;
        const double possible = std::sqrt(static_cast<double>(points.d)) / 2;
        const double factor = (kRadius - possible - 1) / std::sqrt(most);
        double farthest = 0;
        std::vector<Id> rows(kBlock * pairs_);
        for (Index first = 0; first < n_; first += kBlock) {
            for (Index i = first; i < std::min(n_, first + kBlock); ++i) {
                double moved;
                norms_.data()[i] = level->grid->to_grid(points.row(i), centre.data(), factor, points.d,
                                                        &rows[(i - first) * pairs_], &moved);
                farthest = std::max(farthest, moved);
            }
            level->grid->pack(rows.data(), pairs_, block(first));
        }
        move_ = std::sqrt(farthest) + 1e-9 * kRadius;
        spread_ = true;
    }

    bool spread() const { return spread_; }  // whether not all points are the same; otherwise there is no grid
    double move() const { return move_; }    // steps that a point moves at most

    // Squared distances in steps, as floats, above the diagonal of a matrix that has room for whole groups of kRows
    // rows and whole cache lines in a row.
    void squared_distances(float* out, Index stride, int threads) const {
        const auto tile = [&](Index own, Index first) {  // both blocks stay in the first-level cache
            for (Index top = own; top < std::min(n_, own + kBlock); top += kRows)
                level->grid->distances(block(own) + (top - own), norms_.data() + top, block(first),
                                       norms_.data() + first, pairs_, std::max(top + 1 - first, Index{0}),
                                       std::min(kBlock, n_ - first), stride, out + top * stride + first);
        };
        parallel_tasks(whole(n_) / kBlock, threads, [&](Index task, int) {
            for (Index own = task * kBlock, first = own; first < n_; first += kBlock) tile(own, first);
        });
    }

   private:
    static Index whole(Index n) { return (n + kBlock - 1) / kBlock * kBlock; }
    Id* block(Index first) const { return strips_.data() + first * pairs_; }

    Index n_, pairs_;
    double move_ = 0;
    Lines<Id> strips_;  // all points, packed
    Lines<Id> norms_;
    bool spread_ = false;
};

}  // namespace chamfer
