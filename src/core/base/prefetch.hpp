// Asks for memory that is going to be needed, so that many waits pass at the same time.
#pragma once

#include "types.hpp"

namespace chamfer {

inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    // GCC takes a function that does nothing else for one without effect, and leaves out its calls.
    asm volatile("");
}

// Rows that are needed after something that takes as many steps: memory works while the processor does.
class RowsAhead {
   public:
    RowsAhead() = default;
    RowsAhead(const void* rows, Index n, Index bytes)
        : next_(static_cast<const char*>(rows)), left_(n), bytes_(bytes) {}

    void step() {
        constexpr Index kLine = 64;
        if (left_ == 0) return;
        for (Index at = 0; at < bytes_; at += kLine) prefetch(next_ + at);
        next_ += bytes_;
        --left_;
    }

   private:
    const char* next_ = nullptr;
    Index left_ = 0, bytes_ = 0;
};

}  // namespace chamfer
