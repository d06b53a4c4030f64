"""`plot_choice`: the curves that a number of clusters is chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer
from chamfer.plot.canvas import count_axis, current_axes, palette
from chamfer.trees.choose import MOST, Choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "separation": "separation",
    "silhouette": "simplified silhouette",
    "calinski_harabasz": "Calinski–Harabasz",
    "modularity": "modularity",
    "gap": "gap of heights",
    "gap_statistic": "gap statistic",
    "stability": "stability",
    "inside": "neighbours inside",
    "conductance": "conductance",
    "within": "within-cluster squares",
    "height": "height",
}


def plot_choice(
    choice: Choice,
    ax: Axes | None = None,
    *,
    curves: Sequence[str] | None = None,
    max_clusters: int = MOST,
) -> Axes:
    """Draw the curves of `chamfer.choose` over the number of clusters.

    Parameters
    ----------
    choice : Choice
        What `chamfer.choose` gave.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    curves : sequence of str, optional
        Names of curves, see `chamfer.choose`; by default those that suggest a number.
    max_clusters : int, default=50
        Largest number of clusters to show.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Every curve is drawn from its lowest to its highest value in the range shown; a dot marks the
        number that it suggests, a dotted line the number that was chosen.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1], [9.2]]
    >>> ax = chamfer.plot.plot_choice(chamfer.choose(chamfer.linkage(X), X))
    >>> ax.get_xlabel()
    'number of clusters'
    """
    if not isinstance(choice, Choice):
        raise TypeError(f"choice must be what chamfer.choose gives, got {type(choice).__name__}")
    suggested = {each.criterion: each.n_clusters for each in choice.suggestions if each.criterion in choice.curves}
    shown = list(suggested) if curves is None else list(curves)
    for name in shown:
        check_choice("curves", name, choice.curves)
    most = min(check_integer("max_clusters", max_clusters, 2), len(choice.curves["height"]))
    ax = current_axes(ax)
    for name, color in zip(shown, palette(len(shown)), strict=False):
        first = name == choice.criterion
        values = _unit_range(choice.curves[name][:most])
        ax.plot(
            np.arange(1, most + 1), values, label=NAMES[name], color=color, lw=2.2 if first else 1.1, zorder=2 + first
        )
        if suggested.get(name, most + 1) <= most:
            ax.plot(suggested[name], values[suggested[name] - 1], "o", color=color, ms=5, zorder=4)
    ax.axvline(choice.n_clusters, color="0.5", lw=1, ls=":", zorder=1)
    ax.set(ylabel="lowest to highest", yticks=[])
    count_axis(ax)
    return ax


def _unit_range(values: Array) -> Array:
    """Values from 0 to 1; those that are not numbers stay as they are."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return values
    low, high = finite.min(), finite.max()
    return np.asarray((values - low) / ((high - low) or 1.0))
