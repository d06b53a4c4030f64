"""`dendrogram` gives SciPy's dictionary and SciPy's picture, and no tree is too deep for it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy

import chamfer
from cases import gaussian

OPTIONS = [
    {},
    {"truncate_mode": "lastp", "p": 5},
    {"truncate_mode": "lastp", "p": 0},
    {"truncate_mode": "level", "p": 2},
    {"truncate_mode": "mtica", "p": 1, "show_leaf_counts": False},
    {"count_sort": True},
    {"count_sort": "descending"},
    {"distance_sort": "ascending"},
    {"distance_sort": "descending"},
    {"color_threshold": 0},
    {"color_threshold": 1.0, "above_threshold_color": "k"},
    {"leaf_label_func": lambda i: f"<{i}>", "link_color_func": lambda i: f"C{i % 7}"},
    {"get_leaves": True, "labels": [f"point {i}" for i in range(24)]},
]


def same(found, expected):
    assert found.keys() == expected.keys()
    for key in ("icoord", "dcoord"):
        np.testing.assert_array_equal(found[key], expected[key])
    for key in found.keys() - {"icoord", "dcoord"}:
        assert list(found[key]) == list(expected[key])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("method", ["single", "ward", "centroid"])
def test_it_is_scipys(method, options):
    for points in (gaussian(0, 24, 3), np.round(gaussian(1, 24, 2))):
        Z = hierarchy.linkage(points, method)
        same(chamfer.dendrogram(Z, no_plot=True, **options), hierarchy.dendrogram(Z, no_plot=True, **options))


@settings(max_examples=40)
@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(["lastp", "level"]), st.integers(-1, 12))
def test_it_is_scipys_for_random_trees(n, seed, mode, p):
    Z = hierarchy.linkage(np.random.default_rng(seed).integers(0, 5, size=(n, 2)), "average")
    found = chamfer.dendrogram(Z, p, mode, no_plot=True)
    same(found, hierarchy.dendrogram(Z, p, mode, no_plot=True))


@pytest.mark.parametrize("orientation", ["top", "bottom", "left", "right"])
def test_the_picture_is_scipys(orientation):
    Z = hierarchy.linkage(gaussian(0, 24, 3), "average")
    lines, limits, labels = [], [], []
    for draw in (chamfer.dendrogram, hierarchy.dendrogram):
        ax = plt.figure().gca()
        draw(Z, 6, "lastp", ax=ax, orientation=orientation, show_contracted=True)
        lines.append([line for each in ax.collections for line in each.get_segments()])
        limits.append((ax.get_xlim(), ax.get_ylim()))
        axis = ax.xaxis if orientation in ("top", "bottom") else ax.yaxis
        labels.append([(each.get_text(), each.get_rotation()) for each in axis.get_ticklabels()])
        labels.append((list(axis.get_ticklocs()), len(ax.patches) + len(ax.artists)))
    np.testing.assert_array_equal(*lines)
    np.testing.assert_allclose(*limits)
    assert labels[:2] == labels[2:]


def test_deep_trees_and_falling_heights():
    n = 20_000
    first = np.r_[0, np.arange(n, 2 * n - 2)]
    Z = np.column_stack([np.minimum(first, np.arange(1, n)), np.maximum(first, np.arange(1, n))]).astype(float)
    Z = np.column_stack([Z, np.arange(n - 1.0, 0, -1), np.arange(2.0, n + 1)])
    drawn = chamfer.dendrogram(Z, no_plot=True)
    assert sorted(drawn["leaves"]) == list(range(n))
    assert drawn["dcoord"][-1][1] == 1.0
    Z = chamfer.linkage(gaussian(0, 40, 2))
    assert (np.diff(Z[:, 2]) < 0).any()
    same(chamfer.dendrogram(Z, no_plot=True), hierarchy.dendrogram(Z, no_plot=True))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orientation": "up"}, "orientation must be one of top"),
        ({"truncate_mode": "last"}, "truncate_mode must be one of"),
        ({"labels": ["a"]}, "labels must name all 24 points, got 1"),
        ({"count_sort": "up"}, "count_sort must be one of"),
        ({"count_sort": True, "distance_sort": True}, "must not both be given"),
        ({"color_threshold": "x"}, "color_threshold must be one of"),
    ],
)
def test_wrong_arguments(options, message):
    Z = hierarchy.linkage(gaussian(0, 24, 3))
    with pytest.raises(ValueError, match=message):
        chamfer.dendrogram(Z, no_plot=True, **options)


def test_one_point():
    assert chamfer.dendrogram(np.empty((0, 4)), no_plot=True)["ivl"] == ["0"]
