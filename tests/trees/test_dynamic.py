"""The Dynamic Hybrid cut: an example worked by hand, and the description of the paper with sets of points."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs

import chamfer
from cases import gaussian
from chamfer.trees.dynamic import SCATTERS
from forest import TREES, every_tree
from marks import slow


def described(Z, D, min_size, deep_split, height=None, leftovers="mean"):
    """Branches as sets that grow, merge by merge, in the words of the paper; sets of points, -1 for noise."""
    n = len(Z) + 1
    Z = chamfer.monotone(Z, "max")
    low = Z[max(1, round(0.05 * (n - 1))) - 1, 2]
    top = low + 0.99 * (Z[-1, 2] - low) if height is None else height
    most, gap = low + SCATTERS[deep_split] * (top - low), 0.75 * (1 - SCATTERS[deep_split]) * (top - low)
    first = {int(part): row[2] for row in Z for part in row[:2] if part < n}

    def is_cluster(points, at):
        if len(points) < min_size:
            return False
        base = min_size / 2 + 1
        size = int(base + np.sqrt(len(points) - base)) if len(points) > base else len(points)
        core = sorted(points, key=lambda point: (first[point], point))[:size]
        scatter = np.mean([D[p, q] for p in core for q in core if p != q])
        return scatter <= most and at - scatter >= gap

    branches = {point: {"points": {point}, "clusters": None} for point in range(n)}
    for i, (a, b, at, _) in enumerate(Z):
        if at > top:
            break
        parts = [branches.pop(int(each)) for each in (a, b)]
        basic = [part for part in parts if part["clusters"] is None]
        good = [part["points"] for part in basic if is_cluster(part["points"], at)]
        clusters = None
        if len(basic) == 2 and len(good) == 2:
            clusters = good
        elif len(basic) < 2:
            clusters = [each for part in parts for each in part["clusters"] or []] + good
        branches[n + i] = {"points": parts[0]["points"] | parts[1]["points"], "clusters": clusters}
    found = []
    for branch in branches.values():
        own = branch["clusters"]
        if own is None:
            own = [branch["points"]] if is_cluster(branch["points"], top) else []
        members = [set(points) for points in own]
        for point in sorted(branch["points"] - set().union(*members)) if leftovers == "mean" else []:
            means = [np.mean([D[point, q] for q in points]) for points in own]
            if own:
                at = int(np.argmin(means))
                radius = max(np.mean([D[p, q] for q in own[at] if q != p]) for p in own[at])
                if means[at] <= max(radius, top):
                    members[at].add(point)
        found += members
    labels = np.full(n, -1)
    for number, points in enumerate(sorted(found, key=min)):
        labels[list(points)] = number
    return labels


def test_an_example_by_hand():
    # Average linkage. Three points within 1, four within 3, one between, one far away.
    X = np.array([[0.0], [0.4], [1.0], [10.0], [11.0], [12.0], [13.0], [5.0], [40.0]])
    Z = chamfer.linkage(X, "average")
    # 0 and 1, with 2; 3 and 4, 5 and 6, both; 7 with the first three; these two branches; and point 8.
    np.testing.assert_allclose(Z[:, 2], [0.4, 0.8, 1, 1, 2, 4.533, 9.9, 33.45], atol=0.001)
    # The 5th percentile is the lowest, 0.4. Branches are cut at 0.4 + 0.99 (33.45 - 0.4) = 33.12, 32.72 above it. Cores
    # have 2.5 + sqrt(N - 2.5) points, rounded down: 3 of 4. Of the left branch these are 0, 1 and 2, with mean distance
    # 0.67 and so a gap of 9.9 - 0.67 = 9.23; of the right branch 3, 4 and 5, mean distance 1.33, gap 8.57.
    # With s = 0.91 the gap must be at least 0.75 * 0.09 * 32.72 = 2.21, and both are clusters. Point 8 is cut off.
    assert chamfer.dynamic_cut(Z, X, min_size=3, deep_split=3).tolist() == [0, 0, 0, 1, 1, 1, 1, 0, -1]
    # With s = 0.64 it must be at least 0.75 * 0.36 * 32.72 = 8.83: the right branch fails, and both are one.
    assert chamfer.dynamic_cut(Z, X, min_size=3, deep_split=0).tolist() == [0, 0, 0, 0, 0, 0, 0, 0, -1]


def test_leftovers_by_hand():
    # Two clusters join at 10, and point 6 joins them at 15.5, below the cut. It is at a mean distance of 10.5 from the
    # second and 20.5 from the first. Point 7 is a branch of its own.
    X = np.array([[0.0], [0.5], [1.0], [10.0], [10.5], [11.0], [21.0], [60.0]])
    Z = chamfer.linkage(X, "average")
    options = {"min_size": 3, "deep_split": 4, "height": 20.0}
    assert chamfer.dynamic_cut(Z, X, **options, leftovers="noise").tolist() == [0, 0, 0, 1, 1, 1, -1, -1]
    assert chamfer.dynamic_cut(Z, X, **options).tolist() == [0, 0, 0, 1, 1, 1, 1, -1]


@every_tree
@pytest.mark.parametrize("deep_split", [2, *slow(0, 1, 3, 4)])
def test_it_is_what_the_paper_describes(Z, deep_split):
    n = len(Z) + 1
    D = squareform(pdist(gaussian(n, n, 2))) * Z[:, 2].mean()
    for min_size in (2, 3, 5):
        for height in (None, np.quantile(Z[:, 2], 0.9)):
            for leftovers in ("mean", "noise"):
                options = {"height": height, "leftovers": leftovers}
                found = chamfer.dynamic_cut(Z, D, min_size, deep_split=deep_split, metric="precomputed", **options)
                np.testing.assert_array_equal(found, described(Z, D, min_size, deep_split, **options))


@pytest.mark.parametrize("method", ["average", "complete"])
@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3, 4, 5)])
def test_blobs_by_the_description(method, seed):
    X, _ = make_blobs(120, centers=5, cluster_std=[0.3, 0.5, 1.0, 1.5, 0.4], random_state=seed)
    Z, D = chamfer.linkage(X, method), squareform(pdist(X))
    numbers = set()
    for deep_split in range(5):
        found = chamfer.dynamic_cut(Z, X, 8, deep_split=deep_split)
        np.testing.assert_array_equal(found, described(Z, D, 8, deep_split))
        numbers.add(found.max() + 1)
    assert len(numbers) > 1


def test_points_and_distances_agree_at_every_scale():
    X, _ = make_blobs(90, centers=3, random_state=1)
    Z = chamfer.linkage(X, "average")
    wanted = chamfer.dynamic_cut(Z, X, 10)
    assert wanted.max() > 0
    np.testing.assert_array_equal(chamfer.dynamic_cut(Z, pdist(X), 10), wanted)
    Z[:, 2] = np.ldexp(Z[:, 2], 300)
    np.testing.assert_array_equal(chamfer.dynamic_cut(Z, np.ldexp(X, 300), 10), wanted)


def test_few_and_equal_points():
    assert chamfer.dynamic_cut(np.empty((0, 4)), [[1.0]]).tolist() == [-1]
    assert chamfer.dynamic_cut(chamfer.linkage(np.zeros((9, 2))), np.zeros((9, 2)), 3).tolist() == [0] * 9
    assert len(TREES) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X": np.zeros((4, 2))}, "X must hold the 40 points of Z, got 4"),
        ({"min_size": 1}, "min_size must be at least 2, got 1"),
        ({"deep_split": 5}, "deep_split must be between 0 and 4, got 5"),
        ({"leftovers": "nearest"}, "leftovers must be one of mean, noise, got 'nearest'"),
    ],
)
def test_errors_name_the_argument(options, message):
    X = gaussian(0, 40, 2)
    with pytest.raises(ValueError, match=message):
        chamfer.dynamic_cut(chamfer.linkage(X, "average"), **{"X": X, **options})
