// A leaf order in which neighbours are close: branches of the tree are turned so that the sum of the distances between
// adjacent leaves falls.
//
// First from the leaves up (Gruvaeus and Wainer, 1972): the two clusters of a merge are put side by side at the two of
// their four ends that are closest. Then in sweeps from left to right: a merge is visited when everything to its left
// is fixed, and its two branches are arranged in the best of eight ways, between the leaf to its left and the leaf to
// its right. No step makes the sum larger. A sweep takes 24 distances a merge.
#pragma once

#include <array>
#include <vector>

#include "dendrogram.hpp"

namespace chamfer {

template <class Distance>
class Turns {
   public:
    Turns(const Tree& tree, Distance distance)
        : tree_(tree), distance_(std::move(distance)), left_(tree.merges(), 0), turned_(tree.n + tree.merges(), 0) {}

    // For every merge, which of its clusters comes first.
    std::vector<std::int8_t> run(int sweeps, const Tick& tick) && {
        arrange_upwards(tick);
        for (int sweep_number = 0; sweep_number < sweeps; ++sweep_number)
            if (!sweep(tick)) break;
        return std::move(left_);
    }

   private:
    struct Branch {
        Id cluster;
        bool turned;
    };
    using Pair = std::array<Branch, 2>;  // from left to right
    static constexpr Index kOften = 1024;

    Id first(Branch b) const { return b.turned ? last_[b.cluster] : first_[b.cluster]; }
    Id last(Branch b) const { return b.turned ? first_[b.cluster] : last_[b.cluster]; }
    double between(Id p, Id q) const { return p == kNone || q == kNone ? 0.0 : distance_(p, q); }

    // The branches of a merge as they are.
    Pair branches(Branch whole) const {
        const Index merge = whole.cluster - tree_.n;
        const int left = left_[merge] ^ whole.turned;
        const Id a = tree_.child(merge, left), b = tree_.child(merge, 1 - left);
        return {Branch{a, static_cast<bool>(turned_[a] ^ whole.turned)},
                Branch{b, static_cast<bool>(turned_[b] ^ whole.turned)}};
    }

    // The best of the eight ways to put two branches between two leaves; of equal ones the first, which is the given.
    Pair best(Pair pair, Id before, Id after) const {
        Pair found = pair;
        double least = kFar<double>;
        for (int way = 0; way < 8; ++way) {
            Pair tried = way & 4 ? Pair{pair[1], pair[0]} : pair;
            tried[0].turned ^= (way & 1) != 0;
            tried[1].turned ^= (way & 2) != 0;
            const double length = between(before, first(tried[0])) + between(last(tried[0]), first(tried[1])) +
                                  between(last(tried[1]), after);
            if (length < least) {
                least = length;
                found = tried;
            }
        }
        return found;
    }

    void arrange_upwards(const Tick& tick) {
        first_.resize(turned_.size());
        for (Index p = 0; p < tree_.n; ++p) first_[p] = static_cast<Id>(p);
        last_ = first_;
        for (Index i = 0; i < tree_.merges(); ++i) {
            const Id made = static_cast<Id>(tree_.n + i);
            keep(i, best(branches({made, false}), kNone, kNone));
            find_ends(made);
            if (i % kOften == 0) tick(i);
        }
    }

    void keep(Index merge, const Pair& pair) {
        left_[merge] = pair[0].cluster == tree_.child(merge, 0) ? 0 : 1;
        for (const Branch& branch : pair) turned_[branch.cluster] = branch.turned;
    }

    void find_ends(Id cluster) {
        const Pair pair = branches({cluster, false});
        first_[cluster] = first(pair[0]);
        last_[cluster] = last(pair[1]);
    }

    // Visits merges from left to right; what is on the stack is still to come. Afterwards no branch is turned. Gives
    // whether any arrangement has changed.
    bool sweep(const Tick& tick) {
        bool changed = false;
        Id before = kNone;
        Index done = 0;
        std::vector<Branch> ahead{{static_cast<Id>(tree_.n + tree_.merges() - 1), false}};
        while (!ahead.empty()) {
            const Branch now = ahead.back();
            ahead.pop_back();
            if (now.cluster < tree_.n) {
                before = now.cluster;
                continue;
            }
            const Pair as_it_is = branches(now);
            const Pair found = best(as_it_is, before, ahead.empty() ? kNone : first(ahead.back()));
            changed |= found[0].cluster != as_it_is[0].cluster || found[0].turned != as_it_is[0].turned ||
                       found[1].turned != as_it_is[1].turned;
            left_[now.cluster - tree_.n] = found[0].cluster == tree_.child(now.cluster - tree_.n, 0) ? 0 : 1;
            ahead.push_back(found[1]);
            ahead.push_back(found[0]);
            if (++done % kOften == 0) tick(done);
        }
        std::fill(turned_.begin(), turned_.end(), 0);
        for (Index i = 0; i < tree_.merges(); ++i) find_ends(static_cast<Id>(tree_.n + i));
        return changed;
    }

    const Tree& tree_;
    const Distance distance_;
    std::vector<std::int8_t> left_;    // by merge: which of its clusters comes first
    std::vector<std::int8_t> turned_;  // by cluster: whether it is turned round within the one above
    std::vector<Id> first_, last_;     // leaves at the ends of each cluster, as it is kept
};

}  // namespace chamfer
