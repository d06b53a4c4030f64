// The points engine for few points: centres, or points, are compared one by one.
#include "../engine/generic.hpp"
#include "../engine/grid_ward.hpp"
#include "../engine/rounds.hpp"
#include "../engine/spanning.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class R, class T>
Merges by_generic(const Points<T>& points, const Weights& weights, int threads, const Tick& tick) {
    CentreRows<R> rows(points, weights);
    return Generic(rows, threads).run(tick);
}

template <class T>
Merges merges_of(const std::string& rule, const Points<T>& points, const Weights& weights, int threads,
                 const Tick& tick) {
    if (rule == "single") return by_tie_rule(spanning_tree(points, tick));
    if (rule == "ward") return by_height(CentreRounds<Ward>(points, threads, weights).run(tick));
    if (rule == "centroid") return by_generic<Centroid>(points, weights, threads, tick);
    if (rule == "median") return by_generic<Median>(points, weights, threads, tick);
    no_rule(rule);
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "few_points",
        [](Array<const T, 2> X, const std::string& rule, const WeightsArray& weights, int threads,
           nb::object callback) {
            return run(callback, [&](const Tick& tick) {
                return merges_of(rule, points_of<T>(X), weights_of(weights), threads, tick);
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "rule"_a, "weights"_a = nb::none(), "threads"_a, "tick"_a = nb::none(),
        "Z with squared heights from few points.");
}

}  // namespace

void bind_few_points(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "grid_ward",
        [](Array<const double, 2> X, int threads) -> std::optional<nb::ndarray<nb::numpy, double>> {
            const Points<double> points = points_of<double>(X);
            Merges merges;
            {
                nb::gil_scoped_release unlocked;
                std::vector<double> own(points.data, points.data + points.n * points.d);
                if (!grid_ward(own.data(), points.n, points.d, threads, merges)) merges.clear();
            }
            if (merges.empty()) return std::nullopt;
            return tree_of(merges);
        },
        "X"_a.noconvert(), nb::kw_only(), "threads"_a,
        "Z with squared heights by Ward's linkage from up to FEW points; None if that takes all distances.");
}

}  // namespace chamfer
