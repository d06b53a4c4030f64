"""Trees from nominated neighbours: those of a graph that the user brings, and of an approximate index."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix, diags_array
from sklearn.neighbors import kneighbors_graph

import chamfer
import reference
from cases import assert_same_tree, distances, duplicated, gaussian, grid
from chamfer import sources
from chamfer.inputs import check_input
from chamfer.sources import nominated
from marks import slow


@pytest.fixture
def sampled(tuned):
    """Large clusters are sampled, however few points there are."""
    tuned(sampled_points=0, sampled_members=30, sampled_least=30, sampled_queries=50)


def groups(seed, n, d, count, apart, dtype=np.float32):
    """Points in groups of equal size, each closed in any graph of few neighbours."""
    X = gaussian(seed, n, d, dtype)
    X[:, 0] += apart * (np.arange(n) * count // n) ** 1.5
    return X


class TestGraph:
    @pytest.mark.parametrize("mode", ["distance", "connectivity"])
    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_of_the_nearest_gives_the_exact_tree(self, mode, metric, dtype):
        X = gaussian(1, 500, 6, dtype)
        graph = kneighbors_graph(X, 20, mode=mode, metric=metric)
        Z = chamfer.linkage(X, "chamfer_capped", metric, source=graph)
        np.testing.assert_array_equal(Z, chamfer.linkage(X, "chamfer_capped", metric, engine="lists"))

    @pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized"])
    def test_of_the_nearest_for_first_lists(self, method):
        X = gaussian(2, 500, 6)
        assert_same_tree(chamfer.linkage(X, method, source=kneighbors_graph(X, 32)), chamfer.linkage(X, method))

    @pytest.mark.parametrize("convert", [csr_matrix, csr_array, coo_array, lambda graph: graph.tocsc()])
    def test_any_sparse_form_with_or_without_itself(self, convert):
        X = gaussian(3, 200, 3)
        expected = chamfer.linkage(X, "chamfer_capped")
        for itself in (False, True):
            graph = kneighbors_graph(X, 16 + itself, mode="distance", include_self=itself)
            np.testing.assert_array_equal(chamfer.linkage(X, "chamfer_capped", source=convert(graph)), expected)

    @pytest.mark.slow
    @pytest.mark.parametrize("data", [grid(1, 120, 2), duplicated(3, 120, 3)])
    def test_copies_of_a_point_are_neighbours_at_distance_zero(self, data):
        graph = kneighbors_graph(data, len(data) - 1, mode="distance")
        assert np.any(graph.data == 0)
        Z = chamfer.linkage(data, "chamfer_capped", source=graph, n_neighbors=5)
        reference.replay(Z, distances(data), "chamfer_capped", n_neighbors=5)

    def test_other_neighbours_make_another_tree_by_the_same_definition(self):
        # What is not an edge counts as far as the farthest neighbour, which tells nothing of the edge's end.
        X, k, generator = gaussian(4, 60, 3), 5, np.random.default_rng(4)
        D, near = distances(X), generator.random((60, 60)).argsort(axis=1)[:, : k + 2]
        far = np.full((60, 60), 1e9)
        for p in range(60):
            others = [q for q in near[p] if q != p][: k + 1]
            far[p, others] = D[p, others]
        rows, columns = np.nonzero(far < 1e9)
        graph = csr_array((far[rows, columns], (rows, columns)), shape=(60, 60))
        Z = chamfer.linkage(X, "chamfer_capped", source=graph, n_neighbors=k)
        assert_same_tree(Z, reference.linkage(far, "chamfer_capped", k))

    @pytest.mark.parametrize("long", [5, 300])
    def test_rows_may_be_longer_than_needed(self, long):
        X = gaussian(5, 300, 4)
        graph = kneighbors_graph(X, 16).tolil()
        graph[:long] = 1
        np.testing.assert_array_equal(
            chamfer.linkage(X, "chamfer_capped", source=graph), chamfer.linkage(X, "chamfer_capped")
        )

    def test_closed_parts_are_merged_exactly(self):
        X = groups(6, 600, 5, 4, 30)
        graph = kneighbors_graph(X, 16)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "chamfer_capped", source=graph), chamfer.linkage(X, "chamfer_capped")
        )

    @pytest.mark.parametrize(
        ("graph", "words"),
        [
            (csr_array(np.ones((30, 29))), r"source must be a graph of 30 x 30 entries, .*\(30, 29\)"),
            (csr_array(-np.ones((30, 30))), "source must hold distances"),
            (csr_array(np.full((30, 30), np.inf)), "source must hold distances"),
            (csr_array(np.tri(30)), "at least 16 other points for each point, got 0 in row 0"),
            (diags_array(np.ones(30)), "at least 16 other points for each point, got 0 in row 0"),
        ],
    )
    def test_refusals(self, graph, words):
        with pytest.raises(ValueError, match=words):
            chamfer.linkage(gaussian(0, 30, 2), "chamfer_capped", source=graph)

    def test_needs_points_and_a_fast_metric(self):
        X = gaussian(0, 30, 2)
        graph = kneighbors_graph(X, 20)
        with pytest.raises(ValueError, match="source must be 'auto' or 'cdist' for metric 'cityblock', got 'a graph'"):
            chamfer.linkage(X, "chamfer_capped", "cityblock", source=graph)
        with pytest.raises(ValueError, match="source must be 'auto' for distances"):
            chamfer.linkage(distances(X), "chamfer_capped", "precomputed", source=graph)
        with pytest.raises(ValueError, match=r"engine 'lists' takes one of chamfer, .*got method 'ward'"):
            chamfer.linkage(X, "ward", source=graph)

    def test_of_the_estimator(self):
        X = gaussian(7, 100, 2)
        model = chamfer.AgglomerativeClustering(3, linkage="chamfer_capped", source=kneighbors_graph(X, 16)).fit(X)
        expected = chamfer.AgglomerativeClustering(3, linkage="chamfer_capped").fit(X)
        np.testing.assert_array_equal(model.labels_, expected.labels_)


def test_a_sample_is_all_of_small_clusters_and_some_of_large_ones(tuned):
    tuned(sampled_members=10, sampled_least=5)
    labels = np.repeat(np.array([7, 0, 30, 7], np.int32), [5, 10, 100, 4])
    sample = nominated._sample(labels)
    assert np.all(np.diff(sample) > 0)
    assert np.unique(labels[sample], return_counts=True)[1].tolist() == [10, 9, 10]
    tuned(sampled_members=10, sampled_least=5, sampled_all=21)
    assert np.unique(labels[nominated._sample(labels)], return_counts=True)[1].tolist() == [7, 7, 7]
    tuned(sampled_members=10, sampled_least=5, sampled_all=3)
    assert np.unique(labels[nominated._sample(labels)], return_counts=True)[1].tolist() == [5, 5, 5]


@pytest.mark.usefixtures("sampled")
class TestSample:
    def test_only_the_last_merges_are_approximate_and_none_is_too_low(self):
        X = groups(1, 1200, 4, 4, 20)
        graph = kneighbors_graph(X, 16)
        Z, exact = chamfer.linkage(X, "chamfer_capped", source=graph), chamfer.linkage(X, "chamfer_capped")
        np.testing.assert_array_equal(Z[:-3], exact[:-3])
        np.testing.assert_array_equal(Z[:, [0, 1, 3]], exact[:, [0, 1, 3]])  # the groups are far apart
        assert np.all(Z[-3:, 2] > exact[-3:, 2])  # 30 of 300 points do not hold all nearest ones
        np.testing.assert_allclose(Z[-3:, 2], exact[-3:, 2], rtol=0.2)

    def test_small_clusters_are_not_sampled(self):
        X = groups(2, 600, 3, 30, 20)  # closed parts of 20 points
        graph = kneighbors_graph(X, 16)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "chamfer_capped", source=graph), chamfer.linkage(X, "chamfer_capped")
        )


class TestIndex:
    @pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized", "chamfer_capped"])
    @pytest.mark.parametrize("n", [2, 3, 20, 33])
    def test_few_points_are_all_found(self, method, n):
        X = gaussian(n, n, 3)
        np.testing.assert_array_equal(
            chamfer.linkage(X, method, source="ann"), chamfer.linkage(X, method, engine="lists")
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 1.0), (np.float64, 1.0), (np.float64, 1e30)])
    def test_finds_nearly_all_and_distances_are_right(self, dtype, scale):
        X = (gaussian(1, 12_000, 10) * scale + 3 * scale).astype(dtype)
        points, everything = check_input(X, "euclidean"), np.arange(12_000, dtype=np.int32)
        found = sources.IndexSource(points, 16).nearest(everything, everything, 16, 2)
        exact = sources.BlasSource(points).nearest(everything, everything, 16, 2)
        same = np.sort(found.distances, axis=1) == np.sort(exact.distances, axis=1)
        assert same[:, 0].mean() > 0.99
        assert np.mean([np.isin(a, b).mean() for a, b in zip(exact.clusters, found.clusters, strict=True)]) > 0.98
        np.testing.assert_array_equal(found.bounds, found.distances.max(axis=1))

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["chamfer", "chamfer_capped"])
    def test_number_of_threads(self, method):
        X = gaussian(2, 11_000, 6, np.float32)
        expected = chamfer.linkage(X, method, source="ann", n_jobs=1)
        np.testing.assert_array_equal(chamfer.linkage(X, method, source="ann", n_jobs=3), expected)

    @pytest.mark.parametrize("method", ["chamfer", "chamfer_capped"])
    def test_nearly_the_exact_tree(self, method):
        X = groups(3, 4000, 8, 5, 15)
        Z, exact = chamfer.linkage(X, method, source="ann"), chamfer.linkage(X, method, engine="lists")
        chamfer.Dendrogram(Z)
        np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(exact[:, 2]), rtol=0.05)
        np.testing.assert_array_equal(chamfer.cut(Z, n_clusters=5), np.arange(4000) * 5 // 4000)

    @pytest.mark.parametrize(("n", "copies", "d"), [(30, 100, 3), (25, 5, 64), *slow((20, 600, 2)), (1, 300, 2)])
    def test_copies_of_points(self, n, copies, d):
        X = np.random.default_rng(0).permutation(np.repeat(gaussian(4, n, d), copies, axis=0))
        X[0] = np.where(X[0] == X[0].max(), -0.0, 0.0)
        X[1] = 0
        Z = chamfer.linkage(X, "chamfer_capped", source="ann")
        np.testing.assert_array_equal(Z, chamfer.linkage(X, "chamfer_capped"))

    @pytest.mark.usefixtures("sampled")
    def test_farther_clusters_from_a_sample(self):
        X = groups(5, 3000, 8, 6, 15)
        Z = chamfer.linkage(X, "chamfer_capped", source="ann")
        np.testing.assert_array_equal(chamfer.cut(Z, n_clusters=6), np.arange(3000) * 6 // 3000)

    def test_info_names_the_source(self):
        info = chamfer.Info()
        chamfer.linkage(gaussian(6, 100, 2), "chamfer_capped", source="ann", info=info)
        assert info.source == "IndexSource"
        assert info.recall == 1.0
        chamfer.linkage(gaussian(6, 100, 2), "chamfer_capped", info=info, engine="lists")
        assert info.recall is None
