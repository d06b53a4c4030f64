// What every merge adds to the quantities that scores against known classes are made of: Rand indices from
// pairs of points, mutual information from entropies, purity. They are sums over clusters, and what a merge
// adds depends on its two clusters alone, not on the order of merges. So one pass over the tree serves every
// cut along every order.
//
// The pass follows heavy paths (from a node always to its larger child) and keeps the class counts of one
// path only: going up a path, the smaller cluster's points are added one by one, so a point is touched once
// for every light edge above it, at most log2 n times. O(n log n) time, O(n + classes) memory, whatever the
// shape of the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../base/threads.hpp"
#include "leaves.hpp"

namespace chamfer {

// Values of x log x, the term of all entropies here.
class EntropyTerms {
   public:
    explicit EntropyTerms(Index largest) : values_(largest + 1, 0.0) {
        for (Index x = 2; x <= largest; ++x) values_[x] = static_cast<double>(x) * std::log(static_cast<double>(x));
    }
    double operator()(Index x) const { return values_[x]; }

   private:
    std::vector<double> values_;
};

// For a merge of clusters with a_j and b_j points of class j, and h(x) = x log x:
struct ClassGains {
    std::vector<Index> pairs;         // Σ a_j b_j: pairs of one class that come together here
    std::vector<double> information;  // Σ h(a_j + b_j) − h(a_j) − h(b_j)
    std::vector<double> purity;       // Σ a_j b_j (a_j + b_j)
};

class ClassCounter {
   public:
    ClassCounter(const Tree& tree, const Id* classes, Index n_classes)
        : tree_(tree), entropy_(tree.n), leaves_(tree), counts_(n_classes, 0), added_(n_classes, 0) {
        gains_.pairs.resize(tree.merges());
        gains_.information.resize(tree.merges());
        gains_.purity.resize(tree.merges());
        lay_out(classes);
    }

    ClassGains run() && {
        if (tree_.merges() > 0) climb(static_cast<Id>(tree_.n + tree_.merges() - 1));
        for (Index i = tree_.merges() - 1; i >= 0; --i)
            if (const Id light = smaller(i); is_merge(light)) climb(light);
        return std::move(gains_);
    }

   private:
    bool is_merge(Id cluster) const { return cluster >= tree_.n; }
    Index merge_of(Id cluster) const { return cluster - tree_.n; }
    int smaller_side(Index merge) const {
        return leaves_.size[tree_.child(merge, 0)] < leaves_.size[tree_.child(merge, 1)] ? 0 : 1;
    }
    Id smaller(Index merge) const { return tree_.child(merge, smaller_side(merge)); }
    Id larger(Index merge) const { return tree_.child(merge, 1 - smaller_side(merge)); }

    // Sorts the points by the tree, so that the points of every cluster are neighbours in memory.
    void lay_out(const Id* classes) {
        class_at_.resize(tree_.n);
        for (Index p = 0; p < tree_.n; ++p) class_at_[leaves_.first[p]] = classes[p];
    }

    // All merges of the heavy path that ends in `top`, from its point at the bottom upwards.
    void climb(Id top) {
        path_.clear();
        Id bottom = top;
        for (; is_merge(bottom); bottom = larger(merge_of(bottom))) path_.push_back(merge_of(bottom));
        counts_[class_at_[leaves_.first[bottom]]] = 1;
        for (auto merge = path_.rbegin(); merge != path_.rend(); ++merge) join(*merge);
        for (Index at = leaves_.first[top]; at < leaves_.first[top] + leaves_.size[top]; ++at)
            counts_[class_at_[at]] = 0;
    }

    // Adds the smaller cluster of a merge to the counts, which hold the larger one.
    void join(Index merge) {
        const Id light = smaller(merge);
        const auto begin = class_at_.begin() + leaves_.first[light], end = begin + leaves_.size[light];
        std::for_each(begin, end, [&](Id c) { ++added_[c]; });
        Index pairs = 0;
        double information = 0, purity = 0;
        std::for_each(begin, end, [&](Id c) {
            const Index a = counts_[c], b = std::exchange(added_[c], 0);  // 0 from the second point of a class on
            if (b == 0) return;
            counts_[c] += b;
            pairs += a * b;
            information += entropy_(a + b) - entropy_(a) - entropy_(b);
            purity += static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(a + b);
        });
        gains_.pairs[merge] = pairs;
        gains_.information[merge] = information;
        gains_.purity[merge] = purity;
    }

    const Tree& tree_;
    EntropyTerms entropy_;
    const LeafOrder leaves_;
    std::vector<Id> class_at_;
    std::vector<Index> counts_, added_;  // by class: in the path's cluster, and about to be added
    std::vector<Index> path_;
    ClassGains gains_;
};

// The mean of h(X) = X log X where X of the `drawn` points belong to one class, when `drawn` of all n points,
// of which `marked` are in the class, are drawn at random: what chance puts into mutual information.
//
// The chances of X are proportional to weights that follow from each other by multiplication. Starting with 1
// at the most likely X they fall faster and faster on both sides, and end where they no longer count, after a
// few times √n steps; dividing by their sum needs no factorials and loses no digits.
inline double expected_entropy_term(Index n, Index marked, Index drawn, const EntropyTerms& entropy) {
    constexpr double negligible = 1e-20;
    const Index least = std::max<Index>(0, marked + drawn - n), most = std::min(marked, drawn);
    const double all = static_cast<double>(n), m = static_cast<double>(marked), d = static_cast<double>(drawn);
    const Index mode = std::clamp(static_cast<Index>((m + 1) * (d + 1) / (all + 2)), least, most);
    double total = 1, mean = entropy(mode), weight = 1;
    for (Index x = mode; x < most && weight > negligible; ++x) {
        const double y = static_cast<double>(x);
        weight *= (m - y) * (d - y) / ((y + 1) * (all - m - d + y + 1));
        total += weight;
        mean += weight * entropy(x + 1);
    }
    weight = 1;
    for (Index x = mode; x > least && weight > negligible; --x) {
        const double y = static_cast<double>(x);
        weight *= y * (all - m - d + y) / ((m - y + 1) * (d - y + 1));
        total += weight;
        mean += weight * entropy(x - 1);
    }
    return mean / total;
}

// How many classes have one size. Classes of equal size count alike.
struct ClassSize {
    Index size, classes;
};

// For a cluster of each of the given sizes, the mean of Σ h(points of class j) over random clusters.
inline std::vector<double> expected_information(Index n, const std::vector<ClassSize>& classes, const Index* sizes,
                                                Index count, int threads) {
    const EntropyTerms entropy(n);
    std::vector<double> means(count, 0.0);
    parallel_tasks(count, threads, [&](Index i, int) {
        for (const ClassSize& each : classes)
            means[i] += static_cast<double>(each.classes) * expected_entropy_term(n, each.size, sizes[i], entropy);
    });
    return means;
}

}  // namespace chamfer
