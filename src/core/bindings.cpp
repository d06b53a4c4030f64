// The door between Python and the core: the only file that knows Python. Every call releases the interpreter
// lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>

#include "blocks.hpp"
#include "centre_lists.hpp"
#include "chamfer.hpp"
#include "dendrogram.hpp"
#include "generic.hpp"
#include "lists.hpp"
#include "pairwise.hpp"
#include "rounds.hpp"
#include "scores.hpp"
#include "spanning.hpp"
#include "tradeoff.hpp"
#include "tree.hpp"

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
        MatrixRows<T, R> rows(matrix);
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
        nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>());
    c.def(
        "all_points",
        [](Search& self, Array<Id, 2> clusters, Array<T, 2> distances, Array<T, 1> bounds, int threads,
           nb::object callback) {
            const Tick tick = python_tick(callback);
            const Answers<T> answers = answers_of<T>(clusters, distances, bounds);
            nb::gil_scoped_release unlocked;
            self.all_points(answers, threads, tick);
        },
        "clusters"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "The k nearest other points of every point.");
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
void bind_lists(nb::module_& m, const char* name) {
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
    bind_lists<float>(m, "Lists32");
    bind_lists<double>(m, "Lists64");

    bind_dendrogram(m);
    bind_scores(m);
}
