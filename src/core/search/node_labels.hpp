// What a search by tree knows of the clusters in each node: which they are if they are few, and the lowest label. It is
// found out where a query comes by, so that a search of few points looks at few nodes.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "kdtree.hpp"

namespace chamfer {

// The different labels of some points, as long as they are few.
struct FewLabels {
    static constexpr Id kMost = 4;
    Id count = 0;  // beyond kMost: too many to know
    Id label[kMost];

    bool known() const { return count <= kMost; }
    const Id* begin() const { return label; }
    const Id* end() const { return label + count; }
    bool is(Id only) const { return count == 1 && label[0] == only; }

    void add(Id next) {
        if (!known() || std::find(begin(), end(), next) != end()) return;
        if (count < kMost) label[count] = next;
        ++count;
    }
};

template <class Label>
class NodeLabels {
   public:
    // `label`: of a place in the tree.
    NodeLabels(const KdTree<double>& tree, const Label& label)
        : tree_(tree), label_(label), few_(tree.nodes().size()), lowest_(tree.nodes().size()) {}

    Id at(Id place) const { return label_(place); }

    // The labels of a node, if they are few. Threads may find out the same at the same time, and write the same.
    FewLabels few(Id node) const {
        Stored& stored = few_[node];
        FewLabels found;
        found.count = stored.count.load(std::memory_order_acquire);
        if (found.count > 0) {
            for (Id i = 0; found.known() && i < found.count; ++i)
                found.label[i] = stored.label[i].load(std::memory_order_relaxed);
            return found;
        }
        find(node, found);
        for (Id i = 0; found.known() && i < found.count; ++i)
            stored.label[i].store(found.label[i], std::memory_order_relaxed);
        stored.count.store(found.count, std::memory_order_release);
        return found;
    }

    // The lowest label of a node.
    Id lowest(Id node) const {
        if (const Id stored = lowest_[node].load(std::memory_order_relaxed); stored > 0) return stored - 1;
        const auto& [begin, end, right] = tree_.nodes()[node];
        Id least = right ? std::min(lowest(node + 1), lowest(right)) : at(begin);
        for (Id place = begin + 1; !right && place < end; ++place) least = std::min(least, at(place));
        lowest_[node].store(least + 1, std::memory_order_relaxed);
        return least;
    }

   private:
    struct Stored {
        std::atomic<Id> count;  // 0: not known yet
        std::atomic<Id> label[FewLabels::kMost];
    };

    void find(Id node, FewLabels& found) const {
        const auto& [begin, end, right] = tree_.nodes()[node];
        if (right) {
            found = few(node + 1);
            if (!found.known()) return;
            const FewLabels others = few(right);
            if (!others.known()) found.count = others.count;
            for (Id i = 0; found.known() && i < others.count; ++i) found.add(others.label[i]);
            return;
        }
        for (Id place = begin; found.known() && place < end; ++place) found.add(at(place));
    }

    const KdTree<double>& tree_;
    Label label_;
    mutable std::vector<Stored> few_;
    mutable std::vector<std::atomic<Id>> lowest_;
};

}  // namespace chamfer
