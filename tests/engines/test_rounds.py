"""Rounds of merges in the dense engine: the first ones from points, without their distances, give the same bits."""

import numpy as np
import pytest

from cases import gaussian
from chamfer import _core
from chamfer._types import Points
from chamfer.distances import pairwise
from marks import slow

N = _core.ROUNDS + 50
RULES = ("complete", "average", "weighted")


def line():
    """Points of which each is nearest to the one before: there is one pair of nearest neighbours."""
    return 1.005 ** np.arange(N)[:, None]


def ties():
    """Points of a grid, many of them several times."""
    return np.random.default_rng(3).integers(0, 6, (N, 4)).astype(float)


def lattice():
    """Points whose distances tie but for rounding."""
    return np.stack(np.unravel_index(np.arange(N), (11, 11, 11)), axis=1) * 0.1 + 3


def copies():
    """Nearly half of the points in one place: all of them would have to be compared with each other."""
    X = gaussian(4, N, 3)
    X[: N * 9 // 20] = X[0]
    return X


def heaps():
    """Groups of up to a hundred points, much closer to each other than to others."""
    return gaussian(5, N, 3) * 1e-3 + gaussian(6, N, 3)[np.arange(N) % 13]


DATA = {
    "gaussian": lambda: gaussian(1, N, 5),
    "line": line,
    "ties": ties,
    "lattice": lattice,
    "copies": copies,
    "heaps": heaps,
    "widest": lambda: gaussian(2, N, 16),
}


def from_points(X, rule, metric, threads):
    return _core.dense_points(
        X, metric=metric, make_room=lambda m: np.empty(m * (m - 1) // 2, X.dtype), rule=rule, threads=threads
    )


def from_distances(X, rule, metric):
    distances = pairwise.condensed(Points(X, metric, exponent=0), 1)
    return _core.dense_rule(distances, n=N, rule=rule, threads=1)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.float64, *slow(np.float32)])
@pytest.mark.parametrize("metric", ["euclidean", *slow("sqeuclidean", "cosine")])
def test_points_and_distances_give_the_same_tree(data, rule, dtype, metric):
    X = np.ascontiguousarray(DATA[data](), dtype)
    expected = from_distances(X, rule, metric)
    for threads in (1, 3):
        np.testing.assert_array_equal(from_points(X, rule, metric, threads), expected)


@pytest.mark.parametrize("rule", ["ward", "centroid"])
def test_other_rules_are_refused(rule):
    with pytest.raises(ValueError, match=f"no such rule here: {rule}"):
        from_points(gaussian(1, N, 2), rule, "euclidean", 1)
