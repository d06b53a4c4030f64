// What all doors between Python and the core are made of. Every call releases the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "dendrogram.hpp"
#include "points.hpp"
#include "types.hpp"

namespace chamfer {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int dimensions>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using TreeArray = Array<const double, 2>;

// Lets Python see progress and interrupts some ten times a second.
inline Tick python_tick(nb::object callback) {
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

// Runs `algorithm(tick)` without the interpreter lock and returns its merges as Z.
template <class Algorithm>
nb::ndarray<nb::numpy, double> tree_of(nb::object callback, bool sorted, Algorithm&& algorithm) {
    std::vector<double> Z;
    {
        const Tick tick = python_tick(callback);
        nb::gil_scoped_release unlocked;
        Merges merges = algorithm(tick);
        if (sorted)
            std::stable_sort(merges.begin(), merges.end(),
                             [](const Merge& a, const Merge& b) { return a.height < b.height; });
        Z.resize(4 * merges.size());
        write_tree(merges, Z.data());
    }
    const std::size_t rows = Z.size() / 4;
    return to_numpy(std::move(Z), {rows, 4});
}

template <class T>
Points<T> points_of(const Array<const T, 2>& X) {
    return {X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1))};
}

inline Metric metric_of(const std::string& name) {
    if (name == "euclidean") return Metric::euclidean;
    if (name == "sqeuclidean") return Metric::sqeuclidean;
    if (name == "cosine") return Metric::half_sqeuclidean;
    throw nb::value_error("the core knows the metrics euclidean, sqeuclidean and cosine (of unit vectors)");
}

// Sources and the lists engine, which are compiled apart so that two processors can share the work.
void bind_lists(nb::module_& m);

}  // namespace chamfer
