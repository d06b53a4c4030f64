// Merges become a dendrogram in SciPy's layout, Z: row i joins clusters Z[i,0] < Z[i,1] at height Z[i,2] into
// cluster n + i of Z[i,3] points. Children come before their parents, so one pass up or down answers every
// question.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "../base/radix.hpp"
#include "../base/union_find.hpp"

namespace chamfer {

struct Tree {
    const double* Z;
    Index n;
    Id child(Index merge, int side) const { return static_cast<Id>(Z[4 * merge + side]); }
    double height(Index merge) const { return Z[4 * merge + 2]; }
    Index merges() const { return n - 1; }
};

// Whether Z is a tree: children made before and joined once, sizes that add up, heights that are not below 0. Infinite
// heights come last: a forest, whose trees are joined so that Z has n - 1 rows.
inline bool is_tree(const double* Z, Index merges) {
    const Index n = merges + 1;
    std::vector<char> joined(n + merges);
    const auto size = [&](Index c) { return c < n ? 1.0 : Z[4 * (c - n) + 3]; };
    for (Index i = 0; i < merges; ++i) {
        const double *merge = Z + 4 * i, before = static_cast<double>(n + i);
        for (int side = 0; side < 2; ++side) {
            if (!(merge[side] >= 0 && merge[side] < before)) return false;
            const Index c = static_cast<Index>(merge[side]);
            if (static_cast<double>(c) != merge[side] || joined[c]) return false;
            joined[c] = true;
        }
        if (!(merge[2] >= 0) || (i > 0 && merge[-2] == kFar<double> && merge[2] < kFar<double>)) return false;
        if (size(static_cast<Index>(merge[0])) + size(static_cast<Index>(merge[1])) != merge[3]) return false;
    }
    return true;
}

// Merges of a reducible rule may be found out of order.
inline Merges by_height(Merges merges) {
    stable_sort_by(merges, &Merge::height);
    return merges;
}

// Edges of a spanning tree may be merged in any order of equal heights; this is the tie rule's, as far as points tell.
inline Merges by_tie_rule(Merges merges) {
    std::ranges::sort(merges, {}, [](const Merge& merge) { return TieKey(merge.height, merge.a, merge.b); });
    return merges;
}

// Numbers the clusters in the order of the merges and writes Z.
inline void write_tree(const Merges& merges, double* Z) {
    const Index n = static_cast<Index>(merges.size()) + 1;
    UnionFind sets(n);
    std::vector<Id> id(n), size(n, 1);
    std::iota(id.begin(), id.end(), Id{0});
    for (Index i = 0; i < n - 1; ++i, Z += 4) {
        Id a = sets.find(merges[i].a), b = sets.find(merges[i].b);
        if (size[a] < size[b]) std::swap(a, b);
        Z[0] = std::min(id[a], id[b]);
        Z[1] = std::max(id[a], id[b]);
        Z[2] = merges[i].height;
        sets.attach(b, a);
        Z[3] = size[a] += size[b];
        id[a] = static_cast<Id>(n + i);
    }
}

// Edges on the longest way from the root to a point.
inline Index tree_height(const Tree& tree) {
    std::vector<Index> below(tree.n + tree.merges(), 0);
    for (Index i = 0; i < tree.merges(); ++i)
        below[tree.n + i] = 1 + std::max(below[tree.child(i, 0)], below[tree.child(i, 1)]);
    return below.back();
}

// Heights that never fall towards the root: the sum of all heights in the subtree, or the largest.
inline void monotone_heights(const Tree& tree, bool cumulative, double* out) {
    const auto below = [&](Id c) { return c < tree.n ? 0.0 : out[c - tree.n]; };
    for (Index i = 0; i < tree.merges(); ++i) {
        const double left = below(tree.child(i, 0)), right = below(tree.child(i, 1)), own = tree.height(i);
        out[i] = cumulative ? own + (left + right) : std::max({own, left, right});
    }
}

// Labels of the points when the given merges are applied (with every merge its children's are), numbered by
// first appearance.
inline void label_points(const Tree& tree, const bool* applied, std::int64_t* labels) {
    std::vector<Id> top(tree.n + tree.merges());
    std::iota(top.begin(), top.end(), Id{0});
    for (Index i = tree.merges() - 1; i >= 0; --i)
        if (applied[i]) top[tree.child(i, 0)] = top[tree.child(i, 1)] = top[tree.n + i];
    std::vector<std::int64_t> number(top.size(), -1);
    std::int64_t next = 0;
    for (Index p = 0; p < tree.n; ++p) {
        if (number[top[p]] < 0) number[top[p]] = next++;
        labels[p] = number[top[p]];
    }
}

// The same when the tree is cut to so many clusters in merge order.
inline void cut_points(const Tree& tree, Index clusters, std::int64_t* labels) {
    const auto applied = std::make_unique<bool[]>(tree.n);
    std::fill_n(applied.get(), std::max<Index>(0, tree.n - clusters), true);
    label_points(tree, applied.get(), labels);
}

}  // namespace chamfer
