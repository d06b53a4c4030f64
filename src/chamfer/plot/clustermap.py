"""`plot_clustermap`: data as a heat map whose rows, and columns, are ordered by dendrograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chamfer._types import Array
from chamfer.hac import linkage
from chamfer.plot.canvas import current_axes
from chamfer.plot.dendrogram import NEUTRAL, plot_dendrogram
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_POINTS = 6.0  # room that a name needs, in typographic points


class ClusterMap(NamedTuple):
    """The axes of a cluster map."""

    heatmap: Axes
    rows: Axes
    columns: Axes | None


def plot_clustermap(
    X: Any,
    Z: Any = None,
    ax: Axes | None = None,
    *,
    column_Z: Any = None,
    n_clusters: int | None = None,
    cmap: Any = "viridis",
) -> ClusterMap:
    """Draw data as a heat map with a dendrogram of its rows, and one of its columns if it is given.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Data to show. Names of a data frame's rows and columns are written where there is room for them.
    Z : array-like of shape (n - 1, 4), optional
        Dendrogram of the rows; `chamfer.linkage` of `X` by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default. The trees take a part of it.
    column_Z : array-like of shape (d - 1, 4), optional
        Dendrogram of the columns, for instance ``chamfer.linkage(X.T)``; columns stay as they are by default.
    n_clusters : int, optional
        Number of clusters of rows to colour in the tree.
    cmap : str or matplotlib.colors.Colormap, default="viridis"
        Colours of values.

    Returns
    -------
    ClusterMap
        Axes of the heat map, of the tree of rows and of that of columns (None if there is none). The image is
        ``heatmap.images[0]``, ready for a colour bar.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> shown = chamfer.plot.plot_clustermap([[0.0, 1.0], [5.0, 6.0], [0.0, 2.0]])
    >>> shown.heatmap.images[0].get_array()[:, 1].tolist()
    [6.0, 1.0, 2.0]
    """
    values = np.asarray(X, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"X must have two dimensions, got {values.ndim}")
    rows = Dendrogram(linkage(values) if Z is None else Z).whole()
    columns = None if column_Z is None else Dendrogram(column_Z).whole()
    _check_size("Z", rows, values.shape[0], "rows")
    if columns is not None:
        _check_size("column_Z", columns, values.shape[1], "columns")
    down = arrange(rows).leaves
    across = np.arange(values.shape[1]) if columns is None else arrange(columns).leaves

    ax = current_axes(ax)
    ax.set_axis_off()
    split = 0.84 if columns is not None else 1.0
    heat = ax.inset_axes((0.2, 0, 0.8, split))
    heat.imshow(values[np.ix_(down, across)], aspect="auto", interpolation="nearest", cmap=cmap)
    beside = ax.inset_axes((0, 0, 0.19, split))
    plot_dendrogram(rows.Z, beside, n_clusters=n_clusters, orientation="horizontal")
    beside.invert_xaxis()
    beside.set_axis_off()
    beside.set_ylim(heat.get_ylim())
    above = None
    if columns is not None:
        above = ax.inset_axes((0.2, split + 0.01, 0.8, 0.99 - split))
        plot_dendrogram(columns.Z, above, colors=[NEUTRAL])  # the others are those of clusters of rows
        above.set_axis_off()
        above.set_xlim(heat.get_xlim())
    frame = X if hasattr(X, "columns") and hasattr(X, "index") else None
    _name(heat, heat.yaxis, None if frame is None else frame.index, down, "height")
    heat.yaxis.tick_right()
    _name(heat, heat.xaxis, None if frame is None else frame.columns, across, "width")
    return ClusterMap(heat, beside, above)


def _check_size(name: str, tree: Dendrogram, size: int, what: str) -> None:
    if tree.n_points != size:
        raise ValueError(f"{name} must be a tree of the {size} {what} of X, got one of {tree.n_points} points")


def _name(ax: Axes, axis: Any, names: Any, order: Array, extent: str) -> None:
    """Write names, numbers if there are none, where each has room enough."""
    room = getattr(ax.get_window_extent(), extent) * 72 / ax.figure.dpi / len(order)
    if room < _LEAST_POINTS:
        axis.set_ticks([])
        return
    texts = [str(each if names is None else names[each]) for each in order.tolist()]
    crowded = extent == "width" and room < 7 * max(map(len, texts))
    axis.set_ticks(range(len(order)), texts, rotation=90 if crowded else 0, fontsize=min(9.0, 0.85 * room))
    axis.set_tick_params(length=0)
