"""`AgglomerativeClustering` is a scikit-learn estimator, and its labels are cuts of the tree that `linkage` gives."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import cluster
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

import chamfer
import reference
from cases import REAL_METRICS, gaussian
from chamfer import AgglomerativeClustering
from marks import slow

X = gaussian(0, 60, 4)


def cdist_of(name, x, y=None):
    return cdist(x, x if y is None else y, name)


def expected_failures(estimator):
    if estimator.metric != "precomputed":
        why = "weights of 0 are refused: every point has a leaf"
        return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}
    return {"check_clustering": "it fits points of two columns, which are no square matrix of distances"}


@parametrize_with_checks(
    [
        AgglomerativeClustering(),
        AgglomerativeClustering(linkage="ward", n_jobs=1),
        AgglomerativeClustering(metric="cosine", order="cumulative"),
        AgglomerativeClustering(metric="precomputed"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


class TestAttributes:
    @pytest.mark.parametrize("linkage", reference.LINKAGES)
    def test_they_are_those_of_the_tree(self, linkage):
        model = AgglomerativeClustering(n_clusters=5, linkage=linkage).fit(X)
        Z = chamfer.linkage(X, linkage)
        np.testing.assert_array_equal(model.linkage_matrix_, Z)
        np.testing.assert_array_equal(model.children_, Z[:, :2])
        assert model.children_.dtype.kind == "i"
        np.testing.assert_array_equal(model.distances_, Z[:, 2])
        np.testing.assert_array_equal(model.labels_, chamfer.cut(Z, 5))
        assert model.n_clusters_ == 5
        assert model.n_leaves_ == 60
        assert model.n_connected_components_ == 1
        assert model.n_features_in_ == 4

    def test_columns_of_the_tree_are_made_once_for_each_tree(self):
        model = AgglomerativeClustering(n_clusters=5, linkage="ward")
        assert not hasattr(model, "children_")
        for points in (X, X[::-1]):
            model.fit(points)
            assert model.children_ is model.children_
            assert model.distances_ is model.distances_
            np.testing.assert_array_equal(model.children_, model.linkage_matrix_[:, :2])
            np.testing.assert_array_equal(model.distances_, model.linkage_matrix_[:, 2])

    @pytest.mark.parametrize("linkage", ["average", "complete", "ward", "single"])
    def test_they_are_scikit_learns(self, linkage):
        ours = AgglomerativeClustering(n_clusters=4, linkage=linkage).fit(X)
        theirs = cluster.AgglomerativeClustering(n_clusters=4, linkage=linkage, compute_distances=True).fit(X)
        np.testing.assert_array_equal(ours.children_, np.sort(theirs.children_, axis=1))
        np.testing.assert_allclose(ours.distances_, theirs.distances_, rtol=1e-9)
        assert ours.n_leaves_ == theirs.n_leaves_
        assert partition(ours.labels_) == partition(theirs.labels_)

    def test_constructor_has_scikit_learns_names_and_order(self):
        ours, theirs = AgglomerativeClustering().get_params(), cluster.AgglomerativeClustering().get_params()
        assert set(theirs) <= set(ours)
        assert {name for name in theirs if ours[name] != theirs[name]} == {"linkage"}

    @pytest.mark.parametrize("linkage", ["ward", "single"])
    def test_connectivity_is_scikit_learns(self, linkage):
        graph = kneighbors_graph(X, 8, include_self=False)
        ours = AgglomerativeClustering(6, linkage=linkage, connectivity=graph).fit(X)
        # It warns that its matrix is not symmetric.
        theirs = cluster.AgglomerativeClustering(6, linkage=linkage, connectivity=graph + graph.T).fit(X)
        assert partition(ours.labels_) == partition(theirs.labels_)
        assert ours.n_connected_components_ == theirs.n_connected_components_ == 1

    def test_average_of_a_graph_is_the_mean_of_all_pairs_unlike_scikit_learns(self):
        # The edges are 0-1, 1-2, 2-3. Scikit-learn takes d(1, 2) = 4 for the value of {0, 1} and {2, 3}.
        points = np.array([[0.0], [1.0], [5.0], [7.0]])
        graph = np.eye(4, k=1) + np.eye(4, k=-1)
        ours = AgglomerativeClustering(1, linkage="average", connectivity=graph).fit(points)
        theirs = cluster.AgglomerativeClustering(1, linkage="average", connectivity=graph, compute_distances=True)
        assert ours.distances_.tolist() == [1, 2, np.mean([5, 7, 4, 6])]
        assert theirs.fit(points).distances_.tolist() == [1, 2, 4]

    def test_weights_are_repeated_points(self):
        weights = np.random.default_rng(0).integers(1, 4, 60)
        model = AgglomerativeClustering(4, linkage="average")
        labels = model.fit_predict(np.repeat(X, weights, axis=0))
        first = np.cumsum(weights) - weights
        assert partition(model.fit_predict(X, sample_weight=weights)) == partition(labels[first])

    def test_constraints(self):
        model = AgglomerativeClustering(3, must_link=[(0, 1)], cannot_link=[(2, 3), (1, 2)], max_size=40, forest=True)
        labels = model.fit(X).labels_
        assert labels[0] == labels[1] != labels[2] != labels[3]
        assert np.bincount(labels).max() <= 40

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("linkage", ["chamfer", "ward", "single", "centroid"])
    def test_few_points_by_the_short_way(self, linkage, dtype):
        few = X.astype(dtype)
        short = AgglomerativeClustering(4, linkage=linkage).fit(few)
        long = AgglomerativeClustering(4, linkage=linkage, n_jobs=1).fit(few)
        assert short._fit_few(few)
        assert not long._fit_few(few)
        ours, theirs = vars(short), vars(long)
        assert ours.keys() == theirs.keys()
        for name in (name for name in ours if name.endswith("_")):
            np.testing.assert_array_equal(ours[name], theirs[name])
            assert type(ours[name]) is type(theirs[name])
            assert np.asarray(ours[name]).dtype == np.asarray(theirs[name]).dtype

    def test_names_are_forgotten_with_their_frame(self):
        frame = pd.DataFrame(X, columns=list("abcd"))
        model = AgglomerativeClustering().fit(frame).fit(X[:, :3])
        assert not hasattr(model, "feature_names_in_")
        assert model.n_features_in_ == 3

    @pytest.mark.parametrize("dtype", ["float32", "float64", ">f8", "float16", "int64"])
    def test_an_array_is_taken_as_by_scikit_learn(self, dtype):
        given = (X * 8).astype(dtype)
        ours = AgglomerativeClustering().fit(given)
        theirs = validate_data(AgglomerativeClustering(), given, dtype=[np.float64, np.float32])
        assert ours._fit_X.dtype == theirs.dtype
        assert np.array_equal(ours._fit_X, theirs)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize(
        "layout", [np.ascontiguousarray, np.asfortranarray, lambda x: np.repeat(x, 2, axis=0)[::2]]
    )
    def test_numbers_that_are_not_finite_are_refused_in_its_words(self, value, dtype, layout):
        spoiled = layout(X.astype(dtype))
        spoiled[7, 2] = value
        with pytest.raises(ValueError, match="Input X contains") as ours:
            AgglomerativeClustering().fit(spoiled)
        with pytest.raises(ValueError, match="Input X contains") as theirs:
            validate_data(AgglomerativeClustering(), spoiled)
        assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]

    def test_finite_numbers_whose_sum_is_not(self):
        positive = 1 + X / 1000
        huge = positive * 2.0**1017
        with np.errstate(over="ignore"):
            assert np.isinf(huge.sum())
        labels = AgglomerativeClustering(5).fit(huge).labels_
        assert np.array_equal(labels, AgglomerativeClustering(5).fit(positive).labels_)

    def test_feature_names(self):
        frame = pd.DataFrame(X, columns=list("abcd"))
        assert AgglomerativeClustering().fit(frame).feature_names_in_.tolist() == list("abcd")

    @pytest.mark.parametrize("order", ["merge", "least", "cumulative"])
    def test_order_of_the_cut(self, order):
        model = AgglomerativeClustering(n_clusters=6, linkage="chamfer_normalized", order=order).fit(X)
        np.testing.assert_array_equal(
            model.labels_, chamfer.cut(chamfer.linkage(X, "chamfer_normalized"), 6, order=order)
        )

    @pytest.mark.parametrize("metric", ["cityblock", "manhattan", "l1", "l2", "cosine"])
    def test_metric(self, metric):
        ours = AgglomerativeClustering(n_clusters=5, linkage="average", metric=metric).fit(X)
        theirs = cluster.AgglomerativeClustering(
            n_clusters=5, linkage="average", metric="manhattan" if metric == "cityblock" else metric
        ).fit(X)
        assert partition(ours.labels_) == partition(theirs.labels_)

    def test_precomputed(self):
        D = squareform(pdist(X))
        ours = AgglomerativeClustering(n_clusters=5, metric="precomputed").fit(D)
        np.testing.assert_array_equal(ours.labels_, AgglomerativeClustering(n_clusters=5).fit(X).labels_)


def partition(labels):
    return {frozenset(np.flatnonzero(labels == label)) for label in np.unique(labels)}


class TestAuto:
    @pytest.mark.parametrize("order", ["merge", "cumulative"])
    def test_the_number_is_that_of_choose(self, order):
        points, _ = make_blobs(240, centers=5, cluster_std=0.4, random_state=3)
        model = AgglomerativeClustering("auto", order=order).fit(points)
        choice = chamfer.choose(chamfer.linkage(points), points, order=order)
        assert model.n_clusters_ == choice.n_clusters == 5
        assert model.choice_.suggestions == choice.suggestions
        np.testing.assert_array_equal(model.labels_, chamfer.cut(chamfer.linkage(points), 5, order=order))

    def test_of_distances_and_in_a_pipeline(self):
        points, _ = make_blobs(240, centers=5, cluster_std=0.4, random_state=3)
        model = AgglomerativeClustering("auto", metric="precomputed").fit(squareform(pdist(points)))
        assert model.n_clusters_ == 5
        chain = make_pipeline(StandardScaler(), AgglomerativeClustering("auto"))
        assert set(chain.fit_predict(points)) == set(range(5))


class TestDistanceThreshold:
    @pytest.mark.parametrize("linkage", ["average", "complete", "ward", "single"])
    def test_it_is_scikit_learns(self, linkage):
        heights = chamfer.linkage(X, linkage)[:, 2]
        for threshold in [0.0, *(heights[:-1:6] + heights[1::6]) / 2, heights[-1] + 1]:
            arguments = {"n_clusters": None, "distance_threshold": threshold, "linkage": linkage}
            ours = AgglomerativeClustering(**arguments).fit(X)
            theirs = cluster.AgglomerativeClustering(**arguments).fit(X)
            assert ours.n_clusters_ == theirs.n_clusters_
            assert partition(ours.labels_) == partition(theirs.labels_)

    def test_merges_at_the_threshold_are_not_applied(self):
        # As in scikit-learn: "the linkage distance threshold at or above which clusters will not be merged".
        points = [[0.0], [1.0], [3.0]]
        for threshold, n_clusters in ((0.999, 3), (1.0, 3), (1.001, 2), (2.0, 2), (2.001, 1)):
            model = AgglomerativeClustering(n_clusters=None, distance_threshold=threshold, linkage="single").fit(points)
            assert model.n_clusters_ == n_clusters

    def test_heights_that_fall(self):
        # Heights 2, 24 and 12: the merge at 24 is not applied, so neither is the one at 12 that comes after it.
        model = AgglomerativeClustering(
            None, distance_threshold=13, linkage="chamfer_symmetric", metric="precomputed"
        ).fit(squareform([1.0, 22, 4, 2, 19, 12]))
        np.testing.assert_array_equal(model.labels_, [0, 0, 1, 2])


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"n_clusters": 2, "distance_threshold": 1.0}, "Exactly one of n_clusters and distance_threshold"),
            ({"n_clusters": None}, "Exactly one of n_clusters and distance_threshold"),
            ({"n_clusters": "some"}, "n_clusters must be one of auto, got 'some'"),
            ({"n_clusters": 0}, "n_clusters must be between 1 and 60, got 0"),
            ({"n_clusters": 61}, "n_clusters must be between 1 and 60, got 61"),
            ({"n_clusters": None, "distance_threshold": -1.0}, "distance_threshold must be a number of at least 0"),
            ({"n_clusters": None, "distance_threshold": np.nan}, "distance_threshold must be a number of at least 0"),
            ({"linkage": "nope"}, "must be one of .*single.* got 'nope'"),
            ({"metric": "nope"}, "metric must be"),
            ({"order": "nope"}, "order must be one of"),
            ({"engine": "nope"}, "engine must be one of"),
            ({"n_jobs": 0}, "n_jobs must be"),
            ({"memory_limit": "nope"}, "memory_limit must be"),
            ({"connectivity": np.eye(59)}, r"connectivity must have shape \(60, 60\)"),
            ({"memory": 3}, "memory"),
        ],
    )
    def test_wrong_values(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            AgglomerativeClustering(**parameters).fit(X)

    @pytest.mark.parametrize("parameters", [{"n_clusters": 2.0}, {"n_clusters": None, "distance_threshold": "1"}])
    def test_wrong_types(self, parameters):
        with pytest.raises(TypeError, match="must be a"):
            AgglomerativeClustering(**parameters).fit(X)

    def test_a_wrong_number_of_clusters_is_noticed_before_the_tree_is_made(self):
        # The tree would need more memory than there is.
        x = np.broadcast_to(np.zeros(1), (3_000_000, 1))
        with pytest.raises(ValueError, match="n_clusters"):
            AgglomerativeClustering(n_clusters=3_000_001).fit(x)

    def test_memory_limit_is_passed_on(self):
        with pytest.raises(MemoryError, match="memory_limit"):
            AgglomerativeClustering(memory_limit=100).fit(X)

    def test_progress_is_passed_on(self, capsys):
        AgglomerativeClustering(progress=True).fit(X)
        assert "merges" in capsys.readouterr().err


class TestAsPartOfScikitLearn:
    def test_clone(self):
        model = AgglomerativeClustering(n_clusters=7, linkage="ward", n_jobs=1).fit(X)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "labels_")

    def test_pipeline(self):
        pipeline = make_pipeline(StandardScaler(), AgglomerativeClustering(n_clusters=3))
        labels = pipeline.fit_predict(X)
        np.testing.assert_array_equal(labels, AgglomerativeClustering(3).fit_predict(StandardScaler().fit_transform(X)))
        np.testing.assert_array_equal(pipeline.predict(X), labels)

    def test_pickle(self):
        model = AgglomerativeClustering(n_clusters=3).fit(X)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.labels_)

    def test_memory_keeps_the_tree(self, tmp_path):
        def trees_kept():
            return len(list(tmp_path.rglob("output.pkl")))

        for n_clusters in (2, 9):
            model = AgglomerativeClustering(n_clusters=n_clusters, memory=str(tmp_path)).fit(X)
            np.testing.assert_array_equal(model.labels_, AgglomerativeClustering(n_clusters).fit(X).labels_)
            assert trees_kept() == 1
        AgglomerativeClustering(memory=str(tmp_path), n_jobs=1, memory_limit="1GB").fit(X)  # the same tree
        assert trees_kept() == 1
        AgglomerativeClustering(memory=str(tmp_path), linkage="ward").fit(X)
        assert trees_kept() == 2
        AgglomerativeClustering(memory=str(tmp_path)).fit(X[:-1])
        assert trees_kept() == 3

    def test_fit_leaves_its_input_alone(self):
        x = X.copy()
        AgglomerativeClustering().fit(x).predict(x)
        np.testing.assert_array_equal(x, X)


class TestPredict:
    queries = gaussian(1, 300, 4)

    def test_training_points_keep_their_labels(self):
        for linkage in reference.LINKAGES:
            model = AgglomerativeClustering(n_clusters=9, linkage=linkage).fit(X)
            np.testing.assert_array_equal(model.predict(X), model.labels_)

    @pytest.mark.parametrize("metric", [*REAL_METRICS, "jensenshannon", "manhattan", partial(cdist_of, "chebyshev")])
    def test_new_points_join_the_nearest_training_point(self, metric):
        train, queries = np.abs(X), np.abs(self.queries)
        model = AgglomerativeClustering(n_clusters=20, metric=metric).fit(train)
        # The variances that some metrics need are those of the training points.
        options = {
            "seuclidean": {"V": train.var(axis=0, ddof=1)},
            "mahalanobis": {"VI": np.linalg.inv(np.cov(train.T))},
        }.get(metric, {})
        name = {"manhattan": "cityblock"}.get(metric, metric) if isinstance(metric, str) else metric.args[0]
        nearest = cdist(queries, train, name, **options).argmin(axis=1)
        np.testing.assert_array_equal(model.predict(queries), model.labels_[nearest])

    def test_it_is_the_cluster_that_chamfer_would_merge_the_point_with(self):
        model = AgglomerativeClustering(n_clusters=4).fit(X)
        clusters = [reference.Cluster(np.flatnonzero(model.labels_ == k), np.empty(0), np.empty(0)) for k in range(4)]
        for query in self.queries[:20]:
            D = squareform(pdist(np.vstack([X, query])))
            alone = reference.Cluster(np.array([60]), np.empty(0), np.ones(1))
            values = [reference.to_nearest(D, alone, cluster) for cluster in clusters]
            assert model.predict([query]) == [np.argmin(values)]

    @pytest.mark.parametrize("offset", [1e4, 1e8])
    def test_points_far_from_the_origin(self, offset):
        model = AgglomerativeClustering(n_clusters=30, linkage="average").fit(X + offset)
        np.testing.assert_array_equal(model.predict(X + offset), model.labels_)

    def test_rows_of_zeros_with_the_cosine_distance(self):
        x = X.copy()
        x[[7, 20]] = 0
        model = AgglomerativeClustering(n_clusters=20, metric="cosine").fit(x)
        np.testing.assert_array_equal(model.predict(x), model.labels_)
        np.testing.assert_array_equal(model.predict(np.zeros((1, 4))), model.labels_[[7]])

    def test_precomputed(self):
        model = AgglomerativeClustering(n_clusters=20, metric="precomputed").fit(squareform(pdist(X)))
        to_training = cdist(self.queries, X)
        np.testing.assert_array_equal(model.predict(to_training), model.labels_[to_training.argmin(axis=1)])
        with pytest.raises(ValueError, match="60 features"):
            model.predict(to_training[:, :-1])

    def test_before_fit(self):
        with pytest.raises(NotFittedError):
            AgglomerativeClustering().predict(X)

    def test_another_number_of_columns(self):
        with pytest.raises(ValueError, match="expecting 4 features"):
            AgglomerativeClustering().fit(X).predict(X[:, :3])

    def test_queries_that_the_metric_cannot_take(self):
        model = AgglomerativeClustering(metric="correlation").fit(X)
        with pytest.raises(ValueError, match="metric 'correlation' gave distances that are not numbers"):
            model.predict(np.ones((1, 4)))


class TestTransform:
    X, NEW = gaussian(3, 60, 4), gaussian(4, 9, 4)

    @pytest.mark.parametrize("method", [name for name in chamfer.METHODS if name not in ("weighted", "median")])
    @pytest.mark.parametrize("metric", ["euclidean", *slow("cosine", "cityblock", "precomputed")])
    def test_distances_are_linkage_values_of_a_point_and_a_cluster(self, method, metric):
        if method in ("ward", "centroid") and metric != "euclidean":
            return
        name = "euclidean" if metric == "precomputed" else metric
        given, new = self.X, self.NEW
        if metric == "precomputed":
            given, new = cdist(self.X, self.X), cdist(self.NEW, self.X)
        model = AgglomerativeClustering(5, metric=metric, linkage=method).fit(given)
        found = model.transform(new)
        for label in range(5):
            members = self.X[model.labels_ == label]
            for row, query in zip(found, self.NEW, strict=True):
                # The value of the only merge of two groups that must stay together.
                points = np.vstack([members, query])
                groups = [0] * len(members) + [-1]
                plain = "single" if method == "chamfer_capped" else method
                Z = chamfer.linkage(points, plain, name, must_link=groups)
                assert row[label] == pytest.approx(Z[-1, 2])

    def test_columns_have_names_and_rows_keep_their_index(self):
        frame = pd.DataFrame(self.X, index=[f"row {i}" for i in range(60)])
        frame.columns = list("abcd")
        model = AgglomerativeClustering(3).set_output(transform="pandas").fit(frame)
        found = model.transform(frame.tail(2))
        assert found.columns.tolist() == model.get_feature_names_out().tolist()
        assert found.columns[2] == "agglomerativeclustering2"
        assert found.index.tolist() == ["row 58", "row 59"]

    @pytest.mark.parametrize("scale", [2.0**-900, 2.0**900])
    def test_scale_does_not_matter(self, scale):
        model = AgglomerativeClustering(3).fit(self.X)
        far = AgglomerativeClustering(3).fit(self.X * scale)
        np.testing.assert_array_equal(far.transform(self.NEW * scale), model.transform(self.NEW) * scale)

    @pytest.mark.parametrize("method", ["weighted", "median"])
    def test_linkages_without_such_a_value_say_so(self, method):
        model = AgglomerativeClustering(3, linkage=method).fit(self.X)
        with pytest.raises(ValueError, match="linkage must be another one for transform"):
            model.transform(self.NEW)


class TestSoftAssign:
    X, NEW = gaussian(3, 60, 4), gaussian(4, 9, 4)

    @pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
    @pytest.mark.parametrize("fuzziness", [1.5, 2.0, 4.0])
    def test_shares_minimise_the_loss_of_fuzzy_c_means(self, method, fuzziness):
        model = AgglomerativeClustering(4, linkage=method).fit(self.X)
        found, distances = model.soft_assign(self.NEW, fuzziness), model.transform(self.NEW)
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_array_equal(found.argmax(axis=1), distances.argmin(axis=1))
        # Where shares of a fixed sum are best, each has the same derivative.
        slopes = fuzziness * found ** (fuzziness - 1) * distances**2
        np.testing.assert_allclose(slopes, np.broadcast_to(slopes[:, :1], slopes.shape), rtol=1e-9)

    def test_points_of_clusters_belong_to_them(self):
        model = AgglomerativeClustering(4).fit(self.X)
        np.testing.assert_array_equal(model.soft_assign(self.X), np.eye(4)[model.labels_])

    def test_what_is_equally_far_shares_alike(self):
        both = AgglomerativeClustering(2, metric="precomputed").fit([[0, 1, 9], [1, 0, 9], [9, 9, 0]])
        np.testing.assert_array_equal(both.soft_assign([[0, 5, 0], [7, 7, 7]]), [[0.5, 0.5], [0.5, 0.5]])

    @pytest.mark.parametrize("scale", [2.0**-900, 2.0**900])
    def test_scale_does_not_matter(self, scale):
        model = AgglomerativeClustering(3).fit(self.X)
        far = AgglomerativeClustering(3).fit(self.X * scale)
        np.testing.assert_array_equal(far.soft_assign(self.NEW * scale), model.soft_assign(self.NEW))

    @pytest.mark.parametrize("fuzziness", [1, 0.5, np.inf, np.nan])
    def test_fuzziness_is_above_one(self, fuzziness):
        model = AgglomerativeClustering(3).fit(self.X)
        with pytest.raises(ValueError, match="fuzziness must be"):
            model.soft_assign(self.NEW, fuzziness)
