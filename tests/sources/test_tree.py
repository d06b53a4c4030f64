"""The search by a k-d tree: lists of nearest clusters and spanning trees, by their definitions."""

import signal
from functools import partial
from itertools import repeat, starmap

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import chamfer
from cases import gaussian, grid
from chamfer import _core, tuning
from chamfer._types import Points
from chamfer.sources import TreeSource
from marks import slow


def copies(seed, n, d):
    """Few places, each with many points."""
    return grid(seed, n, d)[np.random.default_rng(seed).integers(max(1, n // 50), size=n)]


def with_outlier(seed, n, d):
    X = gaussian(seed, n, d)
    X[n // 2] = 1e9
    return X


def line(seed, n, d):
    return np.outer(np.random.default_rng(seed).random(n), np.arange(1, d + 1))


KINDS = [gaussian, grid, copies, with_outlier, line]
LABELS = {
    "points": lambda X: np.arange(len(X)),
    "many": lambda X: np.random.default_rng(1).integers(max(2, len(X) // 4), size=len(X)),
    "two regions": lambda X: (X[:, 0] > np.median(X[:, 0])).astype(int),
    "one large": lambda X: np.minimum(np.arange(len(X)), 20),
}


def tree(X, metric="euclidean", threads=2):
    return TreeSource(Points(X, metric, exponent=0), threads=threads)


def nearest_by_definition(distances, labels, own, k):
    """The k nearest clusters of a point other than its own, by distance and label."""
    least = {}
    for label, distance in zip(labels.tolist(), distances.tolist(), strict=True):
        if label != own:
            least[label] = min(distance, least.get(label, np.inf))
    return sorted((distance, label) for label, distance in least.items())[:k]


def check(X, labels, k, queries, threads=2):
    labels, queries = labels.astype(np.int32), queries.astype(np.int32)
    answer = tree(X, threads=threads).nearest(queries, labels, k, threads)
    distances = cdist(X[queries].astype(float), X.astype(float)).astype(X.dtype)
    for query, row, clusters, found, bound in zip(queries, distances, *answer, strict=True):
        expected = nearest_by_definition(row, labels, labels[query], k)
        assert sorted((at, c) for at, c in zip(found.tolist(), clusters.tolist(), strict=True) if c >= 0) == expected
        assert bound == (expected[-1][0] if expected else 0)


class TestNearest:
    @pytest.mark.parametrize("labels", LABELS)
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("n", [33, *slow(1500)])
    def test_is_the_definition(self, kind, labels, n):
        for d, dtype in ((1, np.float64), (2, np.float32), (5, np.float64)):
            X = kind(d, n, d).astype(dtype)
            queries = np.random.default_rng(d).choice(n, min(n, 40), replace=False)
            for k in (1, 8, min(40, n - 1)):
                check(X, LABELS[labels](X), k, queries)

    @pytest.mark.parametrize("n", [2, 32, 64, 65])
    def test_with_full_and_nearly_empty_leaves(self, n):
        check(gaussian(n, n, 2), np.arange(n), n - 1, np.arange(n))

    @pytest.mark.parametrize("labels", ["points", "many"])
    def test_of_a_point_that_is_asked_for_twice(self, labels):
        X = gaussian(3, 100, 2)
        check(X, LABELS[labels](X), 5, np.array([7, 3, 7, 7, 90]))

    def test_of_more_coordinates_than_the_tree_has(self):
        X = gaussian(4, 300, 40) * 0.5 ** np.arange(40)
        for labels in LABELS.values():
            answer = tree(X).nearest(np.arange(300, dtype=np.int32), labels(X).astype(np.int32), 5, 2)
            for p, row in enumerate(cdist(X, X)):
                expected = nearest_by_definition(row, labels(X), labels(X)[p], 5)
                np.testing.assert_allclose(
                    np.sort(answer.distances[p][answer.clusters[p] >= 0]), [e[0] for e in expected]
                )

    def test_lists_of_points_are_sorted(self):
        X, everything = grid(5, 300, 2), np.arange(300, dtype=np.int32)
        clusters, distances, _ = tree(X).nearest(everything, everything, 20, 2)
        for row in zip(distances.tolist(), clusters.tolist(), strict=True):
            pairs = list(zip(*row, strict=True))
            assert pairs == sorted(pairs)

    @pytest.mark.parametrize("labels", LABELS)
    def test_does_not_depend_on_threads(self, labels):
        X = np.round(gaussian(6, 5000, 2), 1)
        given = LABELS[labels](X).astype(np.int32)
        one, three = (tree(X, threads=t).nearest(np.arange(5000, dtype=np.int32), given, 9, t) for t in (1, 3))
        np.testing.assert_array_equal(one.clusters, three.clusters)
        np.testing.assert_array_equal(one.bounds, three.bounds)
        listed = one.clusters >= 0
        np.testing.assert_array_equal(one.distances[listed], three.distances[listed])

    def test_copies_of_one_point_do_not_all_look_at_each_other(self):
        # 10^10 pairs would take minutes.
        X, everything = np.ones((100_000, 2)), np.arange(100_000, dtype=np.int32)
        X[-1] = 2
        answer = tree(X).nearest(everything, everything, 16, 2)
        np.testing.assert_array_equal(np.sort(answer.clusters[99]), np.arange(16))
        assert not answer.bounds[:-1].any()
        halves = everything // 2
        answer = tree(X).nearest(everything, halves, 16, 2)
        np.testing.assert_array_equal(np.sort(answer.clusters[500]), np.arange(16))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends signals")
def test_a_build_can_be_interrupted():
    X, trees = np.random.default_rng(0).random((1_500_000, 2)), []
    build = partial(_core.tree_search, X, metric="euclidean", coordinates=X, own=True, threads=1)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            trees.extend(starmap(build, repeat((), 2)))  # no line of Python in between, where signals are seen too
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not trees


def of_all_distances(X):
    """Single linkage, in which equal rows are clustered one by one."""
    with tuning.using(folded_points=len(X) + 1):
        return chamfer.linkage(X, "single", "sqeuclidean", engine="dense")


class TestSpanningTree:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("n", [2, 40, *slow(2000)])
    def test_is_that_of_all_distances_ties_included(self, kind, n):
        for d, dtype in ((1, np.float64), (2, np.float32), (3, np.float64)):
            X = kind(d, n, d).astype(dtype)
            expected = of_all_distances(X)
            for threads in (1, 2):
                Z = tree(X, "sqeuclidean", threads).spanning_tree(threads)
                np.testing.assert_array_equal(Z, expected)

    def test_of_clusters_far_apart(self):
        centres = np.random.default_rng(1).normal(size=(40, 2)) * 1000
        X = np.repeat(centres, 50, axis=0) + gaussian(2, 2000, 2)
        expected = of_all_distances(X)
        np.testing.assert_array_equal(tree(X, "sqeuclidean").spanning_tree(2), expected)

    def test_of_two_places_with_many_copies(self):
        # Every point of one place is equally near to all of the other: 10^9 pairs.
        X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 40_000, axis=0)
        Z = tree(X, "sqeuclidean").spanning_tree(2)
        assert np.count_nonzero(Z[:, 2]) == 1

    def test_of_copies_beside_other_points(self):
        # More copies than a list has entries, or a leaf has points, in one component or in several.
        places = grid(3, 12, 2)
        X = np.concatenate([np.repeat(places, np.arange(1, 13) * 6, axis=0), gaussian(5, 60, 2), grid(6, 60, 2)])
        X = np.random.default_rng(7).permutation(X)
        expected = of_all_distances(X)
        np.testing.assert_array_equal(tree(X, "sqeuclidean").spanning_tree(2), expected)

    def test_of_more_coordinates_than_the_tree_has(self):
        X = gaussian(4, 500, 40) * 0.5 ** np.arange(40)
        expected = of_all_distances(X)
        np.testing.assert_allclose(tree(X, "sqeuclidean").spanning_tree(2), expected)
