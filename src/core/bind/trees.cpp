// Dendrograms and their scores.
#include "../tree/agreement.hpp"
#include "../tree/copies.hpp"
#include "../tree/scores.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

void bind_dendrogram(nb::module_& m) {
    m.def("is_tree", [](TreeArray Z) { return is_tree(Z.data(), static_cast<Index>(Z.shape(0))); }, "Z"_a);
    m.def("tree_height", [](TreeArray Z) { return tree_height(tree_from(Z)); }, "Z"_a);
    m.def(
        "monotone_heights",
        [](TreeArray Z, bool cumulative) {
            std::vector<double> heights(Z.shape(0));
            monotone_heights(tree_from(Z), cumulative, heights.data());
            return to_numpy(std::move(heights), {Z.shape(0)});
        },
        "Z"_a, nb::kw_only(), "cumulative"_a);
    m.def(
        "label_points",
        [](TreeArray Z, Array<const bool, 1> applied) {
            std::vector<std::int64_t> labels(Z.shape(0) + 1);
            label_points(tree_from(Z), applied.data(), labels.data());
            return to_numpy(std::move(labels), {Z.shape(0) + 1});
        },
        "Z"_a, nb::kw_only(), "applied"_a);
    m.def(
        "cut",
        [](TreeArray Z, Index clusters, Array<std::int64_t, 1> labels) {
            cut_points(tree_from(Z), clusters, labels.data());
        },
        "Z"_a, nb::kw_only(), "n_clusters"_a, "labels"_a.noconvert(),
        "Writes labels of the points, the tree cut in merge order.");
}

void bind_copies(nb::module_& m) {
    m.def(
        "merge_copies",
        [](Array<const Id, 1> place, Index places) {
            Copies copies = merge_copies(place.data(), static_cast<Index>(place.size()), places);
            const std::size_t count = copies.merges.size(), clusters = copies.ids.size();
            std::vector<Id> pairs;
            for (const Merge& merge : copies.merges) pairs.insert(pairs.end(), {merge.a, merge.b});
            return nb::make_tuple(to_numpy(std::move(pairs), {count, std::size_t{2}}),
                                  to_numpy(std::move(copies.ids), {clusters}));
        },
        "place"_a.noconvert(), nb::kw_only(), "places"_a,
        "Merges of points at equal places, by the tie rule, and the cluster that each place becomes.");
}

void bind_agreement(nb::module_& m) {
    m.def(
        "cut_sums",
        [](TreeArray first, TreeArray second, Array<const Index, 2> leaves, Array<const Index, 2> splits,
           nb::object tick) {
            const Tree trees[2] = {tree_from(first), tree_from(second)};
            const std::size_t cuts = splits.shape(1) + 1;
            const Index points = static_cast<Index>(leaves.shape(1));
            std::vector<double> sums;
            {
                const Tick ticking = python_tick(tick);
                nb::gil_scoped_release unlocked;
                const Index* const leaf[2] = {leaves.data(), leaves.data() + points};
                Agreement agreement(trees, leaf, points);
                for (std::size_t cut = 0; cut < cuts; ++cut) {
                    if (cut % 1024 == 0) ticking(static_cast<Index>(cut));
                    if (cut > 0)
                        for (int which = 0; which < 2; ++which) agreement.split(which, splits(which, cut - 1));
                    const CutSums& now = agreement.sums();
                    sums.insert(sums.end(), now.squares, now.squares + 3);
                    sums.insert(sums.end(), now.logs, now.logs + 3);
                }
            }
            return to_numpy(std::move(sums), {cuts, std::size_t{6}});
        },
        "first"_a, "second"_a, nb::kw_only(), "leaves"_a, "splits"_a, "tick"_a = nb::none(),
        "For 1, 2, … clusters of both trees, sums of x² and of x log x over the sizes of clusters of the first, of the "
        "second, and of what two of them share. Points are at the given leaves; splits are merges, the last first.");
}

void bind_scores(nb::module_& m) {
    m.def(
        "class_gains",
        [](TreeArray Z, Array<const Id, 1> classes, Index n_classes) {
            const Tree tree = tree_from(Z);
            ClassGains gains;
            {
                nb::gil_scoped_release unlocked;
                gains = ClassCounter(tree, classes.data(), n_classes).run();
            }
            return nb::make_tuple(to_numpy(std::move(gains.pairs), {Z.shape(0)}),
                                  to_numpy(std::move(gains.information), {Z.shape(0)}),
                                  to_numpy(std::move(gains.purity), {Z.shape(0)}));
        },
        "Z"_a, nb::kw_only(), "classes"_a, "n_classes"_a,
        "What each merge adds to pairs, information and purity, see tree/scores.hpp.");
    m.def(
        "expected_information",
        [](Index n, Array<const Index, 2> classes, Array<const Index, 1> sizes, int threads) {
            std::vector<ClassSize> groups;
            for (std::size_t j = 0; j < classes.shape(0); ++j) groups.push_back({classes(j, 0), classes(j, 1)});
            std::vector<double> means;
            {
                nb::gil_scoped_release unlocked;
                means = expected_information(n, groups, sizes.data(), static_cast<Index>(sizes.size()), threads);
            }
            return to_numpy(std::move(means), {sizes.size()});
        },
        "n"_a, nb::kw_only(), "classes"_a, "sizes"_a, "threads"_a,
        "For clusters of the given sizes, the mean sum of x log x over their class counts x by chance. Rows "
        "of `classes` are a class size and how many classes have it.");
}

}  // namespace

void bind_trees(nb::module_& m) {
    bind_dendrogram(m);
    bind_scores(m);
    bind_agreement(m);
    bind_copies(m);
}

}  // namespace chamfer
