// What every merge changes in the quantities by which a number of clusters is chosen without known classes: scatter
// about centres, and edges of a neighbour graph. As in scores.hpp, they do not depend on the order of merges, so one
// pass over the tree serves all cuts along every order. The simplified silhouette does depend on it, and is computed
// for a few cuts.
#pragma once

#include <cmath>
#include <span>

#include "../base/sums.hpp"
#include "../base/threads.hpp"
#include "../distance/points.hpp"
#include "leaves.hpp"

namespace chamfer {

// By how much each merge raises the sum of squared distances from points to the mean of their cluster:
// |A||B| / (|A| + |B|) · |mean A − mean B|².
//
// Subtrees are visited larger child first. While a smaller one is visited, one mean waits, so at most log2 n + 2 means
// exist at a time.
template <class T>
class Scatter {
   public:
    Scatter(const Tree& tree, const LeafOrder& leaves, const Points<T>& points)
        : tree_(tree), leaves_(leaves), points_(points), gains_(tree.merges()) {}

    std::vector<double> run(const Tick& tick) && {
        constexpr Index often = 4096;
        if (tree_.merges() > 0) visits_.push_back({static_cast<Id>(tree_.n + tree_.merges() - 1), 0});
        for (Index done = 0; !visits_.empty();) {
            visit();
            if (++done % often == 0) tick(done / 4);
        }
        return std::move(gains_);
    }

   private:
    struct Visit {
        Id cluster;
        int children;  // visited so far
    };

    void visit() {
        Visit& top = visits_.back();
        const Id cluster = top.cluster;
        if (cluster < tree_.n) {
            const T* row = points_.row(cluster);
            means_.insert(means_.end(), row, row + points_.d);
            return visits_.pop_back();
        }
        const Index merge = cluster - tree_.n;
        if (top.children == 2) {
            join(merge);
            return visits_.pop_back();
        }
        const int larger = size(merge, 0) >= size(merge, 1) ? 0 : 1;
        const int side = top.children++ == 0 ? larger : 1 - larger;
        visits_.push_back({tree_.child(merge, side), 0});
    }

    // The last two means are those of the larger and the smaller child; their joint mean takes their place.
    void join(Index merge) {
        const Index d = points_.d;
        const double a = static_cast<double>(std::max(size(merge, 0), size(merge, 1)));
        const double b = static_cast<double>(std::min(size(merge, 0), size(merge, 1)));
        double *second = means_.data() + means_.size() - d, *first = second - d, squares = 0;
        for (Index j = 0; j < d; ++j) {
            const double difference = second[j] - first[j];
            squares += difference * difference;
            first[j] += difference * (b / (a + b));
        }
        gains_[merge] = a * b / (a + b) * squares;
        means_.resize(means_.size() - d);
    }

    Index size(Index merge, int side) const { return leaves_.size[tree_.child(merge, side)]; }

    const Tree& tree_;
    const LeafOrder& leaves_;
    const Points<T> points_;
    std::vector<double> gains_, means_;
    std::vector<Visit> visits_;
};

// A graph: the neighbours of point p are neighbours[start[p]] to neighbours[start[p + 1] - 1]. Loops do not count.
struct Graph {
    const Index* start;
    const Id* neighbours;

    template <class Body>
    void for_edges(Index n, Body&& body) const {
        for (Index p = 0; p < n; ++p)
            for (Index e = start[p]; e < start[p + 1]; ++e)
                if (neighbours[e] != p) body(p, neighbours[e]);
    }
};

// For every merge: edges whose ends come together there, edges inside the cluster it makes, ends of edges in it.
struct EdgeCounts {
    std::vector<Index> joined, inside, ends;
};

// `ends` also has the points, in front of the clusters.
inline EdgeCounts count_edges(const Tree& tree, const LeafOrder& leaves, const Graph& graph) {
    const Index n = tree.n, merges = tree.merges();
    EdgeCounts counts{std::vector<Index>(merges), std::vector<Index>(n + merges), std::vector<Index>(n + merges)};
    const CommonMerges common(tree, leaves);
    graph.for_edges(n, [&](Index p, Index q) {
        ++counts.joined[common(p, q)];
        ++counts.ends[p];
        ++counts.ends[q];
    });
    for (Index i = 0; i < merges; ++i) {
        const Id a = tree.child(i, 0), b = tree.child(i, 1);
        counts.inside[n + i] = counts.inside[a] + counts.inside[b] + counts.joined[i];
        counts.ends[n + i] = counts.ends[a] + counts.ends[b];
    }
    return counts;
}

// The simplified silhouette of the cuts into 2, 3, … K clusters along an order: the mean over all points of
// (b − a) / max(a, b), where a is the distance to the centre of the point's cluster and b that to the nearest other
// centre; 0 for a cluster of one point.
//
// The K finest clusters and the unions of them that the last merges make are 2K − 1 clusters in all, whatever the cut.
// So every point is compared with 2K centres once, and each cut takes a minimum over some of these distances.
template <class T>
class Silhouettes {
   public:
    // `parts` are labels of the points in the finest cut; row j of `unions` is the two clusters that become cluster
    // K + j.
    Silhouettes(const Points<T>& points, const Index* parts, const Index* unions, Index finest)
        : points_(points), parts_(parts), unions_(unions), finest_(finest), clusters_(2 * finest - 2) {
        find_centres();
        find_cuts();
    }

    std::vector<double> run(int threads, const Tick& tick) const {
        constexpr Index block = 256, round = 64;  // points of a sum, and sums between looks at interrupts
        const Index blocks = (points_.n + block - 1) / block;
        std::vector<double> sums(blocks * (finest_ - 1), 0.0);
        for (Index begin = 0; begin < blocks; begin += round) {
            parallel_tasks(std::min(round, blocks - begin), threads, [&](Index i, int) {
                const Index first = (begin + i) * block;
                add(first, std::min(first + block, points_.n), sums.data() + (begin + i) * (finest_ - 1));
            });
            tick(std::min((begin + round) * block, points_.n));
        }
        std::vector<Sum> totals(finest_ - 1);
        for (Index b = 0; b < blocks; ++b)
            for (Index cut = 0; cut < finest_ - 1; ++cut) totals[cut].add(sums[b * (finest_ - 1) + cut]);
        std::vector<double> means(finest_ - 1);
        for (Index cut = 0; cut < finest_ - 1; ++cut)
            means[cut] = (totals[cut].high + totals[cut].low) / static_cast<double>(points_.n);
        return means;
    }

   private:
    // Centres are kept by coordinate, so that a point is compared with all of them by one vector loop.
    void find_centres() {
        const Index d = points_.d;
        sizes_.assign(clusters_, 0.0);
        centres_.assign(d * clusters_, 0.0);
        for (Index p = 0; p < points_.n; ++p) {
            ++sizes_[parts_[p]];
            for (Index j = 0; j < d; ++j) centres_[j * clusters_ + parts_[p]] += static_cast<double>(points_.row(p)[j]);
        }
        for (Index c = finest_; c < clusters_; ++c) {
            const Index a = unions_[2 * (c - finest_)], b = unions_[2 * (c - finest_) + 1];
            sizes_[c] = sizes_[a] + sizes_[b];
            for (Index j = 0; j < d; ++j) {
                double* row = centres_.data() + j * clusters_;
                row[c] = row[a] + row[b];
            }
        }
        for (Index j = 0; j < d; ++j)
            for (Index c = 0; c < clusters_; ++c) centres_[j * clusters_ + c] /= sizes_[c];
    }

    // The clusters of each cut, and of which of them each finest cluster is a part.
    void find_cuts() {
        std::vector<Index> alive(finest_), own(finest_);
        for (Index c = 0; c < finest_; ++c) alive[c] = own[c] = c;
        for (Index cut = finest_ - 2;; --cut) {
            alive_.insert(alive_.end(), alive.begin(), alive.end());
            starts_.push_back(static_cast<Index>(alive_.size()));
            own_.insert(own_.end(), own.begin(), own.end());
            if (cut == 0) return;
            const Index* joined = unions_ + 2 * (finest_ - 2 - cut);
            const Index made = 2 * finest_ - 2 - cut;
            std::erase_if(alive, [&](Index c) { return c == joined[0] || c == joined[1]; });
            alive.push_back(made);
            for (Index& each : own)
                if (each == joined[0] || each == joined[1]) each = made;
        }
    }

    void add(Index begin, Index end, double* sums) const {
        std::vector<double> far(clusters_);
        for (Index p = begin; p < end; ++p) {
            measure(p, far.data());
            Index from = 0;
            for (Index step = 0; step < finest_ - 1; ++step) {
                const Index own = own_[step * finest_ + parts_[p]];
                double nearest = kFar<double>;
                for (; from < starts_[step]; ++from)
                    if (alive_[from] != own) nearest = std::min(nearest, far[alive_[from]]);
                const double largest = std::max(nearest, far[own]);
                if (sizes_[own] > 1 && largest > 0) sums[finest_ - 2 - step] += (nearest - far[own]) / largest;
            }
        }
    }

    void measure(Index p, double* far) const {
        std::fill(far, far + clusters_, 0.0);
        for (Index j = 0; j < points_.d; ++j) {
            const double x = static_cast<double>(points_.row(p)[j]);
            const double* centre = centres_.data() + j * clusters_;
            for (Index c = 0; c < clusters_; ++c) far[c] += (x - centre[c]) * (x - centre[c]);
        }
        for (Index c = 0; c < clusters_; ++c) far[c] = std::sqrt(far[c]);
    }

    const Points<T> points_;
    const Index *parts_, *unions_;
    const Index finest_, clusters_;        // of the finest cut, and in all without the last, which holds everything
    std::vector<double> sizes_, centres_;  // d rows of centres
    std::vector<Index> alive_, starts_;    // clusters of the cuts, finest first, and where they end
    std::vector<Index> own_;               // by cut, for each finest cluster
};

}  // namespace chamfer
