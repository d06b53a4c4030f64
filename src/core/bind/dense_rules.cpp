// The dense engine for the classical linkages.
#include "../engine/generic.hpp"
#include "../engine/rounds.hpp"
#include "../engine/spanning.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class R, class T>
Merges merges_of(const Triangle<T>& matrix, int threads, const Tick& tick) {
    if constexpr (R::reducible) {
        return by_height(Rounds<T, R>(matrix, threads).run(tick));
    } else {
        MatrixRows<T, R> rows(matrix, threads);
        return Generic(rows, threads).run(tick);
    }
}

template <class T>
Merges merges_of(const std::string& rule, const Triangle<T>& matrix, int threads, const Tick& tick) {
    if (rule == "single") return by_tie_rule(spanning_tree(matrix, threads, tick));
    if (rule == "complete") return merges_of<Complete>(matrix, threads, tick);
    if (rule == "average") return merges_of<Average>(matrix, threads, tick);
    if (rule == "weighted") return merges_of<Weighted>(matrix, threads, tick);
    if (rule == "ward") return merges_of<Ward>(matrix, threads, tick);
    if (rule == "centroid") return merges_of<Centroid>(matrix, threads, tick);
    if (rule == "median") return merges_of<Median>(matrix, threads, tick);
    no_rule(rule);
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "dense_rule",
        [](Array<T, 1> distances, Index n, const std::string& rule, int threads, nb::object callback) {
            return run(callback, [&](const Tick& tick) {
                return merges_of(rule, Triangle<T>{distances.data(), n, true}, threads, tick);
            });
        },
        "distances"_a.noconvert(), nb::kw_only(), "n"_a, "rule"_a, "threads"_a, "tick"_a = nb::none(),
        "Z from condensed distances, which are overwritten; squared in and out for ward, centroid, median.");
}

}  // namespace

void bind_dense_rules(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
