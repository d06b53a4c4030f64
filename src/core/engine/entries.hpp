// Who lists whom: the lists of points, and for each cluster its column, the points that list it.
//
// First lists stay where the search has written them, one row of memory for each point, labels and distances apart:
// 16 labels are one or two cache lines. A list that outgrows its row moves to memory of its own. Lists may still name
// a point's own cluster, and a column has points that no longer list it: whoever reads a column looks into the list.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "../base/chains.hpp"
#include "../base/prefetch.hpp"

namespace chamfer {

template <class T>
class Entries {
   public:
    explicit Entries(Index n) : n_(n), sizes_(n, 0), bounds_(n, T{0}), columns_(n), beyond_(0) {}

    // The first lists of all points, k places each with -1 where there is nothing. They are kept in this memory.
    void start(Index k, Id* clusters, T* distances, const T* bounds) {
        width_ = k;
        clusters_ = clusters;
        distances_ = distances;
        std::copy_n(bounds, n_, bounds_.begin());
        std::vector<Id> listed(n_, 0);
        for (Id p = 0; p < n_; ++p) {
            close_gaps(p);
            for (Id i = 0; i < sizes_[p]; ++i) ++listed[this->clusters(p)[i]];
        }
        columns_.reserve(listed);
        for (Id p = 0; p < n_; ++p)
            for (Id i = 0; i < sizes_[p]; ++i) {
                columns_.add(this->clusters(p)[i], p);
                if (this->distances(p)[i] > bounds_[p]) add_beyond(this->clusters(p)[i], p);
            }
    }

    Id size(Id p) const { return sizes_[p]; }
    T bound(Id p) const { return bounds_[p]; }  // r(p)
    void set_bound(Id p, T bound) { bounds_[p] = bound; }
    const Id* clusters(Id p) const { return own(p) ? moved_[p]->clusters.data() : clusters_ + p * width_; }
    const T* distances(Id p) const { return own(p) ? moved_[p]->distances.data() : distances_ + p * width_; }
    Id* clusters(Id p) { return const_cast<Id*>(std::as_const(*this).clusters(p)); }
    T* distances(Id p) { return const_cast<T*>(std::as_const(*this).distances(p)); }
    bool is_beyond(Id p, Id place) const { return distances(p)[place] > bounds_[p]; }

    // The place of c on the list of p, or kNone.
    Id find(Id p, Id c) const {
        const Id* clusters = this->clusters(p);
        for (Id i = 0; i < sizes_[p]; ++i)
            if (clusters[i] == c) return i;
        return kNone;
    }

    void push(Id p, Id c, T distance) {
        if (sizes_[p] == capacity(p)) move(p, 2 * sizes_[p] + 2);
        clusters(p)[sizes_[p]] = c;
        distances(p)[sizes_[p]++] = distance;
        if (distance > bounds_[p]) add_beyond(c, p);
    }

    // p does not list what is at this place any more; the column keeps p.
    void drop(Id p, Id place) {
        const Id last = --sizes_[p];
        clusters(p)[place] = clusters(p)[last];
        distances(p)[place] = distances(p)[last];
    }

    void clear(Id p, Id room) {
        sizes_[p] = 0;
        if (room > capacity(p)) move(p, room);
    }

    Id column(Id c) const { return columns_.size(c); }
    void add_to_column(Id c, Id p) { columns_.add(c, p); }
    void take_column(Id c, std::vector<Id>& points) { columns_.take(c, points); }

    // Points that may list c beyond their bounds, for the last time: those that do are to be added again.
    void take_beyond(Id c, std::vector<Id>& points) {
        points.clear();
        if (has_beyond_) beyond_.take(c, points);
    }
    void add_beyond(Id c, Id p) {
        if (!has_beyond_) beyond_ = Chains(n_);
        has_beyond_ = true;
        beyond_.add(c, p);
    }

    void prefetch(Id p) const {
        const Id* clusters = this->clusters(p);
        const T* distances = this->distances(p);
        for (Index i = 0; i < std::min(width_, kFetched); i += 64 / sizeof(Id)) chamfer::prefetch(clusters + i);
        for (Index i = 0; i < std::min(width_, kFetched); i += 64 / sizeof(T)) chamfer::prefetch(distances + i);
    }

   private:
    static constexpr Index kFetched = 32;  // entries of a list, at most

    struct Moved {
        std::vector<Id> clusters;
        std::vector<T> distances;
    };

    bool own(Id p) const { return !moved_.empty() && moved_[p]; }
    Id capacity(Id p) const { return static_cast<Id>(own(p) ? moved_[p]->clusters.size() : width_); }

    void close_gaps(Id p) {
        Id* clusters = this->clusters(p);
        T* distances = this->distances(p);
        Id& size = sizes_[p];
        for (Index i = 0; i < width_; ++i) {
            if (clusters[i] < 0) continue;
            clusters[size] = clusters[i];
            distances[size++] = distances[i];
        }
    }

    void move(Id p, Id capacity) {
        if (moved_.empty()) moved_.resize(n_);
        auto moved = std::make_unique<Moved>();
        moved->clusters.resize(capacity);
        moved->distances.resize(capacity);
        std::copy_n(clusters(p), sizes_[p], moved->clusters.begin());
        std::copy_n(distances(p), sizes_[p], moved->distances.begin());
        moved_[p] = std::move(moved);
    }

    Index n_, width_ = 0;
    Id* clusters_ = nullptr;  // first lists, by point
    T* distances_ = nullptr;
    std::vector<Id> sizes_;                      // by point
    std::vector<T> bounds_;                      // by point
    std::vector<std::unique_ptr<Moved>> moved_;  // by point: lists that are no longer in the first rows
    Chains columns_;                             // by cluster
    Chains beyond_;                              // by cluster: points that list it beyond their bound, and some others
    bool has_beyond_ = false;
};

}  // namespace chamfer
