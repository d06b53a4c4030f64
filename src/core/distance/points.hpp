// Points as the caller holds them, and how their squared Euclidean distance becomes the distance asked for.
// Cosine distance is half the squared distance of unit vectors, so all fast metrics share the same kernels.
#pragma once

#include <cmath>

#include "../kernels/kernels.hpp"

namespace chamfer {

template <class T>
struct Points {
    const T* data;
    Index n, d;
    const T* row(Index i) const { return data + i * d; }
};

inline double from_squared(Metric metric, double squared) {
    return metric.root ? std::sqrt(squared) : squared * metric.factor;
}

// The squared distance beyond which a point cannot come within `reach` even after rounding to T.
template <class T>
double squared_reach(Metric metric, T reach) {
    const double margin = 1 + 2 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const double r = static_cast<double>(reach) * margin + static_cast<double>(std::numeric_limits<T>::min());
    return metric.root ? r * r : r / metric.factor;
}

// Distances between points.
template <class T>
struct Distances {
    Points<T> points;
    Metric metric;

    T between(const T* x, const T* y) const {
        return static_cast<T>(from_squared(metric, squared_distance(x, y, points.d)));
    }
    T operator()(Index p, Index q) const { return between(points.row(p), points.row(q)); }
    // Whether the squared distance is above the limit, as far as can be told cheaply.
    bool beyond(const T* x, const T* y, double limit) const {
        return points.d > kSequential && kernels<T>().least_squared_distance(x, y, points.d) > limit;
    }
};

}  // namespace chamfer
