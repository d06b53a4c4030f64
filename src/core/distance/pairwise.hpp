// All distances between n points, written into the upper triangle of a matrix.
//
// Few coordinates: by differences. Otherwise by matrix multiplication of points shifted by `shift` (about their means):
// |x|^2 + |y|^2 - 2 x.y. Where that cancels (points close together, far from the centre) the distance is computed again
// by differences. The digits are the same for any number of threads. Shifts with few bits keep the products of integer
// data exact.
//
// Doubles, and what cancels often, are multiplied in double: a distance has at least nine correct digits. Floats are
// multiplied in float, which takes half the time, and summed in double after every kFloatDepth coordinates, if a sample
// says that this costs no digits: squared distances below an eighth of the norms are computed again, and others have to
// be right to four units of the last place.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "../base/threads.hpp"
#include "blas.hpp"
#include "few.hpp"

namespace chamfer {

namespace detail {

inline constexpr Index kDepth = 2048;  // coordinates kept at a time: 8 MB of them for each side
inline constexpr Index kFloatDepth = 128;

// Squares below this share of the norms are computed again, after multiplying in S.
template <class S>
inline constexpr double kCancelled = sizeof(S) == 4 ? 0.125 : kCancelledInDouble;

// Coordinates [from, from + depth) of rows [first, first + count) of the shifted points.
template <class T>
void shifted(const Points<T>& points, const double* shift, Index first, Index count, Index from, Index depth,
             double* out) {
    for (Index i = 0; i < count; ++i, out += depth)
        kernels<T>().shift(points.row(first + i) + from, shift + from, depth, out);
}
inline void shifted(const Points<float>& points, const float* shift, Index first, Index count, Index from, Index depth,
                    float* out) {
    for (Index i = 0; i < count; ++i, out += depth)
        kernels<float>().change_unit(points.row(first + i) + from, shift + from, 1, depth, out);
}

// Points on a side of a tile. For few points, fresh memory would cost more than large tiles gain.
inline Index tile_of(Index n) { return n < 4096 ? 256 : 512; }

// What one thread needs for tiles of products in S: shifted points of both sides and the products.
template <class S>
struct Workspace {
    Index tile;
    std::unique_ptr<S[]> left, right, part;
    std::unique_ptr<double[]> products;
    Index top = -1, from = -1;  // first point and first coordinate of what is in `left`

    Workspace(Index n, Index d)
        : tile(tile_of(n)),
          left(std::make_unique_for_overwrite<S[]>(tile * std::min(d, kDepth))),
          right(std::make_unique_for_overwrite<S[]>(tile * std::min(d, kDepth))),
          part(std::make_unique_for_overwrite<S[]>(sizeof(S) == 4 ? tile * tile : 0)),
          products(std::make_unique_for_overwrite<double[]>(tile * tile)) {}
};

// Rows [i, i + rows) of a tile by its columns from `skip` on: adds the products of d coordinates, or begins with them.
inline void add_products(const Blas& blas, Workspace<double>& work, Index i, Index rows, Index skip, Index columns,
                         Index d, bool add) {
    blas.products(&work.left[i * d], rows, d, &work.right[skip * d], columns, d, d,
                  &work.products[i * work.tile + skip], work.tile, add);
}
inline void add_products(const Blas& blas, Workspace<float>& work, Index i, Index rows, Index skip, Index columns,
                         Index d, bool add) {
    for (Index from = 0; from < d; from += kFloatDepth, add = true) {
        blas.products(&work.left[i * d + from], rows, d, &work.right[skip * d + from], columns, d,
                      std::min(kFloatDepth, d - from), work.part.get(), work.tile);
        for (Index r = 0; r < rows; ++r)
            level->others->add_floats(&work.part[r * work.tile], columns, add,
                                      &work.products[(i + r) * work.tile + skip]);
    }
}

// products[i * tile + j] = product of points top + i and begin + j. On the diagonal, only for i <= j (and a
// little more).
template <class T, class S>
void multiply(const Points<T>& points, const S* shift, Index top, Index begin, const Blas& blas, Workspace<S>& work) {
    const Index tile = work.tile, rows = std::min(tile, points.n - top), columns = std::min(tile, points.n - begin);
    const Index step = top == begin ? tile / 4 : tile;
    for (Index from = 0; from < points.d; from += kDepth) {
        const Index d = std::min(kDepth, points.d - from);
        if (work.top != top || work.from != from) shifted(points, shift, top, rows, from, d, work.left.get());
        work.top = top, work.from = from;
        shifted(points, shift, begin, columns, from, d, work.right.get());
        for (Index i = 0; i < rows; i += step) {
            const Index skip = top == begin ? i : 0;
            add_products(blas, work, i, std::min(step, rows - i), skip, columns - skip, d, from > 0);
        }
    }
}

template <class S, class T>
void by_products(const Points<T>& points, const S* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
                 int threads, const Tick& tick) {
    const Index n = points.n, d = points.d, tile = tile_of(n);
    std::vector<Workspace<S>> work;
    for (int thread = 0; thread < threads; ++thread) work.emplace_back(n, d);
    std::vector<double> norms(n);
    const std::vector<S> origin(std::min(d, kDepth));
    std::vector<std::pair<Index, Index>> tiles;
    for (Index top = 0; top < n; top += tile)
        for (Index begin = top; begin < n; begin += tile) tiles.emplace_back(top, begin);
    parallel_tasks((n + tile - 1) / tile, threads, [&](Index task, int thread) {
        const Index first = task * tile, count = std::min(tile, n - first);
        S* rows = work[thread].right.get();
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
            for (Index i = top; i < std::min(n, top + tile); ++i) {
                const Index start = std::max(begin, i + 1);
                finish(points, norms.data(), metric, kCancelled<S>, i, start, std::min(n, begin + tile),
                       &work[thread].products[(i - top) * tile + start - begin], out.row(i) + start);
            }
        });
        tick(std::min(n * (n - 1) / 2, first * tile * tile));
    }
}

// Whether products of floats are as good as distances of floats need them, and few cancel, as far as a sample tells.
inline bool floats_pay(const Points<float>& points, const float* shift, const Blas& blas) {
    constexpr Index kSample = 64, kMost = 100;  // points, and pairs of 2,016 that may cancel: 5%
    constexpr double kError = 0x1p-21;          // of a squared distance: four units of the last place
    const Index count = std::min(kSample, points.n), d = points.d;
    std::vector<float> rows(count * d), moved(d);
    std::vector<double> norms(count);
    const std::vector<float> origin(d);
    for (Index i = 0; i < count; ++i) {
        std::copy_n(points.row(i * points.n / count), d, &rows[i * d]);
        kernels<float>().change_unit(&rows[i * d], shift, 1, d, moved.data());
        norms[i] = squared_distance(moved.data(), origin.data(), d);
    }
    Workspace<float> work(count, d);
    multiply(Points<float>{rows.data(), count, d}, shift, 0, 0, blas, work);
    Index lost = 0;
    for (Index i = 0; i < count; ++i)
        for (Index j = i + 1; j < count; ++j) {
            const double scale = norms[i] + norms[j], squared = scale - 2 * work.products[i * work.tile + j];
            const double exact = squared_distance(&rows[i * d], &rows[j * d], d);
            if (squared < kCancelled<float> * scale)
                ++lost;
            else if (std::abs(squared - exact) > kError * exact)
                return false;
        }
    return lost <= kMost;
}

}  // namespace detail

// Ticks count pairs.
template <class T>
void pairwise(const Points<T>& points, const double* shift, Metric metric, const Triangle<T>& out, const Blas& blas,
              int threads, const Tick& tick) {
    if (points.d <= kSequential) {
        detail::by_differences(points, metric, out, threads, tick);
    } else if constexpr (sizeof(T) == 4) {
        const std::vector<float> in_floats(shift, shift + points.d);
        if (detail::floats_pay(points, in_floats.data(), blas))
            detail::by_products(points, in_floats.data(), metric, out, blas, threads, tick);
        else
            detail::by_products(points, shift, metric, out, blas, threads, tick);
    } else {
        detail::by_products(points, shift, metric, out, blas, threads, tick);
    }
    if (!out.condensed) mirror(out.data, out.n, threads);
}

}  // namespace chamfer
