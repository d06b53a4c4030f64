// Where the classical algorithms get linkage values from: a condensed matrix that they update (MatrixRows), or the
// clusters' centres, from which rows are computed as needed in O(n d) memory (CentreRows).
//
// Both number clusters by slots and offer
//   row(c, from)  values from c to every slot at or after `from`; infinite for c itself and for slots that are gone
//   merge(a, b)   b becomes the union, a is gone
//   remove(c)     c is gone (spanning trees need no unions)
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
concept Rows = requires(R rows, Id c, Index from) {
    typename R::Value;
    { rows.width() } -> std::same_as<Index>;
    { rows.row(c, from) } -> std::same_as<const typename R::Value*>;
    rows.merge(c, c);
    rows.remove(c);
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

    // Left of the diagonal the row is a column of the triangle: one cache line each, so only living slots are read.
    const T* row(Id c, Index from) {
        const Index left = count_before(c), skip = count_before(from);
        parallel_ranges(left - skip, 2048, threads_, [&](Index begin, Index end) {
            for (Index i = skip + begin; i < skip + end; ++i) row_[alive_[i]] = matrix_.row(alive_[i])[c];
        });
        row_[c] = kGone;
        const Index start = std::max<Index>(c + 1, from);
        add_to(matrix_.row(c) + start, penalty_.data() + start, width() - start, row_.data() + start);
        return row_.data();
    }

    void merge(Id a, Id b) {
        const double between = matrix_(a, b), size_a = sizes_[a], size_b = sizes_[b];
        remove(a);
        parallel_ranges(static_cast<Index>(alive_.size()), 1024, threads_, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                const Id x = alive_[i];
                if (x == b) continue;
                T& value = matrix_(b, x);
                value = static_cast<T>(R::update(matrix_(a, x), value, between, {size_a, size_b, sizes_[x]}));
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
        : n_(points.n),
          d_(points.d),
          threads_(threads),
          columns_(points.n * points.d),
          centre_(points.d),
          sizes_(points.n, 1.0),
          penalty_(points.n, 0.0),
          row_(points.n) {
        for (Index i = 0; i < n_; ++i)
            for (Index k = 0; k < d_; ++k) columns_[k * n_ + i] = points.row(i)[k];
    }

    Index width() const { return n_; }

    const double* row(Id c, Index from) {
        for (Index k = 0; k < d_; ++k) centre_[k] = columns_[k * n_ + c];
        parallel_ranges(n_ - from, 65536 / d_, threads_, [&](Index begin, Index end) {
            begin += from, end += from;
            squared_distances(centre_.data(), columns_.data(), n_, d_, begin, end, row_.data() + begin);
            for (Index x = begin; x < end; ++x) row_[x] = R::between(row_[x], sizes_[c], sizes_[x]) + penalty_[x];
        });
        row_[c] = kGone;
        return row_.data();
    }

    void merge(Id a, Id b) {
        const double share = R::share(sizes_[a], sizes_[b]);
        for (Index k = 0; k < d_; ++k) {
            double* column = columns_.data() + k * n_;
            column[b] += share * (column[a] - column[b]);
        }
        sizes_[b] += sizes_[a];
        remove(a);
    }

    void remove(Id c) { penalty_[c] = row_[c] = kGone; }

   private:
    static constexpr double kGone = std::numeric_limits<double>::infinity();

    Index n_, d_;
    int threads_;
    std::vector<double> columns_, centre_, sizes_, penalty_, row_;
};

}  // namespace chamfer
