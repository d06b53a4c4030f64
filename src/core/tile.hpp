// Distances between two blocks of points by matrix multiplication: |x|^2 + |y|^2 - 2 x.y, of points shifted
// by `shift` (about their means, so that norms and so errors are small; a shift with few bits keeps the
// products of integer data exact). Where the difference cancels too many digits, the distance is computed
// again from the differences of coordinates.
#pragma once

#include <algorithm>
#include <vector>

#include "blas.hpp"
#include "points.hpp"

namespace chamfer {

inline constexpr Index kTile = 512;  // points in a block

// Products are of type P. One thread works with one of these.
template <class P>
class Tile {
 public:
    // The products of the points of the block at `top` with those of the block at `begin`. If both are the
    // same, of the upper triangle (and a little more) only.
    template <class T>
    void multiply(const Points<T>& points, const double* shift, Index top, Index begin, const Blas& blas) {
        if (left_.first != top) left_.load(points, shift, top);
        right_.load(points, shift, begin);
        products_.resize(kTile * kTile);
        const Index d = points.d, step = top == begin ? kTile / 4 : kTile;
        for (Index i = 0; i < left_.count; i += step) {
            const Index skip = top == begin ? i : 0;
            blas.products(&left_.rows[i * d], std::min(step, left_.count - i), d, &right_.rows[skip * d],
                          right_.count - skip, d, d, &products_[i * kTile + skip], kTile);
        }
    }

    // How many values have cancelled.
    Index cancelled() const {
        Index total = 0;
        double squared[kTile];
        for (Index i = left_.first; i < left_.first + left_.count; ++i)
            total += subtract(i, std::max(i + 1, right_.first), squared);
        return total;
    }

    // out[j] = distance from i to j, points of the two blocks, i < j.
    template <class T>
    void finish(const Points<T>& points, Metric metric, Index i, T* out) const {
        double squared[kTile];
        const Index start = std::max(i + 1, right_.first), end = right_.first + right_.count;
        if (subtract(i, start, squared) > 0)
            for (Index j = start; j < end; ++j)
                if (squared[j - start] < kCancelled * scale(i, j))
                    squared[j - start] = squared_distance(points.row(i), points.row(j), points.d);
        from_squared(metric, squared, out + start, end - start);
    }

 private:
    // Squared distances below this share of the norms are computed again. What is left has at least nine
    // correct digits from products in double, five (and on average seven) from products in float.
    static constexpr double kCancelled = sizeof(P) == 4 ? 1.0 / 8 : 1e-4;

    struct Block {
        std::vector<P> rows;
        std::vector<double> norms;
        Index first = -1, count = 0;

        template <class T>
        void load(const Points<T>& points, const double* shift, Index begin) {
            const Index d = points.d;
            first = begin;
            count = std::min(kTile, points.n - begin);
            rows.resize(kTile * d);
            norms.resize(kTile);
            const std::vector<P> origin(d, P{0});
            for (Index i = 0; i < count; ++i) {
                P* row = &rows[i * d];
                for (Index k = 0; k < d; ++k)
                    row[k] = static_cast<P>(static_cast<double>(points.row(first + i)[k]) - shift[k]);
                norms[i] = squared_distance(row, origin.data(), d);
            }
        }
    };

    double scale(Index i, Index j) const {
        return left_.norms[i - left_.first] + right_.norms[j - right_.first];
    }

    // out[j - start] = squared distance from i to j; gives how many have cancelled.
    Index subtract(Index i, Index start, double* out) const {
        const double own = left_.norms[i - left_.first], *norms = right_.norms.data() + start - right_.first;
        const P* products = &products_[(i - left_.first) * kTile + start - right_.first];
        const Index count = right_.first + right_.count - start;
        Index cancelled = 0;
        for (Index j = 0; j < count; ++j) {
            const double both = own + norms[j], squared = both - 2 * static_cast<double>(products[j]);
            out[j] = squared;
            cancelled += squared < kCancelled * both;
        }
        return cancelled;
    }

    Block left_, right_;
    std::vector<P> products_;
};

}  // namespace chamfer
