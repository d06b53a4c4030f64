// Dendrograms and their scores.
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
}

}  // namespace chamfer
