// What all doors between Python and the core are made of. Every call of an engine releases the interpreter lock.
//
// Functions take keyword arguments only, after the data. Overloads of one name differ in dtypes alone. The core trusts
// its caller: shapes and contents were checked in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "../base/threads.hpp"
#include "../distance/points.hpp"
#include "../linkage/weights.hpp"
#include "../search/top_k.hpp"
#include "../tree/dendrogram.hpp"

namespace chamfer {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int dimensions>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// Lets Python see progress and interrupts some ten times a second.
inline Tick python_tick(nb::object callback) {
    prepare_to_throw();
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    return [callback, last](Index done) mutable {
        const auto now = Clock::now();
        if (now - last < std::chrono::milliseconds(100)) return;
        last = now;
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!callback.is_none()) callback(done);
    };
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

// The tree of some merges, in their order.
inline nb::ndarray<nb::numpy, double> tree_of(const Merges& merges) {
    std::vector<double> Z(4 * merges.size());
    write_tree(merges, Z.data());
    return to_numpy(std::move(Z), {merges.size(), 4});
}

using TreeArray = Array<const double, 2>;

inline Tree tree_from(const TreeArray& Z) { return {Z.data(), static_cast<Index>(Z.shape(0)) + 1}; }

// Runs `algorithm(tick)` without the interpreter lock and returns its merges as Z.
template <class Algorithm>
nb::ndarray<nb::numpy, double> run(nb::object callback, Algorithm&& algorithm) {
    Merges merges;
    {
        const Tick tick = python_tick(callback);
        nb::gil_scoped_release unlocked;
        merges = algorithm(tick);
    }
    return tree_of(merges);
}

// The same of an algorithm that may give up: None.
template <class Algorithm>
std::optional<nb::ndarray<nb::numpy, double>> run_or_none(nb::object callback, Algorithm&& algorithm) {
    std::optional<Merges> merges;
    {
        const Tick tick = python_tick(callback);
        nb::gil_scoped_release unlocked;
        merges = algorithm(tick);
    }
    if (!merges) return std::nullopt;
    return tree_of(*merges);
}

template <class T>
Points<T> points_of(const Array<const T, 2>& X) {
    return {X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))};
}

using WeightsArray = std::optional<Array<const double, 1>>;

inline Weights weights_of(const WeightsArray& weights) {
    return weights ? Weights(weights->data(), weights->data() + weights->shape(0)) : Weights();
}

inline Metric metric_of(const std::string& name) {
    if (name == "euclidean") return {.root = true, .factor = 1};
    if (name == "sqeuclidean") return {.root = false, .factor = 1};
    if (name == "cosine") return {.root = false, .factor = 0.5};  // of unit vectors
    throw nb::value_error("the core knows the metrics euclidean, sqeuclidean and cosine");
}

template <class T>
Distances<T> distances_of(const Array<const T, 2>& X, const std::string& metric) {
    return {points_of<T>(X), metric_of(metric)};
}

template <class T>
Answers<T> answers_of(Array<Id, 2>& clusters, Array<T, 2>& distances, Array<T, 1>& bounds) {
    return {clusters.data(), distances.data(), bounds.data(), static_cast<Index>(clusters.shape(1))};
}

template <class T>
FirstLists<T> first_lists(const Array<const Id, 2>& nearest, const Array<const T, 2>& distances,
                          const Array<const T, 1>& bounds) {
    return {nearest.data(), distances.data(), bounds.data(), static_cast<Index>(nearest.shape(1))};
}

[[noreturn]] inline void no_rule(const std::string& name) {
    throw nb::value_error(("the core knows no such rule here: " + name).c_str());
}

// Adds `nearest`, which every search has.
template <class Search, class T, class Class>
void bind_nearest(Class& c) {
    c.def(
        "nearest",
        [](Search& self, Array<const Id, 1> queries, Array<const Id, 1> labels, Array<Id, 2> clusters,
           Array<T, 2> distances, Array<T, 1> bounds, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            self.nearest(queries.data(), static_cast<Index>(queries.size()), labels.data(), answers, threads, tick);
        },
        "queries"_a.noconvert(), "labels"_a.noconvert(), nb::kw_only(), "clusters"_a.noconvert(),
        "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "The k nearest clusters of some points.");
}

// One for each file beside this one.
void bind_distances(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_searches(nb::module_& m);
void bind_dense_chamfer(nb::module_& m);
void bind_dense_rules(nb::module_& m);
void bind_constraints(nb::module_& m);
void bind_allowed(nb::module_& m);
void bind_contraction(nb::module_& m);
void bind_chamfer_contraction(nb::module_& m);
void bind_few(nb::module_& m);
void bind_few_points(nb::module_& m);
void bind_centre_lists(nb::module_& m);
void bind_spanning(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_symmetric_lists(nb::module_& m);
void bind_tradeoff(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_curves(nb::module_& m);

}  // namespace chamfer
