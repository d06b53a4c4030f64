"""Data frames go in and come out with their index; trees go to SciPy, seaborn and scikit-learn, and come back."""

import json

import matplotlib
import numpy as np
import pandas as pd
import pytest
import seaborn
from scipy.cluster import hierarchy
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import chamfer
from chamfer import AgglomerativeClustering

FRAME, SPECIES = load_iris(as_frame=True, return_X_y=True)
FRAME = FRAME.set_index(pd.Index([f"flower {i}" for i in range(150)], name="flower"))
X = FRAME.to_numpy()
Z = chamfer.linkage(FRAME)


class TestPandas:
    def test_a_frame_is_as_good_as_its_numbers(self):
        np.testing.assert_array_equal(Z, chamfer.linkage(X))

    def test_labels_are_an_array_unless_asked_for(self):
        assert type(AgglomerativeClustering(3).fit_predict(FRAME)) is np.ndarray
        assert type(AgglomerativeClustering(3).fit(FRAME).predict(FRAME)) is np.ndarray

    def test_labels_keep_the_index(self):
        model = AgglomerativeClustering(3).set_output(predict="pandas")
        labels = model.fit_predict(FRAME)
        wanted = pd.Series(chamfer.cut(Z, n_clusters=3), index=FRAME.index, name="label")
        pd.testing.assert_series_equal(labels, wanted)
        pd.testing.assert_series_equal(model.predict(FRAME[::-7]), wanted[::-7])
        assert type(model.labels_) is np.ndarray

    def test_without_an_index_there_is_a_new_one(self):
        labels = AgglomerativeClustering(3).set_output(predict="pandas").fit_predict(X)
        assert labels.index.equals(pd.RangeIndex(150))

    def test_it_can_be_taken_back(self):
        model = AgglomerativeClustering(3).set_output(predict="pandas")
        assert isinstance(model.set_output().fit_predict(FRAME), pd.Series)
        assert type(model.set_output(predict="default").fit_predict(FRAME)) is np.ndarray

    def test_wrong_values_are_named(self):
        with pytest.raises(ValueError, match=r"predict must be one of .* got 'polars'"):
            AgglomerativeClustering().set_output(predict="polars")

    def test_plots_and_exports_take_an_index(self):
        part = FRAME[::10]
        tree = chamfer.linkage(part)
        names = pd.Series(part.index, index=np.arange(15)[::-1])  # counts by place, whatever its own index says
        shown = [chamfer.plot.plot_dendrogram(tree, labels=labels).get_xticklabels() for labels in (names, part.index)]
        matplotlib.pyplot.close("all")
        texts = [[label.get_text() for label in labels] for labels in shown]
        assert texts[0] == texts[1]
        assert set(texts[0]) == set(part.index)
        assert "'flower 140'" in chamfer.to_newick(tree, part.index)


class TestScikitLearn:
    def test_clones_keep_parameters_and_output(self):
        model = clone(AgglomerativeClustering(4, linkage="ward").set_output(predict="pandas").fit(FRAME))
        assert not hasattr(model, "labels_")
        assert model.fit_predict(FRAME).index is FRAME.index
        assert model.n_clusters_ == 4

    def test_a_pipeline_keeps_the_index(self):
        scale = StandardScaler().set_output(transform="pandas")
        pipeline = make_pipeline(scale, AgglomerativeClustering(3).set_output(predict="pandas"))
        labels = pipeline.fit_predict(FRAME)
        assert labels.index.equals(FRAME.index)
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        assert adjusted_rand_score(labels, chamfer.cut(chamfer.linkage(scaled), n_clusters=3)) == 1
        assert pipeline.predict(FRAME.head()).tolist() == labels.head().tolist()

    def test_a_search_over_parameters(self):
        pipeline = Pipeline([("scale", StandardScaler()), ("cluster", AgglomerativeClustering())])
        grid = {"cluster__n_clusters": [2, 3, 8], "cluster__linkage": ["ward", "single"]}
        search = GridSearchCV(pipeline, grid, scoring="adjusted_rand_score", cv=3).fit(FRAME, SPECIES)
        scores = search.cv_results_["mean_test_score"]
        assert len(scores) == len(ParameterGrid(grid))
        assert search.best_score_ == scores.max() > 0.5 > scores.min()
        assert search.best_params_["cluster__linkage"] == "ward"
        assert search.predict(FRAME).shape == (150,)


class TestSciPy:
    def test_there(self):
        safe = chamfer.monotone(Z)
        assert hierarchy.is_valid_linkage(safe)
        assert hierarchy.is_monotonic(safe)
        assert hierarchy.to_tree(safe).get_count() == 150
        assert sorted(hierarchy.leaves_list(safe)) == list(range(150))
        assert hierarchy.cophenet(safe).max() == safe[-1, 2]
        ours = chamfer.cut(Z, n_clusters=7, order="cumulative")
        assert adjusted_rand_score(hierarchy.fcluster(safe, 7, "maxclust"), ours) == 1
        assert adjusted_rand_score(hierarchy.cut_tree(safe, 7).ravel(), ours) == 1

    def test_and_back(self):
        theirs = hierarchy.linkage(X, "average")
        tree = chamfer.Dendrogram(theirs)
        np.testing.assert_array_equal(tree.Z, theirs)
        for k in (2, 5, 20):
            assert adjusted_rand_score(tree.cut(n_clusters=k), hierarchy.cut_tree(theirs, k).ravel()) == 1
        again = chamfer.Dendrogram(hierarchy.from_mlab_linkage(hierarchy.to_mlab_linkage(chamfer.monotone(Z))))
        np.testing.assert_array_equal(again.Z, chamfer.monotone(Z))

    def test_its_trees_are_exported(self):
        theirs = hierarchy.linkage(X, "single")
        assert chamfer.to_newick(theirs).count("(") == 149
        assert json.loads(chamfer.to_json(theirs))["size"] == 150


def test_seaborn_draws_the_tree():
    matplotlib.use("Agg")
    safe = chamfer.monotone(Z)
    shown = seaborn.clustermap(FRAME, row_linkage=safe, col_cluster=False)
    assert shown.dendrogram_row.reordered_ind == hierarchy.leaves_list(safe).tolist()
    matplotlib.pyplot.close(shown.figure)
