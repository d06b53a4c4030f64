"""Dendrograms: what always holds, cuts along the three orders, monotone forms, and trees that are none."""

import heapq

import numpy as np
import pytest
from scipy.cluster import hierarchy

import chamfer
import reference
from cases import gaussian
from chamfer.trees.dendrogram import ORDERS
from forest import TREES, every_order, every_tree


def naive_heights(Z, order):
    """Heights that an order looks at: a merge's own, or the sum over its subtree."""
    n = len(Z) + 1
    heights = list(Z[:, 2])
    if order == "cumulative":
        for i, (a, b) in enumerate(Z[:, :2].astype(int)):
            heights[i] += sum(heights[c - n] for c in (a, b) if c >= n)
    return heights


def naive_sequence(Z, order):
    """Merges as the paper exposes them: of those whose two clusters are there, the lowest is next."""
    n = len(Z) + 1
    if order == "merge":
        return list(range(n - 1))
    heights = naive_heights(Z, order)
    waits_for = [sum(c >= n for c in row) for row in Z[:, :2]]
    parent = {int(c) - n: i for i, row in enumerate(Z[:, :2]) for c in row if c >= n}
    available = [(heights[i], i) for i in range(n - 1) if waits_for[i] == 0]
    heapq.heapify(available)
    sequence = []
    while available:
        _, merge = heapq.heappop(available)
        sequence.append(merge)
        if merge in parent:
            above = parent[merge]
            waits_for[above] -= 1
            if waits_for[above] == 0:
                heapq.heappush(available, (heights[above], above))
    return sequence


def labels_of(clusters):
    """Labels by first appearance, of clusters sorted by their smallest point."""
    labels = np.empty(sum(map(len, clusters)), dtype=int)
    for label, cluster in enumerate(clusters):
        labels[list(cluster)] = label
    return labels


def by_first_appearance(labels):
    numbers = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def leaf_sets(Z):
    """The set of points of every merge."""
    n = len(Z) + 1
    sets = [frozenset([point]) for point in range(n)]
    for a, b in Z[:, :2].astype(int):
        sets.append(sets[a] | sets[b])
    return sets[n:]


def test_the_trees_do_fall():
    assert sum((np.diff(Z[:, 2]) < 0).any() for Z in TREES.values()) >= 6
    assert not hierarchy.is_monotonic(TREES["falling 0"])


class TestCut:
    @every_tree
    @every_order
    def test_every_number_of_clusters_along_every_order(self, Z, order):
        n = len(Z) + 1
        sequence = naive_sequence(Z, order)
        for n_clusters in range(1, n + 1):
            labels = chamfer.cut(Z, n_clusters, order=order)
            assert labels.dtype == np.int64
            np.testing.assert_array_equal(labels, labels_of(reference.cut(Z, sequence[: n - n_clusters])))

    @every_tree
    @every_order
    def test_every_height_along_every_order(self, Z, order):
        heights, sequence = naive_heights(Z, order), naive_sequence(Z, order)
        for height in [-1.0, 0.0, np.inf, *heights, *np.nextafter(heights, -np.inf)]:
            low_enough = next((i for i, merge in enumerate(sequence) if heights[merge] > height), len(sequence))
            expected = labels_of(reference.cut(Z, sequence[:low_enough]))
            np.testing.assert_array_equal(chamfer.cut(Z, height=height, order=order), expected)

    @every_tree
    @every_order
    def test_fewer_clusters_are_unions_of_more(self, Z, order):
        n = len(Z) + 1
        for n_clusters in range(1, n):
            fine, coarse = (chamfer.cut(Z, k, order=order) for k in (n_clusters + 1, n_clusters))
            assert len(set(zip(fine, coarse, strict=True))) == n_clusters + 1

    @pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "ward"])
    def test_on_monotone_trees_it_is_fcluster(self, method):
        Z = hierarchy.linkage(gaussian(6, 60, 3), method)
        for order in ("merge", "least"):
            for k in (1, 2, 7, 30, 60):
                expected = by_first_appearance(hierarchy.fcluster(Z, k, "maxclust"))
                np.testing.assert_array_equal(chamfer.cut(Z, k, order=order), expected)
            for height in np.quantile(Z[:, 2], [0, 0.3, 0.5, 0.9, 1]):
                expected = by_first_appearance(hierarchy.fcluster(Z, height, "distance"))
                np.testing.assert_array_equal(chamfer.cut(Z, height=height, order=order), expected)

    def test_equal_heights_keep_the_order_of_merges(self):
        Z = np.array([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 1, 2], [6, 7, 1, 4], [8, 9, 1, 6]], dtype=float)
        for order in ("merge", "least"):
            np.testing.assert_array_equal(chamfer.cut(Z, 4, order=order), [0, 0, 1, 1, 2, 3])
        np.testing.assert_array_equal(chamfer.cut(Z, height=1), np.zeros(6))
        np.testing.assert_array_equal(chamfer.cut(Z, height=0.999), np.arange(6))

    @every_order
    def test_tied_trees_apply_children_before_parents(self, order):
        for seed in range(10):
            y = np.random.default_rng(seed).integers(0, 3, size=20 * 19 // 2).astype(float)
            Z = chamfer.linkage(y)
            for n_clusters in range(1, 21):
                assert chamfer.cut(Z, n_clusters, order=order).max() == n_clusters - 1

    def test_one_point(self):
        for order in ORDERS:
            np.testing.assert_array_equal(chamfer.cut(np.empty((0, 4)), 1, order=order), [0])
            np.testing.assert_array_equal(chamfer.cut(np.empty((0, 4)), height=3, order=order), [0])

    def test_give_one_of_n_clusters_and_height(self):
        Z = TREES["chamfer"]
        for arguments in ({}, {"n_clusters": 2, "height": 1.0}):
            with pytest.raises(ValueError, match="exactly one of n_clusters and height"):
                chamfer.cut(Z, **arguments)

    @pytest.mark.parametrize("n_clusters", [0, -1, 41])
    def test_n_clusters_of_wrong_value(self, n_clusters):
        with pytest.raises(ValueError, match=f"n_clusters must be between 1 and 40, got {n_clusters}"):
            chamfer.cut(TREES["chamfer"], n_clusters)

    @pytest.mark.parametrize("n_clusters", [1.5, 2.0, True, np.array(2)])
    def test_n_clusters_of_wrong_type(self, n_clusters):
        with pytest.raises(TypeError, match="n_clusters must be an integer between 1 and 40"):
            chamfer.cut(TREES["chamfer"], n_clusters)

    def test_height_must_be_a_number(self):
        with pytest.raises(TypeError, match="height must be a number, got '1'"):
            chamfer.cut(TREES["chamfer"], height="1")
        with pytest.raises(ValueError, match="height must be a number, got nan"):
            chamfer.cut(TREES["chamfer"], height=np.nan)

    def test_orders_have_names(self):
        with pytest.raises(ValueError, match="order must be one of merge, least, cumulative, got 'first'"):
            chamfer.cut(TREES["chamfer"], 2, order="first")


@every_tree
@pytest.mark.parametrize(("kind", "order"), [("cumulative", "cumulative"), ("max", "least")])
class TestMonotone:
    def test_scipy_finds_it_valid_and_monotone(self, Z, kind, order):
        monotone = chamfer.monotone(Z, kind)
        assert hierarchy.is_valid_linkage(monotone, throw=True)
        assert hierarchy.is_monotonic(monotone)
        assert (monotone[:, 0] < monotone[:, 1]).all()

    def test_it_is_the_same_tree_with_new_heights(self, Z, kind, order):
        expected = dict(zip(leaf_sets(Z), naive_heights(Z, order), strict=True))
        if kind == "max":
            expected = {a: max(height for b, height in expected.items() if b <= a) for a in expected}
        monotone = chamfer.monotone(Z, kind)
        actual = dict(zip(leaf_sets(monotone), monotone[:, 2], strict=True))
        assert actual == pytest.approx(expected, rel=1e-12)

    def test_fcluster_on_it_is_our_cut(self, Z, kind, order):
        n = len(Z) + 1
        monotone = chamfer.monotone(Z, kind)
        for k in range(1, n + 1):
            labels = chamfer.cut(Z, k, order=order)
            np.testing.assert_array_equal(chamfer.cut(monotone, k), labels)
            if kind == "cumulative":  # running maxima are equal along a path, and fcluster keeps equal heights together
                assert by_first_appearance(hierarchy.fcluster(monotone, k, "maxclust")) == labels.tolist()
        for height in [0, *monotone[:, 2]]:
            labels = chamfer.cut(Z, height=height, order=order)
            assert by_first_appearance(hierarchy.fcluster(monotone, height, "distance")) == labels.tolist()

    def test_cophenet_is_the_height_of_the_smallest_common_cluster(self, Z, kind, order):
        monotone = chamfer.monotone(Z, kind)
        heights = dict(zip(leaf_sets(monotone), monotone[:, 2], strict=True))
        n = len(Z) + 1
        expected = [
            min(height for points, height in heights.items() if i in points and j in points)
            for i in range(n)
            for j in range(i + 1, n)
        ]
        np.testing.assert_array_equal(hierarchy.cophenet(monotone), expected)

    def test_scipy_draws_it(self, Z, kind, order):
        drawn = hierarchy.dendrogram(chamfer.monotone(Z, kind), no_plot=True)
        assert sorted(drawn["leaves"]) == list(range(len(Z) + 1))


class TestMonotoneEdges:
    @pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
    def test_monotone_trees_stay_as_they_are(self, method):
        Z = chamfer.linkage(gaussian(7, 50, 2), method)
        np.testing.assert_array_equal(chamfer.monotone(Z, "max"), Z)

    def test_one_point(self):
        for kind in ("cumulative", "max"):
            assert chamfer.monotone(np.empty((0, 4)), kind).shape == (0, 4)

    def test_the_result_may_be_changed_and_the_input_is_not(self):
        Z = TREES["falling 0"].copy()
        monotone = chamfer.monotone(Z)
        monotone[:] = 0
        np.testing.assert_array_equal(Z, TREES["falling 0"])

    def test_kinds_have_names(self):
        with pytest.raises(ValueError, match="kind must be one of cumulative, max, got 'min'"):
            chamfer.monotone(TREES["chamfer"], "min")


class TestTreeHeight:
    @every_tree
    def test_longest_way(self, Z):
        depths = [sum(point in points for points in leaf_sets(Z)) for point in range(len(Z) + 1)]
        assert chamfer.tree_height(Z) == max(depths)

    def test_known_shapes(self):
        assert chamfer.tree_height(np.empty((0, 4))) == 0
        points_that_drift_apart = [[2.0**i] for i in range(20)]
        assert chamfer.tree_height(chamfer.linkage(points_that_drift_apart, "single")) == 19
        pairs_of_pairs = [[sum(5**k * (i >> k & 1) for k in range(4))] for i in range(16)]
        assert chamfer.tree_height(chamfer.linkage(pairs_of_pairs, "complete")) == 4


class TestDendrogram:
    def test_what_it_tells(self):
        tree = chamfer.Dendrogram([[0, 1, 3, 2], [2, 3, 2, 3]])
        assert tree.n_points == 3
        assert tree.height == 2
        np.testing.assert_array_equal(tree.children, [[0, 1], [2, 3]])
        assert tree.children.dtype == np.int64
        np.testing.assert_array_equal(tree.heights, [3, 2])
        np.testing.assert_array_equal(tree.cut(2), [0, 0, 1])
        np.testing.assert_array_equal(tree.monotone("max").Z, [[0, 1, 3, 2], [2, 3, 3, 3]])

    @every_tree
    def test_from_and_to_z(self, Z):
        np.testing.assert_array_equal(chamfer.Dendrogram(Z).Z, Z)

    def test_it_keeps_its_own_read_only_copy(self):
        Z = TREES["chamfer"].copy()
        tree = chamfer.Dendrogram(Z)
        Z[:] = 0
        np.testing.assert_array_equal(tree.Z, TREES["chamfer"])
        with pytest.raises(ValueError, match="read-only"):
            tree.Z[0, 0] = 1

    def test_other_forms_of_z(self):
        Z = np.array([[0, 1, 3, 2], [2, 3, 4, 3]])
        for form in (Z, Z.tolist(), np.asfortranarray(Z), Z.astype(np.float32)):
            tree = chamfer.Dendrogram(form)
            assert tree.Z.dtype == np.float64
            np.testing.assert_array_equal(tree.Z, Z)


GOOD = [[0, 1, 1.0, 2], [2, 4, 2.0, 3], [3, 5, 3.0, 4]]


@pytest.mark.parametrize(
    ("merge", "column", "value", "message"),
    [
        (1, 0, 0.5, "merge 1 does not join whole-numbered clusters"),
        (1, 0, -1, "merge 1 joins a cluster not made before it"),
        (0, 1, 4, "merge 0 joins a cluster not made before it"),
        (1, 1, 5, "merge 1 joins a cluster not made before it"),
        (1, 1, 1e300, "merge 1 joins a cluster not made before it"),
        (1, 0, 1, "merge 0 joins a cluster twice"),
        (2, 0, 5, "merge 2 joins a cluster twice"),
        (1, 2, -0.1, "merge 1 has a negative height"),
        (1, 3, 4, "merge 1 does not have the size of its clusters"),
        (2, 3, 3.5, "merge 2 does not have the size of its clusters"),
        (1, 2, np.nan, "Z must be finite"),
        (1, 0, np.inf, "Z must be finite"),
    ],
)
@pytest.mark.parametrize("function", [chamfer.Dendrogram, chamfer.monotone, chamfer.tree_height])
def test_trees_that_are_none(merge, column, value, message, function):
    Z = np.array(GOOD)
    function(Z)
    Z[merge, column] = value
    with pytest.raises(ValueError, match=message):
        function(Z)


@pytest.mark.parametrize("Z", [[], [1, 2, 3], np.zeros((3, 3)), np.zeros((1, 2, 4)), 5.0, [[0, 1], [2]]])
def test_arrays_of_wrong_shape(Z):
    with pytest.raises(ValueError, match=r"Z must have shape \(n - 1, 4\)"):
        chamfer.cut(Z, 1)


@pytest.mark.parametrize("Z", ["tree", [["0", "1", "1", "2"]], np.array(GOOD) + 1j, None, {"Z": 1}])
def test_what_is_no_array_of_numbers(Z):
    with pytest.raises(TypeError, match="Z must hold real numbers"):
        chamfer.cut(Z, 1)


@pytest.mark.parametrize(("endless", "trees"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_infinite_heights_join_the_trees_of_a_forest(endless, trees):
    heights = [1.0, 2.0, 3.0][: 3 - endless] + [np.inf] * endless
    tree = chamfer.Dendrogram([[0, 1, heights[0], 2], [2, 3, heights[1], 2], [4, 5, heights[2], 4]])
    assert tree.n_trees == trees
    if trees > 1:
        with pytest.raises(ValueError, match=f"a forest of {trees} trees"):
            chamfer.to_json(tree.Z)


def test_a_finite_height_after_an_infinite_one_is_refused():
    with pytest.raises(ValueError, match="merge 1 follows one of infinite height"):
        chamfer.Dendrogram([[0, 1, np.inf, 2], [2, 3, 1.0, 2], [4, 5, np.inf, 4]])
