// Asks for memory that is going to be needed, so that many waits pass at the same time.
#pragma once

namespace chamfer {

inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    // GCC takes a function that does nothing else for one without effect, and leaves out its calls.
    asm volatile("");
}

}  // namespace chamfer
