// The nearest neighbours of all clusters (or points) from the rows of a triangle, each read once: a row
// serves its own cluster and all later ones.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "../base/threads.hpp"
#include "../kernels/kernels.hpp"

namespace chamfer {

// For every cluster the nearest of those it was compared with; of equals, the lower one.
template <class T>
class Neighbours {
   public:
    std::vector<T> value;
    std::vector<Id> nearest;  // n if there is none

    explicit Neighbours(Index n) : value(n, kFar<T>), nearest(n, static_cast<Id>(n)) {}

    // Row i, from i + 1 on. Rows come in ascending order, so that the first of equals is the lower one. With
    // labels, only pairs with different ones count.
    void compare(Id i, const T* row, const Id* label = nullptr) {
        const Index next = i + 1;
        const T smallest =
            kernels<T>().relax(row + next, label ? label + next : nullptr, label ? label[i] : 0, i,
                               static_cast<Index>(value.size()) - next, value.data() + next, nearest.data() + next);
        if (!(smallest < value[i])) return;
        Index j = next + kernels<T>().find(row + next, static_cast<Index>(value.size()) - next, smallest);
        while (row[j] != smallest || (label && label[j] == label[i])) ++j;
        value[i] = smallest;
        nearest[i] = static_cast<Id>(j);
    }

    // Adds what another has seen.
    void combine(const Neighbours& other) {
        for (std::size_t i = 0; i < value.size(); ++i)
            if (std::pair(other.value[i], other.nearest[i]) < std::pair(value[i], nearest[i])) {
                value[i] = other.value[i];
                nearest[i] = other.nearest[i];
            }
    }
};

// Neighbours of [0, n). compare(i, thread, neighbours) has to compare row i; after(first, count) follows each
// batch.
template <class T, class Compare, class After>
Neighbours<T> find_neighbours(Index n, Index batch, int threads, Compare&& compare, After&& after) {
    if (n < kAlone) threads = 1;
    std::vector<Neighbours<T>> found(threads, Neighbours<T>(n));
    for (Index first = 0; first < n; first += batch) {
        const Index count = std::min(batch, n - first);
        parallel_tasks(count, threads,
                       [&](Index task, int thread) { compare(static_cast<Id>(first + task), thread, found[thread]); });
        after(first, count);
    }
    for (int thread = 1; thread < threads; ++thread) found[0].combine(found[thread]);
    return std::move(found[0]);
}

}  // namespace chamfer
