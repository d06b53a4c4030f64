"""Leaves of clusters, heights at which points come together, flat clusters as SciPy's, and orders of leaves."""

import itertools

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import chamfer
from cases import gaussian
from chamfer.inputs import check_input
from chamfer.trees import ordering as module
from chamfer.trees.dendrogram import Dendrogram
from forest import every_tree


def leaf_lists(Z):
    """The points of every cluster, in the order of the tree."""
    n = len(Z) + 1
    found = [[point] for point in range(n)]
    for a, b in Z[:, :2].astype(int):
        found.append(found[a] + found[b])
    return found


def length(Z, X):
    """Sum of distances between adjacent leaves."""
    order = leaf_lists(Z)[-1]
    return np.linalg.norm(np.diff(X[order], axis=0), axis=1).sum()


def by_first_appearance(labels):
    numbers = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels.tolist()]


@every_tree
class TestEveryTree:
    def test_leaves_of_every_cluster(self, Z):
        found = chamfer.leaves(Z)
        assert [found[cluster].tolist() for cluster in range(len(found))] == leaf_lists(Z)
        assert found.size.tolist() == [len(each) for each in leaf_lists(Z)]

    @pytest.mark.parametrize("heights", ["max", "own", "cumulative"])
    def test_cophenet_is_the_height_of_the_smallest_common_cluster(self, Z, heights):
        n = len(Z) + 1
        sets = [frozenset(each) for each in leaf_lists(Z)]
        level = list(Z[:, 2])
        for i, (a, b) in enumerate(Z[:, :2].astype(int)):
            below = [level[c - n] for c in (a, b) if c >= n]
            if heights != "own":
                level[i] = max([level[i], *below]) if heights == "max" else level[i] + sum(below)
        pairs = list(itertools.combinations(range(n), 2))
        wanted = [next(level[i] for i in range(n - 1) if {p, q} <= sets[n + i]) for p, q in pairs]
        np.testing.assert_allclose(chamfer.cophenet(Z, heights=heights), wanted, rtol=1e-12)
        some = np.random.default_rng(0).integers(n, size=(50, 2))
        square = squareform(np.array(wanted))
        np.testing.assert_allclose(chamfer.cophenet(Z, some, heights=heights), square[some[:, 0], some[:, 1]])

    def test_fcluster_of_exactly_so_many_clusters(self, Z):
        n = len(Z) + 1
        for k in range(1, n + 2):
            labels = chamfer.fcluster(Z, k, "maxclust")
            assert set(labels) == set(range(1, min(k, n) + 1))
            assert by_first_appearance(labels) == chamfer.cut(Z, min(k, n), order="least").tolist()

    def test_fcluster_by_distance_has_no_higher_merge_inside(self, Z):
        for height in [0, *Z[:, 2]]:
            labels = chamfer.fcluster(Z, height, "distance")
            assert by_first_appearance(labels) == chamfer.cut(Z, height=height, order="least").tolist()


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
def test_fcluster_is_scipys_where_heights_neither_fall_nor_tie(method):
    Z = hierarchy.linkage(gaussian(3, 70, 3), method)
    for t in (1, 2, 5, 30, 70, 100):
        np.testing.assert_array_equal(chamfer.fcluster(Z, t, "maxclust"), hierarchy.fcluster(Z, t, "maxclust"))
    for criterion, t in (("distance", 1.0), ("inconsistent", 0.8), ("inconsistent", 1.1)):
        np.testing.assert_array_equal(chamfer.fcluster(Z, t, criterion), hierarchy.fcluster(Z, t, criterion))
    largest = hierarchy.maxdists(Z)
    for criterion, t in (("monocrit", 1.0), ("maxclust_monocrit", 4)):
        wanted = hierarchy.fcluster(Z, t, criterion, monocrit=largest)
        np.testing.assert_array_equal(chamfer.fcluster(Z, t, criterion, monocrit=largest), wanted)
    np.testing.assert_array_equal(chamfer.cophenet(Z), hierarchy.cophenet(Z))


class TestOrder:
    @pytest.mark.parametrize("method", ["chamfer", "average", "single"])
    def test_few_points_have_the_best_order_of_all(self, method):
        X = gaussian(1, 8, 2)
        Z = chamfer.linkage(X, method)
        best = np.inf
        for turns in itertools.product([False, True], repeat=7):
            turned = Z.copy()
            turned[list(turns), :2] = turned[list(turns), 1::-1]
            best = min(best, length(turned, X))
        assert length(chamfer.order_leaves(Z, X), X) == pytest.approx(best)

    @pytest.mark.parametrize("method", ["chamfer", "average", "single", "centroid"])
    @pytest.mark.parametrize("seed", range(3))
    def test_many_points_have_a_good_one(self, method, seed):
        X = gaussian(seed, 150, 2)
        Z = chamfer.linkage(X, method)
        found = module.turned(Dendrogram(Z), check_input(X, "euclidean"))
        assert [set(each) for each in leaf_lists(found)] == [set(each) for each in leaf_lists(Z)]
        np.testing.assert_array_equal(found[:, 2:], Z[:, 2:])
        best = length(chamfer.order_leaves(Z, X), X)
        assert best <= length(hierarchy.optimal_leaf_ordering(Z, pdist(X)), X) + 1e-9
        assert best <= length(found, X) + 1e-9
        assert length(found, X) < 1.15 * best
        assert length(found, X) < length(Z, X)

    def test_no_turn_of_one_branch_is_shorter(self):
        X = gaussian(4, 60, 2)
        found = module.turned(Dendrogram(chamfer.linkage(X)), check_input(X, "euclidean"))
        swept = length(module.turned(Dendrogram(found), check_input(X, "euclidean")), X)
        assert swept <= length(found, X) + 1e-9

    def test_distances_and_floats_give_the_same_order(self):
        X = gaussian(5, 260, 3).astype(np.float32).astype(np.float64)
        Z = chamfer.linkage(X)
        wanted = chamfer.order_leaves(Z, X)
        np.testing.assert_array_equal(chamfer.order_leaves(Z, pdist(X)), wanted)
        assert length(chamfer.order_leaves(Z, X.astype(np.float32)), X) == pytest.approx(length(wanted, X), rel=0.02)

    def test_tiny_trees(self):
        for n in (1, 2, 3):
            X = gaussian(6, n, 2)
            Z = chamfer.linkage(X)
            assert chamfer.order_leaves(Z, X).shape == Z.shape
            assert module.turned(Dendrogram(Z), check_input(X, "euclidean")).shape == Z.shape


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Z: chamfer.cophenet(Z, [[0, 4]]), "pairs must be points between 0 and 3, got 0 to 4"),
        (lambda Z: chamfer.cophenet(Z, [0, 1]), r"pairs must be integers of shape \(m, 2\)"),
        (lambda Z: chamfer.cophenet(Z, [[0.5, 1]]), "pairs must be integers"),
        (lambda Z: chamfer.cophenet(Z, heights="low"), "heights must be one of own, max, cumulative"),
        (lambda Z: chamfer.fcluster(Z, 2, "clusters"), "criterion must be one of inconsistent, distance, maxclust"),
        (lambda Z: chamfer.fcluster(Z, 0, "maxclust"), "t must be a number of at least 1, got 0"),
        (lambda Z: chamfer.leaves(Z)[7], "cluster must be between 0 and 6, got 7"),
        (lambda Z: chamfer.order_leaves(Z, [[1.0], [2.0]]), "X must hold the 4 points of Z, got 2"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call(chamfer.linkage([[0.0], [1.0], [5.0], [6.5]]))


def test_slow_metrics_of_many_points_are_refused():
    X = gaussian(7, 201, 2)
    with pytest.raises(ValueError, match=r"metric must be one of euclidean, .* for more than 200"):
        chamfer.order_leaves(chamfer.linkage(X), X, "cityblock")
