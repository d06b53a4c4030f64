// The builder of neighbour graphs.
#include "../search/graph.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "../search/hashes.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class F, class T, class Class>
void bind_finish(Class& c) {
    c.def(
        "finish",
        [](const GraphBuilder<F>& self, Array<const T, 2> X, const std::string& metric, Array<const Id, 1> order,
           Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            const Distances<T> exact = distances_of<T>(X, metric);
            nb::gil_scoped_release unlocked;
            self.finish(exact, order.data(), answers, threads, tick);
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "order"_a.noconvert(), "clusters"_a.noconvert(),
        "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "The nearest of each list by their true distances, nearest first.");
}

// What a cluster needs: the same steps for points of which some are here and some are not.
template <class F, class Class>
void bind_parts(Class& c) {
    using Builder = GraphBuilder<F>;
    c.def(
         "carve_groups",
         [](Builder& self, Array<const Id, 1> points, Array<const Index, 1> starts, Array<const std::uint64_t, 1> seeds,
            Array<const int, 1> depths, Index leaf, Index fanout, int threads) {
             const CarvedGroups groups{{points.data(), points.data() + points.size()},
                                       {starts.data(), starts.data() + starts.size()},
                                       {seeds.data(), seeds.data() + seeds.size()},
                                       {depths.data(), depths.data() + depths.size()}};
             nb::gil_scoped_release unlocked;
             self.carve_groups(groups, {leaf, fanout, 0}, threads, [](Index) {});
         },
         "points"_a.noconvert(), nb::kw_only(), "starts"_a.noconvert(), "seeds"_a.noconvert(), "depths"_a.noconvert(),
         "leaf"_a, "fanout"_a, "threads"_a, "Joins the leaves of groups that the points were split into.")
        .def(
            "limit", [](Builder& self, Array<const F, 1> reach) { self.limit(reach.data()); }, "reach"_a.noconvert(),
            "No list takes what is farther than this from now on.")
        .def(
            "reach",
            [](const Builder& self, Array<const Id, 1> points) {
                std::vector<F> reach(points.size());
                for (std::size_t i = 0; i < reach.size(); ++i) reach[i] = self.reach(points.data()[i]);
                return to_numpy(std::move(reach), {points.size()});
            },
            "points"_a.noconvert(), "How far the lists of some points reach.")
        .def(
            "add",
            [](Builder& self, Array<const Id, 1> points, Array<const Id, 2> found, Array<const F, 2> values,
               int threads) {
                nb::gil_scoped_release unlocked;
                self.add(points.data(), static_cast<Index>(points.size()), found.data(), values.data(),
                         static_cast<Index>(found.shape(1)), threads);
            },
            "points"_a.noconvert(), "found"_a.noconvert(), "values"_a.noconvert(), nb::kw_only(), "threads"_a,
            "Adds what was found elsewhere for some points, -1 behind it.")
        .def(
            "values",
            [](const Builder& self) {
                return nb::ndarray<nb::numpy, const F>(
                    self.values().data(),
                    {self.values().size() / self.length(), static_cast<std::size_t>(self.length())}, nb::find(self));
            },
            nb::rv_policy::reference_internal, "Half the squared distances of the points on each list.");
}

// Which leaders split points into groups, and who joins whose.
template <class F>
void bind_leaders(nb::module_& m) {
    m.def(
        "nearest_leaders",
        [](Array<const F, 2> rows, Array<const F, 2> leaders, Index fanout, const Blas& blas, int threads) {
            const Index n = static_cast<Index>(rows.shape(0)), d = static_cast<Index>(rows.shape(1));
            std::vector<Id> joined(n * fanout);
            {
                nb::gil_scoped_release unlocked;
                const Leaders<F> nearest({leaders.data(), static_cast<Index>(leaders.shape(0)), d}, blas, fanout);
                std::vector<LeaderScratch<F>> scratch(threads);
                in_parts(
                    n, kPanel, threads, [](Index) {},
                    [&](Index begin, Index end, int thread) {
                        nearest.assign([&](Index i) { return rows.data() + (begin + i) * d; }, end - begin,
                                       joined.data() + begin * fanout, scratch[thread]);
                    });
            }
            return to_numpy(std::move(joined), {static_cast<std::size_t>(n), static_cast<std::size_t>(fanout)});
        },
        "rows"_a.noconvert(), "leaders"_a.noconvert(), nb::kw_only(), "fanout"_a, "blas"_a, "threads"_a,
        "The nearest leaders of each row, nearest first; of equally near ones the first.");
}

template <class F>
void bind_builder(nb::module_& m, const char* name) {
    using Builder = GraphBuilder<F>;
    nb::class_<Builder> c(m, name, "Approximate nearest neighbours of all points.");
    bind_finish<F, float>(c);
    bind_finish<F, double>(c);
    bind_parts<F>(c);
    c.def(
         "carve",
         [](Builder& self, Index leaf, Index fanout, std::uint64_t seed, int threads, nb::object callback) {
             const Tick tick = python_tick(callback);
             nb::gil_scoped_release unlocked;
             self.carve({leaf, fanout, seed}, threads, tick);
         },
         nb::kw_only(), "leaf"_a, "fanout"_a, "seed"_a, "threads"_a, "tick"_a = nb::none(),
         "Joins the leaves of a random partition into balls that overlap.")
        .def(
            "lists",
            [](const Builder& self) {
                const std::vector<Id>& points = self.points();
                return nb::ndarray<nb::numpy, const Id>(
                    points.data(), {points.size() / self.length(), static_cast<std::size_t>(self.length())},
                    nb::find(self));
            },
            nb::rv_policy::reference_internal, "The points on each list, in no order; -1 where there are fewer.")
        .def_prop_ro("pairs", &Builder::pairs);
    m.def(
        "graph_builder",
        [](Array<const F, 2> coordinates, Index length, const Blas& blas) {
            return std::make_unique<Builder>(coordinates.data(), static_cast<Index>(coordinates.shape(0)),
                                             static_cast<Index>(coordinates.shape(1)), length, blas);
        },
        "coordinates"_a.noconvert(), nb::kw_only(), "length"_a, "blas"_a, nb::keep_alive<0, 1>(),
        "A builder of neighbour lists of the given length, by products of coordinates.");
}

template <class T>
void bind_hashes(nb::module_& m) {
    m.def(
        "row_hashes",
        [](Array<const T, 2> X, int threads) {
            std::vector<std::uint64_t> hashes(X.shape(0));
            {
                nb::gil_scoped_release unlocked;
                hash_rows(X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1)), hashes.data(),
                          threads);
            }
            return to_numpy(std::move(hashes), {X.shape(0)});
        },
        "X"_a.noconvert(), nb::kw_only(), "threads"_a, "A number for each row that equal rows share.");
}

}  // namespace

void bind_graph(nb::module_& m) {
    bind_builder<float>(m, "GraphBuilder32");
    bind_builder<double>(m, "GraphBuilder64");
    bind_leaders<float>(m);
    bind_leaders<double>(m);
    m.attr("CARVE_DEPTH") = Carving::kDepth;
    m.def(
        "draw_leaders",
        [](Index count, Index leaf, Index fanout, std::uint64_t seed) {
            const Index wanted = Carving{leaf, fanout, seed}.leaders(count, fanout);
            std::vector<std::uint64_t> seeds(wanted);
            for (Index i = 0; i < wanted; ++i) seeds[i] = group_seed(seed, i);
            const auto size = static_cast<std::size_t>(wanted);
            return std::pair(to_numpy(draw(count, wanted, seed), {size}), to_numpy(std::move(seeds), {size}));
        },
        nb::kw_only(), "count"_a, "leaf"_a, "fanout"_a, "seed"_a,
        "Which of `count` points lead a split into groups, and the seeds of these.");
    bind_hashes<float>(m);
    bind_hashes<double>(m);
}

}  // namespace chamfer
