// The nearest of some leaders, for many points.
//
// Products of coordinates find the few leaders that may be the nearest; differences decide, and of equally near ones
// the first. A product depends, in its last digits, on what else is multiplied at the same time; the decision does not:
// it is the same for a point alone, for all of them, and on any machine.
#pragma once

#include <limits>
#include <vector>

#include "../distance/points.hpp"
#include "tiles.hpp"

namespace chamfer {

// What one thread needs.
template <class F>
struct LeaderScratch : TileScratch<F> {
    struct Near {
        F value;
        Id leader;
    };
    std::vector<std::vector<Near>> near = std::vector<std::vector<Near>>(kPanel);  // of each point of the panel
    std::vector<F> best, slack;
    std::vector<std::pair<double, Id>> sorted;
};

template <class F>
class Leaders {
   public:
    // `rows` are kept by the caller. Each point gets its `fanout` nearest.
    Leaders(Columns<F> rows, Blas blas, Index fanout) : rows_(rows), blas_(blas), fanout_(fanout), half_(rows.n) {
        for (Index i = 0; i < rows.n; ++i) half_[i] = half_length(rows.rows + i * rows.m);
    }

    // Leaders of `count` points, up to a panel of them, nearest first; row(i) gives the coordinates of the i-th.
    template <class Row>
    void assign(Row&& row, Index count, Id* joined, LeaderScratch<F>& own) const {
        start(row, count, own);
        sweep(
            rows_, blas_, count, own, [](Index tile) { return tile; }, [](Index) { return false; },
            [&](Index i, const F* products, Index left, Index width) {
                F* best = own.best.data() + i * fanout_;
                F limit = best[fanout_ - 1] + own.slack[i];
                for (Index j = 0; j < width; ++j) {
                    const F value = (1 - kRounding * weight()) * half_[left + j] - products[j];
                    if (!(value <= limit)) continue;
                    own.near[i].push_back({value, static_cast<Id>(left + j)});
                    insert(best, value + 2 * kRounding * weight() * half_[left + j]);
                    limit = best[fanout_ - 1] + own.slack[i];
                }
            });
        for (Index i = 0; i < count; ++i) decide(row(i), i, joined + i * fanout_, own);
    }

   private:
    static constexpr F kRounding = std::numeric_limits<F>::epsilon();
    // Rounding of a product, in units of kRounding times half the squared lengths, see filter.hpp.
    F weight() const { return static_cast<F>(rows_.m + 16); }

    F half_length(const F* row) const {
        double sum = 0;
        for (Index k = 0; k < rows_.m; ++k) sum += static_cast<double>(row[k]) * static_cast<double>(row[k]);
        return static_cast<F>(sum / 2);
    }

    template <class Row>
    void start(Row&& row, Index count, LeaderScratch<F>& own) const {
        const Index m = rows_.m;
        own.panel.resize(count * m);
        own.best.assign(count * fanout_, kFar<F>);
        own.slack.resize(count);
        for (Index i = 0; i < count; ++i) {
            const F* x = row(i);
            std::copy_n(x, m, own.panel.data() + i * m);
            own.slack[i] = 2 * kRounding * weight() * half_length(x) + 8 * weight() * std::numeric_limits<F>::min();
            own.near[i].clear();
        }
    }

    void insert(F* best, F value) const {
        if (!(value < best[fanout_ - 1])) return;
        Index at = fanout_ - 1;
        for (; at > 0 && value < best[at - 1]; --at) best[at] = best[at - 1];
        best[at] = value;
    }

    // The nearest of those that may be, by (distance, leader).
    void decide(const F* x, Index i, Id* joined, LeaderScratch<F>& own) const {
        const F limit = own.best[(i + 1) * fanout_ - 1] + own.slack[i];
        own.sorted.clear();
        for (const auto& [value, leader] : own.near[i])
            if (value <= limit) own.sorted.emplace_back(0, leader);
        if (static_cast<Index>(own.sorted.size()) > 1)
            for (auto& [distance, leader] : own.sorted)
                distance = squared_distance(x, rows_.rows + leader * rows_.m, rows_.m);
        std::partial_sort(own.sorted.begin(), own.sorted.begin() + fanout_, own.sorted.end());
        for (Index j = 0; j < fanout_; ++j) joined[j] = own.sorted[j].second;
    }

    Columns<F> rows_;
    Blas blas_;
    Index fanout_;
    std::vector<F> half_;
};

}  // namespace chamfer
