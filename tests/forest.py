"""Trees of every kind, which the tests of cuts, scores and curves share."""

import numpy as np
import pytest
from scipy.cluster import hierarchy

import chamfer
from cases import gaussian
from chamfer.trees.dendrogram import ORDERS


def falling_tree(seed, n=30, method="chamfer_normalized"):
    """A tree whose heights fall many times, as distances that are no metric give."""
    return chamfer.linkage(np.random.default_rng(seed).uniform(size=n * (n - 1) // 2), method)


TREES = {
    **{f"falling {seed}": falling_tree(seed) for seed in range(4)},
    **{f"symmetric {seed}": falling_tree(seed, method="chamfer_symmetric") for seed in range(2)},
    "chamfer": chamfer.linkage(gaussian(0, 40, 2)),
    "centroid": chamfer.linkage(gaussian(1, 40, 2), "centroid"),
    "average": chamfer.linkage(gaussian(2, 40, 2), "average"),
    "single": chamfer.linkage(gaussian(3, 40, 2), "single"),
    "SciPy's, branches turned": hierarchy.linkage(gaussian(4, 40, 2), "average", optimal_ordering=True),
    "two points": chamfer.linkage(gaussian(5, 2, 2)),
}
every_tree = pytest.mark.parametrize("Z", TREES.values(), ids=TREES)
every_order = pytest.mark.parametrize("order", ORDERS)
