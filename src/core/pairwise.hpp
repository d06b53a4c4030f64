// All distances between n points, written into the upper triangle of a matrix.
//
// Few coordinates, or few points: by differences. Otherwise by matrix multiplication in double, of points
// shifted by `shift` (about their means): |x|^2 + |y|^2 - 2 x.y. Where that cancels (points close together,
// far from the centre) the distance is computed again by differences, so every value has at least nine
// correct digits, and the same digits for any number of threads. Shifts with few bits keep the products of
// integer data exact.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "blas.hpp"
#include "packed.hpp"
#include "parallel.hpp"
#include "points.hpp"

namespace chamfer {

// Upper triangles, stored whole (square) or packed (condensed, SciPy's order): entry (i, j), i < j, is
// row(i)[j].
template <class T>
struct Triangle {
    T* data;
    Index n;
    bool condensed;
    T* row(Index i) const { return data + (condensed ? i * n - i * (i + 1) / 2 - i - 1 : i * n); }
    T& operator()(Index i, Index j) const { return i < j ? row(i)[j] : row(j)[i]; }
};

// Copies the upper triangle of a square matrix below its diagonal, which becomes zero, tile by tile.
template <class T>
void mirror(T* square, Index n, int threads) {
    constexpr Index kTile = 64;
    parallel_tasks((n + kTile - 1) / kTile, threads, [&](Index tile, int) {
        const Index first = tile * kTile, last = std::min(n, first + kTile);
        for (Index left = 0; left < last; left += kTile)
            for (Index i = first; i < last; ++i)
                for (Index j = left; j < std::min(i, left + kTile); ++j) square[i * n + j] = square[j * n + i];
        for (Index i = first; i < last; ++i) square[i * n + i] = 0;
    });
}

namespace detail {

inline constexpr Index kTile = 256;
inline constexpr Index kBatch = Index{1} << 22;  // pairs between ticks
inline constexpr Index kAlone = 512;             // points too few to share among threads
inline constexpr double kCancelled = 1e-4;       // d^2 below this share of the norms is computed again

template <class T>
void by_differences(const Points<T>& points, Metric metric, const Triangle<T>& out, int threads, const Tick& tick) {
    const Index n = points.n, d = points.d;
    const bool few = d <= kSequential;
    const Packed packed(few ? points : Points<T>{points.data, 0, d});
    std::vector<std::vector<double>> scratch(threads, std::vector<double>(n + Packed::kBlock));
    const Index batch = std::max(kTile, kBatch / n);
    for (Index first = 0; first < n; first += batch) {
        parallel_tasks(std::min(batch, n - first), n < kAlone ? 1 : threads, [&](Index task, int thread) {
            const Index i = first + task, start = i / Packed::kBlock * Packed::kBlock;
            T* row = out.row(i);
            if (!few) {
                for (Index j = i + 1; j < n; ++j) row[j] = static_cast<T>(distance(points, metric, i, j));
                return;
            }
            double x[kSequential];
            packed.get(i, x);
            packed.squared_distances(x, start, n, scratch[thread].data());
            from_squared(metric, scratch[thread].data() + i + 1 - start, row + i + 1, n - i - 1);
        });
        tick(n * first - first * (first + 1) / 2);
    }
}

// Rows [first, first + count) of the shifted points in double.
template <class T>
void shifted(const Points<T>& points, const double* shift, Index first, Index count, double* out) {
    for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < points.d; ++k) *out++ = static_cast<double>(points.row(first + i)[k]) - shift[k];
}

template <class T>
void by_products(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
                 int threads, const Tick& tick) {
    const Index n = points.n, d = points.d, tiles = (n + kTile - 1) / kTile;
    std::vector<double> norms(n), left(kTile * d);
    std::vector<std::vector<double>> right(threads, std::vector<double>(kTile * (d + kTile)));
    const std::vector<double> origin(d, 0.0);
    parallel_tasks(tiles, threads, [&](Index tile, int thread) {
        const Index first = tile * kTile, count = std::min(kTile, n - first);
        shifted(points, shift, first, count, right[thread].data());
        for (Index i = 0; i < count; ++i)
            norms[first + i] = squared_distance<double>(right[thread].data() + i * d, origin.data(), d);
    });
    for (Index top = 0; top < n; top += kTile) {
        const Index rows = std::min(kTile, n - top);
        shifted(points, shift, top, rows, left.data());
        parallel_tasks((n - top + kTile - 1) / kTile, threads, [&](Index tile, int thread) {
            const Index begin = top + tile * kTile, columns = std::min(kTile, n - begin);
            double* panel = right[thread].data();
            double* products = panel + kTile * d;
            shifted(points, shift, begin, columns, panel);
            blas.products(left.data(), rows, d, panel, columns, d, d, products, kTile);
            for (Index i = top; i < top + rows; ++i) {
                double* squared = products + (i - top) * kTile;
                T* row = out.row(i);
                for (Index j = std::max(begin, i + 1); j < begin + columns; ++j) {
                    const double scale = norms[i] + norms[j];
                    double& value = squared[j - begin];
                    value = scale - 2 * value;
                    if (value < kCancelled * scale) value = squared_distance(points.row(i), points.row(j), d);
                }
                const Index start = std::max(begin, i + 1);
                from_squared(metric, squared + start - begin, row + start, begin + columns - start);
            }
        });
        tick(n * top - top * (top + 1) / 2);
    }
}

}  // namespace detail

// Ticks count pairs.
template <class T>
void pairwise(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
              int threads, const Tick& tick) {
    constexpr Index kFew = 512;  // below, multiplying gains nothing worth its rounding
    if (points.d <= kSequential || points.n <= kFew)
        detail::by_differences(points, metric, out, threads, tick);
    else
        detail::by_products(points, shift, metric, out, blas, threads, tick);
    if (!out.condensed) mirror(out.data, out.n, threads);
}

}  // namespace chamfer
