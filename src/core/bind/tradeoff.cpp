// The tradeoff engine.
#include "../engine/tradeoff.hpp"

#include "bind.hpp"

namespace chamfer {
namespace {

template <class T>
void bind(nb::module_& m) {
    m.def(
        "tradeoff",
        [](Array<const T, 2> X, const std::string& metric, bool normalized, Index t, Array<const Id, 2> nearest,
           Array<const T, 2> distances, WeightsArray weights, int threads, nb::object callback) {
            const Distances<T> distance = distances_of<T>(X, metric);
            return run(callback, [&](const Tick& tick) {
                const auto merges = [&]<class Variant>(Variant) {
                    return Tradeoff<T, Variant>(distance, t, nearest.data(), distances.data(), weights_of(weights),
                                                threads)
                        .run(tick);
                };
                return normalized ? merges(ChN{}) : merges(Ch{});
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "normalized"_a, "t"_a, "nearest"_a.noconvert(),
        "distances"_a.noconvert(), "weights"_a = nb::none(), "threads"_a, "tick"_a = nb::none(),
        "Z from points, of which the nearest other points are given, in O(n^2 / t) memory.");
}

}  // namespace

void bind_tradeoff(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
