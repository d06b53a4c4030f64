// Nearest-neighbour chain: follow nearest neighbours until two clusters are each other's, merge those, go on
// from what is left of the chain. O(n^2) time for reducible rules; the merges come out of order and are
// sorted afterwards. F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, Comput.
// J. 26 (1983) 354-359.
#pragma once

#include "rows.hpp"

namespace chamfer {

template <Rows R>
    requires(R::RuleType::reducible)
Merges chain(R& rows, const Tick& tick) {
    const Index last = rows.width() - 1;
    Merges merges;
    merges.reserve(last);
    std::vector<Id> path;
    while (static_cast<Index>(merges.size()) < last) {
        if (path.empty()) path.push_back(rows.first());
        const Id here = path.back(), before = path.size() > 1 ? path[path.size() - 2] : here;
        const auto* values = rows.row(here, 0);
        const Id nearest = static_cast<Id>(argmin(values, rows.width()));
        // On a tie go back: the chain can then never run in a circle. (To itself, a cluster is infinitely
        // far.)
        if (values[before] > values[nearest]) {
            path.push_back(nearest);
            continue;
        }
        const Id kept = std::min(here, before), lost = std::max(here, before);
        merges.push_back({rows.point(lost), rows.point(kept), static_cast<double>(values[before])});
        rows.merge(lost, kept);
        path.resize(path.size() - 2);
        rows.compact(path);
        tick(static_cast<Index>(merges.size()));
    }
    return merges;
}

}  // namespace chamfer
