// The tile loop: a panel of queries is multiplied with tile after tile of columns, and what the filter leaves of each
// row of products is looked at while it is in the cache.
#pragma once

#include <cstring>
#include <vector>

#include "../distance/blas.hpp"
#include "filter.hpp"

namespace chamfer {

inline constexpr Index kPanel = 128, kColumns = 512;  // queries and columns of a tile of products

// What one thread needs.
template <class F>
struct TileScratch {
    std::vector<F> panel, products = std::vector<F>(kPanel * kColumns);
    std::vector<unsigned char> keep = std::vector<unsigned char>(kColumns + 8);
};

// Rows of m coordinates side by side.
template <class F>
struct Columns {
    const F* rows;
    Index n, m;
    Index tiles() const { return (n + kColumns - 1) / kColumns; }
};

// Multiplies the `count` rows of the panel with the tiles at(0), at(1), ... that skip(tile) does not leave out, and
// calls row(i, products, left, width) for every row i: its products with columns [left, left + width).
template <class F, class At, class Skip, class Row>
void sweep(const Columns<F>& columns, const Blas& blas, Index count, TileScratch<F>& scratch, At&& at, Skip&& skip,
           Row&& row) {
    const Index m = columns.m;
    for (Index next = 0; next < columns.tiles(); ++next) {
        const Index tile = at(next), left = tile * kColumns, width = std::min(kColumns, columns.n - left);
        if (skip(tile)) continue;
        blas.products(scratch.panel.data(), count, m, columns.rows + left * m, width, m, m, scratch.products.data(),
                      kColumns);
        for (Index i = 0; i < count; ++i) row(i, scratch.products.data() + i * kColumns, left, width);
    }
}

// Calls each(j) for the marks of [0, n) that are set, eight of them looked at together.
template <class Each>
void each_kept(const unsigned char* keep, Index n, Each&& each) {
    for (Index j = 0; j < n; j += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, keep + j, 8);
        if (eight == 0) continue;
        for (Index i = j; i < j + 8; ++i)
            if (keep[i]) each(i);
    }
}

}  // namespace chamfer
