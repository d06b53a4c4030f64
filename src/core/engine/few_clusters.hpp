// Ch_S and Ch_NS of few clusters, from the distances of all points to all of them.
//
// Kept at all times, for clusters A and B:
//   reach(B)[p]   d(p, B) for every point p
//   sum(B)[A]     Ch(A, B), the sum of reach(B) over A
//   value(B)[A]   of the linkage, if A is older
// A merge takes the smaller of two reaches, and adds two sums. Each cluster looks for the nearest one among the older
// ones.
//
// Points are in the order of the clusters in the beginning, their parts: a cluster is made of whole parts. It has the
// number of one of them.
#pragma once

#include <numeric>
#include <vector>

#include "../base/tournament.hpp"
#include "../distance/packed.hpp"
#include "../linkage/chamfer.hpp"

namespace chamfer {

template <class T, class Variant>
class FewClusters {
   public:
    // Clusters by their ids and points, older ones first.
    FewClusters(const Distances<T>& distances, const std::vector<double>& weights, std::vector<Id> ids,
                const std::vector<std::vector<Id>>& points)
        : n_(distances.points.n),
          d_(distances.points.d),
          count_(static_cast<Id>(ids.size())),
          metric_(distances.metric),
          ids_(std::move(ids)),
          clusters_(count_),
          starts_{0},
          reaches_(n_ * count_),
          sums_(count_ * count_),
          values_(count_ * count_),
          order_(count_),
          nearest_(count_, kNone),
          divisors_(count_, 1.0) {
        std::iota(clusters_.begin(), clusters_.end(), Id{0});
        for (const auto& part : points) {
            first_.push_back(part[0]);
            starts_.push_back(starts_.back() + static_cast<Index>(part.size()));
            for (const Id p : part) {
                rows_.insert(rows_.end(), distances.points.row(p), distances.points.row(p) + d_);
                weights_.push_back(weights[p]);
            }
            if constexpr (Variant::normalized)
                divisors_[first_.size() - 1] = std::accumulate(weights_.end() - part.size(), weights_.end(), 0.0);
        }
    }

    void run(Merges& merges, int threads, const Tick& tick) {
        find_reaches(threads, tick);
        for (Id c = 0; c < count_; ++c) {
            add_up(c);
            find_nearest(c);
        }
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const Id c = order_.top(), other = nearest_[c];
            merges.push_back({first_[c], first_[other], order_.key(c).value});
            merge(c, other, static_cast<Id>(n_ + merges.size() - 1));
            tick(static_cast<Index>(merges.size()));
        }
    }

   private:
    static constexpr Index kChunk = 16 * kBlock;       // points at a time
    static constexpr Index kPairs = 32 * 16 * kBatch;  // of points, times coordinates, between two ticks

    T* reach(Id c) const { return reaches_.data() + c * n_; }
    double* sum(Id c) { return &sums_[static_cast<Index>(c) * count_]; }
    const double* row(Index i) const { return &rows_[i * d_]; }
    double* value(Id c) { return &values_[static_cast<Index>(c) * count_]; }

    bool is_older(Id a, Id b) const { return ids_[a] != kNone && ids_[a] < ids_[b]; }

    void find_reaches(int threads, const Tick& tick) {
        const Packed packed(Points<double>{rows_.data(), n_, d_});
        const Index chunks = (n_ + kChunk - 1) / kChunk, tasks = count_ * chunks;
        const Index batch = 1 + kPairs / (kChunk * (n_ / count_ + 1) * (d_ + kSequential));
        for (Index first = 0; first < tasks; first += batch) {
            parallel_tasks(std::min(batch, tasks - first), threads, [&](Index task, int) {
                find_reach(packed, static_cast<Id>((first + task) / chunks), (first + task) % chunks * kChunk);
            });
            tick(n_ - count_);
        }
        parallel_tasks(count_, threads, [&](Index c, int) { sum_to(static_cast<Id>(c)); });
    }

    // Of the points of a chunk.
    void find_reach(const Packed& packed, Id c, Index first) {
        double squared[kChunk];
        const Index length = std::min(kChunk, n_ - first);
        find_squared(packed, c, first, length, squared);
        kernels<T>().from_squared(metric_, squared, length, reach(c) + first);
    }

    // Squared distances of some points to c.
    void find_squared(const Packed& packed, Id c, Index first, Index length, double* squared) {
        const Index begin = starts_[c], end = starts_[c + 1];
        if (d_ <= kSequential) {
            level->others->nearest_rows(row(begin), end - begin, packed.block(first), d_,
                                        (length + kBlock - 1) / kBlock, squared);
            return;
        }
        double one[kBlock];
        std::fill_n(squared, length, kFar<double>);
        for (Index part = 0; part < length; part += kBlock)  // which stays in the cache
            for (Index i = begin; i < end; ++i) {
                const Index count = std::min(kBlock, length - part);
                kernels<double>().squared_distances(row(i), row(first + part), d_, count, one);
                kernels<double>().lower(one, count, squared + part);
            }
    }

    // Ch from all clusters to c.
    void sum_to(Id c) {
        std::fill_n(sum(c), count_, 0.0);
        for (Id part = 0; part < count_; ++part) {
            double sums[4] = {};
            for (Index i = starts_[part]; i < starts_[part + 1]; ++i)
                sums[i % 4] += weights_[i] * static_cast<double>(reach(c)[i]);
            sum(c)[clusters_[part]] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
    }

    void add_up(Id c) {
        for (Id a = 0; a < count_; ++a)
            if (is_older(a, c)) value(c)[a] = sum(c)[a] / divisors_[a] + sum(a)[c] / divisors_[c];
    }

    // b joins a.
    void merge(Id a, Id b, Id id) {
        kernels<T>().lower(reach(b), n_, reach(a));
        std::ranges::replace(clusters_, b, a);
        if constexpr (Variant::normalized) divisors_[a] += divisors_[b];
        ids_[a] = id;
        ids_[b] = kNone;
        order_.remove(b);
        for (Id c = 0; c < count_; ++c) sum(c)[a] += sum(c)[b];
        sum_to(a);
        add_up(a);
        find_nearest(a);
        for (Id c = 0; c < count_; ++c)
            if (c != a && ids_[c] != kNone && (nearest_[c] == a || nearest_[c] == b)) find_nearest(c);
    }

    void find_nearest(Id c) {
        TieKey<double> best;
        nearest_[c] = kNone;
        for (Id x = 0; x < count_; ++x) {
            if (!is_older(x, c)) continue;
            if (const TieKey<double> key{value(c)[x], ids_[c], ids_[x]}; key < best) best = key, nearest_[c] = x;
        }
        if (nearest_[c] == kNone)
            order_.remove(c);
        else
            order_.set(c, best);
    }

    Index n_, d_;
    Id count_;
    Metric metric_;
    std::vector<Id> ids_;        // SciPy's numbers; kNone for clusters that are gone
    std::vector<Id> first_;      // a point of each part
    std::vector<Id> clusters_;   // of parts
    std::vector<Index> starts_;  // of parts
    std::vector<double> rows_, weights_;
    Lines<T> reaches_;
    std::vector<double> sums_, values_;
    Tournament<TieKey<double>> order_;  // of clusters that have an older one, by the nearest
    std::vector<Id> nearest_;
    std::vector<double> divisors_;  // of sums over clusters: their weights, or one
};

}  // namespace chamfer
