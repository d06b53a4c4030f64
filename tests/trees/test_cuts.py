"""Cuts with limits on the number and the sizes of clusters, several at once, and what becomes of small clusters."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist

import chamfer
from benchmarks.cuts import large_clusters_by_loop
from cases import gaussian
from chamfer.trees.cuts import by_first_appearance
from chamfer.trees.dendrogram import ORDERS, Dendrogram
from forest import every_order, every_tree

X = np.concatenate([gaussian(seed, count, 2) + shift for seed, count, shift in ((0, 30, 0), (1, 20, 6), (2, 7, 40))])
Z = chamfer.linkage(X, "average")


def large_clusters(labels, least):
    return np.bincount(labels) >= least


def naive_cut(Z, labels, least, X=None):
    """Small clusters become noise, or their points join the cluster of the nearest other point."""
    large = large_clusters(labels, least)
    result = np.where(large[labels], labels, -1)
    kept, left = np.flatnonzero(result >= 0), np.flatnonzero(result < 0)
    if X is not None and len(kept):
        for point in left:
            result[point] = result[kept[cdist(X[[point]], X[kept]).argmin()]]
    numbers = {-1: -1}
    return [numbers.setdefault(label, len(numbers) - 1) for label in result.tolist()]


class TestMinSize:
    @every_tree
    @every_order
    @pytest.mark.parametrize("least", [1, 2, 5])
    def test_it_is_the_last_cut_with_so_many_large_clusters(self, Z, order, least):
        n = len(Z) + 1
        cuts = [chamfer.cut(Z, k, order=order) for k in range(1, n + 1)]
        numbers = [int(large_clusters(labels, least).sum()) for labels in cuts]
        for k in range(1, max(numbers) + 1):
            labels = cuts[numbers.index(k)]
            np.testing.assert_array_equal(chamfer.cut(Z, k, order=order, min_size=least), naive_cut(Z, labels, least))
        if max(numbers) < n:
            with pytest.raises(ValueError, match=f"n_clusters must be at most {max(numbers)}, the most clusters of at"):
                chamfer.cut(Z, max(numbers) + 1, order=order, min_size=least)

    @pytest.mark.parametrize("method", ["chamfer", "single", "average", "ward", "centroid"])
    def test_leftovers_join_the_cluster_of_their_nearest_point(self, method):
        Z = chamfer.linkage(X, method)
        for height in np.quantile(Z[:, 2], [0.5, 0.8, 0.9, 0.95, 1]):
            labels = chamfer.cut(Z, height=height)
            for least in (2, 4, 10):
                found = chamfer.cut(Z, height=height, min_size=least, X=X)
                np.testing.assert_array_equal(found, naive_cut(Z, labels, least, X))

    def test_distances_can_be_given(self):
        wanted = chamfer.cut(Z, 3, min_size=5, X=X)
        assert (wanted >= 0).all()
        np.testing.assert_array_equal(chamfer.cut(Z, 3, min_size=5, X=pdist(X)), wanted)
        np.testing.assert_array_equal(chamfer.cut(Z, 3, min_size=5, X=cdist(X, X), metric="precomputed"), wanted)

    def test_sparse_points(self):
        points = csr_array(np.where(X > 1, X, 0.0))
        Z = chamfer.linkage(points, "average")
        for leftovers in ("nearest", "centre"):
            wanted = chamfer.cut(Z, 3, min_size=5, X=points.toarray(), leftovers=leftovers)
            np.testing.assert_array_equal(chamfer.cut(Z, 3, min_size=5, X=points, leftovers=leftovers), wanted)
        assert "separation" in chamfer.choose(Z, points).curves
        with pytest.raises(ValueError, match="X must hold points as rows, dense and in memory"):
            chamfer.summarize(Z, points, 3)
        with pytest.raises(ValueError, match="X must hold points as rows, dense and in memory"):
            chamfer.support(points)

    def test_the_metric_decides_what_is_nearest(self):
        points = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 2.0], [9.0, 1.0]])
        Z = np.array([[0, 1, 1, 2], [2, 3, 1, 2], [5, 6, 2, 4], [4, 7, 3, 5]], dtype=float)
        assert chamfer.cut(Z, 2, min_size=2, X=points, metric="cosine")[4] == 0
        assert chamfer.cut(Z, 2, min_size=2, X=points * [[1, 5]], metric="chebyshev")[4] == 0

    def test_noise_by_choice(self):
        labels = chamfer.cut(Z, 3, min_size=5, X=X, leftovers="noise")
        np.testing.assert_array_equal(labels, chamfer.cut(Z, 3, min_size=5))

    def test_a_share_of_the_mean_size(self):
        np.testing.assert_array_equal(chamfer.cut(Z, 3, min_size=0.3), chamfer.cut(Z, 3, min_size=6))  # 5.7 points
        np.testing.assert_array_equal(chamfer.cut(Z, [2, 3], min_size="auto"), chamfer.cut(Z, [2, 3], min_size=0.05))

    def test_no_cluster_is_large(self):
        assert (chamfer.cut(Z, height=0, min_size=2, X=X) == -1).all()
        assert (chamfer.cut(Z, height=np.inf, min_size=100) == -1).all()

    def test_all_clusters_are_large(self):
        np.testing.assert_array_equal(chamfer.cut(Z, 3, min_size=2, X=X), chamfer.cut(Z, 3))


class TestLimits:
    @pytest.mark.parametrize("leftovers", ["nearest", "centre"])
    @pytest.mark.parametrize("seed", range(4))
    def test_it_is_the_loop_that_users_write(self, seed, leftovers):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 3)) * rng.choice([0.3, 1.0, 3.0], size=(150, 1))
        Z = chamfer.linkage(X, "average")
        most = 0
        for height in np.quantile(Z[:, 2], [0.2, 0.6, 0.9, 0.98]):
            for k in range(1, 9):
                options = {"height": height, "min_size": 4, "min_clusters": k, "max_clusters": k, "X": X}
                try:
                    labels = chamfer.cut(Z, **options, leftovers=leftovers)
                except ValueError as error:
                    assert f"min_clusters must be at most {most}," in str(error)  # noqa: PT017
                    continue
                most = max(most, k)
                assert labels.max() == k - 1
                np.testing.assert_array_equal(labels, large_clusters_by_loop(Z, X, k, 4, height, leftovers))
        assert most > 2

    @every_tree
    @every_order
    def test_without_min_size_the_number_is_moved_into_the_limits(self, Z, order):
        n = len(Z) + 1
        low, high = min(3, n), min(7, n)
        for height in [-1.0, 0.0, *np.quantile(Z[:, 2], [0.3, 0.7, 0.9]), np.inf]:
            k = np.clip(chamfer.cut(Z, height=height, order=order).max() + 1, low, high)
            found = chamfer.cut(Z, height=height, order=order, min_clusters=low, max_clusters=high)
            np.testing.assert_array_equal(found, chamfer.cut(Z, k, order=order))

    def test_an_infinite_height_is_nearest_to_the_highest_merges(self):
        for k in (2, 3):
            found = chamfer.cut(Z, height=np.inf, min_size=3, min_clusters=k)
            near = chamfer.cut(Z, height=Z[-1, 2], min_size=3, min_clusters=k)
            np.testing.assert_array_equal(found, near)

    def test_as_many_clusters_as_points(self):
        np.testing.assert_array_equal(chamfer.cut(Z, height=1, min_clusters=len(X)), np.arange(len(X)))


class TestMaxSize:
    @every_tree
    @pytest.mark.parametrize("most", [1, 3, 11])
    def test_larger_clusters_are_split_and_no_others(self, Z, most):
        tree = Dendrogram(Z)
        sizes = np.concatenate([np.ones(tree.n_points), Z[:, 3]])
        for k in (1, 2):
            coarse, fine = chamfer.cut(Z, k), chamfer.cut(Z, k, max_size=most)
            assert np.bincount(fine).max() <= most
            for cluster in range(k):
                members = np.flatnonzero(coarse == cluster)
                if len(members) <= most:
                    assert len(set(fine[members])) == 1
        found = chamfer.cut(Z, max_size=most)
        # Of any merge too large for a cluster, the two parts are apart; of any other, together.
        member = list(range(tree.n_points))
        for i, (a, b) in enumerate(tree.children):
            member.append(member[a])
            assert (found[member[a]] == found[member[b]]) == (sizes[tree.n_points + i] <= most)

    def test_parts_that_are_too_small_are_leftovers(self):
        labels = chamfer.cut(Z, max_size=20, min_size=5)
        sizes = np.bincount(labels[labels >= 0])
        assert sizes.min() >= 5
        assert sizes.max() <= 20
        assert (labels == -1).any()


class TestSeveral:
    @every_order
    def test_columns_are_the_cuts(self, order):
        numbers = [5, 1, 57, 5]
        found = chamfer.cut(Z, numbers, order=order)
        assert found.shape == (57, 4)
        assert found.dtype == np.int64
        for column, k in zip(found.T, numbers, strict=True):
            np.testing.assert_array_equal(column, chamfer.cut(Z, k, order=order))
        heights = np.quantile(Z[:, 2], [0.1, 0.9])
        found = chamfer.cut(Z, height=heights, order=order, min_size=3, X=X)
        for column, height in zip(found.T, heights, strict=True):
            np.testing.assert_array_equal(column, chamfer.cut(Z, height=height, order=order, min_size=3, X=X))

    @pytest.mark.parametrize("numbers", [[2, 3], (2, 3), range(2, 4), np.array([2, 3]), iter([2, 3])])
    def test_sequences_of_any_kind(self, numbers):
        assert chamfer.cut(Z, numbers).shape == (57, 2)

    def test_none_at_all(self):
        assert chamfer.cut(Z, []).shape == (57, 0)

    def test_an_error_names_the_one_that_is_wrong(self):
        with pytest.raises(ValueError, match=r"n_clusters\[1\] must be between 1 and 57, got 99"):
            chamfer.cut(Z, [2, 99])
        with pytest.raises(TypeError, match=r"height\[0\] must be a number, got None"):
            chamfer.cut(Z, height=[None])


class TestAuto:
    def test_it_is_the_number_that_choose_suggests(self):
        for order in ORDERS:
            k = chamfer.choose(Z, X, order=order).n_clusters
            np.testing.assert_array_equal(chamfer.cut(Z, "auto", X=X, order=order), chamfer.cut(Z, k, order=order))
        by_heights = chamfer.choose(Z).n_clusters
        np.testing.assert_array_equal(chamfer.cut(Z, "auto"), chamfer.cut(Z, by_heights))

    @pytest.mark.parametrize("min_size", [2, 4, 0.1, "auto"])
    def test_with_outliers_the_large_clusters_are_counted(self, min_size):
        outliers = 60 * np.random.default_rng(0).uniform(-1, 1, size=(6, 2))
        points = np.concatenate([gaussian(seed, 40, 2) + 15 * seed for seed in range(3)] + [outliers])
        Z = chamfer.linkage(points, "average")
        labels = chamfer.cut(Z, "auto", min_size=min_size, X=points, leftovers="noise")
        assert labels.max() + 1 == 3
        assert (labels[:120] >= 0).all()
        np.testing.assert_array_equal(labels, chamfer.cut(Z, 3, min_size=min_size))

    def test_only_numbers_of_large_clusters_that_exist(self):
        for least in (2, 10, 25, 57):
            labels = chamfer.cut(Z, "auto", min_size=least, X=X)
            assert np.bincount(labels).min() >= least
        with pytest.raises(ValueError, match="n_clusters must be at most 1, the most clusters of at least min_size=40"):
            chamfer.cut(Z, "auto", min_size=40, min_clusters=2)

    def test_limits(self):
        np.testing.assert_array_equal(chamfer.cut(Z, "auto", X=X, min_clusters=5, max_clusters=5), chamfer.cut(Z, 5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_size": 2}, "exactly one of n_clusters and height, or max_size alone"),
        ({"n_clusters": 2, "height": 1.0, "max_size": 3}, "exactly one of n_clusters and height"),
        ({"n_clusters": 2, "min_clusters": 1}, "limit the number at a height, or that of"),
        ({"height": 1.0, "min_clusters": 58}, "min_clusters must be between 1 and 57, got 58"),
        ({"height": 1.0, "min_clusters": 5, "max_clusters": 4}, "max_clusters must be at least 5, got 4"),
        ({"n_clusters": 2, "min_size": 0}, "min_size must be at least 1, got 0"),
        ({"n_clusters": 2, "min_size": 1.5}, "min_size must be an integer of at least 1 or a share between 0 and 1"),
        ({"n_clusters": 2, "min_size": "most"}, "min_size must be one of auto, got 'most'"),
        ({"height": 1.0, "min_size": 0.5}, "min_size must be an integer unless n_clusters is given"),
        ({"n_clusters": "most"}, "n_clusters must be one of auto, got 'most'"),
        ({"n_clusters": 2, "max_size": 0}, "max_size must be at least 1, got 0"),
        ({"n_clusters": 2, "leftovers": "nearest"}, "leftovers='nearest' needs X"),
        ({"n_clusters": 2, "leftovers": "drop"}, "leftovers must be one of nearest, centre, noise"),
        ({"n_clusters": 2, "leftovers": "centre", "X": pdist(X)}, "needs X to hold points as rows, got distances"),
        ({"n_clusters": 2, "min_size": 2, "X": X[:9]}, "X must hold the 57 points of Z, got 9"),
    ],
)
def test_errors_name_the_argument(options, message):
    with pytest.raises(ValueError, match=message):
        chamfer.cut(Z, **options)


def test_numbers_by_first_appearance():
    np.testing.assert_array_equal(by_first_appearance(np.array([7, -1, 3, 7, 0, -1])), [0, -1, 1, 0, 2, -1])
    np.testing.assert_array_equal(by_first_appearance(np.array([1, 0])), [0, 1])
    assert set(ORDERS) == {"merge", "least", "cumulative"}
