// Slots with keys that change, the smallest on top, every slot at most once: a tree of matches between neighbours.
//
// A node holds the winner of the slots below it. A change is felt only as far up as its slot wins or has won, two
// levels on average, and the nodes on the way belong to slots next to it: engines that keep in neighbouring slots what
// is close in space find them in the cache. In a heap (base/heap.hpp) neighbours are slots whose keys are close, which
// may be anywhere.
#pragma once

#include <algorithm>
#include <vector>

#include "prefetch.hpp"
#include "types.hpp"

namespace chamfer {

template <class Key>
class Tournament {
   public:
    explicit Tournament(Index slots) : first_(slots), keys_(slots), winners_(2 * std::max<Index>(slots, 1), kNone) {}

    bool empty() const { return winners_[1] == kNone; }
    Id top() const { return winners_[1]; }
    const Key& key(Id slot) const { return keys_[slot]; }

    void set(Id slot, const Key& key) {
        if (keys_[slot] == key && winners_[first_ + slot] == slot) return;
        keys_[slot] = key;
        winners_[first_ + slot] = slot;
        play(slot);
    }

    void remove(Id slot) {
        winners_[first_ + slot] = kNone;
        play(slot);
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

    // The memory that a change of the slot touches first.
    void prefetch(Id slot) const {
        chamfer::prefetch(&keys_[slot]);
        chamfer::prefetch(&winners_[(first_ + slot) / 2]);
    }

   private:
    // All matches again that the slot may have an influence on.
    void play(Id slot) {
        for (Index node = (first_ + slot) / 2; node > 0; node /= 2) {
            const Id winner = better(winners_[2 * node], winners_[2 * node + 1]);
            if (winner == winners_[node] && winner != slot) break;
            winners_[node] = winner;
        }
    }

    Id better(Id a, Id b) const {
        if (a == kNone || b == kNone) return a == kNone ? b : a;
        return keys_[b] < keys_[a] ? b : a;
    }

    Index first_;  // node of the first slot
    std::vector<Key> keys_;
    std::vector<Id> winners_;  // of node i and all below it, 2 i and 2 i + 1; the slots themselves come last
};

}  // namespace chamfer
