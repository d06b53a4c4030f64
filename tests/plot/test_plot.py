"""Pictures: what is drawn is the tree, at its heights, in the colours of its cut."""

import subprocess
import sys
import time

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from sklearn.datasets import make_blobs

import chamfer
from chamfer.plot import DendrogramDisplay, plot_clustermap, plot_dendrogram, plot_scores
from chamfer.trees import layout
from chamfer.trees.colors import cluster_colors
from chamfer.trees.dendrogram import Dendrogram
from marks import slow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Z = chamfer.linkage(X)
FALLING = np.array([[0, 1, 3.0, 2], [2, 3, 2.0, 3]])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


def brackets_of(ax):
    """Lines of the tree as (colour, brackets of shape (m, 4, 2))."""
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    groups = [np.asarray(path.vertices).reshape(-1, 5, 2)[:, :4] for path in lines.get_paths()]
    return list(zip(lines.get_colors(), groups, strict=True))


def chain(n):
    steps = np.arange(n - 1)
    return np.column_stack([np.where(steps == 0, 0, n + steps - 1), steps + 1, steps + 1.0, steps + 2.0])


class TestLayout:
    @given(st.integers(2, 40), st.integers(0, 1000), st.sampled_from(["chamfer", "single", "centroid"]))
    @settings(deadline=None, max_examples=30)
    def test_leaves_are_those_of_scipy_and_merges_stand_midway(self, n, seed, method):
        from scipy.cluster.hierarchy import leaves_list

        tree = Dendrogram(chamfer.linkage(np.random.default_rng(seed).normal(size=(n, 2)), method))
        places = layout.arrange(tree)
        assert places.leaves.tolist() == leaves_list(tree.Z).tolist()
        np.testing.assert_array_equal(places.place[places.leaves], np.arange(n))
        np.testing.assert_allclose(places.place[n:], places.place[tree.children].mean(axis=1))

    @pytest.mark.parametrize("order", ["merge", "least", "cumulative"])
    @pytest.mark.parametrize("count", [1, 2, 7, 60])
    def test_a_truncated_tree_ends_in_the_clusters_of_the_cut(self, order, count):
        tree = Dendrogram(Z)
        applied = tree.applied(count, order=order)
        places = layout.arrange(tree, applied)
        assert len(places.leaves) == count == len(places.merges) + 1
        sizes = np.concatenate([np.ones(60), Z[:, 3]])[places.leaves]
        wanted = np.bincount(chamfer.cut(Z, n_clusters=count, order=order))
        assert sorted(sizes) == sorted(wanted)

    @pytest.mark.parametrize("order", ["merge", "least", "cumulative"])
    def test_merges_below_a_height_are_those_of_the_cut(self, order):
        tree = Dendrogram(Z)
        for height in (-1, *np.quantile(tree.sequence(order)[1], [0.2, 0.5, 0.9]), np.inf):
            applied = tree.applied(height=height, order=order)
            clusters = chamfer.cut(Z, height=height, order=order).max() + 1
            assert applied.sum() == 60 - clusters

    @pytest.mark.parametrize("heights", ["max", "cumulative"])
    def test_heights_are_those_of_monotone(self, heights):
        level = layout.merge_heights(Dendrogram(Z), heights)
        np.testing.assert_allclose(np.sort(level), chamfer.monotone(Z, heights)[:, 2])

    def test_labels_of_clusters_are_those_of_their_points(self):
        tree = Dendrogram(Z)
        labels = chamfer.cut(Z, n_clusters=5)
        applied = tree.applied(5)
        found = layout.merge_labels(tree, applied, labels)
        members = [{i} for i in range(60)]
        for a, b in tree.children:
            members.append(members[a] | members[b])
        for cluster, points in enumerate(members):
            inside = {int(labels[i]) for i in points}
            assert found[cluster] == (inside.pop() if len(inside) == 1 else -1)

    def test_thinning_covers_what_it_replaces(self):
        tree = Dendrogram(chamfer.linkage(RNG.normal(size=(6000, 2)), "single"))
        corners = layout.brackets(tree, layout.arrange(tree), tree.heights)
        labels = np.zeros(len(corners), dtype=int)
        lines, _ = layout.thin(corners, labels, 6000)
        assert len(lines) < 2 * len(corners)  # of three lines each
        upright = lines[lines[:, 0, 0] == lines[:, 1, 0]]
        step = 6000 / 4096
        for place, low, high in zip(
            corners[::97, 0, 0], corners[::97, :2, 1].min(1), corners[::97, :2, 1].max(1), strict=True
        ):
            near = upright[np.abs(upright[:, 0, 0] - place) <= step / 2 + 1e-9]
            assert np.any((near[:, 0, 1] <= low) & (near[:, 1, 1] >= high))


class TestDendrogram:
    def test_one_collection_holds_every_merge_at_its_own_height(self, ax):
        assert plot_dendrogram(Z, ax) is ax
        ((_, corners),) = brackets_of(ax)
        assert len(corners) == 59
        np.testing.assert_allclose(np.sort(corners[:, 1, 1]), np.sort(Z[:, 2]))
        np.testing.assert_array_equal(corners[:, 1, 1], corners[:, 2, 1])

    def test_a_merge_below_its_child_is_drawn_below_it(self, ax):
        plot_dendrogram(FALLING, ax)
        ((_, corners),) = brackets_of(ax)
        assert corners[1, :, 1].tolist() == [0, 2, 2, 3]  # the second leg goes up, to the child at height 3
        assert ax.get_ylim()[1] > 3

    @pytest.mark.parametrize(("heights", "wanted"), [("max", [3, 3]), ("cumulative", [3, 5])])
    def test_other_heights(self, ax, heights, wanted):
        plot_dendrogram(FALLING, ax, heights=heights)
        ((_, corners),) = brackets_of(ax)
        assert corners[:, 1, 1].tolist() == wanted
        assert heights in ax.get_ylabel()

    @pytest.mark.parametrize("order", ["merge", "cumulative"])
    def test_colours_are_those_of_the_labels(self, ax, order):
        plot_dendrogram(Z, ax, n_clusters=4, order=order)
        labels = chamfer.cut(Z, n_clusters=4, order=order)
        leaves = layout.arrange(Dendrogram(Z)).leaves
        coloured = 0
        for color, corners in brackets_of(ax):
            ends = corners[:, [0, 3]].reshape(-1, 2)
            points = leaves[ends[ends[:, 1] == 0, 0].astype(int)]
            for label in np.unique(labels[points]):
                if np.allclose(color, to_rgba(cluster_colors(4)[label])):
                    coloured += 1
                    assert set(labels[points]) == {label}
        assert coloured == np.sum(np.bincount(labels) > 1)

    def test_own_colours_are_repeated(self, ax):
        plot_dendrogram(Z, ax, n_clusters=3, colors=["red", "blue"])
        colors = {tuple(color) for color, _ in brackets_of(ax)}
        assert {to_rgba("red"), to_rgba("blue")} <= colors

    def test_truncated_views_show_sizes(self, ax):
        plot_dendrogram(Z, ax, truncate=6)
        names = [text.get_text() for text in ax.get_xticklabels()]
        sizes = [int(name[1:-1]) if name.startswith("(") else 1 for name in names]
        assert sorted(sizes) == sorted(np.bincount(chamfer.cut(Z, n_clusters=6)))
        (triangles,) = [each for each in ax.collections if isinstance(each, PolyCollection)]
        assert len(triangles.get_paths()) == sum(size > 1 for size in sizes)

    @pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
    def test_leaf_labels(self, ax, orientation):
        names = [f"point {i}" for i in range(4)]
        tree = chamfer.linkage([[0.0], [5.0], [1.0], [6.5]])
        plot_dendrogram(tree, ax, labels=names, orientation=orientation)
        axis = ax.yaxis if orientation == "horizontal" else ax.xaxis
        shown = [text.get_text() for text in axis.get_ticklabels()]
        assert shown == ["point 0", "point 2", "point 1", "point 3"]
        assert axis.get_ticklocs().tolist() == [0, 1, 2, 3]
        assert (ax.get_xlabel() if orientation == "horizontal" else ax.get_ylabel()) == "height"

    def test_horizontal_is_vertical_with_axes_exchanged(self):
        _, (one, two) = plt.subplots(1, 2)
        plot_dendrogram(Z, one)
        plot_dendrogram(Z, two, orientation="horizontal")
        np.testing.assert_array_equal(brackets_of(one)[0][1], brackets_of(two)[0][1][..., ::-1])

    def test_names_without_room_are_left_out(self, ax):
        plot_dendrogram(chain(400), ax)
        assert len(ax.get_xticks()) == 0

    def test_current_axes_by_default(self):
        _, axes = plt.subplots(1, 2)
        plt.sca(axes[0])
        assert plot_dendrogram(Z) is axes[0]

    @pytest.mark.parametrize("n", [1, 2, 3])
    @pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
    def test_small_trees(self, ax, n, orientation):
        tree = chamfer.linkage(np.arange(n, dtype=float)[:, None])
        plot_dendrogram(tree, ax, n_clusters=1, orientation=orientation)
        ax.figure.canvas.draw()

    def test_equal_points(self, ax):
        plot_dendrogram(chamfer.linkage(np.zeros((5, 2))), ax, n_clusters=2)
        ax.figure.canvas.draw()

    @pytest.mark.parametrize("tree", [chain(100_000), *slow(chain(100_000)[:, [1, 0, 2, 3]])])
    def test_a_chain_of_100_000_needs_no_recursion(self, tmp_path, ax, tree):
        start = time.perf_counter()
        plot_dendrogram(tree, ax, n_clusters=8)
        ax.figure.savefig(tmp_path / "tree.png")
        assert time.perf_counter() - start < 60  # it takes one second; quadratic work would take hours

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"orientation": "up"}, "orientation must be one of vertical, horizontal"),
            ({"heights": "log"}, "heights must be one of own, max, cumulative"),
            ({"truncate": 61}, "truncate must be between 1 and 60, got 61"),
            ({"n_clusters": 0}, "n_clusters must be between 1 and 60, got 0"),
            ({"n_clusters": 2, "height": 1.0}, "exactly one of n_clusters and height"),
            ({"labels": ["a"]}, "labels must name all 60 points, got 1"),
            ({"order": "none"}, "order must be one of"),
        ],
    )
    def test_wrong_arguments_are_named(self, ax, options, message):
        with pytest.raises(ValueError, match=message):
            plot_dendrogram(Z, ax, **({"n_clusters": 2} | options if "order" in options else options))

    @pytest.mark.slow
    def test_a_helpful_error_without_matplotlib(self, tmp_path):
        (tmp_path / "matplotlib.py").write_text("raise ImportError('hidden')")
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chamfer\n"
            "try: chamfer.plot.plot_dendrogram([[0, 1, 1, 2]])\n"
            "except ImportError as error: print(error)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert "pip install 'chamfer[plot]'" in done.stdout

    def test_importing_chamfer_does_not_import_matplotlib(self):
        code = "import sys, chamfer; print('matplotlib' in sys.modules, 'pandas' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split()[0] == "False"


class TestDisplay:
    def test_from_our_estimator(self, ax):
        model = chamfer.AgglomerativeClustering(n_clusters=3, order="least").fit(X)
        display = DendrogramDisplay.from_estimator(model, ax, truncate=10)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert (display.n_clusters, display.order) == (3, "least")
        other = plt.subplots()[1]
        assert display.plot(other, orientation="horizontal").ax_ is other

    def test_from_scikit_learns_estimator(self, ax):
        from sklearn.cluster import AgglomerativeClustering

        model = AgglomerativeClustering(n_clusters=3, compute_distances=True).fit(X)
        display = DendrogramDisplay.from_estimator(model, ax)
        Dendrogram(display.Z)
        np.testing.assert_allclose(np.sort(display.Z[:, 2]), np.sort(chamfer.linkage(X, "ward")[:, 2]))
        with pytest.raises(ValueError, match="compute_distances=True"):
            DendrogramDisplay.from_estimator(AgglomerativeClustering().fit(X))

    def test_an_estimator_that_is_not_fitted(self):
        from sklearn.exceptions import NotFittedError

        with pytest.raises(NotFittedError):
            DendrogramDisplay.from_estimator(chamfer.AgglomerativeClustering())


class TestClusterMap:
    def test_rows_and_columns_are_in_the_order_of_the_trees(self, ax):
        columns = chamfer.linkage(X.T)
        shown = plot_clustermap(X, Z, ax, column_Z=columns, n_clusters=3)
        down = layout.arrange(Dendrogram(Z)).leaves
        across = layout.arrange(Dendrogram(columns)).leaves
        np.testing.assert_array_equal(shown.heatmap.images[0].get_array(), X[np.ix_(down, across)])
        assert shown.rows.get_ylim() == shown.heatmap.get_ylim()
        assert shown.columns.get_xlim() == shown.heatmap.get_xlim()
        ax.figure.canvas.draw()

    def test_names_of_a_data_frame(self, ax):
        frame = pd.DataFrame([[0.0, 1], [9, 9], [0, 2]], index=["a", "b", "c"], columns=["left", "right"])
        shown = plot_clustermap(frame, ax=ax, column_Z=False)
        order = layout.arrange(Dendrogram(chamfer.linkage(frame))).leaves
        assert [text.get_text() for text in shown.heatmap.get_yticklabels()] == list(frame.index[order])
        assert [text.get_text() for text in shown.heatmap.get_xticklabels()] == ["left", "right"]
        assert shown.columns is None

    def test_wrong_trees_are_named(self):
        with pytest.raises(ValueError, match="Z must be a tree of the 5 rows of X, got one of 60 points"):
            plot_clustermap(X[:5], Z)
        with pytest.raises(ValueError, match="column_Z must be a tree of the 3 columns"):
            plot_clustermap(X, Z, column_Z=Z)
        with pytest.raises(ValueError, match="X must have two dimensions"):
            plot_clustermap(X[0])


class TestScores:
    @pytest.mark.parametrize("score", ["ari", "nmi", "ami", "fmi"])
    def test_lines_are_the_scores_of_the_cuts(self, ax, score):
        from sklearn import metrics

        y = np.repeat([0, 1, 2], 20)
        trees = {method: chamfer.linkage(X, method) for method in ("chamfer", "ward")}
        plot_scores(trees, y, ax, score=score, order="least", max_clusters=12)
        names = {"ari": "adjusted_rand", "nmi": "normalized_mutual_info"}
        names |= {"ami": "adjusted_mutual_info", "fmi": "fowlkes_mallows"}
        measure = getattr(metrics, f"{names[score]}_score")
        for line, (name, tree) in zip(ax.get_lines(), trees.items(), strict=False):
            assert line.get_label() == name
            assert line.get_xdata().tolist() == list(range(1, 13))
            wanted = [measure(y, chamfer.cut(tree, n_clusters=k, order="least")) for k in range(1, 13)]
            np.testing.assert_allclose(line.get_ydata(), wanted, atol=1e-9)
        assert ax.get_lines()[2].get_xdata()[0] == 3  # the true number is marked

    def test_wrong_arguments_are_named(self):
        with pytest.raises(ValueError, match="y must have a class for each of the 60 points of 'mine', got 3"):
            plot_scores({"mine": Z}, [0, 1, 1])
        with pytest.raises(ValueError, match="score must be one of"):
            plot_scores({"mine": Z}, np.zeros(60), score="best")
        with pytest.raises(ValueError, match="trees must hold"):
            plot_scores({}, np.zeros(60))
        with pytest.raises(ValueError, match="max_clusters must be between 1 and 60"):
            plot_scores({"mine": Z}, np.zeros(60), max_clusters=61)


class TestChoice:
    X, _ = make_blobs(200, centers=4, cluster_std=0.4, random_state=1)

    def test_curves_and_the_numbers_they_suggest(self):
        choice = chamfer.choose(chamfer.linkage(self.X), self.X)
        ax = chamfer.plot.plot_choice(choice, plt.figure().gca(), max_clusters=20)
        lines = {line.get_label(): line for line in ax.get_lines()}
        values = lines["simplified silhouette"].get_ydata()
        curve = choice.curves["silhouette"][:20]
        assert len(values) == 20
        assert np.nanargmax(values) == np.nanargmax(curve) == 3
        assert (np.nanmin(values), np.nanmax(values)) == (0, 1)
        dots = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "o"]
        assert dots == [each.n_clusters for each in choice.suggestions]

    def test_chosen_curves(self):
        choice = chamfer.choose(chamfer.linkage(self.X), self.X)
        ax = chamfer.plot.plot_choice(choice, plt.figure().gca(), curves=["within", "conductance"])
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["within-cluster squares", "conductance"]

    def test_wrong_arguments(self):
        choice = chamfer.choose(chamfer.linkage(self.X))
        with pytest.raises(ValueError, match="curves must be one of height, gap, got 'silhouette'"):
            chamfer.plot.plot_choice(choice, curves=["silhouette"])
        with pytest.raises(TypeError, match="choice must be what chamfer"):
            chamfer.plot.plot_choice(4)
