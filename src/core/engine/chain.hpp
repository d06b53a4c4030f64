// Nearest-neighbour chain: follow nearest neighbours until two clusters are each other's, merge those, go on
// from what is left of the chain. O(n^2) time for reducible rules; the merges come out of order and are
// sorted afterwards. F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, Comput.
// J. 26 (1983) 354-359.
#pragma once

#include <stdexcept>

#include "../linkage/rows.hpp"

namespace chamfer {

// Adds the merges of all clusters that `rows` holds.
template <Rows R>
    requires(R::RuleType::reducible)
void chain(R& rows, Merges& merges, const Tick& tick) {
    using Value = typename R::Value;
    std::vector<Id> path, renamed;
    std::vector<Value> value;  // from each cluster of the path to the next one: strictly falling, so the path ends
    path.reserve(rows.count());
    value.reserve(rows.count());
    while (rows.count() > 1) {
        if (path.empty()) path.push_back(rows.first());
        const Id here = path.back();
        const auto nearest = rows.nearest(here, 0);
        tick(static_cast<Index>(merges.size()));
        // On a tie go back: the chain can then never run in a circle.
        if (value.empty() || nearest.value < value.back()) {
            if (nearest.slot == kNone) throw std::domain_error("distances that are not finite");
            path.push_back(nearest.slot);
            value.push_back(nearest.value);
            continue;
        }
        const Id before = path[path.size() - 2], kept = std::min(here, before), lost = std::max(here, before);
        merges.push_back({rows.point(lost), rows.point(kept), static_cast<double>(value.back())});
        rows.merge(lost, kept);
        path.resize(path.size() - 2);
        value.resize(path.empty() ? 0 : path.size() - 1);
        if (rows.compact(renamed))
            for (Id& c : path) c = renamed[c];
    }
}

}  // namespace chamfer
