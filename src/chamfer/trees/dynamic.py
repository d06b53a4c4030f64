"""`dynamic_cut`: branches cut by their shape, as in the Dynamic Hybrid cut of Langfelder, Zhang and Horvath (2008).

Merges are visited from the lowest on. A branch is *basic* as long as it is one cluster at most, and *composite* once it
holds several. A basic branch that meets another one stands the test for a cluster: enough points, a tight core, and a
gap between the scatter of the core and the height at which the branch joins the other. Two branches that both pass
become two clusters of a composite branch. Otherwise the one that fails is absorbed: by a basic branch as a part of it,
by a composite branch as points of no cluster. So every cluster is the whole of a subtree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from chamfer._types import Array, Condensed, Metric, Points
from chamfer.distances.rows import RowDistances, check_distances, whole_data_options
from chamfer.inputs import check_choice, check_input, check_integer, check_number
from chamfer.progress import Progress
from chamfer.trees.cuts import NOISE, by_first_appearance
from chamfer.trees.dendrogram import Dendrogram, merges_up_to
from chamfer.trees.leaves import leaves

SCATTERS = (0.64, 0.73, 0.82, 0.91, 0.95)  # largest scatter of a core, by `deep_split`: the values of its authors
_LOW = 0.05  # of the merges are below what counts as the lowest height
_HIGH = 0.99  # of the way from the lowest height to the highest: where branches are cut by default
_ROWS = 256  # of distances in memory at a time


def dynamic_cut(
    Z: Any,
    X: Any,
    min_size: int = 20,
    *,
    deep_split: int = 1,
    height: float | None = None,
    metric: Metric = "euclidean",
    leftovers: str = "mean",
    progress: bool = False,
) -> Array:
    """Cut each branch of a dendrogram where its shape suggests it (Dynamic Hybrid tree cut).

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy. Its heights must be distances: use ``average``, ``complete``,
        ``single``, ``chamfer_normalized`` and the like.
    X : array-like
        The points, as passed to `linkage`, or their distances.
    min_size : int, default=20
        Fewest points of a cluster, at least 2.
    deep_split : int, default=1
        From 0 to 4: the larger, the looser a core may be and the smaller a gap, so the more and smaller clusters.
    height : float, optional
        Branches are not joined above this height; by default 99% of the way from the 5th percentile of heights to the
        highest.
    metric : str or callable, default="euclidean"
        Of `X`, as in `linkage`.
    leftovers : {"mean", "noise"}, default="mean"
        What becomes of points that are in no cluster: each joins the cluster of its branch to whose points it is
        nearest in the mean, unless that is farther than both `height` and the radius of the cluster; or all get the
        label -1.
    progress : bool, default=False
        Show a progress bar of the search for the nearest clusters.

    Returns
    -------
    ndarray of shape (n,)
        Labels from 0, numbered by first appearance; -1 is noise.

    Notes
    -----
    With h the height up to which branches are joined and l the 5th percentile of heights, a branch of N points is a
    cluster if

    - N >= `min_size`;
    - the scatter of its core, the mean distance between its points, is at most l + s (h - l), with s = 0.64, 0.73,
      0.82, 0.91 or 0.95 for `deep_split` from 0 to 4;
    - the gap between that scatter and the height at which the branch joins another is at least 3/4 (1 - s) (h - l).

    The core has m + sqrt(N - m) points, rounded down, with m = min_size / 2 + 1: those that were merged at the lowest
    heights. The radius of a cluster is the largest mean distance of one of its points to the others. Heights that fall
    are raised to the highest below them, as by ``monotone(Z, "max")``.

    The clusters take about O(n log n) time, leftovers O(n²).

    References
    ----------
    P. Langfelder, B. Zhang, S. Horvath, Defining clusters from a hierarchical cluster tree: the Dynamic Tree Cut
    package for R, Bioinformatics 24 (2008), 719-720.

    Examples
    --------
    A tight cluster and a loose one, which no single height separates from the points around them:

    >>> import chamfer
    >>> X = [[x / 10] for x in range(6)] + [[5.0 + x] for x in range(6)] + [[30.0]]
    >>> Z = chamfer.linkage(X, "average")
    >>> chamfer.dynamic_cut(Z, X, min_size=4)
    array([ 0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  1, -1])
    """
    tree = Dendrogram(Z)
    data = check_input(X, metric)
    if data.n != tree.n_points:
        raise ValueError(f"X must hold the {tree.n_points} points of Z, got {data.n}")
    if data.remote:
        raise ValueError("X must be here, not on a cluster")
    check_integer("min_size", min_size, 2)
    check_integer("deep_split", deep_split, 0, len(SCATTERS) - 1)
    check_choice("leftovers", leftovers, ("mean", "noise"))
    top = None if height is None else check_number("height", height)
    branches = _Branches(tree, _Distances(data), min_size, SCATTERS[deep_split], top)
    labels = branches.labels()
    if leftovers == "mean":
        labels = branches.assign(labels, Progress(progress))
    return by_first_appearance(labels)


class _Distances:
    """Distances between some points and others, in the user's unit."""

    def __init__(self, data: Points | Condensed) -> None:
        self._data = data
        if isinstance(data, Points):
            self._options = whole_data_options(data.X, data.metric)

    def between(self, some: Array, others: Array) -> Array:
        """A row for each of `some`."""
        data = self._data
        if isinstance(data, Points):
            rows = RowDistances(replace(data, X=data.X[others]), self._options).between(data.X[some])
            check_distances(rows, data.metric, np.float64, data.n)
            return np.asarray(np.ldexp(rows, data.height_exponent))
        low, high = np.minimum(some[:, None], others), np.maximum(some[:, None], others)
        place = low * data.n - low * (low + 1) // 2 + high - low - 1
        same = low == high
        return np.where(same, 0.0, data.values[np.where(same, 0, place)].astype(np.float64))


class _Branches:
    """The branches of a tree below a height, and which of them are clusters."""

    def __init__(
        self, tree: Dendrogram, distances: _Distances, min_size: int, most_scatter: float, top: float | None
    ) -> None:
        self.tree, self.distances, self.min_size = tree, distances, min_size
        self.leaves = leaves(tree.Z)
        merges, heights = tree.sequence("least")
        low = float(heights[max(1, round(_LOW * len(heights))) - 1]) if len(heights) else 0.0
        self.top = low + _HIGH * (float(heights.max(initial=low)) - low) if top is None else top
        span = max(self.top - low, 0.0)
        self.most_scatter, self.least_gap = low + most_scatter * span, 0.75 * (1 - most_scatter) * span
        self.joined = tree.first(merges, merges_up_to(heights, self.top))
        self.level = np.empty(len(heights))
        self.level[merges] = heights
        # A point was first merged at the height of its parent; lower ones are nearer to the core.
        first = np.full(tree.n_points, np.inf)
        own = tree.children < tree.n_points
        first[tree.children[own]] = np.repeat(self.level, own.sum(axis=1))
        self.rank = np.empty(tree.n_points, dtype=np.int64)
        self.rank[np.argsort(first, kind="stable")] = np.arange(tree.n_points)

    def core(self, branch: int) -> Array:
        """The points of a branch that were merged first."""
        points = self.leaves[branch]
        base = self.min_size / 2 + 1
        count = int(base + np.sqrt(len(points) - base)) if base < len(points) else len(points)
        return np.asarray(points[np.argsort(self.rank[points])[:count]])

    def passes(self, branch: int, height: float) -> bool:
        """Whether a branch that joins another at a height is a cluster."""
        if self.leaves.size[branch] < self.min_size:
            return False
        core = self.core(branch)
        sums = [self.distances.between(core[at : at + _ROWS], core).sum() for at in range(0, len(core), _ROWS)]
        scatter = sum(sums) / (len(core) * (len(core) - 1))
        return bool(scatter <= self.most_scatter and height - scatter >= self.least_gap)

    def clusters(self) -> list[int]:
        """The branches that are clusters."""
        n = self.tree.n_points
        composite = [False] * (2 * n - 1)
        highest = np.concatenate([np.ones(n, dtype=bool), self.joined])  # branches that are not joined to others
        highest[self.tree.children[self.joined]] = False
        found: list[int] = []
        merges = np.flatnonzero(self.joined)
        for merge, parts in zip(merges.tolist(), self.tree.children[merges].tolist(), strict=True):
            basic = [part for part in parts if not composite[part]]
            # Most branches are too small, so the sizes of both are looked at first.
            large = all(self.leaves.size[part] >= self.min_size for part in basic)
            passed = [part for part in basic if large and self.passes(part, float(self.level[merge]))]
            if len(basic) < 2 or len(passed) == 2:
                found += passed
                composite[n + merge] = True
        tops = np.flatnonzero(highest).tolist()
        return found + [top for top in tops if not composite[top] and self.passes(top, self.top)]

    def labels(self) -> Array:
        """The cluster of each point, or noise."""
        labels = np.full(self.tree.n_points, NOISE)
        for number, cluster in enumerate(self.clusters()):
            labels[self.leaves[cluster]] = number
        return labels

    def assign(self, labels: Array, progress: Progress) -> Array:
        """Give points of no cluster to the nearest cluster of their branch, unless that is too far."""
        count = int(labels.max(initial=NOISE)) + 1
        left = np.flatnonzero(labels == NOISE)
        if not count or not len(left):
            return labels
        members = [np.flatnonzero(labels == cluster) for cluster in range(count)]
        branch = self.tree.labels(self.joined)
        home = branch[[points[0] for points in members]]
        result = np.array(labels)
        with progress.stage("leftovers", self.tree.n_points, "points") as tick:
            radius, done = np.zeros(count), 0
            for cluster, points in enumerate(members):
                sums = self._sums(points, points)
                radius[cluster] = sums.max() / max(len(points) - 1, 1)
                done += len(points)
                if tick is not None:
                    tick(done)
            for at in range(0, len(left), _ROWS):
                some = left[at : at + _ROWS]
                mean = np.column_stack([self._sums(some, points) / len(points) for points in members])
                mean[branch[some][:, None] != home] = np.inf
                nearest = mean.argmin(axis=1)
                near = mean[np.arange(len(some)), nearest] <= np.maximum(radius, self.top)[nearest]
                result[some[near]] = nearest[near]
                if tick is not None:
                    tick(done + at + len(some))
        return result

    def _sums(self, some: Array, others: Array) -> Array:
        """Sums of the distances from each of some points to the others."""
        starts = range(0, len(some), _ROWS)
        sums = [self.distances.between(some[at : at + _ROWS], others).sum(axis=1) for at in starts]
        return np.asarray(np.concatenate(sums))
