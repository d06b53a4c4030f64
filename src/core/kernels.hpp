// The vector loops. Distances are accumulated in double whatever the points are stored in.
//
// The whole core is compiled once for each level of the instruction set (see CMakeLists.txt) and the best one
// the machine knows is imported, so these are plain loops that the compiler vectorises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "types.hpp"

namespace chamfer {

// Up to kSequential coordinates are summed one after the other; more are summed in kStrands interleaved strands, enough
// to keep several additions in flight. All that compute distances between points follow this rule, so d(p, q) is the
// same number wherever it appears.
inline constexpr Index kSequential = 16, kStrands = 32;

// Eight numbers that the compiler keeps in a register, or in as many as it takes.
typedef double Eight __attribute__((vector_size(64)));
typedef float EightFloats __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

inline Eight load(const double* x) {
    Eight eight;
    std::memcpy(&eight, x, sizeof eight);
    return eight;
}
inline Eight load(const float* x) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));  // GCC makes a detour of the general form
#else
    EightFloats eight;
    std::memcpy(&eight, x, sizeof eight);
    return __builtin_convertvector(eight, Eight);
#endif
}

template <class T>
double squared_distance(const T* x, const T* y, Index d) {
    const auto difference = [&](Index k) { return static_cast<double>(x[k]) - static_cast<double>(y[k]); };
    if (d <= kSequential) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += difference(k) * difference(k);
        return sum;
    }
    Eight sums[kStrands / 8] = {};
    Index k = 0;
    for (; k + kStrands <= d; k += kStrands)
        for (Index s = 0; s < kStrands / 8; ++s) {
            const Eight eight = load(x + k + 8 * s) - load(y + k + 8 * s);
            sums[s] += eight * eight;
        }
    double strand[kStrands];
    std::memcpy(strand, sums, sizeof strand);
    for (Index s = 0; k < d; ++k, ++s) strand[s] += difference(k) * difference(k);
    for (Index half = kStrands / 2; half > 0; half /= 2)
        for (Index s = 0; s < half; ++s) strand[s] += strand[s + half];
    return strand[0];
}

// Not above the squared distance, at a third of its cost: differences and sums in float, less all that rounding may
// add. For points in double there is nothing to save.
inline double least_squared_distance(const float* x, const float* y, Index d) {
    Sixteen sums[4] = {}, one, two;
    Index k = 0;
    for (; k + 64 <= d; k += 64)
        for (Index s = 0; s < 4; ++s) {
            std::memcpy(&one, x + k + 16 * s, sizeof one);
            std::memcpy(&two, y + k + 16 * s, sizeof two);
            one -= two;
            sums[s] += one * one;
        }
    sums[0] += sums[1] + sums[2] + sums[3];
    float lane[16], rest = 0;
    std::memcpy(lane, sums, sizeof lane);
    for (; k < d; ++k) rest += (x[k] - y[k]) * (x[k] - y[k]);
    for (Index half = 8; half > 0; half /= 2)
        for (Index s = 0; s < half; ++s) lane[s] += lane[s + half];
    // Every term is positive and rounded d + 4 times at most, by half of the smallest number if it is as small.
    return static_cast<double>(lane[0] + rest) * (1 - static_cast<double>(d + 4) * 0x1p-23) -
           static_cast<double>(d) * 0x1p-149;
}
inline double least_squared_distance(const double*, const double*, Index) { return 0; }

// As many numbers as the machine adds at once. (Compilers would not keep plain arrays of sums
// in registers.)
#if defined(__AVX512F__)
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kVectorBytes = 32;
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <class T>
struct Vector {
#if defined(__GNUC__)
    typedef T Lanes __attribute__((vector_size(kVectorBytes)));
#else
    using Lanes = T;
#endif
    static constexpr Index width = sizeof(Lanes) / sizeof(T);
    static void load(const T* from, Lanes& lanes) { std::memcpy(&lanes, from, sizeof(Lanes)); }
    static void store(const Lanes& lanes, T* to) { std::memcpy(to, &lanes, sizeof(Lanes)); }
};

template <class T>
T minimum(const T* values, Index n) {
    using V = Vector<T>;
    T smallest = std::numeric_limits<T>::infinity();
    Index i = 0;
    if (n >= 4 * V::width) {
        typename V::Lanes least[4], next;
        std::memcpy(least, values, sizeof least);
        for (i = 4 * V::width; i + 4 * V::width <= n; i += 4 * V::width)
            for (int s = 0; s < 4; ++s) {
                V::load(values + i + s * V::width, next);
                least[s] = next < least[s] ? next : least[s];
            }
        T lanes[4 * V::width];
        std::memcpy(lanes, least, sizeof least);
        for (const T lane : lanes) smallest = lane < smallest ? lane : smallest;
    }
    for (; i < n; ++i) smallest = values[i] < smallest ? values[i] : smallest;
    return smallest;
}

// Calls found(i), ascending, for every i where values[i] is the smallest value; gives that value.
template <class T, class Found>
T each_minimum(const T* values, Index n, Found&& found) {
    constexpr Index kChunk = 256, kChunks = 64;  // minima of so many chunks say which to look at again
    T smallest = std::numeric_limits<T>::infinity(), minima[kChunks];
    const Index chunk = std::max(kChunk, (n + kChunks - 1) / kChunks);
    for (Index start = 0, c = 0; start < n; start += chunk, ++c) {
        minima[c] = minimum(values + start, std::min(chunk, n - start));
        smallest = std::min(smallest, minima[c]);
    }
    for (Index start = 0, c = 0; start < n; start += chunk, ++c)
        if (minima[c] == smallest)
            for (Index i = start; i < std::min(n, start + chunk); ++i)
                if (values[i] == smallest) found(i);
    return smallest;
}

// Position of the smallest value; the first one if several are equal.
template <class T>
Index argmin(const T* values, Index n) {
    constexpr Index kChunk = 512;
    T smallest = std::numeric_limits<T>::infinity();
    Index best = 0;
    for (Index start = 0; start < n; start += kChunk)
        if (const T here = minimum(values + start, std::min(kChunk, n - start)); here < smallest) {
            smallest = here;
            best = start;
        }
    return std::min(std::find(values + best, values + n, smallest) - values, n - 1);
}

}  // namespace chamfer
