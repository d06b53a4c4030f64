"""The classes and functions of ``sklearn.cluster`` that chamfer has: same arguments and defaults.

``from chamfer.compat.sklearn import AgglomerativeClustering`` replaces the same import from scikit-learn.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from chamfer import estimator, features, hac
from chamfer._types import Array
from chamfer.inputs import check_choice, check_integer

_LINKAGES = ("complete", "average", "single")

__all__ = ["AgglomerativeClustering", "FeatureAgglomeration", "linkage_tree", "ward_tree"]


class AgglomerativeClustering(estimator.AgglomerativeClustering):
    """scikit-learn's estimator: Ward's linkage by default, and `distances_` only if asked for.

    Parameters
    ----------
    n_clusters, metric, memory, connectivity, compute_full_tree, linkage, distance_threshold, compute_distances
        As in ``sklearn.cluster.AgglomerativeClustering``; `linkage` can be any method of `chamfer.linkage`.

    Examples
    --------
    >>> from chamfer.compat.sklearn import AgglomerativeClustering
    >>> AgglomerativeClustering(2).fit([[0.0], [1.0], [5.0], [6.5]]).labels_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Any = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str = "ward",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        super().__init__(
            n_clusters,
            metric=metric,
            memory=memory,
            connectivity=connectivity,
            compute_full_tree=compute_full_tree,
            linkage=linkage,
            distance_threshold=distance_threshold,
            compute_distances=compute_distances,
        )

    def _fit(self, X: Array, sample_weight: Any = None) -> None:
        super()._fit(X, sample_weight)
        if not (self.compute_distances or self.distance_threshold is not None):
            del self.distances_


class FeatureAgglomeration(features.FeatureAgglomeration):
    """scikit-learn's estimator that clusters columns, with Ward's linkage by default.

    Parameters
    ----------
    n_clusters, metric, memory, connectivity, compute_full_tree, linkage, pooling_func, distance_threshold, \
compute_distances
        As in ``sklearn.cluster.FeatureAgglomeration``; `linkage` can be any method of `chamfer.linkage`.

    Examples
    --------
    >>> from chamfer.compat.sklearn import FeatureAgglomeration
    >>> FeatureAgglomeration(2).fit_transform([[0.0, 0.2, 5.0], [1.0, 1.2, 7.0]])
    array([[0.1, 5. ],
           [1.1, 7. ]])
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Any = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str = "ward",
        pooling_func: Any = np.mean,
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        super().__init__(
            n_clusters,
            metric=metric,
            memory=memory,
            connectivity=connectivity,
            compute_full_tree=compute_full_tree,
            linkage=linkage,
            pooling_func=pooling_func,
            distance_threshold=distance_threshold,
            compute_distances=compute_distances,
        )


def ward_tree(
    X: Any, *, connectivity: Any = None, n_clusters: int | None = None, return_distance: bool = False
) -> tuple[Any, ...]:
    """Ward's tree as scikit-learn's ``ward_tree`` gives it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Observations.
    connectivity : array-like or sparse matrix, optional
        As in `AgglomerativeClustering`.
    n_clusters : int, optional
        Accepted for compatibility, with scikit-learn's warning; the tree is always computed in full.
    return_distance : bool, default=False
        Give the heights, too.

    Returns
    -------
    tuple
        Children, number of connected components, number of leaves, parents (None), and the heights if asked for.

    Examples
    --------
    >>> from chamfer.compat.sklearn import ward_tree
    >>> ward_tree([[0.0], [1.0], [5.0]])[0]
    array([[0, 1],
           [2, 3]])
    """
    return _tree(X, "ward", "euclidean", connectivity, n_clusters, return_distance)


def linkage_tree(
    X: Any,
    connectivity: Any = None,
    n_clusters: int | None = None,
    linkage: str = "complete",
    affinity: Any = "euclidean",
    return_distance: bool = False,
) -> tuple[Any, ...]:
    """The tree of complete, average or single linkage as scikit-learn's ``linkage_tree`` gives it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Observations, or distances with ``affinity="precomputed"``.
    connectivity, n_clusters, return_distance
        As in `ward_tree`.
    linkage : {"complete", "average", "single"}, default="complete"
        The linkage.
    affinity : str or callable, default="euclidean"
        A metric of `chamfer.linkage`, or a function of X that gives the matrix of distances.

    Returns
    -------
    tuple
        As in `ward_tree`.

    Examples
    --------
    >>> from chamfer.compat.sklearn import linkage_tree
    >>> linkage_tree([[0.0], [1.0], [5.0]], return_distance=True)[-1]
    array([1., 5.])
    """
    check_choice("linkage", linkage, _LINKAGES)
    if affinity == "cosine" and not np.asarray(X).any(axis=1).all():
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors")
    return _tree(X, linkage, affinity, connectivity, n_clusters, return_distance)


def _tree(
    X: Any, method: str, metric: Any, connectivity: Any, n_clusters: int | None, return_distance: bool
) -> tuple[Any, ...]:
    X = np.asarray(X)
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    if n_clusters is not None:
        check_integer("n_clusters", n_clusters, 1)
        warnings.warn("n_clusters does not shorten the tree, it is computed in full", UserWarning, stacklevel=3)
    if callable(metric):
        X, metric = metric(X), "precomputed"
    options, components = {}, 1
    if connectivity is not None:
        options, components = {"connectivity": connectivity}, connected_components(connectivity)[0]
    Z = hac.linkage(X, method, metric, **options)
    tree = Z[:, :2].astype(np.intp), components, len(Z) + 1, None
    return (*tree, Z[:, 2]) if return_distance else tree
