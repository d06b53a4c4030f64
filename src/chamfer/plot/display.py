"""`DendrogramDisplay`: a dendrogram as one of scikit-learn's displays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.plot.dendrogram import plot_dendrogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class DendrogramDisplay:
    """A dendrogram to draw, once or again, as scikit-learn's displays do.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram.
    n_clusters : int, optional
        Number of clusters to colour.
    order : {"merge", "least", "cumulative"}, default="merge"
        Order of the cut.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Axes drawn on, after `plot`.
    figure_ : matplotlib.figure.Figure
        Their figure.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> model = chamfer.AgglomerativeClustering(n_clusters=2).fit([[0.0], [1.0], [5.0], [6.5]])
    >>> display = chamfer.plot.DendrogramDisplay.from_estimator(model)
    >>> display.ax_.get_ylabel()
    'height'
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, Z: Any, *, n_clusters: int | None = None, order: str = "merge") -> None:
        self.Z = Z
        self.n_clusters = n_clusters
        self.order = order

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Axes | None = None, **options: Any) -> DendrogramDisplay:
        """Draw the tree of a fitted estimator, its clusters in colour.

        Parameters
        ----------
        estimator : estimator
            A fitted `chamfer.AgglomerativeClustering`; or scikit-learn's, fitted with
            ``compute_distances=True`` or a ``distance_threshold``.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the current axes by default.
        **options
            Passed on to `plot_dendrogram`.

        Returns
        -------
        DendrogramDisplay
            The display, drawn.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        display = cls(
            _estimator_tree(estimator),
            n_clusters=estimator.n_clusters_,
            order=getattr(estimator, "order", "merge"),
        )
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> DendrogramDisplay:
        """Draw on `ax`, with the options of `plot_dendrogram`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the current axes by default.
        **options
            Passed on to `plot_dendrogram`.

        Returns
        -------
        DendrogramDisplay
            Itself.
        """
        if "height" not in options:
            options = {"n_clusters": self.n_clusters, **options}
        self.ax_ = plot_dendrogram(self.Z, ax, **{"order": self.order, **options})
        self.figure_ = self.ax_.figure
        return self


def _estimator_tree(estimator: Any) -> Array:
    """Z of a fitted estimator; scikit-learn's keeps children and heights but no sizes."""
    if hasattr(estimator, "linkage_matrix_"):
        return np.asarray(estimator.linkage_matrix_)
    if not hasattr(estimator, "distances_"):
        raise ValueError("estimator has no heights to draw; fit it with compute_distances=True")
    n = estimator.n_leaves_
    sizes = [1] * n
    for a, b in estimator.children_.tolist():
        sizes.append(sizes[a] + sizes[b])
    return np.column_stack([estimator.children_, estimator.distances_, sizes[n:]]).astype(float)
