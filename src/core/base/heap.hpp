// A binary heap of slots whose keys change: smallest key on top, every slot at most once.
#pragma once

#include <utility>
#include <vector>

#include "types.hpp"

namespace chamfer {

template <class Key>
class Heap {
   public:
    explicit Heap(Index slots) : place_(slots, -1), keys_(slots) {}

    bool empty() const { return order_.empty(); }
    Id top() const { return order_.front(); }
    const Key& key(Id slot) const { return keys_[slot]; }
    bool has(Id slot) const { return place_[slot] >= 0; }

    void set(Id slot, const Key& key) {
        keys_[slot] = key;
        if (place_[slot] < 0) {
            place_[slot] = static_cast<Id>(order_.size());
            order_.push_back(slot);
        }
        sift_down(sift_up(place_[slot]));
    }

    void remove(Id slot) {
        const Id hole = place_[slot];
        if (hole < 0) return;
        place_[slot] = -1;
        const Id last = order_.back();
        order_.pop_back();
        if (last == slot) return;
        put(hole, last);
        sift_down(sift_up(hole));
    }

    // Visits slots in ascending order of their keys until `visit` says false.
    template <class Visit>
    void in_order(Visit&& visit) {
        std::vector<Id> seen;
        while (!empty()) {
            const Id slot = top();
            if (!visit(slot)) break;
            seen.push_back(slot);
            remove(slot);
        }
        for (const Id slot : seen) set(slot, keys_[slot]);
    }

   private:
    void put(Id at, Id slot) {
        order_[at] = slot;
        place_[slot] = at;
    }

    Id sift_up(Id at) {
        const Id slot = order_[at];
        for (; at > 0; at = (at - 1) / 2) {
            const Id parent = order_[(at - 1) / 2];
            if (!(keys_[slot] < keys_[parent])) break;
            put(at, parent);
        }
        put(at, slot);
        return at;
    }

    void sift_down(Id at) {
        const Id slot = order_[at], size = static_cast<Id>(order_.size());
        for (Id child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && keys_[order_[child + 1]] < keys_[order_[child]]) ++child;
            if (!(keys_[order_[child]] < keys_[slot])) break;
            put(at, order_[child]);
        }
        put(at, slot);
    }

    std::vector<Id> order_, place_;
    std::vector<Key> keys_;
};

}  // namespace chamfer
