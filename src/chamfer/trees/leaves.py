"""Questions about leaves: the points of every cluster, when points come together, and flat clusters as SciPy's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer, check_number
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import HEIGHTS, merge_heights

CRITERIA = ("inconsistent", "distance", "maxclust", "monocrit", "maxclust_monocrit")


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
