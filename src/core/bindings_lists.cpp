// The door between Python and the lists engine with its searches.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "bindings.hpp"
#include "blocks.hpp"
#include "lists.hpp"
#include "tree.hpp"

namespace chamfer {

namespace {

template <class T>
Answers<T> answers_of(Array<Id, 2>& clusters, Array<T, 2>& distances, Array<T, 1>& bounds) {
    return {clusters.data(), distances.data(), bounds.data(), static_cast<Index>(clusters.shape(1))};
}

// Adds `clusters(queries, labels, ...)`, which every search has.
template <class Search, class T, class F, class Class>
void bind_clusters(Class& c) {
    c.def(
        "clusters",
        [](Search& self, Array<const Id, 1> queries, Array<const Id, 1> labels, Array<Id, 2> clusters,
           Array<T, 2> distances, Array<T, 1> bounds, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            self.clusters(queries.data(), static_cast<Index>(queries.size()), labels.data(), answers, threads, tick);
        },
        "queries"_a.noconvert(), "labels"_a.noconvert(), "clusters"_a.noconvert(), "distances"_a.noconvert(),
        "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(), "The k nearest clusters of some points.");
    c.def(
        "clusters",
        [](const Search& self, Array<const T, 2> rows, Array<const F, 2> coordinates, Array<const Id, 1> homes,
           Array<const Id, 1> labels, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads,
           nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            const Visitors<T, F> visitors{rows.data(), coordinates.data(), homes.data(),
                                          static_cast<Index>(homes.size())};
            nb::gil_scoped_release unlocked;
            self.clusters(visitors, labels.data(), answers, threads, tick);
        },
        "rows"_a.noconvert(), "coordinates"_a.noconvert(), "homes"_a.noconvert(), "labels"_a.noconvert(),
        "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "The same for points from elsewhere, going on from what the answers hold.");
}

template <class T, class F>
void bind_block_search(nb::module_& m, const char* name) {
    using Search = BlockSearch<T, F>;
    nb::class_<Search> c(m, name, "Nearest clusters by filtered matrix multiplication.");
    c.def(
        "__init__",
        [](Search* self, Array<const T, 2> X, const std::string& metric, Array<const F, 2> coordinates,
           Array<const Id, 1> order, const Blas& blas) {
            new (self) Search(points_of<T>(X), metric_of(metric), coordinates.data(),
                              static_cast<Index>(coordinates.shape(1)), order.data(), blas);
        },
        "X"_a.noconvert(), "metric"_a, "coordinates"_a.noconvert(), "order"_a.noconvert(), "blas"_a,
        nb::keep_alive<1, 2>());
    c.def(
        "all_points",
        [](Search& self, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads,
           nb::object callback, Index pairs_at_once) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            self.all_points(answers, threads, tick, pairs_at_once);
        },
        "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "pairs_at_once"_a = Search::kPairs, "The k nearest other points of every point.");
    c.def_prop_ro("pairs", [](const Search& self) { return self.count().pairs; });
    c.def_prop_ro("computed", [](const Search& self) { return self.count().computed; });
    bind_clusters<Search, T, F>(c);
}

template <class T>
void bind_tree_search(nb::module_& m, const char* name) {
    using Search = TreeSearch<T>;
    nb::class_<Search> c(m, name, "Nearest clusters by a k-d tree.");
    c.def(
        "__init__",
        [](Search* self, Array<const T, 2> X, const std::string& metric, Array<const double, 2> coordinates, bool own) {
            nb::gil_scoped_release unlocked;
            new (self) Search(points_of<T>(X), metric_of(metric), coordinates.data(),
                              static_cast<Index>(coordinates.shape(1)), own);
        },
        "X"_a.noconvert(), "metric"_a, "coordinates"_a.noconvert(), "own"_a, nb::keep_alive<1, 2>());
    bind_clusters<Search, T, double>(c);
}

template <class F>
void bind_near_order(nb::module_& m) {
    m.def(
        "near_order",
        [](Array<const F, 2> coordinates, Index leaf) {
            std::vector<Id> order;
            {
                nb::gil_scoped_release unlocked;
                order = KdTree<F>(coordinates.data(), static_cast<Index>(coordinates.shape(0)),
                                  static_cast<Index>(coordinates.shape(1)), leaf)
                            .order();
            }
            const std::size_t n = order.size();
            return to_numpy(std::move(order), {n});
        },
        "coordinates"_a.noconvert(), "leaf"_a, "An order of the points in which neighbours are close together.");
}

template <class T>
void bind_select(nb::module_& m) {
    m.def(
        "select_clusters",
        [](Array<const T, 2> rows, Array<const Id, 1> queries, Array<const Id, 1> labels, Array<Id, 2> clusters,
           Array<T, 2> distances, Array<T, 1> bounds, int threads) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            select_clusters(rows.data(), static_cast<Index>(rows.shape(1)), queries.data(),
                            static_cast<Index>(queries.size()), labels.data(), answers, threads);
        },
        "rows"_a.noconvert(), "queries"_a.noconvert(), "labels"_a.noconvert(), "clusters"_a.noconvert(),
        "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a,
        "The k nearest clusters from rows of distances to all points, one a query.");
    m.def(
        "combine",
        [](Array<const Id, 2> found, Array<const T, 2> at, Array<Id, 2> clusters, Array<T, 2> distances,
           Array<T, 1> bounds) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            combine(found.data(), at.data(), static_cast<Index>(found.shape(1)), static_cast<Index>(found.shape(0)),
                    answers);
        },
        "found"_a.noconvert(), "at"_a.noconvert(), "clusters"_a.noconvert(), "distances"_a.noconvert(),
        "bounds"_a.noconvert(), "Adds what another search has found to the answers.");
    m.def(
        "select_neighbours",
        [](Array<const T, 2> X, const std::string& metric, Array<const Id, 1> queries, Array<const Id, 2> neighbours,
           Array<const Id, 1> labels, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads) {
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            const Metric kind = metric_of(metric);
            nb::gil_scoped_release unlocked;
            select_neighbours(points_of<T>(X), kind, queries.data(), static_cast<Index>(queries.size()),
                              neighbours.data(), static_cast<Index>(neighbours.shape(1)), labels.data(), answers,
                              threads);
        },
        "X"_a.noconvert(), "metric"_a, "queries"_a.noconvert(), "neighbours"_a.noconvert(), "labels"_a.noconvert(),
        "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a,
        "The k nearest clusters from the points that each query was told of, -1 for none.");
}

template <class T>
void bind_engine(nb::module_& m, const char* name) {
    using L = Lists<T>;
    nb::class_<L>(m, name, "Exact Chamfer linkage by certified lists of nearest clusters.")
        .def(
            "__init__",
            [](L* self, Index n, bool normalized, bool capped, Index k, Index batch, Index near, double epsilon,
               int threads, std::optional<Array<const T, 2>> points, const std::string& metric) {
                std::optional<Direct<T>> direct;
                if (points) direct = Direct<T>{points_of<T>(*points), metric_of(metric)};
                new (self) L(n, {normalized, capped, k, batch, near, epsilon, threads}, direct);
            },
            "n"_a, "normalized"_a, "capped"_a, "k"_a, "batch"_a, "near"_a, "epsilon"_a, "threads"_a,
            "points"_a.noconvert().none(), "metric"_a, nb::keep_alive<1, 10>())
        .def(
            "refresh",
            [](L& self, Array<const Id, 1> points, Array<const Id, 2> clusters, Array<const T, 2> distances,
               Array<const T, 1> bounds) {
                nb::gil_scoped_release unlocked;
                self.refresh(points.data(), static_cast<Index>(points.size()), static_cast<Index>(clusters.shape(1)),
                             clusters.data(), distances.data(), bounds.data());
            },
            "points"_a.noconvert(), "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert())
        .def(
            "advance",
            [](L& self, nb::object callback) {
                Request request;
                {
                    const Tick tick = python_tick(callback);
                    nb::gil_scoped_release unlocked;
                    request = self.advance(tick);
                }
                const std::size_t count = request.points.size();
                return std::pair(to_numpy(std::move(request.points), {count}), request.k);
            },
            "tick"_a = nb::none(), "Merges until lists are needed; their points and how many clusters each.")
        .def("labels",
             [](const L& self, Index n) {
                 std::vector<Id> labels(n);
                 for (Index p = 0; p < n; ++p) labels[p] = self.cluster(static_cast<Id>(p));
                 return to_numpy(std::move(labels), {static_cast<std::size_t>(n)});
             })
        .def_prop_ro("active", &L::active)
        .def("tree", [](const L& self) {
            std::vector<double> Z(4 * self.merges().size());
            write_tree(self.merges(), Z.data());
            return to_numpy(std::move(Z), {self.merges().size(), 4});
        });
}

}  // namespace

void bind_lists(nb::module_& m) {
    bind_block_search<float, float>(m, "BlockSearch32");
    bind_block_search<float, double>(m, "BlockSearch32Double");
    bind_block_search<double, float>(m, "BlockSearch64");
    bind_block_search<double, double>(m, "BlockSearch64Double");
    bind_tree_search<float>(m, "TreeSearch32");
    bind_tree_search<double>(m, "TreeSearch64");
    bind_near_order<float>(m);
    bind_near_order<double>(m);
    bind_select<float>(m);
    bind_select<double>(m);
    bind_engine<float>(m, "Lists32");
    bind_engine<double>(m, "Lists64");
}

}  // namespace chamfer
