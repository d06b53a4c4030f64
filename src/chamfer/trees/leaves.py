"""Questions about leaves: the points of every cluster, when points come together, and an order to draw them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Metric, Points
from chamfer.inputs import check_choice, check_input, check_integer, check_number
from chamfer.progress import Progress
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import HEIGHTS, merge_heights

CRITERIA = ("inconsistent", "distance", "maxclust", "monocrit", "maxclust_monocrit")
_OPTIMAL = 200  # points, up to which the best of all orders is found
_SWEEPS = 8  # at most: later ones change next to nothing


@dataclass(frozen=True, eq=False)
class Leaves:
    """The points of every cluster of a tree, as parts of one array.

    Attributes
    ----------
    order : ndarray of shape (n,)
        All points in the order of the tree.
    first, size : ndarray of shape (2 n - 1,)
        The points of cluster c are ``order[first[c] : first[c] + size[c]]``, which is also ``leaves[c]``.

    Examples
    --------
    >>> import chamfer
    >>> leaves = chamfer.leaves([[0, 2, 1.0, 2], [1, 3, 4.0, 3]])
    >>> leaves[3], leaves[4]
    (array([0, 2]), array([1, 0, 2]))
    """

    order: Array
    first: Array
    size: Array

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, cluster: int) -> Array:
        check_integer("cluster", cluster, 0, len(self) - 1)
        return self.order[self.first[cluster] : self.first[cluster] + self.size[cluster]]


def leaves(Z: Any) -> Leaves:
    """Give the points of every cluster of a tree, in O(n) time and memory.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.

    Returns
    -------
    Leaves
        ``leaves[n + i]`` are the points of the cluster that merge i makes. They are views of one array.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> leaves = chamfer.leaves(Z)
    >>> [leaves[cluster].tolist() for cluster in range(4, 7)]
    [[0, 1], [2, 3], [0, 1, 2, 3]]
    """
    tree = Dendrogram(Z)
    first, size = (np.asarray(each.view(np.int64)) for each in _core.leaf_places(tree.Z))
    order = np.empty(tree.n_points, dtype=np.int64)
    order[first[: tree.n_points]] = np.arange(tree.n_points)
    return Leaves(order, first, size)


def cophenet(Z: Any, pairs: Any = None, *, heights: str = "max") -> Array:
    """Give the height at which pairs of points come together.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    pairs : array-like of shape (m, 2), optional
        Numbers of points. By default all pairs, in SciPy's condensed order.
    heights : {"max", "own", "cumulative"}, default="max"
        The largest height in the smallest cluster that holds both points; the height of the merge that made this
        cluster; or the sum of all heights in it. The first two are the same where heights do not fall.

    Returns
    -------
    ndarray of shape (m,)
        Heights, 0 for a point and itself.

    Notes
    -----
    Each pair takes constant time, after O(n log n) for the tree. SciPy's function computes all pairs.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> chamfer.cophenet(Z, [[0, 1], [1, 3]])
    array([1., 9.])
    >>> chamfer.cophenet(Z)
    array([1. , 9. , 9. , 9. , 9. , 1.5])
    """
    tree = Dendrogram(Z)
    check_choice("heights", heights, HEIGHTS)
    first, second = _check_pairs(pairs, tree.n_points)
    merges = np.asarray(_core.common_merges(tree.Z, first=first, second=second))
    level = np.append(merge_heights(tree, heights), 0.0)  # the last is for merge -1: a point and itself
    return np.asarray(level[merges])


def _check_pairs(pairs: Any, n: int) -> tuple[Array, Array]:
    if pairs is None:
        first, second = np.triu_indices(n, 1)
        return first.astype(np.int64), second.astype(np.int64)
    given = np.asarray(pairs)
    if given.ndim != 2 or given.shape[1] != 2 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"pairs must be integers of shape (m, 2), got {given.dtype} of shape {given.shape}")
    if given.size and (given.min() < 0 or given.max() >= n):
        raise ValueError(f"pairs must be points between 0 and {n - 1}, got {given.min()} to {given.max()}")
    first, second = given.astype(np.int64).T
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def fcluster(
    Z: Any, t: float, criterion: str = "inconsistent", depth: int = 2, R: Any = None, monocrit: Any = None
) -> Array:
    """Flat clusters with the arguments and labels of SciPy's ``fcluster``, for trees whose heights may fall too.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    t : float
        Threshold, or for ``"maxclust"`` the number of clusters.
    criterion : {"inconsistent", "distance", "maxclust", "monocrit", "maxclust_monocrit"}, default="inconsistent"
        As in SciPy. A cluster of ``"distance"`` holds no merge higher than `t`, wherever in its subtree.
    depth, R, monocrit
        As in SciPy.

    Returns
    -------
    ndarray of shape (n,)
        Labels from 1, numbered as SciPy numbers them.

    Notes
    -----
    The results are SciPy's, with one exception: ``"maxclust"`` gives exactly `t` clusters, or n if that is fewer. Where
    heights tie or fall, SciPy gives fewer, since it never separates merges of equal height.

    `cut` has orders for heights that fall, limits of sizes, and labels from 0.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> chamfer.fcluster(Z, 2, criterion="maxclust")
    array([1, 1, 2, 2], dtype=int32)
    >>> chamfer.fcluster(Z, 1.2, criterion="distance")
    array([1, 1, 2, 3], dtype=int32)
    """
    from scipy.cluster import hierarchy

    tree = Dendrogram(Z)
    check_choice("criterion", criterion, CRITERIA)
    if not len(tree.Z):
        return np.ones(1, dtype=np.int32)
    if criterion != "maxclust":
        return np.asarray(hierarchy.fcluster(tree.Z, t, criterion, depth, R, monocrit))
    count = int(min(max(check_number("t", t, 1), 1), tree.n_points))
    if count == tree.n_points:
        return np.arange(1, count + 1, dtype=np.int32)  # SciPy numbers single points so
    apart = ~tree.applied(count, order="least")
    return np.asarray(hierarchy.fcluster(tree.Z, 0.5, "monocrit", monocrit=apart.astype(np.float64)))


def order_leaves(Z: Any, X: Any, metric: Metric = "euclidean", *, progress: bool = False) -> Array:
    """Turn the branches of a tree so that adjacent leaves are close, for dendrograms and heat maps.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    X : array-like
        The points, as passed to `linkage`, or their distances.
    metric : str or callable, default="euclidean"
        Of `X`. For more than 200 points one of ``"euclidean"``, ``"sqeuclidean"`` and ``"cosine"``, or distances.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        The same tree. The first cluster of each merge is drawn before the second.

    Notes
    -----
    Up to 200 points, the order has the smallest sum of distances between adjacent leaves that any turning of branches
    gives. (SciPy's ``optimal_leaf_ordering`` does not always find it.) Beyond, a good order is found in O(n d) time:
    branches are joined at their closest ends from the leaves up (Gruvaeus and Wainer, 1972), and then turned in sweeps
    from left to right as long as that shortens the sum.

    Examples
    --------
    >>> import chamfer
    >>> X = [[0.0], [1.0], [5.0], [3.0]]
    >>> Z = chamfer.linkage(X, "single")
    >>> chamfer.leaves(Z).order
    array([2, 3, 0, 1])
    >>> chamfer.leaves(chamfer.order_leaves(Z, X)).order
    array([2, 3, 1, 0])
    """
    tree = Dendrogram(Z)
    data = check_input(X, metric)
    if data.n != tree.n_points:
        raise ValueError(f"X must hold the {tree.n_points} points of Z, got {data.n}")
    if data.n <= _OPTIMAL:
        return _optimal(tree, data)
    if isinstance(data, Points) and (data.metric not in FAST_METRICS or data.remote):
        raise ValueError(
            f"metric must be one of {', '.join(FAST_METRICS)} for more than {_OPTIMAL} points, or X their distances, "
            f"got {metric!r}"
        )
    with Progress(progress).stage("leaf order", data.n, "merges") as tick:
        return turned(tree, data, tick)


def turned(tree: Dendrogram, data: Any, tick: Any = None) -> Array:
    """The tree with branches turned by the core."""
    if isinstance(data, Points):
        left = _core.turns(tree.Z, data.X, metric=data.core_metric, sweeps=_SWEEPS, tick=tick)
    else:
        left = _core.condensed_turns(tree.Z, data.values, sweeps=_SWEEPS, tick=tick)
    return _with_second_first(tree, np.asarray(left) == 1)


def _with_second_first(tree: Dendrogram, swapped: Array) -> Array:
    """The tree with the two clusters of some merges swapped."""
    Z = np.array(tree.Z)
    Z[swapped, :2] = Z[swapped, 1::-1]
    return Z


class OptimalOrder:
    """The order of leaves with the smallest sum of distances between adjacent ones (Bar-Joseph and others, 2001).

    ``cost[l, r]`` is the smallest sum in the smallest cluster that holds l and r, with l at one end and r at the other.
    Every pair has one such cluster, so one matrix serves all. Of two branches a and b with ends l and r, the leaves m
    and k where they meet minimize cost[l, m] + distance[m, k] + cost[k, r]. O(n³) time.
    """

    def __init__(self, tree: Dendrogram, distances: Array) -> None:
        self.tree, self.distances = tree, distances
        self.leaves = leaves(tree.Z)
        self.cost = np.zeros_like(distances)
        for a, b in tree.children.tolist():
            at_a, at_b = self.leaves[a], self.leaves[b]
            to_b = _least_sums(self._within(a), distances[np.ix_(at_a, at_b)])
            sums = _least_sums(to_b, self._within(b))
            self.cost[np.ix_(at_a, at_b)] = sums
            self.cost[np.ix_(at_b, at_a)] = sums.T

    def _within(self, cluster: int) -> Array:
        """Costs between the leaves of a cluster; infinite where both are in the same branch of it."""
        n, points = self.tree.n_points, self.leaves[cluster]
        costs = np.full((len(points), len(points)), np.inf)
        if cluster < n:
            costs[0, 0] = 0.0
            return costs
        split = int(self.leaves.size[self.tree.children[cluster - n, 0]])
        block = self.cost[np.ix_(points[:split], points[split:])]
        costs[:split, split:], costs[split:, :split] = block, block.T
        return costs

    def swapped(self) -> Array:
        """Mask of the merges whose second cluster comes first."""
        n = self.tree.n_points
        swapped = np.zeros(n - 1, dtype=bool)
        whole = self._within(2 * n - 2)
        first, last = np.unravel_index(np.argmin(whole), whole.shape)
        order = self.leaves[2 * n - 2]
        visits = [(2 * n - 2, int(order[first]), int(order[last]))]
        while visits:
            cluster, left, right = visits.pop()
            if cluster < n:
                continue
            a, b = (int(each) for each in self.tree.children[cluster - n])
            if left not in self.leaves[a]:
                a, b = b, a
                swapped[cluster - n] = True
            m, k = self._meeting(a, b, left, right)
            visits += [(a, left, m), (b, k, right)]
        return swapped

    def _meeting(self, a: int, b: int, left: int, right: int) -> tuple[int, int]:
        """The leaves at which branch a, from `left` on, and branch b, up to `right`, meet."""
        at_a, at_b = self.leaves[a], self.leaves[b]
        from_left = self._within(a)[np.flatnonzero(at_a == left)[0]]
        to_right = self._within(b)[:, np.flatnonzero(at_b == right)[0]]
        sums = from_left[:, None] + self.distances[np.ix_(at_a, at_b)] + to_right
        m, k = np.unravel_index(np.argmin(sums), sums.shape)
        return int(at_a[m]), int(at_b[k])


def _least_sums(first: Array, second: Array) -> Array:
    """The smallest ``first[i, j] + second[j, k]`` over j, for all i and k."""
    return np.array([(row[:, None] + second).min(axis=0) for row in first])


def _optimal(tree: Dendrogram, data: Any) -> Array:
    from scipy.spatial.distance import squareform

    from chamfer.distances import pairwise

    if tree.n_points < 3:
        return np.array(tree.Z)
    values = pairwise.condensed(data, 1) if isinstance(data, Points) else data.values
    return _with_second_first(tree, OptimalOrder(tree, squareform(values.astype(np.float64))).swapped())
