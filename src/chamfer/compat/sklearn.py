"""The classes and functions of ``sklearn.cluster`` that chamfer has: same arguments and defaults.

``from chamfer.compat.sklearn import AgglomerativeClustering`` replaces the same import from scikit-learn.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.metrics.pairwise import paired_distances

from chamfer import estimator, features, hac
from chamfer._types import Array
from chamfer.edges import check_graph, components, graph_of
from chamfer.inputs import check_choice, check_integer

_LINKAGES = ("complete", "average", "single")
_OF_EDGES = ("complete", "average")  # along a graph, scikit-learn knows the distances of edges only
_METRICS = ("euclidean", "l2", "l1", "manhattan", "cityblock", "cosine", "precomputed")

__all__ = ["AgglomerativeClustering", "FeatureAgglomeration", "linkage_tree", "ward_tree"]


class _AlongEdges(estimator.AgglomerativeClustering):
    """Merges along a graph as scikit-learn has them."""

    def _cached_linkage(self) -> Any:
        run = super()._cached_linkage()
        return run if self.connectivity is None else partial(_along_edges, run)


class AgglomerativeClustering(_AlongEdges):
    """scikit-learn's estimator: Ward's linkage by default, and `distances_` only if asked for.

    Along a graph, ``"complete"`` and ``"average"`` know the distances of edges only, and the shortest edge between each
    two components is added, as in scikit-learn.

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

    @property
    def distances_(self) -> Array:
        """Height of each merge, if asked for."""
        if not (self.compute_distances or self.distance_threshold is not None):
            raise AttributeError("distances_ is there only with compute_distances or distance_threshold")
        return super().distances_


class FeatureAgglomeration(_AlongEdges, features.FeatureAgglomeration):
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
    if connectivity is None:
        Z, count = hac.linkage(X, method, metric), 1
    else:
        graph = check_graph(connectivity, X, len(X))
        Z = _along_edges(hac.linkage, X, method=method, metric=metric, connectivity=graph)
        count = int(components(graph).max()) + 1
    tree = Z[:, :2].astype(np.intp), count, len(Z) + 1, None
    return (*tree, Z[:, 2]) if return_distance else tree


def _along_edges(run: Any, X: Any, *, method: str, metric: Any, connectivity: Any, **options: Any) -> Array:
    """Z by `run`, which is `linkage`, from the distances of edges alone where scikit-learn knows no others."""
    if isinstance(X, np.ndarray) and metric in _METRICS:
        row, col = _joined(X, connectivity, metric)
        if method in _OF_EDGES:
            lengths = X[row, col] if metric == "precomputed" else paired_distances(X[row], X[col], metric=metric)
            X, metric = coo_array((lengths, (row, col)), shape=connectivity.shape), "precomputed"
            options, connectivity = {**options, "default": np.nan}, None
        else:
            connectivity = graph_of(row, col, len(X))
    return run(X, method=method, metric=metric, connectivity=connectivity, **options)  # type: ignore[no-any-return]


def _joined(X: Array, graph: Any, metric: str) -> tuple[Array, Array]:
    """Edges, each once, and the shortest between each two components, with a warning: scikit-learn adds these."""
    edges, label = graph.tocoo(), components(graph)
    once = edges.row < edges.col
    row, col = [edges.row[once]], [edges.col[once]]
    parts = [np.flatnonzero(label == each) for each in range(int(label.max()) + 1)]
    if len(parts) > 1:
        warnings.warn(
            f"the number of connected components of the connectivity matrix is {len(parts)} > 1. Completing it by "
            "the shortest edge between each two of them, as scikit-learn does.",
            UserWarning,
            stacklevel=3,
        )
    for i, one in enumerate(parts):
        for other in parts[:i]:
            near, distance = _nearest_in(X, one, other, metric)
            at = int(np.argmin(distance))
            row.append(one[at : at + 1])
            col.append(other[near[at : at + 1]])
    return np.concatenate(row), np.concatenate(col)


def _nearest_in(X: Array, one: Array, other: Array, metric: str) -> tuple[Array, Array]:
    """For each point of one component the nearest of the other, and its distance."""
    if metric != "precomputed":
        return pairwise_distances_argmin_min(X[one], X[other], metric=metric)  # type: ignore[no-any-return]
    between = X[np.ix_(one, other)]
    return between.argmin(axis=1), between.min(axis=1)
