// Points packed for distances from one of them to many: in blocks of 32, coordinate after coordinate, so that
// the squared distances to a block are summed in registers from one stream of aligned loads.
#pragma once

#include <vector>

#include "points.hpp"

namespace chamfer {

class Packed {
   public:
    static constexpr Index kBlock = 32;

    template <class T>
    explicit Packed(const Points<T>& points)
        : n_(points.n), d_(points.d), strips_((points.n + kBlock - 1) / kBlock * points.d, gone()) {
        for (Index j = 0; j < n_; ++j)
            for (Index k = 0; k < d_; ++k) at(j, k) = static_cast<double>(points.row(j)[k]);
    }

    Index n() const { return n_; }
    Index d() const { return d_; }
    double& at(Index j, Index k) { return strips_[j / kBlock * d_ + k].lane[j % kBlock]; }
    double at(Index j, Index k) const { return strips_[j / kBlock * d_ + k].lane[j % kBlock]; }
    void get(Index j, double* x) const {
        for (Index k = 0; k < d_; ++k) x[k] = at(j, k);
    }

    // out[j - first] = squared distance from x to point j of [first, last); `first` is a multiple of kBlock
    // and `out` has room for whole blocks.
    void squared_distances(const double* x, Index first, Index last, double* out) const {
        if (first < last)
            level->others->packed_distances(x, strips_[first / kBlock * d_].lane, d_,
                                            (last - first + kBlock - 1) / kBlock, out);
    }

    // Infinitely far from everything from now on.
    void remove(Index j) {
        for (Index k = 0; k < d_; ++k) at(j, k) = kFar<double>;
    }

    void move(Index from, Index to) {
        for (Index k = 0; k < d_; ++k) at(to, k) = at(from, k);
    }

    void resize(Index n) {
        for (Index j = n; j < n_; ++j) remove(j);
        strips_.resize((n + kBlock - 1) / kBlock * d_, gone());
        n_ = n;
    }

   private:
    struct alignas(64) Strip {
        double lane[kBlock];
    };

    static Strip gone() {
        Strip strip;
        std::fill_n(strip.lane, kBlock, kFar<double>);
        return strip;
    }

    Index n_, d_;
    std::vector<Strip> strips_;
};

}  // namespace chamfer
