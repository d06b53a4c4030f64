"""`KNeighborsTransformer`: scikit-learn's transformer on top of `neighbors`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from chamfer._types import FAST_METRICS, Array, Metric, Points
from chamfer.distances.rows import RowDistances, check_distances
from chamfer.inputs import check_choice, check_integer, check_metric
from chamfer.nearest import Neighbors, as_graph, in_callers_unit, neighbors
from chamfer.sources.make import RECALL
from chamfer.sources.visit import nearest_rows
from chamfer.threads import check_threads

_BLOCK = 256  # queries whose distances are computed at a time
_MODES = ("distance", "connectivity")


class KNeighborsTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Nearest neighbours as a sparse graph, with scikit-learn's interface.

    It can be used wherever a transformer of neighbours is asked for, as in ``scanpy.pp.neighbors(transformer=...)`` or
    in a pipeline with an estimator that takes ``metric="precomputed"``.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        What the graph holds: distances, or ones.
    n_neighbors : int, default=5
        Neighbours of each row. As in scikit-learn, rows of distances have one entry more, so that a training row has
        as many besides itself.
    metric : str or callable, default="euclidean"
        As in `chamfer.linkage`, but not ``"precomputed"``.
    source : {"auto", "blas", "tree", "cdist", "ann"}, default="auto"
        How the neighbours of training rows are found, as in `chamfer.neighbors`; ``"ann"`` is approximate. Other rows
        get exact neighbours always.
    recall : float, default=0.98
        With ``source="ann"``: the share of nearest neighbours to find, see `chamfer.neighbors`.
    random_state : int, optional
        With ``source="ann"``: the `rng` of `chamfer.neighbors`.
    n_jobs : int, optional
        Number of threads, as in `chamfer.linkage`.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.
    recall_ : float
        The share of nearest neighbours that `fit_transform` has found: 1 if the search was exact.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray
        Their names, if `X` was a data frame with names.

    Examples
    --------
    >>> import chamfer
    >>> model = chamfer.KNeighborsTransformer(n_neighbors=1)
    >>> model.fit_transform([[0.0], [1.0], [5.0], [6.5]]).toarray()
    array([[0. , 1. , 0. , 0. ],
           [1. , 0. , 0. , 0. ],
           [0. , 0. , 0. , 1.5],
           [0. , 0. , 1.5, 0. ]])
    """

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int = 5,
        metric: Metric = "euclidean",
        source: str = "auto",
        recall: float = RECALL,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.source = source
        self.recall = recall
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KNeighborsTransformer:
        """Keep the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : None
            Ignored.

        Returns
        -------
        KNeighborsTransformer
            The fitted transformer.
        """
        check_choice("mode", self.mode, _MODES)
        if check_metric(self.metric) == "precomputed":
            raise ValueError("metric must be a distance between rows, got 'precomputed'")
        self._fit_X = self._validate(X, reset=True)
        self.n_samples_fit_ = self._n_features_out = len(self._fit_X)
        return self

    def _validate(self, X: Any, reset: bool) -> Array:
        options = {"reset": reset, "ensure_min_samples": 2 if reset else 1}
        return np.asarray(validate_data(self, X, dtype=[np.float64, np.float32], order="C", copy=reset, **options))

    def transform(self, X: Any) -> csr_matrix:
        """Give the graph from the rows of `X` to the training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows. The training rows, unchanged, find themselves first.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit)
            Distances or ones, nearest first in each row.
        """
        check_is_fitted(self)
        k = check_integer("n_neighbors", self.n_neighbors, 1) + (self.mode == "distance")
        return self.kneighbors_graph(X, k, self.mode)

    def fit_transform(self, X: Any, y: Any = None) -> csr_matrix:
        """Fit to `X`, then transform it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : None
            Ignored.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_samples)
            The graph.
        """
        k = check_integer("n_neighbors", self.n_neighbors, 1) + (self.mode == "distance")
        indices, distances, self.recall_ = self.fit(X)._own_with_self(k)
        return self._graph(distances, indices, self.mode)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> csr_matrix:
        """Give the graph from the rows of `X` to their nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), optional
            Rows; by default the training rows, which then are not their own neighbours.
        n_neighbors : int, optional
            Entries of a row; as given to the constructor by default.
        mode : {"connectivity", "distance"}, default="connectivity"
            What the graph holds: ones, or distances.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit)
            The graph.
        """
        check_choice("mode", mode, _MODES)
        distances, indices = self.kneighbors(X, n_neighbors)
        return self._graph(distances, indices, mode)

    def _graph(self, distances: Array, indices: Array, mode: str) -> csr_matrix:
        values = distances if mode == "distance" else np.ones(distances.shape)
        return csr_matrix(as_graph(indices, values, self.n_samples_fit_))

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), optional
            Rows; by default the training rows, which then are not their own neighbours.
        n_neighbors : int, optional
            Neighbours of each row; as given to the constructor by default.
        return_distance : bool, default=True
            Give distances as well.

        Returns
        -------
        tuple of ndarray of shape (n_queries, n_neighbors)
            Distances and indices, nearest first; or indices alone.
        """
        check_is_fitted(self)
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        most = self.n_samples_fit_ - (X is None)
        k = check_integer("n_neighbors", wanted, 1, most)
        if X is None:
            found = self._own(k)
            distances, indices = found.distances, found.indices
        else:
            rows = self._validate(X, reset=False)
            if rows.shape == self._fit_X.shape and np.array_equal(rows, self._fit_X):
                indices, distances, _ = self._own_with_self(k)
            else:
                distances, indices = self._others(rows, k)
        return (distances, indices) if return_distance else indices

    def _own(self, k: int) -> Neighbors:
        """Neighbours of training rows."""
        return neighbors(
            self._fit_X,
            k,
            metric=self.metric,
            source=self.source,
            recall=self.recall,
            rng=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _own_with_self(self, k: int) -> tuple[Array, Array, float]:
        """The same with the rows themselves, nearest first: indices, distances, recall."""
        n = self.n_samples_fit_
        if k == 1:
            return np.arange(n, dtype=np.int32)[:, None], np.zeros((n, 1), self._fit_X.dtype), 1.0
        found = self._own(k - 1)
        return *found.with_self(), found.recall

    def _others(self, rows: Array, k: int) -> tuple[Array, Array]:
        """Neighbours of rows from elsewhere, exactly."""
        metric = check_metric(self.metric)
        if metric not in FAST_METRICS:
            return self._others_by_cdist(rows, k, metric)
        answer, exponent = nearest_rows(self._fit_X, rows, metric, k, check_threads(self.n_jobs))
        return in_callers_unit(answer.distances, exponent), answer.clusters

    def _others_by_cdist(self, rows: Array, k: int, metric: Metric) -> tuple[Array, Array]:
        between = RowDistances(Points(self._fit_X, metric, exponent=0)).between
        distances, indices = np.empty((len(rows), k)), np.empty((len(rows), k), np.int32)
        for first in range(0, len(rows), _BLOCK):
            part = slice(first, first + _BLOCK)
            block = check_distances(between(rows[part]), metric, np.float64, self.n_samples_fit_)
            indices[part] = np.argsort(block, axis=1, kind="stable")[:, :k]
            distances[part] = np.take_along_axis(block, indices[part], axis=1)
        return distances, indices
