"""`plot_support`: a dendrogram with the support of its branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer.inputs import check_number
from chamfer.plot.dendrogram import plot_dendrogram
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange, merge_heights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRONG = 0.95  # support that is written in bold


def plot_support(Z: Any, support: Any, ax: Axes | None = None, *, least: float = 0.0, **options: Any) -> Axes:
    """Draw a dendrogram with the support of each branch as a percentage at its top.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`.
    support : array-like of shape (n - 1,)
        What `chamfer.support` gave: a share for each merge. Those that are not numbers are left out, and the last,
        which is always 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    least : float, default=0
        Write only values of at least this share.
    **options
        Passed on to `plot_dendrogram`.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Values of at least 95% are bold.

    Examples
    --------
    >>> import chamfer, matplotlib, numpy
    >>> matplotlib.use("Agg")
    >>> X = numpy.random.default_rng(0).normal(size=(6, 50)) + numpy.repeat([[0.0], [2.0]], 3, axis=0)
    >>> ax = chamfer.plot.plot_support(chamfer.linkage(X, "average"), chamfer.support(X, "average"))
    >>> [text.get_text() for text in ax.texts]
    ['45', '100', '72', '100']
    """
    tree = Dendrogram(Z)
    shares = np.asarray(support, dtype=np.float64)
    if shares.shape != (tree.n_points - 1,):
        raise ValueError(f"support must hold a share for each of {tree.n_points - 1} merges, got shape {shares.shape}")
    check_number("least", least)
    ax = plot_dendrogram(tree.Z, ax, **{"numbers": False, **options})  # of clusters, which would cover the shares
    truncate, flip = options.get("truncate"), options.get("orientation") == "horizontal"
    layout = arrange(tree, None if truncate is None else tree.applied(truncate, order=options.get("order", "merge")))
    level = merge_heights(tree, options.get("heights", "own"))
    for merge in layout.merges.tolist():
        if merge == tree.n_points - 2 or not shares[merge] >= least:
            continue
        place = (layout.place[tree.n_points + merge], level[merge])
        strong = "bold" if shares[merge] >= _STRONG else "normal"
        # Beside the line that leads on to the root.
        style: dict[str, Any] = {
            "ha": "left" if flip else "right",
            "va": "bottom",
            "fontweight": strong,
            "fontsize": "x-small",
        }
        at, offset = (place[::-1], (2, 1)) if flip else (place, (-1.5, 1))
        ax.annotate(f"{100 * shares[merge]:.0f}", at, offset, textcoords="offset points", **style)
    return ax
