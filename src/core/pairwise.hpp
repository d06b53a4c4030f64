// All distances between n points, written into the upper triangle of a matrix.
//
// Few coordinates, or few points: by differences. Otherwise by matrix multiplication, in the type of the
// points; in double where too much of a tile of products in float would cancel. The same digits for any
// number of threads.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "packed.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "tile.hpp"

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

namespace detail {

// Copies what the tile at (top, begin) has of the upper triangle below the diagonal, which becomes zero.
template <class T>
void mirror(const Triangle<T>& square, Index top, Index begin) {
    constexpr Index kBlock = 32;  // rows that are read together, a column at a time
    const Index bottom = std::min(square.n, top + kTile), end = std::min(square.n, begin + kTile);
    for (Index first = top; first < bottom; first += kBlock)
        for (Index j = std::max(begin, first); j < end; ++j) {
            T* row = square.row(j);
            for (Index i = first; i < std::min({bottom, first + kBlock, j}); ++i) row[i] = square.row(i)[j];
            row[j] = 0;
        }
}

template <class T>
void by_differences(const Points<T>& points, Metric metric, const Triangle<T>& out, int threads,
                    const Tick& tick) {
    const Index n = points.n, d = points.d;
    const bool few = d <= kSequential;
    const Packed packed(few ? points : Points<T>{points.data, 0, d});
    std::vector<std::vector<double>> scratch(threads, std::vector<double>(n + Packed::kBlock));
    const Index batch = 1 + kBatch / n;
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
    if (!out.condensed)
        parallel_tasks((n + kTile - 1) / kTile, n < kAlone ? 1 : threads, [&](Index tile, int) {
            for (Index top = 0; top <= tile * kTile; top += kTile) mirror(out, top, tile * kTile);
        });
}

template <class T>
void by_products(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out,
                 const Blas& blas, int threads, const Tick& tick) {
    const Index n = points.n;
    std::vector<std::pair<Index, Index>> pairs;
    for (Index top = 0; top < n; top += kTile)
        for (Index begin = top; begin < n; begin += kTile) pairs.emplace_back(top, begin);
    std::vector<Tile<T>> tiles(threads);
    std::vector<Tile<double>> careful(sizeof(T) == 4 ? threads : 0);
    const auto fill = [&](auto& tile, Index top, Index begin) {
        for (Index i = top; i < std::min(n, top + kTile); ++i) tile.finish(points, metric, i, out.row(i));
        if (!out.condensed) mirror(out, top, begin);
    };
    const Index count = static_cast<Index>(pairs.size());
    const Index batch = std::max<Index>(4 * threads, (Index{1} << 15) / points.d);
    for (Index first = 0; first < count; first += batch) {
        parallel_tasks(std::min(batch, count - first), threads, [&](Index task, int thread) {
            const auto [top, begin] = pairs[first + task];
            tiles[thread].multiply(points, shift, top, begin, blas);
            if (sizeof(T) == 8 || tiles[thread].cancelled() < kTile * kTile / 4)
                return fill(tiles[thread], top, begin);
            careful[thread].multiply(points, shift, top, begin, blas);
            fill(careful[thread], top, begin);
        });
        tick(std::min(n * (n - 1) / 2, first * kTile * kTile));
    }
}

}  // namespace detail

// Ticks count pairs.
template <class T>
void pairwise(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out,
              const Blas& blas, int threads, const Tick& tick) {
    constexpr Index kFew = 512;  // below, multiplying gains nothing worth its rounding
    if (points.d <= kSequential || points.n <= kFew)
        detail::by_differences(points, metric, out, threads, tick);
    else
        detail::by_products(points, shift, metric, out, blas, threads, tick);
}

}  // namespace chamfer
