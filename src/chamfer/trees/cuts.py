"""`cut`: from a dendrogram to labels, with limits on the number and the sizes of clusters.

A cut along an order applies the first merges of a sequence. How many clusters of at least `min_size` points there are
after each merge is a running sum over the sequence: a merge of two large clusters takes one away, a merge of two small
ones into a large one adds one. So all cuts are compared in one pass, whatever the limits.

From no merge to all of them, that number changes by at most one at a time. Every number between 1 and the largest is
therefore met.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from chamfer._types import Array, Metric, Points
from chamfer.inputs import check_choice, check_input, check_integer, check_number, is_integer
from chamfer.threads import check_threads
from chamfer.trees.choose import Choice, check_range, choose
from chamfer.trees.dendrogram import Dendrogram, merges_up_to

LEFTOVERS = ("nearest", "centre", "noise")
NOISE = -1
ROBUST_SHARE = 0.05  # of the mean size: what ``min_size="auto"`` takes for a crumb


def cut(
    Z: Any,
    n_clusters: Any = None,
    *,
    height: Any = None,
    order: str = "merge",
    min_size: int | float | str = 1,
    max_size: int | None = None,
    min_clusters: int | None = None,
    max_clusters: int | None = None,
    X: Any = None,
    metric: Metric = "euclidean",
    leftovers: str | None = None,
) -> Array:
    """Cut a dendrogram into clusters.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    n_clusters : int, sequence of int or "auto", optional
        Number of clusters, between 1 and n; several numbers for several cuts. ``"auto"`` takes the number that `choose`
        suggests: pass `X`, or only the heights of the tree are known. With `min_size`, the curve by which `choose`
        decides is compared at the cuts with 1, 2, … such clusters.
    height : float or sequence of float, optional
        Apply merges, in the given order, up to the first that is higher than this. Several heights for several cuts.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first: those made first; always the lowest whose clusters exist; or the same by cumulative
        heights, the sum of all heights in a merge's subtree (`height` is compared with these then).
    min_size : int, float or "auto", default=1
        Only clusters of at least so many points count. `n_clusters` asks for so many of them, and the cut with the
        fewest leftovers is taken. A float below 1 is a share of the mean size n / n_clusters; ``"auto"`` is 0.05.
    max_size : int, optional
        Clusters of more points are split along the tree until none is left; there may be more than `n_clusters` then.
        Given alone, it makes the largest clusters of at most this size.
    min_clusters, max_clusters : int, optional
        Limits for ``n_clusters="auto"``, and for a cut at a height. If the number of clusters of at least `min_size`
        points at that height is outside, the cut that meets the limit and whose last large merge is nearest to
        `height` is taken.
    X : array-like, optional
        The points, as passed to `linkage`, or their distances. Needed if leftovers join a large cluster,
        and used by ``"auto"``.
    metric : str or callable, default="euclidean"
        Of `X`, as in `linkage`.
    leftovers : {"nearest", "centre", "noise"}, optional
        What becomes of clusters below `min_size`. Each of their points joins the large cluster of its nearest point;
        each small cluster joins the large one with the nearest mean; or they get the label -1. By default
        ``"nearest"`` if `X` is given, otherwise ``"noise"``.

    Returns
    -------
    ndarray of shape (n,) or (n, n_cuts)
        Labels from 0, numbered in the order in which clusters first appear among the points; -1 is noise. Several cuts
        are the columns of a matrix, as in SciPy's ``cut_tree``.

    Examples
    --------
    >>> import chamfer
    >>> X = [[0.0], [1.0], [5.0], [6.5], [20.0]]
    >>> Z = chamfer.linkage(X)
    >>> chamfer.cut(Z, n_clusters=2)
    array([0, 0, 0, 0, 1])
    >>> chamfer.cut(Z, height=1.2)
    array([0, 0, 1, 2, 3])

    Several cuts at once:

    >>> chamfer.cut(Z, [2, 3])
    array([[0, 0],
           [0, 0],
           [0, 1],
           [0, 1],
           [1, 2]])

    Two clusters of at least two points; the fifth point is noise, or joins the nearest of them:

    >>> chamfer.cut(Z, n_clusters=2, min_size=2)
    array([ 0,  0,  1,  1, -1])
    >>> chamfer.cut(Z, n_clusters=2, min_size=2, X=X)
    array([0, 0, 1, 1, 1])

    As many clusters as `choose` suggests:

    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(300, centers=4, cluster_std=0.5, random_state=1)
    >>> len(set(chamfer.cut(chamfer.linkage(X), "auto", X=X)))
    4
    """
    tree = Dendrogram(Z)
    if (n_clusters is not None and height is not None) or n_clusters is height is max_size is None:
        raise ValueError("give exactly one of n_clusters and height, or max_size alone")
    path = _Path(tree, order)
    if isinstance(n_clusters, str):
        check_choice("n_clusters", n_clusters, ("auto",))
        choice = choose(tree.Z, X, metric=metric, order=order, min_clusters=min_clusters, max_clusters=max_clusters)
        n_clusters = path.best(choice, min_size, min_clusters, max_clusters)
        min_clusters = max_clusters = None
    limits = _Limits.check(tree.n_points, height, min_clusters, max_clusters)
    largest = tree.n_points if max_size is None else check_integer("max_size", max_size, 1)
    others = _Leftovers(leftovers, X, metric, tree.n_points)
    several = [each for each in (n_clusters, height) if _is_several(each)]
    columns = []
    for count, least in path.counts(n_clusters, height, min_size, limits):
        applied = tree.first(path.merges, count) & (path.made <= largest)
        columns.append(others.place(tree.labels(applied), least))
    return np.array(columns, dtype=np.int64).reshape(-1, tree.n_points).T if several else columns[0]


def number_of_large(Z: Any, choice: Choice, min_size: int) -> int:
    """The number of clusters of at least `min_size` points that is best by the curve that decided a choice."""
    return _Path(Dendrogram(Z), choice.order).best(choice, min_size, None, None)


@dataclass(frozen=True)
class _Limits:
    """The least and the largest number of clusters."""

    least: int
    most: int

    @classmethod
    def check(cls, n: int, height: object, least: object, most: object) -> _Limits:
        if height is None and (least is not None or most is not None):
            raise ValueError(
                "min_clusters and max_clusters limit the number at a height, or that of n_clusters='auto'; give either"
            )
        low = 0 if least is None else check_integer("min_clusters", least, 1, n)
        high = n if most is None else check_integer("max_clusters", most, max(low, 1))
        return cls(low, high)


class _Path:
    """The merges along an order, and how many clusters of some size there are after each."""

    def __init__(self, tree: Dendrogram, order: str) -> None:
        self.tree = tree
        merges, heights = tree.sequence(order)
        possible = tree.n_points - tree.n_trees  # the trees of a forest are never joined
        self.merges, self.heights = merges[:possible], heights[:possible]
        self.made = tree.Z[:, 3]  # points of the cluster that each merge makes

    def counts(self, n_clusters: Any, height: Any, min_size: Any, limits: _Limits) -> list[tuple[int, int]]:
        """How many merges to apply, and how many points a cluster needs, for each cut that is asked for."""
        n = self.tree.n_points
        if n_clusters is not None:
            numbers = [self.tree.check_number(name, each) for name, each in _each("n_clusters", n_clusters)]
            sizes = [_check_min_size(min_size, n, number) for number in numbers]
            return [(self._for_number(k, size), size) for k, size in zip(numbers, sizes, strict=True)]
        least = _check_min_size(min_size, n, None)
        if height is None:
            return [(len(self.merges), least)]
        heights = [check_number(name, each) for name, each in _each("height", height)]
        large = self.large_after(least)
        return [(self._for_height(each, least, limits, large), least) for each in heights]

    def best(self, choice: Choice, min_size: Any, least: int | None, most: int | None) -> int:
        """The number of large clusters whose cut is best by the curve that decides."""
        if is_integer(min_size) and min_size <= 1:
            return choice.n_clusters
        n = self.tree.n_points
        curve = choice.curves[choice.criterion]
        known = np.where(np.isfinite(curve), curve, -np.inf)
        low, high = check_range(n, least, most)
        values = {}
        for k in range(low, high + 1):
            large = self.large_after(_check_min_size(min_size, n, k))
            if large.max() < k:
                break
            values[k] = known[n - 1 - int(np.flatnonzero(large == k)[-1])]
        return max(values, key=lambda k: values[k], default=low)  # none fits: the cut says so

    def large_after(self, least: int) -> Array:
        """Count the clusters of at least `least` points after 0, 1, … n - 1 merges."""
        n = self.tree.n_points
        sizes = np.concatenate([np.ones(n), self.made])
        parts = sizes[self.tree.children[self.merges]]
        gained = (self.made[self.merges] >= least).astype(np.int64) - (parts >= least).sum(axis=1)
        return np.cumsum(np.concatenate([[n if least <= 1 else 0], gained]))

    def _for_number(self, n_clusters: int, least: int) -> int:
        """The last cut into so many large clusters: the tree itself has placed as many small ones as it can."""
        if least <= 1:
            return self.tree.n_points - n_clusters
        large = self.large_after(least)
        found = np.flatnonzero(large == n_clusters)
        if not len(found):
            raise _too_many("n_clusters", n_clusters, least, large)
        return int(found[-1])

    def _for_height(self, height: float, least: int, limits: _Limits, large: Array) -> int:
        """The cut at a height, or the nearest to it with a number of large clusters within the limits."""
        count = merges_up_to(self.heights, height)
        wanted = min(max(int(large[count]), limits.least), limits.most)
        if large[count] == wanted:
            return count
        # Merges of small clusters do not change the large ones, so they are no cuts of their own.
        found = 1 + np.flatnonzero((large[1:] == wanted) & (self.made[self.merges] >= least))
        if len(found):
            near = np.clip(height, self.heights.min(), self.heights.max())  # infinitely far from all is near the ends
            return int(found[np.argmin(np.abs(self.heights[found - 1] - near))])
        if large[0] == wanted:
            return 0
        raise _too_many("min_clusters", wanted, least, large)


def _too_many(name: str, wanted: int, least: int, large: Array) -> ValueError:
    return ValueError(
        f"{name} must be at most {large.max()}, the most clusters of at least min_size={least} points along this "
        f"order, got {wanted}"
    )


def _is_several(value: Any) -> bool:
    """Whether a user gave a sequence of values."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) == 1


def _each(name: str, value: Any) -> list[tuple[str, Any]]:
    """The values of an argument, each with the name that errors call it by."""
    if not _is_several(value):
        return [(name, value)]
    return [(f"{name}[{i}]", each) for i, each in enumerate(value)]


def _check_min_size(value: Any, n: int, n_clusters: int | None) -> int:
    """The fewest points of a cluster, from a number, a share of the mean size, or "auto"."""
    if is_integer(value):
        return check_integer("min_size", value, 1)
    if isinstance(value, str):
        check_choice("min_size", value, ("auto",))
    share = ROBUST_SHARE if isinstance(value, str) else check_number("min_size", value, 0)
    if not 0 < share < 1:
        raise ValueError(f"min_size must be an integer of at least 1 or a share between 0 and 1, got {value}")
    if n_clusters is None:
        raise ValueError(f"min_size must be an integer unless n_clusters is given, got {value!r}")
    return max(1, math.ceil(share * n / n_clusters))


class _Leftovers:
    """What becomes of the points of small clusters."""

    def __init__(self, kind: str | None, X: Any, metric: Metric, n: int) -> None:
        chosen = ("noise" if X is None else "nearest") if kind is None else kind
        self._kind = check_choice("leftovers", chosen, LEFTOVERS)
        if self._kind == "noise":
            return
        if X is None:
            raise ValueError(f"leftovers={self._kind!r} needs X, the points")
        self._data = check_input(X, metric)
        if self._data.n != n:
            raise ValueError(f"X must hold the {n} points of Z, got {self._data.n}")
        if self._kind == "centre" and not isinstance(self._data, Points):
            raise ValueError("leftovers='centre' needs X to hold points as rows, got distances: they have no means")

    def place(self, labels: Array, least: int) -> Array:
        """Give the points of clusters below `least` points another label."""
        small = np.bincount(labels) < least
        if not small.any():
            return labels
        numbers = np.where(small, NOISE, np.cumsum(~small) - 1)  # keeps the order of first appearance
        if self._kind == "noise" or small.all():
            return numbers[labels]
        if self._kind == "centre":
            numbers[small] = numbers[~small][self._nearest_centres(labels, small)]
            return by_first_appearance(numbers[labels])
        kept = numbers[labels]
        left = np.flatnonzero(kept == NOISE)
        kept[left] = self._nearest_clusters(kept, left)
        return by_first_appearance(kept)

    def _nearest_clusters(self, labels: Array, points: Array) -> Array:
        """For each of the noise points, the label of the nearest point that has one."""
        from chamfer.sources.make import make_source  # other cuts need not wait for it

        threads = check_threads(None)
        # Noise is one cluster to the source, which leaves out a point's own.
        shared = np.where(labels == NOISE, labels.max() + 1, labels).astype(np.int32)
        source = make_source("auto", self._data, 1, threads)
        return np.asarray(source.nearest(points.astype(np.int32), shared, 1, threads).clusters[:, 0])

    def _nearest_centres(self, labels: Array, small: Array) -> Array:
        """For each small cluster, the position among the large ones of that with the nearest mean."""
        assert isinstance(self._data, Points)
        members = csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1))).T
        sums = members @ self._data.X
        centres = (sums.toarray() if self._data.sparse else sums) / np.bincount(labels)[:, None]
        return np.asarray(cdist(centres[small], centres[~small], self._data.metric).argmin(axis=1))


def by_first_appearance(labels: Array) -> Array:
    """The same clusters, numbered from 0 in the order of their first points; noise stays."""
    found, first = np.unique(labels, return_index=True)
    first = np.where(found == NOISE, -1, first)
    rank = np.empty(len(found), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(found)) - (NOISE in found)
    return rank[np.searchsorted(found, labels)]
