// Equal points, merged at height 0 before all others, in the order of the tie rule.
#pragma once

#include <vector>

#include "../base/types.hpp"

namespace chamfer {

struct Copies {
    Merges merges;
    std::vector<Id> ids;  // by place: of the cluster of all its points
};

// `place` is that of each of n points. Of all pairs at a place the one with the lowest id is merged, with the next id
// of its place, and the union has the highest id of all. So ids are gone through once, ascending, and the clusters of a
// place are a queue: two leave it at its front, and their union joins its end.
inline Copies merge_copies(const Id* place, Index n, Index places) {
    Copies copies{{}, std::vector<Id>(places, kNone)};
    copies.merges.reserve(n - places);
    std::vector<Id> next(2 * n, kNone), last(places, kNone), point(2 * n), at(place, place + n);
    std::vector<bool> merged(2 * n, false);
    const auto join_queue = [&](Id c, Id of) {
        if (last[of] != kNone) next[last[of]] = c;
        last[of] = c;
    };
    for (Id p = 0; p < n; ++p) {
        point[p] = p;
        join_queue(p, at[p]);
    }
    for (Id c = 0; c < static_cast<Id>(at.size()); ++c) {
        if (merged[c]) continue;
        const Id other = next[c], here = at[c];
        if (other == kNone) {
            copies.ids[here] = c;
            continue;
        }
        const Id made = static_cast<Id>(at.size());
        copies.merges.push_back({point[c], point[other], 0});
        merged[other] = true;
        point[made] = point[c];
        at.push_back(here);
        join_queue(made, here);
    }
    return copies;
}

}  // namespace chamfer
