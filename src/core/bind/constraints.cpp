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

// Edges in both directions, each once, in ascending order, without loops. Every point is the end of as many edges as it
// is the start of, so two passes over the ends in ascending order sort both.
Csr both_ways(const Array<const Index, 1>& rows, const Array<const Index, 1>& columns, Index n) {
    std::vector<Index> firsts(n + 1);
    const auto each = [&](auto&& visit) {
        for (std::size_t i = 0; i < rows.shape(0); ++i)
            if (const Index a = rows.data()[i], b = columns.data()[i]; a != b) visit(a, b), visit(b, a);
    };
    each([&](Index, Index end) { ++firsts[end + 1]; });
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    std::vector<Id> starts(firsts.back());
    std::vector<Index> place(firsts.begin(), firsts.end() - 1);
    each([&](Index start, Index end) { starts[place[end]++] = static_cast<Id>(start); });
    Csr graph{{0}, std::vector<Id>(firsts.back())};
    std::copy(firsts.begin(), firsts.end() - 1, place.begin());
    for (Id end = 0; end < n; ++end)
        for (Index i = firsts[end]; i < firsts[end + 1]; ++i)
            if (Index& at = place[starts[i]]; at == firsts[starts[i]] || graph.items[at - 1] != end)
                graph.items[at++] = end;
    auto last = graph.items.begin();
    for (Index p = 0; p < n; ++p) {
        last = std::copy(graph.items.begin() + firsts[p], graph.items.begin() + place[p], last);
        graph.firsts.push_back(last - graph.items.begin());
    }
    graph.items.erase(last, graph.items.end());
    return graph;
}

// The component of each point, numbered by their lowest points.
std::vector<Id> components(const Firsts& firsts, const Items& items) {
    const Index n = static_cast<Index>(firsts.shape(0)) - 1;
    UnionFind sets(n);
    for (Id p = 0; p < n; ++p)
        for (Index i = firsts.data()[p]; i < firsts.data()[p + 1]; ++i) {
            const Id a = sets.find(p), b = sets.find(items.data()[i]);
            sets.attach(std::max(a, b), std::min(a, b));
        }
    std::vector<Id> number(n);
    Id next = 0;
    for (Id p = 0; p < n; ++p) number[p] = sets.is_root(p) ? next++ : number[sets.find(p)];
    return number;
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
        "both_ways",
        [](Array<const Index, 1> rows, Array<const Index, 1> columns, Index n) {
            Csr graph = both_ways(rows, columns, n);
            const std::size_t count = graph.items.size();
            return std::pair(to_numpy(std::move(graph.firsts), {static_cast<std::size_t>(n) + 1}),
                             to_numpy(std::move(graph.items), {count}));
        },
        "rows"_a.noconvert(), "columns"_a.noconvert(), nb::kw_only(), "n"_a,
        "Edges in both directions, each once, in ascending order, without loops: where those of a point begin, and "
        "their ends.");
    m.def(
        "components",
        [](Firsts firsts, Items items) {
            std::vector<Id> number = components(firsts, items);
            const std::size_t n = number.size();
            return to_numpy(std::move(number), {n});
        },
        "firsts"_a.noconvert(), "items"_a.noconvert(),
        "The component of each point of a graph, numbered by their lowest points.");
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
