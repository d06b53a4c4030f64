"""Sparse points give the trees of the same points with their zeros."""

import numpy as np
import pytest
from scipy import sparse

import chamfer
from cases import gaussian
from chamfer.distances import pairwise
from chamfer.inputs import check_input

METRICS = ["euclidean", "sqeuclidean", "cosine"]


def points(n, d, share=0.3, dtype=np.float64):
    """Sparse enough that pairs share some coordinates; no two distances are equal but to rows of zeros."""
    X = gaussian(n, n, d) * (np.random.default_rng(n).random((n, d)) < share)
    X[:, 0] += 0.1
    return X.astype(dtype)


def heights(X, metric):
    data = check_input(X, metric)
    return np.ldexp(pairwise.condensed(data, 2), data.height_exponent)


class TestDistances:
    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize(("n", "d"), [(2, 1), (40, 9), (300, 50)])
    def test_those_of_dense_points(self, metric, dtype, n, d):
        X = points(n, d, dtype=dtype)
        X[n // 2] = 0
        tolerance = 1e-9 if dtype == np.float64 else 1e-5
        np.testing.assert_allclose(
            heights(sparse.csr_array(X), metric), heights(X, metric), rtol=tolerance, atol=tolerance / 100
        )

    def test_near_points_keep_their_digits(self):
        X = np.zeros((3, 20))
        X[:, 3:9] = 1 + 1e-9 * gaussian(0, 3, 6)
        np.testing.assert_allclose(heights(sparse.csr_array(X), "euclidean"), heights(X, "euclidean"), rtol=1e-7)

    @pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150])
    def test_at_every_scale(self, scale):
        X = points(30, 8)
        expected = heights(sparse.csr_array(X), "euclidean") * scale
        np.testing.assert_allclose(heights(sparse.csr_array(X * scale), "euclidean"), expected, rtol=1e-9)

    def test_rows_that_share_nothing_are_at_one(self):
        assert (heights(sparse.eye_array(20, format="csr") * 7.0, "cosine") == 1).all()


class TestTrees:
    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize(
        "method", ["chamfer", "chamfer_capped", "chamfer_normalized", "single", "average", "complete"]
    )
    @pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_matrix])
    def test_those_of_dense_points(self, metric, method, make):
        X = points(120, 30)
        expected = chamfer.linkage(X, method, metric)
        found = chamfer.linkage(make(X), method, metric)
        np.testing.assert_array_equal(found[:, :2], expected[:, :2])
        np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-9)

    @pytest.mark.parametrize("engine", ["dense", "lists", "points"])
    def test_every_engine(self, engine):
        method = "single" if engine == "points" else "chamfer"
        X = points(120, 30)
        expected = chamfer.linkage(X, method, engine=engine)
        np.testing.assert_allclose(chamfer.linkage(sparse.csr_array(X), method, engine=engine), expected, rtol=1e-9)

    def test_centres(self):
        X = points(120, 30)
        for method in ("ward", "centroid", "median"):
            found = chamfer.linkage(sparse.csr_array(X), method)
            np.testing.assert_allclose(found, chamfer.linkage(X, method), rtol=1e-9)

    def test_threads_do_not_matter(self):
        X = sparse.csr_array(points(400, 30))
        one, two = (chamfer.linkage(X, engine="lists", n_jobs=each) for each in (1, 2))
        np.testing.assert_array_equal(one, two)

    def test_the_matrix_stays_as_it_is(self):
        X = sparse.csr_array(([1.0, 2.0, 0.0, 3.0], [2, 0, 1, 1], [0, 2, 3, 4]), shape=(3, 4))
        before = X.copy()
        chamfer.linkage(X, "single")
        np.testing.assert_array_equal(X.data, before.data)
        np.testing.assert_array_equal(X.indices, before.indices)


class TestEstimator:
    @pytest.mark.parametrize("metric", METRICS)
    def test_fit_and_predict(self, metric):
        X = points(150, 30)
        model = chamfer.AgglomerativeClustering(6, metric=metric).fit(sparse.csr_array(X[:100]))
        dense = chamfer.AgglomerativeClustering(6, metric=metric).fit(X[:100])
        np.testing.assert_array_equal(model.labels_, dense.labels_)
        for queries in (sparse.csr_array(X[100:]), X[100:]):
            np.testing.assert_array_equal(model.predict(queries), dense.predict(X[100:]))
        np.testing.assert_array_equal(dense.predict(sparse.csr_array(X[100:])), dense.predict(X[100:]))

    def test_a_number_of_clusters_follows_from_neighbours(self):
        X = np.concatenate([points(40, 30), points(41, 30) + 5])
        assert chamfer.AgglomerativeClustering("auto").fit(sparse.csr_array(X)).n_clusters_ == 2

    def test_checkpoints(self, path):
        X = sparse.csr_array(points(150, 30))
        trees = [chamfer.linkage(X, checkpoint=path) for _ in range(2)]
        np.testing.assert_array_equal(*trees)
        with pytest.raises(ValueError, match="checkpoint"):
            chamfer.linkage(X[:, ::-1], checkpoint=path)

    def test_neighbours(self):
        X = points(150, 30)
        found, expected = chamfer.neighbors(sparse.csr_array(X), 5), chamfer.neighbors(X, 5)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (points(9, 3), {"metric": "cityblock"}, "metric must be one of euclidean, sqeuclidean, cosine for a sparse X"),
        (points(9, 3), {"source": "tree", "method": "chamfer"}, "source must be 'auto' or 'cdist' for sparse points"),
        (np.where(points(9, 3) > 1, np.nan, points(9, 3)), {}, "got NaN in row"),
        (np.zeros((0, 3)), {}, "X must hold points as rows"),
        (points(9, 3) * 1e160, {"metric": "sqeuclidean"}, "heights of 9 points would overflow"),
        (points(9, 3) * 1j, {}, "X must hold points as rows of real numbers"),
    ],
)
def test_what_is_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        chamfer.linkage(sparse.csr_array(X), **{"method": "single", **options})
