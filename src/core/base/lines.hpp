// An array of whole cache lines: vectors that start at a multiple of their length never lie across two lines, where
// loads take twice as long and stores longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "types.hpp"

namespace chamfer {

template <class T>
class Lines {
   public:
    static constexpr Index kLine = 64 / sizeof(T);
    // How many values the lines for n of them hold.
    static Index whole(Index n) { return count(n) * kLine; }

    // Values are not initialized.
    explicit Lines(Index n) : room_(std::make_unique_for_overwrite<char[]>((count(n) + 1) * kBytes)) {
        // An aligned allocation takes three times as long, which shows where few points are clustered.
        const auto begin = reinterpret_cast<std::uintptr_t>(room_.get());
        data_ = reinterpret_cast<T*>(room_.get() + (kBytes - begin % kBytes) % kBytes);
    }

    // `value` to the end of the last line.
    Lines(Index n, T value) : Lines(n) { std::fill_n(data(), count(n) * kLine, value); }

    T* data() const { return data_; }

   private:
    static constexpr Index kBytes = 64;
    static Index count(Index n) { return (n + kLine - 1) / kLine; }

    std::unique_ptr<char[]> room_;
    T* data_;
};

}  // namespace chamfer
