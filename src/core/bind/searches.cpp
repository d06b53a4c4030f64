// The searches that sources are made of, and what selects nearest clusters from distances.
#include "../engine/tree_spanning.hpp"
#include "../search/products.hpp"
#include "../search/tree_search.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

// Adds `nearest`, and `visit` for points that another search holds.
template <class Search, class T, class F, class Class>
void bind_queries(Class& c) {
    bind_nearest<Search, T>(c);
    c.def(
        "visit",
        [](const Search& self, Array<const T, 2> rows, Array<const F, 2> coordinates, Array<const Id, 1> homes,
           Array<const Id, 1> labels, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads,
           nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            const Visitors<T, F> visitors{rows.data(), coordinates.data(), homes.data(),
                                          static_cast<Index>(homes.size())};
            nb::gil_scoped_release unlocked;
            self.visit(visitors, labels.data(), answers, threads, tick);
        },
        "rows"_a.noconvert(), "coordinates"_a.noconvert(), "homes"_a.noconvert(), "labels"_a.noconvert(), nb::kw_only(),
        "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "The same for points from elsewhere, going on from what the answers hold.");
}

template <class T, class F>
void bind_product_search(nb::module_& m, const char* name) {
    using Search = ProductSearch<T, F>;
    nb::class_<Search> c(m, name, "Nearest clusters by filtered matrix multiplication.");
    m.def(
        "product_search",
        [](Array<const T, 2> X, const std::string& metric, Array<const F, 2> coordinates, Array<const Id, 1> order,
           const Blas& blas) {
            return Search(distances_of<T>(X, metric), coordinates.data(), static_cast<Index>(coordinates.shape(1)),
                          order.data(), blas);
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "coordinates"_a.noconvert(), "order"_a.noconvert(), "blas"_a,
        nb::keep_alive<0, 1>(), "A search by filtered matrix multiplication; coordinates in the given order.");
    c.def(
        "all_points",
        [](Search& self, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads,
           nb::object callback, Index pairs_at_once) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            self.all_points(answers, threads, tick, pairs_at_once);
        },
        nb::kw_only(), "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a,
        "tick"_a = nb::none(), "pairs_at_once"_a = Search::kPairs, "The k nearest other points of every point.");
    c.def_prop_ro("pairs", [](const Search& self) { return self.count().pairs; });
    c.def_prop_ro("computed", [](const Search& self) { return self.count().computed; });
    bind_queries<Search, T, F>(c);
}

template <class T>
void bind_tree_search(nb::module_& m, const char* name) {
    using Search = TreeSearch<T>;
    nb::class_<Search> c(m, name, "Nearest clusters by a k-d tree.");
    m.def(
        "tree_search",
        [](Array<const T, 2> X, const std::string& metric, Array<const double, 2> coordinates, bool own, int threads) {
            const Distances<T> distances = distances_of<T>(X, metric);
            const Tick tick = python_tick(nb::none());
            nb::gil_scoped_release unlocked;
            return Search(distances, coordinates.data(), static_cast<Index>(coordinates.shape(1)), own, threads, tick);
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "coordinates"_a.noconvert(), "own"_a, "threads"_a,
        nb::keep_alive<0, 1>(), "A search by a k-d tree over coordinates; `own`: they are the points' own.");
    bind_queries<Search, T, double>(c);
    c.def(
        "spanning_tree",
        [](const Search& self, Index k, int threads, nb::object callback) {
            return run(callback, [&](const Tick& tick) { return TreeForest<T>(self, k, threads).run(tick); });
        },
        nb::kw_only(), "k"_a, "threads"_a, "tick"_a = nb::none(),
        "Z of single linkage, from lists of the k nearest points.");
}

template <class F>
void bind_near_order(nb::module_& m) {
    m.def(
        "near_order",
        [](Array<const F, 2> coordinates, Index leaf) {
            std::vector<Id> order;
            {
                const Tick tick = python_tick(nb::none());
                nb::gil_scoped_release unlocked;
                order = KdTree<F>(coordinates.data(), static_cast<Index>(coordinates.shape(0)),
                                  static_cast<Index>(coordinates.shape(1)), leaf, 1, tick)
                            .order();
            }
            const std::size_t n = order.size();
            return to_numpy(std::move(order), {n});
        },
        "coordinates"_a.noconvert(), nb::kw_only(), "leaf"_a,
        "An order of the points in which neighbours are close together.");
}

template <class T>
void bind_select(nb::module_& m) {
    m.def(
        "nearest_of_rows",
        [](Array<const T, 2> rows, Array<const Id, 1> queries, Array<const Id, 1> labels, Array<Id, 2> clusters,
           Array<T, 2> distances, Array<T, 1> bounds, int threads) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            select_clusters(rows.data(), static_cast<Index>(rows.shape(1)), queries.data(),
                            static_cast<Index>(queries.size()), labels.data(), answers, threads);
        },
        "rows"_a.noconvert(), nb::kw_only(), "queries"_a.noconvert(), "labels"_a.noconvert(), "clusters"_a.noconvert(),
        "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a,
        "The k nearest clusters from rows of distances to all points, one a query.");
    m.def(
        "combine_answers",
        [](Array<const Id, 2> found, Array<const T, 2> at, Array<Id, 2> clusters, Array<T, 2> distances,
           Array<T, 1> bounds) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            combine(found.data(), at.data(), static_cast<Index>(found.shape(1)), static_cast<Index>(found.shape(0)),
                    answers);
        },
        "found"_a.noconvert(), "at"_a.noconvert(), nb::kw_only(), "clusters"_a.noconvert(), "distances"_a.noconvert(),
        "bounds"_a.noconvert(), "Adds what another search has found to the answers.");
    m.def(
        "nearest_of_nominated",
        [](Array<const T, 2> X, const std::string& metric, Array<const Id, 1> queries, Array<const Id, 2> neighbours,
           Array<const Id, 1> labels, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            const Distances<T> exact = distances_of<T>(X, metric);
            nb::gil_scoped_release unlocked;
            select_neighbours(exact, queries.data(), static_cast<Index>(queries.size()), neighbours.data(),
                              static_cast<Index>(neighbours.shape(1)), labels.data(), answers, threads);
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "queries"_a.noconvert(), "neighbours"_a.noconvert(),
        "labels"_a.noconvert(), "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(),
        "threads"_a, "The k nearest clusters from the points that each query was told of, -1 for none.");
}

}  // namespace

void bind_searches(nb::module_& m) {
    bind_product_search<float, float>(m, "ProductSearch32");
    bind_product_search<float, double>(m, "ProductSearch32Double");
    bind_product_search<double, float>(m, "ProductSearch64");
    bind_product_search<double, double>(m, "ProductSearch64Double");
    bind_tree_search<float>(m, "TreeSearch32");
    bind_tree_search<double>(m, "TreeSearch64");
    bind_near_order<float>(m);
    bind_near_order<double>(m);
    bind_select<float>(m);
    bind_select<double>(m);
}

}  // namespace chamfer
