"""The libraries that are compared, each as a function from data and method to whatever it returns.

A peer that does not know a method is left out for it. Chamfer linkage exists nowhere else: its time is
compared with the peers' time for average linkage, which does the same amount of work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[[Any, str], Any]

CLASSICAL = ("single", "average", "complete", "weighted", "ward", "centroid", "median")
METHODS = (*CLASSICAL, "chamfer")
STAND_IN = "average"  # what peers run where we run Chamfer linkage


def chamfer_linkage(X: Any, method: str) -> Any:
    import chamfer

    return chamfer.linkage(X, method)


def fastcluster_linkage(X: Any, method: str) -> Any:
    import fastcluster

    return fastcluster.linkage(X, method)


def fastcluster_vector(X: Any, method: str) -> Any:
    import fastcluster

    return fastcluster.linkage_vector(X, method)


def scipy_linkage(X: Any, method: str) -> Any:
    from scipy.cluster.hierarchy import linkage

    return linkage(X, method)


def sklearn_fit(X: Any, method: str) -> Any:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=None, distance_threshold=0, linkage=method).fit(X)


LIBRARIES: dict[str, tuple[Run, tuple[str, ...]]] = {
    "chamfer": (chamfer_linkage, METHODS),
    "fastcluster": (fastcluster_linkage, CLASSICAL),
    "fastcluster vector": (fastcluster_vector, ("single", "ward", "centroid", "median")),
    "scipy": (scipy_linkage, CLASSICAL),
    "scikit-learn": (sklearn_fit, ("single", "average", "complete", "ward")),
}


def peer_method(library: str, method: str) -> str | None:
    """Choose the method that `library` is timed with where we run `method`; None if it has none."""
    known = LIBRARIES[library][1]
    if method.startswith("chamfer") and library != "chamfer":
        method = STAND_IN
    return method if method in known else None
