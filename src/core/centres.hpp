// Clusters as their centres, all that Ward's, centroid, median linkage and the mean squared distance need, O(n d)
// memory; and two searches for nearest centres, by blocked multiplication and by a k-d tree.
//
// Both skip by few coordinates whose distance never exceeds that of the centres (all of their own, or leading principal
// coordinates and the length of the rest, see principal.py). With |A - B| the distance of two centres, the linkage
// value
//   (|A - B|^2 + spread A + spread B) / (ease A + ease B)  <=  reach
// exactly if |A - B|^2 <= reach (ease A + ease B) - spread A - spread B: a comparison that is linear in what a cluster
// knows of itself.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "blas.hpp"
#include "filter.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "rules.hpp"
#include "tree.hpp"

namespace chamfer {

template <CentreRule R>
class Centres {
   public:
    template <class T>
    explicit Centres(const Points<T>& points)
        : d_(points.d),
          centres_(points.data, points.data + points.n * points.d),
          sizes_(points.n, 1.0),
          spread_(points.n, 0.0) {}

    Index n() const { return static_cast<Index>(sizes_.size()); }
    Index d() const { return d_; }
    const double* centre(Id c) const { return centres_.data() + c * d_; }
    double size(Id c) const { return sizes_[c]; }
    double ease(Id c) const { return R::ease(sizes_[c]); }
    double spread(Id c) const { return spread_[c]; }

    double value(Id a, Id b) const {
        return (squared_distance(centre(a), centre(b), d_) + spread_[a] + spread_[b]) / (ease(a) + ease(b));
    }

    // The union takes the place of a.
    void unite(Id a, Id b) {
        const double total = sizes_[a] + sizes_[b], part = sizes_[b] / total;
        if (R::spreads)
            spread_[a] +=
                part * (spread_[b] - spread_[a]) + part * (1 - part) * squared_distance(centre(a), centre(b), d_);
        const double share = R::share(sizes_[b], sizes_[a]);
        double* kept = centres_.data() + a * d_;
        for (Index k = 0; k < d_; ++k) kept[k] += share * (centre(b)[k] - kept[k]);
        sizes_[a] = total;
    }

   private:
    Index d_;
    std::vector<double> centres_, sizes_, spread_;
};

// Every point by itself.
struct SinglePoints {
    Index count;
    Index n() const { return count; }
    double ease(Id) const { return 0.5; }
    double spread(Id) const { return 0; }
};

// From a centre to its few coordinates.
struct Axes {
    const double *mean, *axes;  // axes: d x m, orthonormal columns
    Index d, m;                 // m = 0: all coordinates of their own

    Index count() const { return m == 0 ? d : m + 1; }

    template <class F>
    void project(const double* centre, F* out) const {
        std::vector<double> rest(d), leading(m, 0.0);
        for (Index k = 0; k < d; ++k) rest[k] = centre[k] - mean[k];
        if (m == 0) {
            for (Index k = 0; k < d; ++k) out[k] = static_cast<F>(rest[k]);
            return;
        }
        for (Index k = 0; k < d; ++k)
            for (Index j = 0; j < m; ++j) leading[j] += rest[k] * axes[k * m + j];
        double length = 0;
        for (Index k = 0; k < d; ++k) {
            double along = 0;
#pragma omp simd reduction(+ : along)
            for (Index j = 0; j < m; ++j) along += leading[j] * axes[k * m + j];
            length += (rest[k] - along) * (rest[k] - along);
        }
        for (Index j = 0; j < m; ++j) out[j] = static_cast<F>(leading[j]);
        out[m] = static_cast<F>(std::sqrt(length));
    }
};

// The clusters there are, as columns of a matrix without gaps: the last one moves to where one is removed.
template <class Clusters, class F>
class CentreBlocks {
   public:
    // `coordinates`: n x axes.count()
    CentreBlocks(const Clusters& centres, const Axes& axes, const F* coordinates, Blas blas)
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
    void search(const std::vector<Id>& queries, int threads, const Tick& tick, Reach&& reach, Near&& near) const {
        const Index count = static_cast<Index>(queries.size());
        // Whatever the number of threads: where a block starts to look depends on its first query.
        const Index size = std::clamp<Index>((count + 7) / 8, 1, kQueries);
        const Index tasks = (count + size - 1) / size;
        std::vector<Scratch> scratch(threads, Scratch(m_));
        for (Index first = 0; first < tasks; first += 4 * threads) {
            parallel_tasks(std::min<Index>(4 * threads, tasks - first), threads, [&](Index task, int thread) {
                const Index begin = (first + task) * size;
                search_block(queries.data() + begin, std::min(size, count - begin), begin, scratch[thread], reach,
                             near);
            });
            tick(0);
        }
    }

    // The same among points; it is left to `near` to look at the labels.
    template <class Reach, class Near>
    void search(const std::vector<Id>& queries, const std::vector<Id>&, int threads, const Tick& tick, Reach&& reach,
                Near&& near) const {
        search(queries, threads, tick, reach, near);
    }

    // Calls each(x, value) for every other cluster x with a value that its own to c is not below.
    template <class Each>
    void lower_bounds(Id c, int threads, Each&& each) {
        const Index n = static_cast<Index>(cluster_.size());
        const Id at = place_[c];
        bounds_.resize(n);
        parallel_ranges(n, (Index{1} << 17) / m_, threads, [&](Index begin, Index end) {
            for (Index j = begin; j < end; ++j) {
                const F *x = row(at), *y = row(j);
                F product = 0;
#pragma omp simd reduction(+ : product)
                for (Index k = 0; k < m_; ++k) product += x[k] * y[k];
                bounds_[j] = half_[at] + half_[j] - product - filter_.floor();
            }
        });
        for (Index j = 0; j < n; ++j)
            if (const Id x = cluster_[j]; x != c)
                each(x, std::max(0.0, 2 * static_cast<double>(bounds_[j])) / (centres_.ease(c) + centres_.ease(x)));
    }

   private:
    static constexpr Index kQueries = 128, kColumns = 512;

    struct Scratch {
        std::vector<F> panel, products = std::vector<F>(kQueries * kColumns);
        unsigned char keep[kColumns + 8] = {};
        explicit Scratch(Index m) : panel(kQueries * m) {}
    };

    F* row(Index place) { return coordinates_.data() + place * m_; }
    const F* row(Index place) const { return coordinates_.data() + place * m_; }

    // Half of |c|^2 + spread, rounded down.
    void measure(Id c) {
        half_[place_[c]] = filter_.half_length(row(place_[c]), m_, centres_.spread(c));
        ease_[place_[c]] = static_cast<F>(centres_.ease(c));
    }

    template <class Reach, class Near>
    void search_block(const Id* queries, Index count, Index begin, Scratch& scratch, Reach& reach, Near& near) const {
        const Index n = static_cast<Index>(cluster_.size());
        for (Index i = 0; i < count; ++i) std::copy_n(row(place_[queries[i]]), m_, scratch.panel.data() + i * m_);
        // From the tile of the queries on, so that many clusters at one place do not all find the same ones.
        const Index tiles = (n + kColumns - 1) / kColumns, home = place_[queries[0]] / kColumns;
        for (Index tile = 0; tile < tiles; ++tile) {
            const Index left = (home + tile) % tiles * kColumns, width = std::min(kColumns, n - left);
            blas_.products(scratch.panel.data(), count, m_, row(left), width, m_, m_, scratch.products.data(),
                           kColumns);
            for (Index i = 0; i < count; ++i)
                search_row(
                    queries[i], scratch.products.data() + i * kColumns, left, width, scratch.keep,
                    [&] { return reach(begin + i); }, [&](Id c) { near(begin + i, c); });
        }
    }

    template <class Reach, class Near>
    void search_row(Id query, const F* products, Index left, Index width, unsigned char* keep, Reach&& reach,
                    Near&& near) const {
        const F *half = half_.data() + left, *ease = ease_.data() + left;
        const F own_half = half_[place_[query]], own_ease = ease_[place_[query]];
        // A reach of values, not of squared distances: these are the reach times the two eases.
        const F floor = filter_.floor(), within = filter_.half_reach(reach()),
                need = own_half - within * own_ease - floor;
        if (reach() == 0) return;  // nothing is nearer than that
        for (Index j = 0; j < width; ++j) keep[j] = products[j] - half[j] + within * ease[j] >= need;
        std::memset(keep + width, 0, 8);
        for (Index j = 0; j < width; j += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, keep + j, 8);
            for (Index i = j; eight != 0 && i < j + 8; ++i)
                if (keep[i] && cluster_[left + i] != query && reach() > 0 &&
                    half[i] + own_half - products[i] <= filter_.half_reach(reach()) * (own_ease + ease[i]) + floor)
                    near(cluster_[left + i]);
        }
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
    void search(const std::vector<Id>& queries, int threads, const Tick& tick, Reach&& reach, Near&& near) const {
        std::vector<Id> clusters;
        for (Id c = 0; c < centres_.n(); ++c)
            if (left_[c]) clusters.push_back(c);
        std::vector<double> coordinates(clusters.size() * m_);
        for (std::size_t i = 0; i < clusters.size(); ++i)
            std::copy_n(coordinates_.data() + clusters[i] * m_, m_, coordinates.data() + i * m_);
        const KdTree<double> tree(coordinates.data(), static_cast<Index>(clusters.size()), m_, kLeaf);
        std::vector<Node> nodes(tree.nodes().size());
        std::vector<Leaf> leaves(clusters.size());
        for (std::size_t i = 0; i < clusters.size(); ++i) leaves[i] = leaf(clusters[tree.order()[i]]);
        for (Index i = static_cast<Index>(nodes.size()) - 1; i >= 0; --i) {
            const auto& node = tree.nodes()[i];
            if (node.right) {
                nodes[i].add(nodes[i + 1]);
                nodes[i].add(nodes[node.right]);
            } else {
                for (Id j = node.begin; j < node.end; ++j) nodes[i].add({leaves[j].ease, leaves[j].spread});
            }
        }
        constexpr Index kShare = 64, kGroup = 256;  // queries a task, tasks between two ticks
        const Index count = static_cast<Index>(queries.size());
        for (Index first = 0; first < count; first += kShare * kGroup) {
            parallel_tasks(std::min(kGroup, (count - first + kShare - 1) / kShare), threads, [&](Index task, int) {
                for (Index i = first + task * kShare; i < std::min(count, first + (task + 1) * kShare); ++i)
                    descend(queries[i], tree, nodes, leaves, [&] { return reach(i); }, [&](Id c) { near(i, c); });
            });
            tick(0);
        }
    }

   private:
    static constexpr Index kLeaf = 8;

    // The largest ease and the smallest spread of its clusters.
    struct Node {
        double ease = 0, spread = std::numeric_limits<double>::infinity();
        void add(const Node& other) {
            ease = std::max(ease, other.ease);
            spread = std::min(spread, other.spread);
        }
    };
    struct Leaf {
        Id cluster;
        double ease, spread;
    };

    Leaf leaf(Id c) const { return {c, centres_.ease(c), centres_.spread(c)}; }

    template <class Reach, class Near>
    void descend(Id query, const KdTree<double>& tree, const std::vector<Node>& nodes, const std::vector<Leaf>& leaves,
                 Reach&& reach, Near&& near) const {
        struct Waiting {
            Id node;
            double squared;
        };
        Waiting stack[128];
        Index waiting = 0;
        stack[waiting++] = {0, 0};
        const double *x = coordinates_.data() + query * m_, ease = centres_.ease(query),
                     spread = centres_.spread(query), slack = slack_.at(x);
        const auto beyond = [&](double squared, double other_ease, double other_spread) {
            return squared + spread + other_spread > slack_.widen(reach() * (ease + other_ease), slack);
        };
        const auto to_box = [&](Id node) {
            const double *low = tree.low(node), *high = tree.high(node);
            double sum = 0;
            for (Index k = 0; k < m_; ++k) {
                const double outside = std::max({low[k] - x[k], x[k] - high[k], 0.0});
                sum += outside * outside;
            }
            return sum;
        };
        while (waiting > 0 && reach() > 0) {
            const Waiting next = stack[--waiting];
            if (beyond(next.squared, nodes[next.node].ease, nodes[next.node].spread)) continue;
            const auto& node = tree.nodes()[next.node];
            if (node.right) {
                const Waiting left{next.node + 1, to_box(next.node + 1)}, right{node.right, to_box(node.right)};
                const bool left_first = left.squared <= right.squared;
                stack[waiting++] = left_first ? right : left;
                stack[waiting++] = left_first ? left : right;
                continue;
            }
            for (Id i = node.begin; i < node.end && reach() > 0; ++i) {
                const Leaf& other = leaves[i];
                if (other.cluster == query) continue;
                const double* y = coordinates_.data() + other.cluster * m_;
                if (!beyond(squared_distance(x, y, m_), other.ease, other.spread)) near(other.cluster);
            }
        }
    }

    const Centres<R>& centres_;
    Axes axes_;
    Index m_;
    TreeSlack slack_;
    std::vector<double> coordinates_;  // by cluster
    std::vector<char> left_;
};

}  // namespace chamfer
