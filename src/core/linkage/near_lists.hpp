// The nearest neighbours of points, for the capped Chamfer linkage: what a point counts at most, and which clusters are
// candidates of which.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "../distance/packed_list.hpp"

namespace chamfer {

class NearLists {
   public:
    NearLists() = default;  // no caps

    // Rows of neighbours, nearest first, of which k count. If there is one more, it is as far as the cap.
    template <class T>
    NearLists(const Points<T>& points, const Id* nearest, Index width, Index k)
        : nearest_(nearest), width_(width), k_(k), caps_(points.n, kFar<double>), firsts_(points.n + 1) {
        const auto n = static_cast<Id>(points.n);
        for (Id p = 0; p < n; ++p) {
            if (width > k) caps_[p] = squared_between(points, p, nearest[p * width + k]);
            for (const Id q : listed(p)) ++firsts_[q + 1];
        }
        std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
        listing_.resize(firsts_.back());
        std::vector<Index> place(firsts_.begin(), firsts_.end() - 1);
        for (Id p = 0; p < n; ++p)
            for (const Id q : listed(p)) listing_[place[q]++] = p;
    }

    bool there() const { return nearest_ != nullptr; }
    // Squared.
    double cap(Id p) const { return there() ? caps_[p] : kFar<double>; }
    // What is on the list of p, and on whose lists p is.
    std::span<const Id> listed(Id p) const { return {nearest_ + p * width_, static_cast<std::size_t>(k_)}; }
    std::span<const Id> listing(Id p) const { return {listing_.data() + firsts_[p], listing_.data() + firsts_[p + 1]}; }

   private:
    const Id* nearest_ = nullptr;
    Index width_ = 0, k_ = 0;
    std::vector<double> caps_;
    std::vector<Index> firsts_;
    std::vector<Id> listing_;
};

}  // namespace chamfer
