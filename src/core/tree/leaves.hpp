// The points in the order of the tree, and the merge at which two points come together.
#pragma once

#include <bit>
#include <vector>

#include "dendrogram.hpp"

namespace chamfer {

// The points of cluster c are at the places [first[c], first[c] + size[c]) of this order.
struct LeafOrder {
    std::vector<Index> first, size;

    explicit LeafOrder(const Tree& tree) : first(tree.n + tree.merges(), 0), size(tree.n + tree.merges(), 1) {
        for (Index i = 0; i < tree.merges(); ++i) size[tree.n + i] = size[tree.child(i, 0)] + size[tree.child(i, 1)];
        for (Index i = tree.merges() - 1; i >= 0; --i) {
            const Id left = tree.child(i, 0), right = tree.child(i, 1);
            first[left] = first[tree.n + i];
            first[right] = first[left] + size[left];
        }
    }
};

// Which merge brings two points together, in constant time after O(n log n).
//
// In the order of leaves, a merge stands between the last point of its first cluster and the first point of its
// second. Of the merges between two points, the one that joins them is an ancestor of all others, so it has the
// largest number. A table of maxima over 2^j places answers that with two entries.
class CommonMerges {
   public:
    CommonMerges(const Tree& tree, const LeafOrder& order) : place_(order.first.begin(), order.first.begin() + tree.n) {
        const Index gaps = tree.merges();
        std::vector<Id> merges(gaps);
        for (Index i = 0; i < gaps; ++i) merges[order.first[tree.child(i, 1)] - 1] = static_cast<Id>(i);
        largest_.push_back(std::move(merges));
        for (Index width = 2; width <= gaps; width *= 2) {
            const auto& halves = largest_.back();
            std::vector<Id> wider(gaps - width + 1);
            for (std::size_t at = 0; at < wider.size(); ++at)
                wider[at] = std::max(halves[at], halves[at + static_cast<std::size_t>(width) / 2]);
            largest_.push_back(std::move(wider));
        }
    }

    // Of two different points.
    Id operator()(Index p, Index q) const {
        const auto [from, to] = std::minmax(place_[p], place_[q]);
        const auto length = static_cast<std::uint64_t>(to - from);
        const int level = std::bit_width(length) - 1;
        return std::max(largest_[level][from], largest_[level][to - (Index{1} << level)]);
    }

   private:
    std::vector<Index> place_;
    std::vector<std::vector<Id>> largest_;  // by level: over 2^level gaps from each on
};

}  // namespace chamfer
