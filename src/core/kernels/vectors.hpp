// Vectors for kernels.cpp, and for nothing else: see there why all is in a namespace without a name.
#pragma once

#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels.hpp"

namespace chamfer {
namespace loops {
namespace {

// As many bytes as the machine adds at once. (Compilers would not keep plain arrays of sums in registers.)
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct Vector {
    typedef T Lanes __attribute__((vector_size(kVectorBytes)));
    static constexpr Index width = sizeof(Lanes) / sizeof(T);
    static Lanes load(const T* from) {
        Lanes lanes;
        std::memcpy(&lanes, from, sizeof lanes);
        return lanes;
    }
};

// Eight numbers that the compiler keeps in a register, or in as many as it takes.
typedef double Eight __attribute__((vector_size(64)));
typedef float EightFloats __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

Eight load(const double* x) {
    Eight eight;
    std::memcpy(&eight, x, sizeof eight);
    return eight;
}
Eight load(const float* x) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));  // GCC makes a detour of the general form
#else
    EightFloats eight;
    std::memcpy(&eight, x, sizeof eight);
    return __builtin_convertvector(eight, Eight);
#endif
}

// Whether any lane of a comparison holds.
template <class Lanes>
bool any(Lanes lanes) {
    std::uint64_t words[sizeof lanes / 8], all = 0;
    std::memcpy(words, &lanes, sizeof lanes);
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
}

template <class T>
T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
    return a < b ? b : a;
}

// The sum of `count` strands, a power of two, halves added to halves.
template <class T>
T fold(T* strand, Index count) {
    for (Index half = count / 2; half > 0; half /= 2)
        for (Index s = 0; s < half; ++s) strand[s] += strand[s + half];
    return strand[0];
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
