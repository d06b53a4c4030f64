// Single linkage is the minimum spanning tree, its edges sorted. Prim's algorithm, one row a step, O(n^2)
// time. J. C. Gower, G. J. S. Ross, Minimum spanning trees and single linkage cluster analysis, Appl. Stat.
// 18 (1969) 54-64.
#pragma once

#include "rows.hpp"

namespace chamfer {

template <Rows R>
Merges spanning_tree(R& rows, const Tick& tick) {
    using Value = typename R::Value;
    const Index n = rows.width();
    constexpr Value kGone = std::numeric_limits<Value>::infinity();
    std::vector<Value> best(n, kGone);
    std::vector<Id> from(n, 0);
    Merges merges;
    merges.reserve(n - 1);
    Id here = 0;
    for (Index step = 1; step < n; ++step) {
        const Value* values = rows.row(here, 0);
        for (Index x = 0; x < n; ++x) {
            const bool closer = values[x] < best[x];
            best[x] = closer ? values[x] : best[x];
            from[x] = closer ? here : from[x];
        }
        rows.remove(here);
        best[here] = kGone;
        here = static_cast<Id>(argmin(best.data(), n));
        merges.push_back({from[here], here, static_cast<double>(best[here])});
        tick(step);
    }
    return merges;
}

}  // namespace chamfer
