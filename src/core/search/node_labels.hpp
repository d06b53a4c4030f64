// What a search by tree knows of the clusters in each node: whether all points are in one, and the lowest label. It is
// found out where a query comes by, so that a search of few points looks at few nodes.
#pragma once

#include <atomic>
#include <vector>

#include "kdtree.hpp"

namespace chamfer {

inline constexpr Id kMixed = -1;  // in the place of a label: points of several clusters

template <class Label>
class NodeLabels {
   public:
    // `label`: of a place in the tree.
    NodeLabels(const KdTree<double>& tree, const Label& label)
        : tree_(tree), label_(label), only_(tree.nodes().size()), lowest_(tree.nodes().size()) {}

    Id at(Id place) const { return label_(place); }

    // The label of all points of a node, or kMixed.
    Id only(Id node) const {
        return known(only_[node], [&] {
            const auto& [begin, end, right] = tree_.nodes()[node];
            const Id first = at(begin);
            if (at(end - 1) != first) return kMixed;
            if (right) return only(node + 1) == first && only(right) == first ? first : kMixed;
            for (Id place = begin + 1; place < end; ++place)
                if (at(place) != first) return kMixed;
            return first;
        });
    }

    // The lowest label of a node.
    Id lowest(Id node) const {
        return known(lowest_[node], [&] {
            const auto& [begin, end, right] = tree_.nodes()[node];
            if (right) return std::min(lowest(node + 1), lowest(right));
            Id least = at(begin);
            for (Id place = begin + 1; place < end; ++place) least = std::min(least, at(place));
            return least;
        });
    }

   private:
    // Threads may find out the same at the same time, and write the same.
    template <class Find>
    static Id known(std::atomic<Id>& slot, Find&& find) {
        constexpr Id kUnknown = 0, kShift = 2;  // labels are stored from 2 on, kMixed as 1
        if (const Id stored = slot.load(std::memory_order_relaxed); stored != kUnknown) return stored - kShift;
        const Id found = find();
        slot.store(found + kShift, std::memory_order_relaxed);
        return found;
    }

    const KdTree<double>& tree_;
    Label label_;
    mutable std::vector<std::atomic<Id>> only_, lowest_;
};

}  // namespace chamfer
