// Nearest-neighbour chain: follow nearest neighbours until two clusters are each other's, merge those, go on
// from what is left of the chain. O(n^2) time for reducible rules; the merges come out of order and are
// sorted afterwards. F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, Comput.
// J. 26 (1983) 354-359.
#pragma once

#include "rows.hpp"

namespace chamfer {

// Adds the merges of all clusters that `rows` holds.
template <Rows R>
    requires(R::RuleType::reducible)
void chain(R& rows, Merges& merges, const Tick& tick) {
    std::vector<Id> path, renamed;
    while (rows.count() > 1) {
        if (path.empty()) path.push_back(rows.first());
        const Id here = path.back();
        const auto nearest = rows.nearest(here, 0);
        // On a tie go back: the chain can then never run in a circle.
        if (path.size() == 1 || rows.value(here, path[path.size() - 2]) > nearest.value) {
            path.push_back(nearest.slot);
            continue;
        }
        const Id before = path[path.size() - 2], kept = std::min(here, before), lost = std::max(here, before);
        merges.push_back({rows.point(lost), rows.point(kept), static_cast<double>(rows.value(here, before))});
        rows.merge(lost, kept);
        path.resize(path.size() - 2);
        if (rows.compact(renamed))
            for (Id& c : path) c = renamed[c];
        tick(static_cast<Index>(merges.size()));
    }
}

}  // namespace chamfer
