// Nearest-neighbour chain: follow nearest neighbours until two clusters are each other's, merge those, go on from
// what is left of the chain. O(n^2) time for reducible rules; the merges come out of order and are sorted afterwards.
// F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, Comput. J. 26 (1983) 354-359.
#pragma once

#include "rows.hpp"

namespace chamfer {

template <Rows R>
    requires(R::RuleType::reducible)
Merges chain(R& rows, const Tick& tick) {
    const Index n = rows.width();
    Merges merges;
    merges.reserve(n - 1);
    std::vector<bool> gone(n, false);
    std::vector<Id> path;
    Id first = 0;
    while (static_cast<Index>(merges.size()) < n - 1) {
        if (path.empty()) {
            while (gone[first]) ++first;
            path.push_back(first);
        }
        const Id here = path.back();
        const auto* values = rows.row(here, 0);
        Id nearest = static_cast<Id>(argmin(values, n));
        if (path.size() > 1) {
            // On a tie go back: the chain can then never run in a circle.
            const Id before = path[path.size() - 2];
            if (values[before] <= values[nearest]) nearest = before;
            if (nearest == before) {
                const Id kept = std::min(here, before), lost = std::max(here, before);
                merges.push_back({lost, kept, static_cast<double>(values[before])});
                rows.merge(lost, kept);
                gone[lost] = true;
                path.resize(path.size() - 2);
                tick(static_cast<Index>(merges.size()));
                continue;
            }
        }
        path.push_back(nearest);
    }
    return merges;
}

}  // namespace chamfer
