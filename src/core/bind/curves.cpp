// What a number of clusters is chosen by, and the merges at which points come together.
#include "../tree/curves.hpp"

#include "../distance/triangle.hpp"
#include "../tree/condense.hpp"
#include "../tree/turns.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class T>
void bind_points(nb::module_& m) {
    m.def(
        "scatter_gains",
        [](TreeArray Z, Array<const T, 2> X, nb::object tick) {
            const Tree tree = tree_from(Z);
            std::vector<double> gains;
            {
                const Tick ticking = python_tick(tick);
                nb::gil_scoped_release unlocked;
                const LeafOrder leaves(tree);
                gains = Scatter<T>(tree, leaves, points_of<T>(X)).run(ticking);
            }
            return to_numpy(std::move(gains), {Z.shape(0)});
        },
        "Z"_a, "X"_a, nb::kw_only(), "tick"_a = nb::none(),
        "By how much each merge raises the sum of squared distances to cluster means.");
    m.def(
        "silhouettes",
        [](Array<const T, 2> X, Array<const Index, 1> parts, Array<const Index, 2> unions, int threads,
           nb::object tick) {
            const Index finest = static_cast<Index>(unions.shape(0)) + 1;
            std::vector<double> means;
            {
                const Tick ticking = python_tick(tick);
                nb::gil_scoped_release unlocked;
                means = Silhouettes<T>(points_of<T>(X), parts.data(), unions.data(), finest).run(threads, ticking);
            }
            const std::size_t cuts = means.size();
            return to_numpy(std::move(means), {cuts});
        },
        "X"_a, nb::kw_only(), "parts"_a, "unions"_a, "threads"_a, "tick"_a = nb::none(),
        "Simplified silhouettes of 2, 3, … clusters, see tree/curves.hpp.");
}

// Turns the branches of a tree by `distance(p, q)`.
template <class Distance>
nb::ndarray<nb::numpy, std::int8_t> turn(const TreeArray& Z, Distance distance, int sweeps, nb::object tick) {
    const Tree tree = tree_from(Z);
    std::vector<std::int8_t> left;
    {
        const Tick ticking = python_tick(tick);
        nb::gil_scoped_release unlocked;
        left = Turns<Distance>(tree, std::move(distance)).run(sweeps, ticking);
    }
    return to_numpy(std::move(left), {Z.shape(0)});
}

template <class T>
void bind_turns(nb::module_& m) {
    m.def(
        "turns",
        [](TreeArray Z, Array<const T, 2> X, const std::string& metric, int sweeps, nb::object tick) {
            return turn(Z, distances_of<T>(X, metric), sweeps, tick);
        },
        "Z"_a, "X"_a, nb::kw_only(), "metric"_a, "sweeps"_a, "tick"_a = nb::none(),
        "For every merge, which of its clusters comes first where adjacent leaves are close.");
    m.def(
        "condensed_turns",
        [](TreeArray Z, Array<const T, 1> values, int sweeps, nb::object tick) {
            return turn(Z, Triangle<const T>{values.data(), tree_from(Z).n, true}, sweeps, tick);
        },
        "Z"_a, "values"_a, nb::kw_only(), "sweeps"_a, "tick"_a = nb::none());
}

}  // namespace

void bind_curves(nb::module_& m) {
    bind_points<float>(m);
    bind_points<double>(m);
    bind_turns<float>(m);
    bind_turns<double>(m);
    m.def(
        "edge_counts",
        [](TreeArray Z, Array<const Index, 1> start, Array<const Id, 1> neighbours) {
            const Tree tree = tree_from(Z);
            EdgeCounts counts;
            {
                nb::gil_scoped_release unlocked;
                counts = count_edges(tree, LeafOrder(tree), {start.data(), neighbours.data()});
            }
            const std::size_t merges = Z.shape(0), clusters = 2 * merges + 1;
            return nb::make_tuple(to_numpy(std::move(counts.joined), {merges}),
                                  to_numpy(std::move(counts.inside), {clusters}),
                                  to_numpy(std::move(counts.ends), {clusters}));
        },
        "Z"_a, nb::kw_only(), "start"_a, "neighbours"_a,
        "Edges that each merge brings together; edges inside every cluster, and ends of edges in it.");
    m.def(
        "common_merges",
        [](TreeArray Z, Array<const Index, 1> first, Array<const Index, 1> second) {
            const Tree tree = tree_from(Z);
            std::vector<Index> merges(first.size());
            {
                nb::gil_scoped_release unlocked;
                const CommonMerges common(tree, LeafOrder(tree));
                for (std::size_t i = 0; i < merges.size(); ++i)
                    merges[i] = first(i) == second(i) ? kNone : common(first(i), second(i));
            }
            return to_numpy(std::move(merges), {first.size()});
        },
        "Z"_a, nb::kw_only(), "first"_a, "second"_a,
        "The merge at which each pair of points comes together; -1 for a point and itself.");
    m.def(
        "condense",
        [](TreeArray Z, Index min_size) {
            Condensed made = condense(tree_from(Z), min_size);
            const std::size_t clusters = made.parent.size(), points = made.left.size();
            return nb::make_tuple(
                to_numpy(std::move(made.parent), {clusters}), to_numpy(std::move(made.split), {clusters - 1}),
                to_numpy(std::move(made.cluster_of), {points}), to_numpy(std::move(made.left), {points}));
        },
        "Z"_a, nb::kw_only(), "min_size"_a,
        "Parents of the clusters of the condensed tree, the merges that are split for them; for every point the "
        "cluster that it leaves and the merge at which it does.");
    m.def(
        "leaf_places",
        [](TreeArray Z) {
            LeafOrder order(tree_from(Z));
            const std::size_t clusters = order.first.size();
            return nb::make_tuple(to_numpy(std::move(order.first), {clusters}),
                                  to_numpy(std::move(order.size), {clusters}));
        },
        "Z"_a, "Where the points of each cluster begin in the order of leaves, and how many they are.");
}

}  // namespace chamfer
