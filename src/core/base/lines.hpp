// An array of whole cache lines: vectors that start at a multiple of their length never lie across two lines, where
// loads take twice as long and stores longer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "types.hpp"

namespace chamfer {

struct Block {
    std::unique_ptr<char[]> data;
    Index bytes = 0;
};

// Blocks that this thread is done with. The system takes longer to hand out fresh memory, page after page, than a few
// hundred points take to be clustered.
class Shelf {
   public:
    Block take(Index bytes) {
        Block* best = nullptr;
        if (bytes >= kLeast)
            for (Block& each : blocks_)
                if (each.bytes >= bytes && (!best || each.bytes < best->bytes)) best = &each;
        return best ? std::exchange(*best, {}) : Block{std::make_unique_for_overwrite<char[]>(bytes), bytes};
    }

    // The oldest ones go if it is too much.
    void give(Block block) {
        if (block.bytes < kLeast || block.bytes > kMost) return;
        std::rotate(blocks_.begin(), blocks_.end() - 1, blocks_.end());
        blocks_[0] = std::move(block);
        Index total = 0;
        for (Block& each : blocks_)
            if ((total += each.bytes) > kMost) each = {};
    }

   private:
#if defined(__SANITIZE_ADDRESS__)
    static constexpr Index kLeast = std::numeric_limits<Index>::max();  // every block anew, so that errors are found
#else
    static constexpr Index kLeast = Index{1} << 15;  // smaller ones are quickly had
#endif
    static constexpr Index kMost = Index{1} << 23;  // of a thread

    std::array<Block, 8> blocks_;  // the newest first
};

inline thread_local Shelf shelf;

template <class T>
class Lines {
   public:
    static constexpr Index kLine = 64 / sizeof(T);
    // How many values the lines for n of them hold.
    static Index whole(Index n) { return count(n) * kLine; }

    // Values are not initialized.
    explicit Lines(Index n) : block_(shelf.take((count(n) + 1) * kBytes)) {
        // An aligned allocation takes three times as long, which shows where few points are clustered.
        const auto begin = reinterpret_cast<std::uintptr_t>(block_.data.get());
        data_ = reinterpret_cast<T*>(block_.data.get() + (kBytes - begin % kBytes) % kBytes);
    }
    ~Lines() { shelf.give(std::move(block_)); }
    Lines(Lines&& other) noexcept : block_(std::exchange(other.block_, {})), data_(other.data_) {}

    // `value` to the end of the last line.
    Lines(Index n, T value) : Lines(n) { std::fill_n(data(), count(n) * kLine, value); }

    T* data() const { return data_; }

   private:
    static constexpr Index kBytes = 64;
    static Index count(Index n) { return (n + kLine - 1) / kLine; }

    Block block_;
    T* data_;
};

}  // namespace chamfer
