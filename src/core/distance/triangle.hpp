// All pairs of n clusters or points, as the upper triangle of a matrix.
#pragma once

#include "../base/threads.hpp"
#include "../kernels/kernels.hpp"

namespace chamfer {

// Stored whole (square) or packed (condensed, SciPy's order): entry (i, j), i < j, is row(i)[j].
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
        kernels<T>().mirror(square, n, first, last);
        for (Index i = first; i < last; ++i) square[i * n + i] = 0;
    });
}

}  // namespace chamfer
