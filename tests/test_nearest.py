"""`neighbors` and `KNeighborsTransformer`: exact by default, in scikit-learn's terms, and for other libraries."""

import numpy as np
import pytest
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import chamfer
from cases import gaussian, grid
from marks import slow


def by_definition(X, k, metric):
    D = cdist(X, X, metric)
    np.fill_diagonal(D, np.inf)
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), D.shape), D), axis=1)[:, :k]
    return order, np.take_along_axis(D, order, axis=1)


class TestNeighbors:
    @pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "cityblock"])
    @pytest.mark.parametrize(("n", "d"), [(2, 1), (40, 3), (300, 20)])
    def test_definition(self, metric, n, d):
        X = gaussian(n, n, d)
        k = min(7, n - 1)
        found = chamfer.neighbors(X, k, metric=metric)
        indices, distances = by_definition(X, k, metric)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-9, atol=1e-15)
        if not (metric == "cosine" and d == 1):  # where all distances tie
            np.testing.assert_array_equal(found.indices, indices)
        assert found.recall == 1

    def test_ties_go_to_smaller_numbers(self):
        X = grid(0, 80, 2)
        np.testing.assert_array_equal(chamfer.neighbors(X, 9).indices, by_definition(X, 9, "euclidean")[0])

    def test_of_distances(self):
        D = cdist(*[gaussian(1, 30, 3)] * 2)
        found = chamfer.neighbors(D, 4, metric="precomputed")
        np.testing.assert_array_equal(found.indices, chamfer.neighbors(gaussian(1, 30, 3), 4).indices)

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_distances_are_in_the_callers_unit(self, scale):
        X = gaussian(2, 50, 3)
        np.testing.assert_allclose(
            chamfer.neighbors(X * scale, 3).distances, chamfer.neighbors(X, 3).distances * scale, rtol=1e-12
        )

    def test_as_a_source_of_linkage(self):
        X = gaussian(3, 400, 6)
        found = chamfer.neighbors(X, 16)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "chamfer_capped", source=found), chamfer.linkage(X, "chamfer_capped")
        )
        with pytest.raises(ValueError, match="at least 16 other points for each point, got 5"):
            chamfer.linkage(X, "chamfer_capped", source=chamfer.neighbors(X, 5))
        with pytest.raises(ValueError, match=r"source must be a graph of 30 x 30"):
            chamfer.linkage(X[:30], "chamfer_capped", source=found)

    def test_graphs(self):
        X = gaussian(4, 60, 3)
        found, theirs = chamfer.neighbors(X, 5), NearestNeighbors(n_neighbors=5).fit(X)
        expected = theirs.kneighbors_graph(mode="distance")
        np.testing.assert_allclose(found.graph().toarray(), expected.toarray(), atol=1e-12)
        graph = found.graph(include_self=True)
        assert graph.nnz == 60 * 6
        np.testing.assert_array_equal(graph.indices.reshape(60, 6)[:, 0], np.arange(60))

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"n_neighbors": 0}, ValueError, "n_neighbors must be between 1 and 9, got 0"),
            ({"n_neighbors": 10}, ValueError, "n_neighbors must be between 1 and 9, got 10"),
            ({"n_neighbors": 2.0}, TypeError, "n_neighbors must be an integer"),
            ({"source": "an"}, ValueError, "source must be one of .*did you mean 'ann'"),
            ({"source": "ann", "metric": "cityblock"}, ValueError, "source must be 'auto' or 'cdist' for metric"),
            ({"recall": 2}, ValueError, "recall must be above 0 and at most 1, got 2"),
            ({"rng": -1}, ValueError, "rng must be at least 0, got -1"),
            ({"rng": "x"}, TypeError, "rng must be an integer"),
        ],
    )
    def test_refusals(self, arguments, error, message):
        with pytest.raises(error, match=message):
            chamfer.neighbors(gaussian(0, 10, 2), **{"n_neighbors": 3, **arguments})

    @pytest.mark.parametrize("count", [1, 5])
    def test_one_point_has_no_neighbours(self, count):
        with pytest.raises(ValueError, match="X must hold at least two points"):
            chamfer.neighbors([[1.0, 2.0]], count)


class TestUpdate:
    @pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
    @pytest.mark.parametrize(("dtype", "n", "d"), [(np.float64, 300, 2), (np.float32, 300, 20), (np.float64, 2600, 9)])
    def test_equals_a_search_from_scratch(self, metric, dtype, n, d):
        X = gaussian(5, n, d, dtype)
        part = chamfer.neighbors(X[: n - 70], 8, metric=metric)
        whole, updated = chamfer.neighbors(X, 8, metric=metric), part.update(X)
        np.testing.assert_array_equal(updated.indices, whole.indices)
        np.testing.assert_array_equal(updated.distances, whole.distances)
        again = part.update(X[: n - 30]).update(X)
        np.testing.assert_array_equal(again.indices, whole.indices)

    def test_rows_far_away_change_the_unit_only(self):
        X = gaussian(6, 200, 4)
        more = np.vstack([X, 1e60 + X[:20] * 1e55])
        updated, whole = chamfer.neighbors(X, 5).update(more), chamfer.neighbors(more, 5)
        np.testing.assert_array_equal(updated.indices[200:], whole.indices[200:])

    @pytest.mark.parametrize("n", [600, *slow(12_000)])
    def test_the_tree_is_that_of_all_rows(self, n):
        X = gaussian(7, n, 6)
        updated = chamfer.neighbors(X[: n - n // 20], 16).update(X)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "chamfer_capped", source=updated), chamfer.linkage(X, "chamfer_capped", engine="lists")
        )

    def test_no_new_rows(self):
        X = gaussian(8, 30, 2)
        found = chamfer.neighbors(X, 3)
        np.testing.assert_array_equal(found.update(X).indices, found.indices)

    def test_refusals(self):
        X = gaussian(8, 30, 2)
        found, message = chamfer.neighbors(X, 3), "X must hold the 30 rows that the neighbours were made of"
        for other in (X[:20], X[::-1], np.vstack([X[1:], X]), X.astype(np.float32)):
            with pytest.raises(ValueError, match=message):
                found.update(other)
        with pytest.raises(ValueError, match="update needs points in memory and one of the metrics euclidean"):
            chamfer.neighbors(X, 3, metric="cityblock").update(X)


class TestFiles:
    def test_round_trip(self, tmp_path):
        X = gaussian(9, 50, 3)
        found = chamfer.neighbors(X[:40], 4, metric="cosine")
        found.save(tmp_path / "near.npz")
        loaded = chamfer.Neighbors.load(tmp_path / "near.npz")
        for name in ("indices", "distances", "recall", "metric", "fingerprint"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(found, name))
        np.testing.assert_array_equal(loaded.update(X).indices, chamfer.neighbors(X, 4, metric="cosine").indices)

    def test_what_is_no_such_file(self, tmp_path):
        path = tmp_path / "near.npz"
        for write in (
            lambda: path.write_bytes(b"nothing"),
            lambda: np.savez(path, indices=np.zeros((3, 2), np.int32)),
            lambda: np.savez(path, format=1, indices=np.full((3, 1), 7, np.int32), distances=np.zeros((3, 1)),
                             recall=1.0, metric="euclidean", fingerprint=""),
        ):  # fmt: skip
            write()
            with pytest.raises(ValueError, match=r"path must be a file of chamfer.Neighbors, got .*near.npz"):
                chamfer.Neighbors.load(path)
        with pytest.raises(FileNotFoundError):
            chamfer.Neighbors.load(tmp_path / "other.npz")

    def test_a_function_has_no_name_in_a_file(self, tmp_path):
        found = chamfer.neighbors(gaussian(0, 10, 2), 2, metric=lambda x, y: float(np.abs(x - y).sum()))
        with pytest.raises(ValueError, match="metric must be a name"):
            found.save(tmp_path / "near.npz")


@parametrize_with_checks([chamfer.KNeighborsTransformer(), chamfer.KNeighborsTransformer(source="ann")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


class TestTransformer:
    @pytest.mark.parametrize("mode", ["distance", "connectivity"])
    @pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
    def test_is_that_of_scikit_learn(self, mode, metric):
        X, queries = gaussian(10, 200, 7), gaussian(11, 30, 7)
        options = {"mode": mode, "n_neighbors": 6, "metric": metric}
        ours, theirs = chamfer.KNeighborsTransformer(**options), KNeighborsTransformer(**options)
        for given in (X, queries):
            mine, expected = ours.fit(X).transform(given), theirs.fit(X).transform(given)
            assert mine.nnz == expected.nnz
            np.testing.assert_allclose(mine.toarray(), expected.toarray(), atol=1e-7)
        for given in (None, queries):
            distances, indices = ours.kneighbors(given, 4)
            expected = theirs.kneighbors(given, 4)
            np.testing.assert_allclose(distances, expected[0], atol=1e-9)
            np.testing.assert_array_equal(indices, expected[1])
            np.testing.assert_array_equal(ours.kneighbors(given, 4, return_distance=False), indices)

    def test_low_dimension_and_float32(self):
        X, queries = gaussian(12, 500, 2, np.float32), gaussian(13, 40, 2, np.float32)
        distances, indices = chamfer.KNeighborsTransformer().fit(X).kneighbors(queries)
        expected = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(queries)
        np.testing.assert_array_equal(indices, expected[1])
        np.testing.assert_allclose(distances, expected[0], rtol=1e-5)
        assert distances.dtype == np.float32

    def test_as_scanpy_calls_it(self):
        # scanpy.pp.neighbors(transformer=...) takes a graph from fit_transform and reads rows of equal length.
        X = gaussian(14, 300, 10, np.float32)
        for source in ("auto", "ann"):
            graph = chamfer.KNeighborsTransformer(n_neighbors=15, source=source).fit_transform(X)
            assert issparse(graph)
            assert graph.format == "csr"
            assert graph.shape == (300, 300)
            assert np.all(np.diff(graph.indptr) == 16)
            indices, distances = graph.indices.reshape(300, 16), graph.data.reshape(300, 16)
            np.testing.assert_array_equal(indices[:, 0], np.arange(300))
            assert np.all(distances[:, 0] == 0)
            assert np.all(np.diff(distances, axis=1) >= 0)

    def test_as_umap_takes_precomputed_neighbours(self):
        # umap.UMAP(precomputed_knn=(indices, distances)): each point first, at least n_neighbors columns.
        X = gaussian(15, 200, 5)
        indices, distances = chamfer.neighbors(X, 14).with_self()
        expected = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(X)
        np.testing.assert_array_equal(indices, expected[1])
        np.testing.assert_allclose(distances, expected[0], atol=1e-12)
        assert indices.shape == distances.shape == (200, 15)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("source", ["auto", "ann"])
    def test_in_scanpy(self, source):
        scanpy, anndata = pytest.importorskip("scanpy"), pytest.importorskip("anndata")
        X = gaussian(14, 300, 10)

        def graphs(transformer):
            data = anndata.AnnData(X.copy())
            scanpy.pp.neighbors(data, use_rep="X", transformer=transformer)
            return data.obsp["distances"].toarray(), data.obsp["connectivities"].toarray()

        # Not scikit-learn's search by products: there a point is not at distance 0 from itself, which UMAP notices.
        expected = graphs(KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree"))
        for ours, theirs in zip(
            graphs(chamfer.KNeighborsTransformer(n_neighbors=15, source=source)), expected, strict=True
        ):
            np.testing.assert_allclose(ours, theirs, atol=1e-6)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    def test_in_umap(self):
        umap = pytest.importorskip("umap")
        X = gaussian(15, 200, 5)
        known = chamfer.neighbors(X, 14).with_self()
        model = umap.UMAP(n_neighbors=15, precomputed_knn=known, random_state=0).fit(X)
        np.testing.assert_array_equal(model._knn_indices, known[0])
        assert np.isfinite(model.embedding_).all()

    def test_in_a_pipeline(self):
        from sklearn.cluster import DBSCAN

        X = np.vstack([gaussian(16, 50, 2), 20 + gaussian(17, 50, 2)])
        labels = make_pipeline(
            chamfer.KNeighborsTransformer(n_neighbors=20), DBSCAN(eps=1.5, metric="precomputed")
        ).fit_predict(X)
        assert len(set(labels[:50]) - {-1}) == 1
        assert not set(labels[:50]) & set(labels[50:]) - {-1}

    def test_recall_of_the_training_rows(self):
        model = chamfer.KNeighborsTransformer(source="ann")
        graph = model.fit_transform(gaussian(18, 100, 3))
        assert model.recall_ == 1
        assert abs(graph - model.transform(gaussian(18, 100, 3))).max() == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"mode": "x"}, "mode must be one of distance, connectivity, got 'x'"),
            ({"metric": "precomputed"}, "metric must be a distance between rows, got 'precomputed'"),
        ],
    )
    def test_refusals(self, options, message):
        with pytest.raises(ValueError, match=message):
            chamfer.KNeighborsTransformer(**options).fit(gaussian(0, 10, 2))

    def test_too_many_neighbours(self):
        with pytest.raises(ValueError, match="n_neighbors must be between 1 and 9, got 10"):
            chamfer.KNeighborsTransformer().fit(gaussian(0, 10, 2)).kneighbors(n_neighbors=10)
