"""Distances are right: every metric, distances given instead of points, and data that is hard on rounding.

Distances are seen through trees: the heights of average linkage are means over all pairs of points.
"""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from cases import FAST_METRICS, REAL_METRICS, assert_same_tree, distances, engines, gaussian, grid
from chamfer.distances import pairwise
from chamfer.inputs import check_input

BOOLEAN_METRICS = ["dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]


class TestMetrics:
    @pytest.mark.parametrize("metric", REAL_METRICS)
    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.parametrize("method", ["average", "chamfer"])
    def test_real_metrics_are_scipys(self, metric, threads, method):
        X = gaussian(0, 300, 5)  # more than one block of rows
        Z = chamfer.linkage(X, method, metric, n_jobs=threads)
        assert_same_tree(Z, chamfer.linkage(pdist(X, metric), method))
        if method == "average":
            assert_same_tree(Z, hierarchy.linkage(X, method, metric))

    @pytest.mark.parametrize("metric", BOOLEAN_METRICS)
    @pytest.mark.parametrize("dtype", [bool, float])
    def test_boolean_metrics_are_scipys(self, metric, dtype):
        X = np.random.default_rng(0).random((30, 8)) < 0.4
        X[:, 0] |= ~X.any(axis=1)
        D = squareform(pdist(X, metric))
        reference.replay(chamfer.linkage(X.astype(dtype), "average", metric), D, "average")

    def test_jensen_shannon(self):
        X = np.random.default_rng(0).random((40, 6))
        assert_same_tree(
            chamfer.linkage(X, "average", "jensenshannon"), hierarchy.linkage(X, "average", "jensenshannon")
        )

    @pytest.mark.parametrize("metric", ["braycurtis", "dice"])
    def test_the_distance_of_a_point_to_itself_does_not_matter(self, metric):
        # A row of zeros is 0 / 0 from itself, but at a distance from every other row.
        X = (gaussian(11, 20, 9) > 0).astype(float)
        X[:, 0] = 1
        X[7] = 0
        assert np.isfinite(pdist(X, metric)).all()
        reference.replay(chamfer.linkage(X, "average", metric), squareform(pdist(X, metric)), "average")

    def test_function(self):
        def largest_step(x, y):
            return np.abs(x - y).max()

        X = gaussian(1, 40, 3)
        assert_same_tree(chamfer.linkage(X, "average", largest_step), chamfer.linkage(X, "average", "chebyshev"))

    @pytest.mark.parametrize("metric", ["cityblock", "seuclidean", "mahalanobis"])
    def test_float32_points(self, metric):
        X = gaussian(2, 50, 4, np.float32)
        Z = chamfer.linkage(X, "average", metric)
        reference.replay(Z, distances(X, metric), "average", rtol=1e-5, atol=1e-6)

    def test_one_column_for_mahalanobis(self):
        X = gaussian(3, 30, 1)
        assert_same_tree(chamfer.linkage(X, "average", "mahalanobis"), hierarchy.linkage(X, "average", "mahalanobis"))

    def test_names_may_be_in_capitals_as_in_scipy(self):
        X = gaussian(4, 20, 2)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "average", "CityBlock"), chamfer.linkage(X, "average", "cityblock")
        )


class TestCosine:
    def test_rows_of_zeros_are_at_distance_one_from_others_and_at_none_from_each_other(self):
        X = gaussian(0, 20, 3)
        X[[4, 9, 15]] = 0
        D = np.zeros((20, 20))
        others = np.setdiff1d(np.arange(20), [4, 9, 15])
        D[:] = 1
        D[np.ix_(others, others)] = distances(X[others], "cosine")
        D[np.ix_([4, 9, 15], [4, 9, 15])] = 0
        for engine in ("dense", "points"):
            reference.replay(chamfer.linkage(X, "single", "cosine", engine=engine), D, "single")
        for method in ("average", "chamfer"):
            reference.replay(chamfer.linkage(X, method, "cosine"), D, method)

    def test_rows_of_zeros_among_many(self):
        X = gaussian(1, 600, 20)  # by matrix multiplication
        X[:2] = 0
        Z = chamfer.linkage(X, "single", "cosine", engine="dense")
        np.testing.assert_array_equal(Z[0], [0, 1, 0, 2])

    def test_only_zeros(self):
        np.testing.assert_array_equal(chamfer.linkage(np.zeros((4, 2)), "average", "cosine")[:, 2], 0)

    @pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e-30, 1e30, 1e160, 1e200])
    def test_length_does_not_matter(self, scale):
        X = gaussian(2, 30, 3)
        expected = chamfer.linkage(X, "average", "cosine")
        assert_same_tree(chamfer.linkage(X * scale, "average", "cosine"), expected)

    def test_nearly_parallel_rows(self):
        # 1 - x.y would lose all digits here.
        X = np.column_stack([np.ones(20), 1e-9 * gaussian(3, 20, 1)])
        expected = hierarchy.linkage(X[:, 1:], "complete", "sqeuclidean")
        np.testing.assert_allclose(chamfer.linkage(X, "complete", "cosine")[:, 2], expected[:, 2] / 2, rtol=1e-5)


class TestGivenDistances:
    @pytest.mark.parametrize("method", reference.LINKAGES)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_condensed_and_square_give_the_same_tree(self, method, dtype):
        y = pdist(gaussian(5, 40, 3)).astype(dtype)
        Z = chamfer.linkage(y, method)
        np.testing.assert_array_equal(Z, chamfer.linkage(squareform(y), method, "precomputed"))
        tolerances = {} if dtype == np.float64 else {"rtol": 1e-6, "atol": 1e-6}
        reference.replay(Z, squareform(y), method, **tolerances)

    def test_whole_numbers(self):
        y = pdist(grid(0, 20, 3), "cityblock").astype(int)
        reference.replay(chamfer.linkage(y, "chamfer"), squareform(y), "chamfer")
        reference.replay(chamfer.linkage(squareform(y), "chamfer", "precomputed"), squareform(y), "chamfer")

    def test_metric_does_not_matter_for_condensed_distances(self):
        y = pdist(gaussian(6, 20, 3))
        np.testing.assert_array_equal(chamfer.linkage(y, "average", "cityblock"), chamfer.linkage(y, "average"))

    def test_rounding_may_spoil_symmetry_a_little(self):
        square = squareform(pdist(gaussian(7, 20, 3)))
        spoiled = square * (1 + 1e-12 * gaussian(8, 20, 20))
        assert_same_tree(
            chamfer.linkage(spoiled, "average", "precomputed"), chamfer.linkage(square, "average", "precomputed")
        )

    def test_distances_taken_for_points_are_pointed_out(self):
        square = squareform(pdist(gaussian(9, 10, 3)))
        with pytest.warns(UserWarning, match="metric='precomputed'"):
            Z = chamfer.linkage(square, "average")
        assert_same_tree(Z, hierarchy.linkage(pdist(square), "average"))

    def test_square_points_that_are_no_distances_pass_without_a_word(self):
        X = gaussian(10, 10, 10)
        assert_same_tree(chamfer.linkage(X, "average"), hierarchy.linkage(X, "average"))


class TestManyPointsManyCoordinates:
    """Beyond 512 points and 16 coordinates distances come from matrix multiplication."""

    @pytest.mark.parametrize("metric", FAST_METRICS)
    @pytest.mark.parametrize("shape", [(513, 17), (600, 40), (800, 130)])
    @pytest.mark.parametrize("threads", [1, 2])
    def test_average_is_scipys(self, metric, shape, threads):
        X = gaussian(0, *shape)
        Z = chamfer.linkage(X, "average", metric, n_jobs=threads)
        assert_same_tree(Z, hierarchy.linkage(X, "average", metric))

    @pytest.mark.parametrize("method", reference.LINKAGES)
    def test_every_method(self, method):
        X = gaussian(1, 600, 20)
        expected = chamfer.linkage(pdist(X), method)
        for engine in engines(method):
            assert_same_tree(chamfer.linkage(X, method, engine=engine), expected)

    @pytest.mark.parametrize("metric", FAST_METRICS)
    @pytest.mark.parametrize("method", ["average", "chamfer"])
    def test_float32(self, metric, method):
        X = gaussian(2, 600, 40, np.float32)
        expected = chamfer.linkage(pdist(X.astype(np.float64), metric), method)
        np.testing.assert_allclose(chamfer.linkage(X, method, metric)[:, 2], expected[:, 2], rtol=1e-5)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("method", ["average", "chamfer", "complete"])
    @pytest.mark.parametrize("width", [1e-3, 1e-1, 10])
    def test_tight_clusters_far_from_each_other(self, dtype, method, width):
        # Multiplication leaves about 16 digits less those of (1e3 / width)²: four, eight or twelve.
        centres = 1e3 * gaussian(3, 30, 20)
        X = (np.repeat(centres, 20, axis=0) + width * gaussian(4, 600, 20)).astype(dtype)
        expected = chamfer.linkage(pdist(X.astype(np.float64)), method)
        tolerance = 1e-9 if dtype == np.float64 else 1e-5
        np.testing.assert_allclose(chamfer.linkage(X, method)[:, 2], expected[:, 2], rtol=tolerance)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("method", ["average", "chamfer"])
    def test_large_offset(self, dtype, method):
        X = (gaussian(5, 600, 20) + 1e4).astype(dtype)
        expected = chamfer.linkage(pdist(X.astype(np.float64)), method)
        tolerance = 1e-9 if dtype == np.float64 else 1e-5
        np.testing.assert_allclose(chamfer.linkage(X, method)[:, 2], expected[:, 2], rtol=tolerance)

    @pytest.mark.parametrize("metric", FAST_METRICS)
    @pytest.mark.parametrize("varying", [8, 30, 39])
    def test_coordinates_in_which_all_points_agree(self, metric, varying):
        X = gaussian(12, 600, 40)
        X[:, varying:] = X[0, varying:]
        X = X[:, np.random.default_rng(0).permutation(40)]
        assert_same_tree(chamfer.linkage(X, "average", metric), hierarchy.linkage(X, "average", metric))

    def test_points_that_agree_in_all_coordinates(self):
        Z = chamfer.linkage(np.full((600, 40), 0.1), "average")
        assert (Z[:, 2] == 0).all()

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_columns_of_different_scale(self, dtype):
        X = (gaussian(6, 600, 20) * np.logspace(-6, 6, 20)).astype(dtype)
        expected = hierarchy.linkage(X.astype(np.float64), "average")
        tolerance = 1e-9 if dtype == np.float64 else 1e-5
        np.testing.assert_allclose(chamfer.linkage(X, "average")[:, 2], expected[:, 2], rtol=tolerance)

    @pytest.mark.parametrize("method", [method for method in reference.LINKAGES if method not in reference.CENTRES])
    @pytest.mark.parametrize("offset", [0, 10**6])
    def test_whole_numbers_are_exact(self, method, offset):
        # Then even ties are the same, and so is the whole tree.
        X = np.random.default_rng(7).integers(0, 256, size=(600, 30)) + offset
        np.testing.assert_array_equal(
            chamfer.linkage(X, method, "sqeuclidean", engine="dense"), chamfer.linkage(pdist(X, "sqeuclidean"), method)
        )

    def test_duplicates_are_at_distance_zero(self):
        X = np.tile(gaussian(8, 300, 30) * 1e3, (2, 1))
        for dtype in (np.float64, np.float32):
            Z = chamfer.linkage(X.astype(dtype), "complete")
            np.testing.assert_array_equal(Z[:300, 2], 0)
            assert (Z[300:, 2] > 0).all()

    def test_all_equal(self):
        np.testing.assert_array_equal(chamfer.linkage(np.full((600, 20), 0.1), "average")[:, 2], 0)


def _many_coordinates(kind):
    random = np.random.default_rng(0)
    if kind == "normal":
        return random.normal(size=(600, 300))
    if kind == "uniform":
        return random.random((700, 100))
    if kind == "far":
        return 1000 + random.random((600, 40))
    if kind == "blobs":
        return random.normal(size=(20, 100))[random.integers(20, size=600)] * 40 + random.normal(size=(600, 100))
    if kind == "two":  # few pairs of a sample are close, but some are
        X = random.normal(size=(600, 50))
        X[1:60] = X[0] + 1e-3 * random.normal(size=(59, 50))
        return X
    if kind == "low rank":
        return random.normal(size=(600, 3)) @ random.normal(size=(3, 500))
    if kind == "deep":
        return random.normal(size=(520, 2100))
    return random.integers(0, 256, size=(600, 200)).astype(float)


@pytest.mark.parametrize("kind", ["normal", "uniform", "far", "blobs", "two", "low rank", "deep", "bytes"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_floats_that_are_multiplied(kind, n_jobs):
    """Distances of float32 data are right to a few units of the last place, whether multiplied in float or double."""
    X = _many_coordinates(kind).astype(np.float32)
    found = pairwise.condensed(check_input(X, "euclidean"), n_jobs).astype(np.float64)
    found = np.ldexp(found, check_input(X, "euclidean").height_exponent)
    exact = pdist(X.astype(np.float64))
    limit = 6.1e-8 if kind == "bytes" else 3e-7
    assert np.max(np.abs(found - exact) / exact) < limit


def test_correlation_of_the_largest_floats():
    X = gaussian(7, 12, 5, np.float32)
    X[::3] *= np.float32(0.9 * np.finfo(np.float32).max) / 8  # all values are below 8
    with np.errstate(all="raise"):
        Z = chamfer.linkage(X, "average", "correlation")
    np.testing.assert_allclose(Z, chamfer.linkage(X.astype(float) / 1e30, "average", "correlation"), rtol=1e-5)
