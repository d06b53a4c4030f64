// Points that are listed one after the other, packed as in packed.hpp as far as they fill blocks. Lists of less than a
// block, which most are, take no more than the numbers of their points.
//
// Squared distances are sums in the order of the coordinates, whether points are packed or not.
#pragma once

#include <bit>
#include <vector>

#include "points.hpp"

namespace chamfer {

// What holds some points.
struct Box {
    std::vector<double> low, high;
};

template <class Term>
double sum_of_squares(Index d, Term&& term) {
    double sum = 0;
    for (Index k = 0; k < d; ++k) {
        const double each = term(k);
        sum += each * each;
    }
    return sum;
}

template <class T>
double squared_between(const Points<T>& points, Id p, Id q) {
    const T *x = points.row(p), *y = points.row(q);
    return sum_of_squares(points.d, [&](Index k) { return static_cast<double>(x[k]) - static_cast<double>(y[k]); });
}

template <class T>
class PackedList {
   public:
    Index size() const { return static_cast<Index>(numbers_.size()); }
    Id operator[](Index i) const { return numbers_[i]; }
    const std::vector<Id>& numbers() const { return numbers_; }

    void push(const Points<T>& points, Id p) {
        numbers_.push_back(p);
        if (size() % kBlock > 0) return;
        strips_.resize(size() / kBlock * points.d);
        const Index first = size() - kBlock;
        Strip* strips = &strips_[first / kBlock * points.d];
        for (Index lane = 0; lane < kBlock; ++lane)
            for (Index k = 0; k < points.d; ++k)
                strips[k].lane[lane] = static_cast<double>(points.row(numbers_[first + lane])[k]);
    }

    // The squared distance from x to the nearest point.
    double nearest(const Points<T>& points, const double* x) const {
        constexpr Index kChunk = 16 * kBlock;
        double smallest = kFar<double>, squared[kChunk];
        for (Index first = 0; first < packed(); first += kChunk) {
            const Index length = std::min(kChunk, packed() - first);
            level->others->packed_distances(x, block(first, points.d), points.d, length / kBlock, squared);
            smallest = std::min(smallest, kernels<double>().minimum(squared, length));
        }
        for (Index i = packed(); i < size(); ++i) {
            const T* y = points.row(numbers_[i]);
            smallest = std::min(smallest, sum_of_squares(points.d, [&](Index k) { return x[k] - y[k]; }));
        }
        return smallest;
    }

    // The squared distances from the points of a whole block to the nearest of others each; `row` is room for a point.
    void block_to_nearest(const Points<T>& points, Index first, const PackedList& others, double* row,
                          double* squared) const {
        std::fill_n(squared, kBlock, kFar<double>);
        double there[kBlock];
        for (const Id q : others.numbers()) {
            std::copy_n(points.row(q), points.d, row);
            level->others->packed_distances(row, block(first, points.d), points.d, 1, there);
            for (Index i = 0; i < kBlock; ++i) squared[i] = std::min(squared[i], there[i]);
        }
    }

    // Calls near(i) for those of the first `count` points that are within the squared distance limits[i] of a box.
    template <class Near>
    void each_near(const Points<T>& points, const Box& box, const double* limits, Index count, Near&& near) const {
        const double *low = box.low.data(), *high = box.high.data();
        const Index whole = std::min(packed(), count / kBlock * kBlock);
        for (Index first = 0; first < whole; first += kBlock) {
            std::uint32_t bits = level->others->near_box(block(first, points.d), points.d, low, high, limits + first);
            for (; bits != 0; bits &= bits - 1) near(first + std::countr_zero(bits));
        }
        for (Index i = whole; i < count; ++i) {
            const T* y = points.row(numbers_[i]);
            const auto outside = [&](Index k) { return std::max({low[k] - y[k], y[k] - high[k], 0.0}); };
            if (sum_of_squares(points.d, outside) <= limits[i]) near(i);
        }
    }

    Box box(const Points<T>& points) const {
        Box box{std::vector<double>(points.d, kFar<double>), std::vector<double>(points.d, -kFar<double>)};
        for (const Id p : numbers_)
            for (Index k = 0; k < points.d; ++k) {
                const double x = points.row(p)[k];
                box.low[k] = std::min(box.low[k], x);
                box.high[k] = std::max(box.high[k], x);
            }
        return box;
    }

   private:
    struct alignas(64) Strip {
        double lane[kBlock];
    };

    Index packed() const { return size() / kBlock * kBlock; }
    const double* block(Index first, Index d) const { return strips_[first / kBlock * d].lane; }

    std::vector<Id> numbers_;
    std::vector<Strip> strips_;  // of whole blocks
};

}  // namespace chamfer
