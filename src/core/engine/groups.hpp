// Clusters of two points and more, by ascending slots. Their points lie one group after the other, as every merge runs
// through all of them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "../base/types.hpp"

namespace chamfer {

class Groups {
   public:
    Index count() const { return static_cast<Index>(slots_.size()); }
    Id slot(Index i) const { return slots_[i]; }
    // Its points, that of the slot first.
    std::span<const Id> operator[](Index i) const {
        return {points_.data() + firsts_[i], points_.data() + firsts_[i + 1]};
    }
    std::span<const Id> of(Id slot) const { return (*this)[find(slot)]; }
    // The first group with this slot or a later one.
    Index find(Id slot) const { return std::ranges::lower_bound(slots_, slot) - slots_.begin(); }

    // The points of b follow those of a; either may be a single point.
    void join(Id a, Id b) {
        const std::vector<Id> moved = take(b);
        const Index i = find(a);
        if (i == count() || slots_[i] != a) {
            slots_.insert(slots_.begin() + i, a);
            firsts_.insert(firsts_.begin() + i, firsts_[i]);
            append(i, {&a, 1});
        }
        append(i, moved);
    }

   private:
    std::vector<Id> take(Id slot) {
        const Index i = find(slot);
        if (i == count() || slots_[i] != slot) return {slot};
        const auto first = points_.begin() + firsts_[i], last = points_.begin() + firsts_[i + 1];
        const std::vector<Id> taken(first, last);
        points_.erase(first, last);
        slots_.erase(slots_.begin() + i);
        firsts_.erase(firsts_.begin() + i);
        for (Index later = i; later <= count(); ++later) firsts_[later] -= static_cast<Index>(taken.size());
        return taken;
    }

    void append(Index i, std::span<const Id> points) {
        points_.insert(points_.begin() + firsts_[i + 1], points.begin(), points.end());
        for (Index later = i + 1; later <= count(); ++later) firsts_[later] += static_cast<Index>(points.size());
    }

    std::vector<Id> slots_, points_;
    std::vector<Index> firsts_{0};  // where points of groups begin; one more for the end
};

}  // namespace chamfer
