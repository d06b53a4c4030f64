// The door between Python and the core: the only file that knows Python. Every call releases the interpreter
// lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <string>

#include "chamfer.hpp"
#include "dendrogram.hpp"
#include "generic.hpp"
#include "pairwise.hpp"
#include "rounds.hpp"
#include "spanning.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace chamfer;

namespace {

template <class T, int dimensions>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using TreeArray = Array<const double, 2>;

// Lets Python see progress and interrupts some ten times a second.
Tick python_tick(nb::object callback) {
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

Metric metric_of(const std::string& name) {
    if (name == "euclidean") return Metric::euclidean;
    if (name == "sqeuclidean") return Metric::sqeuclidean;
    if (name == "cosine") return Metric::half_sqeuclidean;
    throw nb::value_error("the core knows the metrics euclidean, sqeuclidean and cosine (of unit vectors)");
}

template <class T>
void bind_pairwise(nb::module_& m) {
    m.def(
        "pairwise",
        [](Array<const T, 2> X, Array<const double, 1> shift, const std::string& metric,
           nb::ndarray<T, nb::c_contig, nb::device::cpu> out, const Blas& blas, int threads,
           nb::object callback) {
            const Tick tick = python_tick(callback);
            const Points<T> points = points_of<T>(X);
            const Triangle<T> triangle{out.data(), points.n, out.ndim() == 1};
            const Metric kind = metric_of(metric);
            nb::gil_scoped_release unlocked;
            pairwise(points, shift.data(), kind, triangle, blas, threads, tick);
        },
        "X"_a.noconvert(), "shift"_a, "metric"_a, "out"_a.noconvert(), "blas"_a, "threads"_a,
        "tick"_a = nb::none(),
        "Writes all distances into `out`, condensed if it has one dimension, square if it has two.");
}

// The algorithm for a rule, from a condensed matrix.
template <class R, class T>
Merges run(const Triangle<T>& matrix, int threads, const Tick& tick) {
    if constexpr (std::is_same_v<R, Single>) {
        return spanning_tree(matrix, threads, tick);
    } else if constexpr (R::reducible) {
        return Rounds<T, R>(matrix, threads).run(tick);
    } else {
        MatrixRows<T, R> rows(matrix);
        return Generic(rows, threads).run(tick);
    }
}

// The same, from points.
template <class R, class T>
Merges run(const Points<T>& points, int threads, const Tick& tick) {
    if constexpr (std::is_same_v<R, Single>) {
        return spanning_tree(points, tick);
    } else if constexpr (R::reducible) {
        return CentreRounds<R>(points, threads).run(tick);
    } else {
        CentreRows<R> rows(points);
        return Generic(rows, threads).run(tick);
    }
}

template <class R>
void bind_rule(nb::module_& m, const char* name) {
    const auto bind = [&]<class T>(T) {
        m.def(
            name,
            [](Array<T, 1> distances, Index n, int threads, nb::object callback) {
                return tree_of(callback, R::reducible, [&](const Tick& tick) {
                    return run<R>(Triangle<T>{distances.data(), n, true}, threads, tick);
                });
            },
            "distances"_a.noconvert(), "n"_a, "threads"_a, "tick"_a = nb::none(),
            "Z from condensed distances, which are overwritten; squared in and out for ward, centroid, "
            "median.");
        if constexpr (CentreRule<R> || std::is_same_v<R, Single>)
            m.def(
                name,
                [](Array<const T, 2> X, int threads, nb::object callback) {
                    return tree_of(callback, R::reducible,
                                   [&](const Tick& tick) { return run<R>(points_of<T>(X), threads, tick); });
                },
                "X"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
                "Z with squared heights from points, in O(n d) memory.");
    };
    bind(float{});
    bind(double{});
}

template <class Variant>
void bind_chamfer(nb::module_& m, const char* name) {
    const auto bind = [&]<class T>(T) {
        m.def(
            name,
            [](Array<T, 2> square, int threads, nb::object callback) {
                return tree_of(callback, false, [&](const Tick& tick) {
                    return DenseChamfer<T, Variant>(square.data(), static_cast<Index>(square.shape(0)),
                                                    threads)
                        .run(tick);
                });
            },
            "square"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
            "Z from a square matrix of distances, which is overwritten.");
    };
    bind(float{});
    bind(double{});
}

Tree tree_from(const TreeArray& Z) { return {Z.data(), static_cast<Index>(Z.shape(0)) + 1}; }

void bind_dendrogram(nb::module_& m) {
    m.def("tree_height", [](TreeArray Z) { return tree_height(tree_from(Z)); }, "Z"_a);
    m.def(
        "monotone_heights",
        [](TreeArray Z, bool cumulative) {
            std::vector<double> heights(Z.shape(0));
            monotone_heights(tree_from(Z), cumulative, heights.data());
            return to_numpy(std::move(heights), {Z.shape(0)});
        },
        "Z"_a, "cumulative"_a);
    m.def(
        "label_points",
        [](TreeArray Z, Array<const bool, 1> applied) {
            std::vector<std::int64_t> labels(Z.shape(0) + 1);
            label_points(tree_from(Z), applied.data(), labels.data());
            return to_numpy(std::move(labels), {Z.shape(0) + 1});
        },
        "Z"_a, "applied"_a);
}

// The best level, of those the package is compiled for, that the machine can run.
const char* instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512cd");
        return wide ? "v4" : "v3";
    }
#endif
    return "base";
}

}  // namespace

NB_MODULE(CHAMFER_MODULE, m) {
    m.doc() = "The compiled core of chamfer. It trusts its caller: use the functions of the package.";
    m.def("instruction_set", &instruction_set);
    m.def("available_threads", &available_threads);

    nb::class_<Blas>(m, "Blas", "Matrix multiplication from the capsules of scipy.linalg.cython_blas.")
        .def(
            "__init__",
            [](Blas* self, nb::capsule sgemm, nb::capsule dgemm) {
                new (self) Blas{reinterpret_cast<Gemm<float>>(sgemm.data()),
                                reinterpret_cast<Gemm<double>>(dgemm.data())};
            },
            "sgemm"_a, "dgemm"_a);

    bind_pairwise<float>(m);
    bind_pairwise<double>(m);

    bind_chamfer<Ch>(m, "chamfer");
    bind_chamfer<ChN>(m, "chamfer_normalized");
    bind_chamfer<ChS>(m, "chamfer_symmetric");
    bind_chamfer<ChNS>(m, "chamfer_normalized_symmetric");

    bind_rule<Single>(m, "single");
    bind_rule<Complete>(m, "complete");
    bind_rule<Average>(m, "average");
    bind_rule<Weighted>(m, "weighted");
    bind_rule<Ward>(m, "ward");
    bind_rule<Centroid>(m, "centroid");
    bind_rule<Median>(m, "median");

    bind_dendrogram(m);
}
