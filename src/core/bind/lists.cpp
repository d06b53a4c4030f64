// The lists engine.
#include "../engine/lists.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"

namespace chamfer {
namespace {

void bind_options(nb::module_& m) {
    nb::class_<ListsOptions>(m, "ListsOptions", "How the lists engine merges: see engine/lists.hpp.")
        .def(
            "__init__",
            [](ListsOptions* self, bool normalized, bool capped, Index k, Index batch, Index near, Index pairs,
               double epsilon,
               int threads) { new (self) ListsOptions{normalized, capped, k, batch, near, pairs, epsilon, threads}; },
            nb::kw_only(), "normalized"_a, "capped"_a, "k"_a, "batch"_a, "near"_a, "pairs"_a, "epsilon"_a, "threads"_a);
}

template <class T, bool weighted>
void bind_engine(nb::module_& m, const char* name) {
    using L = Lists<T, weighted>;
    nb::class_<L>(m, name, "Exact Chamfer linkage by certified lists of nearest clusters.")
        .def(
            "__init__",
            [](L* self, Index n, const ListsOptions& options, std::optional<Array<const T, 2>> X,
               const std::string& metric, Array<const Id, 1> numbers, const WeightsArray& weights) {
                std::optional<Distances<T>> direct;
                if (X) direct = distances_of<T>(*X, metric);
                if (static_cast<Index>(numbers.size()) != n) throw std::invalid_argument("numbers: one for each point");
                if (weighted != weights.has_value() || (weights && static_cast<Index>(weights->size()) != n))
                    throw std::invalid_argument("weights: one for each point, or none");
                new (self)
                    L(n, options, direct, std::vector<Id>(numbers.data(), numbers.data() + n), weights_of(weights));
            },
            "n"_a, nb::kw_only(), "options"_a, "X"_a.noconvert().none(), "metric"_a, "numbers"_a.noconvert(),
            "weights"_a = nb::none(), nb::keep_alive<1, 4>())
        .def(
            "start",
            [](L& self, Array<Id, 2> clusters, Array<T, 2> distances, Array<const T, 1> bounds) {
                nb::gil_scoped_release unlocked;
                self.start(static_cast<Index>(clusters.shape(1)), clusters.data(), distances.data(), bounds.data());
            },
            nb::kw_only(), "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            "First lists of all points. The engine keeps the first two arrays and writes into them.")
        .def(
            "refresh",
            [](L& self, Array<const Id, 1> points, Array<const Id, 2> clusters, Array<const T, 2> distances,
               Array<const T, 1> bounds) {
                nb::gil_scoped_release unlocked;
                self.refresh(points.data(), static_cast<Index>(points.size()), static_cast<Index>(clusters.shape(1)),
                             clusters.data(), distances.data(), bounds.data());
            },
            "points"_a.noconvert(), nb::kw_only(), "clusters"_a.noconvert(), "distances"_a.noconvert(),
            "bounds"_a.noconvert(), "New lists for some points.")
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
                return std::tuple(to_numpy(std::move(request.points), {count}), request.k, request.cluster);
            },
            "tick"_a = nb::none(),
            "Merges until lists are needed: their points, how many clusters each, and the only cluster wanted or -1.")
        .def(
            "complete",
            [](L& self, Array<const Id, 1> points, Id cluster, Array<const T, 1> distances) {
                nb::gil_scoped_release unlocked;
                self.complete(points.data(), static_cast<Index>(points.size()), cluster, distances.data());
            },
            "points"_a.noconvert(), nb::kw_only(), "cluster"_a, "distances"_a.noconvert(),
            "Distances from points of a cluster to another one.")
        .def("labels",
             [](const L& self) {
                 const std::size_t n = static_cast<std::size_t>(self.n());
                 std::vector<Id> labels(n);
                 for (std::size_t p = 0; p < n; ++p) labels[p] = self.cluster(static_cast<Id>(p));
                 return to_numpy(std::move(labels), {n});
             })
        .def_prop_ro("active", &L::active)
        .def("tree", [](const L& self) { return tree_of(self.merges()); });
}

}  // namespace

void bind_lists(nb::module_& m) {
    bind_options(m);
    bind_engine<float, false>(m, "Lists32");
    bind_engine<double, false>(m, "Lists64");
    bind_engine<float, true>(m, "WeightedLists32");
    bind_engine<double, true>(m, "WeightedLists64");
}

}  // namespace chamfer
