"""The other libraries and clusterings that we are compared with, as their users would call them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.memory import require_memory

# The linkages that each library has, with the metric that gives the paper's tree there.
_SQUARED = {"average": "sqeuclidean", "complete": "sqeuclidean", "single": "euclidean", "ward": "euclidean"}
LIBRARIES = {
    "fastcluster": {**_SQUARED, "centroid": "euclidean"},
    "scikit-learn": _SQUARED,
}


def installed(library: str) -> bool:
    """Whether a library can be imported."""
    return find_spec({"scikit-learn": "sklearn"}.get(library, library)) is not None


def build_tree(library: str, X: Array, method: str) -> Any:
    """Run another library's hierarchical clustering."""
    metric = LIBRARIES[library][method]
    n = len(X)
    require_memory(n * (n - 1) // 2 * 8, f"{library} of {n} points", "take fewer points")
    if library == "fastcluster":
        import fastcluster

        return fastcluster.linkage(X, method, metric)
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(2, linkage=method, metric=metric, compute_full_tree=True).fit(X)


def k_means(X: Array, k: int) -> Array:
    """Cluster by k-means, the best of ten starts."""
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(k, n_init=10, random_state=0).fit_predict(X))


def spectral(X: Array, k: int) -> Array:
    """Cluster by the spectrum of the graph of ten nearest neighbours."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=min(10, len(X)), random_state=0)
    return np.asarray(model.fit_predict(X))


def hdbscan(X: Array, k: int) -> Array:
    """Cluster by density, with the smallest cluster size that gives the number of clusters nearest to k.

    HDBSCAN chooses the number itself, so this is as near to "at the same k" as it comes. Noise counts as one
    more cluster.
    """
    from sklearn.cluster import HDBSCAN

    sizes = [size for size in (5, 10, 20, 50, 100, 200, 500) if size <= max(5, len(X) // k)]
    results = [np.asarray(HDBSCAN(min_cluster_size=size).fit_predict(X)) for size in sizes]
    return min(results, key=lambda labels: abs(int(labels.max()) + 1 - k))


# With the largest number of points for which each is feasible.
CLUSTERINGS: dict[str, tuple[Callable[[Array, int], Array], int]] = {
    "k-means": (k_means, 1_000_000),
    "HDBSCAN": (hdbscan, 10_000),
    "spectral": (spectral, 10_000),
}


def cluster(name: str, X: Array, k: int) -> Array:
    """Run another clustering, its warnings left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CLUSTERINGS[name][0](X, k)
