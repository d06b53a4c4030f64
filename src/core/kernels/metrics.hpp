// Loops for metrics that are no function of the Euclidean distance; part of kernels.cpp, see there.
// Points are packed in blocks of kBlock, coordinate after coordinate, so that each lane adds up one distance in the
// order of its coordinates, on every level.
#pragma once

#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

Doubles magnitude(Doubles x) { return x < 0 ? -x : x; }

struct CityBlock {
    Doubles sum = {};
    void add(Doubles difference) { sum += magnitude(difference); }
    Doubles distance(Index) const { return sum; }
};

struct Chebyshev {
    Doubles largest = {};
    void add(Doubles difference) {
        const Doubles size = magnitude(difference);
        largest = largest < size ? size : largest;
    }
    Doubles distance(Index) const { return largest; }
};

// Squared, of the coordinates that both points have, scaled as if they had all; NaN if they share none.
struct Present {
    Doubles sum = {}, count = {};
    void add(Doubles difference) {
        const auto present = difference == difference;
        sum += present ? difference * difference : Doubles{};
        count += present ? Doubles{} + 1 : Doubles{};
    }
    Doubles distance(Index d) const { return sum / count * static_cast<double>(d); }
};

// out[j] = distance from x to point j of whole blocks
template <class Sum, class T>
void packed_rows(const T* x, const T* strips, Index d, Index blocks, double* out) {
    constexpr Index kWidth = Vector<double>::width, kSums = 4;  // as in packed_distances
    for (Index block = 0; block < blocks; ++block, strips += d * kBlock, out += kBlock)
        for (Index part = 0; part < kBlock; part += kSums * kWidth) {
            Sum sums[kSums];
            for (Index k = 0; k < d; ++k) {
                const double own = static_cast<double>(x[k]);
                for (Index s = 0; s < kSums; ++s)
                    sums[s].add(load_doubles(strips + k * kBlock + part + s * kWidth) - own);
            }
            for (Index s = 0; s < kSums; ++s) Vector<double>::store(sums[s].distance(d), out + part + s * kWidth);
        }
}

Id bits_set(std::uint64_t word) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return static_cast<Id>(__builtin_popcountll(word));
#else  // the builtin would call a function
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return static_cast<Id>(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
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
