// Distances by metrics that have loops of their own, see kernels/metrics.hpp: rows of them, or all.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "points.hpp"
#include "triangle.hpp"

namespace chamfer {

// Points in blocks of kBlock, coordinate after coordinate; what is left of the last block is not used.
template <class T>
struct Strips {
    const T* data;
    Index blocks, d;
    const T* block(Index b) const { return data + b * kBlock * d; }
};

constexpr int kCityBlock = 0;  // the loop of that metric

struct RowMetric {
    int loop;     // of packed_rows
    Metric then;  // how its result becomes the distance
};

template <class T>
void packed_rows(const Points<T>& queries, const Strips<T>& strips, RowMetric metric, double* out, int threads) {
    const Index width = strips.blocks * kBlock;
    parallel_tasks(queries.n, threads, [&](Index i, int) {
        double* row = out + i * width;
        kernels<T>().packed_rows[metric.loop](queries.row(i), strips.data, queries.d, strips.blocks, row);
        kernels<double>().from_squared(metric.then, row, width, row);
    });
}

// All distances; gives the largest, infinity if one is no number.
template <class T>
T packed_triangle(const Points<T>& points, const Strips<T>& strips, RowMetric metric, const Triangle<T>& out,
                  int threads, const Tick& tick) {
    const Index n = points.n, width = strips.blocks * kBlock, batch = 16 * threads;
    const auto rows = std::make_unique_for_overwrite<double[]>(threads * width);
    std::vector<T> largest(threads);
    for (Index begin = 0; begin < n; begin += batch) {
        parallel_tasks(std::min(batch, n - begin), threads, [&](Index task, int thread) {
            const Index i = begin + task, first = i / kBlock, left = n - i - 1;
            double* row = &rows[thread * width];
            kernels<T>().packed_rows[metric.loop](points.row(i), strips.block(first), points.d, strips.blocks - first,
                                                  row);
            T *to = out.row(i) + i + 1, low, high;
            kernels<T>().from_squared(metric.then, row + (i + 1 - first * kBlock), left, to);
            if (left > 0 && !kernels<T>().column_ranges(to, left, 1, &low, &high)) high = kFar<T>;
            if (left > 0) largest[thread] = std::max(largest[thread], high);
        });
        tick(n * begin - begin * begin / 2);
    }
    if (!out.condensed) mirror(out.data, n, threads);
    return *std::ranges::max_element(largest);
}

}  // namespace chamfer
