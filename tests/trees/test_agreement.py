"""Agreement of two trees at every number of clusters, against scikit-learn at each."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score, normalized_mutual_info_score

import chamfer
from cases import gaussian
from chamfer.trees.agreement import compare
from chamfer.trees.dendrogram import Dendrogram
from forest import TREES, every_tree
from marks import slow

SCORES = {"ari": adjusted_rand_score, "nmi": normalized_mutual_info_score, "fmi": fowlkes_mallows_score}


def check(found, cuts, numbers):
    for k, (a, b) in zip(numbers, cuts, strict=True):
        for name, score in SCORES.items():
            assert getattr(found, name)[k - 1] == pytest.approx(score(a, b), abs=1e-9), (name, k)


@every_tree
@pytest.mark.parametrize("order", ["merge", *slow("least", "cumulative")])
def test_every_cut(Z, order):
    n = len(Z) + 1
    other = chamfer.linkage(gaussian(77, n, 2), "average")
    numbers = sorted({*range(1, min(n, 7)), (n + 1) // 2, n - 1, n})
    found = chamfer.agreement(Z, other, order=order)
    assert found.n_clusters.tolist() == list(range(1, n + 1))
    cuts = [[chamfer.cut(each, k, order=order) for each in (Z, other)] for k in numbers]
    check(found, cuts, numbers)


@pytest.mark.parametrize("order", ["merge", "least"])
def test_points_at_leaves_of_both_trees(order):
    rng = np.random.default_rng(0)
    trees = [Dendrogram(chamfer.linkage(gaussian(seed, n, 2))) for seed, n in ((0, 30), (1, 25))]
    leaves = np.stack([rng.integers(tree.n_points, size=80) for tree in trees])
    found = compare(*trees, leaves, order, 20)
    cuts = [[tree.cut(k, order=order)[leaf] for tree, leaf in zip(trees, leaves, strict=True)] for k in range(1, 21)]
    check(found, cuts, range(1, 21))


def test_a_tree_agrees_with_itself_and_limits_hold():
    for Z in TREES.values():
        found = chamfer.agreement(Z, Z, max_clusters=7).to_frame()
        assert len(found) == min(7, len(Z) + 1)
        assert (found[["ari", "nmi"]] == 1).all().all()
    assert chamfer.agreement(np.empty((0, 4)), np.empty((0, 4))).ari.tolist() == [1]


def test_errors_name_the_argument():
    Z = chamfer.linkage(gaussian(0, 9, 2))
    with pytest.raises(ValueError, match="second must be a tree of the 9 points of first, got 4"):
        chamfer.agreement(Z, chamfer.linkage(gaussian(0, 4, 2)))
    with pytest.raises(ValueError, match="max_clusters must be at least 1, got 0"):
        chamfer.agreement(Z, Z, max_clusters=0)
