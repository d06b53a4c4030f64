// The points engine for Ch_S and Ch_NS.
#include "../engine/symmetric_lists.hpp"

#include "../engine/few_clusters.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

// Merges from lists of near points; the last ones, of few clusters, from the distances of all points to them.
template <class Variant, class T>
std::optional<Merges> merges_of(const Distances<T>& distances, const std::vector<double>& weights,
                                const FirstLists<T>& first, Index few, Index most, int threads, const Tick& tick) {
    const auto n = static_cast<Id>(distances.points.n);
    Merges merges;
    merges.reserve(n - 1);
    std::vector<std::pair<Id, std::vector<Id>>> left;
    {
        SymmetricLists<T, Variant> lists(distances, weights, first, threads);
        if (!lists.run(few, most, merges, tick)) return std::nullopt;
        for (Id slot = 0; slot < n; ++slot)
            if (lists.id(slot) != kNone) left.push_back({lists.id(slot), lists.points(slot)});
    }
    std::ranges::sort(left);
    std::vector<Id> ids;
    std::vector<std::vector<Id>> points;
    for (auto& [id, members] : left) ids.push_back(id), points.push_back(std::move(members));
    FewClusters<T, Variant>(distances, weights, std::move(ids), points).run(merges, threads, tick);
    return merges;
}

template <class T>
void bind(nb::module_& m) {
    m.def(
        "symmetric_lists",
        [](Array<const T, 2> X, const std::string& metric, bool normalized, const WeightsArray& weights,
           Array<const Id, 2> nearest, Array<const T, 2> distances, Array<const T, 1> bounds, Index few, Index most,
           int threads, nb::object callback) {
            const Distances<T> distance = distances_of<T>(X, metric);
            const std::vector<double> counts = or_ones(weights_of(weights), distance.points.n);
            const FirstLists<T> first = first_lists<T>(nearest, distances, bounds);
            return run_or_none(callback, [&](const Tick& tick) {
                return normalized ? merges_of<ChNS>(distance, counts, first, few, most, threads, tick)
                                  : merges_of<ChS>(distance, counts, first, few, most, threads, tick);
            });
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "normalized"_a, "weights"_a = nb::none(), "nearest"_a.noconvert(),
        "distances"_a.noconvert(), "bounds"_a.noconvert(), "few"_a, "most"_a, "threads"_a, "tick"_a = nb::none(),
        "Merges of a symmetric Chamfer linkage as Z, from points and their nearest other points, until `few` clusters "
        "are left; then from the distances of all points to them. None if clusters would keep more than `most` others "
        "in mind.");
}

}  // namespace

void bind_symmetric_lists(nb::module_& m) {
    bind<float>(m);
    bind<double>(m);
}

}  // namespace chamfer
