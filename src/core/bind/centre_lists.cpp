// The points engine for many points: linkages determined by cluster centres.
#include "../engine/centre_lists.hpp"

#include "../search/centre_search.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

// `tree` says how to search for nearest centres.
template <class R, class T, class F>
Merges merges_of(const Points<T>& points, const Weights& weights, const Axes& axes, const F* coordinates, bool tree,
                 const FirstLists<T>& first, const Blas& blas, int threads, const Tick& tick) {
    Centres<R> centres(points, weights);
    if constexpr (R::reducible && std::is_same_v<F, double>)
        if (tree) {
            CentreTree<R> search(centres, axes, coordinates);
            return CentreLists<R, CentreTree<R>>(centres, search, first, threads).run(tick);
        }
    CentreTiles<Centres<R>, F> search(centres, axes, coordinates, blas);
    return CentreLists<R, CentreTiles<Centres<R>, F>>(centres, search, first, threads).run(tick);
}

template <class... Arguments>
Merges merges_by(const std::string& rule, const Arguments&... arguments) {
    if (rule == "average") return merges_of<MeanSquare>(arguments...);
    if (rule == "ward") return merges_of<Ward>(arguments...);
    if (rule == "centroid") return merges_of<Centroid>(arguments...);
    if (rule == "median") return merges_of<Median>(arguments...);
    no_rule(rule);
}

template <class T, class F>
void bind(nb::module_& m) {
    m.def(
        "centre_lists",
        [](Array<const T, 2> X, const std::string& rule, const WeightsArray& weights, Array<const double, 1> mean,
           Array<const double, 2> axes, Array<const F, 2> coordinates, bool tree, Array<const Id, 2> nearest,
           Array<const T, 2> distances, Array<const T, 1> bounds, const Blas& blas, int threads, nb::object callback) {
            const Points<T> points = points_of<T>(X);
            const Axes to_few{mean.data(), axes.data(), points.d, static_cast<Index>(axes.shape(1))};
            const FirstLists<T> first = first_lists<T>(nearest, distances, bounds);
            return run(callback, [&](const Tick& tick) {
                return merges_by(rule, points, weights_of(weights), to_few, coordinates.data(), tree, first, blas,
                                 threads, tick);
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "rule"_a, "weights"_a = nb::none(), "mean"_a, "axes"_a,
        "coordinates"_a.noconvert(), "tree"_a, "nearest"_a.noconvert(), "distances"_a.noconvert(),
        "bounds"_a.noconvert(), "blas"_a, "threads"_a, "tick"_a = nb::none(),
        "Z with squared heights from points, their coordinates for the filter and their nearest other points.");
}

}  // namespace

void bind_centre_lists(nb::module_& m) {
    bind<float, float>(m);
    bind<float, double>(m);
    bind<double, float>(m);
    bind<double, double>(m);
}

}  // namespace chamfer
