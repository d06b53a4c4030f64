// The dense engine for Chamfer linkage and its variants.
#include "../engine/dense_chamfer.hpp"

#include "bind.hpp"

namespace chamfer {
namespace {

template <class T>
void bind(nb::module_& m) {
    m.def(
        "dense_chamfer",
        [](Array<T, 2> square, bool normalized, bool symmetric, int threads, nb::object callback) {
            return run(callback, [&](const Tick& tick) {
                const auto merges = [&]<class Variant>(Variant) {
                    return DenseChamfer<T, Variant>(square.data(), static_cast<Index>(square.shape(0)), threads)
                        .run(tick);
                };
                if (symmetric) return normalized ? merges(ChNS{}) : merges(ChS{});
                return normalized ? merges(ChN{}) : merges(Ch{});
            });
        },
        "square"_a.noconvert(), nb::kw_only(), "normalized"_a, "symmetric"_a, "threads"_a, "tick"_a = nb::none(),
        "Z from a square matrix of distances, which is overwritten.");
}

}  // namespace

void bind_dense_chamfer(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
