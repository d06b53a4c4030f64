// The dense engine for Chamfer linkage and its variants.
#include "../engine/dense_chamfer.hpp"

#include "../engine/lazy_chamfer.hpp"
#include "bind.hpp"
#include "dense.hpp"

namespace chamfer {

template <class T>
Merges merges_by_chamfer(bool normalized, bool symmetric, T* square, Index n, int threads, const Tick& tick) {
    const auto merges = [&]<class Variant>(Variant) { return DenseChamfer<T, Variant>(square, n, threads).run(tick); };
    if (symmetric) return normalized ? merges(ChNS{}) : merges(ChS{});
    return normalized ? merges(ChN{}) : merges(Ch{});
}

template Merges merges_by_chamfer(bool, bool, float*, Index, int, const Tick&);
template Merges merges_by_chamfer(bool, bool, double*, Index, int, const Tick&);

namespace {

template <class T>
void bind(nb::module_& m) {
    m.def(
        "dense_chamfer",
        [](Array<T, 2> square, bool normalized, bool symmetric, int threads, nb::object callback) {
            return run(callback, [&](const Tick& tick) {
                return merges_by_chamfer(normalized, symmetric, square.data(), static_cast<Index>(square.shape(0)),
                                         threads, tick);
            });
        },
        "square"_a.noconvert(), nb::kw_only(), "normalized"_a, "symmetric"_a, "threads"_a, "tick"_a = nb::none(),
        "Z from a square matrix of distances, which is overwritten.");
    m.def(
        "dense_lazy",
        [](Array<T, 2> square, bool symmetric, int threads, nb::object callback) {
            return run_or_none(callback, [&](const Tick& tick) {
                const auto n = static_cast<Index>(square.shape(0));
                return symmetric ? LazyChamfer<T, ChS>(square.data(), n, threads).run(tick)
                                 : LazyChamfer<T, Ch>(square.data(), n, threads).run(tick);
            });
        },
        "square"_a.noconvert(), nb::kw_only(), "symmetric"_a, "threads"_a, "tick"_a = nb::none(),
        "The same by chamfer or chamfer_symmetric, faster for most distances; None, and they are lost, if it would be "
        "slower.");
}

}  // namespace

void bind_dense_chamfer(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
