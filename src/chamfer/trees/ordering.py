"""`order_leaves`: branches turned so that adjacent leaves are close."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Metric, Points
from chamfer.inputs import check_input
from chamfer.progress import Progress
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.leaves import leaves

_OPTIMAL = 200  # points, up to which the best of all orders is found
_SWEEPS = 8  # at most: later ones change next to nothing


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
    if isinstance(data, Points) and (not data.in_core or data.remote):
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
    return with_second_first(tree, np.asarray(left) == 1)


def with_second_first(tree: Dendrogram, swapped: Array) -> Array:
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
    return with_second_first(tree, OptimalOrder(tree, squareform(values.astype(np.float64))).swapped())
