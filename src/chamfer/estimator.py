"""`AgglomerativeClustering`: scikit-learn's estimator on top of `linkage`."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, check_memory, validate_data

from chamfer._types import FAST_METRICS, Array, Metric, is_distributed, measure
from chamfer.distances import pairwise
from chamfer.hac import linkage as run_linkage
from chamfer.inputs import (
    check_choice,
    check_distributed,
    check_integer,
    check_metric,
    check_number,
    rounding,
    text_column,
)
from chamfer.methods import METHODS
from chamfer.sources.make import RECALL
from chamfer.trees.choose import choose
from chamfer.trees.dendrogram import ORDERS, Dendrogram

_BLOCK = 256  # queries whose distances are computed at a time


class AgglomerativeClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical clustering with scikit-learn's interface and a better default linkage.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default=2
        Number of clusters; ``"auto"`` takes the number that `chamfer.choose` suggests. Must be None if
        `distance_threshold` is given.
    metric : str or callable, default="euclidean"
        As in `chamfer.linkage`; with ``"precomputed"``, `fit` takes a square matrix of distances.
    memory : str or joblib.Memory, optional
        Where to cache the tree, so that another number of clusters does not compute it again.
    connectivity : None
        Not supported: clusters may merge across all points.
    compute_full_tree : object, default="auto"
        Accepted for compatibility with scikit-learn; ignored. The tree is always computed in full.
    linkage : str, default="chamfer"
        Any method of `chamfer.linkage`.
    distance_threshold : float, optional
        Stop before the first merge of this height or higher; `n_clusters` must be None then.
    compute_distances : bool, default=False
        Accepted for compatibility with scikit-learn; ignored. `distances_` is always there.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges the cut applies first, see `chamfer.cut`.
    n_neighbors, epsilon, engine, source, recall, t, n_jobs, memory_limit, checkpoint, progress
        As in `chamfer.linkage`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each point, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    choice_ : chamfer.Choice
        Why there are so many, with ``n_clusters="auto"``.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        SciPy's linkage matrix of the whole tree.
    children_ : ndarray of shape (n_samples - 1, 2)
        The two clusters joined by each merge.
    distances_ : ndarray of shape (n_samples - 1,)
        Height of each merge.
    n_leaves_ : int
        Number of points.
    n_connected_components_ : int
        Always 1.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray
        Their names, if `X` was a data frame with names.

    Examples
    --------
    >>> import chamfer
    >>> model = chamfer.AgglomerativeClustering(n_clusters=2).fit([[0.0], [1.0], [5.0], [6.5]])
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.predict([[4.0]])
    array([1])
    """

    def __init__(
        self,
        n_clusters: int | str | None = 2,
        *,
        metric: Metric = "euclidean",
        memory: Any = None,
        connectivity: None = None,
        compute_full_tree: Any = "auto",
        linkage: str = "chamfer",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
        order: str = "merge",
        n_neighbors: int = 15,
        epsilon: float = 0.0,
        engine: str = "auto",
        source: Any = "auto",
        recall: float = RECALL,
        t: int | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        checkpoint: Any = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances
        self.order = order
        self.n_neighbors = n_neighbors
        self.epsilon = epsilon
        self.engine = engine
        self.source = source
        self.recall = recall
        self.t = t
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> AgglomerativeClustering:
        """Cluster the rows of `X`, or the points behind a square matrix of distances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Observations, or distances with ``metric="precomputed"``. A Dask array stays where it is, see `DaskSource`.
        y : None
            Ignored.

        Returns
        -------
        AgglomerativeClustering
            The fitted estimator.
        """
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("give exactly one of n_clusters and distance_threshold, the other must be None")
        if self.connectivity is not None:
            raise ValueError("connectivity must be None, neighbour graphs are not supported")
        check_choice("order", self.order, ORDERS)
        check_choice("linkage", self.linkage, METHODS)
        if is_distributed(X):
            X = check_distributed(X)
            self.n_features_in_ = X.shape[1]
        else:
            X = self._validate(X)
        n_clusters: Any = None
        height = None
        if self.distance_threshold is None:
            n_clusters = self._check_number(X.shape[0])
        else:
            threshold = check_number("distance_threshold", self.distance_threshold, 0)
            height = float(np.nextafter(threshold, -np.inf))  # a merge at the threshold is one too many
        Z = check_memory(self.memory).cache(run_linkage, ignore=["n_jobs", "memory_limit", "checkpoint", "progress"])(
            X,
            method=self.linkage,
            metric=self.metric,
            n_neighbors=self.n_neighbors,
            epsilon=self.epsilon,
            engine=self.engine,
            source=self.source,
            recall=self.recall,
            t=self.t,
            n_jobs=self.n_jobs,
            memory_limit=self.memory_limit,
            checkpoint=self.checkpoint,
            progress=self.progress,
        )
        tree = Dendrogram(Z)
        if n_clusters == "auto":
            self.choice_ = choose(
                Z, X, metric=self.metric, order=self.order, n_jobs=self.n_jobs, progress=self.progress
            )
            n_clusters = self.choice_.n_clusters
        self.labels_ = tree.cut(n_clusters, height=height, order=self.order)
        self.linkage_matrix_ = Z
        self.children_ = tree.children
        self.distances_ = Z[:, 2].copy()
        self.n_leaves_ = tree.n_points
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_connected_components_ = 1
        self._fit_X = X
        return self

    def _check_number(self, n: int) -> Any:
        if isinstance(self.n_clusters, str):
            return check_choice("n_clusters", self.n_clusters, ("auto",))
        return check_integer("n_clusters", self.n_clusters, 1, n)

    def _validate(self, X: Any, reset: bool = True) -> Array:
        """X as scikit-learn's estimators take it, for `fit` or, without `reset`, for `predict`."""
        options = {"reset": reset, "ensure_min_samples": 2 if reset else 1}
        try:
            with np.errstate(invalid="ignore", over="ignore"):  # of sums by which it looks for infinities
                array = np.asarray(validate_data(self, X, dtype=[np.float64, np.float32], **options))
        except (OverflowError, ValueError) as error:
            if isinstance(error, ValueError) and not text_column(X):
                raise
            raise ValueError(f"X must be an array of real numbers: {text_column(X) or error}") from error
        if reset and self.metric == "precomputed" and array.min() < -rounding(array):
            raise ValueError(f"Negative values in data: X must hold distances of at least 0, got {array.min()}")
        return array

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of `X` and give their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Observations, or distances with ``metric="precomputed"``.
        y : None
            Ignored.

        Returns
        -------
        ndarray or pandas.Series of shape (n_samples,)
            Labels, see `set_output`.
        """
        return self._output(self.fit(X).labels_, X)

    def predict(self, X: Any) -> Any:
        """Give each row of `X` the cluster of its nearest training point.

        For a single point a, Chamfer's Ch({a}, B) is the distance to the nearest point of B: this is the cluster that
        Chamfer linkage would merge the point with.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            New observations, or their distances to the training points with ``metric="precomputed"``.

        Returns
        -------
        ndarray or pandas.Series of shape (n_queries,)
            Labels, see `set_output`.
        """
        check_is_fitted(self)
        if is_distributed(self._fit_X):
            raise ValueError("X of fit was on a cluster, and predict needs the points here")
        queries = self._validate(X, reset=False)
        metric = check_metric(self.metric)
        nearest = queries.argmin(axis=1) if metric == "precomputed" else _nearest(queries, self._fit_X, metric)
        return self._output(self.labels_[nearest], X)

    def set_output(self, *, predict: str | None = None) -> AgglomerativeClustering:
        """Choose what `fit_predict` and `predict` give, as ``set_output`` of transformers does for ``transform``.

        Parameters
        ----------
        predict : {"default", "pandas"} or None, default=None
            ``"default"`` is an array; ``"pandas"`` a series named ``label`` with the index of `X`, or a new one if `X`
            has none. None changes nothing. `labels_` is an array always.

        Returns
        -------
        AgglomerativeClustering
            The estimator itself.

        Examples
        --------
        >>> import chamfer, pandas
        >>> frame = pandas.DataFrame({"x": [0.0, 1.0, 5.0]}, index=["ann", "bob", "eve"])
        >>> chamfer.AgglomerativeClustering(2).set_output(predict="pandas").fit_predict(frame)
        ann    0
        bob    0
        eve    1
        Name: label, dtype: int64
        """
        if predict is not None:
            check_choice("predict", predict, ("default", "pandas"))
            self._sklearn_output_config = {"predict": predict}  # the name that scikit-learn's `clone` copies
        return self

    def _output(self, labels: Array, X: Any) -> Any:
        if getattr(self, "_sklearn_output_config", {}).get("predict") != "pandas":
            return labels
        import pandas as pd

        return pd.Series(labels, index=X.index if isinstance(X, pd.DataFrame) else None, name="label")

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{self._picture()}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._picture()
        return bundle

    def _picture(self) -> str:
        """The tree with its clusters in colour, for notebooks, once there is one."""
        if not hasattr(self, "linkage_matrix_"):
            return ""
        tree = Dendrogram(self.linkage_matrix_)
        clusters = f"{self.n_clusters_:,} cluster{'' if self.n_clusters_ == 1 else 's'}"
        caption = f"{tree.n_points:,} points in {clusters}, {escape(str(self.linkage))} linkage"
        return f"<figure><figcaption>{caption}</figcaption>{tree.sketch(self.n_clusters_, order=self.order)}</figure>"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags


def _nearest(queries: Array, X: Array, metric: Metric) -> Array:
    """Position of the nearest row of X for each query, by distances as `linkage` has them."""
    if metric in FAST_METRICS:
        from sklearn.metrics import pairwise_distances_argmin  # takes long to import

        # Small norms keep the digits of products, so points and queries are brought near the origin.
        both = np.concatenate([X, queries])
        both, _ = measure(both, metric, both.min(axis=0), both.max(axis=0))
        both -= pairwise.centre(both)
        return np.asarray(pairwise_distances_argmin(both[len(X) :], both[: len(X)]))
    options = pairwise.whole_data_options(X, metric)
    nearest = []
    for first in range(0, len(queries), _BLOCK):
        block = pairwise.rows_of_distances(queries[first : first + _BLOCK], X, metric, options)
        if np.isnan(block).any():
            raise ValueError(f"metric {metric!r} gave distances that are not numbers")
        nearest.append(block.argmin(axis=1))
    return np.concatenate(nearest)
