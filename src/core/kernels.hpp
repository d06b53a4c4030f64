// The vector loops. Distances are accumulated in double whatever the points are stored in.
//
// The whole core is compiled once for each level of the instruction set (see CMakeLists.txt) and the best one
// the machine knows is imported, so these are plain loops that the compiler vectorises.
#pragma once

#include <algorithm>
#include <limits>

#include "types.hpp"

namespace chamfer {

// Up to this many coordinates are summed one after the other; more are summed in eight interleaved strands.
// All that compute distances between points follow this rule, so d(p, q) is the same number wherever it
// appears.
inline constexpr Index kSequential = 16;

inline double sum_strands(const double* s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

template <class T>
double squared_distance(const T* x, const T* y, Index d) {
    const auto square = [&](Index k) {
        const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
        return difference * difference;
    };
    if (d <= kSequential) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += square(k);
        return sum;
    }
    double strand[8] = {};
    Index k = 0;
    for (; k + 8 <= d; k += 8)
        for (int s = 0; s < 8; ++s) strand[s] += square(k + s);
    for (int s = 0; k < d; ++k, ++s) strand[s] += square(k);
    return sum_strands(strand);
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
