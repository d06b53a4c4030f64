// A k-d tree, and the one way down it. J. L. Bentley, Multidimensional binary search trees used for associative
// searching, CACM 18 (1975) 509-517.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "../base/threads.hpp"

namespace chamfer {

// A balanced tree over n points of m coordinates, in preorder: the left child of node i is i + 1.
template <class F>
class KdTree {
   public:
    struct Node {
        Id begin, end;  // its points, as places in order()
        Id right;       // its right child; 0 for a leaf
    };

    KdTree(const F* coordinates, Index n, Index m, Index leaf) : coordinates_(coordinates), m_(m), order_(n) {
        std::iota(order_.begin(), order_.end(), Id{0});
        build(0, static_cast<Id>(n), leaf);
    }

    const std::vector<Id>& order() const { return order_; }
    const std::vector<Node>& nodes() const { return nodes_; }

    // Values of nodes from the leaves up: of_leaf(begin, end) gives that of a leaf, join(left, right) that of others.
    template <class OfLeaf, class Join>
    auto gather(OfLeaf&& of_leaf, Join&& join) const {
        std::vector<decltype(of_leaf(Id{}, Id{}))> values(nodes_.size());
        for (Index i = static_cast<Index>(nodes_.size()) - 1; i >= 0; --i) {
            const auto& [begin, end, right] = nodes_[i];
            values[i] = right ? join(values[i + 1], values[right]) : of_leaf(begin, end);
        }
        return values;
    }

    // Goes down from the root, to the nearer child first. Nodes for which skip(node, squared), with a lower bound of
    // the squared distance from x, is true are left out; visit(place) is called for all places of other leaves.
    template <class Skip, class Visit>
    void descend(const F* x, Skip&& skip, Visit&& visit) const {
        struct Waiting {
            Id node;
            F squared;
        };
        Waiting stack[128];
        Index waiting = 0;
        stack[waiting++] = {0, 0};
        while (waiting > 0) {
            const Waiting next = stack[--waiting];
            if (skip(next.node, next.squared)) continue;
            const Node& node = nodes_[next.node];
            if (node.right) {
                const Waiting left{next.node + 1, to_box(x, next.node + 1)}, right{node.right, to_box(x, node.right)};
                const bool left_first = left.squared <= right.squared;
                stack[waiting++] = left_first ? right : left;
                stack[waiting++] = left_first ? left : right;
            } else {
                for (Id place = node.begin; place < node.end; ++place) visit(place);
            }
        }
    }

   private:
    Id build(Id begin, Id end, Index leaf) {
        const Id node = static_cast<Id>(nodes_.size());
        nodes_.push_back({begin, end, 0});
        const Index wide = add_box(begin, end);
        const F* box = boxes_.data() + 2 * m_ * node;
        if (end - begin > leaf && box[m_ + wide] > box[wide]) {
            const Id middle = begin + (end - begin) / 2;
            // Equal coordinates are split by number, so that the tree is the same on every machine.
            std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](Id a, Id b) {
                const F x = coordinates_[a * m_ + wide], y = coordinates_[b * m_ + wide];
                return x != y ? x < y : a < b;
            });
            build(begin, middle, leaf);
            const Id right = build(middle, end, leaf);
            nodes_[node].right = right;
        }
        return node;
    }

    // Appends the box of these points, lowest and highest coordinates, and gives its widest coordinate.
    Index add_box(Id begin, Id end) {
        const std::size_t start = boxes_.size();
        const F* first = coordinates_ + order_[begin] * m_;
        boxes_.insert(boxes_.end(), first, first + m_);
        boxes_.insert(boxes_.end(), first, first + m_);
        F *low = boxes_.data() + start, *high = low + m_;
        for (Id i = begin + 1; i < end; ++i)
            for (Index k = 0; k < m_; ++k) {
                const F x = coordinates_[order_[i] * m_ + k];
                low[k] = std::min(low[k], x);
                high[k] = std::max(high[k], x);
            }
        Index wide = 0;
        for (Index k = 1; k < m_; ++k)
            if (high[k] - low[k] > high[wide] - low[wide]) wide = k;
        return wide;
    }

    F to_box(const F* x, Id node) const {
        const F *low = boxes_.data() + 2 * m_ * node, *high = low + m_;
        F sum = 0;
        for (Index k = 0; k < m_; ++k) {
            const F outside = std::max({low[k] - x[k], x[k] - high[k], F{0}});
            sum += outside * outside;
        }
        return sum;
    }

    const F* coordinates_;
    Index m_;
    std::vector<Id> order_;
    std::vector<Node> nodes_;
    std::vector<F> boxes_;
};

// body(i) for all queries i of [0, count), neighbours in one share; ticks count queries.
template <class Body>
void parallel_queries(Index count, int threads, const Tick& tick, Body&& body) {
    constexpr Index kShare = 64, kGroup = 256;  // queries a task, tasks between two ticks
    for (Index first = 0; first < count; first += kShare * kGroup) {
        parallel_tasks(std::min(kGroup, (count - first + kShare - 1) / kShare), threads, [&](Index task, int) {
            const Index begin = first + task * kShare, end = std::min(count, begin + kShare);
            for (Index i = begin; i < end; ++i) body(i);
        });
        tick(std::min(count, first + kShare * kGroup));
    }
}

}  // namespace chamfer
