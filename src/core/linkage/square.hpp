// Values between few clusters as a square matrix that stays in the cache. The nearest cluster is the minimum of
// contiguous values; a merge writes one row, and one or two values of other rows.
#pragma once

#include <numeric>
#include <vector>

#include "../base/lines.hpp"
#include "../distance/triangle.hpp"
#include "rows.hpp"

namespace chamfer {

// So many clusters are faster with a square than with a triangle: twice as many by the generic algorithm, which writes
// few columns. Rounds over a triangle start to pay later.
inline constexpr Index kFewClusters = 640, kFewForRounds = 1200, kFewForGeneric = 2 * kFewClusters;

template <class T>
class Square {
   public:
    // To be filled: entry (i, j), i < j, is row(i)[j], as in a Triangle.
    // There is room for whole groups of kRows rows.
    explicit Square(Index n) : n_(n), stride_(odd_lines(n)), lines_((n + kRows - 1) / kRows * kRows * stride_) {}

    explicit Square(const Triangle<T>& triangle) : Square(triangle.n) {
        for (Index i = 0; i < n_; ++i) std::copy(triangle.row(i) + i + 1, triangle.row(i) + n_, row(i) + i + 1);
    }

    Index n() const { return n_; }
    Index stride() const { return stride_; }
    T* row(Index i) const { return lines_.data() + i * stride_; }

    // Filled from condensed values; their range, and whether all are finite.
    template <class From>
    bool fill(const From* condensed, double& low, double& high) {
        return kernels<From>().spread(condensed, n_, stride_, lines_.data(), &low, &high);
    }

    // The lower half like the upper one; the diagonal is infinite.
    void mirror() {
        constexpr Index kTile = 64;
        for (Index top = 0; top < n_; top += kTile)
            kernels<T>().mirror(lines_.data(), stride_, top, std::min(n_, top + kTile));
        for (Index i = 0; i < n_; ++i) row(i)[i] = kFar<T>;
    }

    // Only these rows and columns, in their order, above the diagonal.
    void keep(const std::vector<Id>& left) {
        const Index count = static_cast<Index>(left.size());
        for (Index i = 0; i < count; ++i) {
            const Index first = i + 1;
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

// For the generic algorithm, which looks ahead only: values above the diagonal. What is below it is read from the
// columns of the two rows that merge. Clusters that are gone are marked; the columns keep what was there. Kernels take
// whole cache lines, so every value on them is a number, and places from width() on are marked as gone.
template <class T, Rule R>
class SquareAhead {
   public:
    using Value = T;

    // Of the triangle in `square`.
    explicit SquareAhead(Square<T>& square, const Weights& weights = {})
        : square_(square), count_(square.n()), points_(square.n()), gone_(length(), kFar<T>), sizes_(length(), 1.0) {
        std::ranges::copy(weights, sizes_.begin());
        std::iota(points_.begin(), points_.end(), Id{0});
        std::fill_n(gone_.begin(), width(), T{0});
        for (Index i = 0; i < width(); ++i) std::fill(square.row(i) + width(), square.row(i) + length(), T{0});
    }

    Index width() const { return square_.n(); }
    Index count() const { return count_; }
    Id point(Id c) const { return points_[c]; }
    const T* gone() const { return gone_.data(); }

    Neighbour<T> nearest(Id c, Index from) const {
        if (from == width()) return {};
        return kernels<T>().nearest(square_.row(c), gone_.data(), from, length());
    }

    const T* merge_row(Id lost, Id kept) {
        T *row = square_.row(kept), *other = square_.row(lost);
        read_columns(lost, kept);
        const double between = static_cast<double>(row[lost]);
        update_row<R>(other, row, {sizes_[lost], sizes_[kept], between}, sizes_.data(), length(), row);
        for (Id x = 0; x < kept; ++x) square_.row(x)[kept] = row[x];
        gone_[lost] = kFar<T>;
        sizes_[kept] += sizes_[lost];
        --count_;
        return row;
    }

    bool compact(std::vector<Id>& renamed) {
        constexpr Index kShort = 16;  // too few to gain anything
        if (2 * count() > width() || width() <= kShort) return false;
        std::vector<Id> left;
        left.reserve(count());
        for (Id x = 0; x < width(); ++x)
            if (gone_[x] == 0) left.push_back(x);
        rename(left, width(), renamed);
        square_.keep(left);
        for (Index i = 0; i < count(); ++i) {
            sizes_[i] = sizes_[left[i]];
            points_[i] = points_[left[i]];
        }
        std::fill(std::fill_n(gone_.begin(), count(), T{0}), gone_.end(), kFar<T>);
        return true;
    }

   private:
    Index length() const { return Lines<T>::whole(width()); }

    // Both rows below the diagonal. On it, any number will do: nobody looks there, or it is marked.
    void read_columns(Id lost, Id kept) {
        T *row = square_.row(kept), *other = square_.row(lost);
        for (Id x = 0; x < kept; ++x) {
            const T* each = square_.row(x);
            row[x] = each[kept];
            other[x] = each[lost];
        }
        for (Id x = kept; x < lost; ++x) other[x] = square_.row(x)[lost];
        row[kept] = other[lost] = 0;
    }

    Square<T>& square_;
    Index count_;
    std::vector<Id> points_;
    std::vector<T> gone_;  // infinite for slots that are gone, zero for others
    std::vector<double> sizes_;
};

}  // namespace chamfer
