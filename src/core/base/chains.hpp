// Many bags of ids in one block of memory: chunks of seven, chained.
//
// A vector for each bag takes 40 bytes before it holds anything, and as much again for what it may hold. Here all
// chunks are alike, so one that is given back, still in the cache, serves the next bag that grows.
#pragma once

#include <array>
#include <vector>

#include "types.hpp"

namespace chamfer {

class Chains {
   public:
    explicit Chains(Index bags) : bags_(bags) {}

    Id size(Id bag) const { return bags_[bag].size; }

    // Memory for bags of these sizes, once, so that it does not grow by doubling.
    void reserve(const std::vector<Id>& sizes) {
        std::size_t chunks = 0;
        for (const Id size : sizes) chunks += static_cast<std::size_t>((size + kIds - 1) / kIds);
        chunks_.reserve(chunks);
    }

    void add(Id bag, Id value) {
        Bag& b = bags_[bag];
        const Id place = b.size++ % kIds;
        if (place == 0) b.head = chunk(b.head);
        chunks_[b.head].ids[place] = value;
    }

    // Moves what is in a bag to `values`, the latest chunk first.
    void take(Id bag, std::vector<Id>& values) {
        values.clear();
        Bag& b = bags_[bag];
        for (Id count = (b.size + kIds - 1) % kIds + 1; b.size > 0; count = kIds) {
            const Chunk& chunk = chunks_[b.head];
            values.insert(values.end(), chunk.ids.begin(), chunk.ids.begin() + count);
            b.size -= count;
            const Id next = chunk.next;
            give_back(b.head);
            b.head = next;
        }
    }

   private:
    static constexpr Id kIds = 7;  // half a cache line with what follows
    struct Chunk {
        Id next;
        std::array<Id, kIds> ids;
    };
    // All its chunks are full but the first, which has the remainder.
    struct Bag {
        Id head = kNone, size = 0;
    };

    Id chunk(Id next) {
        if (free_ == kNone) {
            chunks_.push_back({next, {}});
            return static_cast<Id>(chunks_.size()) - 1;
        }
        const Id got = free_;
        free_ = chunks_[got].next;
        chunks_[got].next = next;
        return got;
    }

    void give_back(Id chunk) {
        chunks_[chunk].next = free_;
        free_ = chunk;
    }

    std::vector<Bag> bags_;
    std::vector<Chunk> chunks_;
    Id free_ = kNone;
};

}  // namespace chamfer
