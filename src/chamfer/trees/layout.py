"""Where the parts of a dendrogram go in a picture.

Every shown leaf takes one place along the leaf axis, every shown merge stands midway between the two
clusters it joins. Merges are numbered after the clusters they join, so one loop upwards and one downwards
over the merges replace any recursion: a chain of 100,000 merges is as easy as a balanced tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice

HEIGHTS = ("own", "max", "cumulative")
_COLUMNS = 4096  # lines of a large tree are drawn on a grid of so many places
_ROWS = 32768  # and heights


class Tree(Protocol):
    """What is needed of a `Dendrogram`, which draws itself and so must not be imported here."""

    @property
    def n_points(self) -> int:
        """Number of points."""

    @property
    def children(self) -> Array:
        """The two clusters of each merge."""

    @property
    def heights(self) -> Array:
        """Height of each merge."""

    def sequence(self, order: str = "merge", *, argument: str = "order") -> tuple[Array, Array]:
        """Merges in an order, and their heights."""


@dataclass(frozen=True)
class Layout:
    """Places of the shown clusters.

    What always holds:

    1. `leaves` holds the clusters at the lower ends of the picture, from first place to last;
    2. `merges` holds the shown merges, lower numbers first; there is one fewer than leaves;
    3. `place[c]` is the place of cluster ``c``, from 0, and nan if it is not shown.
    """

    leaves: Array
    merges: Array
    place: Array


def merge_heights(tree: Tree, heights: str = "own") -> Array:
    """Height at which each merge is drawn."""
    check_choice("heights", heights, HEIGHTS)
    if heights == "own":
        return tree.heights
    merges, ordered = tree.sequence("least" if heights == "max" else "cumulative", argument="heights")
    result = np.empty_like(ordered)
    result[merges] = ordered
    return result


def arrange(tree: Tree, collapsed: Array | None = None) -> Layout:
    """Places of all clusters, without the merges in the mask `collapsed`, whose clusters become leaves."""
    n = tree.n_points
    shown = np.arange(n - 1) if collapsed is None else np.flatnonzero(~collapsed)
    joined = tree.children[shown].tolist()
    made = (n + shown).tolist()
    # Plain lists: single elements of them are several times faster than those of arrays.
    width = [1] * (2 * n - 1)
    for cluster, (a, b) in zip(made, joined, strict=True):
        width[cluster] = width[a] + width[b]
    start = [-1] * (2 * n - 1)
    start[-1] = 0
    for cluster, (a, b) in zip(reversed(made), reversed(joined), strict=True):
        start[a] = start[cluster]
        start[b] = start[cluster] + width[a]
    place = [float(each) if each >= 0 else np.nan for each in start]
    for cluster, (a, b) in zip(made, joined, strict=True):
        place[cluster] = (place[a] + place[b]) / 2
    starts = np.array(start)
    starts[made] = -1  # what remains are leaves
    leaves = np.flatnonzero(starts >= 0)
    return Layout(leaves[np.argsort(starts[leaves])], shown, np.array(place))


def brackets(tree: Tree, layout: Layout, heights: Array) -> Array:
    """Give each shown merge four corners (place, height): first cluster, ends of the bar, second cluster."""
    n = tree.n_points
    level = np.concatenate([np.zeros(n), heights])
    first, second = tree.children[layout.merges].T
    bar = heights[layout.merges]
    corners = np.empty((len(bar), 4, 2))
    corners[:, 0] = np.column_stack([layout.place[first], level[first]])
    corners[:, 1] = np.column_stack([layout.place[first], bar])
    corners[:, 2] = np.column_stack([layout.place[second], bar])
    corners[:, 3] = np.column_stack([layout.place[second], level[second]])
    return corners


def merge_labels(tree: Tree, applied: Array, labels: Array) -> Array:
    """Extend `labels` of points to all clusters, -1 for those that the cut divides."""
    n = tree.n_points
    member = list(range(n))
    for first, _ in tree.children.tolist():
        member.append(member[first])
    result = np.asarray(labels)[member]
    result[n:][~applied] = -1
    return np.asarray(result)


def thin(corners: Array, labels: Array, places: int) -> tuple[Array, Array]:
    """Replace the brackets of a large tree by fewer lines that look the same.

    Lines of one label that fall on the same column or row of a grid finer than a screen become one. A chain
    of 100,000 merges would take many seconds to draw otherwise, and megabytes in a vector format.

    Returns the lines, of shape (lines, 2, 2), and their labels.
    """
    step = max(1.0, places / _COLUMNS)
    legs = np.concatenate([corners[:, :2], corners[:, 2:]])
    column = np.rint(legs[:, 0, 0] / step).astype(np.int64)
    ends = legs[:, :, 1]
    marks, low, high, leg_labels = _unite(column, ends[:, 0], ends[:, 1], np.concatenate([labels, labels]))
    upright = np.stack([marks * step, low, marks * step, high], axis=1)

    ends = np.rint(corners[:, 1:3, 0] / step) * step
    wide = ends[:, 0] != ends[:, 1]
    height = corners[wide, 1, 1]
    # Rows get closer towards 0, so that an axis with a square root scale shows no steps.
    share = height / (height.max(initial=0) or 1)
    row = np.rint(np.log1p(1e4 * share) / np.log1p(1e4) * _ROWS).astype(np.int64)
    marks, low, high, bar_labels = _unite(row, ends[wide, 0], ends[wide, 1], labels[wide])
    at = np.zeros(_ROWS + 1)
    at[row] = height
    level = np.stack([low, at[marks], high, at[marks]], axis=1)
    return np.concatenate([upright, level]).reshape(-1, 2, 2), np.concatenate([leg_labels, bar_labels])


def _unite(mark: Array, a: Array, b: Array, label: Array) -> tuple[Array, Array, Array, Array]:
    """Unite overlapping intervals [a, b] that have the same mark and label: marks, lows, highs, labels."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort([low, mark, label])
    mark, low, high, label = mark[order], low[order], high[order], label[order]
    first = np.ones(len(mark), dtype=bool)
    first[1:] = (mark[1:] != mark[:-1]) | (label[1:] != label[:-1])
    # Groups are moved apart, so that the highest end so far is always one of the same group.
    apart = np.cumsum(first) * (high.max(initial=0) - low.min(initial=0) + 1)
    reach = np.maximum.accumulate(high + apart)
    first[1:] |= (low + apart)[1:] > reach[:-1]
    starts = np.flatnonzero(first)
    return (
        mark[starts],
        low[starts],
        np.maximum.reduceat(high, starts) if len(starts) else high,
        label[starts],
    )
