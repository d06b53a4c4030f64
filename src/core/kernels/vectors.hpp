// Vectors for kernels.cpp, and for nothing else: see there why all is in a namespace without a name.
#pragma once

#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
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
    static Lanes fill(T value) { return value - Lanes{}; }
    static void store(Lanes lanes, T* to) { std::memcpy(to, &lanes, sizeof lanes); }
};

template <Index width>
struct IdVector {
    typedef Id Lanes __attribute__((vector_size(width * sizeof(Id))));
};
template <Index width>
using IdLanes = typename IdVector<width>::Lanes;

// a * b + c, rounded once where the machine can do that at once.
Vector<double>::Lanes multiply_add(Vector<double>::Lanes a, Vector<double>::Lanes b, Vector<double>::Lanes c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return vfmaq_f64(c, a, b);
#else
    return a * b + c;
#endif
}

// Numbers that the compiler keeps in a register, or in as many as it takes. With AVX2, GCC would keep eight in memory:
// squared distances took three times as long.
constexpr Index kWide = kVectorBytes == 32 ? 4 : 8;
typedef double Wide __attribute__((vector_size(kWide * sizeof(double))));
typedef float WideFloats __attribute__((vector_size(kWide * sizeof(float))));
typedef float Sixteen __attribute__((vector_size(64)));

Wide load(const double* x) {
    Wide wide;
    std::memcpy(&wide, x, sizeof wide);
    return wide;
}
Wide load(const float* x) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));  // GCC makes a detour of the general form
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
#else
    WideFloats wide;
    std::memcpy(&wide, x, sizeof wide);
    return __builtin_convertvector(wide, Wide);
#endif
}

// One bit for each lane of a comparison, whether it holds.
template <class Lanes>
unsigned bits(Lanes lanes) {
    constexpr int kLanes = sizeof(lanes) / sizeof(lanes[0]);
#if defined(__AVX512DQ__)
    if constexpr (sizeof lanes == 64 && kLanes == 8) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(lanes));
    if constexpr (sizeof lanes == 64 && kLanes == 16) return _mm512_movepi32_mask(reinterpret_cast<__m512i>(lanes));
#elif defined(__AVX__)
    if constexpr (sizeof lanes == 32 && kLanes == 4) return _mm256_movemask_pd(reinterpret_cast<__m256d>(lanes));
    if constexpr (sizeof lanes == 32 && kLanes == 8) return _mm256_movemask_ps(reinterpret_cast<__m256>(lanes));
#endif
    unsigned all = 0;
    for (int i = 0; i < kLanes; ++i) all |= static_cast<unsigned>(lanes[i] != 0) << i;
    return all;
}

template <class T>
T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
    return a < b ? b : a;
}

template <class T>
T smallest_lane(typename Vector<T>::Lanes lanes) {
    T lane[Vector<T>::width];
    std::memcpy(lane, &lanes, sizeof lane);
    for (Index half = Vector<T>::width / 2; half > 0; half /= 2)
        for (Index i = 0; i < half; ++i) lane[i] = smaller(lane[i], lane[i + half]);
    return lane[0];
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
