// The door between Python and the core. Only the bindings know Python.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "blocks.hpp"
#include "centre_lists.hpp"
#include "chamfer.hpp"
#include "dendrogram.hpp"
#include "generic.hpp"
#include "pairwise.hpp"
#include "rounds.hpp"
#include "scores.hpp"
#include "spanning.hpp"
#include "tradeoff.hpp"
#include "tree.hpp"

using namespace chamfer;

namespace {

template <class T>
void bind_pairwise(nb::module_& m) {
    m.def(
        "pairwise",
        [](Array<const T, 2> X, Array<const double, 1> shift, const std::string& metric,
           nb::ndarray<T, nb::c_contig, nb::device::cpu> out, const Blas& blas, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const Points<T> points = points_of<T>(X);
            const Triangle<T> triangle{out.data(), points.n, out.ndim() == 1};
            const Metric kind = metric_of(metric);
            nb::gil_scoped_release unlocked;
            pairwise(points, shift.data(), kind, triangle, blas, threads, tick);
        },
        "X"_a.noconvert(), "shift"_a, "metric"_a, "out"_a.noconvert(), "blas"_a, "threads"_a, "tick"_a = nb::none(),
        "Writes all distances into `out`, condensed if it has one dimension, square if it has two.");
}

// Edges of a spanning tree may be merged in any order of equal heights; this is the tie rule's, as far as points tell.
Merges in_order(Merges merges) {
    std::ranges::sort(merges, {}, [](const Merge& merge) {
        return std::tuple(merge.height, std::min(merge.a, merge.b), std::max(merge.a, merge.b));
    });
    return merges;
}

// The algorithm for a rule, from a condensed matrix.
template <class R, class T>
Merges run(const Triangle<T>& matrix, int threads, const Tick& tick) {
    if constexpr (std::is_same_v<R, Single>) {
        return in_order(spanning_tree(matrix, threads, tick));
    } else if constexpr (R::reducible) {
        return Rounds<T, R>(matrix, threads).run(tick);
    } else {
        MatrixRows<T, R> rows(matrix, threads);
        return Generic(rows, threads).run(tick);
    }
}

// The same from few points, whose centres are compared one by one.
template <class R, class T>
Merges run(const Points<T>& points, int threads, const Tick& tick) {
    if constexpr (std::is_same_v<R, Single>) {
        return in_order(spanning_tree(points, tick));
    } else if constexpr (R::reducible) {
        return CentreRounds<R>(points, threads).run(tick);
    } else {
        CentreRows<R> rows(points);
        return Generic(rows, threads).run(tick);
    }
}

// The same from many points and their first lists; `tree` says how to look for nearest centres.
template <class R, class T, class F>
Merges run(const Points<T>& points, const Axes& axes, const F* coordinates, bool tree, const FirstLists<T>& first,
           const Blas& blas, int threads, const Tick& tick) {
    Centres<R> centres(points);
    if constexpr (R::reducible && std::is_same_v<F, double>)
        if (tree) {
            CentreTree<R> search(centres, axes, coordinates);
            return CentreLists<R, CentreTree<R>>(centres, search, first, threads).run(tick);
        }
    CentreBlocks<Centres<R>, F> search(centres, axes, coordinates, blas);
    return CentreLists<R, CentreBlocks<Centres<R>, F>>(centres, search, first, threads).run(tick);
}

template <class T, class F>
Merges run_single(const Points<T>& points, Metric metric, const Axes& axes, const F* coordinates, bool tree,
                  const FirstLists<T>& first, const Blas& blas, int threads, const Tick& tick) {
    if constexpr (std::is_same_v<F, double>)
        if (tree) {
            const TreeSearch<T> search(points, metric, coordinates, axes.count(), false);
            return in_order(SpanningForest<T, TreeSearch<T>>(points, metric, search, first, threads).run(tick));
        }
    const SinglePoints clusters{points.n};
    const CentreBlocks<SinglePoints, F> search(clusters, axes, coordinates, blas);
    return in_order(SpanningForest<T, CentreBlocks<SinglePoints, F>>(points, metric, search, first, threads).run(tick));
}

template <class R>
void bind_points(nb::module_& m, const char* name) {
    const auto bind = [&]<class T, class F>(T, F) {
        m.def(
            name,
            [](Array<const T, 2> X, const std::string& metric, Array<const double, 1> mean, Array<const double, 2> axes,
               Array<const F, 2> coordinates, bool tree, Array<const Id, 2> nearest, Array<const T, 2> distances,
               Array<const T, 1> bounds, const Blas& blas, int threads, nb::object callback) {
                const Axes to_few{mean.data(), axes.data(), static_cast<Index>(X.shape(1)),
                                  static_cast<Index>(axes.shape(1))};
                const FirstLists<T> first{nearest.data(), distances.data(), bounds.data(),
                                          static_cast<Index>(nearest.shape(1))};
                const Metric kind = metric_of(metric);
                return tree_of(callback, false, [&](const Tick& tick) {
                    if constexpr (std::is_same_v<R, Single>)
                        return run_single(points_of<T>(X), kind, to_few, coordinates.data(), tree, first, blas, threads,
                                          tick);
                    else
                        return run<R>(points_of<T>(X), to_few, coordinates.data(), tree, first, blas, threads, tick);
                });
            },
            "X"_a.noconvert(), "metric"_a, "mean"_a, "axes"_a, "coordinates"_a.noconvert(), "tree"_a,
            "nearest"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "blas"_a, "threads"_a,
            "tick"_a = nb::none(),
            "Z with squared heights from points, their coordinates for a filter and their nearest other points.");
    };
    bind(float{}, float{});
    bind(float{}, double{});
    bind(double{}, float{});
    bind(double{}, double{});
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
                "X"_a.noconvert(), "threads"_a, "tick"_a = nb::none(), "Z with squared heights from few points.");
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
                    return DenseChamfer<T, Variant>(square.data(), static_cast<Index>(square.shape(0)), threads)
                        .run(tick);
                });
            },
            "square"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
            "Z from a square matrix of distances, which is overwritten.");
        if constexpr (!Variant::symmetric)
            m.def(
                name,
                [](Array<const T, 2> X, const std::string& metric, Index t, Array<const Id, 2> nearest,
                   Array<const T, 2> distances, int threads, nb::object callback) {
                    const Metric kind = metric_of(metric);
                    return tree_of(callback, false, [&](const Tick& tick) {
                        return Tradeoff<T, Variant>(points_of<T>(X), kind, t, nearest.data(), distances.data(), threads)
                            .run(tick);
                    });
                },
                "X"_a.noconvert(), "metric"_a, "t"_a, "nearest"_a.noconvert(), "distances"_a.noconvert(), "threads"_a,
                "tick"_a = nb::none(),
                "Z from points, of which the nearest other points are given, in O(n^2 / t) memory.");
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

void bind_scores(nb::module_& m) {
    m.def(
        "class_gains",
        [](TreeArray Z, Array<const Id, 1> classes, Index n_classes) {
            const Tree tree = tree_from(Z);
            ClassGains gains;
            {
                nb::gil_scoped_release unlocked;
                gains = ClassCounter(tree, classes.data(), n_classes).run();
            }
            return nb::make_tuple(to_numpy(std::move(gains.pairs), {Z.shape(0)}),
                                  to_numpy(std::move(gains.information), {Z.shape(0)}),
                                  to_numpy(std::move(gains.purity), {Z.shape(0)}));
        },
        "Z"_a, "classes"_a, "n_classes"_a, "What each merge adds to pairs, information and purity, see scores.hpp.");
    m.def(
        "expected_information",
        [](Index n, Array<const Index, 2> classes, Array<const Index, 1> sizes, int threads) {
            std::vector<ClassSize> groups;
            for (std::size_t j = 0; j < classes.shape(0); ++j) groups.push_back({classes(j, 0), classes(j, 1)});
            std::vector<double> means;
            {
                nb::gil_scoped_release unlocked;
                means = expected_information(n, groups, sizes.data(), static_cast<Index>(sizes.size()), threads);
            }
            return to_numpy(std::move(means), {sizes.size()});
        },
        "n"_a, "classes"_a, "sizes"_a, "threads"_a,
        "For clusters of the given sizes, the mean sum of x log x over their class counts x by chance. Rows "
        "of `classes` are a class size and how many classes have it.");
}

// Cython names a capsule by the C signature of its function. Ours takes 32-bit integers.
void check_signature(const nb::capsule& gemm) {
    const std::string name = gemm.name() ? gemm.name() : "";
    const auto number = [](const std::string& argument) {
        return argument != "char *" && argument != "int *" && argument.find('*') != std::string::npos;
    };
    std::vector<std::string> arguments;
    const std::size_t open = name.find('('), close = name.rfind(')');
    if (name.rfind("void (", 0) == 0 && close != std::string::npos)
        for (std::size_t start = open + 1; start < close;) {
            const std::size_t end = std::min(name.find(", ", start), close);
            arguments.push_back(name.substr(start, end - start));
            start = end + 2;
        }
    bool fits = arguments.size() == 13;
    for (std::size_t i = 0; fits && i < 13; ++i) {
        const char kind = "ccIIIxxIxIxxI"[i];
        fits = kind == 'c' ? arguments[i] == "char *" : kind == 'I' ? arguments[i] == "int *" : number(arguments[i]);
    }
    if (!fits) throw nb::import_error(("scipy.linalg.cython_blas has a gemm of another signature: " + name).c_str());
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
    nb::set_leak_warnings(false);  // a traceback that somebody keeps until the end is no leak of ours
    m.def("instruction_set", &instruction_set);
    m.def("available_threads", &available_threads);

    nb::class_<Blas>(m, "Blas", "Matrix multiplication from the capsules of scipy.linalg.cython_blas.")
        .def(
            "__init__",
            [](Blas* self, nb::capsule sgemm, nb::capsule dgemm) {
                check_signature(sgemm), check_signature(dgemm);
                new (self)
                    Blas{reinterpret_cast<Gemm<float>>(sgemm.data()), reinterpret_cast<Gemm<double>>(dgemm.data())};
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

    bind_points<Single>(m, "single");
    bind_points<MeanSquare>(m, "average");
    bind_points<Ward>(m, "ward");
    bind_points<Centroid>(m, "centroid");
    bind_points<Median>(m, "median");

    bind_lists(m);
    bind_dendrogram(m);
    bind_scores(m);
}
