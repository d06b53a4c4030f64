"""The oracle is itself right: against SciPy, against values worked out by hand, and it does refuse wrong trees."""

import numpy as np
import pytest
from scipy.cluster import hierarchy

import reference
from cases import assert_same_tree, distances, duplicated, gaussian, grid
from marks import slow


@pytest.mark.parametrize("method", reference.CLASSICAL)
@pytest.mark.parametrize("seed", range(5))
def test_reference_is_scipy_for_classical_linkages(method, seed):
    X = gaussian(seed, 10 + 10 * seed, 1 + seed)
    assert_same_tree(reference.linkage(distances(X), method), hierarchy.linkage(X, method))


# Points 0, 1 and 5 on a line: 0 and 1 merge at 1; then 5 walks 4 to the pair, the pair walks 5 + 4 to it.
@pytest.mark.parametrize(
    ("method", "first", "last"),
    [
        ("chamfer", 1, 4),
        ("chamfer_normalized", 1, 4),
        ("chamfer_symmetric", 2, 4 + 9),
        ("chamfer_normalized_symmetric", 2, 4 + 9 / 2),
        ("single", 1, 4),
        ("complete", 1, 5),
        ("average", 1, 4.5),
        ("weighted", 1, 4.5),
        ("centroid", 1, 4.5),
        ("median", 1, 4.5),
        ("ward", 1, np.sqrt(4 / 3) * 4.5),
    ],
)
def test_values_worked_out_by_hand(method, first, last):
    expected = [[0, 1, first, 2], [2, 3, last, 3]]
    np.testing.assert_allclose(reference.linkage(distances([[0], [1], [5]]), method), expected, rtol=1e-14)


# Pairs {0, 1} and {4, 6} on a line: left to right walks 4 + 3, right to left 3 + 5.
@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("chamfer", 7),
        ("chamfer_normalized", 7 / 2),
        ("chamfer_symmetric", 7 + 8),
        ("chamfer_normalized_symmetric", 7 / 2 + 8 / 2),
    ],
)
def test_chamfer_between_two_pairs(method, value):
    Z = reference.linkage(distances([[0], [1], [4], [6]]), method)
    np.testing.assert_array_equal(Z[:, :2], [[0, 1], [2, 3], [4, 5]])
    assert Z[-1, 2] == value


def test_ties_go_to_the_smaller_ids():
    # A square: all four sides are equal. Lower id first, then higher id: 0 with 1, then 2 with 3.
    Z = reference.linkage(distances([[0, 0], [0, 1], [1, 1], [1, 0]]), "single")
    np.testing.assert_array_equal(Z, [[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 1, 4]])


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("make", [gaussian, grid, *slow(duplicated)])
def test_replay_accepts_the_definition(method, make):
    D = distances(make(0, 40, 2))
    reference.replay(reference.linkage(D, method), D, method)


class TestReplayRefuses:
    """Replay is the judge of tied data, so it has to notice every kind of wrong tree."""

    D = distances([[0], [1], [5], [11]])
    Z = reference.linkage(D, "single")

    def refuses(self, Z, message):
        with pytest.raises(AssertionError, match=message):
            reference.replay(np.asarray(Z, dtype=float), self.D, "single")

    def test_the_right_tree_passes(self):
        reference.replay(self.Z, self.D, "single")

    def test_a_merge_that_was_not_smallest(self):
        self.refuses([[1, 2, 4, 2], [0, 4, 1, 3], [3, 5, 6, 4]], "merge 0 has value 4.0, but 1.0 was there")

    def test_a_wrong_height(self):
        Z = self.Z.copy()
        Z[1, 2] *= 1 + 1e-8
        self.refuses(Z, "merge 1 has height")

    def test_a_wrong_size(self):
        Z = self.Z.copy()
        Z[1, 3] = 2
        self.refuses(Z, "merge 1 has size 2")

    def test_a_cluster_that_is_gone(self):
        self.refuses([[0, 1, 1, 2], [1, 2, 4, 3], [3, 5, 6, 4]], r"joins cluster 1.0, which is not there")

    def test_clusters_out_of_order(self):
        self.refuses([[1, 0, 1, 2], [2, 4, 4, 3], [3, 5, 6, 4]], "out of order")

    def test_missing_merges(self):
        with pytest.raises(AssertionError):
            reference.replay(self.Z[:-1], self.D, "single")
