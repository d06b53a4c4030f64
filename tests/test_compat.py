"""Names, arguments and defaults of SciPy, scikit-learn and fastcluster; `peers` runs their own tests."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import cluster
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

import chamfer
import chamfer.compat.fastcluster as ours_fastcluster
import chamfer.compat.scipy as ours_scipy
import chamfer.compat.sklearn as ours_sklearn
from cases import gaussian

X = gaussian(0, 60, 4)
GAP = np.array([[0.0], [1.0], [5.0], [6.5]])


class TestMetricParams:
    @pytest.mark.parametrize(
        ("metric", "params"),
        [
            ("minkowski", {"p": 3}),
            ("minkowski", {"p": 1.5, "w": [1, 2, 3, 4]}),
            ("minkowski", {"p": 1}),
            ("minkowski", {"p": 2}),
            ("minkowski", {"p": np.inf}),
            ("euclidean", {"w": [1, 0, 2, 1]}),
            ("cityblock", {"w": [1, 0, 2, 1]}),
            ("seuclidean", {"V": [1, 2, 3, 4]}),
            ("mahalanobis", {"VI": np.diag([1, 2, 3, 4.0])}),
            ("mahalanobis", {}),
        ],
    )
    @pytest.mark.parametrize("engine", ["dense", "lists"])
    def test_as_in_pdist(self, metric, params, engine):
        expected = chamfer.linkage(pdist(X, metric, **params), "chamfer")
        found = chamfer.linkage(X, "chamfer", metric, metric_params=params, engine=engine)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        model = chamfer.AgglomerativeClustering(3, metric=metric, metric_params=params).fit(X[:40])
        if params:
            nearest = cdist(X[40:], X[:40], metric, **params).argmin(axis=1)
            np.testing.assert_array_equal(model.predict(X[40:]), model.labels_[nearest])

    def test_of_a_function(self):
        found = chamfer.linkage(
            X[:20], "average", lambda x, y, power: (np.abs(x - y) ** power).sum(), metric_params={"power": 1}
        )
        np.testing.assert_allclose(found, chamfer.linkage(X[:20], "average", "cityblock"), rtol=1e-9)

    @pytest.mark.parametrize(
        ("metric", "params", "message"),
        [
            ("minkowski", {"q": 3}, "metric_params must fit metric 'minkowski'"),
            ("seuclidean", {"V": [1.0]}, "metric_params must fit metric 'seuclidean'"),
            ("precomputed", {"p": 3}, "metric_params must be None for metric 'precomputed'"),
        ],
    )
    def test_wrong_ones(self, metric, params, message):
        with pytest.raises(ValueError, match=message):
            chamfer.linkage(X[:7], "average", metric, metric_params=params)
        with pytest.raises(TypeError, match="metric_params must be a dict"):
            chamfer.linkage(X, "average", "minkowski", metric_params=3)

    def test_a_checkpoint_knows_them(self, path):
        for p in (3, 4):
            tree = chamfer.linkage(X, metric="minkowski", metric_params={"p": p}, checkpoint=path if p == 3 else None)
            np.testing.assert_allclose(tree, chamfer.linkage(pdist(X, "minkowski", p=p)), rtol=1e-9)
        with pytest.raises(ValueError, match="checkpoint"):
            chamfer.linkage(X, metric="minkowski", metric_params={"p": 4}, checkpoint=path)


class TestSciPy:
    def test_linkage_is_single_by_default_and_takes_y(self):
        np.testing.assert_allclose(ours_scipy.linkage(y=X), hierarchy.linkage(y=X), rtol=1e-9)

    @pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "centroid", "median", "ward"])
    def test_methods(self, method):
        for module in (ours_scipy, ours_fastcluster):
            found = getattr(module, method)(pdist(X))
            np.testing.assert_allclose(found, getattr(hierarchy, method)(pdist(X)), rtol=1e-9)

    def test_the_warning_for_a_square_matrix_is_scipys(self):
        with pytest.warns(hierarchy.ClusterWarning, match="metric='precomputed'"):
            ours_scipy.linkage(squareform(pdist(X)))

    def test_flat_clusters_and_leaves(self):
        expected = hierarchy.fclusterdata(X, 1.1)
        np.testing.assert_array_equal(ours_scipy.fclusterdata(X, 1.1), expected)
        Z = hierarchy.linkage(X, "average")
        np.testing.assert_array_equal(ours_scipy.leaves_list(Z), hierarchy.leaves_list(Z))


class TestNotFinite:
    @pytest.mark.parametrize("error", [ValueError, FloatingPointError])
    def test_both_kinds_of_error(self, error):
        wrong = X.copy()
        wrong[3, 2] = np.nan
        with pytest.raises(error, match="got NaN in row 3, column 2"):
            chamfer.linkage(wrong)
        with pytest.raises(error, match="got NaN at 2"):
            chamfer.linkage([1.0, 2.0, np.nan])
        with pytest.raises(error, match="constant row"):
            chamfer.linkage(np.ones((4, 3)), metric="correlation")


class TestFastcluster:
    @pytest.mark.parametrize("metric", ["euclidean", "cityblock", "hamming", "canberra", "seuclidean", "matching"])
    def test_single_by_any_metric(self, metric):
        points = np.random.default_rng(0).integers(0, 2 if metric == "matching" else 9, size=(70, 3))
        points = points.astype(bool) if metric == "matching" else points
        found = ours_fastcluster.linkage_vector(points, "single", metric)
        expected = hierarchy.linkage(pdist(points, metric), "single")
        np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-9)

    @pytest.mark.parametrize("metric", ["cityblock", "hamming", "braycurtis", "haversine"])
    def test_it_is_the_tree_of_the_dense_engine(self, metric):
        points = np.random.default_rng(1).integers(1, 4, size=(200, 2)) / 4
        expected = chamfer.linkage(points, "single", metric, engine="dense")
        np.testing.assert_array_equal(chamfer.linkage(points, "single", metric, engine="points"), expected)

    @pytest.mark.parametrize(("metric", "extra"), [("minkowski", 3), ("seuclidean", [1, 2, 3, 4]), ("cityblock", None)])
    def test_extra_argument(self, metric, extra):
        options = {} if extra is None else {"p" if metric == "minkowski" else "V": extra}
        expected = hierarchy.linkage(pdist(X, metric, **options), "single")
        np.testing.assert_allclose(ours_fastcluster.linkage_vector(X, "single", metric, extra), expected, rtol=1e-9)
        with pytest.raises(ValueError, match="extraarg must be None"):
            ours_fastcluster.linkage_vector(X, "single", "cosine", 3)

    def test_infinite_distances(self):
        points = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, -1.9], [1.0, 1.0]])  # of some pairs, sums are zero
        with np.errstate(all="ignore"):
            distances = pdist(points, "braycurtis")
        assert np.isinf(distances).any()
        expected = hierarchy.linkage(np.where(np.isinf(distances), 1e9, distances), "single")[:, 2]
        found = ours_fastcluster.linkage_vector(points, "single", "braycurtis")[:, 2]
        np.testing.assert_allclose(found, np.where(expected == 1e9, np.inf, expected))


def _along_a_graph(data):
    """Points without ties, a graph, and the number of its components."""
    rng = np.random.default_rng(0)
    if data == "image":
        points, graph = np.sin(np.arange(600) / 50)[:, None] + 0.1 * rng.normal(size=(600, 2)), grid_to_graph(20, 30)
    else:
        points = {
            "roll": lambda: make_swiss_roll(300, noise=0.05, random_state=0)[0],
            "digits": lambda: load_digits().data[:300] + 1e-3 * rng.random((300, 64)),
            "components": lambda: np.concatenate([rng.normal(size=(40, 3)) + 4 * each for each in range(3)]),
        }[data]()
        graph = kneighbors_graph(points, 4 if data == "components" else 10)
    return points, graph, connected_components(graph)[0]


class TestSklearn:
    @pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
    def test_the_same_clusters(self, linkage):
        ours = ours_sklearn.AgglomerativeClustering(5, linkage=linkage).fit(X)
        theirs = cluster.AgglomerativeClustering(5, linkage=linkage).fit(X)
        np.testing.assert_array_equal(np.sort(ours.children_, axis=1), np.sort(theirs.children_, axis=1))
        assert len(set(zip(ours.labels_, theirs.labels_, strict=True))) == 5
        assert ours.get_params().keys() == theirs.get_params().keys()
        assert not hasattr(ours, "distances_")

    @pytest.mark.parametrize(
        ("linkage", "metric"),
        [
            ("ward", "euclidean"),
            *product(("complete", "average", "single"), ("euclidean", "cosine", "l1", "precomputed")),
        ],
    )
    @pytest.mark.parametrize("data", ["image", "roll", "digits", "components"])
    def test_the_same_clusters_along_a_graph(self, data, linkage, metric):
        points, graph, components = _along_a_graph(data)
        if metric == "precomputed":
            points = squareform(pdist(points, "chebyshev"))
        options = {"linkage": linkage, "metric": metric, "connectivity": graph, "compute_distances": True}
        fitted = []
        for kind in (ours_sklearn.AgglomerativeClustering, cluster.AgglomerativeClustering):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                fitted.append(kind(6, **options).fit(points))
            assert ["> 1" in str(each.message) for each in found] == [True] * (components > 1)
        ours, theirs = fitted
        assert len(set(zip(ours.labels_, theirs.labels_, strict=True))) == 6
        np.testing.assert_allclose(np.sort(ours.distances_), np.sort(theirs.distances_), rtol=1e-9, atol=1e-12)
        assert ours.n_connected_components_ == theirs.n_connected_components_ == components

    def test_trees_along_a_graph(self):
        points, graph, _ = _along_a_graph("roll")
        found = ours_sklearn.linkage_tree(points, graph, linkage="average", return_distance=True)
        expected = cluster.linkage_tree(points, graph, linkage="average", return_distance=True)
        np.testing.assert_allclose(found[4], expected[4])
        assert found[1:4] == (1, len(points), None)

    def test_a_metric_is_a_function_of_all_points(self):
        def metric(*points):
            return pairwise_distances(*points, metric="cityblock")

        found = chamfer.AgglomerativeClustering(5, metric=metric, linkage="average").fit(X[:50])
        expected = chamfer.AgglomerativeClustering(5, metric="cityblock", linkage="average").fit(X[:50])
        np.testing.assert_allclose(found.linkage_matrix_, expected.linkage_matrix_)
        np.testing.assert_array_equal(found.predict(X[50:]), expected.predict(X[50:]))
        with pytest.raises(TypeError, match="takes X and returns a matrix of distances"):
            chamfer.AgglomerativeClustering(metric=lambda x, y: 0.0).fit(X)
        with pytest.raises(ValueError, match=r"matrix of shape \(60, 60\), got \(60,\)"):
            chamfer.AgglomerativeClustering(metric=lambda x: np.zeros(len(x))).fit(X)

    def test_trees(self):
        found = ours_sklearn.ward_tree(X, return_distance=True)
        expected = cluster.ward_tree(X, return_distance=True)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[4], expected[4])
        with pytest.warns(UserWarning, match="n_clusters"):
            assert ours_sklearn.linkage_tree(X[:, 0], n_clusters=3)[2] == 60
        with pytest.raises(ValueError, match="linkage must be one of complete"):
            ours_sklearn.linkage_tree(X, linkage="ward")

    @pytest.mark.parametrize("pooling", [np.mean, np.median, np.max])
    def test_features(self, pooling):
        columns = gaussian(1, 4, 30)
        ours = ours_sklearn.FeatureAgglomeration(6, pooling_func=pooling).fit(columns)
        theirs = cluster.FeatureAgglomeration(6, pooling_func=pooling).fit(columns)
        order = [theirs.labels_[np.argmax(ours.labels_ == each)] for each in range(6)]
        np.testing.assert_allclose(ours.transform(columns), theirs.transform(columns)[:, order])
        back = ours.inverse_transform(ours.transform(columns))
        np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(columns)))
        for name in ("predict", "fit_predict"):
            assert not hasattr(ours, name)


@pytest.mark.slow
@parametrize_with_checks([chamfer.FeatureAgglomeration(), ours_sklearn.FeatureAgglomeration()])
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
