"""Sources that skip what cannot be near give the answers of those that compute every distance, bit for bit."""

import numpy as np
import pytest
from scipy import sparse

import chamfer
from cases import gaussian
from chamfer import tuning
from chamfer.inputs import check_input
from chamfer.sources.make import make_source
from chamfer.sources.packed import PackedSource
from chamfer.sources.rows import CdistSource
from chamfer.sources.sparse import SparseSource
from chamfer.sources.sphere import SphereSource


def check_answers(fast, slow, exactly=True):
    """Both answer the same, whatever the clusters: points, some, two, of some points or all."""
    n, random = fast.n, np.random.default_rng(0)
    everything = np.arange(n, dtype=np.int32)
    for clusters, k in ((n, 5), (n, 1), (n // 3, 7), (12, 20), (2, 1)):
        labels = everything if clusters == n else random.integers(0, clusters, n).astype(np.int32)
        some = np.sort(random.choice(n, 40, replace=False)).astype(np.int32)
        found, expected = (each.nearest(some, labels, k, 2) for each in (fast, slow))
        for each in (found, expected):
            each.distances[each.clusters < 0] = np.inf
        order, others = (np.lexsort([each.clusters, each.distances]) for each in (found, expected))
        in_order = np.take_along_axis(found.distances, order, 1), np.take_along_axis(expected.distances, others, 1)
        listed = np.take_along_axis(found.clusters, order, 1), np.take_along_axis(expected.clusters, others, 1)
        there = listed[1] >= 0
        np.testing.assert_array_equal(listed[0][there], listed[1][there])
        compare = np.testing.assert_array_equal if exactly else np.testing.assert_allclose
        compare(in_order[0][there], in_order[1][there])
        assert (found.bounds >= found.distances.max(axis=1, initial=0, where=found.clusters >= 0) * (1 - 1e-6)).all()


@pytest.fixture(autouse=True)
def _filtered():
    """Few points are enough for a filter."""
    with tuning.using(unfiltered=10):
        yield


class TestPacked:
    @pytest.mark.parametrize("metric", ["cityblock", "chebyshev"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize(("n", "d"), [(41, 1), (300, 2), (300, 70)])
    def test_answers(self, metric, dtype, n, d):
        data = check_input((gaussian(n, n, d) * np.linspace(1, 9, d)).astype(dtype), metric)
        source = make_source("auto", data, 5, 2)
        assert isinstance(source, PackedSource)
        check_answers(source, CdistSource(data))

    @pytest.mark.parametrize("metric", ["cityblock", "chebyshev"])
    def test_ties(self, metric):
        data = check_input(np.random.default_rng(1).integers(0, 3, (300, 4)), metric)
        check_answers(PackedSource(data), CdistSource(data))

    @pytest.mark.parametrize("metric", ["cityblock", "chebyshev"])
    @pytest.mark.parametrize("method", ["chamfer", "chamfer_capped", "chamfer_normalized"])
    def test_trees(self, metric, method):
        X = gaussian(7, 400, 3)
        info = chamfer.Info()
        found = chamfer.linkage(X, method, metric, engine="lists", info=info)
        assert info.source == "PackedSource"
        np.testing.assert_array_equal(found, chamfer.linkage(X, method, metric, engine="lists", source="cdist"))

    def test_distances_that_overflow_are_still_noticed(self):
        X = gaussian(7, 400, 3) * 1e307
        with pytest.raises(ValueError, match=r"whose sums overflow|not finite"):
            chamfer.linkage(X, "chamfer", "cityblock", engine="lists")


class TestSphere:
    X = np.radians(np.random.default_rng(3).uniform((-90, -180), (90, 180), (400, 2)))

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_answers(self, dtype):
        data = check_input(self.X.astype(dtype), "haversine")
        source = make_source("auto", data, 5, 2)
        assert isinstance(source, SphereSource)
        check_answers(source, CdistSource(data), exactly=False)

    @pytest.mark.parametrize("method", ["chamfer", "chamfer_capped", "single"])
    def test_trees(self, method):
        single = method == "single"
        found = chamfer.linkage(self.X, method, "haversine", engine="points" if single else "lists")
        slow = {"engine": "dense"} if single else {"engine": "lists", "source": "cdist"}
        expected = chamfer.linkage(self.X, method, "haversine", **slow)
        np.testing.assert_array_equal(found[:, :2], expected[:, :2])
        np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-12)

    @pytest.mark.parametrize("method", ["chamfer", "single"])
    @pytest.mark.parametrize(
        "places",
        [
            [[np.pi / 2, 0], [np.pi / 2, 3], [-np.pi / 2, 1], [0, np.pi], [0, -np.pi]],  # poles, and the date line
            [[0.3, 0.4]] * 4,
            [[0.3, 0.4], [0.3 + 1e-12, 0.4], [0.3, 0.4 - 1e-14], [0.3, 0.4]],
            [[0.0, 0.0], [0.0, np.pi]],  # antipodes
        ],
    )
    def test_special_places(self, method, places):
        engine = "points" if method == "single" else "lists"
        found = chamfer.linkage(places, method, "haversine", engine=engine)
        expected = chamfer.linkage(places, method, "haversine", engine="dense")
        np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-9, atol=1e-15)


class TestSparse:
    @staticmethod
    def documents(n=300, words=200, dtype=np.float64):
        """Rows with some rare words each, of topics, and common ones of little weight."""
        random = np.random.default_rng(5)
        X = np.where(random.random((n, words)) < 0.03, random.random((n, words)) + 0.5, 0)
        X[:, :12] = np.where(random.random((n, 12)) < 0.6, 0.05 * random.random((n, 12)), 0)
        X[7] = 0
        return sparse.csr_array(X.astype(dtype))

    @pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_answers(self, metric, dtype):
        data = check_input(self.documents(dtype=dtype), metric)
        source = make_source("auto", data, 5, 2)
        assert isinstance(source, SparseSource)
        assert source.frequent.sum() == 12
        check_answers(source, CdistSource(data))

    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_copies(self, metric, dtype):
        X = self.documents(dtype=dtype).toarray()
        X[100:200] = X[:100] * (1 if metric == "euclidean" else 3)
        data = check_input(sparse.csr_array(X), metric)
        check_answers(SparseSource(data), CdistSource(data))

    @pytest.mark.parametrize("method", ["chamfer", "chamfer_capped"])
    def test_trees(self, method):
        info = chamfer.Info()
        found = chamfer.linkage(self.documents(), method, "cosine", engine="lists", info=info)
        assert info.source == "SparseSource"
        slow = chamfer.linkage(self.documents(), method, "cosine", engine="lists", source="cdist")
        np.testing.assert_array_equal(found, slow)
