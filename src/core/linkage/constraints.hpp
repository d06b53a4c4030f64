// What a user demands of a tree besides a linkage: weights of points, pairs that may merge, pairs that must or must not
// share a cluster, and a largest size.
//
// All that forbids a merge is permanent: a union conflicts with whatever its halves conflict with, and never shrinks.
// So a pair that is illegal once can be forgotten. The one thing that a merge can allow is adjacency: a union is
// adjacent to whatever one of its halves is adjacent to.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "../tree/dendrogram.hpp"

namespace chamfer {

// Numbers for each of n points, one point after the other.
struct Csr {
    std::vector<Index> firsts;  // one more than there are points
    std::vector<Id> items;

    Index n() const { return static_cast<Index>(firsts.size()) - 1; }
    std::span<const Id> operator[](Index i) const { return {items.data() + firsts[i], items.data() + firsts[i + 1]}; }
};

struct Constraints {
    std::vector<double> weights;  // of points
    double max_size;              // the largest weight of a cluster
    bool everywhere;              // whether all points are adjacent; then there is no graph
    Csr graph;                    // adjacent points, in both directions
    Csr labels;                   // points that share one of these, ascending, must not share a cluster
    Merges together;              // made first, whatever is allowed

    Index n() const { return static_cast<Index>(weights.size()); }
};

// Whether two ascending lists of labels have one in common.
inline bool share(std::span<const Id> a, std::span<const Id> b) {
    if (a.size() > b.size()) std::swap(a, b);
    if (a.size() * 8 < b.size())
        return std::ranges::any_of(a, [&](Id label) { return std::ranges::binary_search(b, label); });
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
        if (*x == *y) return true;
        *x < *y ? ++x : ++y;
    }
    return false;
}

// Which clusters may merge as far as sizes and labels say, by slots.
class Limits {
   public:
    explicit Limits(const Constraints& constraints)
        : max_size_(constraints.max_size), sizes_(constraints.weights), labels_(constraints.n()) {
        labelled_ = !constraints.labels.items.empty();
        for (Index p = 0; p < constraints.n(); ++p)
            labels_[p].assign(constraints.labels[p].begin(), constraints.labels[p].end());
    }

    bool allow(Id a, Id b) const {
        return sizes_[a] + sizes_[b] <= max_size_ && !(labelled_ && share(labels_[a], labels_[b]));
    }

    double size(Id a) const { return sizes_[a]; }

    // The union takes the slot a.
    void unite(Id a, Id b) {
        sizes_[a] += sizes_[b];
        if (labels_[b].empty()) return;
        std::vector<Id> both;
        both.reserve(labels_[a].size() + labels_[b].size());
        std::ranges::set_union(labels_[a], labels_[b], std::back_inserter(both));
        labels_[a] = std::move(both);
        std::vector<Id>().swap(labels_[b]);
    }

   private:
    double max_size_;
    bool labelled_;
    std::vector<double> sizes_;
    std::vector<std::vector<Id>> labels_;  // ascending
};

// Only those merges that join two sets, in their order.
inline Merges that_join(const Merges& merges, Index n) {
    UnionFind sets(n);
    Merges joining;
    for (const Merge& merge : merges)
        if (const Id a = sets.find(merge.a), b = sets.find(merge.b); a != b) {
            joining.push_back(merge);
            sets.attach(a, b);
        }
    return joining;
}

// Merges of a forest become those of a tree: what is left joins at an infinite height, lower points first.
inline Merges as_tree(Merges merges, Index n) {
    if (static_cast<Index>(merges.size()) == n - 1) return merges;
    UnionFind sets(n);
    for (const Merge& merge : merges) sets.attach(sets.find(merge.a), sets.find(merge.b));
    for (Id p = 1; p < n; ++p)
        if (const Id root = sets.find(p), first = sets.find(0); root != first) {
            merges.push_back({0, p, kFar<double>});
            sets.attach(root, first);
        }
    return merges;
}

}  // namespace chamfer
