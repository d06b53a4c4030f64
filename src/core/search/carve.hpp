// Randomised ball carving: points are split into overlapping groups of neighbours, by a few of them as leaders.
//
// Leaders are drawn at random, and each point joins the groups of its nearest leaders, `fanout` of them. Groups that
// are too large are carved again. Points that are close share a leaf with a good chance, and with a better one after
// every further carving with other leaders.
#pragma once

#include <vector>

#include "../base/random.hpp"
#include "../base/threads.hpp"
#include "tiles.hpp"

namespace chamfer {

struct Carving {
    Index leaf;    // points that a leaf has on average
    Index fanout;  // groups that a point joins at first; one later
    std::uint64_t seed;
};

// body(begin, end, thread) for parts of [0, n); the tick is called between them.
template <class Body>
void in_parts(Index n, Index part, int threads, const Tick& tick, Body&& body) {
    const Index parts = (n + part - 1) / part, together = 64 * threads;
    for (Index first = 0; first < parts; first += together) {
        parallel_tasks(std::min(together, parts - first), threads, [&](Index i, int thread) {
            const Index begin = (first + i) * part;
            body(begin, std::min(n, begin + part), thread);
        });
        tick(std::min(n, (first + together) * part));
    }
}

template <class F>
class Carver {
   public:
    // `half`: half the squared length of each row.
    Carver(Columns<F> rows, const F* half, Blas blas, const Carving& carving)
        : rows_(rows), half_(half), blas_(blas), carving_(carving) {}

    // Calls leaf(members, count, thread) for all leaves. The tick counts points.
    template <class Leaf>
    void each_leaf(int threads, const Tick& tick, Leaf&& leaf) const {
        std::vector<Id> all(rows_.n);
        for (Index p = 0; p < rows_.n; ++p) all[p] = static_cast<Id>(p);
        if (rows_.n <= most()) return leaf(all.data(), rows_.n, 0);
        const Groups groups = split(std::move(all), carving_.fanout, carving_.seed, threads, tick);
        for (Index first = 0, last = 0; first < groups.size(); first = last) {
            last = batch(groups, first, threads);
            parallel_tasks(last - first, threads, [&](Index i, int thread) {
                split_further(groups.members(first + i), groups.count(first + i), carving_.seed + first + i + 1, 0,
                              [&](const Id* members, Index count) { leaf(members, count, thread); });
            });
            tick(groups.starts[last] / carving_.fanout);
        }
    }

   private:
    static constexpr Index kLeaders = 4096;  // of a split, at most
    static constexpr int kDepth = 8;         // of splits
    Index most() const { return 2 * carving_.leaf; }

    struct Groups {
        std::vector<Id> points;
        std::vector<Index> starts;
        Index size() const { return static_cast<Index>(starts.size()) - 1; }
        const Id* members(Index i) const { return points.data() + starts[i]; }
        Index count(Index i) const { return starts[i + 1] - starts[i]; }
    };

    // Groups that are worked on together: a fraction of a second, so that Ctrl-C is seen soon, and enough for all
    // threads.
    Index batch(const Groups& groups, Index first, int threads) const {
        constexpr Index kWork = Index{1} << 33;  // products of coordinates
        Index last = first, work = 0;
        while (last < groups.size() && (work < kWork * threads || last < first + threads)) {
            work += groups.count(last) * std::min(groups.count(last), most()) * rows_.m;
            ++last;
        }
        return last;
    }

    // Points by leaders; each joins the groups of its nearest ones.
    Groups split(std::vector<Id> points, Index fanout, std::uint64_t seed, int threads, const Tick& tick) const {
        const Index count = static_cast<Index>(points.size());
        const Index wanted = std::clamp<Index>(count * fanout / carving_.leaf, 2, std::min(kLeaders, count));
        fanout = std::min(fanout, wanted);
        const std::vector<Id> leaders = draw(points, wanted, seed);
        std::vector<F> rows(wanted * rows_.m);
        for (Index i = 0; i < wanted; ++i)
            std::copy_n(rows_.rows + leaders[i] * rows_.m, rows_.m, rows.data() + i * rows_.m);
        std::vector<Id> joined(count * fanout);
        std::vector<TileScratch<F>> scratch(threads);
        in_parts(
            count, kPanel, threads, [&](Index done) { tick(done / 64); },
            [&](Index begin, Index end, int thread) {
                assign(points.data() + begin, end - begin, leaders, rows, fanout, joined.data() + begin * fanout,
                       scratch[thread]);
            });
        Groups groups{std::vector<Id>(joined.size()), std::vector<Index>(wanted + 1)};
        for (const Id leader : joined) ++groups.starts[leader + 1];
        for (Index i = 0; i < wanted; ++i) groups.starts[i + 1] += groups.starts[i];
        std::vector<Index> next(groups.starts.begin(), groups.starts.end() - 1);
        for (Index i = 0; i < count * fanout; ++i) groups.points[next[joined[i]]++] = points[i / fanout];
        return groups;
    }

    static std::vector<Id> draw(std::vector<Id>& points, Index wanted, std::uint64_t seed) {
        Random random(seed);
        std::vector<Id> pool = points;
        for (Index i = 0; i < wanted; ++i)
            std::swap(pool[i], pool[i + static_cast<Index>(random() % (pool.size() - i))]);
        pool.resize(wanted);
        return pool;
    }

    // The nearest leaders of some points, `fanout` each: by (distance, leader).
    void assign(const Id* points, Index count, const std::vector<Id>& leaders, const std::vector<F>& rows, Index fanout,
                Id* joined, TileScratch<F>& own) const {
        const Index m = rows_.m;
        own.panel.resize(count * m);
        for (Index i = 0; i < count; ++i) std::copy_n(rows_.rows + points[i] * m, m, own.panel.data() + i * m);
        std::vector<F> best(count * fanout, kFar<F>);
        const Columns<F> columns{rows.data(), static_cast<Index>(leaders.size()), m};
        sweep(
            columns, blas_, count, own, [](Index tile) { return tile; }, [](Index) { return false; },
            [&](Index i, const F* products, Index left, Index width) {
                F* values = best.data() + i * fanout;
                Id* ids = joined + i * fanout;
                for (Index j = 0; j < width; ++j) {
                    const F value = half_[leaders[left + j]] - products[j];
                    if (!(value < values[fanout - 1])) continue;
                    Index at = fanout - 1;
                    for (; at > 0 && value < values[at - 1]; --at) values[at] = values[at - 1], ids[at] = ids[at - 1];
                    values[at] = value;
                    ids[at] = static_cast<Id>(left + j);
                }
            });
    }

    template <class Leaf>
    void split_further(const Id* points, Index count, std::uint64_t seed, int depth, Leaf&& leaf) const {
        if (count <= most()) return leaf(points, count);
        if (depth == kDepth) {  // points that no leader tells apart
            for (Index first = 0; first < count; first += carving_.leaf)
                leaf(points + first, std::min(carving_.leaf, count - first));
            return;
        }
        const Groups groups = split(std::vector<Id>(points, points + count), 1, seed, 1, [](Index) {});
        for (Index i = 0; i < groups.size(); ++i)
            split_further(groups.members(i), groups.count(i), Random(seed + i)(), depth + 1, leaf);
    }

    Columns<F> rows_;
    const F* half_;
    Blas blas_;
    Carving carving_;
};

}  // namespace chamfer
