// The graph engine: merges along edges.
#include "../engine/contraction.hpp"

#include "constraints.hpp"

namespace chamfer {
namespace {

template <class R, class T>
Merges by_centres(const Points<T>& points, const Constraints& constraints, const Tick& tick) {
    CentreValues<R> values(points, constraints.weights);
    return Contraction(values, constraints).run(constraints.together, tick);
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "contract_points",
        [](Array<const T, 2> X, const std::string& rule, const Constraints& constraints, nb::object callback) {
            const Points<T> points = points_of<T>(X);
            return run_constrained(constraints, callback, [&](const Tick& tick) {
                if (rule == "average") return by_centres<MeanSquare>(points, constraints, tick);
                if (rule == "ward") return by_centres<Ward>(points, constraints, tick);
                if (rule == "centroid") return by_centres<Centroid>(points, constraints, tick);
                if (rule == "median") return by_centres<Median>(points, constraints, tick);
                no_rule(rule);
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "rule"_a, "constraints"_a, "tick"_a = nb::none(),
        "Z with squared heights from points that merge along the edges of a graph.");
}

}  // namespace

void bind_contraction(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "contract_edges",
        [](Array<const double, 1> distances, double missing, const std::string& rule, const Constraints& constraints,
           nb::object callback) {
            const auto merges = [&]<class R>(R, const Tick& tick) {
                EdgeValues<R> values(distances.data(), missing, constraints.weights);
                return Contraction(values, constraints).run(constraints.together, tick);
            };
            return run_constrained(constraints, callback, [&](const Tick& tick) {
                if (rule == "single") return spanning_edges(distances.data(), constraints, tick);
                if (rule == "complete") return merges(Complete{}, tick);
                if (rule == "average") return merges(Average{}, tick);
                if (rule == "weighted") return merges(Weighted{}, tick);
                no_rule(rule);
            });
        },
        "distances"_a.noconvert(), nb::kw_only(), "missing"_a, "rule"_a, "constraints"_a, "tick"_a = nb::none(),
        "Z from the distances of the edges of a graph; other pairs have the distance `missing`.");
}

}  // namespace chamfer
