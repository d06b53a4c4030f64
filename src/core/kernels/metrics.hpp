// Loops for metrics that are no function of the Euclidean distance; part of kernels.cpp, see there.
// Points are packed in blocks of kBlock, coordinate after coordinate, so that each lane adds up one distance in the
// order of its coordinates, on every level.
#pragma once

#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

struct CityBlock {
    Wide sum = {};
    void add(Wide difference) { sum += magnitude(difference); }
    Wide distance(Index) const { return sum; }
};

struct Chebyshev {
    Wide largest = {};
    void add(Wide difference) {
        const Wide size = magnitude(difference);
        largest = largest < size ? size : largest;
    }
    Wide distance(Index) const { return largest; }
};

// Squared, of the coordinates that both points have, scaled as if they had all; NaN if they share none.
struct Present {
    Wide sum = {}, count = {};
    void add(Wide difference) {
        const auto present = difference == difference;
        sum += present ? difference * difference : Wide{};
        count += present ? Wide{} + 1 : Wide{};
    }
    Wide distance(Index d) const { return sum / count * static_cast<double>(d); }
};

// out[j] = distance from x to point j of whole blocks
template <class Sum, class T>
void packed_rows(const T* x, const T* strips, Index d, Index blocks, double* out) {
    for (Index b = 0; b < blocks; ++b, out += kBlock) {
        Sum sums[kBlock / kWide];
        for (Index k = 0; k < d; ++k, strips += kBlock) {
            const double own = static_cast<double>(x[k]);
            for (Index s = 0; s < kBlock / kWide; ++s) sums[s].add(load(strips + kWide * s) - own);
        }
        for (Index s = 0; s < kBlock / kWide; ++s) {
            const Wide distance = sums[s].distance(d);
            std::memcpy(out + kWide * s, &distance, sizeof distance);
        }
    }
}

Id bits_set(std::uint64_t word) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return static_cast<Id>(__builtin_popcountll(word));
#else  // the builtin would call a function
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return static_cast<Id>((word + (word >> 4) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

void count_bits(const std::uint64_t* x, const std::uint64_t* rows, Index words, Index n, Id* differ, Id* either) {
    for (Index j = 0; j < n; ++j, rows += words) {
        Id one = 0, two = 0;
        for (Index k = 0; k < words; ++k) {
            one += bits_set(x[k] ^ rows[k]);
            two += bits_set(x[k] | rows[k]);
        }
        differ[j] = one, either[j] = two;
    }
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
