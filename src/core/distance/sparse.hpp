// Distances of sparse rows, by an inverted index: for each coordinate, the points that have it.
//
// A query adds up its products with all points that share a coordinate with it, in the order of coordinates, so that
// d(p, q) and d(q, p) are the same number. Where the squared distance cancels it is computed again by differences.
#pragma once

#include <algorithm>
#include <vector>

#include "../base/threads.hpp"
#include "points.hpp"

namespace chamfer {

// Compressed lines: rows of coordinates, or columns of points; numbers of places ascend within a line.
template <class T>
struct Compressed {
    const Index* start;
    const Id* place;
    const T* value;
};

template <class T>
double squared_length(const Compressed<T>& rows, Index i) {
    double sum = 0;
    for (Index k = rows.start[i]; k < rows.start[i + 1]; ++k)
        sum += static_cast<double>(rows.value[k]) * static_cast<double>(rows.value[k]);
    return sum;
}

template <class T>
double squared_difference(const Compressed<T>& a, Index i, const Compressed<T>& b, Index j) {
    Index k = a.start[i], l = b.start[j];
    const Index end_k = a.start[i + 1], end_l = b.start[j + 1];
    double sum = 0;
    while (k < end_k || l < end_l) {
        const bool left = l == end_l || (k < end_k && a.place[k] <= b.place[l]);
        const bool right = k == end_k || (l < end_l && b.place[l] <= a.place[k]);
        const double difference =
            (left ? static_cast<double>(a.value[k]) : 0) - (right ? static_cast<double>(b.value[l]) : 0);
        sum += difference * difference;
        k += left, l += right;
    }
    return sum;
}

constexpr double kCancelled = 1e-6;  // shares of the lengths at which a difference has lost six digits

// Whether the metric is that of directions, of unit length: those that share nothing are at 1.
inline bool of_directions(Metric metric) { return !metric.root && metric.factor != 1; }

// The distance of row i of `a` and row j of `b` from their squared lengths and their product.
template <class T>
double distance_of(const Compressed<T>& a, Index i, const Compressed<T>& b, Index j, double lengths, double product,
                   Metric metric) {
    double squared = lengths - 2 * product;
    if (squared < kCancelled * lengths) squared = squared_difference(a, i, b, j);
    return from_squared(metric, squared);
}

// out[q][p - first] = distance from row q of `queries` to point p of [first, n)
template <class T>
void sparse_distances(const Compressed<T>& queries, Index count, const Compressed<T>& points,
                      const Compressed<T>& columns, Index n, Index first, Metric metric, double* out, int threads) {
    const bool directions = of_directions(metric);
    std::vector<double> lengths(n, 1.0);
    if (!directions)
        parallel_ranges(n - first, 1024, threads, [&](Index begin, Index end) {
            for (Index p = first + begin; p < first + end; ++p) lengths[p] = squared_length(points, p);
        });
    parallel_tasks(count, threads, [&](Index q, int) {
        double* row = out + q * (n - first);
        std::fill_n(row, n - first, 0.0);
        for (Index k = queries.start[q]; k < queries.start[q + 1]; ++k) {
            const Id column = queries.place[k];
            const double value = static_cast<double>(queries.value[k]);
            const Id* begin = columns.place + columns.start[column];
            const Id* end = columns.place + columns.start[column + 1];
            const T* other = columns.value + (std::lower_bound(begin, end, static_cast<Id>(first)) - columns.place);
            for (const Id* p = std::lower_bound(begin, end, static_cast<Id>(first)); p < end; ++p, ++other)
                row[*p - first] += value * static_cast<double>(*other);
        }
        const double own = directions ? 1 : squared_length(queries, q);
        for (Index p = first; p < n; ++p)
            row[p - first] = distance_of(queries, q, points, p, own + lengths[p], row[p - first], metric);
    });
}

}  // namespace chamfer
