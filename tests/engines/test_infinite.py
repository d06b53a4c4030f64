"""Infinite distances: what they keep apart is joined at height infinity, by the linkages that can live with them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import chamfer
from cases import gaussian

METHODS = ["single", "complete", "average"]
FAR = 1e9  # stands for infinity in the definition: means of it and others are above all finite distances


def distances(n, share, dtype=np.float64):
    """Distances of which some are infinite."""
    values = pdist(gaussian(n, n, 3)).astype(dtype)
    values[np.random.default_rng(n).random(len(values)) < share] = np.inf
    return values


def check(Z, values, method):
    """Finite merges are those of the definition, and the others infinite; any order of these is right."""
    expected = hierarchy.linkage(np.where(np.isinf(values), FAR, values).astype(np.float64), method)
    finite = expected[:, 2] < FAR / 1e6
    assert finite.any()
    np.testing.assert_array_equal(Z[finite, :2], expected[finite, :2])
    np.testing.assert_allclose(Z[finite, 2:], expected[finite, 2:], rtol=1e-6)
    assert np.isinf(Z[~finite, 2]).all()
    assert hierarchy.is_valid_linkage(Z)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "share"), [(12, 0.5), (40, 0.95), (40, 0.1), (600, 0.5)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_definition(method, n, share, dtype):
    values = distances(n, share, dtype)
    before = values.copy()
    Z = chamfer.linkage(values, method)
    check(Z, values, method)
    np.testing.assert_array_equal(values, before)
    square = squareform(values)
    np.testing.assert_array_equal(chamfer.linkage(square, method, "precomputed"), Z)


def test_a_matrix_that_is_not_symmetric_names_the_pair():
    square = squareform(distances(12, 0.5))
    square[4, 7] = 3.0 if np.isinf(square[4, 7]) else np.inf
    with pytest.raises(ValueError, match=r"X must be symmetric .* X\[4, 7\]"):
        chamfer.linkage(square, "single", "precomputed")


@pytest.mark.parametrize("method", METHODS)
def test_the_same_as_distances_of_some_pairs(method):
    values = distances(40, 0.6)
    square = squareform(np.where(np.isinf(values), 0, values))
    some = chamfer.linkage(sparse.csr_array(square), method, "precomputed", forest=True)
    Z = chamfer.linkage(values, method)
    finite = np.isfinite(Z[:, 2])
    np.testing.assert_allclose(some[finite], Z[finite])
    assert np.isinf(some[~finite, 2]).all()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_infinities(method):
    Z = chamfer.linkage(np.full(10, np.inf), method)
    assert np.isinf(Z[:, 2]).all()
    assert len(Z) == 4
    with pytest.raises(ValueError, match="n_clusters must be at least 5"):
        chamfer.cut(Z, 3)


class TestMetrics:
    def test_every_engine_takes_them(self):
        points = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, -1.9], [1.0, 1.0]])  # of some pairs, sums are zero
        with np.errstate(all="ignore"):
            values = pdist(points, "braycurtis")
        assert np.isinf(values).any()
        trees = [chamfer.linkage(points, "single", "braycurtis", engine=each) for each in ("auto", "dense", "points")]
        np.testing.assert_array_equal(trees[1], trees[0])
        np.testing.assert_array_equal(trees[2], trees[0])
        for method in METHODS:
            found = chamfer.linkage(points, method, "braycurtis")
            np.testing.assert_array_equal(found[:, 2], chamfer.linkage(values, method)[:, 2])

    @pytest.mark.parametrize("metric", ["cityblock", "canberra"])
    def test_sums_that_overflow(self, metric):
        points = gaussian(1, 30, 4)
        if metric == "cityblock":
            points[7:9, 0] = 1.7e308, -1.7e308
        with np.errstate(all="ignore"):
            values = pdist(points, metric)
        assert np.isinf(values).any() == (metric == "cityblock")
        trees = [chamfer.linkage(points, "single", metric, engine=each) for each in ("auto", "dense", "points")]
        np.testing.assert_array_equal(trees[1], trees[0])
        np.testing.assert_array_equal(trees[2], trees[0])

    def test_functions(self):
        def apart(a, b):
            return np.inf if a[0] * b[0] < 0 else abs(a[0] - b[0])

        Z = chamfer.linkage([[-2.0], [-1.0], [1.0], [4.0]], "complete", apart)
        np.testing.assert_array_equal(Z[:, 2], [1, 3, np.inf])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ward"}, "got infinity at 3; .*single, complete, average"),
        ({"method": "chamfer"}, "got infinity at 3"),
        ({"method": "weighted"}, "got infinity at 3"),
        ({"method": "single", "max_size": 3}, "X must hold finite distances with max_size"),
        ({"method": "average", "sample_weight": np.arange(1.0, 6)}, "X must hold finite distances with sample_weight"),
        ({"method": "single", "optimal_ordering": True}, "optimal_ordering must be False with infinite distances"),
    ],
)
def test_what_is_refused(options, message):
    values = np.arange(1.0, 11)
    values[3] = np.inf
    with pytest.raises(ValueError, match=message):
        chamfer.linkage(values, **options)


@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_other_values_stay_wrong(wrong, method):
    values = np.arange(1.0, 11)
    values[[3, 5]] = np.inf, wrong
    with pytest.raises(ValueError, match="at 5"):
        chamfer.linkage(values, method)
    values[3] = 1e300
    values[5] = np.inf
    chamfer.linkage(values, method)
    values[3] = 4e307
    with pytest.raises(ValueError, match="X must h"):
        chamfer.linkage(values, method)
