"""The result of clustering: a dendrogram, its orders, and its monotone forms.

A dendrogram is kept as SciPy's ``Z``, with rows in the order in which the merges happened. Chamfer's heights (as those
of centroid linkage) may fall from a merge to a later one, so an *order* says which merges a cut applies first:

``merge``
    the order in which the algorithm merged;
``least``
    always the lowest merge whose two clusters are there already;
``cumulative``
    the same for cumulative heights, each the sum of all heights in its subtree.

The last two sort merges by the largest, or the summed, height of their subtree, and keep equal ones in merge order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from chamfer import _core
from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer, check_number

ORDERS = ("merge", "least", "cumulative")


@dataclass(frozen=True, eq=False, repr=False)
class Dendrogram:
    """A rooted binary tree over n points, each inner node a merge.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        SciPy's linkage matrix. Row ``i`` merges clusters ``Z[i, 0]`` and ``Z[i, 1]`` at height ``Z[i, 2]`` into cluster
        ``n + i`` of ``Z[i, 3]`` points; clusters below ``n`` are the points.

    Notes
    -----
    What always holds:

    1. there are n - 1 merges, and cluster ``n + i`` is made by merge ``i``;
    2. a merge joins two different clusters made before it;
    3. every cluster but the last is joined exactly once;
    4. heights are at least 0, and need not grow from merge to merge; infinite ones come last and join the trees of a
       forest, so that it has n - 1 rows too;
    5. sizes are the numbers of points;
    6. the array is read-only float64.

    Examples
    --------
    >>> import chamfer
    >>> tree = chamfer.Dendrogram([[0, 1, 1.0, 2], [2, 3, 4.0, 3]])
    >>> tree
    Dendrogram: 3 points, heights 1 to 4, 2 merges deep
    >>> tree.n_points, tree.height
    (3, 2)
    >>> tree.cut(n_clusters=2)
    array([0, 0, 1])
    """

    Z: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "Z", _check_tree(self.Z))

    def __repr__(self) -> str:
        points = f"{self.n_points:,} point{'' if self.n_points == 1 else 's'}"
        if not len(self.Z):
            return f"Dendrogram: {points}"
        deep = f"{self.height:,} merge{'' if self.height == 1 else 's'} deep"
        if self.n_trees > 1:
            return f"Dendrogram: {points} in {self.n_trees:,} trees, {deep}"
        return f"Dendrogram: {points}, heights {self.heights.min():.4g} to {self.heights.max():.4g}, {deep}"

    def _repr_svg_(self) -> str:
        return self.sketch()

    def sketch(self, n_clusters: int | None = None, *, order: str = "merge") -> str:
        """Draw a small SVG, with the clusters of a cut in colour if `n_clusters` is given.

        Parameters
        ----------
        n_clusters : int, optional
            Number of clusters to colour.
        order : {"merge", "least", "cumulative"}, default="merge"
            Order of the cut.

        Returns
        -------
        str
            The picture, of at most 60 leaves, or of as many as there are clusters up to 300.
        """
        from chamfer.trees.sketch import LEAVES, sketch

        shown = min(self.n_points, max(LEAVES, self.n_trees, min(n_clusters or 0, 300)))
        collapsed = self.applied(shown, order=order)
        if n_clusters is None:
            return sketch(self, collapsed)
        applied = self.applied(n_clusters, order=order)
        return sketch(self, collapsed, applied, self.labels(applied))

    @property
    def n_points(self) -> int:
        """Number of points, the leaves."""
        return len(self.Z) + 1

    @property
    def children(self) -> Array:
        """The two clusters of each merge, as integers of shape (n - 1, 2)."""
        return np.asarray(self.Z[:, :2].astype(np.int64))

    @property
    def heights(self) -> Array:
        """Height of each merge."""
        return np.asarray(self.Z[:, 2])

    @property
    def n_trees(self) -> int:
        """One more than the merges of infinite height, which no cut applies."""
        return 1 + int(np.isinf(self.heights).sum())

    def whole(self) -> Dendrogram:
        """The dendrogram itself, if it is no forest."""
        if self.n_trees > 1:
            raise ValueError(
                f"Z must be one tree here, got a forest of {self.n_trees} trees; replace its infinite heights, for "
                "example by twice the largest finite one"
            )
        return self

    @property
    def height(self) -> int:
        """Edges on the longest way from the root to a point."""
        return int(_core.tree_height(self.Z)) if len(self.Z) else 0

    def sequence(self, order: str = "merge", *, argument: str = "order") -> tuple[Array, Array]:
        """Merges in the given order, and the heights by which they are ordered.

        Errors call the order what the caller's `argument` is called.
        """
        check_choice("order", order, ORDERS)
        if order == "merge":
            return np.arange(len(self.Z)), self.heights
        heights = _core.monotone_heights(self.Z, cumulative=order == "cumulative")
        if np.isinf(heights).sum() >= self.n_trees:
            _refuse_overflow(heights, argument)
        # Equal heights keep the order of merges, so children stay before their parents.
        merges = np.argsort(heights, kind="stable")
        return merges, heights[merges]

    def cut(self, n_clusters: int | None = None, *, height: float | None = None, order: str = "merge") -> Array:
        """Labels of the points; see `chamfer.cut`."""
        return self.labels(self.applied(n_clusters, height=height, order=order))

    def applied(self, n_clusters: int | None = None, *, height: float | None = None, order: str = "merge") -> Array:
        """Mask of the merges below a cut."""
        if (n_clusters is None) == (height is None):
            raise ValueError("give exactly one of n_clusters and height")
        merges, heights = self.sequence(order)
        if n_clusters is not None:
            count = self.n_points - self.check_number("n_clusters", n_clusters)
        else:
            count = merges_up_to(heights, check_number("height", height))
        return self.first(merges, count)

    def check_number(self, name: str, n_clusters: object) -> int:
        """A number of clusters into which the tree can be cut."""
        number = check_integer(name, n_clusters, 1, self.n_points)
        if number < self.n_trees:
            raise ValueError(
                f"{name} must be at least {self.n_trees}, the number of trees that only infinity joins, got {number}"
            )
        return number

    def first(self, merges: Array, count: int) -> Array:
        """Mask of the first `count` of the merges in a sequence."""
        applied = np.zeros(len(self.Z), dtype=bool)
        applied[merges[:count]] = True
        return applied

    def labels(self, applied: Array) -> Array:
        """Labels of the points when a mask of merges is applied; with every merge, those below it must be."""
        # The core's 64-bit integer is another type to NumPy than its own, and shows as such.
        return np.asarray(_core.label_points(self.Z, applied=applied).view(np.int64))

    def monotone(self, kind: str = "cumulative") -> Dendrogram:
        """Give the same tree with heights that never fall towards the root; see `chamfer.monotone`."""
        check_choice("kind", kind, ("cumulative", "max"))
        merges, heights = self.sequence("cumulative" if kind == "cumulative" else "least", argument="kind")
        n = self.n_points
        renamed = np.arange(2 * n - 1)
        renamed[n + merges] = n + np.arange(n - 1)
        Z = self.Z[merges]
        Z[:, :2] = np.sort(renamed[Z[:, :2].astype(np.int64)], axis=1)
        Z[:, 2] = heights
        return Dendrogram(Z)


def is_one_tree(Z: Array) -> bool:
    """Whether Z, a tree or a forest, is a tree: infinite heights come last."""
    return len(Z) == 0 or bool(Z[-1, 2] < np.inf)


def cut_in_merge_order(Z: Array, n_clusters: int) -> Array:
    """Labels of the points of a tree that needs no check, its first merges applied."""
    labels = np.empty(len(Z) + 1, dtype=np.int64)
    _core.cut(Z, n_clusters=n_clusters, labels=labels)
    return labels


def merges_up_to(heights: Array, height: float) -> int:
    """Count the merges of a sequence before the first that is higher than `height`."""
    too_high = (heights > height) | np.isinf(heights)  # the trees of a forest are never joined
    return int(np.argmax(too_high)) if too_high.any() else len(heights)


def monotone(Z: Any, kind: str = "cumulative") -> Array:
    """Give a dendrogram heights that never fall towards the root.

    SciPy's ``fcluster``, ``dendrogram``, ``cut_tree`` and ``cophenet`` rely on such heights and quietly go wrong
    without them.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`.
    kind : {"cumulative", "max"}, default="cumulative"
        A merge's new height is the sum of all heights in its subtree, or the largest of them.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        The same tree, its merges sorted by the new heights.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.monotone([[0, 1, 3.0, 2], [2, 3, 2.0, 3]], kind="max")
    array([[0., 1., 3., 2.],
           [2., 3., 3., 3.]])
    """
    return np.array(Dendrogram(Z).monotone(kind).Z)


def tree_height(Z: Any) -> int:
    """Count the edges on the longest way from the root to a point.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.tree_height(chamfer.linkage([[0.0], [1.0], [5.0], [6.5]]))
    2
    """
    return Dendrogram(Z).height


def _check_tree(Z: Any) -> Array:
    """Z as a read-only array, or an error that names the merge that is wrong."""
    try:
        given = np.asarray(Z)
    except ValueError as error:
        raise ValueError(f"Z must have shape (n - 1, 4): {error}") from error
    if given.dtype.kind not in "iuf":
        raise TypeError(f"Z must hold real numbers, got {given.dtype}")
    with np.errstate(over="ignore"):  # a longer float may become infinite here, which is refused below
        tree = np.array(given, dtype=np.float64, order="C")
    if tree.ndim != 2 or tree.shape[1] != 4:
        raise ValueError(f"Z must have shape (n - 1, 4), got {tree.shape}")
    if not _core.is_tree(tree):
        _explain(tree)
    tree.flags.writeable = False
    return tree


def _explain(tree: Array) -> NoReturn:
    """Say what is wrong with a tree, and name the merge."""
    if np.isnan(tree).any() or np.isinf(tree[:, [0, 1, 3]]).any():
        raise ValueError("Z must be finite")
    n = len(tree) + 1
    clusters = tree[:, :2]
    made_before = n + np.arange(n - 1)[:, None]
    _refuse(np.any(clusters != np.floor(clusters), axis=1), "does not join whole-numbered clusters")
    _refuse(np.any((clusters < 0) | (clusters >= made_before), axis=1), "joins a cluster not made before it")
    children = clusters.astype(np.int64)
    times_joined = np.bincount(children.ravel(), minlength=2 * n - 1)
    _refuse(np.any(times_joined[children] > 1, axis=1), "joins a cluster twice")
    _refuse(tree[:, 2] < 0, "has a negative height")
    endless = np.isinf(tree[:, 2])
    _refuse(np.append(False, endless[:-1] & ~endless[1:]), "follows one of infinite height")
    sizes = np.concatenate([np.ones(n), tree[:, 3]])
    _refuse(sizes[children].sum(axis=1) != tree[:, 3], "does not have the size of its clusters")
    raise AssertionError("the core and this function differ on what a tree is")


def _refuse(wrong: Array, what: str) -> None:
    if wrong.any():
        raise ValueError(f"Z is not a dendrogram: merge {int(np.argmax(wrong))} {what}")


def _refuse_overflow(heights: Array, argument: str) -> None:
    """Refuse sums of heights that are infinite: they have no order, and no file format has a number for them."""
    if not np.isfinite(heights).all():
        merge = int(np.argmin(np.isfinite(heights)))
        most = np.finfo(np.float64).max
        raise ValueError(
            f"{argument}='cumulative': the sum of the heights below merge {merge} is larger than the largest number, "
            f"{most:.2g}; divide the heights Z[:, 2] by a constant first"
        )
