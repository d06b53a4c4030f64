"""The functions of ``scipy.cluster.hierarchy`` that chamfer has: same arguments, defaults and results.

``from chamfer.compat.scipy import linkage, fcluster, dendrogram`` replaces the same import from SciPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import hac
from chamfer._types import Array, Metric
from chamfer.inputs import check_choice
from chamfer.plot import classic
from chamfer.trees.leaves import fcluster, leaves

_palette = classic.PALETTE  # global, as in SciPy
_METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")

__all__ = [
    "average",
    "centroid",
    "complete",
    "dendrogram",
    "fcluster",
    "fclusterdata",
    "leaves_list",
    "linkage",
    "median",
    "set_link_color_palette",
    "single",
    "ward",
    "weighted",
]


def linkage(y: Any, method: str = "single", metric: Metric = "euclidean", optimal_ordering: bool = False) -> Array:
    """Cluster points, or condensed distances, with the arguments of SciPy's ``linkage``.

    Parameters
    ----------
    y : array-like
        Observations of shape (n, d), or condensed distances.
    method : str, default="single"
        Any method of `chamfer.linkage`; SciPy has the seven classical ones.
    metric, optimal_ordering
        As in `chamfer.linkage`.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix.

    Examples
    --------
    >>> from chamfer.compat.scipy import linkage
    >>> linkage(y=[1.0, 5.0, 4.0], method="complete")
    array([[0., 1., 1., 2.],
           [2., 3., 5., 3.]])
    """
    return hac.linkage(y, method, metric, optimal_ordering)


def fclusterdata(
    X: Any,
    t: float,
    criterion: str = "inconsistent",
    metric: Metric = "euclidean",
    depth: int = 2,
    method: str = "single",
    R: Any = None,
) -> Array:
    """Cluster points and cut the tree, with the arguments of SciPy's ``fclusterdata``.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Observations.
    t, criterion, depth, R
        As in `chamfer.fcluster`.
    metric, method
        As in `chamfer.linkage`.

    Returns
    -------
    ndarray of shape (n,)
        Labels from 1.

    Examples
    --------
    >>> from chamfer.compat.scipy import fclusterdata
    >>> fclusterdata([[0.0], [1.0], [5.0], [6.5]], 2, "maxclust")
    array([1, 1, 2, 2], dtype=int32)
    """
    return fcluster(hac.linkage(X, method, metric), t, criterion, depth, R)


def leaves_list(Z: Any) -> Array:
    """The points in the order of a tree, from left to right in a picture.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`.

    Returns
    -------
    ndarray of shape (n,)
        Numbers of points.

    Examples
    --------
    >>> from chamfer.compat.scipy import leaves_list
    >>> leaves_list([[0, 2, 1.0, 2], [1, 3, 4.0, 3]])
    array([1, 0, 2], dtype=int32)
    """
    return leaves(Z).order.astype(np.int32)


def dendrogram(Z: Any, *args: Any, **options: Any) -> dict[str, Any]:
    """Draw a tree with the arguments of SciPy's ``dendrogram``.

    Parameters
    ----------
    Z, *args, **options
        As in `chamfer.dendrogram`.

    Returns
    -------
    dict
        As in `chamfer.dendrogram`.

    Examples
    --------
    >>> from chamfer.compat.scipy import dendrogram
    >>> dendrogram([[0, 2, 1.0, 2], [1, 3, 4.0, 3]], no_plot=True)["ivl"]
    ['1', '0', '2']
    """
    return classic.dendrogram(Z, *args, **{"palette": _palette, **options})


def set_link_color_palette(palette: Any) -> None:
    """Set the colours that `dendrogram` uses below its threshold.

    Parameters
    ----------
    palette : list or tuple of str, optional
        Colours of matplotlib; None sets the usual ones again.

    Examples
    --------
    >>> from chamfer.compat.scipy import set_link_color_palette
    >>> set_link_color_palette(["c", "m", "y", "k"])
    >>> set_link_color_palette(None)
    """
    global _palette
    palette = classic.PALETTE if palette is None else palette
    if not isinstance(palette, (list, tuple)) or not all(isinstance(each, str) for each in palette):
        raise TypeError(f"palette must be a list of colours, got {palette!r}")
    _palette = tuple(palette)


def _by(method: str) -> Any:
    def cluster(y: Any) -> Array:
        return hac.linkage(y, check_choice("method", method, _METHODS))

    cluster.__name__ = cluster.__qualname__ = method
    cluster.__doc__ = f"Cluster points, or condensed distances, by {method} linkage."
    return cluster


single, complete, average, weighted, centroid, median, ward = (_by(each) for each in _METHODS)
