// Two searches for nearest centres, by the tile loop and by a k-d tree.
//
// Both skip by few coordinates whose distance never exceeds that of the centres (all of their own, or those of the
// filter). With |A - B| the distance of two centres, the linkage value
//   (|A - B|^2 + spread A + spread B) / (ease A + ease B)  <=  reach
// exactly if |A - B|^2 <= reach (ease A + ease B) - spread A - spread B: a comparison that is linear in what a cluster
// knows of itself.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "../base/threads.hpp"
#include "../linkage/centres.hpp"
#include "filter.hpp"
#include "kdtree.hpp"
#include "tiles.hpp"

namespace chamfer {

// From a centre to its few coordinates.
struct Axes {
    const double *mean, *axes;  // axes: d x m, orthonormal columns
    Index d, m;                 // m = 0: all coordinates of their own

    Index count() const { return m == 0 ? d : m + 1; }

    template <class F>
    void project(const double* centre, F* out) const {
        std::vector<double> rest(d), leading(m);
        const double length = level->others->project(centre, mean, axes, d, m, leading.data(), rest.data());
        std::ranges::transform(m == 0 ? rest : leading, out, [](double x) { return static_cast<F>(x); });
        if (m > 0) out[m] = static_cast<F>(std::sqrt(length));
    }
};

// The clusters there are, as columns of a matrix without gaps: the last one moves to where one is removed.
template <class Clusters, class F>
class CentreTiles {
   public:
    // `coordinates`: n x axes.count()
    CentreTiles(const Clusters& centres, const Axes& axes, const F* coordinates, Blas blas)
        : centres_(centres),
          axes_(axes),
          m_(axes.count()),
          blas_(blas),
          filter_(m_, axes.d),
          coordinates_(coordinates, coordinates + centres.n() * m_),
          half_(centres.n()),
          ease_(centres.n()),
          cluster_(centres.n()),
          place_(centres.n()) {
        std::iota(cluster_.begin(), cluster_.end(), Id{0});
        place_ = cluster_;
        for (Id c = 0; c < centres.n(); ++c) measure(c);
    }

    void changed(Id c) {
        axes_.project(centres_.centre(c), row(place_[c]));
        measure(c);
    }

    void remove(Id c) {
        const Id hole = place_[c], last = static_cast<Id>(cluster_.size()) - 1;
        std::copy_n(row(last), m_, row(hole));
        half_[hole] = half_[last], ease_[hole] = ease_[last], cluster_[hole] = cluster_[last];
        place_[cluster_[hole]] = hole;
        cluster_.pop_back();
    }

    // Calls near(i, c) for every cluster c that may be within reach(i) of query i, at least; the reach may shrink
    // meanwhile. Queries are shared among threads, each query with all its calls to one of them.
    template <class Reach, class Near>
    void each_near(const std::vector<Id>& queries, int threads, const Tick& tick, Reach&& reach, Near&& near) const {
        const Index count = static_cast<Index>(queries.size());
        // Whatever the number of threads: where a block starts to look depends on its first query.
        const Index size = std::clamp<Index>((count + 7) / 8, 1, kPanel);
        const Index tasks = (count + size - 1) / size;
        std::vector<TileScratch<F>> scratch(threads);
        for (Index first = 0; first < tasks; first += 4 * threads) {
            parallel_tasks(std::min<Index>(4 * threads, tasks - first), threads, [&](Index task, int thread) {
                const Index begin = (first + task) * size;
                search_panel(queries.data() + begin, std::min(size, count - begin), begin, scratch[thread], reach,
                             near);
            });
            tick(0);
        }
    }

    // The same among points; it is left to `near` to look at the labels.
    template <class Reach, class Near>
    void each_near(const std::vector<Id>& queries, const std::vector<Id>&, int threads, const Tick& tick, Reach&& reach,
                   Near&& near) const {
        each_near(queries, threads, tick, reach, near);
    }

    // Calls each(x, value) for every other cluster x with a value that its own to c is not below.
    template <class Each>
    void lower_bounds(Id c, int threads, Each&& each) {
        const Index n = static_cast<Index>(cluster_.size());
        const Id at = place_[c];
        bounds_.resize(n);
        parallel_ranges(n, (Index{1} << 17) / m_, threads, [&](Index begin, Index end) {
            kernels<F>().dots(row(at), row(begin), m_, end - begin, bounds_.data() + begin);
            for (Index j = begin; j < end; ++j) bounds_[j] = half_[at] + half_[j] - bounds_[j] - filter_.floor();
        });
        for (Index j = 0; j < n; ++j)
            if (const Id x = cluster_[j]; x != c)
                each(x, std::max(0.0, 2 * static_cast<double>(bounds_[j])) / (centres_.ease(c) + centres_.ease(x)));
    }

   private:
    F* row(Index place) { return coordinates_.data() + place * m_; }
    const F* row(Index place) const { return coordinates_.data() + place * m_; }

    // Half of |c|^2 + spread, rounded down.
    void measure(Id c) {
        half_[place_[c]] = filter_.half_length(row(place_[c]), m_, centres_.spread(c));
        ease_[place_[c]] = static_cast<F>(centres_.ease(c));
    }

    template <class Reach, class Near>
    void search_panel(const Id* queries, Index count, Index begin, TileScratch<F>& scratch, Reach& reach,
                      Near& near) const {
        const Columns<F> columns{coordinates_.data(), static_cast<Index>(cluster_.size()), m_};
        scratch.panel.resize(kPanel * m_);
        for (Index i = 0; i < count; ++i) std::copy_n(row(place_[queries[i]]), m_, scratch.panel.data() + i * m_);
        // From the tile of the queries on, so that many clusters at one place do not all find the same ones.
        const Index home = place_[queries[0]] / kColumns;
        sweep(
            columns, blas_, count, scratch, [&](Index next) { return (home + next) % columns.tiles(); },
            [](Index) { return false; },
            [&](Index i, const F* products, Index left, Index width) {
                search_row(
                    queries[i], products, left, width, scratch.keep.data(), [&] { return reach(begin + i); },
                    [&](Id c) { near(begin + i, c); });
            });
    }

    template <class Reach, class Near>
    void search_row(Id query, const F* products, Index left, Index width, unsigned char* keep, Reach&& reach,
                    Near&& near) const {
        if (reach() == 0) return;  // nothing is nearer than that
        const F *half = half_.data() + left, *ease = ease_.data() + left;
        const F own_half = half_[place_[query]], own_ease = ease_[place_[query]];
        // A reach of values, not of squared distances: these are the reach times the two eases.
        const F floor = filter_.floor(), within = filter_.half_reach(reach());
        kernels<F>().mark_eased(products, half, ease, within, own_half - within * own_ease - floor, width, keep);
        each_kept(keep, width, [&](Index i) {
            if (cluster_[left + i] != query && reach() > 0 &&
                half[i] + own_half - products[i] <= filter_.half_reach(reach()) * (own_ease + ease[i]) + floor)
                near(cluster_[left + i]);
        });
    }

    const Clusters& centres_;
    Axes axes_;
    Index m_;
    Blas blas_;
    Filter<F> filter_;
    std::vector<F> coordinates_, half_, ease_;  // by column
    std::vector<Id> cluster_, place_;           // by column; by cluster
    std::vector<F> bounds_;
};

// A k-d tree, built anew for every search: for batches of many queries in few coordinates.
template <CentreRule R>
class CentreTree {
   public:
    CentreTree(const Centres<R>& centres, const Axes& axes, const double* coordinates)
        : centres_(centres),
          axes_(axes),
          m_(axes.count()),
          slack_(m_, axes.d, false),
          coordinates_(coordinates, coordinates + centres.n() * m_),
          left_(centres.n(), true) {}

    void changed(Id c) { axes_.project(centres_.centre(c), coordinates_.data() + c * m_); }
    void remove(Id c) { left_[c] = false; }

    template <class Reach, class Near>
    void each_near(const std::vector<Id>& queries, int threads, const Tick& tick, Reach&& reach, Near&& near) const {
        std::vector<Id> clusters;
        for (Id c = 0; c < centres_.n(); ++c)
            if (left_[c]) clusters.push_back(c);
        std::vector<double> coordinates(clusters.size() * m_);
        for (std::size_t i = 0; i < clusters.size(); ++i)
            std::copy_n(coordinates_.data() + clusters[i] * m_, m_, coordinates.data() + i * m_);
        const KdTree<double> tree(coordinates.data(), static_cast<Index>(clusters.size()), m_, kLeaf, threads, tick);
        std::vector<Leaf> leaves(clusters.size());
        for (std::size_t i = 0; i < clusters.size(); ++i) leaves[i] = leaf(clusters[tree.order()[i]]);
        const auto ends = tree.gather(
            [&](Id begin, Id end) {
                return std::accumulate(&leaves[begin], &leaves[0] + end, Ends{},
                                       [](const Ends& ends, const Leaf& leaf) { return join(ends, leaf.ends); });
            },
            join);
        parallel_queries(static_cast<Index>(queries.size()), kShare, threads, tick, [&](Index i, int) {
            find(queries[i], tree, ends, leaves, [&] { return reach(i); }, [&](Id c) { near(i, c); });
        });
    }

   private:
    static constexpr Index kLeaf = 8, kShare = 64;  // clusters of a leaf, queries a task

    // The largest ease and the smallest spread of some clusters.
    struct Ends {
        double ease = 0, spread = kFar<double>;
    };
    struct Leaf {
        Id cluster;
        Ends ends;
    };

    static Ends join(const Ends& a, const Ends& b) { return {std::max(a.ease, b.ease), std::min(a.spread, b.spread)}; }

    Leaf leaf(Id c) const { return {c, {centres_.ease(c), centres_.spread(c)}}; }

    template <class Reach, class Near>
    void find(Id query, const KdTree<double>& tree, const std::vector<Ends>& ends, const std::vector<Leaf>& leaves,
              Reach&& reach, Near&& near) const {
        const double *x = coordinates_.data() + query * m_, ease = centres_.ease(query),
                     spread = centres_.spread(query), slack = slack_.at(x);
        const auto beyond = [&](double squared, const Ends& other) {
            const double most = reach();
            return !(most > 0) || squared + spread + other.spread > slack_.widen(most * (ease + other.ease), slack);
        };
        tree.descend(
            x, x, kNone, [&](Id node, double squared) { return beyond(squared, ends[node]); },
            [&](Id node) {
                for (Id place = tree.nodes()[node].begin; place < tree.nodes()[node].end; ++place) {
                    const auto& [cluster, own] = leaves[place];
                    if (cluster == query) continue;
                    if (!beyond(squared_distance(x, coordinates_.data() + cluster * m_, m_), own)) near(cluster);
                }
            });
    }

    const Centres<R>& centres_;
    Axes axes_;
    Index m_;
    TreeSlack slack_;
    std::vector<double> coordinates_;  // by cluster
    std::vector<char> left_;
};

}  // namespace chamfer
