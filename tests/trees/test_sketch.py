"""Trees, choices and estimators as they show themselves in a notebook."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_iris

import chamfer
from chamfer.trees.colors import PETROFF, cluster_colors

X = load_iris().data
Z = chamfer.linkage(X)


def paths(svg):
    """Commands of the lines by colour."""
    root = ElementTree.fromstring(svg)
    return {each.get("stroke"): each.get("d") for each in root}


def bars(line):
    """Number of merges in a line: each has one level stretch."""
    return line.count("H")


def test_a_short_repr():
    low, high = Z[:, 2].min(), Z[:, 2].max()
    wanted = f"Dendrogram: 150 points, heights {low:.4g} to {high:.4g}, {chamfer.tree_height(Z)} merges deep"
    assert repr(chamfer.Dendrogram(Z)) == wanted
    assert repr(chamfer.Dendrogram(np.empty((0, 4)))) == "Dendrogram: 1 point"


def test_a_tree_draws_itself():
    (line,) = paths(chamfer.Dendrogram(Z)._repr_svg_()).values()
    assert bars(line) == 59  # of sixty leaves
    numbers = np.array(re.findall(r"[HM]([\d.]+)", line), dtype=float)
    assert 0 <= numbers.min() < numbers.max() <= 640


@pytest.mark.parametrize("order", ["merge", "cumulative"])
def test_clusters_are_in_colour(order):
    found = paths(chamfer.Dendrogram(Z).sketch(4, order=order))
    assert bars(found["currentColor"]) == 3
    assert set(found) - {"currentColor"} == set(cluster_colors(4)[:4])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_trees(n):
    tree = chamfer.Dendrogram(chamfer.linkage(np.zeros((n, 1))))
    assert sum(map(bars, paths(tree.sketch(1)).values())) == n - 1


def test_a_forest():
    forest = chamfer.Dendrogram([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, np.inf, 4]])
    assert repr(forest) == "Dendrogram: 4 points in 2 trees, 2 merges deep"
    found = paths(forest.sketch(2))
    assert "inf" not in "".join(found.values())
    assert sum(map(bars, found.values())) == 3


def test_colours_are_distinct():
    assert len(set(cluster_colors(500))) == 500
    assert cluster_colors(3) == list(PETROFF)


def test_a_choice_is_a_table():
    choice = chamfer.choose(Z, X)
    page = choice._repr_html_()
    assert page.count("<tr>") == 1 + len(choice.suggestions)
    assert f"<b>{choice.n_clusters}</b>" in page


def test_a_fitted_estimator_shows_its_tree():
    model = chamfer.AgglomerativeClustering(n_clusters=3)
    assert "<svg" not in model._repr_mimebundle_()["text/html"].split("</style>")[-1]
    model.fit(X)
    for page in (model._repr_mimebundle_()["text/html"], model._repr_html_()):
        assert "<figcaption>150 points in 3 clusters, chamfer linkage</figcaption><svg" in page
