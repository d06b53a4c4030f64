"""Approximate neighbours: the recall is what it is said to be, distances are true, threads change nothing."""

from itertools import pairwise

import numpy as np
import pytest

import chamfer
from cases import gaussian
from chamfer._types import Points
from chamfer.distances.copies import places_by
from chamfer.inputs import check_input
from chamfer.sources import BlasSource, graph
from chamfer.sources.local_rows import LocalRows
from marks import slow


def true_neighbours(X, k, metric="euclidean"):
    return chamfer.neighbors(X, k, metric=metric, source="blas").indices


def share(found, true):
    return np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)])


def low_rank(n, d, rank):
    random = np.random.default_rng(3)
    return random.normal(size=(n, rank)) @ random.normal(size=(rank, d)) + 0.1 * random.normal(size=(n, d))


@pytest.fixture(autouse=True)
def small(tuned):
    """Rounds that a few thousand points go through."""
    tuned(graph_exact=64, graph_leaf=64, graph_sample=256)


@pytest.mark.parametrize("metric", [*slow("euclidean", "sqeuclidean"), "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_recall_and_distances(metric, dtype):
    X = gaussian(1, 3000, 12, dtype)
    found = chamfer.neighbors(X, 10, metric=metric, source="ann", recall=0.97)
    exact = chamfer.neighbors(X, 10, metric=metric, source="blas")
    assert found.recall >= 0.97
    assert share(found.indices, exact.indices) > 0.95
    assert found.indices.dtype == np.int32
    assert found.distances.dtype == dtype
    assert np.all(np.diff(found.distances, axis=1) >= 0)
    # The same pair has the same distance, to the bit.
    for a, b, x, y in zip(found.indices, exact.indices, found.distances, exact.distances, strict=True):
        _, here, there = np.intersect1d(a, b, return_indices=True)
        np.testing.assert_array_equal(x[here], y[there])


@pytest.mark.parametrize("make", [lambda: gaussian(2, 4000, 6), *slow(lambda: low_rank(4000, 200, 10))])
def test_the_measured_recall_is_about_the_true_one(make):
    X = make()
    for recall in (0.5, 0.9, 0.99):
        found = chamfer.neighbors(X, 8, source="ann", recall=recall)
        assert found.recall >= recall
        assert abs(found.recall - share(found.indices, true_neighbours(X, 8))) < 0.03


@pytest.mark.parametrize("X", [gaussian(4, 2500, 5, np.float32), low_rank(2500, 150, 5)], ids=["all", "few"])
def test_number_of_threads(X):
    one = chamfer.neighbors(X, 12, source="ann", n_jobs=1)
    for threads in (2, 3):
        other = chamfer.neighbors(X, 12, source="ann", n_jobs=threads)
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)
        assert one.recall == other.recall


def test_the_generator_decides():
    X = gaussian(5, 3000, 16)
    first, same, other = (chamfer.neighbors(X, 5, source="ann", recall=0.3, rng=rng).indices for rng in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)
    random = np.random.default_rng(1)
    chamfer.neighbors(X, 5, source="ann", recall=0.3, rng=random)
    assert random.bit_generator.state != np.random.default_rng(1).bit_generator.state


def test_a_recall_that_is_not_reached_is_told(monkeypatch):
    monkeypatch.setattr(graph, "_LEAVES", 1)
    X = gaussian(6, 4000, 40)
    with pytest.warns(UserWarning, match=r"recall 1 was not reached: of the nearest .* 0\.\d+ were found"):
        found = chamfer.neighbors(X, 10, source="ann", recall=1)
    assert found.recall < 1


def test_points_that_float32_cannot_tell_apart():
    # Far apart pairs of groups whose own spread is below the rounding of float32.
    X = gaussian(7, 1500, 4) * 1e-9 + np.repeat(gaussian(8, 3, 4), 500, axis=0)
    found = chamfer.neighbors(X, 6, source="ann")
    assert share(found.indices, true_neighbours(X, 6)) > 0.95


def test_outliers_do_not_spoil_the_others(tuned):
    # Relative to an outlier, float32 would not tell the points of a ball apart.
    tuned(graph_exact=4096, graph_leaf=512, graph_sample=512)
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(20_000, 6)), random.normal(size=(10, 6)) * 1e5])
    assert chamfer.neighbors(X, 8, source="ann").recall > 0.98


@pytest.mark.parametrize(("n", "copies", "k"), [(300, 4, 10), (40, 50, 15), (500, 2, 3), *slow((20, 600, 16))])
def test_copies_come_first(n, copies, k):
    X = np.random.default_rng(0).permutation(np.repeat(gaussian(9, n, 3), copies, axis=0))
    found = chamfer.neighbors(X, k, source="ann", recall=0.99)
    exact = chamfer.neighbors(X, k, source="blas")
    zeros = min(k, copies - 1)
    assert np.all(found.distances[:, :zeros] == 0)
    assert np.all(found.indices != np.arange(len(X))[:, None])
    assert np.mean(found.distances == exact.distances) > 0.97
    assert all(len(set(row)) == k for row in found.indices.tolist())


def test_equal_points():
    found = chamfer.neighbors(np.ones((50, 3)), 4, source="ann")
    np.testing.assert_array_equal(found.distances, 0)
    assert np.all(found.indices != np.arange(50)[:, None])


def test_points_that_no_leader_tells_apart():
    # All distances are equal, so every ball is as large as what it was carved from.
    X = np.eye(700)
    found = chamfer.neighbors(X, 3, source="ann", recall=0.01)
    np.testing.assert_allclose(found.distances, np.sqrt(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_places_of_whole_numbers_are_told_apart(dtype):
    # Few bits of such numbers are set.
    X = np.vstack([np.eye(700), 2 * np.eye(700), np.eye(700)[:50], -0.0 * np.eye(700)[:1], np.zeros((1, 700))])
    order, starts = places_by(LocalRows(Points(X.astype(dtype), "euclidean", exponent=0), 2).hashes())
    assert len(starts) - 1 == len(np.unique(X + 0.0, axis=0)) == 1401
    for first, last in pairwise(starts):
        assert np.ptp(X[order[first:last]], axis=0).max() == 0


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e200])
def test_scale_changes_nothing(scale):
    X = gaussian(10, 1500, 5)
    plain, scaled = chamfer.neighbors(X, 5, source="ann"), chamfer.neighbors(X * scale, 5, source="ann")
    assert np.mean(plain.indices == scaled.indices) > 0.99  # X * scale is rounded
    np.testing.assert_allclose(scaled.distances[:, 0], plain.distances[:, 0] * scale, rtol=1e-6)


def test_progress_goes_up_to_all():
    seen = []
    points = check_input(gaussian(11, 3000, 8), "euclidean")
    graph.build_graph(LocalRows(points, 2), 5, 0.9, 0, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 3000


@pytest.mark.parametrize("method", ["chamfer", "chamfer_capped"])
def test_a_tree_is_nearly_the_exact_one(method):
    X = gaussian(12, 2000, 5)
    Z = chamfer.linkage(X, method, source="ann", recall=0.99)
    exact = chamfer.linkage(X, method, engine="lists")
    assert np.isclose(np.sort(Z[:, 2]), np.sort(exact[:, 2]), rtol=0.05).mean() > 0.9


def test_info_has_the_recall():
    info = chamfer.Info()
    chamfer.linkage(gaussian(13, 2000, 5), "chamfer_capped", source="ann", recall=0.9, info=info)
    assert 0.9 <= info.recall <= 1


@pytest.mark.parametrize("recall", [0, -1, 1.5])
def test_a_recall_is_a_share(recall):
    with pytest.raises(ValueError, match="recall must be above 0 and at most 1, got"):
        chamfer.linkage(gaussian(0, 30, 2), "chamfer_capped", source="ann", recall=recall)


@pytest.mark.slow
def test_many_points_with_the_usual_numbers(tuned):
    tuned(graph_exact=4096, graph_leaf=512, graph_sample=512)
    X = np.random.default_rng(0).normal(size=(30_000, 20)).astype(np.float32)
    points, everyone = check_input(X, "euclidean"), np.arange(30_000, dtype=np.int32)
    found = graph.build_graph(LocalRows(points, 2), 16, 0.98, 0)
    exact = BlasSource(points).nearest(everyone, everyone, 16, 2)
    assert found.recall >= 0.98
    assert share(found.answer.clusters, exact.clusters) > 0.97
