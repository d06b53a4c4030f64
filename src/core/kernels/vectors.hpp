// Vectors for kernels.cpp, and for nothing else: see there why all is in a namespace without a name.
#pragma once

#include <cstring>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
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

Vector<float>::Lanes multiply_add(Vector<float>::Lanes a, Vector<float>::Lanes b, Vector<float>::Lanes c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return vfmaq_f32(c, a, b);
#else
    return a * b + c;
#endif
}

// each(0), ..., each(count - 1): GCC keeps an array of sums in registers only if it never sees a loop over it.
template <Index count, class Each>
__attribute__((always_inline)) inline void unrolled(Each&& each) {
    [&]<Index... i>(std::integer_sequence<Index, i...>)
        __attribute__((always_inline)) { (each(i), ...); }(std::make_integer_sequence<Index, count>{});
}

// Wider vectors than the machine's would go through memory at every step: GCC takes five times as long with them.
using Doubles = Vector<double>::Lanes;

// As many numbers as fit, as doubles.
Doubles load_doubles(const double* x) { return Vector<double>::load(x); }
Doubles load_doubles(const float* x) {  // GCC makes a detour of the general form
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
#elif defined(__SSE2__)
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x))));
#else
    typedef float Floats __attribute__((vector_size(kVectorBytes / 2)));
    Floats floats;
    std::memcpy(&floats, x, sizeof floats);
    return __builtin_convertvector(floats, Doubles);
#endif
}

template <class T, class From>
typename Vector<T>::Lanes load_as(const From* x) {
    if constexpr (sizeof(T) == sizeof(From))
        return Vector<T>::load(x);
    else
        return load_doubles(x);
}

// The first `count` of them, and zeros. Nothing else is read.
template <class T>
Doubles load_doubles(const T* x, Index count) {
    if (count >= Vector<double>::width) return load_doubles(x);
#if defined(__AVX512VL__)
    const auto first = static_cast<__mmask8>((1u << count) - 1);
    if constexpr (sizeof(T) == 8)
        return _mm512_maskz_loadu_pd(first, x);
    else
        return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(first, x));
#elif defined(__AVX2__)
    const __m128i first = _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(count)), _mm_setr_epi32(0, 1, 2, 3));
    if constexpr (sizeof(T) == 8)
        return _mm256_maskload_pd(x, _mm256_cvtepi32_epi64(first));
    else
        return _mm256_cvtps_pd(_mm_maskload_ps(x, first));
#else
    Doubles doubles = {};
    for (Index i = 0; i < count; ++i) doubles[i] = static_cast<double>(x[i]);
    return doubles;
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

// Half of the lanes, from lane `first` on.
template <class T, Index first, Index... i, class Lanes>
auto half_of(Lanes lanes, std::integer_sequence<Index, i...>) {
    return __builtin_shufflevector(lanes, lanes, (first + i)...);
}

// By halves that stay in registers: a loop over an array of lanes is not unrolled, and each round waits for memory.
template <class T, class Lanes>
T smallest_lane(Lanes lanes) {
    constexpr Index kHalf = sizeof(Lanes) / sizeof(T) / 2;
    if constexpr (kHalf == 1) {
        return smaller<T>(lanes[0], lanes[1]);
    } else {
        const auto low = half_of<T, 0>(lanes, std::make_integer_sequence<Index, kHalf>{}),
                   high = half_of<T, kHalf>(lanes, std::make_integer_sequence<Index, kHalf>{});
        return smallest_lane<T>(high < low ? high : low);
    }
}

// The sum of `count` strands, a power of two, halves added to halves.
template <class T>
T fold(T* strand, Index count) {
    for (Index half = count / 2; half > 0; half /= 2)
        for (Index s = 0; s < half; ++s) strand[s] += strand[s + half];
    return strand[0];
}

// The same of strands in one vector, in registers.
template <class T, class Lanes>
__attribute__((always_inline)) inline T sum_of_lanes(Lanes lanes) {
    constexpr Index kHalf = sizeof(Lanes) / sizeof(T) / 2;
    if constexpr (kHalf == 1) {
        return lanes[0] + lanes[1];
    } else {
        return sum_of_lanes<T>(half_of<T, 0>(lanes, std::make_integer_sequence<Index, kHalf>{}) +
                               half_of<T, kHalf>(lanes, std::make_integer_sequence<Index, kHalf>{}));
    }
}

// The same of strands in `count` vectors.
template <class T, Index count>
__attribute__((always_inline)) inline T fold(typename Vector<T>::Lanes (&sums)[count]) {
    if constexpr (count > 1) {
        typename Vector<T>::Lanes halves[count / 2];
        unrolled<count / 2>([&](Index s) __attribute__((always_inline)) { halves[s] = sums[s] + sums[s + count / 2]; });
        return fold<T>(halves);
    }
    return sum_of_lanes<T>(sums[0]);
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
