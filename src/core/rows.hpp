// Where the classical algorithms get linkage values from: a condensed matrix that they update (MatrixRows),
// or the clusters' centres, from which rows are computed as needed in O(n d) memory (CentreRows).
//
// Both number clusters by slots and offer
//   row(c, from)  values from c to every slot at or after `from`; infinite for c itself and for slots that
//   are gone merge(a, b)   b becomes the union, a is gone remove(c)     c is gone (spanning trees need no
//   unions) first()       any slot that is not gone point(c)      a point of c compact(path) may renumber the
//   slots, in `path` too
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels.hpp"
#include "pairwise.hpp"
#include "parallel.hpp"
#include "rules.hpp"

namespace chamfer {

template <class R>
concept Rows = requires(R rows, Id c, Index from, std::vector<Id> path) {
    typename R::Value;
    { rows.width() } -> std::same_as<Index>;
    { rows.row(c, from) } -> std::same_as<const typename R::Value*>;
    { rows.first() } -> std::same_as<Id>;
    { rows.point(c) } -> std::same_as<Id>;
    rows.merge(c, c);
    rows.remove(c);
    rows.compact(path);
};

template <class T, Rule R>
class MatrixRows {
 public:
    using Value = T;
    using RuleType = R;

    MatrixRows(Triangle<T> matrix, int threads)
        : matrix_(matrix),
          threads_(threads),
          alive_(matrix.n),
          sizes_(matrix.n, 1.0),
          penalty_(matrix.n, T{0}),
          row_(matrix.n) {
        std::iota(alive_.begin(), alive_.end(), Id{0});
    }

    Index width() const { return matrix_.n; }
    Id first() const { return alive_.front(); }
    Id point(Id c) const { return c; }
    void compact(std::vector<Id>&) {}  // what is gone is skipped already

    // Left of the diagonal the row is a column of the triangle: one cache line each, so only living slots are
    // read.
    const T* row(Id c, Index from) {
        const Index left = count_before(c), skip = count_before(from);
        parallel_ranges(left - skip, 2048, threads_, [&](Index begin, Index end) {
            for (Index i = skip + begin; i < skip + end; ++i) row_[alive_[i]] = matrix_.row(alive_[i])[c];
        });
        row_[c] = kGone;
        const Index start = std::max<Index>(c + 1, from);
        const T* values = matrix_.row(c);
        for (Index x = start; x < width(); ++x) row_[x] = values[x] + penalty_[x];
        return row_.data();
    }

    void merge(Id a, Id b) {
        const double between = matrix_(a, b), size_a = sizes_[a], size_b = sizes_[b];
        remove(a);
        const auto update = [&](T& value, T other, Id x) {
            value = static_cast<T>(R::update(other, value, between, {size_a, size_b, sizes_[x]}));
        };
        const Id low = std::min(a, b), high = std::max(a, b);
        T *low_row = matrix_.row(low), *high_row = matrix_.row(high);
        parallel_ranges(static_cast<Index>(alive_.size()), 1024, threads_, [&](Index begin, Index end) {
            Index i = begin;
            for (; i < end && alive_[i] < low; ++i) {
                T* row = matrix_.row(alive_[i]);
                update(row[b], row[a], alive_[i]);
            }
            for (; i < end && alive_[i] < high; ++i) {
                const Id x = alive_[i];
                if (x == b) continue;
                T &below = low_row[x], &above = matrix_.row(x)[high];
                b == low ? update(below, above, x) : update(above, below, x);
            }
            for (; i < end; ++i) {
                const Id x = alive_[i];
                if (x == b) continue;
                b == low ? update(low_row[x], high_row[x], x) : update(high_row[x], low_row[x], x);
            }
        });
        sizes_[b] += size_a;
    }

    void remove(Id c) {
        alive_.erase(alive_.begin() + count_before(c));
        penalty_[c] = row_[c] = kGone;
    }

 private:
    static constexpr T kGone = std::numeric_limits<T>::infinity();

    Index count_before(Index slot) const {
        return std::lower_bound(alive_.begin(), alive_.end(), slot) - alive_.begin();
    }

    Triangle<T> matrix_;
    int threads_;
    std::vector<Id> alive_;  // ascending
    std::vector<double> sizes_;
    std::vector<T> penalty_, row_;
};

template <CentreRule R>
class CentreRows {
 public:
    using Value = double;
    using RuleType = R;

    template <class T>
    CentreRows(const Points<T>& points, int threads)
        : width_(points.n),
          alive_(points.n),
          d_(points.d),
          threads_(threads),
          columns_(points.n * points.d),
          centre_(points.d),
          sizes_(points.n, 1.0),
          penalty_(points.n, 0.0),
          row_(points.n),
          point_(points.n) {
        for (Index i = 0; i < width_; ++i)
            for (Index k = 0; k < d_; ++k) columns_[k * width_ + i] = points.row(i)[k];
        std::iota(point_.begin(), point_.end(), Id{0});
    }

    Index width() const { return width_; }
    Id first() const {
        return static_cast<Id>(std::find(penalty_.begin(), penalty_.end(), 0.0) - penalty_.begin());
    }
    Id point(Id c) const { return point_[c]; }

    const double* row(Id c, Index from) {
        for (Index k = 0; k < d_; ++k) centre_[k] = columns_[k * width_ + c];
        const double size = sizes_[c];
        parallel_ranges(width_ - from, 65536 / d_, threads_, [&](Index begin, Index end) {
            begin += from, end += from;
            squared_distances(centre_.data(), columns_.data(), width_, d_, begin, end, row_.data() + begin);
            for (Index x = begin; x < end; ++x) row_[x] = R::between(row_[x], size, sizes_[x]) + penalty_[x];
        });
        row_[c] = kGone;
        return row_.data();
    }

    void merge(Id a, Id b) {
        const double share = R::share(sizes_[a], sizes_[b]);
        for (Index k = 0; k < d_; ++k) {
            double* column = columns_.data() + k * width_;
            column[b] += share * (column[a] - column[b]);
        }
        sizes_[b] += sizes_[a];
        remove(a);
    }

    void remove(Id c) {
        penalty_[c] = row_[c] = kGone;
        --alive_;
    }

    // Once half the slots are gone, close the gaps: rows are computed over all slots.
    void compact(std::vector<Id>& path) {
        if (2 * alive_ > width_) return;
        std::vector<Id> renamed(width_, -1);
        Index next = 0;
        for (Index c = 0; c < width_; ++c)
            if (penalty_[c] == 0) {
                renamed[c] = static_cast<Id>(next);
                sizes_[next] = sizes_[c];
                point_[next++] = point_[c];
            }
        for (Index k = 0; k < d_; ++k)
            for (Index c = 0; c < width_; ++c)
                if (renamed[c] >= 0) columns_[k * next + renamed[c]] = columns_[k * width_ + c];
        for (Id& c : path) c = renamed[c];
        width_ = next;
        penalty_.assign(width_, 0.0);
    }

 private:
    static constexpr double kGone = std::numeric_limits<double>::infinity();

    Index width_, alive_, d_;
    int threads_;
    std::vector<double> columns_, centre_, sizes_, penalty_, row_;
    std::vector<Id> point_;
};

}  // namespace chamfer
