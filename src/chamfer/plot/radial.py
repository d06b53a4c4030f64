"""`plot_radial`: a tree around a circle, its root in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer, check_names
from chamfer.plot.canvas import current_axes, write_number
from chamfer.plot.paint import Paint
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange, brackets, merge_heights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = ("linear", "sqrt")
_STEP = np.pi / 90  # an arc is drawn by straight lines of two degrees
_NAMED = 120  # leaves whose names have room
_NUMBERED = 30  # clusters, as in plot_dendrogram


def plot_radial(
    Z: Any,
    ax: Axes | None = None,
    *,
    n_clusters: int | None = None,
    height: float | None = None,
    order: str = "merge",
    truncate: int | None = None,
    heights: str = "own",
    scale: str = "sqrt",
    labels: Sequence[object] | None = None,
    numbers: bool | None = None,
    colors: Sequence[Any] | None = None,
    linewidth: float | None = None,
) -> Axes:
    """Draw a dendrogram around a circle: the root in the middle, the leaves outside.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default. Plain axes, not polar ones.
    n_clusters, height, order, truncate, heights, numbers, colors
        As in `plot_dendrogram`.
    scale : {"linear", "sqrt"}, default="sqrt"
        What the distance to the outer circle shows: heights, or their square roots.
    labels : sequence of n objects, optional
        Names of the points, written outside if there are at most 120 leaves.
    linewidth : float, optional
        Width of lines in points.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Leaves are on a circle of radius 1.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> ax = chamfer.plot.plot_radial(chamfer.linkage([[0.0], [1.0], [5.0], [6.5]]), n_clusters=2, labels="abcd")
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'c', 'd', '0', '1']
    """
    tree = Dendrogram(Z).whole()
    check_choice("scale", scale, SCALES)
    names = check_names(labels, tree.n_points)
    collapsed = None
    if truncate is not None:
        collapsed = tree.applied(check_integer("truncate", truncate, 1, tree.n_points), order=order)
    layout = arrange(tree, collapsed)
    level = merge_heights(tree, heights)
    level = np.sqrt(level) if scale == "sqrt" else level
    top = float(level.max(initial=0)) or 1.0
    ax = current_axes(ax)
    paint = Paint(tree, n_clusters, height, order, colors, ax)
    turn = 2 * np.pi / (len(layout.leaves) + 1)  # a gap of one leaf between the last and the first

    corners = brackets(tree, layout, level)
    polar = np.stack([np.pi / 2 - (corners[..., 0] + 1) * turn, 1 - corners[..., 1] / top], axis=-1)
    width = linewidth if linewidth is not None else float(np.clip(200 / len(layout.leaves), 0.4, 1.3))
    _draw_lines(ax, polar, paint.labels[tree.n_points + layout.merges], paint, width)
    places = np.pi / 2 - (layout.place + 1) * turn
    if names is not None and len(layout.leaves) <= _NAMED:
        _name_leaves(ax, layout.leaves, places, names, tree)
    if numbers or (numbers is None and len(paint.tops) <= _NUMBERED):
        radius = 1 - np.concatenate([np.zeros(tree.n_points), level]) / top
        for cluster in paint.tops:
            if np.isfinite(places[cluster]):
                label = int(paint.labels[cluster])
                write_number(ax, _point(places[cluster], radius[cluster]), label, paint.color(label))
    ax.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
    ax.set_axis_off()
    return ax


def _point(angle: Any, radius: Any) -> tuple[Any, Any]:
    return radius * np.cos(angle), radius * np.sin(angle)


def _draw_lines(ax: Axes, polar: Array, labels: Array, paint: Paint, width: float) -> None:
    """Draw each merge as a leg, an arc and a leg."""
    from matplotlib.collections import LineCollection

    lines = []
    for (first, a), (start, radius), (end, _), (last, b) in polar.tolist():
        arc = np.linspace(start, end, max(2, int(abs(end - start) / _STEP) + 1))
        angles, radii = np.array([first, *arc, last]), np.array([a, *np.full(len(arc), radius), b])
        lines.append(np.column_stack(_point(angles, radii)))
    colors = [paint.color(label) for label in labels.tolist()]
    ax.add_collection(LineCollection(lines, colors=colors, linewidths=width, capstyle="round"), autolim=False)


def _name_leaves(ax: Axes, leaves: Array, places: Array, names: list[Any], tree: Dendrogram) -> None:
    for leaf in leaves.tolist():
        text = str(names[leaf]) if leaf < tree.n_points else f"({int(tree.Z[leaf - tree.n_points, 3]):,})"
        degrees = np.degrees(places[leaf]) % 360
        left = 90 < degrees < 270  # text on the left is turned, so that none is upside down
        ax.text(
            *_point(places[leaf], 1.03),
            text,
            rotation=degrees - 180 if left else degrees,
            ha="right" if left else "left",
            va="center",
            rotation_mode="anchor",
            fontsize=float(np.clip(500 / len(leaves), 4.5, 9)),
        )
