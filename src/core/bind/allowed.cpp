// The dense engine with weights and constraints.
#include "../engine/allowed.hpp"

#include "constraints.hpp"

namespace chamfer {
namespace {

template <class Values>
Merges merges_of(double* square, const Constraints& constraints, int threads, const Tick& tick) {
    Values values(square, constraints.weights);
    return Allowed<Values>(values, constraints).run(constraints.together, threads, tick);
}

Merges merges_by_rule(const std::string& rule, double* square, const Constraints& constraints, int threads,
                      const Tick& tick) {
    const auto merges = [&]<class R>(R) { return merges_of<RuleValues<R>>(square, constraints, threads, tick); };
    if (rule == "single") return merges(Single{});
    if (rule == "complete") return merges(Complete{});
    if (rule == "average") return merges(Average{});
    if (rule == "weighted") return merges(Weighted{});
    if (rule == "ward") return merges(Ward{});
    if (rule == "centroid") return merges(Centroid{});
    if (rule == "median") return merges(Median{});
    no_rule(rule);
}

Merges merges_by_chamfer(bool normalized, bool symmetric, double* square, const Constraints& constraints, int threads,
                         const Tick& tick) {
    const auto merges = [&]<class Variant>(Variant) {
        return merges_of<ChamferValues<Variant>>(square, constraints, threads, tick);
    };
    if (symmetric) return normalized ? merges(ChNS{}) : merges(ChS{});
    return normalized ? merges(ChN{}) : merges(Ch{});
}

}  // namespace

void bind_allowed(nb::module_& m) {
    m.def(
        "allowed_rule",
        [](Array<double, 2> square, const std::string& rule, const Constraints& constraints, int threads,
           nb::object callback) {
            return run_constrained(constraints, callback, [&](const Tick& tick) {
                return merges_by_rule(rule, square.data(), constraints, threads, tick);
            });
        },
        "square"_a.noconvert(), nb::kw_only(), "rule"_a, "constraints"_a, "threads"_a, "tick"_a = nb::none(),
        "Z from a square matrix of the values of all pairs of points, which is overwritten.");
    m.def(
        "allowed_chamfer",
        [](Array<double, 2> square, bool normalized, bool symmetric, const Constraints& constraints, int threads,
           nb::object callback) {
            return run_constrained(constraints, callback, [&](const Tick& tick) {
                return merges_by_chamfer(normalized, symmetric, square.data(), constraints, threads, tick);
            });
        },
        "square"_a.noconvert(), nb::kw_only(), "normalized"_a, "symmetric"_a, "constraints"_a, "threads"_a,
        "tick"_a = nb::none(), "Z from a square matrix of distances, which is overwritten.");
}

}  // namespace chamfer
