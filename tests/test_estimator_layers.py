"""The attributes by which toponymy and DataMapPlot see layers of clusters."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import chamfer
from cases import gaussian

# Two groups of three clusters of twelve points.
X = np.concatenate([gaussian(seed, 12, 2) + np.array([1000 * (seed // 3), 60 * seed]) for seed in range(6)])
NAMES = ("cluster_layers_", "cluster_tree_", "membership_strengths_", "membership_strength_layers_")


def fitted(n_clusters=6, **options):
    return chamfer.AgglomerativeClustering(n_clusters, linkage="ward", **options).fit(X)


def test_layers_are_nested_and_the_finest_is_the_first():
    model = fitted()
    found = chamfer.layers(model.linkage_matrix_)
    assert found.n_clusters[0] == 2
    assert 6 in found.n_clusters
    assert [layer.max() + 1 for layer in model.cluster_layers_] == list(found.n_clusters[::-1])
    for layer, labels in zip(model.cluster_layers_, found.labels.T[::-1], strict=True):
        np.testing.assert_array_equal(layer, labels)


def test_the_tree_names_the_parts_of_every_cluster():
    model = fitted()
    layers = model.cluster_layers_
    top = len(layers)
    named = [part for parts in model.cluster_tree_.values() for part in parts]
    assert sorted(named) == [(i, label) for i, layer in enumerate(layers) for label in range(layer.max() + 1)]
    assert sorted(model.cluster_tree_[top, 0]) == [(top - 1, 0), (top - 1, 1)]
    for (i, whole), parts in model.cluster_tree_.items():
        for j, part in parts:
            assert j == i - 1
            if i < top:
                assert (layers[i][layers[j] == part] == whole).all()


def test_strengths_are_shares_of_the_largest_density():
    model = fitted(4)
    leaving = chamfer.condense(model.linkage_matrix_).leaving
    for labels, strengths in [
        (model.labels_, model.membership_strengths_),
        *zip(model.cluster_layers_, model.membership_strength_layers_, strict=True),
    ]:
        for label in range(labels.max() + 1):
            inside = labels == label
            np.testing.assert_allclose(strengths[inside], leaving[inside] / leaving[inside].max())


def test_without_layers_the_labels_are_the_only_one():
    model = chamfer.AgglomerativeClustering(3).fit(gaussian(1, 200, 2))
    assert len(chamfer.layers(model.linkage_matrix_)) == 0
    assert [layer.tolist() for layer in model.cluster_layers_] == [model.labels_.tolist()]
    assert model.cluster_tree_ == {(1, 0): [(0, 0), (0, 1), (0, 2)]}


def test_they_are_computed_once_and_again_after_another_fit():
    model = fitted()
    assert model.cluster_layers_ is model.cluster_layers_
    before = model.membership_strengths_
    model.set_params(n_clusters=2).fit(X)
    assert not np.array_equal(model.membership_strengths_, before)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.membership_strengths_, model.membership_strengths_)


@pytest.mark.parametrize("name", NAMES)
def test_only_of_a_fitted_estimator(name):
    model = clone(fitted())
    assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        getattr(model, name)
