"""`AgglomerativeClustering`: scikit-learn's estimator on top of `linkage`."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted, check_memory

from chamfer._types import FAST_METRICS, Array, Metric, is_distributed
from chamfer.edges import check_graph, components
from chamfer.hac import EXACT, NEIGHBORS, few
from chamfer.hac import linkage as run_linkage
from chamfer.inputs import check_choice, check_distributed, check_integer, check_number, with_params
from chamfer.methods import METHODS
from chamfer.prediction import Prediction, matrix_of
from chamfer.sources.make import RECALL
from chamfer.trees.choose import choose
from chamfer.trees.dendrogram import ORDERS, Dendrogram, cut_in_merge_order, is_one_tree
from chamfer.trees.layers import ClusterLayers

_AUTO, _MERGE = "auto", "merge"
_ndarray = np.ndarray  # for few points, where finding it takes time


class AgglomerativeClustering(ClusterMixin, Prediction):  # type: ignore[misc]
    """Hierarchical clustering with scikit-learn's interface and a better default linkage.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default=2
        Number of clusters; ``"auto"`` takes the number that `chamfer.choose` suggests. Must be None if
        `distance_threshold` is given.
    metric : str or callable, default="euclidean"
        A name as in `chamfer.linkage`; with ``"precomputed"``, `fit` takes a square matrix of distances. A function
        takes X and returns the matrix of distances, as in scikit-learn; `predict` calls it with the new rows and X.
    memory : str or joblib.Memory, optional
        Where to cache the tree, so that another number of clusters does not compute it again.
    connectivity : sparse matrix, array, callable or "chain", optional
        Clusters may merge only along its edges, see `chamfer.linkage`.
    compute_full_tree : object, default="auto"
        Accepted for compatibility with scikit-learn; the tree is always computed in full. False is an error with
        `distance_threshold`.
    linkage : str, default="chamfer"
        Any method of `chamfer.linkage`.
    distance_threshold : float, optional
        Stop before the first merge of this height or higher; `n_clusters` must be None then.
    compute_distances : bool, default=False
        Accepted for compatibility with scikit-learn; ignored. `distances_` is always there.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges the cut applies first, see `chamfer.cut`.
    metric_params, n_neighbors, epsilon, engine, source, recall, t, n_jobs, memory_limit, checkpoint, progress
        As in `chamfer.linkage`.
    must_link, cannot_link, max_size, forest
        As in `chamfer.linkage`. `n_clusters` must not be smaller than the number of trees that they leave.

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
        Number of components of `connectivity`; 1 without it.
    cluster_layers_ : list of ndarray of shape (n_samples,)
        Labels of the layers that `chamfer.layers` finds, the finest first; `labels_` alone if it finds none. This and
        the next attributes have the names and forms of EVoC, for toponymy and DataMapPlot. They are computed when they
        are first used.
    cluster_tree_ : dict of tuple to list of tuple
        For each cluster (layer, label), its parts in the next finer layer; those of (number of layers, 0) are the
        clusters of the coarsest layer.
    membership_strengths_ : ndarray of shape (n_samples,)
        How firmly each point belongs to its cluster, from 0 to 1: the density 1 / height at which it leaves the
        condensed tree, see `chamfer.condense`, as a share of the largest in the cluster.
    membership_strength_layers_ : list of ndarray of shape (n_samples,)
        The same for each of `cluster_layers_`.
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
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str = "chamfer",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
        order: str = _MERGE,
        n_neighbors: int = NEIGHBORS,
        epsilon: float = EXACT,
        engine: str = _AUTO,
        source: Any = _AUTO,
        recall: float = RECALL,
        t: int | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        checkpoint: Any = None,
        progress: bool = False,
        must_link: Any = None,
        cannot_link: Any = None,
        max_size: float | None = None,
        forest: bool = False,
        metric_params: Any = None,
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
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.max_size = max_size
        self.forest = forest
        self.metric_params = metric_params

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> AgglomerativeClustering:
        """Cluster the rows of `X`, or the points behind a square matrix of distances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or array-like of shape (n_samples, n_samples)
            Observations, or distances with ``metric="precomputed"``. A Dask array stays where it is, see `DaskSource`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight w counts as w points at the same place.

        Returns
        -------
        AgglomerativeClustering
            The fitted estimator.
        """
        if sample_weight is None and type(X) is _ndarray and self._fit_few(X):
            return self
        if is_distributed(X):
            X = check_distributed(X)
            self.n_features_in_ = X.shape[1]
        else:
            X = self._validate(X)
        self._fit(X, sample_weight)
        return self

    def _fit_few(self, X: Array) -> bool:
        """Do all of `fit` for few points and default options, if that is what there is.

        The core looks for what `_validate` refuses and says None to it.
        """
        k = self.n_clusters
        if not (
            self.engine is self.source is _AUTO
            and self.order is _MERGE
            and self.n_neighbors is NEIGHBORS
            and self.epsilon is EXACT
            and self.t is self.n_jobs is self.memory_limit is self.checkpoint is self.metric_params is None
            and self.connectivity is self.must_link is self.cannot_link is self.max_size is None
            and self.distance_threshold is self.memory is None
            and self.progress is False
            and type(k) is int
            and X.ndim == 2
            and 0 < k <= len(X)
        ):
            return False
        Z = few(X, self.linkage, self.metric)
        if Z is None:
            return False
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._fit_X, self.linkage_matrix_ = X, Z
        self.labels_ = cut_in_merge_order(Z, k)
        self.n_leaves_, self.n_features_in_ = X.shape
        self.n_clusters_ = self._n_features_out = k
        self.n_connected_components_ = 1
        return True

    def _fit(self, X: Array, sample_weight: Any = None) -> None:
        """Cluster the rows of an array that was checked."""
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("Exactly one of n_clusters and distance_threshold must be given, the other must be None")
        if self.distance_threshold is not None and self.compute_full_tree is False:
            raise ValueError("compute_full_tree must be True if distance_threshold is given, got False")
        check_choice("order", self.order, ORDERS)
        check_choice("linkage", self.linkage, METHODS)
        n_clusters: Any = None
        height = None
        if self.distance_threshold is None:
            n_clusters = self._check_number(X.shape[0])
        else:
            threshold = check_number("distance_threshold", self.distance_threshold, 0)
            height = float(np.nextafter(threshold, -np.inf))  # a merge at the threshold is one too many
        graph = None if self.connectivity is None else check_graph(self.connectivity, X, X.shape[0])
        self._fit_X, metric = X, with_params(self.metric, self.metric_params)
        if callable(metric):
            X, metric = matrix_of(metric, X), "precomputed"
        Z = self._cached_linkage()(
            X,
            method=self.linkage,
            metric=metric,
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
            sample_weight=sample_weight,
            connectivity=graph,
            must_link=self.must_link,
            cannot_link=self.cannot_link,
            max_size=self.max_size,
            forest=self.forest,
        )
        if n_clusters == "auto":
            self.choice_ = choose(Z, X, metric=metric, order=self.order, n_jobs=self.n_jobs, progress=self.progress)
            n_clusters = self.choice_.n_clusters
        self.labels_ = self._cut(Z, n_clusters, height)
        self.linkage_matrix_ = Z
        self.n_leaves_ = len(Z) + 1
        self.n_clusters_ = self._n_features_out = int(self.labels_.max()) + 1
        self.n_connected_components_ = 1 if graph is None else int(components(graph).max()) + 1

    def _cut(self, Z: Array, n_clusters: int | None, height: float | None) -> Array:
        if n_clusters is not None and self.order == "merge" and self.memory is None and is_one_tree(Z):
            return cut_in_merge_order(Z, n_clusters)  # what `linkage` has just made needs no check
        return Dendrogram(Z).cut(n_clusters, height=height, order=self.order)

    def _cached_linkage(self) -> Any:
        if self.memory is None:
            return run_linkage
        unimportant = ["n_jobs", "memory_limit", "checkpoint", "progress"]
        return check_memory(self.memory).cache(run_linkage, ignore=unimportant)

    @property
    def children_(self) -> Array:
        """The two clusters joined by each merge."""
        return self._columns[1]

    @property
    def distances_(self) -> Array:
        """Height of each merge."""
        return self._columns[2]

    @property
    def _columns(self) -> tuple[Array, Array, Array]:
        """The tree, and what it says in a type of its own: made when somebody asks, as few do."""
        check_is_fitted(self, "linkage_matrix_")
        Z = self.linkage_matrix_
        found: tuple[Array, Array, Array] | None = self.__dict__.get("_columns_found")
        if found is None or found[0] is not Z:  # fitted again since
            found = self._columns_found = Z, Z[:, :2].astype(np.int64), Z[:, 2].copy()
        return found

    @property
    def cluster_layers_(self) -> list[Array]:
        """Labels of natural layers, the finest first."""
        return self._layers.labels

    @property
    def cluster_tree_(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """Parts of each cluster of the layers."""
        return self._layers.tree()

    @property
    def membership_strengths_(self) -> Array:
        """How firmly each point belongs to its cluster."""
        return self._layers.own_strengths

    @property
    def membership_strength_layers_(self) -> list[Array]:
        """How firmly each point belongs to its cluster of each layer."""
        return self._layers.strengths

    @property
    def _layers(self) -> ClusterLayers:
        check_is_fitted(self, "linkage_matrix_")
        found = self.__dict__.get("_layers_found")
        if found is None or found[0] is not self.labels_:  # fitted again since
            found = self.labels_, ClusterLayers(self.linkage_matrix_, self.labels_, self.order)
            self._layers_found = found
        return found[1]

    def _check_number(self, n: int) -> Any:
        if isinstance(self.n_clusters, str):
            return check_choice("n_clusters", self.n_clusters, ("auto",))
        return check_integer("n_clusters", self.n_clusters, 1, n)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of `X` and give their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Observations, or distances with ``metric="precomputed"``.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`.

        Returns
        -------
        ndarray or pandas.Series of shape (n_samples,)
            Labels, see `set_output`.
        """
        return self._output(self.fit(X, None, sample_weight).labels_, X)

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
        tags.input_tags.sparse = self.metric in FAST_METRICS
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags
