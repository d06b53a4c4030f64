// The k nearest points of each query of a group, while more are found. Points are gathered as they come, and from time
// to time the k nearest of them are selected by counting, for each, how many are nearer: no branch to mispredict.
#pragma once

#include <algorithm>
#include <vector>

#include "../distance/points.hpp"

namespace chamfer {

template <class T>
class Shortlists {
   public:
    // `number`: of a place, which orders points at equal distance.
    Shortlists(Metric metric, Index k, const Id* number)
        : metric_(metric),
          number_(number),
          k_(k),
          room_((std::max<Index>(2 * k, k + kBlock) + kBlock + kRoom - 1) / kRoom * kRoom),
          squared_(room_),
          distance_(kBlock * room_),
          place_(kBlock * room_),
          rank_(room_),
          equal_number_(room_),
          spare_distance_(k + 1),
          spare_place_(k + 1) {}

    void start() {
        std::fill_n(count_, kBlock, 0);
        std::fill_n(reach_, kBlock, kFar<T>);
        std::fill_n(last_, kBlock, std::numeric_limits<Id>::max());
    }

    // Nothing farther, or at this distance and with a higher number than `last`, can be selected.
    T reach(Index lane) const { return reach_[lane]; }
    Id last(Index lane) const { return last_[lane]; }

    // Adds places first + i for the bits i of `near`; whether the reach has changed.
    bool add(Index lane, Id first, std::uint32_t near, const double* squared) {
        Index found = 0;
        Id* place = place_.data() + lane * room_ + count_[lane];
        for (; near != 0; near &= near - 1) {
            const int i = __builtin_ctz(near);
            squared_[found] = squared[i];
            place[found++] = first + i;
        }
        if (found == 0) return false;
        kernels<T>().from_squared(metric_, squared_.data(), found, distance_.data() + lane * room_ + count_[lane]);
        count_[lane] += found;
        const bool first_time = reach_[lane] == kFar<T>;
        if (count_[lane] <= (first_time ? k_ - 1 : room_ - kBlock)) return false;
        select(lane);
        return true;
    }

    // The nearest ones, sorted by distance and number; how many.
    Index finish(Index lane) {
        select(lane);
        return count_[lane];
    }
    const Id* places(Index lane) const { return place_.data() + lane * room_; }
    const T* distances(Index lane) const { return distance_.data() + lane * room_; }

   private:
    void select(Index lane) {
        const Index count = count_[lane], kept = std::min(count, k_);
        T* distance = distance_.data() + lane * room_;
        Id* place = place_.data() + lane * room_;
        if (kernels<T>().ranks(distance, count, rank_.data()) != count * (count - 1) / 2) {
            for (Index i = 0; i < count; ++i) equal_number_[i] = number_[place[i]];
            kernels<T>().ranks_by_number(distance, equal_number_.data(), count, rank_.data());
        }
        for (Index i = 0; i < count; ++i) {  // without a branch: what is not selected goes behind the rest
            const Index to = std::min<Index>(rank_[i], k_);
            spare_distance_[to] = distance[i];
            spare_place_[to] = place[i];
        }
        std::copy_n(spare_distance_.data(), kept, distance);
        std::copy_n(spare_place_.data(), kept, place);
        count_[lane] = kept;
        if (kept < k_) return;
        reach_[lane] = distance[k_ - 1];
        last_[lane] = number_[place[k_ - 1]];
    }

    Metric metric_;
    const Id* number_;
    Index k_, room_;
    std::vector<double> squared_;
    std::vector<T> distance_;  // by lane
    std::vector<Id> place_, rank_, equal_number_;
    std::vector<T> spare_distance_;
    std::vector<Id> spare_place_;
    Index count_[kBlock];
    T reach_[kBlock];
    Id last_[kBlock];
};

}  // namespace chamfer
