// The dense engine for the classical linkages.
#include "../engine/generic.hpp"
#include "../engine/rounds.hpp"
#include "../engine/spanning.hpp"
#include "../linkage/square.hpp"
#include "../linkage/whole_rows.hpp"
#include "bind.hpp"
#include "dense.hpp"

namespace chamfer {
namespace {

template <class R, class T>
Merges merges_of(const Triangle<T>& matrix, const Weights& weights, int threads, const Tick& tick) {
    if constexpr (R::reducible) {
        return by_height(Rounds<T, R>(matrix, threads, weights).run(tick));
    } else {
        MatrixRows<T, R> rows(matrix, threads, weights);
        return Generic(rows, threads).run(tick);
    }
}

template <class T>
Merges single_of(Square<T>& matrix) {
    matrix.mirror();
    return by_tie_rule(few_spanning_tree(matrix));
}

template <class R, class T>
Merges merges_of(Square<T>& matrix, const Weights& weights = {}) {
    const Tick none = [](Index) {};
    if constexpr (R::reducible) {
        WholeRows<T, R> rows(matrix, weights);
        Merges merges;
        merges.reserve(rows.count() - 1);
        chain(rows, merges, none);
        return by_height(std::move(merges));
    } else {
        SquareAhead<T, R> rows(matrix, weights);
        return Generic(rows, 1).run(none);
    }
}

// Calls `merges` with a rule.
template <class Of>
Merges with_rule(const std::string& rule, Of&& merges) {
    if (rule == "complete") return merges(Complete{});
    if (rule == "average") return merges(Average{});
    if (rule == "weighted") return merges(Weighted{});
    if (rule == "ward") return merges(Ward{});
    if (rule == "centroid") return merges(Centroid{});
    if (rule == "median") return merges(Median{});
    no_rule(rule);
}

}  // namespace

Merges merges_by_rule(const std::string& rule, Square<double>& matrix) {
    if (rule == "single") return single_of(matrix);
    return with_rule(rule, [&]<class R>(R) { return merges_of<R>(matrix); });
}

template <class T>
Merges merges_by_rule(const std::string& rule, const Triangle<T>& matrix, const Weights& weights, int threads,
                      const Tick& tick) {
    const bool single = rule == "single", generic = rule == "centroid" || rule == "median";
    if (matrix.n <= (single ? kFewClusters : generic ? kFewForGeneric : kFewForRounds)) {
        Square<T> square(matrix);
        if (single) return single_of(square);
        return with_rule(rule, [&]<class R>(R) { return merges_of<R>(square, weights); });
    }
    if (single) return by_tie_rule(spanning_tree(matrix, threads, tick));
    return with_rule(rule, [&]<class R>(R) { return merges_of<R>(matrix, weights, threads, tick); });
}

template Merges merges_by_rule(const std::string&, const Triangle<float>&, const Weights&, int, const Tick&);
template Merges merges_by_rule(const std::string&, const Triangle<double>&, const Weights&, int, const Tick&);

namespace {

// By a reducible rule, from more than kFewForRounds points of up to kSequential coordinates.
template <class T>
Merges merges_of_points(const std::string& rule, const Distances<T>& distances, const Room<T>& room, int threads,
                        const Tick& tick) {
    return with_rule(rule, [&]<class R>(R) -> Merges {
        if constexpr (R::reducible && !CentreRule<R>)
            return by_height(rounds_of_points<R>(distances, room, threads, tick));
        else
            no_rule(rule);
    });
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "dense_points",
        [](Array<const T, 2> X, const std::string& metric, nb::object make_room, const std::string& rule, int threads,
           nb::object callback) {
            Array<T, 1> held;
            const auto room = [&](Index clusters) {
                nb::gil_scoped_acquire lock;
                held = nb::cast<Array<T, 1>>(make_room(clusters));
                return held.data();
            };
            return run(callback, [&](const Tick& tick) {
                return merges_of_points<T>(rule, distances_of<T>(X, metric), room, threads, tick);
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "make_room"_a, "rule"_a, "threads"_a, "tick"_a = nb::none(),
        "Z by a reducible rule from more than ROUNDS points of up to DIFFERENCES coordinates; `make_room` gives an "
        "array for the condensed distances of so many clusters.");
    m.def(
        "dense_rule",
        [](Array<T, 1> distances, Index n, const std::string& rule, const WeightsArray& weights, int threads,
           nb::object callback) {
            return run(callback, [&](const Tick& tick) {
                return merges_by_rule(rule, Triangle<T>{distances.data(), n, true}, weights_of(weights), threads, tick);
            });
        },
        "distances"_a.noconvert(), nb::kw_only(), "n"_a, "rule"_a, "weights"_a = nb::none(), "threads"_a,
        "tick"_a = nb::none(),
        "Z from condensed distances, which are overwritten; squared in and out for ward, centroid, median.");
}

}  // namespace

void bind_dense_rules(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
    m.attr("ROUNDS") = kFewForRounds;
}

}  // namespace chamfer
