"""Tied data has many right trees: replay checks that every merge was one of smallest value at its time."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import squareform

import chamfer
import reference
from cases import distances, duplicated, engines, grid
from marks import slow

every_method = pytest.mark.parametrize("method", reference.LINKAGES)


def check_replay(X, method, metric="euclidean"):
    D = distances(X, metric)
    for engine in engines(method, metric):
        reference.replay(chamfer.linkage(X, method, metric, engine=engine), D, method)


@every_method
@pytest.mark.parametrize("seed", [0, *slow(1, 2)])
def test_integer_grid(method, seed):
    check_replay(grid(seed, 40, 2), method)


@every_method
@pytest.mark.parametrize("seed", [0, *slow(1)])
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


def exactly(D, normalized):
    """Chamfer linkage with sums rounded once, and the tie rule."""
    n = len(D)
    clusters, Z = {point: [point] for point in range(n)}, []

    def value(A, B):
        total = float(sum(Fraction(min(D[a, b] for b in B)) for a in A))
        return total / len(A) if normalized else total

    for i in range(n - 1):
        height, low, high = min(
            (value(A, B), min(a, b), max(a, b)) for a, A in clusters.items() for b, B in clusters.items() if a != b
        )
        clusters[n + i] = clusters.pop(low) + clusters.pop(high)
        Z.append([low, high, height, len(clusters[n + i])])
    return np.array(Z)


@pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized"])
@pytest.mark.parametrize("seed", [0, 3, 7, 12, 20, 29, 43, 45, 61, 84, 137])
def test_equal_sums_tie_in_whatever_order_they_were_added(seed, method):
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are not the same number, but they are the same sum.
    random = np.random.default_rng(seed)
    n = int(random.integers(6, 14))
    y = random.choice([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], size=n * (n - 1) // 2)
    expected = exactly(squareform(y), method == "chamfer_normalized")
    np.testing.assert_array_equal(chamfer.linkage(y, method, engine="lists"), expected)
