"""The functions of the package fastcluster: ``import chamfer.compat.fastcluster as fastcluster``."""

from __future__ import annotations

from typing import Any

from chamfer import hac
from chamfer._types import Array, Metric
from chamfer.compat.scipy import average, centroid, complete, median, single, ward, weighted
from chamfer.inputs import check_choice, check_metric

__version__ = "1.3.0"  # whose functions these are

_EXTRA = {"seuclidean": "V", "mahalanobis": "VI", "minkowski": "p"}  # what the one extra argument of a metric is
_VECTOR = ("single", "ward", "centroid", "median")

__all__ = ["average", "centroid", "complete", "linkage", "linkage_vector", "median", "single", "ward", "weighted"]


def linkage(X: Any, method: str = "single", metric: Metric = "euclidean", preserve_input: bool = True) -> Array:
    """Cluster points, or condensed distances, with the arguments of ``fastcluster.linkage``.

    Parameters
    ----------
    X : array-like
        Observations of shape (n, d), or condensed distances. Infinite distances are allowed for single, complete and
        average linkage.
    method, metric
        As in `chamfer.linkage`.
    preserve_input : bool, default=True
        Accepted for compatibility; ignored. `X` is never changed.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix.

    Examples
    --------
    >>> import chamfer.compat.fastcluster as fastcluster
    >>> fastcluster.linkage([[0.0], [1.0], [5.0], [6.5]])
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 1.5, 2. ],
           [4. , 5. , 4. , 4. ]])
    """
    return hac.linkage(X, method, metric)


def linkage_vector(X: Any, method: str = "single", metric: Metric = "euclidean", extraarg: Any = None) -> Array:
    """Cluster points in O(n d) memory, with the arguments of ``fastcluster.linkage_vector``.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Observations.
    method : {"single", "ward", "centroid", "median"}, default="single"
        The linkage; all but ``"single"`` need Euclidean distances.
    metric : str or callable, default="euclidean"
        As in `chamfer.linkage`.
    extraarg : object, optional
        ``V`` of ``"seuclidean"``, ``VI`` of ``"mahalanobis"`` or ``p`` of ``"minkowski"``.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix.

    Examples
    --------
    >>> import chamfer.compat.fastcluster as fastcluster
    >>> fastcluster.linkage_vector([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]], "single", "cityblock")
    array([[0., 1., 2., 2.],
           [2., 3., 8., 3.]])
    """
    check_choice("method", method, _VECTOR)
    metric, params = check_metric(metric), None
    if metric == "matching":
        metric = "hamming"  # SciPy's name, for truth values
    if extraarg is not None:
        if metric not in _EXTRA:
            raise ValueError(f"extraarg must be None for metric {metric!r}, got {extraarg!r}")
        params = {_EXTRA[str(metric)]: extraarg}
    return hac.linkage(X, method, metric, engine="points", metric_params=params)
