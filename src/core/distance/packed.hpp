// Points packed for distances from one of them to many: in blocks of 32, coordinate after coordinate, so that
// the squared distances to a block are summed in registers from one stream of aligned loads.
#pragma once

#include "../base/lines.hpp"
#include "points.hpp"

namespace chamfer {

class Packed {
   public:
    template <class T>
    explicit Packed(const Points<T>& points)
        : n_(points.n), d_(points.d), strips_((n_ + kBlock - 1) / kBlock * d_ * kBlock) {
        for (Index first = 0; first < n_; first += kBlock) {
            double* strips = strips_.data() + first * d_;
            if constexpr (sizeof(T) == sizeof(double))
                if (first + kBlock <= n_) {
                    level->others->pack(points.row(first), d_, strips);
                    continue;
                }
            for (Index lane = 0; lane < std::min(kBlock, n_ - first); ++lane) {
                const T* x = points.row(first + lane);
                for (Index k = 0; k < d_; ++k) strips[k * kBlock + lane] = static_cast<double>(x[k]);
            }
        }
        for (Index j = n_; j % kBlock > 0; ++j) remove(j);
    }

    Index n() const { return n_; }
    Index d() const { return d_; }
    double& at(Index j, Index k) { return strips_.data()[(j / kBlock * d_ + k) * kBlock + j % kBlock]; }
    double at(Index j, Index k) const { return block(j / kBlock * kBlock)[k * kBlock + j % kBlock]; }
    void get(Index j, double* x) const {
        for (Index k = 0; k < d_; ++k) x[k] = at(j, k);
    }

    const double* block(Index first) const { return strips_.data() + first * d_; }  // `first` is a multiple of kBlock

    // out[j - first] = squared distance from x to point j of [first, last); `first` is a multiple of kBlock
    // and `out` has room for whole blocks.
    void squared_distances(const double* x, Index first, Index last, double* out) const {
        if (first < last)
            level->others->packed_distances(x, block(first), d_, (last - first + kBlock - 1) / kBlock, out);
    }

    // Infinitely far from everything from now on.
    void remove(Index j) {
        for (Index k = 0; k < d_; ++k) at(j, k) = kFar<double>;
    }

    void move(Index from, Index to) {
        for (Index k = 0; k < d_; ++k) at(to, k) = at(from, k);
    }

    // Keeps the first n.
    void shrink(Index n) {
        for (Index j = n; j < n_; ++j) remove(j);
        n_ = n;
    }

   private:
    Index n_, d_;
    Lines<double> strips_;
};

}  // namespace chamfer
