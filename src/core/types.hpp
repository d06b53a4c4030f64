// The vocabulary of the core.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace chamfer {

using Index = std::int64_t;  // counts and offsets
using Id = std::int32_t;     // a point, or the slot of a cluster

// Two clusters become one. Each is named by any one of its points.
struct Merge {
    Id a, b;
    double height;
};
using Merges = std::vector<Merge>;

// Called by long loops, outside parallel regions, with the work done so far. It may throw to stop the loop.
using Tick = std::function<void(Index done)>;

}  // namespace chamfer
