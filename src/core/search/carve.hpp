// Randomised ball carving: points are split into overlapping groups of neighbours, by a few of them as leaders.
//
// Leaders are drawn at random, and each point joins the groups of its nearest leaders, `fanout` of them. Groups that
// are too large are carved again. Points that are close share a leaf with a good chance, and with a better one after
// every further carving with other leaders.
//
// What becomes of a group depends on its points, in their order, and its seed alone. So groups may be split in
// different places, as the workers of a cluster do.
#pragma once

#include <vector>

#include "../base/random.hpp"
#include "../base/threads.hpp"
#include "leaders.hpp"

namespace chamfer {

struct Carving {
    Index leaf;    // points that a leaf has on average
    Index fanout;  // groups that a point joins at first; one later
    std::uint64_t seed;
    static constexpr Index kLeaders = 4096;  // of a split, at most
    static constexpr int kDepth = 8;         // of splits of groups

    Index most() const { return 2 * leaf; }  // points of a leaf
    // How many leaders split so many points, each of which joins `joins` of their groups.
    Index leaders(Index count, Index joins) const {
        return std::clamp<Index>(count * joins / leaf, 2, std::min(kLeaders, count));
    }
};

// Of a group of points its seed; `seed` is that of the points it was split from.
inline std::uint64_t group_seed(std::uint64_t seed, Index group) { return Random(seed + group)(); }

// Points at random: `wanted` different numbers below `count`.
inline std::vector<Id> draw(Index count, Index wanted, std::uint64_t seed) {
    Random random(seed);
    std::vector<Id> pool(count);
    for (Index i = 0; i < count; ++i) pool[i] = static_cast<Id>(i);
    for (Index i = 0; i < wanted; ++i) std::swap(pool[i], pool[i + static_cast<Index>(random() % (count - i))]);
    pool.resize(wanted);
    return pool;
}

// Points by groups, and what decides how these are split further.
struct CarvedGroups {
    std::vector<Id> points;
    std::vector<Index> starts;
    std::vector<std::uint64_t> seeds;
    std::vector<int> depths;
    Index size() const { return static_cast<Index>(starts.size()) - 1; }
    const Id* members(Index i) const { return points.data() + starts[i]; }
    Index count(Index i) const { return starts[i + 1] - starts[i]; }
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
    Carver(Columns<F> rows, Blas blas, const Carving& carving) : rows_(rows), blas_(blas), carving_(carving) {}

    // Calls leaf(members, count, thread) for all leaves. The tick counts points.
    template <class Leaf>
    void each_leaf(int threads, const Tick& tick, Leaf&& leaf) const {
        std::vector<Id> all(rows_.n);
        for (Index p = 0; p < rows_.n; ++p) all[p] = static_cast<Id>(p);
        if (rows_.n <= carving_.most()) return leaf(all.data(), rows_.n, 0);
        each_leaf_of(split(all.data(), rows_.n, carving_.fanout, carving_.seed, 0, threads, tick), threads, tick, leaf);
    }

    // The same for groups that the points were split into elsewhere.
    template <class Leaf>
    void each_leaf_of(const CarvedGroups& groups, int threads, const Tick& tick, Leaf&& leaf) const {
        for (Index first = 0, last = 0; first < groups.size(); first = last) {
            last = batch(groups, first, threads);
            parallel_tasks(last - first, threads, [&](Index i, int thread) {
                split_further(groups, first + i, [&](const Id* members, Index count) { leaf(members, count, thread); });
            });
            tick(groups.starts[last] / carving_.fanout);
        }
    }

   private:
    // Groups that are worked on together: a fraction of a second, so that Ctrl-C is seen soon, and enough for all
    // threads.
    Index batch(const CarvedGroups& groups, Index first, int threads) const {
        constexpr Index kWork = Index{1} << 33;  // products of coordinates
        Index last = first, work = 0;
        while (last < groups.size() && (work < kWork * threads || last < first + threads)) {
            work += groups.count(last) * std::min(groups.count(last), carving_.most()) * rows_.m;
            ++last;
        }
        return last;
    }

    // Points by leaders; each joins the groups of its nearest ones.
    CarvedGroups split(const Id* points, Index count, Index fanout, std::uint64_t seed, int depth, int threads,
                       const Tick& tick) const {
        const Index wanted = carving_.leaders(count, fanout);
        fanout = std::min(fanout, wanted);
        std::vector<F> rows(wanted * rows_.m);
        const std::vector<Id> drawn = draw(count, wanted, seed);
        for (Index i = 0; i < wanted; ++i)
            std::copy_n(rows_.rows + points[drawn[i]] * rows_.m, rows_.m, rows.data() + i * rows_.m);
        const Leaders<F> leaders({rows.data(), wanted, rows_.m}, blas_, fanout);
        std::vector<Id> joined(count * fanout);
        std::vector<LeaderScratch<F>> scratch(threads);
        in_parts(
            count, kPanel, threads, [&](Index done) { tick(done / 64); },
            [&](Index begin, Index end, int thread) {
                leaders.assign([&](Index i) { return rows_.rows + points[begin + i] * rows_.m; }, end - begin,
                               joined.data() + begin * fanout, scratch[thread]);
            });
        CarvedGroups groups{
            std::vector<Id>(joined.size()), std::vector<Index>(wanted + 1), {}, std::vector<int>(wanted, depth)};
        for (Index i = 0; i < wanted; ++i) groups.seeds.push_back(group_seed(seed, i));
        for (const Id leader : joined) ++groups.starts[leader + 1];
        for (Index i = 0; i < wanted; ++i) groups.starts[i + 1] += groups.starts[i];
        std::vector<Index> next(groups.starts.begin(), groups.starts.end() - 1);
        for (Index i = 0; i < count * fanout; ++i) groups.points[next[joined[i]]++] = points[i / fanout];
        return groups;
    }

    template <class Leaf>
    void split_further(const CarvedGroups& groups, Index group, Leaf&& leaf) const {
        const Id* points = groups.members(group);
        const Index count = groups.count(group);
        const int depth = groups.depths[group];
        if (count <= carving_.most()) return leaf(points, count);
        if (depth == Carving::kDepth) {  // points that no leader tells apart
            for (Index first = 0; first < count; first += carving_.leaf)
                leaf(points + first, std::min(carving_.leaf, count - first));
            return;
        }
        const CarvedGroups parts = split(points, count, 1, groups.seeds[group], depth + 1, 1, [](Index) {});
        for (Index i = 0; i < parts.size(); ++i) split_further(parts, i, leaf);
    }

    Columns<F> rows_;
    Blas blas_;
    Carving carving_;
};

}  // namespace chamfer
