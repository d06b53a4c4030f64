// All distances between n points, written into the upper triangle of a matrix.
//
// Few points: see few.hpp. Few coordinates: by differences. Otherwise by matrix multiplication in double, of points
// shifted by `shift` (about their means): |x|^2 + |y|^2 - 2 x.y. Where that cancels (points close together,
// far from the centre) the distance is computed again by differences, so every value has at least nine
// correct digits, and the same digits for any number of threads. Shifts with few bits keep the products of
// integer data exact.
#pragma once

#include <utility>
#include <vector>

#include "../base/threads.hpp"
#include "blas.hpp"
#include "few.hpp"

namespace chamfer {

namespace detail {

inline constexpr Index kTile = 512;
inline constexpr Index kDepth = 2048;  // coordinates multiplied at a time: 8 MB of them for each side

// Coordinates [from, from + depth) of rows [first, first + count) of the shifted points in double.
template <class T>
void shifted(const Points<T>& points, const double* shift, Index first, Index count, Index from, Index depth,
             double* out) {
    for (Index i = 0; i < count; ++i, out += depth)
        kernels<T>().shift(points.row(first + i) + from, shift + from, depth, out);
}

// What one thread needs for tiles of products: shifted points of both sides and the products.
struct Workspace {
    std::vector<double> left, right, products;
    Index top = -1, from = -1;  // first point and first coordinate of what is in `left`

    explicit Workspace(Index d)
        : left(kTile * std::min(d, kDepth)), right(kTile * std::min(d, kDepth)), products(kTile * kTile) {}
};

// products[i * kTile + j] = product of points top + i and begin + j. On the diagonal, only for i <= j (and a
// little more).
template <class T>
void multiply(const Points<T>& points, const double* shift, Index top, Index begin, const Blas& blas, Workspace& work) {
    const Index rows = std::min(kTile, points.n - top), columns = std::min(kTile, points.n - begin);
    const Index step = top == begin ? kTile / 4 : kTile;
    for (Index from = 0; from < points.d; from += kDepth) {
        const Index d = std::min(kDepth, points.d - from);
        if (work.top != top || work.from != from) shifted(points, shift, top, rows, from, d, work.left.data());
        work.top = top, work.from = from;
        shifted(points, shift, begin, columns, from, d, work.right.data());
        for (Index i = 0; i < rows; i += step) {
            const Index skip = top == begin ? i : 0;
            blas.products(&work.left[i * d], std::min(step, rows - i), d, &work.right[skip * d], columns - skip, d, d,
                          &work.products[i * kTile + skip], kTile, from > 0);
        }
    }
}

template <class T>
void by_products(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
                 int threads, const Tick& tick) {
    const Index n = points.n, d = points.d;
    std::vector<Workspace> work(threads, Workspace(d));
    std::vector<double> norms(n), origin(std::min(d, kDepth));
    std::vector<std::pair<Index, Index>> tiles;
    for (Index top = 0; top < n; top += kTile)
        for (Index begin = top; begin < n; begin += kTile) tiles.emplace_back(top, begin);
    parallel_tasks((n + kTile - 1) / kTile, threads, [&](Index tile, int thread) {
        const Index first = tile * kTile, count = std::min(kTile, n - first);
        double* rows = work[thread].right.data();
        for (Index from = 0; from < d; from += kDepth) {
            const Index depth = std::min(kDepth, d - from);
            shifted(points, shift, first, count, from, depth, rows);
            for (Index i = 0; i < count; ++i)
                norms[first + i] += squared_distance(rows + i * depth, origin.data(), depth);
        }
    });
    const Index batch = std::max<Index>(4 * threads, (Index{1} << 15) / d), count = static_cast<Index>(tiles.size());
    for (Index first = 0; first < count; first += batch) {
        parallel_tasks(std::min(batch, count - first), threads, [&](Index task, int thread) {
            const auto [top, begin] = tiles[first + task];
            multiply(points, shift, top, begin, blas, work[thread]);
            for (Index i = top; i < std::min(n, top + kTile); ++i) {
                const Index start = std::max(begin, i + 1);
                finish(points, norms.data(), metric, i, start, std::min(n, begin + kTile),
                       &work[thread].products[(i - top) * kTile + start - begin], out.row(i) + start);
            }
        });
        tick(std::min(n * (n - 1) / 2, first * kTile * kTile));
    }
}

}  // namespace detail

// Ticks count pairs.
template <class T>
void pairwise(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
              int threads, const Tick& tick) {
    if (points.d <= kSequential)
        detail::by_differences(points, metric, out, threads, tick);
    else
        detail::by_products(points, shift, metric, out, blas, threads, tick);
    if (!out.condensed) mirror(out.data, out.n, threads);
}

}  // namespace chamfer
