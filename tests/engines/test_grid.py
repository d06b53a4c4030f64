"""Ward's linkage of few points by rounded distances: every decision is that of exact ones, or it is left to them."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage

import chamfer
import reference
from cases import apart, assert_same_tree, distances, duplicated, gaussian, grid
from chamfer import _core


def by_grid(X, threads=1):
    """The tree by rounded distances, which have to do."""
    Z = _core.grid_ward(np.asarray(X, dtype=np.float64), threads=threads)
    assert Z is not None
    Z[:, 2] = np.sqrt(Z[:, 2])
    return Z


def twins(gap, n=40, d=24):
    """Every point has two others near it, on both sides, whose distances differ by a share `gap`."""
    X, step = gaussian(0, n, d), gaussian(1, n, d) / 20
    return np.concatenate([X, X + step, X - step * (1 + gap)])[np.random.default_rng(2).permutation(3 * n)]


@pytest.mark.parametrize(
    ("n", "d"), [(2, 17), (3, 18), (4, 33), (31, 64), (33, 65), (100, 128), (257, 40), (512, 129), (60, 500)]
)
def test_random_points(n, d):
    X = gaussian(n, n, d)
    assert_same_tree(by_grid(X), scipy_linkage(X, "ward"), rtol=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_values_that_rounding_cannot_tell_apart(gap):
    X = twins(gap)
    assert_same_tree(by_grid(X), scipy_linkage(X, "ward"), rtol=1e-11)


@pytest.mark.parametrize("apart_by", [0, 3, 30, 300, 3e4, 3e6])
@pytest.mark.parametrize("d", [20, 100])
def test_groups(apart_by, d):
    """Within groups far apart, distances take few steps of the grid, or none."""
    X = gaussian(3, 8, d)[np.random.default_rng(4).integers(8, size=200)] * apart_by + gaussian(5, 200, d)
    assert_same_tree(chamfer.linkage(X, "ward"), scipy_linkage(X, "ward"))


@pytest.mark.parametrize("growth", [1.0, 1.01, 1.1])
def test_a_tree_of_many_levels(growth):
    """Points along a line, each a little farther than the last one: errors of updates add up."""
    X = np.zeros((150, 20))
    X[:, 3] = np.cumsum(growth ** np.arange(150)) + np.random.default_rng(6).normal(size=150) * 1e-3
    assert_same_tree(chamfer.linkage(X, "ward"), scipy_linkage(X, "ward"))


@pytest.mark.parametrize("seed", range(3))
def test_ties_and_duplicates(seed):
    for X in (grid(seed, 45, 20), duplicated(seed, 50, 18), np.eye(40)[:, :30]):
        reference.replay(chamfer.linkage(X, "ward"), distances(X), "ward")


@pytest.mark.parametrize(
    "X",
    [
        np.ascontiguousarray(np.eye(64)[:, :60]),  # too many comparisons
        np.vstack([gaussian(0, 50, 20), np.full((1, 20), 1e9)]),  # all but one at the same place of the grid
        np.full((20, 20), 0.1),
        gaussian(0, 20, 16),
        gaussian(0, 20, 513),
    ],
    ids=["equal", "outlier", "same", "few", "many"],
)
def test_what_takes_all_distances(X):
    assert _core.grid_ward(X, threads=1) is None
    assert np.array_equal(chamfer.linkage(X, "ward"), chamfer.linkage(X, "ward", n_jobs=1))
    reference.replay(chamfer.linkage(X, "ward"), distances(X), "ward")


def test_the_points_stay():
    X = gaussian(0, 60, 30)
    before = X.copy()
    by_grid(X)
    assert np.array_equal(X, before)


def test_threads():
    X = gaussian(7, 300, 40)
    assert np.array_equal(by_grid(X, 1), by_grid(X, 3))


def test_every_level_gives_the_same_bits():
    code = "X = np.random.default_rng(0).normal(size=(130, 37)); print(chamfer.linkage(X, 'ward').tobytes().hex())"
    assert len({apart(code, CHAMFER_LEVEL=level) for level in ("base", "v3", "v4")}) == 1


@pytest.mark.parametrize("apart_by", [10, 30])
def test_groups_are_told_by_the_grid(apart_by):
    """The margin shrinks with the distances, so that groups far apart need no distances in double."""
    X = gaussian(3, 8, 128)[np.random.default_rng(4).integers(8, size=300)] * apart_by + gaussian(5, 300, 128)
    assert_same_tree(by_grid(X), scipy_linkage(X, "ward"))
