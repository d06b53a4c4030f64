// What every source answers: for each query point its k nearest clusters, its own excluded, and how near the
// rest may be.
#pragma once

#include <algorithm>
#include <vector>

#include "../base/threads.hpp"
#include "../distance/points.hpp"

namespace chamfer {

// The k nearest clusters of one query seen so far, by (distance, cluster), so that neither the order in which
// points are offered nor the number of threads can change the outcome.
template <class T>
class Nearest {
   public:
    Nearest(Id* clusters, T* distances, Index k) : clusters_(clusters), distances_(distances), k_(k) {}

    // Goes on from what was found elsewhere: clusters up to the first -1, as `finish` leaves them.
    void resume() {
        while (count_ < k_ && clusters_[count_] >= 0) ++count_;
        if (count_ == k_) find_worst();
    }

    // Everything at this distance or beyond may be left out.
    T reach() const { return count_ < k_ ? kFar<T> : distances_[worst_]; }
    // At the distance `reach`, clusters from this one on may be left out.
    Id last() const { return count_ < k_ ? std::numeric_limits<Id>::max() : clusters_[worst_]; }
    Index count() const { return count_; }
    Index k() const { return k_; }

    // Distance of a cluster seen before; infinite for others.
    T distance_to(Id cluster) const {
        const Index at = find(cluster);
        return at < count_ ? distances_[at] : kFar<T>;
    }

    // Whether that changes anything. `fresh`: this cluster cannot have been offered before, as when every cluster is a
    // point.
    bool offer(Id cluster, T distance, bool fresh = false) {
        if (count_ == k_ && !before(distance, cluster, worst_)) return false;
        const Index at = fresh ? count_ : find(cluster);
        if (at < count_) {
            if (!(distance < distances_[at])) return false;
            distances_[at] = distance;
            if (at == worst_) find_worst();
        } else if (count_ < k_) {
            clusters_[count_] = cluster;
            distances_[count_++] = distance;
            if (count_ == k_) find_worst();
        } else {
            clusters_[worst_] = cluster;
            distances_[worst_] = distance;
            find_worst();
        }
        return true;
    }

    // Marks unused places by cluster -1. Returns how near all other clusters may be at most; if there are
    // none, the largest distance listed, which is as good and finite.
    T finish() const {
        T farthest = 0;
        for (Index i = 0; i < count_; ++i) farthest = std::max(farthest, distances_[i]);
        for (Index i = count_; i < k_; ++i) clusters_[i] = -1;
        return farthest;
    }

   private:
    bool before(T distance, Id cluster, Index other) const {
        return distance != distances_[other] ? distance < distances_[other] : cluster < clusters_[other];
    }

    Index find(Id cluster) const {
        Index at = 0;
        while (at < count_ && clusters_[at] != cluster) ++at;
        return at;
    }

    void find_worst() {
        T farthest = distances_[0];
        for (Index i = 1; i < count_; ++i) farthest = std::max(farthest, distances_[i]);
        worst_ = -1;
        for (Index i = 0; i < count_; ++i)
            if (distances_[i] == farthest && (worst_ < 0 || clusters_[i] > clusters_[worst_])) worst_ = i;
    }

    Id* clusters_;
    T* distances_;
    Index k_, count_ = 0, worst_ = 0;
};

// Where the answers go: row i for query i, k clusters and k distances each, and a bound for all other
// clusters.
template <class T>
struct Answers {
    Id* clusters;
    T *distances, *bounds;
    Index k;
    Nearest<T> row(Index i) const { return {clusters + i * k, distances + i * k, k}; }
    Nearest<T> resumed(Index i) const {
        Nearest<T> nearest = row(i);
        nearest.resume();
        return nearest;
    }
};

// For every point its k nearest other points, and a bound that no further one is below.
template <class T>
struct FirstLists {
    const Id* points;
    const T *distances, *bounds;
    Index k;
};

// Points from elsewhere that look for their nearest clusters among the points of a search: with coordinates as the
// search has them, and the clusters that they belong to.
template <class T, class F>
struct Visitors {
    const T* rows;
    const F* coordinates;
    const Id* homes;
    Index count;
};

// Adds what another search has found, k clusters a row, to the answers.
template <class T>
void combine(const Id* clusters, const T* distances, Index k, Index count, Answers<T> answers) {
    for (Index i = 0; i < count; ++i) {
        Nearest<T> nearest = answers.resumed(i);
        for (Index j = i * k; j < (i + 1) * k && clusters[j] >= 0; ++j) nearest.offer(clusters[j], distances[j]);
        answers.bounds[i] = nearest.finish();
    }
}

// Nearest clusters from rows of distances to all points, one a query.
template <class T>
void select_clusters(const T* distances, Index n, const Id* queries, Index count, const Id* labels, Answers<T> answers,
                     int threads) {
    parallel_ranges(count, std::max<Index>(1, 1000000 / n), threads, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            Nearest<T> nearest = answers.row(i);
            const T* row = distances + i * n;
            const Id own = labels[queries[i]];
            for (Index p = 0; p < n; ++p)
                if (row[p] <= nearest.reach() && labels[p] != own) nearest.offer(labels[p], row[p]);
            answers.bounds[i] = nearest.finish();
        }
    });
}

// Nearest clusters from the points that each query was told of, `told` a query; -1 for none.
template <class T>
void select_neighbours(const Distances<T>& distances, const Id* queries, Index count, const Id* neighbours, Index told,
                       const Id* labels, Answers<T> answers, int threads) {
    parallel_ranges(count, 256, threads, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            Nearest<T> nearest = answers.row(i);
            const Id own = labels[queries[i]];
            for (const Id* q = neighbours + i * told; q != neighbours + (i + 1) * told; ++q)
                if (*q >= 0 && labels[*q] != own) nearest.offer(labels[*q], distances(queries[i], *q));
            answers.bounds[i] = nearest.finish();
        }
    });
}

}  // namespace chamfer
