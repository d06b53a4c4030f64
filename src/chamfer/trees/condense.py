"""Local cuts: clusters that are cut at different heights, as HDBSCAN selects them, from any tree.

A split counts if both of its parts have at least `min_size` points. Smaller parts fall off: their points leave the
cluster, which goes on. What remains is the condensed tree: clusters, each born at the split that made it, and points,
each leaving its cluster at some height. Heights are those that never fall towards the root. The density at height h is
λ = 1 / h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer
from chamfer.trees.cuts import NOISE, by_first_appearance
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import merge_heights

SELECTIONS = ("mass", "leaf")


@dataclass(frozen=True, eq=False)
class LocalCut:
    """Clusters of different heights, with noise.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Labels from 0, numbered by first appearance; -1 is noise.
    strengths : ndarray of shape (n,)
        How firmly each point belongs to its cluster: its λ as a share of the largest in the cluster; 0 for noise.
    clusters : ndarray
        The clusters of the condensed tree that were selected, by label.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [140.0]], "single")
    >>> chamfer.condense(Z, min_size=3).select().labels
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    labels: Array
    strengths: Array
    clusters: Array


@dataclass(frozen=True, eq=False)
class CondensedTree:
    """A tree without splits that only cut off few points; `chamfer.condense` makes it.

    Attributes
    ----------
    min_size : int
        Fewest points of a cluster.
    parent : ndarray of shape (n_clusters,)
        Cluster that each cluster is a part of; -1 for cluster 0, which holds all points. Parents come before children.
    size : ndarray of shape (n_clusters,)
        Points of each cluster.
    birth : ndarray of shape (n_clusters,)
        λ of the split that made each cluster; 0 for cluster 0.
    stability : ndarray of shape (n_clusters,)
        Sum over the points of a cluster of λ where they leave it, or where it is split, minus λ at its birth.
    cluster_of : ndarray of shape (n,)
        The cluster that each point leaves.
    leaving : ndarray of shape (n,)
        λ where it does.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [140.0]], "single")
    >>> tree = chamfer.condense(Z, min_size=3)
    >>> tree.parent, tree.size
    (array([-1,  0,  0]), array([7, 3, 3]))
    """

    min_size: int
    parent: Array
    size: Array
    birth: Array
    stability: Array
    cluster_of: Array
    leaving: Array

    def __len__(self) -> int:
        return len(self.parent)

    def select(self, method: str = "mass", *, allow_single: bool = False) -> LocalCut:
        """Select clusters that do not overlap.

        Parameters
        ----------
        method : {"mass", "leaf"}, default="mass"
            Excess of mass: a cluster is preferred to those within it if its stability is at least the sum of theirs.
            Or the leaves: all clusters that are not split any more.
        allow_single : bool, default=False
            Whether all points may be one cluster.

        Returns
        -------
        LocalCut
            With the attributes `labels`, `strengths` and `clusters`.
        """
        check_choice("method", method, SELECTIONS)
        chosen = self._leaf() if method == "leaf" else self._mass(allow_single)
        if not allow_single and len(self) > 1:
            chosen[0] = False
        elif not allow_single:
            chosen[:] = False
        return self._cut(chosen)

    def strengths_of(self, labels: Array) -> Array:
        """How firmly each point belongs to its cluster of any labels: λ where it leaves, as a share of the largest."""
        inside = labels != NOISE
        largest = np.zeros(int(labels.max(initial=NOISE)) + 1)
        np.maximum.at(largest, labels[inside], self.leaving[inside])
        strengths = np.zeros(len(labels))
        strengths[inside] = _shares(self.leaving[inside], largest[labels[inside]])
        return strengths

    def _leaf(self) -> Array:
        chosen = np.ones(len(self), dtype=bool)
        chosen[self.parent[1:]] = False
        return chosen

    def _mass(self, allow_single: bool) -> Array:
        """Clusters whose stability is not below that of the best selection within them, and that are in no other."""
        best, within = self.stability.copy(), np.zeros(len(self))
        chosen = np.ones(len(self), dtype=bool)
        for cluster in range(len(self) - 1, -1, -1):  # children come after their parents
            if within[cluster] > best[cluster] or (cluster == 0 and not allow_single):
                chosen[cluster], best[cluster] = False, within[cluster]
            if cluster:
                within[self.parent[cluster]] += best[cluster]
        taken = np.zeros(len(self), dtype=bool)
        for cluster in range(1, len(self)):
            above = self.parent[cluster]
            taken[cluster] = taken[above] or chosen[above]
        return chosen & ~taken

    def _cut(self, chosen: Array) -> LocalCut:
        """Labels and strengths of the points, of the clusters that were chosen."""
        own = np.where(chosen, np.arange(len(self)), NOISE)
        for each in range(1, len(self)):
            if own[each] == NOISE:
                own[each] = own[self.parent[each]]
        cluster = own[self.cluster_of]
        labels = by_first_appearance(cluster)
        inside = np.asarray(cluster != NOISE)
        clusters = np.zeros(int(labels.max(initial=NOISE)) + 1, dtype=np.int64)
        clusters[labels[inside]] = cluster[inside]
        return LocalCut(labels, self._strengths(cluster, inside), clusters)

    def _strengths(self, cluster: Array, inside: Array) -> Array:
        largest = np.zeros(len(self))  # λ at which the last points leave a cluster, or it is split
        np.maximum.at(largest, self.cluster_of, self.leaving)
        np.maximum.at(largest, self.parent[1:], self.birth[1:])
        strengths = np.zeros(len(cluster))
        strengths[inside] = _shares(self.leaving[inside], largest[cluster[inside]])
        return strengths


def _shares(leaving: Array, most: Array) -> Array:
    """λ as shares of the largest; points that never leave belong firmly."""
    firm = (most == 0) | ~np.isfinite(leaving)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(firm, 1.0, np.minimum(leaving, most) / most)


def condense(Z: Any, min_size: int = 5, *, heights: str = "max") -> CondensedTree:
    """Leave out the splits of a tree that only cut off few points, and measure how long its clusters last.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    min_size : int, default=5
        Fewest points of a cluster, at least 2.
    heights : {"max", "cumulative"}, default="max"
        Heights that never fall towards the root, see `monotone`.

    Returns
    -------
    CondensedTree
        Its method `select` gives labels.

    Notes
    -----
    On the tree by single linkage of mutual reachability distances, ``condense(Z, m).select()`` has the clusters of
    HDBSCAN. Other linkages work as well; those that make clusters of even sizes have few points of noise. O(n) time.

    Examples
    --------
    >>> import chamfer
    >>> X = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [140.0]]
    >>> found = chamfer.condense(chamfer.linkage(X, "single"), min_size=3).select()
    >>> found.labels
    array([ 0,  0,  0,  1,  1,  1, -1])
    >>> found.strengths
    array([1., 1., 1., 1., 1., 1., 0.])
    """
    tree = Dendrogram(Z).whole()
    least = min(check_integer("min_size", min_size, 2), tree.n_points + 1)
    check_choice("heights", heights, ("max", "cumulative"))
    with np.errstate(divide="ignore", over="ignore"):
        density = 1 / _raised(merge_heights(tree, heights))
    parent, split, cluster_of, left = (np.asarray(each) for each in _core.condense(tree.Z, min_size=least))
    births = np.concatenate([[0.0], density[split]])
    leaving = np.where(left >= 0, density[left], 0.0) if len(density) else np.zeros(1)
    return _measured(min_size, parent.view(np.int64), births, cluster_of.view(np.int64), leaving)


def _raised(heights: Array) -> Array:
    """Heights in another unit if all are so low that sums of densities may overflow."""
    finite = heights[np.isfinite(heights)]
    exponent = np.frexp(finite.max())[1] if finite.size else 0
    return np.ldexp(heights, -exponent) if exponent < -500 else heights


def _measured(min_size: int, parent: Array, birth: Array, cluster_of: Array, leaving: Array) -> CondensedTree:
    """Add sizes and stabilities to the clusters of a condensed tree."""
    size = np.bincount(cluster_of, minlength=len(parent))
    for cluster in range(len(parent) - 1, 0, -1):
        size[parent[cluster]] += size[cluster]
    # Equal points, and those very much closer than others, are born and leave at an infinite density.
    with np.errstate(invalid="ignore", over="ignore"):
        lasted = np.nan_to_num(leaving - birth[cluster_of], posinf=np.inf)
        stability = np.bincount(cluster_of, weights=lasted, minlength=len(parent))
        above = parent[1:]
        np.add.at(stability, above, np.nan_to_num(birth[1:] - birth[above], posinf=np.inf) * size[1:])
    return CondensedTree(min_size, parent, size, birth, stability, cluster_of, leaving)
