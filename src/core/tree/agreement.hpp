// How the cuts of two trees into 1, 2, 3, … clusters agree, from counts of points that two clusters share.
//
// From k to k + 1 clusters each tree splits one of its clusters. The points of the smaller part get a new label, and
// each of them moves from one count to another. A point is in the smaller part at most log2 n times, so all cuts take
// O(n log n) steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "leaves.hpp"

namespace chamfer {

// Sums over the sizes of clusters, of the first tree, the second, and of what two of them share.
struct CutSums {
    double squares[3], logs[3];  // of x², and of x log x
};

class Agreement {
   public:
    // Each of the points is at a leaf of both trees.
    Agreement(const Tree (&trees)[2], const Index* const (&leaf)[2], Index points)
        : sides_{Side(trees[0], leaf[0], points), Side(trees[1], leaf[1], points)} {
        shared_[0] = points;
        const double all = static_cast<double>(points);
        for (int which = 0; which < 3; ++which) sums_.squares[which] = all * all, sums_.logs[which] = x_log_x(all);
    }

    const CutSums& sums() const { return sums_; }

    // Splits a cluster of one of the trees.
    void split(int which, Index merge) {
        Side& side = sides_[which];
        const auto [from, to] = side.smaller_part(merge);
        if (from == to) return;
        const Index old = side.label[side.order[from]], label = side.size.size();
        for (Index at = from; at < to; ++at) {
            const Index p = side.order[at];
            const auto left = shared_.find(cell(p));
            change(2, left->second, -1);
            if (left->second == 0) shared_.erase(left);
            side.label[p] = label;
            change(2, shared_[cell(p)], +1);
        }
        side.size.push_back(0);
        change(which, side.size[old], from - to);
        change(which, side.size[label], to - from);
    }

   private:
    struct Side {
        Side(const Tree& tree, const Index* leaf, Index points)
            : tree(&tree), leaves(tree), start(tree.n + 1, 0), order(points), label(points, 0), size{points} {
            for (Index p = 0; p < points; ++p) ++start[leaves.first[leaf[p]] + 1];
            for (Index at = 0; at < tree.n; ++at) start[at + 1] += start[at];
            std::vector<Index> next(start.begin(), start.end() - 1);
            for (Index p = 0; p < points; ++p) order[next[leaves.first[leaf[p]]]++] = p;
        }

        std::pair<Index, Index> part(Index merge, int which) const {
            const Id child = tree->child(merge, which);
            return {start[leaves.first[child]], start[leaves.first[child] + leaves.size[child]]};
        }

        std::pair<Index, Index> smaller_part(Index merge) const {
            const auto left = part(merge, 0), right = part(merge, 1);
            return left.second - left.first < right.second - right.first ? left : right;
        }

        const Tree* tree;
        LeafOrder leaves;
        std::vector<Index> start;  // of the points at each place of the order of leaves
        std::vector<Index> order;  // points by these places
        std::vector<Index> label;  // by point
        std::vector<Index> size;   // by label
    };

    static double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

    std::uint64_t cell(Index p) const {
        return (static_cast<std::uint64_t>(sides_[0].label[p]) << 32) | static_cast<std::uint64_t>(sides_[1].label[p]);
    }

    void change(int which, Index& count, Index by) {
        const double before = static_cast<double>(count), after = static_cast<double>(count += by);
        sums_.squares[which] += after * after - before * before;
        sums_.logs[which] += x_log_x(after) - x_log_x(before);
    }

    Side sides_[2];
    std::unordered_map<std::uint64_t, Index> shared_;
    CutSums sums_;
};

}  // namespace chamfer
