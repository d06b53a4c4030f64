// Values between few clusters as a square matrix that stays in the cache. The nearest cluster is the minimum of
// contiguous values; a merge writes one row, and one or two values of other rows.
#pragma once

#include <numeric>
#include <vector>

#include "../base/lines.hpp"
#include "../distance/triangle.hpp"
#include "rows.hpp"

namespace chamfer {

// So many clusters are faster with a square than with a triangle: of floats twice as many by the generic algorithm.
// Rounds over a triangle start to pay later.
inline constexpr Index kFewClusters = 640, kFewForRounds = 1200;
template <class T>
inline constexpr Index kFewForGeneric = kFewClusters * sizeof(double) / sizeof(T);

template <class T>
class Square {
   public:
    // To be filled: entry (i, j), i < j, is row(i)[j], as in a Triangle.
    explicit Square(Index n) : n_(n), stride_(odd_lines(n)), lines_(n * stride_) {}

    explicit Square(const Triangle<T>& triangle) : Square(triangle.n) {
        for (Index i = 0; i < n_; ++i) std::copy(triangle.row(i) + i + 1, triangle.row(i) + n_, row(i) + i + 1);
    }

    Index n() const { return n_; }
    T* row(Index i) const { return lines_.data() + i * stride_; }

    // Room for condensed values, from which `spread` fills the rows. It is the end of the memory: row i of [0, n) ends
    // at least (n - i - 1) (n + i) / 2 places before the values for it.
    T* condensed() const { return lines_.data() + n_ * stride_ - n_ * (n_ - 1) / 2; }
    void spread() {
        const T* from = condensed();
        for (Index i = 0; i < n_ - 1; from += n_ - 1 - i, ++i) std::copy_n(from, n_ - 1 - i, row(i) + i + 1);
    }

    // The lower half like the upper one; the diagonal is infinite.
    void mirror() {
        constexpr Index kTile = 64;
        for (Index top = 0; top < n_; top += kTile)
            kernels<T>().mirror(lines_.data(), stride_, top, std::min(n_, top + kTile));
        for (Index i = 0; i < n_; ++i) row(i)[i] = kFar<T>;
    }

    // Only these rows and columns, in their order; whole, or above the diagonal.
    void keep(const std::vector<Id>& left, bool whole) {
        const Index count = static_cast<Index>(left.size());
        for (Index i = 0; i < count; ++i) {
            const Index first = whole ? 0 : i + 1;
            kernels<T>().gather(row(left[i]), left.data() + first, count - first, row(i) + first);
        }
        n_ = count;
    }

   private:
    // An odd number of cache lines, so that columns use all of the cache.
    static Index odd_lines(Index n) {
        constexpr Index kLine = Lines<T>::kLine;
        return ((n + kLine - 1) / kLine | 1) * kLine;
    }

    Index n_, stride_;
    Lines<T> lines_;
};

// The chain, for reducible rules, looks at whole rows. The generic algorithm looks ahead only: for it, values are kept
// above the diagonal, and what is below is read from the columns of the two rows that merge. `kept` is below `lost`.
template <class T, Rule R>
class SquareRows {
   public:
    using Value = T;
    using RuleType = R;

    // Of the triangle in `square`.
    explicit SquareRows(Square<T>& square, const Weights& weights = {})
        : square_(square), left_(square.n()), points_(square.n()), sizes_(or_ones(weights, square.n())) {
        if constexpr (kWhole) square.mirror();
        std::iota(left_.begin(), left_.end(), Id{0});
        std::iota(points_.begin(), points_.end(), Id{0});
    }

    Index width() const { return square_.n(); }
    Index count() const { return static_cast<Index>(left_.size()); }
    Id first() const { return left_.front(); }
    Id point(Id c) const { return points_[c]; }

    Neighbour<T> nearest(Id c, Index from) const {
        const T* row = square_.row(c);
        const T smallest = kernels<T>().minimum(row + from, width() - from);
        if (!(smallest < kFar<T>)) return {};
        return {smallest, static_cast<Id>(from + kernels<T>().find(row + from, width() - from, smallest))};
    }

    void merge(Id lost, Id kept) { merge_row(lost, kept); }

    const T* merge_row(Id lost, Id kept) {
        T *row = square_.row(kept), *other = square_.row(lost);
        if constexpr (!kWhole) read_columns(lost, kept);
        const double between = static_cast<double>(row[lost]);
        update_row<R>(other, row, {sizes_[lost], sizes_[kept], between}, sizes_.data(), width(), row);
        row[kept] = row[lost] = kFar<T>;
        left_.erase(std::lower_bound(left_.begin(), left_.end(), lost));
        for (const Id x : left_) {
            T* each = square_.row(x);
            if (!kWhole && x > lost) break;
            if (kWhole || x < kept) each[kept] = row[x];
            each[lost] = kFar<T>;
        }
        sizes_[kept] += sizes_[lost];
        return row;
    }

    bool compact(std::vector<Id>& renamed) {
        if (2 * count() > width()) return false;
        rename(left_, width(), renamed);
        square_.keep(left_, kWhole);
        for (Index i = 0; i < count(); ++i) {
            sizes_[i] = sizes_[left_[i]];
            points_[i] = points_[left_[i]];
        }
        std::iota(left_.begin(), left_.end(), Id{0});
        return true;
    }

   private:
    static constexpr bool kWhole = R::reducible;

    // Both rows below the diagonal, infinite where clusters are gone.
    void read_columns(Id lost, Id kept) {
        T *row = square_.row(kept), *other = square_.row(lost);
        std::fill(row, row + kept + 1, kFar<T>);
        std::fill(other, other + lost + 1, kFar<T>);
        for (const Id x : left_) {
            if (x >= lost) break;
            const T* each = square_.row(x);
            if (x < kept) row[x] = each[kept];
            other[x] = each[lost];
        }
    }

    Square<T>& square_;
    std::vector<Id> left_, points_;  // left_ ascends
    std::vector<double> sizes_;
};

}  // namespace chamfer
