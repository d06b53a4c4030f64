// The builder of neighbour graphs.
#include "../search/graph.hpp"

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

template <class F>
void bind_builder(nb::module_& m, const char* name) {
    using Builder = GraphBuilder<F>;
    nb::class_<Builder> c(m, name, "Approximate nearest neighbours of all points.");
    bind_finish<F, float>(c);
    bind_finish<F, double>(c);
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
            "join_neighbours",
            [](Builder& self, Index most, int threads, nb::object callback) {
                const Tick tick = python_tick(callback);
                nb::gil_scoped_release unlocked;
                self.join_neighbours(most, threads, tick);
            },
            nb::kw_only(), "most"_a, "threads"_a, "tick"_a = nb::none(),
            "Joins each point, its nearest, and the nearest of those that list it.")
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
    bind_hashes<float>(m);
    bind_hashes<double>(m);
}

}  // namespace chamfer
