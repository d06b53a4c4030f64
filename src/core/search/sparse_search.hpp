// Nearest clusters of sparse points, exactly.
//
// Filter. Words that many documents have make up most of the work and little of a product. So coordinates are split:
// a query adds up its products in the rare ones by an inverted index, as sparse_distances does, and bounds those in the
// frequent ones by the lengths of both parts (Cauchy and Schwarz). A point is skipped if its distance cannot come
// within reach even so. Of the rest the frequent coordinates are multiplied, too, which gives the distance up to
// rounding. What may be among the nearest in the end is computed in full, in the order of coordinates, to the bits of
// sparse_distances.
//
// Lengths of directions count as 1, whatever rounding made of them, unless the difference of lengths and products
// cancels. So pairs at which it might are always computed.
//
// Rounding. Products and lengths of up to m numbers are off by at most (m + 16) 2^-52 of |x| |y| <= (|x|^2 + |y|^2) /
// 2, so half squared lengths are multiplied by `shrink`, one less that, as in filter.hpp.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "../distance/sparse.hpp"
#include "top_k.hpp"

namespace chamfer {

template <class T>
class SparseSearch {
   public:
    // `columns` holds the points of each rare coordinate; those of frequent ones are empty.
    SparseSearch(Compressed<T> points, Compressed<T> columns, const bool* frequent, Index n, Index d, Metric metric)
        : points_(points), columns_(columns), n_(n), d_(d), metric_(metric), half_(n), common_(n) {
        Index longest = 0;
        for (Index p = 0; p < n; ++p) longest = std::max(longest, points.start[p + 1] - points.start[p]);
        shrink_ = 1 - static_cast<double>(longest + 16) * std::numeric_limits<double>::epsilon();
        std::vector<Id> rank(d);
        for (Index k = 0; k < d; ++k) rank[k] = frequent[k] ? static_cast<Id>(frequent_++) : kNone;
        for (Index p = 0; p < n; ++p) {
            double all = 0, common = 0;
            for (Index k = points.start[p]; k < points.start[p + 1]; ++k) {
                const double value = static_cast<double>(points.value[k]), square = value * value;
                all += square;
                if (const Id at = rank[points.place[k]]; at != kNone) {
                    common += square;
                    place_.push_back(at);
                    value_.push_back(points.value[k]);
                }
            }
            start_.push_back(static_cast<Index>(place_.size()));
            half_[p] = of_directions(metric) ? 0.5 : all / 2;
            common_[p] = std::sqrt(common);
        }
    }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void nearest(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads,
                 const Tick& tick) const {
        std::vector<Scratch> scratch(threads);
        const Index group = 64 * threads;
        for (Index first = 0; first < count; first += group) {
            parallel_tasks(std::min(group, count - first), threads, [&](Index i, int thread) {
                Nearest<T> nearest = answers.row(first + i);
                look(queries[first + i], labels, nearest, scratch[thread]);
                answers.bounds[first + i] = nearest.finish();
            });
            tick(std::min(count, first + group));
        }
    }

   private:
    static constexpr Index kSeeds = 128;  // points that are compared first
    static constexpr Index kPart = 1024;  // points that are compared with a reach before it is looked at again

    struct Scratch {
        std::vector<double> products, row, few;  // with each point, in rare coordinates; the query with its zeros
        std::vector<Id> near, clusters;          // the nearest clusters so far, and no less than their distances
        std::vector<T> distances;
        std::vector<std::pair<Id, double>> kept;  // points that may be near, and their bounds
    };

    void look(Id query, const Id* labels, Nearest<T>& found, Scratch& scratch) const {
        add_up(query, scratch);
        scratch.clusters.resize(found.k());
        scratch.distances.resize(found.k());
        scratch.kept.clear();
        Nearest<T> nearest(scratch.clusters.data(), scratch.distances.data(), found.k());
        seed(query, labels, nearest, scratch);
        const Id home = labels[query];
        scratch.near.resize(kPart);
        for (Index begin = 0; begin < n_; begin += kPart) {
            const Index end = std::min(n_, begin + kPart);
            const double limit = half_limit(nearest.reach(), query);
            Index count = 0;
            for (Index p = begin; p < end; ++p) {
                scratch.near[count] = static_cast<Id>(p);
                count += bound(query, p, scratch.products[p]) <= limit;
            }
            for (Index i = 0; i < count; ++i)
                if (labels[scratch.near[i]] != home) consider(query, scratch.near[i], labels, nearest, scratch);
        }
        for (const auto& [p, least] : scratch.kept)
            if (is_near(query, labels[p], least, nearest))
                found.offer(labels[p], distance(query, p, scratch.row.data()));
        for (Index k = points_.start[query]; k < points_.start[query + 1]; ++k) scratch.row[points_.place[k]] = 0;
    }

    // Points that share a coordinate with the query and few others come first, so that the reach is short soon.
    void seed(Id query, const Id* labels, Nearest<T>& nearest, Scratch& scratch) const {
        Index left = kSeeds;
        for (Index k = points_.start[query]; k < points_.start[query + 1]; ++k) {
            const Index begin = columns_.start[points_.place[k]], end = columns_.start[points_.place[k] + 1];
            if (end - begin > left) continue;
            left -= end - begin;
            for (const Id* p = columns_.place + begin; p < columns_.place + end; ++p)
                if (labels[*p] != labels[query]) consider(query, *p, labels, nearest, scratch);
        }
    }

    // Keeps a point that its bound does not exclude, and offers what its distance is at most.
    void consider(Id query, Id p, const Id* labels, Nearest<T>& nearest, Scratch& scratch) const {
        const double product = scratch.products[p] + common_product(p, scratch.few.data());
        const double least = shrink_ * half_[p] - product;
        if (!is_near(query, labels[p], least, nearest)) return;
        scratch.kept.emplace_back(p, least);
        const double most = 2 * ((2 - shrink_) * (half_[query] + half_[p]) - product);
        nearest.offer(labels[p], static_cast<T>(from_squared(metric_, std::max(most, smallest()))));
    }

    bool is_near(Id query, Id label, double least, const Nearest<T>& nearest) const {
        return least <= half_limit(nearest.reach(), query) && least <= half_limit(nearest.distance_to(label), query);
    }

    // Products with all points in rare coordinates.
    void add_up(Id query, Scratch& scratch) const {
        scratch.products.assign(n_, 0.0);
        scratch.row.resize(d_);
        scratch.few.assign(frequent_, 0.0);
        for (Index k = start_[query]; k < start_[query + 1]; ++k)
            scratch.few[place_[k]] = static_cast<double>(value_[k]);
        for (Index k = points_.start[query]; k < points_.start[query + 1]; ++k) {
            const Id column = points_.place[k];
            const double value = scratch.row[column] = static_cast<double>(points_.value[k]);
            for (Index j = columns_.start[column]; j < columns_.start[column + 1]; ++j)
                scratch.products[columns_.place[j]] += value * static_cast<double>(columns_.value[j]);
        }
    }

    // No more than half the squared distance, less what the query adds to it.
    double bound(Id query, Index p, double product) const {
        return shrink_ * half_[p] - product - common_[query] * common_[p];
    }
    double half_limit(T reach, Id query) const {
        return std::max(squared_reach(metric_, reach), smallest()) / 2 - shrink_ * half_[query];
    }
    // Below this squared distance, lengths and products do not tell which is nearer.
    double smallest() const { return of_directions(metric_) ? 4 * kCancelled : 0; }

    // The product in frequent coordinates.
    double common_product(Id p, const double* few) const {
        double product = 0;
        for (Index k = start_[p]; k < start_[p + 1]; ++k) product += few[place_[k]] * static_cast<double>(value_[k]);
        return product;
    }

    T distance(Id query, Id p, const double* row) const {
        double product = 0;
        for (Index k = points_.start[p]; k < points_.start[p + 1]; ++k)
            product += row[points_.place[k]] * static_cast<double>(points_.value[k]);
        const double lengths = 2 * half_[query] + 2 * half_[p];
        return static_cast<T>(distance_of(points_, query, points_, p, lengths, product, metric_));
    }

    Compressed<T> points_, columns_;
    Index n_, d_;
    Metric metric_;
    Index frequent_ = 0;              // number of frequent coordinates, in which points are, numbered from zero,
    std::vector<Index> start_ = {0};  // compressed rows
    std::vector<Id> place_;
    std::vector<T> value_;
    std::vector<double> half_, common_;  // half of each squared length; the length in frequent coordinates
    double shrink_;
};

}  // namespace chamfer
