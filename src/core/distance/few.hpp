// All distances between few points, or of few coordinates, without BLAS.
//
// By differences up to kSequential coordinates. With more, by products of points shifted to their centre: |x|^2 + |y|^2
// - 2 x.y. Where that cancels, by differences again: every distance has at least nine correct digits.
#pragma once

#include <cmath>
#include <vector>

#include "../base/lines.hpp"
#include "../base/threads.hpp"
#include "packed.hpp"
#include "points.hpp"
#include "triangle.hpp"

namespace chamfer {

inline constexpr Index kFewPoints = 512;

// Near the means of the columns, in few bits: shifted integers stay integers, and their products exact.
template <class T>
std::vector<double> centre(const Points<T>& points) {
    const Index n = points.n, d = points.d;
    std::vector<T> low(d), high(d);
    kernels<T>().column_ranges(points.data, n, d, low.data(), high.data());
    std::vector<double> means(d);
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < d; ++k) means[k] += static_cast<double>(points.row(i)[k]);
    for (Index k = 0; k < d; ++k) {
        const double range = static_cast<double>(high[k]) - static_cast<double>(low[k]);
        const double grid =
            std::max(std::ldexp(1, (range > 0 ? std::ilogb(range) : 0) - 3), std::numeric_limits<double>::min());
        means[k] = std::nearbyint(means[k] / static_cast<double>(n) / grid) * grid;
    }
    return means;
}

namespace detail {

inline constexpr Index kPairs = Index{1} << 22;     // between ticks
inline constexpr double kCancelledInDouble = 1e-4;  // squares below this share of the norms are computed again

// For few coordinates.
template <class T, class Rows>
void by_differences(const Points<T>& points, Metric metric, const Rows& out, int threads, const Tick& tick) {
    const Index n = points.n;
    const Packed packed(points);
    std::vector<std::vector<double>> scratch(threads, std::vector<double>(n + kBlock));
    const Index batch = 1 + kPairs / n;
    for (Index first = 0; first < n; first += batch) {
        parallel_tasks(std::min(batch, n - first), threads, [&](Index task, int thread) {
            const Index i = first + task, start = i / kBlock * kBlock;
            double *squared = scratch[thread].data(), *after = squared + i + 1 - start;
            double x[kSequential];
            packed.get(i, x);
            packed.squared_distances(x, start, n, squared);
            kernels<T>().from_squared(metric, after, n - i - 1, out.row(i) + i + 1);
        });
        tick(n * first - first * (first + 1) / 2);
    }
}

// Distances from point i to those of [begin, end), from their products; those that cancelled by differences.
template <class T>
void finish(const Points<T>& points, const double* norms, Metric metric, double cancelled, Index i, Index begin,
            Index end, double* products, T* out) {
    const double norm = norms[i];
    const Index lost = level->others->cancel(norm, norms + begin, end - begin, cancelled, products);
    for (Index j = begin; lost > 0 && j < end; ++j)
        if (products[j - begin] < cancelled * (norm + norms[j]))
            products[j - begin] = squared_distance(points.row(i), points.row(j), points.d);
    kernels<T>().from_squared(metric, products, end - begin, out);
}

// For few points.
template <class Rows>
void by_block_products(const Points<double>& points, Metric metric, const Rows& out, int threads, const Tick& tick) {
    const Index n = points.n, d = points.d, groups = (n + kRows - 1) / kRows, width = n + kBlock;
    const std::vector<double> shift = centre(points), origin(d);
    const Lines<double> lines(groups * kRows * d);
    double* shifted = lines.data();
    std::fill(shifted + n * d, shifted + groups * kRows * d, 0.0);
    std::vector<double> norms(n);
    for (Index i = 0; i < n; ++i) {
        kernels<double>().change_unit(points.row(i), shift.data(), 1.0, d, &shifted[i * d]);
        norms[i] = squared_distance(&shifted[i * d], origin.data(), d);
    }
    const Packed packed(Points<double>{shifted, n, d});
    const Lines<double> products(threads * kRows * width);
    const Index batch = 1 + 64 * kPairs / (kRows * n * d);  // a tenth of a second, where coordinates are very many
    for (Index begin = 0; begin < groups; begin += batch) {
        parallel_tasks(std::min(batch, groups - begin), threads, [&](Index task, int thread) {
            const Index top = (begin + task) * kRows;
            double* rows = products.data() + thread * kRows * width;
            for (Index first = top / kBlock * kBlock; first < n; first += kBlock)
                level->others->block_products(&shifted[top * d], packed.block(first), d,
                                              std::max(top + 1 - first, Index{0}), std::min(kBlock, n - first), width,
                                              rows + first);
            for (Index i = top; i < std::min(n, top + kRows); ++i)
                finish(points, norms.data(), metric, kCancelledInDouble, i, i + 1, n, rows + (i - top) * width + i + 1,
                       out.row(i) + i + 1);
        });
        tick(n * begin * kRows / 2);
    }
}

}  // namespace detail

// `out` has rows like a Triangle.
template <class Rows>
void few_distances(const Points<double>& points, Metric metric, const Rows& out, int threads, const Tick& tick) {
    if (points.d <= kSequential)
        detail::by_differences(points, metric, out, 1, tick);
    else
        detail::by_block_products(points, metric, out, threads, tick);
}

}  // namespace chamfer
