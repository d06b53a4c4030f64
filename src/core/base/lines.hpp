// An array of whole cache lines: vectors that start at a multiple of their length never lie across two lines, where
// loads take twice as long and stores longer.
#pragma once

#include <algorithm>
#include <memory>

#include "types.hpp"

namespace chamfer {

template <class T>
class Lines {
   public:
    static constexpr Index kLine = 64 / sizeof(T);

    // Values are not initialized.
    explicit Lines(Index n) : lines_(std::make_unique_for_overwrite<Line[]>(count(n))) {}

    // `value` to the end of the last line.
    Lines(Index n, T value) : Lines(n) { std::fill_n(data(), count(n) * kLine, value); }

    T* data() const { return lines_[0].values; }

   private:
    struct alignas(64) Line {
        T values[kLine];
    };
    static Index count(Index n) { return (n + kLine - 1) / kLine; }

    std::unique_ptr<Line[]> lines_;
};

}  // namespace chamfer
