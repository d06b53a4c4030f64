"""`plot_scores`: how well cuts agree with known classes, over the number of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer
from chamfer.plot.canvas import count_axis, current_axes, palette
from chamfer.trees.dendrogram import ORDERS, Dendrogram
from chamfer.trees.scores import CutScores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCORES = {
    "ari": "adjusted Rand index",
    "nmi": "normalized mutual information",
    "ami": "adjusted mutual information",
    "fmi": "Fowlkes–Mallows index",
}


def plot_scores(
    trees: Mapping[str, Any],
    y: Any,
    ax: Axes | None = None,
    *,
    score: str = "ari",
    order: str = "merge",
    max_clusters: int | None = None,
) -> Axes:
    """Draw a score over the number of clusters, one line for each tree.

    Parameters
    ----------
    trees : mapping of str to array-like of shape (n - 1, 4)
        Dendrograms of the same points, for instance by several linkages, and their names.
    y : array-like of shape (n,)
        True classes. Their number is marked by a dotted line.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    score : {"ari", "nmi", "ami", "fmi"}, default="ari"
        Agreement of labels with `y`: adjusted Rand index, normalized or adjusted mutual information, or
        Fowlkes–Mallows index.
    order : {"merge", "least", "cumulative"}, default="merge"
        Order of the cuts, see `chamfer.cut`.
    max_clusters : int, optional
        Largest number of clusters; ten times the number of classes by default. Above 60 only some numbers
        are computed.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X, y = [[0.0], [1.0], [5.0], [6.5]], ["a", "a", "b", "b"]
    >>> trees = {method: chamfer.linkage(X, method) for method in ("chamfer", "single")}
    >>> ax = chamfer.plot.plot_scores(trees, y)
    >>> [line.get_label() for line in ax.get_lines()][:2]
    ['chamfer', 'single']
    """
    y = np.asarray(y)
    check_choice("score", score, SCORES)
    if not trees:
        raise ValueError("trees must hold at least one dendrogram")
    classes = len(np.unique(y))
    most = min(len(y), 10 * classes) if max_clusters is None else max_clusters
    check_choice("order", order, ORDERS)
    counts = np.arange(1, check_integer("max_clusters", most, 1, len(y)) + 1)
    ax = current_axes(ax)
    colors = palette(len(trees))
    for (name, Z), color in zip(trees.items(), colors, strict=False):
        # The first tree lies on top, drawn thicker: it is the one the others are compared with.
        first = name == next(iter(trees))
        values = _scores(name, Z, y).along(order, score)[len(y) - counts]
        ax.plot(counts, values, label=name, color=color, lw=2.2 if first else 1.1, zorder=3 if first else 2)
    ax.axvline(classes, color="0.5", lw=1, ls=":", zorder=1)
    ax.set_ylabel(SCORES[score])
    count_axis(ax)
    return ax


def _scores(name: str, Z: Any, y: Array) -> CutScores:
    tree = Dendrogram(Z).whole()
    if tree.n_points != len(y):
        raise ValueError(f"y must have a class for each of the {tree.n_points} points of {name!r}, got {len(y)}")
    return CutScores(tree.Z, y)
