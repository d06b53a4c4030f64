// Nearest clusters by a k-d tree, exactly: for points whose distances are carried by few coordinates.
//
// The tree stands over coordinates whose distance never exceeds the true one (the points' own, or those of the
// filter), so a box beyond the reach of a query is skipped whole. Before a search every node learns whether all its
// points are in one cluster: then it is skipped if that is the query's own, or one that the query has already found at
// least as near.
#pragma once

#include "filter.hpp"
#include "kdtree.hpp"
#include "top_k.hpp"

namespace chamfer {

template <class T>
class TreeSearch {
   public:
    // `own`: the coordinates are the points' own, all of them.
    TreeSearch(Distances<T> distances, const double* coordinates, Index m, bool own)
        : distances_(distances),
          m_(m),
          own_(own),
          slack_(m, distances.points.d, own),
          tree_(coordinates, n(), m, kLeaf),
          sorted_(n() * m),
          place_(n()) {
        for (Index i = 0; i < n(); ++i) {
            const Id p = tree_.order()[i];
            place_[p] = static_cast<Id>(i);
            std::copy_n(coordinates + p * m, m, sorted_.data() + i * m);
        }
    }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void nearest(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads, const Tick& tick) {
        const Clusters clusters(*this, labels);
        std::vector<Index> sorted(count);
        std::iota(sorted.begin(), sorted.end(), Index{0});
        std::sort(sorted.begin(), sorted.end(),
                  [&](Index a, Index b) { return place_[queries[a]] < place_[queries[b]]; });
        parallel_queries(count, threads, tick, [&](Index i) {
            Nearest<T> nearest = answers.row(sorted[i]);
            find(query(queries[sorted[i]], clusters), clusters, nearest);
            answers.bounds[sorted[i]] = nearest.finish();
        });
    }

    // The same for visitors, going on from what the answers hold; the coordinates are the points' own.
    void visit(Visitors<T, double> visitors, const Id* labels, Answers<T> answers, int threads,
               const Tick& tick) const {
        const Clusters clusters(*this, labels);
        parallel_queries(visitors.count, threads, tick, [&](Index i) {
            Nearest<T> nearest = answers.resumed(i);
            find({visitors.rows + i * distances_.points.d, visitors.coordinates + i * m_, visitors.homes[i]}, clusters,
                 nearest);
            answers.bounds[i] = nearest.finish();
        });
    }

    // Calls near(i, p) for points p with another label than query i that may be within the squared distance reach(i),
    // which may shrink meanwhile.
    template <class Reach, class Near>
    void each_near(const std::vector<Id>& queries, const std::vector<Id>& labels, int threads, const Tick& tick,
                   Reach&& reach, Near&& near) const {
        const Clusters clusters(*this, labels.data());
        parallel_queries(static_cast<Index>(queries.size()), threads, tick, [&](Index i) {
            const Query here = query(queries[i], clusters);
            const double slack = slack_.at(here.coordinates);
            descend(
                here, clusters, [&] { return slack_.widen(reach(i), slack); }, [](Id) { return kFar<double>; },
                [&](Id place, double) { near(i, tree_.order()[place]); });
        });
    }

   private:
    static constexpr Index kLeaf = 12;
    static constexpr Id kMixed = -1;

    // Labels by place, and of nodes whose points have the same one.
    struct Clusters {
        std::vector<Id> label, only;
        Clusters(const TreeSearch& search, const Id* labels) : label(search.n()) {
            for (Index i = 0; i < search.n(); ++i) label[i] = labels[search.tree_.order()[i]];
            only = search.tree_.gather(
                [&](Id begin, Id end) {
                    const bool same =
                        std::all_of(&label[begin], &label[0] + end, [&](Id x) { return x == label[begin]; });
                    return same ? label[begin] : kMixed;
                },
                [](Id left, Id right) { return left == right ? left : kMixed; });
        }
    };

    // A point that looks for others.
    struct Query {
        const T* point;
        const double* coordinates;
        Id home;
    };

    Index n() const { return distances_.points.n; }

    Query query(Id p, const Clusters& clusters) const {
        return {distances_.points.row(p), sorted_.data() + place_[p] * m_, clusters.label[place_[p]]};
    }

    void find(const Query& query, const Clusters& clusters, Nearest<T>& nearest) const {
        const double slack = slack_.at(query.coordinates);
        const auto limit = [&](T reach) { return slack_.widen(squared_reach(distances_.metric, reach), slack); };
        descend(
            query, clusters, [&] { return limit(nearest.reach()); },
            [&](Id label) { return limit(nearest.distance_to(label)); },
            [&](Id place, double squared) {
                if (!own_)
                    squared =
                        squared_distance(query.point, distances_.points.row(tree_.order()[place]), distances_.points.d);
                nearest.offer(clusters.label[place], static_cast<T>(from_squared(distances_.metric, squared)));
            });
    }

    // Calls found(place, squared) for places outside the query's own cluster that are within reach() and, in nodes of
    // one cluster, within known(label). All are squared distances of coordinates.
    template <class Reach, class Known, class Found>
    void descend(const Query& query, const Clusters& clusters, Reach&& reach, Known&& known, Found&& found) const {
        tree_.descend(
            query.coordinates,
            [&](Id node, double squared) {
                const Id label = clusters.only[node];
                return label == query.home || squared > reach() || (label != kMixed && squared > known(label));
            },
            [&](Id place) {
                if (clusters.label[place] == query.home) return;
                const double squared = squared_distance(query.coordinates, sorted_.data() + place * m_, m_);
                if (squared <= reach()) found(place, squared);
            });
    }

    Distances<T> distances_;
    Index m_;
    bool own_;
    TreeSlack slack_;
    KdTree<double> tree_;
    std::vector<double> sorted_;  // coordinates in the tree's order
    std::vector<Id> place_;
};

}  // namespace chamfer
