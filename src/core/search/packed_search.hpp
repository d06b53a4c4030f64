// Nearest clusters by metrics that are no function of the Euclidean distance and grow with every coordinate: cityblock
// and chebyshev. Points lie in blocks of kBlock, near ones together, and each block has a box. The sum or the maximum
// over some coordinates of how far a query is outside of a box is a lower bound of its distance to all points in it. So
// blocks beyond reach are skipped, and first, by boxes of their own, groups of blocks.
//
// Rounding. A bound of m coordinates is computed in double and off by less than (m + 16) 2^-52 of itself; a reach is
// that of a distance rounded to T.
#pragma once

#include <vector>

#include "../distance/rows.hpp"
#include "top_k.hpp"

namespace chamfer {

template <class T>
class PackedSearch {
   public:
    // `order`: the point at each place of the strips; `leading`: the m coordinates that make up the bound.
    PackedSearch(Strips<T> strips, const Id* order, Index n, const Id* leading, Index m, RowMetric metric)
        : strips_(strips),
          order_(order, order + n),
          place_(n),
          leading_(leading, leading + m),
          metric_(metric),
          shrink_(1 - static_cast<double>(m + 16) * std::numeric_limits<double>::epsilon()) {
        for (Index i = 0; i < n; ++i) place_[order_[i]] = static_cast<Id>(i);
        for (Index b = 0; b < strips.blocks; ++b) box(b, std::min(kBlock, n - b * kBlock));
        for (Index b = 0; b < strips.blocks; b += kGroup) join(b, std::min(strips.blocks, b + kGroup));
    }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void nearest(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads,
                 const Tick& tick) const {
        std::vector<Id> label;
        for (const Id point : order_) label.push_back(labels[point]);
        std::vector<std::vector<T>> rows(threads, std::vector<T>(strips_.d));
        const Index group = 64 * threads;
        for (Index first = 0; first < count; first += group) {
            parallel_tasks(std::min(group, count - first), threads, [&](Index i, int thread) {
                Nearest<T> nearest = answers.row(first + i);
                search(place_[queries[first + i]], label.data(), nearest, rows[thread].data());
                answers.bounds[first + i] = nearest.finish();
            });
            tick(std::min(count, first + group));
        }
    }

   private:
    static constexpr Index kGroup = 32;  // blocks

    // Of the points in a block: the lowest of each leading coordinate, then the highest.
    void box(Index b, Index points) {
        for (const bool high : {false, true})
            for (const Id k : leading_) {
                const T* values = strips_.block(b) + k * kBlock;
                boxes_.push_back(high ? *std::max_element(values, values + points)
                                      : *std::min_element(values, values + points));
            }
    }

    void join(Index begin, Index end) {
        const Index m = static_cast<Index>(leading_.size());
        groups_.insert(groups_.end(), &boxes_[2 * m * begin], &boxes_[2 * m * begin] + 2 * m);
        T* low = &groups_[groups_.size() - 2 * m];
        for (const T* other = &boxes_[2 * m * begin]; other < boxes_.data() + 2 * m * end; other += 2 * m)
            for (Index k = 0; k < m; ++k) {
                low[k] = std::min(low[k], other[k]);
                low[m + k] = std::max(low[m + k], other[m + k]);
            }
    }

    // The query's own block comes first, so that the reach is short when the others are looked at.
    void search(Index place, const Id* label, Nearest<T>& nearest, T* x) const {
        const Index own = place / kBlock;
        const Id home = label[place];
        for (Index k = 0; k < strips_.d; ++k) x[k] = strips_.block(own)[k * kBlock + place % kBlock];
        look(own, x, label, home, nearest);
        for (Index first = 0, group = 0; first < strips_.blocks; first += kGroup, ++group) {
            if (beyond(groups_, group, x, nearest.reach())) continue;
            for (Index b = first; b < std::min(strips_.blocks, first + kGroup); ++b)
                if (b != own && !beyond(boxes_, b, x, nearest.reach())) look(b, x, label, home, nearest);
        }
    }

    bool beyond(const std::vector<T>& boxes, Index b, const T* x, T reach) const {
        const Index m = static_cast<Index>(leading_.size());
        const T *low = &boxes[2 * m * b], *high = low + m;
        double sum = 0, largest = 0;
        for (Index k = 0; k < m; ++k) {
            const double own = static_cast<double>(x[leading_[k]]);
            const double outside =
                std::max({static_cast<double>(low[k]) - own, own - static_cast<double>(high[k]), 0.0});
            sum += outside;
            largest = std::max(largest, outside);
        }
        constexpr double kMargin = 1 + 2 * static_cast<double>(std::numeric_limits<T>::epsilon());
        return shrink_ * (metric_.loop == kCityBlock ? sum : largest) > static_cast<double>(reach) * kMargin;
    }

    void look(Index b, const T* x, const Id* label, Id home, Nearest<T>& nearest) const {
        double distances[kBlock];
        kernels<T>().packed_rows[metric_.loop](x, strips_.block(b), strips_.d, 1, distances);
        const Index begin = b * kBlock, end = std::min<Index>(begin + kBlock, order_.size());
        for (Index i = begin; i < end; ++i) {
            const T distance = static_cast<T>(distances[i - begin]);
            if (distance <= nearest.reach() && label[i] != home) nearest.offer(label[i], distance);
        }
    }

    Strips<T> strips_;
    std::vector<Id> order_, place_, leading_;
    RowMetric metric_;
    double shrink_;
    std::vector<T> boxes_, groups_;  // of blocks and of groups of them
};

}  // namespace chamfer
