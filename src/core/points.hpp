// Points as the caller holds them, and how their squared Euclidean distance becomes the distance asked for.
// Cosine distance is half the squared distance of unit vectors, so all fast metrics share the same kernels.
#pragma once

#include <cmath>

#include "kernels.hpp"
#include "types.hpp"

namespace chamfer {

template <class T>
struct Points {
    const T* data;
    Index n, d;
    const T* row(Index i) const { return data + i * d; }
};

// For every point its k nearest other points, and a bound that no further one is below.
template <class T>
struct FirstLists {
    const Id* points;
    const T *distances, *bounds;
    Index k;
};

enum class Metric { euclidean, sqeuclidean, half_sqeuclidean };

inline double from_squared(Metric metric, double squared) {
    switch (metric) {
        case Metric::euclidean:
            return std::sqrt(squared);
        case Metric::sqeuclidean:
            return squared;
        default:
            return squared / 2;
    }
}

template <class T>
void from_squared(Metric metric, const double* squared, T* out, Index n) {
    if (metric == Metric::euclidean)  // apart, so that compilers see a loop without branches
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(std::sqrt(squared[j]));
    else
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(from_squared(metric, squared[j]));
}

template <class T>
double distance(const Points<T>& points, Metric metric, Index p, Index q) {
    return from_squared(metric, squared_distance(points.row(p), points.row(q), points.d));
}

// Whether the squared distance is above the limit, as far as can be told cheaply.
template <class T>
bool clearly_beyond(const Points<T>& points, Index p, Index q, double limit) {
    return least_squared_distance(points.row(p), points.row(q), points.d) > limit;
}

}  // namespace chamfer
