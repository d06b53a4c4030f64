"""What takes the place of scikit-learn's functions in its tests of trees and of feature agglomeration."""

from functools import partial

import numpy as np

import chamfer
import chamfer.compat.sklearn as ours

BUILDERS = {
    "ward": ours.ward_tree,
    "complete": ours.linkage_tree,
    "average": partial(ours.linkage_tree, linkage="average"),
    "single": partial(ours.linkage_tree, linkage="single"),
}


def cut(n_clusters, children, n_leaves):
    """Clusters of a tree that has no heights, by our cut: merges count in their order."""
    sizes = [1] * n_leaves
    for a, b in children.tolist():
        sizes.append(sizes[a] + sizes[b])
    Z = np.column_stack([np.sort(children, axis=1), np.arange(len(children)), sizes[n_leaves:]]).astype(float)
    return chamfer.cut(Z, n_clusters)


def replacements():
    return {**{name: getattr(ours, name) for name in ours.__all__}, "_TREE_BUILDERS": BUILDERS, "_hc_cut": cut}


# Tests that fail, and why.
DIFFERENCES = {
    f"test_hierarchical.py::test_{name}": reason
    for name, reason in {
        "affinity_passed_to_fix_connectivity": "counts how often a metric is called that returns no distances",
        "agglomerative_clustering_with_distance_threshold[42-ward]": (
            "heights fall along a graph, and the cut ends at the first that is not below the threshold"
        ),
        "compute_full_tree": "the tree is always computed in full",
        "precomputed_connectivity_metric_with_2_connected_components": "the warning has other words",
    }.items()
}
