"""Pictures of condensed trees, of two trees face to face, and of the support of branches."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgba
from sklearn.datasets import make_blobs

import chamfer
from chamfer.plot import plot_choice, plot_condensed, plot_support, plot_tanglegram
from chamfer.plot.canvas import palette
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange
from chamfer.trees.untangle import untangle
from forest import TREES, every_tree

X, _ = make_blobs(200, centers=4, cluster_std=[0.2, 0.4, 0.8, 1.2], random_state=3)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def area(corners):
    x, y = corners.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def crossings(orders):
    """Pairs of points that are in one order on the left and in the other on the right."""
    place = [np.argsort(order) for order in orders]
    n = len(place[0])
    return sum((place[0][p] < place[0][q]) != (place[1][p] < place[1][q]) for p in range(n) for q in range(p))


class TestCondensed:
    @pytest.mark.parametrize("method", ["single", "average"])
    def test_areas_are_stabilities(self, method):
        tree = chamfer.condense(chamfer.linkage(X, method), 8)
        ax = plot_condensed(tree)
        (bars,) = ax.collections
        areas = [area(path.vertices[:-1]) for path in bars.get_paths()]
        np.testing.assert_allclose(areas, tree.stability, rtol=1e-9)

    def test_parts_lie_below_the_cluster_they_are_parts_of(self):
        tree = chamfer.condense(chamfer.linkage(X, "average"), 8)
        (bars,) = plot_condensed(tree).collections
        boxes = [path.get_extents() for path in bars.get_paths()]
        for cluster in range(1, len(tree)):
            part, whole = boxes[cluster], boxes[tree.parent[cluster]]
            assert whole.x0 <= part.x0 < part.x1 <= whole.x1
            assert part.y0 == pytest.approx(whole.y1)

    def test_colours_and_names_are_those_of_the_cut(self):
        tree = chamfer.condense(chamfer.linkage(X, "single"), 8)
        cut = tree.select("leaf")
        ax = plot_condensed(tree, cut=cut, colors=["red", "blue"])
        shades = ax.collections[0].get_facecolors()
        for label, cluster in enumerate(cut.clusters):
            assert tuple(shades[cluster]) == to_rgba(["red", "blue"][label % 2])
        assert tuple(shades[0]) == to_rgba("0.75")
        sizes = tree.size[cut.clusters]
        assert [text.get_text() for text in ax.texts] == [f"{i}\n{size} points" for i, size in enumerate(sizes)]

    def test_equal_points_and_nothing_selected(self):
        plot_condensed(chamfer.condense(chamfer.linkage(np.repeat([[0.0], [5.0]], 9, axis=0), "single"), 4))
        assert not plot_condensed(chamfer.condense(chamfer.linkage(X[:9]), 20), plt.subplots()[1]).texts
        plt.gcf().canvas.draw()

    def test_another_kind_of_tree(self):
        with pytest.raises(TypeError, match=r"tree must be what chamfer\.condense gives, got ndarray"):
            plot_condensed(chamfer.linkage(X))


class TestTanglegram:
    @every_tree
    def test_the_number_of_crossings_is_counted_and_does_not_grow(self, Z):
        n = len(Z) + 1
        other = chamfer.linkage(np.random.default_rng(n).normal(size=(n, 2)), "average")
        first, second, found = untangle(Dendrogram(Z), Dendrogram(other))
        after = crossings([chamfer.leaves(each.Z).order for each in (first, second)])
        assert found == after <= crossings([chamfer.leaves(each).order for each in (Z, other)])
        for turned, given in ((first.Z, Z), (second.Z, other)):
            np.testing.assert_array_equal(np.sort(turned[:, :2], axis=1), np.sort(given[:, :2], axis=1))
            np.testing.assert_array_equal(turned[:, 2:], given[:, 2:])

    def test_a_tree_beside_itself_has_none(self):
        for Z in TREES.values():
            turned = np.array(Z)
            turned[::2, :2] = turned[::2, 1::-1]
            assert untangle(Dendrogram(Z), Dendrogram(turned))[2] == 0

    def test_lines_lead_from_leaf_to_leaf(self):
        few = X[::10]
        Z, other = chamfer.linkage(few), chamfer.linkage(few, "single")
        ax = plot_tanglegram(Z, other, n_clusters=3, titles=("one", "other"))
        first, second, _ = untangle(Dendrogram(Z), Dendrogram(other))
        places = [arrange(tree).place[: len(few)] for tree in (first, second)]
        (lines,) = [each for each in ax.collections if each.get_gid() == "lines"]
        np.testing.assert_array_equal([path.vertices[:, 1] for path in lines.get_paths()], np.transpose(places))
        labels = chamfer.cut(Z, 3)
        assert [to_rgba(color)[:3] for color in lines.get_colors()] == [
            to_rgba(palette(3)[label])[:3] for label in labels
        ]
        names = [text.get_text() for text in ax.texts]
        assert names[-2:] == ["one", "other"]
        assert sorted(names[:-2]) == sorted([str(i) for i in range(len(few))] * 2)

    def test_many_points_have_no_names(self):
        assert not plot_tanglegram(chamfer.linkage(X), chamfer.linkage(X, "ward")).texts

    def test_errors_name_the_argument(self):
        with pytest.raises(ValueError, match="second must be a tree of the 200 points of first, got 9"):
            plot_tanglegram(chamfer.linkage(X), chamfer.linkage(X[:9]))
        with pytest.raises(ValueError, match="labels must name all 200 points, got 2"):
            plot_tanglegram(chamfer.linkage(X), chamfer.linkage(X), labels="ab")


class TestSupport:
    Z = chamfer.linkage(X[::20])
    SHARES = np.array([0.1, 0.2, np.nan, 0.4, 0.5, 0.955, 0.7, 0.8, 1.0])

    @pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
    def test_numbers_stand_at_their_merges(self, orientation):
        ax = plot_support(self.Z, self.SHARES, least=0.2, orientation=orientation)
        layout = arrange(Dendrogram(self.Z))
        shown = [1, 3, 4, 5, 6, 7]
        assert [text.get_text() for text in ax.texts] == [f"{100 * self.SHARES[i]:.0f}" for i in shown]
        for merge, text in zip(shown, ax.texts, strict=True):
            place = (layout.place[10 + merge], self.Z[merge, 2])
            assert text.xy == (place if orientation == "vertical" else place[::-1])
            assert (text.get_fontweight() == "bold") == (merge == 5)

    def test_a_truncated_tree_shows_those_that_are_left(self):
        assert len(plot_support(self.Z, self.SHARES, truncate=4, heights="max").texts) == 2

    def test_one_share_for_each_merge(self):
        with pytest.raises(ValueError, match="support must hold a share for each of 9 merges, got shape"):
            plot_support(self.Z, [1.0])


def test_more_criteria_in_a_choice():
    gap, halves = chamfer.gap_statistic(X, "ward", n_references=5), chamfer.stability(X, "ward", n_samples=5)
    ax = plot_choice(chamfer.choose(chamfer.linkage(X, "ward"), X, criteria=[gap, halves]))
    assert [text.get_text() for text in ax.get_legend().get_texts()][-2:] == ["gap statistic", "stability"]
