"""Tied data has many right trees: replay checks that every merge was one of smallest value at its time."""

import numpy as np
import pytest
from scipy.spatial.distance import squareform

import chamfer
import reference
from cases import distances, duplicated, engines, grid

every_method = pytest.mark.parametrize("method", reference.LINKAGES)


def check_replay(X, method, metric="euclidean"):
    D = distances(X, metric)
    for engine in engines(method, metric):
        reference.replay(chamfer.linkage(X, method, metric, engine=engine), D, method)


@every_method
@pytest.mark.parametrize("seed", range(3))
def test_integer_grid(method, seed):
    check_replay(grid(seed, 40, 2), method)


@every_method
@pytest.mark.parametrize("seed", range(2))
def test_three_in_ten_are_duplicates(method, seed):
    check_replay(duplicated(seed, 40, 3), method)


@pytest.mark.parametrize("method", [method for method in reference.LINKAGES if method not in reference.CENTRES])
@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "cityblock"])
def test_ties_of_other_metrics(method, metric):
    check_replay(grid(5, 35, 3) + 1, method, metric)


@every_method
def test_float32_grid(method):
    X = grid(6, 40, 2).astype(np.float32)
    D = distances(X)
    for engine in engines(method):
        reference.replay(chamfer.linkage(X, method, engine=engine), D, method, rtol=1e-6, atol=1e-6)


@every_method
@pytest.mark.parametrize("n", [2, 3, 25])
def test_all_points_equal(method, n):
    X = np.full((n, 3), 0.1)
    for engine in engines(method):
        Z = chamfer.linkage(X, method, engine=engine)
        np.testing.assert_array_equal(Z[:, 2], 0)
        reference.replay(Z, np.zeros((n, n)), method)


@every_method
def test_all_distances_equal(method):
    D = 1 - np.eye(20)
    reference.replay(chamfer.linkage(D, method, "precomputed"), D, method)


@pytest.mark.parametrize("method", reference.CHAMFER)
@pytest.mark.parametrize("seed", range(20))
def test_distances_of_few_values(method, seed):
    # No metric, and only three different distances: the nearest clusters of nearly every cluster are tied.
    y = np.random.default_rng(seed).integers(1, 4, size=15 * 14 // 2).astype(float)
    D = squareform(y)
    reference.replay(chamfer.linkage(y, method), D, method)


@pytest.mark.parametrize("method", ["chamfer", "single", "complete", "average"])
def test_first_merge_of_a_tie_has_the_smallest_ids(method):
    # The corners of a square: four sides of length 1.
    Z = chamfer.linkage([[0, 0], [0, 1], [1, 1], [1, 0]], method)
    np.testing.assert_array_equal(Z[0], [0, 1, 1, 2])
