// Values between few clusters for the chain, which looks at whole rows: see late_rows.hpp.
#pragma once

#include <numeric>
#include <vector>

#include "late_rows.hpp"

namespace chamfer {

template <class T, Rule R>
    requires(R::reducible)
class WholeRows {
   public:
    using Value = T;
    using RuleType = R;

    // Of the triangle in `square`.
    explicit WholeRows(Square<T>& square, const Weights& weights = {})
        : rows_(square), count_(square.n()), sizes_(or_ones(weights, square.n())), gone_(square.n(), kFar<T>) {
        std::fill_n(gone_.data(), square.n(), T{0});
    }

    Index width() const { return rows_.width(); }
    Index count() const { return count_; }
    Id first() {
        while (gone_.data()[first_] > 0) ++first_;
        return first_;
    }
    Id point(Id c) const { return c; }

    Neighbour<T> nearest(Id c, Index) {
        return kernels<T>().nearest(rows_.row(c), gone_.data(), 0, Lines<T>::whole(width()));
    }

    void merge(Id lost, Id kept) {
        T *row = rows_.row(kept), *other = rows_.row(lost);
        const double between = static_cast<double>(row[lost]);
        update_row<R>(other, row, {sizes_[lost], sizes_[kept], between}, sizes_.data(), width(), row);
        rows_.unite(lost, kept);
        gone_.data()[lost] = kFar<T>;
        sizes_[kept] += sizes_[lost];
        --count_;
    }

    bool compact(std::vector<Id>&) const { return false; }  // slots that are gone are marked

   private:
    LateRows<T> rows_;
    Index count_;
    Id first_ = 0;
    std::vector<double> sizes_;
    Lines<T> gone_;  // infinite for slots that are gone, and after the last one; zero for others
};

}  // namespace chamfer
