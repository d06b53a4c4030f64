#include "kernels.hpp"

#include <algorithm>
#include <limits>

// Instruction sets are chosen by the loader (GNU indirect functions); elsewhere the baseline has to do.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CHAMFER_VECTOR __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define CHAMFER_VECTOR
#endif
#define CHAMFER_INLINE [[gnu::always_inline]] inline

namespace chamfer {
namespace {

template <class T>
CHAMFER_INLINE double squared_distance_of(const T* x, const T* y, Index d) {
    if (d <= kSequential) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) {
            const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
            sum += difference * difference;
        }
        return sum;
    }
    double strand[8] = {};
    Index k = 0;
    for (; k + 8 <= d; k += 8)
#pragma omp simd
        for (int s = 0; s < 8; ++s) {
            const double difference = static_cast<double>(x[k + s]) - static_cast<double>(y[k + s]);
            strand[s] += difference * difference;
        }
    for (int s = 0; k < d; ++k, ++s) {
        const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
        strand[s] += difference * difference;
    }
    return ((strand[0] + strand[4]) + (strand[2] + strand[6])) +
           ((strand[1] + strand[5]) + (strand[3] + strand[7]));
}

template <class T>
CHAMFER_INLINE Index argmin_of(const T* values, Index n) {
    T smallest = std::numeric_limits<T>::infinity();
#pragma omp simd reduction(min : smallest)
    for (Index i = 0; i < n; ++i) smallest = values[i] < smallest ? values[i] : smallest;
    Index i = 0;
    while (i + 1 < n && values[i] != smallest) ++i;
    return i;
}

template <class T>
CHAMFER_INLINE void take_minimum_of(T* values, const T* others, Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) values[i] = others[i] < values[i] ? others[i] : values[i];
}

template <class T>
CHAMFER_INLINE void add_to_of(const T* row, const T* penalty, Index n, T* out) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) out[i] = row[i] + penalty[i];
}

template <class T>
CHAMFER_INLINE void relax_of(const T* values, Id source, Index n, T* best, Id* from) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const bool closer = values[i] < best[i];
        best[i] = closer ? values[i] : best[i];
        from[i] = closer ? source : from[i];
    }
}

}  // namespace

CHAMFER_VECTOR double squared_distance(const float* x, const float* y, Index d) {
    return squared_distance_of(x, y, d);
}
CHAMFER_VECTOR double squared_distance(const double* x, const double* y, Index d) {
    return squared_distance_of(x, y, d);
}

CHAMFER_VECTOR void squared_distances(const double* x, const double* columns, Index stride, Index d,
                                      Index begin, Index end, double* out) {
    constexpr Index kBlock = 512;  // stays in the first-level cache over all coordinates
    double strands[8][kBlock];
    for (Index start = begin; start < end; start += kBlock) {
        const Index count = std::min(kBlock, end - start);
        const Index used = d <= kSequential ? 1 : 8;
        for (Index s = 0; s < used; ++s) std::fill_n(strands[s], count, 0.0);
        for (Index k = 0; k < d; ++k) {
            const double* column = columns + k * stride + start;
            double* strand = strands[k % used];
            const double coordinate = x[k];
#pragma omp simd
            for (Index j = 0; j < count; ++j) {
                const double difference = coordinate - column[j];
                strand[j] += difference * difference;
            }
        }
        if (used == 8)
#pragma omp simd
            for (Index j = 0; j < count; ++j)
                strands[0][j] = ((strands[0][j] + strands[4][j]) + (strands[2][j] + strands[6][j])) +
                                ((strands[1][j] + strands[5][j]) + (strands[3][j] + strands[7][j]));
        std::copy_n(strands[0], count, out + (start - begin));
    }
}

CHAMFER_VECTOR Index argmin(const float* values, Index n) { return argmin_of(values, n); }
CHAMFER_VECTOR Index argmin(const double* values, Index n) { return argmin_of(values, n); }

CHAMFER_VECTOR void take_minimum(float* values, const float* others, Index n) {
    take_minimum_of(values, others, n);
}
CHAMFER_VECTOR void take_minimum(double* values, const double* others, Index n) {
    take_minimum_of(values, others, n);
}

CHAMFER_VECTOR void add(double* values, const double* others, Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) values[i] += others[i];
}

CHAMFER_VECTOR void add_to(const float* row, const float* penalty, Index n, float* out) {
    add_to_of(row, penalty, n, out);
}
CHAMFER_VECTOR void add_to(const double* row, const double* penalty, Index n, double* out) {
    add_to_of(row, penalty, n, out);
}

CHAMFER_VECTOR void relax(const float* values, Id source, Index n, float* best, Id* from) {
    relax_of(values, source, n, best, from);
}
CHAMFER_VECTOR void relax(const double* values, Id source, Index n, double* best, Id* from) {
    relax_of(values, source, n, best, from);
}

}  // namespace chamfer
