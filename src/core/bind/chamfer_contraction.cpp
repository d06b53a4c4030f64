// The graph engine: merges along edges by Chamfer linkage.
#include "../engine/chamfer_contraction.hpp"

#include "constraints.hpp"

namespace chamfer {
namespace {

template <class T>
void bind(nb::module_& m) {
    m.def(
        "contract_chamfer",
        [](Array<const T, 2> X, const std::string& metric, bool normalized, bool symmetric,
           std::optional<Array<const Id, 2>> nearest, double k, const Constraints& constraints, nb::object callback) {
            const Distances<T> distances = distances_of<T>(X, metric);
            return run_constrained(constraints, callback, [&](const Tick& tick) {
                const NearLists lists = nearest
                                            ? NearLists(distances.points, nearest->data(),
                                                        static_cast<Index>(nearest->shape(1)), k, constraints.weights)
                                            : NearLists();
                const auto merges = [&]<class Variant>(Variant) {
                    return ChamferContraction<T, Variant>(distances, constraints, lists, tick).run();
                };
                if (symmetric) return normalized ? merges(ChNS{}) : merges(ChS{});
                return normalized ? merges(ChN{}) : merges(Ch{});
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "normalized"_a, "symmetric"_a, "nearest"_a.none(), "k"_a,
        "constraints"_a, "tick"_a = nb::none(),
        "Z of points that merge along the edges of a graph by Chamfer linkage; capped if there are nearest neighbours, "
        "of which k count.");
}

}  // namespace

void bind_chamfer_contraction(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
