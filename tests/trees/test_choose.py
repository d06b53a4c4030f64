"""Curves over the number of clusters equal their definitions at every cut, along every order; what is suggested."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import make_blobs
from sklearn.metrics import calinski_harabasz_score
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

import chamfer
from cases import gaussian
from chamfer.trees import curves as definitions
from chamfer.trees.dendrogram import Dendrogram
from forest import TREES, every_order, every_tree

X, Y = make_blobs(300, centers=4, cluster_std=0.5, random_state=1)
Z = chamfer.linkage(X)


def cuts(Z, order):
    """Labels for 1, 2, … n clusters."""
    return [chamfer.cut(Z, k, order=order) for k in range(1, len(Z) + 2)]


def naive_silhouette(X, labels):
    centres = np.array([X[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    far = cdist(X, centres)
    sizes = np.bincount(labels)
    values = []
    for row, own in zip(far, labels, strict=True):
        a, b = row[own], np.delete(row, own).min()
        values.append(0 if sizes[own] == 1 else (b - a) / max(a, b))
    return np.mean(values)


def edges_of(neighbors):
    return [(p, q) for p, row in enumerate(neighbors) for q in row if q not in (p, -1)]


def naive_modularity(edges, labels):
    total = len(edges)
    inside = sum(labels[p] == labels[q] for p, q in edges) / total
    ends = np.bincount([labels[each] for edge in edges for each in edge], minlength=labels.max() + 1)
    return inside - ((ends / (2 * total)) ** 2).sum()


def naive_conductance(edges, labels):
    shares = []
    at = labels[np.array(edges)]
    for label in range(labels.max() + 1):
        first, second = (at == label).T
        leaving, ends = (first != second).sum(), first.sum() + second.sum()
        less = min(ends, 2 * len(edges) - ends)
        shares.append(leaving / less if less else 0.0)
    return np.mean(shares)


class TestCurves:
    @every_tree
    @every_order
    def test_scatter(self, Z, order):
        n = len(Z) + 1
        X = gaussian(7, n, 3) + 1e6  # far from zero, where sums of squares lose digits
        curves = chamfer.choose(Z, X, order=order).curves
        for k, labels in enumerate(cuts(Z, order), 1):
            within = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
            assert curves["within"][k - 1] == pytest.approx(within, rel=1e-6, abs=1e-6)
            if 1 < k < n:
                wanted = calinski_harabasz_score(X - 1e6, labels)
                assert curves["calinski_harabasz"][k - 1] == pytest.approx(wanted, rel=1e-6)
            else:
                assert np.isnan(curves["calinski_harabasz"][k - 1])

    @every_tree
    @every_order
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_silhouette(self, Z, order, dtype):
        n = len(Z) + 1
        X = gaussian(8, n, 3).astype(dtype)
        curve = chamfer.choose(Z, X, order=order, max_clusters=12).curves["silhouette"]
        for k, labels in enumerate(cuts(Z, order), 1):
            if 1 < k <= min(12, n - 1):
                assert curve[k - 1] == pytest.approx(naive_silhouette(X.astype(float), labels), abs=1e-6)
            else:
                assert np.isnan(curve[k - 1])

    @every_tree
    @every_order
    def test_graph(self, Z, order):
        n = len(Z) + 1
        neighbors = np.random.default_rng(n).integers(-1, n, size=(n, 4))
        edges = edges_of(neighbors)
        curves = chamfer.choose(Z, neighbors=neighbors, order=order).curves
        for k, labels in enumerate(cuts(Z, order), 1):
            inside = np.mean([labels[p] == labels[q] for p, q in edges])
            assert curves["inside"][k - 1] == pytest.approx(inside)
            assert curves["modularity"][k - 1] == pytest.approx(naive_modularity(edges, labels))
            assert curves["conductance"][k - 1] == pytest.approx(naive_conductance(edges, labels), abs=1e-12)

    @every_tree
    @every_order
    def test_heights(self, Z, order):
        curves = chamfer.choose(Z, order=order).curves
        _, heights = Dendrogram(Z).sequence(order)
        n = len(Z) + 1
        for k in range(1, n + 1):
            applied = heights[: n - k]
            assert curves["height"][k - 1] == applied.max(initial=0)
            if 1 < k < n and applied.max() > 0:
                assert curves["gap"][k - 1] == pytest.approx(heights[: n - k + 1].max() / applied.max())
            elif k == 1:
                assert np.isnan(curves["gap"][k - 1])

    @every_order
    def test_separation_counts_the_edges_across_each_split(self, order):
        neighbors = NearestNeighbors(n_neighbors=9).fit(X).kneighbors(return_distance=False)
        edges = edges_of(neighbors)
        curve = chamfer.choose(Z, neighbors=neighbors, order=order).curves["separation"]
        ends = np.bincount([each for edge in edges for each in edge], minlength=len(X))
        joined, less_ends, sizes = [], [], []
        previous = np.zeros(len(X), int)
        for labels in cuts(Z, order)[1:]:
            (split,) = (c for c in range(previous.max() + 1) if len(set(labels[previous == c])) == 2)
            first, second = sorted(set(labels[previous == split]))
            joined.append(sum({labels[p], labels[q]} == {first, second} for p, q in edges))
            less_ends.append(min(ends[labels == first].sum(), ends[labels == second].sum()))
            sizes.append(min((labels == first).sum(), (labels == second).sum()))
            previous = labels
        wanted = definitions.separations(*(np.array(each, float) for each in (joined, less_ends, sizes)))
        np.testing.assert_allclose(curve, np.concatenate([[0], np.cumsum(wanted)]), atol=1e-12)

    def test_the_usual_crossing_is_found_where_splits_follow_it(self):
        sizes = np.random.default_rng(0).integers(3, 400, size=900).astype(float)
        ends = 1e9 * sizes  # so many that counts are not rounded
        joined = ends / 2 / (1 + (sizes / 10) ** 0.5)
        joined[:30] /= 20  # some that divide clusters
        found = definitions.separations(joined, ends, sizes)
        np.testing.assert_allclose(found[:30], np.log(20 / 3), atol=0.1)
        np.testing.assert_allclose(found[30:], -np.log(3), atol=0.1)

    def test_points_of_any_metric_and_distances(self):
        by_distances = chamfer.choose(Z, pdist(X))
        assert "within" not in by_distances.curves
        np.testing.assert_array_equal(by_distances.curves["inside"], chamfer.choose(Z, X).curves["inside"])
        by_blocks = chamfer.choose(Z, X, metric="cityblock")
        np.testing.assert_array_equal(by_blocks.curves["within"], chamfer.choose(Z, X).curves["within"])

    def test_neighbours_in_every_form(self):
        found = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(return_distance=False)
        wanted = chamfer.choose(Z, X).curves["inside"]
        for given in (15, found, found.tolist(), kneighbors_graph(X, 15), csr_array(kneighbors_graph(X, 15).toarray())):
            np.testing.assert_allclose(chamfer.choose(Z, X, given).curves["inside"], wanted)
        loops = np.column_stack([np.arange(len(X)), found])
        np.testing.assert_allclose(chamfer.choose(Z, neighbors=loops).curves["inside"], wanted)

    @pytest.mark.parametrize("factor", [2.0**-600, 2.0**300])
    def test_scale_changes_nothing_but_units(self, factor):
        one, other = chamfer.choose(Z, X), chamfer.choose(Z, X * factor)
        for name in ("silhouette", "calinski_harabasz", "separation", "inside"):
            np.testing.assert_array_equal(one.curves[name], other.curves[name])
        assert one.suggestions == other.suggestions

    def test_squares_that_no_float_holds(self):
        choice = chamfer.choose(Z, X * 2.0**700)
        assert np.isinf(choice.curves["within"][0])
        assert choice.suggestions == chamfer.choose(Z, X).suggestions

    def test_threads_change_nothing(self):
        one, other = (chamfer.choose(Z, X, n_jobs=n_jobs).curves for n_jobs in (1, 3))
        for name, curve in one.items():
            np.testing.assert_array_equal(curve, other[name])

    def test_few_points(self):
        for n in (1, 2, 3):
            X = gaussian(0, n, 2)
            choice = chamfer.choose(chamfer.linkage(X), X)
            assert choice.n_clusters == 1
            assert len(choice.to_frame()) == n

    def test_equal_points(self):
        X = np.zeros((20, 2))
        choice = chamfer.choose(chamfer.linkage(X), X)
        assert 1 <= choice.n_clusters <= 20


class TestSuggestions:
    def test_clear_clusters(self):
        choice = chamfer.choose(Z, X)
        assert [each.n_clusters for each in choice.suggestions] == [4, 4, 4, 4, 4]
        assert choice.suggestions[0].criterion == choice.criterion == "separation"
        assert all(each.reason for each in choice.suggestions)

    def test_nothing_to_divide(self):
        for seed in range(5):
            points = gaussian(seed, 400, 2)
            for method in ("chamfer", "ward", "average"):
                assert chamfer.choose(chamfer.linkage(points, method), points).n_clusters == 1

    @pytest.mark.parametrize("method", ["chamfer", "ward", "average", "chamfer_normalized"])
    @pytest.mark.parametrize("k", [2, 3, 7, 12])
    def test_round_clusters(self, k, method):
        rng = np.random.default_rng(k)
        points = np.repeat(12 * np.arange(k), 60)[:, None] * [1, 0.5] + rng.normal(size=(60 * k, 2))
        assert chamfer.choose(chamfer.linkage(points, method), points).n_clusters == k

    def test_limits(self):
        assert chamfer.choose(Z, X, min_clusters=6, max_clusters=9).n_clusters in range(6, 10)
        assert chamfer.choose(Z, X, max_clusters=3).n_clusters == 3

    def test_without_points_the_heights_decide(self):
        choice = chamfer.choose(Z)
        assert (choice.n_clusters, choice.criterion) == (4, "gap")

    def test_it_prints_well(self):
        lines = repr(chamfer.choose(Z, X)).splitlines()
        assert lines[0] == "4 clusters, by separation (order merge)"
        assert lines[1].startswith("     4  separation         100.0% of neighbours are in the same cluster")
        assert len(lines) == 6

    def test_data_frame(self):
        frame = chamfer.choose(Z, X).to_frame()
        assert frame.index.name == "n_clusters"
        assert frame.index.tolist() == list(range(1, 301))
        assert frame["modularity"].idxmax() == 4
        assert len(chamfer.choose(Z, X).to_frame(7)) == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": X[:5]}, "X must hold the 300 points of Z, got 5"),
        ({"neighbors": 5}, "neighbors=5 needs X"),
        ({"neighbors": np.zeros((3, 2), int)}, "a row for each of 300 points, got int64 of shape"),
        ({"neighbors": np.zeros((300, 2))}, "array of integers"),
        ({"neighbors": np.full((300, 2), 300)}, "neighbors must be between 0 and 299, or -1 for none, got 300 to 300"),
        ({"neighbors": csr_array((2, 2))}, r"matrix of shape \(300, 300\), got \(2, 2\)"),
        ({"X": X, "neighbors": 0}, "neighbors must be at least 1, got 0"),
        ({"X": X, "min_clusters": 301}, "min_clusters must be between 1 and 300, got 301"),
        ({"X": X, "min_clusters": 3, "max_clusters": 2}, "max_clusters must be at least 3, got 2"),
        ({"X": X, "order": "first"}, "order must be one of"),
    ],
)
def test_errors_name_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        chamfer.choose(Z, **arguments)


def test_trees_that_fall_are_among_the_trees():
    assert any((np.diff(Z[:, 2]) < 0).any() for Z in TREES.values())
