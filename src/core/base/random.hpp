// Random numbers that are the same everywhere: SplitMix64, by S. Vigna.
#pragma once

#include <cstdint>

namespace chamfer {

// Every bit of the result depends on all bits of z; other z give other results.
inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

class Random {
   public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() { return mix(state_ += 0x9e3779b97f4a7c15); }

   private:
    std::uint64_t state_;
};

}  // namespace chamfer
