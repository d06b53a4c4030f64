// Nearest clusters by a k-d tree, exactly: for points whose distances are carried by few coordinates.
//
// The tree stands over coordinates whose distance never exceeds the true one (the points' own, or leading
// principal coordinates and the length of the rest), so a box beyond the reach of a query is skipped whole.
// Before a search every node learns whether all its points are in one cluster: then it is skipped if that is
// the query's own, or one that the query has already found at least as near. J. L. Bentley, Multidimensional
// binary search trees used for associative searching, CACM 18 (1975) 509-517.
#pragma once

#include <numeric>
#include <vector>

#include "filter.hpp"
#include "nearest.hpp"
#include "parallel.hpp"
#include "points.hpp"

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
    // Lowest and highest coordinates of a node's points.
    const F* low(Id node) const { return boxes_.data() + 2 * m_ * node; }
    const F* high(Id node) const { return low(node) + m_; }

   private:
    Id build(Id begin, Id end, Index leaf) {
        const Id node = static_cast<Id>(nodes_.size());
        nodes_.push_back({begin, end, 0});
        const Index wide = add_box(begin, end);
        const F* box = low(node);
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

    // Appends the box of these points and returns its widest coordinate.
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

    const F* coordinates_;
    Index m_;
    std::vector<Id> order_;
    std::vector<Node> nodes_;
    std::vector<F> boxes_;
};

template <class T>
class TreeSearch {
   public:
    // `own`: the coordinates are the points' own, all of them.
    TreeSearch(Points<T> points, Metric metric, const double* coordinates, Index m, bool own)
        : points_(points),
          metric_(metric),
          m_(m),
          own_(own),
          slack_(m, points.d, own),
          tree_(coordinates, points.n, m, kLeaf) {
        sorted_.resize(points.n * m);
        place_.resize(points.n);
        for (Index i = 0; i < points.n; ++i) {
            const Id p = tree_.order()[i];
            place_[p] = static_cast<Id>(i);
            std::copy_n(coordinates + p * m, m, sorted_.data() + i * m);
        }
    }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void clusters(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads, const Tick& tick) {
        std::vector<Id> label_of(points_.n), uniform(tree_.nodes().size());
        for (Index i = 0; i < points_.n; ++i) label_of[i] = labels[tree_.order()[i]];
        find_uniform(label_of, uniform);
        std::vector<Index> sorted(count);
        std::iota(sorted.begin(), sorted.end(), Index{0});
        std::sort(sorted.begin(), sorted.end(),
                  [&](Index a, Index b) { return place_[queries[a]] < place_[queries[b]]; });
        constexpr Index kShare = 64, kGroup = 256;  // queries a task, tasks between two ticks
        for (Index first = 0; first < count; first += kShare * kGroup) {
            const Index tasks = std::min(kGroup, (count - first + kShare - 1) / kShare);
            parallel_tasks(tasks, threads, [&](Index task, int) {
                const Index begin = first + task * kShare, end = std::min(count, begin + kShare);
                for (Index i = begin; i < end; ++i) {
                    Nearest<T> nearest = answers.row(sorted[i]);
                    find(query(queries[sorted[i]], label_of), label_of, uniform, nearest);
                    answers.bounds[sorted[i]] = nearest.finish();
                }
            });
            tick(std::min(count, first + kShare * kGroup));
        }
    }

    // The same for visitors, going on from what the answers hold; the coordinates are the points' own.
    void clusters(Visitors<T, double> visitors, const Id* labels, Answers<T> answers, int threads,
                  const Tick& tick) const {
        std::vector<Id> label_of(points_.n), uniform(tree_.nodes().size());
        for (Index i = 0; i < points_.n; ++i) label_of[i] = labels[tree_.order()[i]];
        find_uniform(label_of, uniform);
        parallel_ranges(visitors.count, 64, threads, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                Nearest<T> nearest = answers.resumed(i);
                find({visitors.rows + i * points_.d, visitors.coordinates + i * m_, visitors.homes[i]}, label_of,
                     uniform, nearest);
                answers.bounds[i] = nearest.finish();
            }
        });
        tick(visitors.count);
    }

    // Calls near(i, p) for points p with another label than query i that may be within the squared distance reach(i),
    // which may shrink meanwhile.
    template <class Reach, class Near>
    void search(const std::vector<Id>& queries, const std::vector<Id>& labels, int threads, const Tick& tick,
                Reach&& reach, Near&& near) const {
        std::vector<Id> label_of(points_.n), uniform(tree_.nodes().size());
        for (Index i = 0; i < points_.n; ++i) label_of[i] = labels[tree_.order()[i]];
        find_uniform(label_of, uniform);
        constexpr Index kShare = 64, kGroup = 256;
        const Index count = static_cast<Index>(queries.size());
        for (Index first = 0; first < count; first += kShare * kGroup) {
            parallel_tasks(std::min(kGroup, (count - first + kShare - 1) / kShare), threads, [&](Index task, int) {
                const Index begin = first + task * kShare, end = std::min(count, begin + kShare);
                for (Index i = begin; i < end; ++i) {
                    const Query here = query(queries[i], label_of);
                    const double slack = slack_.at(here.coordinates);
                    descend(
                        here, label_of, uniform, [&] { return slack_.widen(reach(i), slack); },
                        [](Id) { return std::numeric_limits<double>::infinity(); },
                        [&](Id p, Id, double) { near(i, p); });
                }
            });
            tick(std::min(count, first + kShare * kGroup));
        }
    }

   private:
    static constexpr Index kLeaf = 12;
    static constexpr Id kMixed = -1;

    // A point that looks for others.
    struct Query {
        const T* point;
        const double* coordinates;
        Id home;
    };

    Query query(Id p, const std::vector<Id>& label_of) const {
        return {points_.row(p), sorted_.data() + place_[p] * m_, label_of[place_[p]]};
    }

    void find(const Query& query, const std::vector<Id>& label_of, const std::vector<Id>& uniform,
              Nearest<T>& nearest) const {
        const double slack = slack_.at(query.coordinates);
        const auto limit = [&](T reach) { return slack_.widen(squared_reach(metric_, reach), slack); };
        descend(
            query, label_of, uniform, [&] { return limit(nearest.reach()); },
            [&](Id label) { return limit(nearest.distance_to(label)); },
            [&](Id, Id label, double squared) {
                nearest.offer(label, static_cast<T>(from_squared(metric_, squared)));
            });
    }

    void find_uniform(const std::vector<Id>& label_of, std::vector<Id>& uniform) const {
        const auto& nodes = tree_.nodes();
        for (Index i = static_cast<Index>(nodes.size()) - 1; i >= 0; --i) {
            const auto& node = nodes[i];
            if (node.right) {
                uniform[i] = uniform[i + 1] == uniform[node.right] ? uniform[i + 1] : kMixed;
                continue;
            }
            uniform[i] = label_of[node.begin];
            for (Id j = node.begin + 1; j < node.end; ++j)
                if (label_of[j] != uniform[i]) uniform[i] = kMixed;
        }
    }

    double to_box(const double* x, Id node) const {
        const double *low = tree_.low(node), *high = tree_.high(node);
        double sum = 0;
        for (Index k = 0; k < m_; ++k) {
            const double outside = std::max({low[k] - x[k], x[k] - high[k], 0.0});
            sum += outside * outside;
        }
        return sum;
    }

    // Calls found(p, label, squared) for points p outside the query's own cluster that are within reach() and, for
    // their cluster, within known(label), both squared.
    template <class Reach, class Known, class Found>
    void descend(const Query& query, const std::vector<Id>& label_of, const std::vector<Id>& uniform, Reach&& reach,
                 Known&& known, Found&& found) const {
        struct Waiting {
            Id node;
            double squared;
        };
        Waiting stack[128];
        Index waiting = 0;
        stack[waiting++] = {0, 0};
        const double* x = query.coordinates;
        const Id own = query.home;
        while (waiting > 0) {
            const Waiting next = stack[--waiting];
            const Id label = uniform[next.node];
            if (label == own || next.squared > reach()) continue;
            if (label != kMixed && next.squared > known(label)) continue;
            const auto& node = tree_.nodes()[next.node];
            if (node.right) {
                const Waiting left{next.node + 1, to_box(x, next.node + 1)}, right{node.right, to_box(x, node.right)};
                const bool left_first = left.squared <= right.squared;
                stack[waiting++] = left_first ? right : left;
                stack[waiting++] = left_first ? left : right;
                continue;
            }
            for (Id i = node.begin; i < node.end; ++i) {
                if (label_of[i] == own) continue;
                double squared = squared_distance(x, sorted_.data() + i * m_, m_);
                if (squared > reach()) continue;
                const Id p = tree_.order()[i];
                if (!own_) squared = squared_distance(query.point, points_.row(p), points_.d);
                found(p, label_of[i], squared);
            }
        }
    }

    Points<T> points_;
    Metric metric_;
    Index m_;
    bool own_;
    TreeSlack slack_;
    KdTree<double> tree_;
    std::vector<double> sorted_;  // coordinates in the tree's order
    std::vector<Id> place_;
};

}  // namespace chamfer
