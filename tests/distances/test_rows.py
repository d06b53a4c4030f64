"""Rows of distances by our own loops are those of SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances

import chamfer
from cases import gaussian
from chamfer._types import Points
from chamfer.distances import pairwise
from chamfer.distances.rows import RowDistances
from chamfer.inputs import check_input

SHAPES = [(1, 1), (5, 1), (33, 2), (64, 16), (97, 33)]


def data(metric, n, d, dtype):
    points = gaussian(n, n, d)
    return (points > 0 if metric in ("hamming", "jaccard") else points).astype(dtype)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "hamming", "jaccard"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_it_is_scipys(metric, dtype, n, d):
    points = data(metric, n, d, dtype)
    rows = RowDistances(Points(points, metric, exponent=0))
    expected = cdist(points.astype(np.float64), points.astype(np.float64), metric)
    for first in {0, n // 2, n - 1}:
        for threads in (1, 2):
            np.testing.assert_allclose(rows.between(points, first, threads), expected[:, first:], rtol=1e-14)
    np.testing.assert_array_equal(rows.between(points), rows.between(points).T)


@pytest.mark.parametrize("d", [1, 2, 40])
def test_correlation_is_scipys(d):
    points = gaussian(1, 50, d + 1) * 3 + 7
    found = pairwise.condensed(check_input(points, "correlation"), 1)
    np.testing.assert_allclose(found, pdist(points, "correlation"), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        chamfer.linkage(points * 1e200, "average", "correlation")[:, 2],
        chamfer.linkage(points, "average", "correlation")[:, 2],
        rtol=1e-9,
        atol=1e-12,
    )
    with pytest.raises(ValueError, match=r"no constant row .* got row 4"):
        chamfer.linkage(np.where(np.arange(50)[:, None] == 4, 2.0, points), metric="correlation")


class TestMissingValues:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("engine", ["dense", "lists"])
    def test_it_is_scikit_learns(self, dtype, engine):
        points = gaussian(2, 70, 9).astype(dtype)
        points[np.random.default_rng(0).random(points.shape) < 0.2] = np.nan
        expected = nan_euclidean_distances(points.astype(np.float64))
        np.testing.assert_allclose(
            pairwise.square(check_input(points, "nan_euclidean"), 2), expected, rtol=1e-6, atol=1e-7
        )
        tree = chamfer.linkage(points, metric="nan_euclidean", engine=engine)
        np.testing.assert_allclose(tree, chamfer.linkage(expected, metric="precomputed"), rtol=1e-5)

    def test_nothing_missing_is_euclidean(self):
        points = gaussian(2, 70, 9)
        found = chamfer.linkage(points, "complete", "nan_euclidean")
        np.testing.assert_allclose(found, chamfer.linkage(points, "complete"), rtol=1e-12)

    def test_what_is_refused(self):
        with pytest.raises(ValueError, match="no coordinate in common"):
            chamfer.linkage([[1.0, np.nan], [np.nan, 2.0]], metric="nan_euclidean")
        with pytest.raises(ValueError, match="got infinity in row 1, column 0"):
            chamfer.linkage([[np.nan, 1.0], [np.inf, 2.0]], metric="nan_euclidean")
        with pytest.raises(ValueError, match="got NaN in row 0, column 0"):
            chamfer.linkage([[np.nan, 1.0], [1.0, 2.0]], metric="cityblock")

    def test_predict(self):
        points = gaussian(2, 70, 9)
        points[::3, 2] = np.nan
        model = chamfer.AgglomerativeClustering(5, metric="nan_euclidean").fit(points[:50])
        nearest = nan_euclidean_distances(points[50:], points[:50]).argmin(axis=1)
        np.testing.assert_array_equal(model.predict(points[50:]), model.labels_[nearest])


def test_haversine_is_scikit_learns():
    random = np.random.default_rng(0)
    places = np.column_stack([random.uniform(-np.pi / 2, np.pi / 2, 60), random.uniform(-np.pi, np.pi, 60)])
    places[1] = places[0] + 1e-6  # some metres
    expected = haversine_distances(places)
    np.testing.assert_allclose(pairwise.square(check_input(places, "haversine"), 1), expected, rtol=1e-9, atol=1e-15)
    found = chamfer.linkage(places, "average", "haversine")
    np.testing.assert_allclose(found, chamfer.linkage(squareform(expected, checks=False), "average"), rtol=1e-9)
    with pytest.raises(ValueError, match="latitude and longitude"):
        chamfer.linkage(gaussian(0, 9, 3), metric="haversine")


def test_bits_are_used_for_zeros_and_ones_only():
    points = gaussian(3, 40, 70).round()
    for metric in ("hamming", "jaccard"):
        expected = chamfer.linkage(pdist(points, metric), "complete")
        np.testing.assert_allclose(chamfer.linkage(points, "complete", metric)[:, 2], expected[:, 2], rtol=1e-12)
    # Queries may hold others.
    rows = RowDistances(Points((points > 0) * 1.0, "hamming", exponent=0))
    np.testing.assert_allclose(rows.between(points), cdist(points, (points > 0) * 1.0, "hamming"))
