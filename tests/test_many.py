"""Many small problems at once are solved as each would be alone."""

import pickle
import threading

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist

import chamfer

PROBLEMS = [np.random.default_rng(i).normal(size=(2 + 7 * i % 90, 3 + i % 30)) for i in range(40)]
PLAIN = [method for method in chamfer.METHODS if chamfer.METHODS[method].metrics is None]


def same_partition(one, two):
    return len(set(zip(one, two, strict=True))) == len(set(one)) == len(set(two))


@pytest.mark.parametrize("method", chamfer.METHODS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trees_are_those_of_linkage(method, dtype):
    problems = [X.astype(dtype) for X in PROBLEMS]
    for Z, X in zip(chamfer.linkage_many(problems, method), problems, strict=True):
        assert np.array_equal(Z, chamfer.linkage(X, method))


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "cityblock", "l2"])
def test_metrics(metric):
    for Z, X in zip(chamfer.linkage_many(PROBLEMS, "average", metric), PROBLEMS, strict=True):
        assert np.array_equal(Z, chamfer.linkage(X, "average", metric))


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "cityblock"])
@pytest.mark.parametrize("method", ["ward", "centroid", "median"])
def test_ward_of_other_distances_is_that_of_condensed_ones(method, metric):
    problems = [*PROBLEMS, np.vstack([np.zeros((2, 4)), np.eye(4)])[:, :3]]  # cosine: rows without a direction
    for Z, X in zip(chamfer.linkage_many(problems, method, metric, errors="return"), problems, strict=True):
        distances = pdist(X, metric)
        if np.isnan(distances).any():
            assert isinstance(Z, np.ndarray)
            continue
        assert np.allclose(np.sort(Z[:, 2]), np.sort(chamfer.linkage(distances, method)[:, 2]), rtol=1e-7, atol=1e-9)


def test_distances():
    problems = [pdist(X) for X in PROBLEMS]
    for method in ("single", "ward", "chamfer"):
        for Z, D in zip(chamfer.linkage_many(problems, method), problems, strict=True):
            assert np.array_equal(Z, chamfer.linkage(D, method))


def test_sizes_from_one_point_to_many():
    problems = [np.ones((1, 3)), np.random.default_rng(0).normal(size=(700, 3)), [[1, 2], [3, 4], [5, 7]]]
    trees = chamfer.linkage_many(problems, "average")
    assert [len(Z) for Z in trees] == [0, 699, 2]
    assert np.array_equal(trees[1], chamfer.linkage(problems[1], "average"))
    assert chamfer.linkage_many([]) == []


def test_square_matrices_are_points_without_a_warning(recwarn):
    T = np.random.default_rng(0).normal(size=(40, 8))
    T /= np.linalg.norm(T, axis=1, keepdims=True)
    square = np.maximum(1 - T @ T.T, 0)
    np.fill_diagonal(square, 0)
    assert np.array_equal(chamfer.linkage_many([square], "ward")[0][:, :2], scipy_linkage(square, "ward")[:, :2])
    assert not [w for w in recwarn if "chamfer" in str(w.filename)]


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_threads(n_jobs):
    for one, two in zip(
        chamfer.linkage_many(PROBLEMS, "ward", n_jobs=n_jobs), chamfer.linkage_many(PROBLEMS, "ward"), strict=True
    ):
        assert np.array_equal(one, two)


def test_offsets():
    X = np.random.default_rng(0).normal(size=(50, 4))
    trees = chamfer.linkage_many(X, "ward", offsets=[0, 10, 11, 50])
    assert [len(Z) for Z in trees] == [9, 0, 38]
    assert np.array_equal(trees[2], chamfer.linkage(X[11:], "ward"))
    found = chamfer.cluster_many(X, "ward", ratio=0.5, offsets=np.array([0, 10, 50], np.uint16))
    assert [len(rows) for rows in found.means] == [5, 20]


@pytest.mark.parametrize(
    "offsets", [[0, 5, 3], [-1, 5], [0, 51], [[0, 1]], [0.0, 1.0], [], "ab"], ids=lambda each: repr(each)
)
def test_offsets_that_fit_nothing(offsets):
    with pytest.raises(ValueError, match="offsets must"):
        chamfer.linkage_many(np.zeros((50, 2)), offsets=offsets)


def test_one_bad_problem_is_named_and_the_others_are_kept():
    problems = [X.copy() for X in PROBLEMS]
    problems[7][1, 2] = np.nan
    problems[9] = np.empty((0, 3))
    problems[11] = [["a"]]
    with pytest.raises(chamfer.ProblemError, match=r"problem 7: .*NaN in row 1, column 2; .* \(and 2 more") as caught:
        chamfer.linkage_many(problems)
    assert caught.value.index == 7
    assert [i for i, Z in enumerate(caught.value.results) if isinstance(Z, Exception)] == [7, 9, 11]
    assert np.array_equal(caught.value.results[8], chamfer.linkage(problems[8]))
    found = chamfer.cluster_many(problems, n_clusters=2, errors="return")
    assert isinstance(found.labels[9], ValueError)
    assert isinstance(found.means[7], ValueError)
    assert found.labels[8].max() == 1


@pytest.mark.parametrize("method", ["ward", "chamfer", "single"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clusters_and_means(method, dtype):
    problems = [X.astype(dtype) for X in PROBLEMS]
    found = chamfer.cluster_many(problems, method, ratio=1 / 3)
    for X, labels, means in zip(problems, found.labels, found.means, strict=True):
        k = max(1, len(X) // 3)
        assert np.array_equal(labels, chamfer.cut(chamfer.linkage(X, method), k))
        assert means.dtype == X.dtype
        expected = [X[labels == label].mean(axis=0, dtype=np.float64) for label in range(k)]
        assert np.allclose(means, expected, rtol=1e-6, atol=1e-6)


def test_numbers_of_clusters():
    found = chamfer.cluster_many(PROBLEMS[:4], n_clusters=[1, 2, 3, 4])
    assert [labels.max() + 1 for labels in found.labels] == [1, 2, 3, 4]
    found = chamfer.cluster_many(PROBLEMS[:4], n_clusters=5)
    assert [labels.max() + 1 for labels in found.labels] == [min(5, len(X)) for X in PROBLEMS[:4]]
    found = chamfer.cluster_many([pdist(PROBLEMS[5])], "average", n_clusters=3)
    assert found.means == [None]


def test_the_partition_of_scipy():
    random = np.random.default_rng(1)
    problems = [random.normal(size=(random.integers(20, 200), 64)).astype(np.float32) for _ in range(30)]
    found = chamfer.cluster_many(problems, "ward", ratio=0.5)
    for X, labels in zip(problems, found.labels, strict=True):
        assert same_partition(labels, fcluster(scipy_linkage(X, "ward"), len(X) // 2, "maxclust"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either n_clusters or ratio"),
        ({"n_clusters": 2, "ratio": 0.5}, "either n_clusters or ratio"),
        ({"n_clusters": 0}, "n_clusters must be at least 1"),
        ({"n_clusters": [2, 0]}, r"n_clusters\[1\] must be at least 1"),
        ({"n_clusters": [2]}, "for each of 2 problems"),
        ({"ratio": 1.5}, "ratio must be at most 1"),
        ({"ratio": -1}, "ratio must be a number of at least 0"),
        ({"ratio": 0.5, "errors": "ignore"}, "errors must be one of raise, return"),
        ({"ratio": 0.5, "method": "wards"}, "did you mean 'ward'"),
    ],
)
def test_options(options, message):
    with pytest.raises(ValueError, match=message):
        chamfer.cluster_many(PROBLEMS[:2], **options)


@pytest.mark.parametrize("problems", ["text", 5, None])
def test_what_is_no_sequence(problems):
    with pytest.raises(TypeError, match="problems must be a sequence of arrays"):
        chamfer.linkage_many(problems)


def test_masks_are_not_overlooked():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(chamfer.ProblemError, match="problem 1: X must not be masked"):
        chamfer.linkage_many([X, np.ma.masked_array(X, X > 1)])


def test_given_distances_have_no_means():
    X = np.random.default_rng(0).normal(size=(20, 3))
    square = np.linalg.norm(X[:, None] - X, axis=2)
    for method in ("average", "ward"):
        found = chamfer.cluster_many([square], method, "precomputed", n_clusters=3)
        assert found.means == [None]
        assert np.array_equal(found.labels[0], chamfer.cut(chamfer.linkage(X, method), 3))


def test_the_error_can_come_from_another_process():
    with pytest.raises(chamfer.ProblemError) as caught:
        chamfer.linkage_many([PROBLEMS[0], np.empty((0, 2))])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.index, str(again)) == (1, str(caught.value))


def test_progress(capsys):
    chamfer.linkage_many(PROBLEMS, progress=True)
    assert "problems: 100%" in capsys.readouterr().err


def test_arrays_that_another_thread_changes():
    """Whatever it finds there, it ends, and reads no memory but its own."""
    problems = [np.random.default_rng(i).normal(size=(60, 20)) for i in range(200)]
    stop = threading.Event()

    def change():
        random = np.random.default_rng(0)
        while not stop.is_set():
            for X in problems[::10]:
                X[:] = random.choice([np.nan, np.inf, 1e300, 0.0, 1.0])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            assert len(chamfer.linkage_many(problems, "ward", errors="return")) == 200
    finally:
        stop.set()
        thread.join()


def test_problems_come_back_in_their_order():
    """The core takes the largest first, in batches."""
    random = np.random.default_rng(0)
    each = [random.normal(size=(n, 20)) for n in random.integers(2, 60, size=300)]
    for X, Z in zip(each, chamfer.linkage_many(each, "ward", n_jobs=2), strict=True):
        assert np.array_equal(Z, chamfer.linkage(X, "ward"))
