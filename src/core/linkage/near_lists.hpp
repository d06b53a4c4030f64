// The nearest neighbours of points, for the capped Chamfer linkage: what a point counts at most, and which clusters are
// candidates of which. A point of weight w is w points: w - 1 of its own neighbours, and w of those of others.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "../distance/packed_list.hpp"

namespace chamfer {

class NearLists {
   public:
    NearLists() = default;  // no caps

    // Rows of neighbours, nearest first, of which k count. The next one is as far as the cap.
    template <class T>
    NearLists(const Points<T>& points, const Id* nearest, Index width, double k, const std::vector<double>& weights)
        : nearest_(nearest), width_(width), counts_(points.n), caps_(points.n, kFar<double>), firsts_(points.n + 1) {
        const auto n = static_cast<Id>(points.n);
        for (Id p = 0; p < n; ++p) {
            double seen = weights[p];
            if (seen >= k + 2) caps_[p] = 0;
            for (Index i = 0; i < width && seen < k + 2; ++i) {
                const Id q = nearest[p * width + i];
                if (seen < k + 1) ++counts_[p];
                seen += weights[q];
                if (seen >= k + 2) caps_[p] = squared_between(points, p, q);
            }
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
    std::span<const Id> listed(Id p) const { return {nearest_ + p * width_, static_cast<std::size_t>(counts_[p])}; }
    std::span<const Id> listing(Id p) const { return {listing_.data() + firsts_[p], listing_.data() + firsts_[p + 1]}; }

   private:
    const Id* nearest_ = nullptr;
    Index width_ = 0;
    std::vector<Id> counts_;  // of neighbours that count
    std::vector<double> caps_;
    std::vector<Index> firsts_;
    std::vector<Id> listing_;
};

}  // namespace chamfer
