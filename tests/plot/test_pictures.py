"""Further pictures: around a circle, in the plane, of images, as heat maps; and what all of them share."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb, to_rgba
from sklearn.datasets import load_digits

import chamfer
from chamfer.plot import plot_clustermap, plot_dendrogram, plot_images, plot_linkages, plot_map, plot_radial
from chamfer.plot.canvas import palette
from chamfer.trees import layout
from chamfer.trees.colors import PETROFF
from chamfer.trees.dendrogram import Dendrogram

X = np.random.default_rng(0).normal(size=(60, 3))
Z = chamfer.linkage(X)
FALLING = np.array([[0, 1, 0.0, 2], [2, 3, 2.0, 3]])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


def lines_of(ax):
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    return lines


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


class TestShared:
    def test_links_above_the_cut_are_seen_on_dark_styles(self):
        for style, ground in (("default", 1.0), ("dark_background", 0.0)):
            with plt.style.context(style):
                ax = plt.figure().gca()
                plot_dendrogram(Z, ax, n_clusters=3)
                above = lines_of(ax).get_colors()[0]
                assert np.abs(above[:3] - ground).min() > 0.7

    def test_colours_are_ours_unless_the_style_has_its_own(self):
        assert palette(3)[:10] == list(PETROFF)
        with plt.rc_context({"axes.prop_cycle": matplotlib.cycler(color=["red", "blue"])}):
            assert palette(2) == ["red", "blue"]
            assert palette(3)[:10] == list(PETROFF)  # the style has too few

    @pytest.mark.parametrize("scale", ["sqrt", "log"])
    @pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
    def test_scales_of_heights(self, ax, scale, orientation):
        plot_dendrogram(Z, ax, scale=scale, orientation=orientation, n_clusters=3, truncate=20)
        axis = ax.xaxis if orientation == "horizontal" else ax.yaxis
        assert axis.get_scale() == {"sqrt": "function", "log": "log"}[scale]
        assert axis.get_label_text() == {"sqrt": "height (square root scale)", "log": "height (log scale)"}[scale]
        ax.figure.canvas.draw()

    def test_merges_of_height_0_on_a_logarithm(self, ax):
        plot_dendrogram(FALLING, ax, scale="log")
        heights = np.concatenate([path.vertices[:, 1] for path in lines_of(ax).get_paths()])
        assert np.nanmin(heights) > 0
        other = plt.figure().gca()
        plot_dendrogram(chamfer.linkage(np.zeros((4, 1))), other, scale="log")  # there is no other height
        other.figure.canvas.draw()

    def test_clusters_are_numbered_at_their_tops(self, ax):
        plot_dendrogram(Z, ax, n_clusters=4)
        assert texts_of(ax) == ["0", "1", "2", "3"]
        tree, labels = Dendrogram(Z), chamfer.cut(Z, n_clusters=4)
        places = layout.arrange(tree).place
        for text in ax.texts:
            members = set(np.flatnonzero(labels == int(text.get_text())).tolist())
            (top,) = [60 + m for m, points in enumerate(_members(tree)) if points == members]
            assert text.get_position() == (places[top], Z[top - 60, 2])

    def test_many_clusters_are_not(self, ax):
        plot_dendrogram(Z, ax, n_clusters=31)
        assert texts_of(ax) == []
        plot_dendrogram(Z, ax, n_clusters=31, numbers=True)
        assert len(ax.texts) == 31

    def test_long_names_have_room_in_a_new_figure(self):
        ax = plot_dendrogram(chamfer.linkage(X[:8]), labels=["a name of many letters"] * 8)
        ax.figure.canvas.draw()
        assert min(text.get_window_extent().y0 for text in ax.get_xticklabels()) >= 0


def _members(tree):
    sets = [{i} for i in range(tree.n_points)]
    for a, b in tree.children.tolist():
        sets.append(sets[a] | sets[b])
    return sets[tree.n_points :]


class TestRadial:
    @pytest.mark.parametrize("scale", ["linear", "sqrt"])
    def test_the_distance_to_the_circle_is_the_height(self, ax, scale):
        plot_radial(Z, ax, scale=scale)
        paths = lines_of(ax).get_paths()
        level = np.sqrt(Z[:, 2]) if scale == "sqrt" else Z[:, 2]
        for path, height in zip(paths, level, strict=True):
            radii = np.linalg.norm(path.vertices[1:-1], axis=1)  # of the arc
            np.testing.assert_allclose(radii, 1 - height / level.max(), atol=1e-9)

    def test_colours_names_and_numbers(self, ax):
        plot_radial(Z, ax, n_clusters=3, labels=[f"p{i}" for i in range(60)])
        leaves = layout.arrange(Dendrogram(Z)).leaves
        assert texts_of(ax) == [f"p{i}" for i in leaves] + ["0", "1", "2"]
        assert {tuple(color) for color in lines_of(ax).get_colors()} >= {to_rgba(color) for color in PETROFF[:3]}

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_small_trees(self, ax, n):
        plot_radial(chamfer.linkage(np.zeros((n, 1))), ax, n_clusters=1, truncate=1)
        ax.figure.canvas.draw()

    def test_wrong_arguments(self, ax):
        with pytest.raises(ValueError, match="scale must be one of linear, sqrt"):
            plot_radial(Z, ax, scale="log")


class TestMap:
    def test_dots_have_the_colours_of_their_clusters(self, ax):
        labels = np.arange(60) % 4 - 1
        plot_map(X[:, :2], labels, ax)
        dots = [each for each in ax.collections if isinstance(each, PathCollection)]
        assert len(dots) == 4
        for each in dots:
            color = to_rgb(each.get_facecolors()[0])
            label = (
                -1 if color not in [to_rgb(shade) for shade in PETROFF] else [to_rgb(s) for s in PETROFF].index(color)
            )
            np.testing.assert_allclose(each.get_offsets(), X[labels == label, :2])
        assert texts_of(ax) == ["0", "1", "2"]

    def test_projections_and_coordinates(self, ax):
        plot_map(X, np.zeros(60, dtype=int), ax)
        assert ax.get_xlabel() == "first two principal components"
        other = plt.figure().gca()
        plot_map(None, np.zeros(60, dtype=int), other, coordinates=X[:, 1:])
        np.testing.assert_allclose(other.collections[0].get_offsets(), X[:, 1:])

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match="give X or coordinates"):
            plot_map(None, [0, 1])
        with pytest.raises(ValueError, match=r"X must have a row for each of the 2 labels, got shape \(60, 3\)"):
            plot_map(X, [0, 1])
        with pytest.raises(ValueError, match="labels must be integers of at least -1"):
            plot_map(X, np.zeros(60))


class TestImages:
    X, y = (each[:150] for each in load_digits(return_X_y=True))

    @pytest.mark.parametrize("truncate", [None, 12])
    def test_means_stand_below_their_clusters(self, ax, truncate):
        tree = chamfer.linkage(self.X)
        shown = plot_images(tree, self.X, ax, n_clusters=5, classes=self.y, truncate=truncate)
        labels = chamfer.cut(tree, n_clusters=5)
        first = dict.fromkeys(labels[layout.arrange(Dendrogram(tree)).leaves].tolist())
        for inset, label in zip(shown.images, first, strict=True):  # from left to right
            np.testing.assert_allclose(inset.images[0].get_array().ravel(), self.X[labels == label].mean(axis=0))
            assert inset.get_xlabel().startswith(f"{np.sum(labels == label)} points")
        assert shown.tree.get_ylabel() == "height (square root scale)"
        ax.figure.canvas.draw()

    def test_colour(self, ax):
        pictures = np.random.default_rng(0).integers(0, 256, size=(60, 4, 4, 3), dtype=np.uint8)
        shown = plot_images(Z, pictures, ax, n_clusters=2)
        assert shown.images[0].images[0].get_array().max() <= 1

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match=r"images must have shape \(60, height, width\)"):
            plot_images(Z, X)
        with pytest.raises(ValueError, match="classes must have a value for each of the 60 images"):
            plot_images(Z, np.zeros((60, 4)), classes=[1])


class TestClusterMap:
    def test_both_trees_by_default(self, ax):
        shown = plot_clustermap(X, ax=ax)
        down, across = (layout.arrange(Dendrogram(chamfer.linkage(each))).leaves for each in (X, X.T))
        np.testing.assert_array_equal(shown.heatmap.images[0].get_array(), X[np.ix_(down, across)])
        assert shown.columns is not None
        assert shown.colorbar is not None
        assert plot_clustermap(X, ax=ax, colorbar=False).colorbar is None

    @pytest.mark.parametrize(("z_score", "axis"), [("rows", 1), ("columns", 0)])
    def test_z_scores(self, ax, z_score, axis):
        shown = plot_clustermap(X, Z, ax, z_score=z_score, column_Z=False)
        values = np.asarray(shown.heatmap.images[0].get_array())
        np.testing.assert_allclose(values.mean(axis=axis), 0, atol=1e-12)
        np.testing.assert_allclose(values.std(axis=axis), 1)
        low, high = shown.heatmap.images[0].get_clim()
        assert low == -high

    def test_strips_of_colours(self, ax):
        classes = np.where(np.arange(60) < 20, "a", "b")
        given = np.random.default_rng(0).uniform(size=(3, 3))
        shown = plot_clustermap(X, Z, ax, row_colors=classes, column_colors=given)
        strips = [each.images[0].get_array() for each in ax.child_axes if each.images and each is not shown.heatmap]
        down = layout.arrange(Dendrogram(Z)).leaves
        across = layout.arrange(Dendrogram(chamfer.linkage(X.T))).leaves
        wanted = np.array([to_rgb(PETROFF[0 if each == "a" else 1]) for each in classes[down]])
        np.testing.assert_allclose(strips[0][:, 0], wanted)
        np.testing.assert_allclose(strips[1][0], given[across])

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match="row_colors must be 60 classes"):
            plot_clustermap(X, Z, row_colors=["a"])
        with pytest.raises(ValueError, match="z_score must be one of rows, columns"):
            plot_clustermap(X, Z, z_score="all")

    def test_a_constant_column(self, ax):
        plot_clustermap(pd.DataFrame({"a": [1.0, 1, 1], "b": [1.0, 2, 3]}), ax=ax, z_score="columns")
        ax.figure.canvas.draw()


class TestLinkages:
    def test_each_picture_is_a_cut(self):
        points = X[:, :2]
        axes = plot_linkages({"mine": (points, np.arange(60) % 2)}, ["ward", "single"])
        assert axes.shape == (1, 2)
        for ax, method in zip(axes[0], ("ward", "single"), strict=True):
            sizes = sorted(len(each.get_offsets()) for each in ax.collections)
            assert sizes == sorted(np.bincount(chamfer.cut(chamfer.linkage(points, method), n_clusters=2)))
            assert ax.get_title() == method

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match=r"methods must be one of .*did you mean 'ward'"):
            plot_linkages(methods=["wardd"])
