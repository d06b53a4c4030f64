// Ward's linkage of few points by the chain, with values that are nearly right and decisions that are exact.
//
// Values are updated in float, from distances on a grid (distance/grid.hpp). A bound of their error says which clusters
// may be nearest. If that is one, it is nearest; if there are several, which is rare, values from the centres decide.
// Heights are such values, too. They are functions of two centres in double, the same in both directions, that fall
// along the chain, so it ends.
//
// The bound. Let D be half the squared distance of two centres in steps, D' that of the centres of the same points on
// the grid, and V the value in the matrix, which stands for f D', f = 2 a b / (a + b) for clusters of a and b points.
//   1. Centres move by at most `move` steps, so |sqrt(D) - sqrt(D')| <= sqrt(2) move.
//   2. |V - f D'| <= f e. An update of D' is linear: D'(ab, c) = w D'(a, c) + (1 - w) D'(b, c) - w (1 - w) D'(a, b)
//      with w = a / (a + b). So errors add up as distances do: an error r of the value of u and c, when u is made, is
//      one of at most r |u| |c| / (|A| |B|) between later clusters A of u and B of c, and of r |u| |c| / |A|^2 if A has
//      both. All c together are not more than A or B, and the sum of |u| / |A| over the unions in A is the mean depth
//      of its points. With r for the rounding of an update and unions of up to `depth` levels, e <= 4 depth r, and 2 r'
//      more for the error r' of the first values. D' is at most 2^31. Of the operations of an update, which f
//      cancels out of, none adds more than 2^-24 of it, or five in all: r <= 5 2^7. First values are integers that are
//      rounded once, and by up to 1 too large, because lengths are halved: r' <= 2^7 + 1.
//   3. The root of the exact value is not above sqrt(V + f e) + move sqrt(2 f), and not below sqrt(V - f e) - move
//      sqrt(2 f). For a cluster of a points, f is at most F = 2 a s / (a + s), s being the size of the largest one.
// Numbers in double are off by some 10^-13 of the radius; `move` has 10^-9 of it to spare.
#pragma once

#include <bit>
#include <cmath>
#include <numeric>

#include "../base/prefetch.hpp"
#include "../distance/grid.hpp"
#include "../linkage/late_rows.hpp"
#include "../tree/dendrogram.hpp"

namespace chamfer {

static_assert(kFewPoints <= kPlaceBits + 1);

class GridWard {
   public:
    // `square` holds the distances of the grid above its diagonal. `centres` are the points, and will be overwritten.
    GridWard(double* centres, Index d, const Grid& grid, Square<float>& square)
        : n_(square.n()),
          d_(d),
          end_(n_),
          centres_(centres),
          move_(grid.move()),
          comparisons_(8 * n_),
          rows_(square),
          tags_(n_, kGone),
          sizes_(n_, 1.0F),
          clusters_(n_),
          near_(n_) {
        std::iota(tags_.data(), tags_.data() + n_, Id{0});
    }

    // Adds all merges, with a step ahead for each; false if too many clusters are almost equally near for this to be
    // fast.
    bool run(Merges& merges, RowsAhead ahead) {
        std::vector<Id> path;
        for (Index left = n_; left > 1;) {
            if (path.empty()) path.push_back(first());
            const Id here = path.back(), before = path.size() > 1 ? path[path.size() - 2] : kNone;
            const Id next = nearest(here, before);
            if (next == kNone) return false;
            if (next != before) {
                path.push_back(next);
                continue;
            }
            merges.push_back(merge(std::max(here, before), std::min(here, before)));
            path.resize(path.size() - 2);
            --left;
            ahead.step();
        }
        return true;
    }

   private:
    struct Cluster {
        double size = 1, height = 0;
        int depth = 0;
    };

    // For values from a cluster of this size.
    struct Margin {
        double error, square;  // of the roots: (2 move)^2 2 F
        Margin(double size, double largest, double move, double error_of_one) {
            const double factor = 2 * size * largest / (size + largest);
            error = factor * error_of_one;
            square = factor * (8 * move * move);
        }
        // Of a cluster that seems nearest, at this value, what is farther than the limit is farther for certain. It is
        // above (sqrt(x) + sqrt(square))^2 + error, with x = least + error.
        float limit(float least) const {
            const double x = least + error;
            return static_cast<float>((x + square + 2 * std::sqrt(x * square) + error) * (1 + 0x1p-23));
        }
    };

    static constexpr double kFirstError = 2 * (0x1p-24 * Grid::kSquares + 1),
                            kErrorOfLevel = 4 * 5 * 0x1p-24 * Grid::kSquares;

    Id first() {
        while (tags_.data()[first_] == kGone) ++first_;
        return first_;
    }

    double value(Id a, Id b) const {
        const double squared = squared_distance(centres_ + a * d_, centres_ + b * d_, d_);
        return between<Ward>(squared, clusters_[a].size, clusters_[b].size);
    }

    // Of equals `before`, then the first; kNone if there are too many to compare.
    Id nearest(Id here, Id before) {
        const float* row = rows_.row(here);
        const Margin margin(clusters_[here].size, largest_, move_, error_);
        const auto [one, two] = level->grid->nearest(row, tags_.data(), end_);
        const float limit = margin.limit(std::bit_cast<float>(one | kPlaceBits));
        if (std::bit_cast<float>(two & kValueBits) > limit) return one & kPlaceBits;
        const Index count =
            level->grid->within(row, tags_.data(), end_, std::bit_cast<Id>(limit) | kPlaceBits, near_.data());
        comparisons_ += n_ / 12 - count;
        const bool looks_back = before != kNone && row[before] <= limit;
        return comparisons_ < 0 ? kNone : nearest_of(here, looks_back ? before : kNone, count);
    }

    Id nearest_of(Id here, Id before, Index count) const {
        Id best = before;
        double least = before == kNone ? kFar<double> : value(here, before);
        for (Index i = 0; i < count && least > 0; ++i) {
            if (near_[i] == before) continue;
            const double other = value(here, near_[i]);
            if (other < least) least = other, best = near_[i];
        }
        return best;
    }

    Merge merge(Id lost, Id kept) {
        Cluster &a = clusters_[lost], &b = clusters_[kept];
        float *row = rows_.row(kept), *other = rows_.row(lost);
        level->grid->unite(other, row, sizes_.data()[lost], sizes_.data()[kept], row[lost], sizes_.data(), end_, row);
        rows_.unite(lost, kept);
        tags_.data()[lost] = kGone;
        while (tags_.data()[end_ - 1] == kGone) --end_;
        const double squared =
            level->grid->move(centres_ + lost * d_, Ward::share(a.size, b.size), d_, centres_ + kept * d_);
        const double height = between<Ward>(squared, a.size, b.size);
        b.height = std::max({height, a.height, b.height});  // heights never fall, whatever rounding says
        sizes_.data()[kept] += sizes_.data()[lost];
        b.size += a.size;
        largest_ = std::max(largest_, b.size);
        b.depth = 1 + std::max(a.depth, b.depth);
        error_ = std::max(error_, kFirstError + kErrorOfLevel * b.depth);
        return {lost, kept, b.height};
    }

    Index n_, d_;
    Index end_;  // of the slots that are not gone: unions keep the lower one, so those at the end go first
    double* centres_;
    double move_, error_ = kFirstError, largest_ = 1;
    Index comparisons_;  // that are left: some at first, and some more with each scan that needs them
    Id first_ = 0;
    LateRows<float> rows_;
    Lines<Id> tags_;
    Lines<float> sizes_;
    std::vector<Cluster> clusters_;
    std::vector<Id> near_;
};

// Merges with squared heights, and overwrites the points; false if the dense engine has to do it.
inline bool grid_ward(double* points, Index n, Index d, int threads, Merges& merges, RowsAhead ahead = {}) {
    if (!Grid::takes(n, d)) return false;
    const Grid grid({points, n, d});
    if (!grid.spread()) return false;
    Square<float> square(n);
    grid.squared_distances(square.row(0), square.stride(), threads);
    merges.reserve(n - 1);
    if (!GridWard(points, d, grid, square).run(merges, ahead)) {
        merges.clear();
        return false;
    }
    merges = by_height(std::move(merges));
    return true;
}

}  // namespace chamfer
