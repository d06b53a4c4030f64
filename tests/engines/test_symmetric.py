"""The symmetric linkages from points: the tree of the definition, whatever the lists, the threads and the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chamfer
import reference
from cases import assert_same_tree, distances, duplicated, gaussian, grid, task
from chamfer import tuning
from chamfer.engines import symmetric
from marks import slow

METHODS = ("chamfer_symmetric", "chamfer_normalized_symmetric")
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(params=[(2, 2), (5, 20), (32, 1)], ids=str)
def lists(tuned, request):
    """Lists of some length, and to what number of clusters they are used."""
    length, few = request.param
    tuned(symmetric_list=((1 << 62, length),), last_least=few, last_clusters=few)


def linkage(X, method, metric="euclidean", **options):
    return chamfer.linkage(X, method, metric, engine="points", **options)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 400),
    d=st.one_of(st.integers(1, 8), st.integers(9, 40)),
    k=st.integers(1, 20),
    few=st.sampled_from([1, 2, 7, 50, 1000]),
    dtype=st.sampled_from([np.float32, np.float64]),
    metric=st.sampled_from(["euclidean", "sqeuclidean", "cosine"]),
    threads=st.sampled_from([1, 2]),
    method=st.sampled_from(METHODS),
)
def test_same_tree_as_dense(seed, n, d, k, few, dtype, metric, threads, method):
    X = gaussian(seed, n, d, dtype)
    if metric == "cosine" and d == 1:
        X = np.column_stack([X, np.ones(n, dtype)])
    expected = chamfer.linkage(X, method, metric, engine="dense")
    with tuning.using(symmetric_list=((1 << 62, k),), last_least=few, last_clusters=few):
        Z = linkage(X, method, metric, n_jobs=threads)
    assert_same_tree(Z, expected, 1e-9 if dtype == np.float64 else 1e-5)


@every_method
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_definition(metric, method):
    X = gaussian(3, 60, 5)
    assert_same_tree(linkage(X, method, metric), reference.linkage(distances(X, metric), method))


@every_method
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    "X",
    [
        grid(1, 90, 2),
        duplicated(2, 90, 3),
        np.full((90, 2), 0.1),
        np.repeat(gaussian(3, 3, 2), 30, axis=0),
        np.vstack([np.zeros((40, 2)), gaussian(4, 60, 2)]),
        np.eye(16),
    ],
    ids=["grid", "duplicated", "one place", "three places", "two in five at zero", "equal distances"],
)
def test_ties(X, method):
    Z = linkage(X, method)
    reference.replay(Z, distances(X), method)
    np.testing.assert_array_equal(linkage(X, method, n_jobs=1), Z)


@every_method
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("d", [3, *slow(30)])
def test_integer_weights_are_repeated_points(d, method):
    draw = np.random.default_rng(1)
    X, weights = gaussian(1, 120, d), draw.integers(1, 8, 120)
    expected = chamfer.linkage(X, method, engine="dense", sample_weight=weights)
    Z = linkage(X, method, sample_weight=weights)
    assert_same_tree(Z, expected)
    unit = 1 if method == "chamfer_normalized_symmetric" else 0.125
    np.testing.assert_array_equal(linkage(X, method, sample_weight=weights * 0.125), Z * [1, 1, unit, 1])


@every_method
def test_equal_rows_are_folded(method):
    X = np.repeat(gaussian(5, 700, 2), 3, axis=0)
    info = chamfer.Info()
    Z = linkage(X, method, info=info)
    assert info.folded == 1400
    assert_same_tree(Z, chamfer.linkage(X, method, engine="dense"))


@every_method
@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    "X",
    [
        gaussian(6, 150, 2) * 1e-3 + 1e9,
        np.vstack([gaussian(7, 75, 3) + 1e7, gaussian(8, 75, 3) - 1e7]),
        np.vstack([gaussian(9, 149, 2), [[1e15, -1e15]]]),
        gaussian(10, 150, 2) * 1e-200,
        np.exp(gaussian(11, 150, 1) * 8),
    ],
    ids=["far from zero", "two far groups", "an outlier", "tiny", "heavy tails"],
)
def test_scales(X, method):
    # Coordinates far from zero have few digits, so that distances tie.
    Z, expected = linkage(X, method), chamfer.linkage(X, method, engine="dense")
    np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(expected[:, 2]), rtol=1e-9)
    unit = 2.0 ** -np.frexp(np.abs(X).max())[1]
    reference.replay(Z * [1, 1, unit, 1], distances(X * unit), method)
    np.testing.assert_array_equal(linkage(X * 2.0**-80, method), Z * [1, 1, 2.0**-80, 1])


@every_method
@pytest.mark.parametrize("d", [2, 8, *slow(16)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thousands_of_points(d, dtype, method):
    X = gaussian(d, 3_000, d, dtype)
    Z = linkage(X, method)
    np.testing.assert_array_equal(linkage(X, method, n_jobs=1), Z)
    assert_same_tree(Z, chamfer.linkage(X, method, engine="dense"), 1e-9 if dtype == np.float64 else 1e-5)


@every_method
def test_points_that_no_matrix_has_room_for(method):
    X = gaussian(12, 4_000, 3)  # the matrix takes 128 MB
    np.testing.assert_array_equal(chamfer.linkage(X, method, memory_limit="30MB"), chamfer.linkage(X, method))


def test_points_that_are_almost_equally_near(monkeypatch):
    X = gaussian(14, 800, 30)
    monkeypatch.setattr(symmetric, "_USUAL", 20)  # of the clusters that one keeps in mind here
    limit = symmetric.memory(task(X, "chamfer_symmetric")) + X.nbytes
    with pytest.raises(MemoryError, match=r"800 points with engine 'points' needs .* are allowed by memory_limit"):
        linkage(X, "chamfer_symmetric", memory_limit=limit)
    for enough in (10 * limit, 10**30):
        assert len(linkage(X, "chamfer_symmetric", memory_limit=enough)) == 799


def test_progress(capsys):
    linkage(gaussian(13, 3_000, 3), "chamfer_symmetric", progress=True)
    shown = capsys.readouterr().err
    assert "nearest neighbours: 100%" in shown
    assert "merges: 100%" in shown
