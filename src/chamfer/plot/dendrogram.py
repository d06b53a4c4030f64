"""`plot_dendrogram`: a tree as one line collection.

The collection has one line for each colour, in which brackets are separated by gaps: drawing 100,000 leaves
takes about a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer, check_names
from chamfer.plot.canvas import SCALES, current_axes, set_scale, write_number
from chamfer.plot.paint import Paint
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import Layout, arrange, brackets, merge_heights, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORIENTATIONS = ("vertical", "horizontal")
_MANY = 5000  # leaves; from here on lines that fall together are drawn once
_NUMBERED = 30  # clusters; more numbers would cover the tree
_LEAST_POINTS = 4.5  # a leaf label needs this much room, in typographic points


def plot_dendrogram(
    Z: Any,
    ax: Axes | None = None,
    *,
    n_clusters: int | None = None,
    height: float | None = None,
    order: str = "merge",
    truncate: int | None = None,
    heights: str = "own",
    scale: str = "linear",
    orientation: str = "vertical",
    labels: Sequence[object] | None = None,
    numbers: bool | None = None,
    colors: Sequence[Any] | None = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw a dendrogram.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    n_clusters, height, order
        Give each cluster of this cut a colour, see `chamfer.cut`. Merges above the cut have the colour of text.
    truncate : int, optional
        Show this many clusters as leaves, each as a triangle as high as the cluster, instead of all points.
    heights : {"own", "max", "cumulative"}, default="own"
        Where merges are drawn: at their own heights, so that a merge lower than a cluster it joins is seen
        as such; or at heights that never fall towards the root, see `chamfer.monotone`.
    scale : {"linear", "sqrt", "log"}, default="linear"
        Scale of the axis of heights. Chamfer's heights are sums over points, so a square root shows small clusters
        too. On a logarithm, merges of height 0 are at the lowest other height.
    orientation : {"vertical", "horizontal"}, default="vertical"
        Root at the top, or at the right.
    labels : sequence of n objects, optional
        Names of the points; their numbers by default. Names are written where there is room for them;
        clusters that stand for several points show their size in brackets.
    numbers : bool, optional
        Write the label of each cluster at its top; by default if there are at most 30.
    colors : sequence of colors, optional
        Color of each cluster, repeated if there are more clusters. By default ten that can be told apart with all
        common kinds of colour blindness, and others if there are more clusters; or those of a matplotlib style with
        its own.
    linewidth : float, optional
        Width of lines in points; thinner the more leaves there are by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Leaves are at 0, 1, 2, …; heights are in the units of `Z`.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> ax = chamfer.plot.plot_dendrogram(Z, n_clusters=2, labels="abcd")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['a', 'b', 'c', 'd']
    """
    tree = Dendrogram(Z).whole()
    check_choice("orientation", orientation, ORIENTATIONS)
    check_choice("scale", scale, SCALES)
    labels = check_names(labels, tree.n_points)
    collapsed = None
    if truncate is not None:
        check_integer("truncate", truncate, 1, tree.n_points)
        collapsed = tree.applied(truncate, order=order)
    layout = arrange(tree, collapsed)
    level = merge_heights(tree, heights)
    ax = current_axes(ax)
    paint = Paint(tree, n_clusters, height, order, colors, ax)
    frame = _Frame(tree, layout, level, orientation == "horizontal", scale)
    width = linewidth if linewidth is not None else float(np.clip(150 / len(layout.leaves), 0.4, 1.3))
    _draw_triangles(ax, frame, paint, width)
    _draw_brackets(ax, frame, paint, width)
    _dress(ax, frame, {"own": "height"}.get(heights, f"{heights} height") + SCALES[frame.scale])
    _name_leaves(ax, tree, layout, labels, frame.flip)
    if numbers or (numbers is None and len(paint.tops) <= _NUMBERED):
        _number_clusters(ax, frame, paint)
    return ax


class _Frame:
    """Where the parts of the tree are: places, heights, and what takes the place of height 0."""

    def __init__(self, tree: Dendrogram, layout: Layout, level: Array, flip: bool, scale: str) -> None:
        self.tree, self.layout, self.flip = tree, layout, flip
        positive = level[level > 0]
        self.scale = scale if scale != "log" or len(positive) else "linear"  # a logarithm of nothing but zeros
        self.floor = 0.7 * float(positive.min()) if self.scale == "log" else 0.0
        self.level = np.maximum(level, positive.min()) if self.scale == "log" else level

    def corners(self) -> Array:
        """Corners of the brackets, no lower than the floor."""
        corners = brackets(self.tree, self.layout, self.level)
        corners[..., 1] = np.maximum(corners[..., 1], self.floor)
        return corners


def _draw_brackets(ax: Axes, frame: _Frame, paint: Paint, width: float) -> None:
    from matplotlib.collections import LineCollection

    corners, layout = frame.corners(), frame.layout
    labels = paint.labels[frame.tree.n_points + layout.merges]
    if len(layout.leaves) > _MANY:
        corners, labels = thin(corners, labels, len(layout.leaves))
    lines = np.full((len(corners), corners.shape[1] + 1, 2), np.nan)  # the last point is the gap
    lines[:, :-1] = corners[..., ::-1] if frame.flip else corners
    order = np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    groups = np.split(lines[order], starts[1:]) if len(found) else []
    ax.add_collection(
        LineCollection(
            [group.reshape(-1, 2) for group in groups],
            colors=[paint.color(label) for label in found.tolist()],
            linewidths=[max(width, 0.9) if label < 0 else width for label in found.tolist()],
            capstyle="projecting",
            joinstyle="miter",
        ),
        autolim=False,
    )


def _draw_triangles(ax: Axes, frame: _Frame, paint: Paint, width: float) -> None:
    """Draw clusters that stand for several points, as high as they are and three quarters of a place wide."""
    from matplotlib.collections import PolyCollection

    n, layout = frame.tree.n_points, frame.layout
    clusters = layout.leaves[layout.leaves >= n]
    if not len(clusters):
        return
    place, top = layout.place[clusters], frame.level[clusters - n]
    low = np.full_like(top, frame.floor)
    corners = np.stack(
        [np.column_stack(each) for each in ((place - 0.37, low), (place, top), (place + 0.37, low))], axis=1
    )
    colors = [paint.color(label) for label in paint.labels[clusters].tolist()]
    ax.add_collection(
        PolyCollection(
            list(corners[..., ::-1] if frame.flip else corners),
            facecolors=colors,
            edgecolors=colors,
            alpha=0.55,
            linewidths=width,
        ),
        autolim=False,
    )


def _number_clusters(ax: Axes, frame: _Frame, paint: Paint) -> None:
    n = frame.tree.n_points
    for cluster in paint.tops:
        x, y = frame.layout.place[cluster], frame.floor if cluster < n else frame.level[cluster - n]
        if np.isfinite(x):  # inside of a part that is shown as one leaf otherwise
            label = int(paint.labels[cluster])
            write_number(ax, (y, x) if frame.flip else (x, y), label, paint.color(label))


def _dress(ax: Axes, frame: _Frame, name: str) -> None:
    """Set scale and limits, and take away what a tree does not need."""
    n, flip = len(frame.layout.leaves), frame.flip
    margin = 0.5 + 0.01 * n
    top = float(frame.level.max(initial=0)) or 1.0
    leaves = (n - 1 + margin, -margin) if flip else (-margin, n - 1 + margin)  # first leaf on top, or at the left
    set_scale(ax, frame.scale, flip)
    (ax.set_ylim if flip else ax.set_xlim)(*leaves)
    (ax.set_xlim if flip else ax.set_ylim)(frame.floor, 1.04 * top)
    (ax.set_xlabel if flip else ax.set_ylabel)(name)
    for side in ("top", "right", "left" if flip else "bottom"):
        ax.spines[side].set_visible(False)


def _name_leaves(ax: Axes, tree: Dendrogram, layout: Layout, labels: Sequence[object] | None, flip: bool) -> None:
    axis = ax.yaxis if flip else ax.xaxis
    box = ax.get_window_extent()
    room = (box.height if flip else box.width) * 72 / ax.figure.dpi / len(layout.leaves)
    if room < _LEAST_POINTS:
        axis.set_ticks([])
        return
    n = tree.n_points
    sizes = tree.Z[:, 3].astype(int)
    given = list(range(n) if labels is None else labels)  # by place: a series would be asked by its index
    names = [f"({sizes[leaf - n]:,})" if leaf >= n else str(given[leaf]) for leaf in layout.leaves.tolist()]
    crowded = not flip and room < 7 * max(len(name) for name in names)
    axis.set_ticks(range(len(names)), names, rotation=90 if crowded else 0, fontsize=min(9.0, 0.85 * room))
    axis.set_tick_params(length=0)
