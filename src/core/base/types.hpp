// The vocabulary of the core.
//
//   point      a row of the data, numbered from 0
//   cluster    a set of points; its id is the point's number, or n + i if merge i made it (SciPy's numbers)
//   slot       where an engine keeps a cluster: the number of one of its points
//   value      how far two clusters are apart by the linkage; the value of a merge is its height
//   nearest    the k nearest clusters of a point, or of a cluster
//   bound      a number that no value left unmentioned is below
//   reach      a distance or value beyond which a search need not look
//   coordinates  few numbers for each point whose distance never exceeds the true one: see search/filter.hpp
//   tick       the callback by which long loops show progress and can be stopped
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace chamfer {

using Index = std::int64_t;  // counts and offsets
using Id = std::int32_t;     // a point, a slot or a cluster

inline constexpr Id kNone = -1;
template <class T>
inline constexpr T kFar = std::numeric_limits<T>::infinity();

// The tie rule: of two pairs of clusters the one with the smaller value comes first, then the one with the smaller
// lower id, then the one with the smaller higher id.
//
// Where one cluster of both pairs is the same, this is the order by (value, id of the other one). So loops that keep
// the first of equal values while ids ascend follow the rule as well.
template <class T>
struct TieKey {
    T value = kFar<T>;
    Id low = kNone, high = kNone;

    TieKey() = default;
    explicit TieKey(T value) : value(value) {}
    TieKey(T value, Id a, Id b) : value(value), low(a < b ? a : b), high(a < b ? b : a) {}
    auto operator<=>(const TieKey&) const = default;
    bool operator==(const TieKey&) const = default;
};

// Two clusters become one. Each is named by any one of its points.
struct Merge {
    Id a, b;
    double height;
};
using Merges = std::vector<Merge>;

// Called by long loops, outside parallel regions, with the work done so far. It may throw to stop the loop.
using Tick = std::function<void(Index done)>;

}  // namespace chamfer
