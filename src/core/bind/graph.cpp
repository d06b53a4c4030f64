// The builder of neighbour graphs.
#include "../search/graph.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "bind.hpp"

namespace chamfer {
namespace {

template <class F>
void bind_builder(nb::module_& m, const char* name) {
    using Builder = GraphBuilder<F>;
    nb::class_<Builder>(m, name, "Approximate nearest neighbours of all points.")
        .def(
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
                return nb::ndarray<nb::numpy, const Id>(points.data(), {points.size() / self.length(), static_cast<std::size_t>(self.length())}, nb::find(self));
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

}  // namespace

void bind_graph(nb::module_& m) {
    bind_builder<float>(m, "GraphBuilder32");
    bind_builder<double>(m, "GraphBuilder64");
}

}  // namespace chamfer
