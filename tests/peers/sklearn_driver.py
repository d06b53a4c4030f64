"""What takes the place of scikit-learn's functions in its tests of trees and of feature agglomeration."""

import inspect
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


# Tests that need a graph of allowed merges.
CONNECTIVITY = """
    affinity_passed_to_fix_connectivity agglomerative_clustering[ agglomerative_clustering_distances
    agglomerative_clustering_with_distance_threshold[ compute_full_tree connectivity_ height_linkage_tree
    identical_points linkage_misc n_components
    precomputed_connectivity_metric sparse_scikit_vs_scipy structured_linkage_tree
    agglomeration_ward_euclidean ward_agglomeration ward_linkage_tree_return_distance ward_tree_children_order
"""
DIFFERENCES = {}
if "connectivity" not in inspect.signature(chamfer.linkage).parameters:
    DIFFERENCES = {f"test_hierarchical.py::test_{each}": "needs connectivity" for each in CONNECTIVITY.split()}
