"""`FeatureAgglomeration`: clusters of columns, each replaced by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from chamfer._types import Array, Metric
from chamfer.estimator import AgglomerativeClustering


class FeatureAgglomeration(AgglomerativeClustering):
    """Cluster the columns of X, and replace those of a cluster by their mean.

    Parameters
    ----------
    n_clusters, metric, memory, connectivity, compute_full_tree, linkage, distance_threshold, compute_distances
        As in `AgglomerativeClustering`, for columns in the place of rows.
    pooling_func : callable, default=numpy.mean
        Makes one column of several: takes an array of shape (n_samples, columns) and ``axis=1``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_features,)
        Cluster of each column, numbered by first appearance.
    n_clusters_, linkage_matrix_, children_, distances_, n_leaves_, n_features_in_, feature_names_in_
        As in `AgglomerativeClustering`.

    Examples
    --------
    >>> import chamfer
    >>> pooled = chamfer.FeatureAgglomeration(2).fit([[0.0, 0.2, 5.0], [1.0, 1.2, 7.0]])
    >>> pooled.labels_
    array([0, 0, 1])
    >>> pooled.transform([[1.0, 3.0, 4.0]])
    array([[2., 4.]])
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Metric = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str = "chamfer",
        pooling_func: Callable[..., Any] = np.mean,
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
        self.pooling_func = pooling_func

    def fit(self, X: Any, y: Any = None) -> FeatureAgglomeration:  # type: ignore[override]
        """Cluster the columns of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : None
            Ignored.

        Returns
        -------
        FeatureAgglomeration
            The fitted estimator.
        """
        X = validate_data(self, X, ensure_min_features=2, dtype=[np.float64, np.float32])
        self._fit(np.ascontiguousarray(X.T))
        return self

    def transform(self, X: Any) -> Array:
        """Replace the columns of each cluster by one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            A column for each cluster.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        if self.pooling_func is not np.mean:
            return np.stack(
                [self.pooling_func(X[:, self.labels_ == each], axis=1) for each in range(self.n_clusters_)], axis=1
            )
        order = np.argsort(self.labels_, kind="stable")
        sizes = np.bincount(self.labels_)
        return np.asarray(np.add.reduceat(X[:, order], np.cumsum(sizes) - sizes, axis=1) / sizes)

    def inverse_transform(self, X: Any) -> Array:
        """Give each column of a cluster the value of the cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_clusters)
            What `transform` gives.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            A column for each feature.
        """
        check_is_fitted(self)
        return np.asarray(np.asarray(X)[..., self.labels_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = False
        return tags

    @property
    def fit_predict(self) -> Any:
        """Labels are of columns; a table has none for its rows."""
        raise AttributeError("FeatureAgglomeration clusters columns, see labels_; there is no fit_predict")

    @property
    def predict(self) -> Any:
        """Columns have no new ones to be predicted."""
        raise AttributeError("FeatureAgglomeration clusters columns, see labels_; there is no predict")
