// What the points of one cluster know about others: a small map of gains, see engine/lists.hpp.
#pragma once

#include <bit>
#include <vector>

#include "../base/sums.hpp"

namespace chamfer {

// How many points of a cluster list another one, and by how much their bounds exceed their distances to it, in all;
// a point of weight w counts w times in the sum, and once in the count.
struct Gain {
    Id cluster = kNone;
    Id count = 0;
    Sum sum{};

    void add(const Gain& other) {
        sum.add(other.sum);
        count += other.count;
    }
};

// Gains by cluster: open addressing with linear probing.
class Gains {
   public:
    std::size_t size() const { return used_; }

    // Forgets everything; room for so many.
    void clear(std::size_t count) {
        table_.assign(std::bit_ceil(2 * count + 2), {});
        used_ = 0;
    }

    Gain& at(Id cluster) {
        if (2 * (used_ + 1) > table_.size()) grow();
        Gain& gain = table_[place(cluster)];
        if (gain.cluster < 0) {
            gain.cluster = cluster;
            ++used_;
        }
        return gain;
    }

    // Null if no point lists the cluster.
    const Gain* find(Id cluster) const {
        if (table_.empty()) return nullptr;
        const Gain& gain = table_[place(cluster)];
        return gain.cluster < 0 ? nullptr : &gain;
    }

    void erase(Id cluster) {
        if (table_.empty()) return;
        std::size_t hole = place(cluster);
        if (table_[hole].cluster < 0) return;
        --used_;
        // Close the gap so that probing never stops early.
        for (std::size_t next = (hole + 1) & mask(); table_[next].cluster >= 0; next = (next + 1) & mask()) {
            const std::size_t home = hash(table_[next].cluster);
            if (((next - home) & mask()) >= ((next - hole) & mask())) {
                table_[hole] = table_[next];
                hole = next;
            }
        }
        table_[hole] = {};
    }

    template <class Visit>
    void each(Visit&& visit) const {
        for (const Gain& gain : table_)
            if (gain.cluster >= 0) visit(gain);
    }

   private:
    std::size_t mask() const { return table_.size() - 1; }
    std::size_t hash(Id cluster) const {
        return (static_cast<std::uint64_t>(cluster) * 0x9E3779B97F4A7C15u >> 32) & mask();
    }
    std::size_t place(Id cluster) const {
        std::size_t at = hash(cluster);
        while (table_[at].cluster >= 0 && table_[at].cluster != cluster) at = (at + 1) & mask();
        return at;
    }
    void grow() {
        std::vector<Gain> old(table_.empty() ? 8 : 2 * table_.size());
        old.swap(table_);
        for (const Gain& gain : old)
            if (gain.cluster >= 0) table_[place(gain.cluster)] = gain;
    }

    std::vector<Gain> table_;
    std::size_t used_ = 0;
};

}  // namespace chamfer
