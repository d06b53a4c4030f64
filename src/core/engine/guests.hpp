// The points of the smaller clusters that a larger one is adjacent to, its guests, and how far it is from each: see
// chamfer_contraction.hpp. The points of one guest are chained.
#pragma once

#include <vector>

#include "../distance/packed_list.hpp"

namespace chamfer {

// The points of one guest: the first and the last of its chain.
struct Chain {
    Id first = kNone, last = kNone;
};

template <class T>
class Guests {
   public:
    Index size() const { return points_.size(); }
    Id point(Index at) const { return points_[at]; }
    Id pair(Index at) const { return pair_[at]; }
    double& reach(Index at) { return reach_[at]; }  // squared; below zero for those that have left

    void enter(const Points<T>& points, Chain& chain, Id p, double reach, Id pair) {
        points_.push(points, p);
        reach_.push_back(reach);
        pair_.push_back(pair);
        next_.push_back(kNone);
        append(chain, {static_cast<Id>(size() - 1), static_cast<Id>(size() - 1)});
    }

    void leave(Chain& chain) {
        for (Id at = chain.first; at != kNone; at = next_[at]) {
            reach_[at] = -1;
            pair_[at] = kNone;
            ++gaps_;
        }
        chain = {};
    }

    // Points of one pair become those of another.
    void hand_over(Chain& from, Chain& to, Id pair) {
        for (Id at = from.first; at != kNone; at = next_[at]) pair_[at] = pair;
        append(to, from);
        from = {};
    }

    bool has_many_gaps() const { return 2 * gaps_ > size(); }

    // Without gaps; chain_of(pair) is the chain of a pair.
    template <class ChainOf>
    void close_gaps(const Points<T>& points, ChainOf&& chain_of) {
        Guests kept;
        for (const Id pair : pair_)
            if (pair != kNone) chain_of(pair) = {};
        for (Index at = 0; at < size(); ++at)
            if (const Id pair = pair_[at]; pair != kNone)
                kept.enter(points, chain_of(pair), points_[at], reach_[at], pair);
        *this = std::move(kept);
    }

    // Calls near(at) for points that a box may be closer to than the host is.
    template <class Near>
    void each_near(const Points<T>& points, const Box& box, Near&& near) const {
        points_.each_near(points, box, reach_.data(), size(), near);
    }

   private:
    void append(Chain& chain, Chain more) {
        if (more.first == kNone) return;
        (chain.first == kNone ? chain.first : next_[chain.last]) = more.first;
        chain.last = more.last;
    }

    PackedList<T> points_;
    std::vector<double> reach_;
    std::vector<Id> pair_, next_;
    Index gaps_ = 0;
};

}  // namespace chamfer
