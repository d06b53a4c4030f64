"""`plot_clustermap`: data as a heat map whose rows, and columns, are ordered by dendrograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chamfer._types import Array
from chamfer.hac import linkage
from chamfer.inputs import check_choice
from chamfer.plot.canvas import current_axes, neutral, palette
from chamfer.plot.dendrogram import plot_dendrogram
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_POINTS = 6.0  # room that a name needs, in typographic points
_TREE, _STRIP = 0.16, 0.025  # shares of the axes that a tree and a strip of colours take


class ClusterMap(NamedTuple):
    """The axes of a cluster map; None for what there is not."""

    heatmap: Axes
    rows: Axes
    columns: Axes | None
    colorbar: Axes | None


def plot_clustermap(
    X: Any,
    Z: Any = None,
    ax: Axes | None = None,
    *,
    column_Z: Any = None,
    n_clusters: int | None = None,
    z_score: str | None = None,
    row_colors: Any = None,
    column_colors: Any = None,
    colorbar: bool = True,
    cmap: Any = None,
) -> ClusterMap:
    """Draw data as a heat map with dendrograms of its rows and of its columns.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Data to show. Names of a data frame's rows and columns are written where there is room for them.
    Z : array-like of shape (n - 1, 4), optional
        Dendrogram of the rows; `chamfer.linkage` of the values shown by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default. The trees take a part of it.
    column_Z : array-like of shape (d - 1, 4) or False, optional
        Dendrogram of the columns; `chamfer.linkage` of the columns shown by default. False leaves columns as they are.
    n_clusters : int, optional
        Number of clusters of rows to colour in the tree.
    z_score : {"rows", "columns"}, optional
        Show how many standard deviations a value is from the mean of its row or column.
    row_colors, column_colors : array-like, optional
        A strip of colours beside the rows, or above the columns: classes of shape (n,), which get a colour each, or
        colours of shape (n, 3) or (n, 4).
    colorbar : bool, default=True
        Draw the scale of values.
    cmap : str or matplotlib.colors.Colormap, optional
        Colours of values; ``"viridis"`` by default, and ``"RdBu_r"`` with `z_score`.

    Returns
    -------
    ClusterMap
        Axes of the heat map, of the tree of rows, of that of columns and of the scale. The image is
        ``heatmap.images[0]``.

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
    if z_score is not None:
        values = _standardize(values, 1 if check_choice("z_score", z_score, ("rows", "columns")) == "rows" else 0)
    rows = Dendrogram(linkage(values) if Z is None else Z).whole()
    columns = None
    if column_Z is not False:
        columns = Dendrogram(linkage(values.T) if column_Z is None else column_Z).whole()
        _check_size("column_Z", columns, values.shape[1], "columns")
    _check_size("Z", rows, values.shape[0], "rows")
    beside_colors = _strip("row_colors", row_colors, values.shape[0])
    above_colors = _strip("column_colors", column_colors, values.shape[1])
    down = arrange(rows).leaves
    across = np.arange(values.shape[1]) if columns is None else arrange(columns).leaves

    ax = current_axes(ax)
    ax.set_axis_off()
    left = _TREE + 0.01 + (0 if beside_colors is None else _STRIP + 0.005)
    under = 0 if above_colors is None else _STRIP + 0.005
    top = 1.0 - under - (0.16 if columns is not None else 0.1 if colorbar else 0)
    heat = ax.inset_axes((left, 0, 1 - left, top))
    limit = float(np.abs(values).max(initial=0)) if z_score is not None else None
    heat.imshow(
        values[np.ix_(down, across)],
        aspect="auto",
        interpolation="nearest",
        cmap=cmap if cmap is not None else "viridis" if z_score is None else "RdBu_r",
        vmin=None if limit is None else -min(limit, 3.0),  # a few far values would make all others pale
        vmax=None if limit is None else min(limit, 3.0),
    )
    beside = _row_tree(ax, heat, rows, n_clusters, top)
    if beside_colors is not None:
        _draw_strip(ax.inset_axes((_TREE + 0.005, 0, _STRIP, top)), beside_colors[down][:, None])
    if above_colors is not None:
        _draw_strip(ax.inset_axes((left, top + 0.005, 1 - left, _STRIP)), above_colors[across][None])
    above = None
    if columns is not None:
        above = _column_tree(ax, heat, columns, (left, top + under + 0.01, 1 - left, 0.15))
    frame = X if hasattr(X, "columns") and hasattr(X, "index") else None
    _name(heat, heat.yaxis, None if frame is None else frame.index, down, "height")
    heat.yaxis.tick_right()
    _name(heat, heat.xaxis, None if frame is None else frame.columns, across, "width")
    return ClusterMap(heat, beside, above, _colorbar(ax, heat, z_score) if colorbar else None)


def _standardize(values: Array, axis: int) -> Array:
    deviation = values.std(axis=axis, keepdims=True)
    return np.asarray((values - values.mean(axis=axis, keepdims=True)) / np.where(deviation > 0, deviation, 1))


def _strip(name: str, given: Any, size: int) -> Array | None:
    """Colours of a strip, from classes or as they are."""
    if given is None:
        return None
    from matplotlib.colors import to_rgb

    found = np.asarray(given)
    if len(found) != size or not (found.ndim == 1 or (found.ndim == 2 and found.shape[1] in (3, 4))):
        raise ValueError(f"{name} must be {size} classes, or colours of shape ({size}, 3), got shape {found.shape}")
    if found.ndim == 2:
        return np.asarray(found[:, :3], dtype=float)
    classes, codes = np.unique(found.astype(str), return_inverse=True)
    return np.array([to_rgb(color) for color in palette(len(classes))])[codes]


def _draw_strip(ax: Axes, colors: Array) -> None:
    ax.imshow(colors, aspect="auto", interpolation="nearest")
    ax.set_axis_off()


def _row_tree(ax: Axes, heat: Axes, rows: Dendrogram, n_clusters: int | None, top: float) -> Axes:
    beside = ax.inset_axes((0, 0, _TREE, top))
    plot_dendrogram(rows.Z, beside, n_clusters=n_clusters, orientation="horizontal", numbers=False)
    beside.invert_xaxis()
    beside.set_axis_off()
    beside.set_ylim(heat.get_ylim())
    return beside


def _column_tree(ax: Axes, heat: Axes, columns: Dendrogram, box: tuple[float, float, float, float]) -> Axes:
    above = ax.inset_axes(box)
    plot_dendrogram(columns.Z, above, colors=[neutral(ax)])  # the others are those of clusters of rows
    above.set_axis_off()
    above.set_xlim(heat.get_xlim())
    return above


def _colorbar(ax: Axes, heat: Axes, z_score: str | None) -> Axes:
    """Draw the scale of values in the corner between the trees."""
    scale = ax.inset_axes((0.0, 0.955, _TREE - 0.03, 0.022))
    ax.figure.colorbar(heat.images[0], cax=scale, orientation="horizontal")
    scale.tick_params(labelsize=7, length=2)
    scale.locator_params(nbins=3)
    if z_score is not None:
        scale.set_title("z-score", fontsize=8, pad=3)
    return scale


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
