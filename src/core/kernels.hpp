// The vector loops. Distances are accumulated in double whatever the points are stored in.
//
// The whole core is compiled once for each level of the instruction set (see CMakeLists.txt) and the best one
// the machine knows is imported, so these are plain loops that the compiler vectorises.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "types.hpp"

namespace chamfer {

// Up to kSequential coordinates are summed one after the other; more are summed in kStrands interleaved strands, enough
// to keep several additions in flight. All that compute distances between points follow this rule, so d(p, q) is the same
// number wherever it appears.
inline constexpr Index kSequential = 16, kStrands = 32;

// Eight numbers that the compiler keeps in a register, or in as many as it takes.
typedef double Eight __attribute__((vector_size(64)));
typedef float EightFloats __attribute__((vector_size(32)));

inline Eight load(const double* x) {
    Eight eight;
    std::memcpy(&eight, x, sizeof eight);
    return eight;
}
inline Eight load(const float* x) {
    EightFloats eight;
    std::memcpy(&eight, x, sizeof eight);
    return __builtin_convertvector(eight, Eight);
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

// out[j - begin] = squared distance from x to point j of [begin, end), coordinates summed one after the
// other; coordinate k of point j is at columns[k * stride + j].
inline void squared_distances(const double* x, const double* columns, Index stride, Index d, Index begin,
                              Index end, double* out) {
    constexpr Index kLanes = 32;  // points at a time, their sums held in registers over all coordinates
    Index j = begin;
    for (; j + kLanes <= end; j += kLanes, out += kLanes) {
        double sums[kLanes] = {};
        for (Index k = 0; k < d; ++k) {
            const double* column = columns + k * stride + j;
            for (Index lane = 0; lane < kLanes; ++lane) {
                const double difference = x[k] - column[lane];
                sums[lane] += difference * difference;
            }
        }
        for (Index lane = 0; lane < kLanes; ++lane) out[lane] = sums[lane];
    }
    for (; j < end; ++j) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) {
            const double difference = x[k] - columns[k * stride + j];
            sum += difference * difference;
        }
        *out++ = sum;
    }
}

template <class T>
T minimum(const T* values, Index n) {
    T smallest = std::numeric_limits<T>::infinity();
#pragma omp simd reduction(min : smallest)
    for (Index i = 0; i < n; ++i) smallest = values[i] < smallest ? values[i] : smallest;
    return smallest;
}

// Position of the smallest value; the first one if several are equal.
template <class T>
Index argmin(const T* values, Index n) {
    const T smallest = minimum(values, n);
    return std::min<Index>(std::find(values, values + n, smallest) - values, n - 1);
}

}  // namespace chamfer
