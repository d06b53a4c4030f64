// Constraints as Python hands them over, checked there.
#include "constraints.hpp"

#include <nanobind/stl/pair.h>

namespace chamfer {
namespace {

using Firsts = Array<const Index, 1>;
using Items = Array<const Id, 1>;

Csr csr_of(const Firsts& firsts, const Items& items) {
    return {{firsts.data(), firsts.data() + firsts.shape(0)}, {items.data(), items.data() + items.shape(0)}};
}

Merges merges_of(const Array<const Id, 2>& pairs, const Array<const double, 1>& heights) {
    Merges merges;
    for (std::size_t i = 0; i < heights.shape(0); ++i)
        merges.push_back({pairs.data()[2 * i], pairs.data()[2 * i + 1], heights.data()[i]});
    return merges;
}

}  // namespace

void bind_constraints(nb::module_& m) {
    nb::class_<Constraints>(m, "Constraints", "Weights of points, and what may merge.")
        .def(
            "__init__",
            [](Constraints* self, Array<const double, 1> weights, double max_size,
               std::optional<std::pair<Firsts, Items>> graph, std::pair<Firsts, Items> labels,
               Array<const Id, 2> together, Array<const double, 1> heights) {
                new (self) Constraints{{weights.data(), weights.data() + weights.shape(0)},
                                       max_size,
                                       !graph,
                                       graph ? csr_of(graph->first, graph->second) : Csr{},
                                       csr_of(labels.first, labels.second),
                                       merges_of(together, heights)};
            },
            "weights"_a, nb::kw_only(), "max_size"_a, "graph"_a.none(), "labels"_a, "together"_a, "heights"_a);
    m.def(
        "join_partitions",
        [](Array<const Id, 2> pairs, Array<const double, 1> heights, Index n) {
            const Merges merges = that_join(merges_of(pairs, heights), n);
            if (static_cast<Index>(merges.size()) != n - 1) throw std::invalid_argument("merges must join all points");
            return tree_of(merges);
        },
        "pairs"_a, nb::kw_only(), "heights"_a, "n"_a,
        "Z from merges of points, in their order; those of points that are together already are left out.");
}

}  // namespace chamfer
