"""`plot_map`: points in the plane, in the colours of their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.plot.canvas import current_axes, palette, write_number
from chamfer.projection import PROJECTIONS, place_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERED = 30  # clusters, as in plot_dendrogram
_NOISE = "0.65"


def plot_map(
    X: Any,
    labels: Any,
    ax: Axes | None = None,
    *,
    coordinates: Any = None,
    numbers: bool | None = None,
    colors: Sequence[Any] | None = None,
    size: float | None = None,
) -> Axes:
    """Draw points in the plane, in the colours of their clusters.

    Parameters
    ----------
    X : array-like of shape (n, d) or None
        The points. Points of two columns are drawn where they are; None if `coordinates` are given.
    labels : array-like of shape (n,)
        Cluster of each point, as `chamfer.cut` gives it; -1 is noise, which is grey.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    coordinates : {"pca", "tsne", "umap"} or array-like of shape (n, 2), optional
        Places of the points, as in `chamfer.explore`; principal components by default.
    numbers : bool, optional
        Write the label of each cluster where its middle point is; by default if there are at most 30.
    colors : sequence of colors, optional
        Color of each cluster, as in `plot_dendrogram`.
    size : float, optional
        Area of a dot in square points; smaller the more points there are by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X = [[0.0, 0.0], [1.0, 0.0], [5.0, 1.0], [6.5, 1.0]]
    >>> ax = chamfer.plot.plot_map(X, chamfer.cut(chamfer.linkage(X), n_clusters=2))
    >>> [text.get_text() for text in ax.texts]
    ['0', '1']
    """
    clusters = np.asarray(labels)
    n = len(clusters)
    if clusters.ndim != 1 or clusters.dtype.kind not in "iu" or (n and clusters.min() < -1):
        raise ValueError("labels must be integers of at least -1, one for each point")
    points = None if X is None else np.asarray(X, dtype=np.float64)
    if points is not None and (points.ndim != 2 or len(points) != n):
        raise ValueError(f"X must have a row for each of the {n} labels, got shape {points.shape}")
    if points is not None and points.shape[1] == 2 and coordinates is None:
        coordinates = points
    found = place_points(points, coordinates, n)
    if found is None:
        raise ValueError("give X or coordinates")
    places, kind = found
    ax = current_axes(ax)
    most = int(clusters.max(initial=-1)) + 1
    shades = list(colors) if colors else palette(most)
    area = size if size is not None else float(np.clip(20_000 / max(n, 1), 2, 30))
    # Large clusters first, so that they do not cover small ones.
    sizes = np.bincount(clusters + 1, minlength=most + 1)
    for label in np.argsort(-sizes, kind="stable") - 1:
        _draw(ax, places[clusters == label], _NOISE if label < 0 else shades[label % len(shades)], area)
    if numbers or (numbers is None and most <= _NUMBERED):
        for label in np.unique(clusters[clusters >= 0]).tolist():
            write_number(ax, _middle(places[clusters == label]), label, shades[label % len(shades)])
    _dress(ax, kind if kind in PROJECTIONS.values() else "")
    return ax


def _draw(ax: Axes, places: Array, color: Any, area: float) -> None:
    if len(places):
        # Thousands of dots would make a vector file that nothing opens.
        ax.scatter(
            places[:, 0], places[:, 1], s=area, color=color, linewidths=0, alpha=0.85, rasterized=len(places) > 2000
        )


def _middle(places: Array) -> tuple[float, float]:
    """The point nearest to the median: the median itself may lie where none is, as in a ring."""
    away = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    x, y = places[away.argmin()].tolist()
    return x, y


def _dress(ax: Axes, kind: str) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    if kind:  # directions of a projection have no names, and units of an embedding no meaning
        ax.set(xticks=[], yticks=[], xlabel=kind)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
