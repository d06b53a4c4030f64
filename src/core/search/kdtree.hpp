// A k-d tree, and the one way down it. J. L. Bentley, Multidimensional binary search trees used for associative
// searching, CACM 18 (1975) 509-517.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "../base/threads.hpp"

namespace chamfer {

// body(i, thread) for all i of [0, count), `share` neighbours a task; `tick` hears how many are done.
template <class Body>
void parallel_queries(Index count, Index share, int threads, const Tick& tick, Body&& body) {
    constexpr Index kTasks = 256;  // between two ticks
    for (Index first = 0; first < count; first += share * kTasks) {
        parallel_tasks(std::min(kTasks, (count - first + share - 1) / share), threads, [&](Index task, int thread) {
            const Index begin = first + task * share, end = std::min(count, begin + share);
            for (Index i = begin; i < end; ++i) body(i, thread);
        });
        tick(std::min(count, first + share * kTasks));
    }
}

// A balanced tree over n points of m coordinates, in preorder: the left child of node i is i + 1. Every leaf but the
// last has exactly `leaf` points, also where points are equal, so that leaf i begins at place i * leaf. Points that are
// equal in the coordinate of a split are split by the others, so that the boxes of a lattice are small, and copies by
// number: the tree is the same on every machine and for any number of threads, and of copies of a point those with
// lower numbers come first.
template <class F>
class KdTree {
   public:
    struct Node {
        Id begin, end;  // its points, as places in order()
        Id right;       // its right child; 0 for a leaf
    };

    KdTree(const F* coordinates, Index n, Index m, Index leaf, int threads, const Tick& tick)
        : m_(m),
          leaf_(leaf),
          order_(n),
          nodes_(2 * ((n + leaf - 1) / leaf) - 1),
          boxes_(nodes_.size() * 2 * m),
          rows_(std::make_unique_for_overwrite<F[]>(n * m)) {
        std::iota(order_.begin(), order_.end(), Id{0});
        std::copy_n(coordinates, n * m, rows_.get());
        build(threads, tick);
    }

    const std::vector<Id>& order() const { return order_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    // The box of a node: its lowest coordinates, then its highest.
    const F* box(Id node) const { return boxes_.data() + 2 * m_ * node; }

    // The points' coordinates in the tree's order, which nobody needs afterwards but the caller.
    std::unique_ptr<F[]> take_rows() { return std::move(rows_); }

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

    // Goes down from the root, to the nearer child first; of equally near ones to the one with place `home`, so that
    // queries there see their own leaf first, else to the left. Nodes for which skip(node, squared) is true are left
    // out, `squared` being a lower bound of the squared distance to the box from `low` to `high`; visit(node) is called
    // for other leaves. Rounding keeps the bound one: outside by outside, it is monotone.
    template <class Skip, class Visit>
    void descend(const F* low, const F* high, Id home, Skip&& skip, Visit&& visit) const {
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
                const Waiting left{next.node + 1, between(low, high, next.node + 1)},
                    right{node.right, between(low, high, node.right)};
                const bool left_first =
                    left.squared != right.squared ? left.squared < right.squared : !goes_home(next.node, home);
                stack[waiting++] = left_first ? right : left;
                stack[waiting++] = left_first ? left : right;
            } else {
                visit(next.node);
            }
        }
    }

   private:
    struct Key {
        F x;
        Id point, at;  // its number, and its place before the split
    };
    struct Scratch {
        std::unique_ptr<Key[]> keys;
        std::unique_ptr<F[]> rows;
    };

    // Nodes near the root one level after the other, those of a level at the same time; then whole subtrees, which are
    // small enough for the cache, and for Ctrl-C to be seen soon.
    void build(int threads, const Tick& tick) {
        const Index n = static_cast<Index>(order_.size());
        const Scratch scratch{std::make_unique_for_overwrite<Key[]>(n), std::make_unique_for_overwrite<F[]>(n * m_)};
        nodes_[0] = {0, static_cast<Id>(n), 0};
        std::vector<Id> level{0};
        const auto at_work = [&](Index) { tick(0); };
        const auto each = [&](auto&& body) {
            parallel_queries(static_cast<Index>(level.size()), 1, threads, at_work,
                             [&](Index i, int) { body(level[i]); });
        };
        for (Index points = n; points > kSubtree; points /= 2) {
            each([&](Id node) { split(node, scratch); });
            std::vector<Id> next;
            for (const Id node : level)
                if (nodes_[node].right) next.insert(next.end(), {node + 1, nodes_[node].right});
            level = std::move(next);
        }
        each([&](Id node) { split_all(node, scratch); });
    }

    void split_all(Id node, const Scratch& scratch) {
        split(node, scratch);
        if (const Id right = nodes_[node].right) {
            split_all(node + 1, scratch);
            split_all(right, scratch);
        }
    }

    // Gives a node its box and, if it has more points than a leaf, its children.
    void split(Id at, const Scratch& scratch) {
        Node& node = nodes_[at];
        const Index wide = measure(at), leaves = (node.end - node.begin + leaf_ - 1) / leaf_;
        if (leaves < 2) return;
        const Id middle = static_cast<Id>(node.begin + leaves / 2 * leaf_);
        Key* keys = scratch.keys.get();
        for (Id i = node.begin; i < node.end; ++i) keys[i] = {rows_[i * m_ + wide], order_[i], i};
        std::nth_element(keys + node.begin, keys + middle, keys + node.end, [&](const Key& a, const Key& b) {
            return a.x != b.x ? a.x < b.x : equals_before(a, b, wide);
        });
        const Index first = node.begin, count = node.end - node.begin;
        std::copy_n(rows_.get() + first * m_, count * m_, scratch.rows.get() + first * m_);
        for (Id i = node.begin; i < node.end; ++i) {
            order_[i] = keys[i].point;
            const F* row = scratch.rows.get() + keys[i].at * m_;
            for (Index k = 0; k < m_; ++k) rows_[i * m_ + k] = row[k];
        }
        node.right = static_cast<Id>(at + leaves / 2 * 2);
        nodes_[at + 1] = {node.begin, middle, 0};
        nodes_[node.right] = {middle, node.end, 0};
    }

    // Of points with equal coordinates `wide`, by the coordinates that follow it, then by number.
    bool equals_before(const Key& a, const Key& b, Index wide) const {
        const F *x = rows_.get() + a.at * m_, *y = rows_.get() + b.at * m_;
        for (Index step = 1; step < m_; ++step) {
            const Index k = wide + step < m_ ? wide + step : wide + step - m_;
            if (x[k] != y[k]) return x[k] < y[k];
        }
        return a.point < b.point;
    }

    // The box of a node, and its widest coordinate.
    Index measure(Id node) {
        const auto& [begin, end, right] = nodes_[node];
        F *low = boxes_.data() + 2 * m_ * node, *high = low + m_;
        std::copy_n(rows_.get() + begin * m_, m_, low);
        std::copy_n(rows_.get() + begin * m_, m_, high);
        for (Id i = begin + 1; i < end; ++i)
            for (Index k = 0; k < m_; ++k) {
                const F x = rows_[i * m_ + k];
                low[k] = std::min(low[k], x);
                high[k] = std::max(high[k], x);
            }
        Index wide = 0;
        for (Index k = 1; k < m_; ++k)
            if (high[k] - low[k] > high[wide] - low[wide]) wide = k;
        return wide;
    }

    static constexpr Index kSubtree = 1 << 13;  // points

    // Whether to go right first to reach `home`. Copies of one point are seen by number.
    bool goes_home(Id node, Id home) const {
        if (home < nodes_[nodes_[node].right].begin || home >= nodes_[node].end) return false;
        return !std::equal(box(node), box(node) + m_, box(node) + m_);
    }

    F between(const F* low, const F* high, Id node) const {
        const F *lowest = box(node), *highest = lowest + m_;
        F sum = 0;
        for (Index k = 0; k < m_; ++k) {
            const F outside = std::max({lowest[k] - high[k], low[k] - highest[k], F{0}});
            sum += outside * outside;
        }
        return sum;
    }

    Index m_, leaf_;
    std::vector<Id> order_;
    std::vector<Node> nodes_;
    std::vector<F> boxes_;
    std::unique_ptr<F[]> rows_;
};

}  // namespace chamfer
