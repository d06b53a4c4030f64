"""`plot_linkages`: small pictures of what each linkage finds on toy data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.hac import linkage
from chamfer.inputs import check_choice
from chamfer.methods import METHODS
from chamfer.plot.canvas import neutral, pyplot
from chamfer.plot.map import plot_map
from chamfer.trees.cuts import cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METHODS = ("chamfer", "chamfer_capped", "ward", "average", "complete", "single")
_UNKNOWN = 3  # clusters where there are none


def plot_linkages(
    data: Mapping[str, Any] | None = None,
    methods: Sequence[str] = _METHODS,
    *,
    n_points: int = 500,
    figure: Figure | None = None,
) -> Array:
    """Draw what several linkages find on several data sets: a row for each data set, a column for each linkage.

    Parameters
    ----------
    data : mapping of str to (X, y), optional
        Points of two columns, and their known classes, whose number is the number of clusters; three if there is one
        class. By default six sets of scikit-learn's toy data: circles, moons, blobs of different widths, slanted blobs,
        round blobs, and no clusters.
    methods : sequence of str, optional
        Linkages, see `chamfer.linkage`.
    n_points : int, default=500
        Size of the toy data.
    figure : matplotlib.figure.Figure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        Of shape (data sets, linkages). The number in each is the adjusted Rand index with the known classes.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> chamfer.plot.plot_linkages(methods=["chamfer", "single"], n_points=60).shape
    (6, 2)
    """
    from sklearn.metrics import adjusted_rand_score

    for method in methods:
        check_choice("methods", method, METHODS)
    sets = toy_data(n_points) if data is None else dict(data)
    size = (1.7 * len(methods), 1.7 * len(sets))
    figure = pyplot().figure(figsize=size, layout="constrained") if figure is None else figure
    axes = np.asarray(figure.subplots(len(sets), len(methods), squeeze=False))
    for row, (name, (X, y)) in zip(axes, sets.items(), strict=True):
        classes = len(np.unique(y))
        count = classes if classes > 1 else _UNKNOWN
        for ax, method in zip(row, methods, strict=True):
            labels = cut(linkage(X, method), n_clusters=count)
            plot_map(X, labels, ax, numbers=False, size=4)
            ax.set(xticks=[], yticks=[])
            if classes > 1:
                score = f"{round(adjusted_rand_score(y, labels), 2) + 0.0:.2f}"  # no -0.00
                ax.text(0.98, 0.02, score, transform=ax.transAxes, ha="right", fontsize=8, color=neutral(ax))
        row[0].set_ylabel(name, fontsize=9)
    for ax, method in zip(axes[0], methods, strict=True):
        ax.set_title(method, fontsize=9)
    return axes


def toy_data(n: int) -> dict[str, tuple[Array, Array]]:
    """Six sets of points in the plane, as in scikit-learn's comparison of clusterings; each has its classes."""
    from sklearn.datasets import make_blobs, make_circles, make_moons

    slanted, slanted_y = make_blobs(n, random_state=170)
    return {
        "circles": make_circles(n, factor=0.5, noise=0.05, random_state=30),
        "moons": make_moons(n, noise=0.05, random_state=30),
        "varied blobs": make_blobs(n, cluster_std=[1.0, 2.5, 0.5], random_state=170),
        "slanted blobs": (slanted @ [[0.6, -0.6], [-0.4, 0.8]], slanted_y),
        "round blobs": make_blobs(n, random_state=30),
        "no clusters": (np.random.default_rng(30).uniform(size=(n, 2)), np.zeros(n, dtype=int)),
    }
