// The points engine for many points: single linkage.
#include "../engine/spanning.hpp"

#include "../search/centre_search.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class T, class F>
std::optional<Merges> merges_of(const Distances<T>& distance, const Axes& axes, const F* coordinates,
                                const FirstLists<T>& first, double most, const Blas& blas, int threads,
                                const Tick& tick) {
    using Search = CentreTiles<SinglePoints, F>;
    const SinglePoints clusters{distance.points.n};
    const Search search(clusters, axes, coordinates, blas);
    return SpanningForest<T, Search>(distance, search, first, most, threads).run(tick);
}

template <class T, class F>
void bind(nb::module_& m) {
    m.def(
        "spanning_forest",
        [](Array<const T, 2> X, const std::string& metric, Array<const double, 1> mean, Array<const double, 2> axes,
           Array<const F, 2> coordinates, Array<const Id, 2> nearest, Array<const T, 2> distances,
           Array<const T, 1> bounds, double most, const Blas& blas, int threads, nb::object callback) {
            const Distances<T> distance = distances_of<T>(X, metric);
            const Axes to_few{mean.data(), axes.data(), distance.points.d, static_cast<Index>(axes.shape(1))};
            const FirstLists<T> first = first_lists<T>(nearest, distances, bounds);
            return run_or_none(callback, [&](const Tick& tick) {
                auto merges = merges_of(distance, to_few, coordinates.data(), first, most, blas, threads, tick);
                if (merges) merges = by_tie_rule(std::move(*merges));
                return merges;
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "mean"_a, "axes"_a, "coordinates"_a.noconvert(),
        "nearest"_a.noconvert(), "distances"_a.noconvert(), "bounds"_a.noconvert(), "most"_a, "blas"_a, "threads"_a,
        "tick"_a = nb::none(),
        "Z of single linkage from points, their coordinates for the filter and their nearest other points; None if the "
        "filter leaves more than this share of the pairs.");
}

}  // namespace

void bind_spanning(nb::module_& m) {
    bind<float, float>(m);
    bind<float, double>(m);
    bind<double, float>(m);
    bind<double, double>(m);
}

}  // namespace chamfer
