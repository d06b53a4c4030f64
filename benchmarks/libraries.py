"""The libraries that are compared, each as a function from data and method to whatever it returns.

Other libraries compute in float64 whatever they are given. They have no Chamfer linkage; where we run it, they run
average linkage, which does the same amount of work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from benchmarks.data import Array

STAND_IN = "average"
_CLASSICAL = ("single", "average", "complete", "weighted", "ward", "centroid", "median")
_CENTRES = ("single", "ward", "centroid", "median")
Run = Callable[[Array, Array | None, str, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Library:
    """A package, how to call it, and the methods that it knows; all that there are if none are named."""

    package: str
    run: Run
    methods: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The version that is installed; nothing if it is not."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""

    def method(self, wanted: str) -> str | None:
        """Give the method to run where we run `wanted`, if there is one."""
        if not self.methods:
            return wanted
        known = STAND_IN if wanted.startswith("chamfer") else wanted
        return known if known in self.methods else None


def _chamfer(X: Array, y: Array | None, method: str, options: Mapping[str, Any]) -> Any:
    import chamfer

    if method == "cut":
        return chamfer.cut(X, **options)
    if method == "best_cut":
        return chamfer.best_cut(X, y, **options).labels
    return chamfer.linkage(X, method, **options)


def _function(module: str, name: str) -> Run:
    """Give a function of another library that takes points and a method; it is imported when it is called."""
    return lambda X, y, method, options: getattr(import_module(module), name)(X, method)


def _scikit_learn(X: Array, y: Array | None, method: str, options: Mapping[str, Any]) -> Any:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=None, distance_threshold=0, linkage=method).fit(X)


def _multiply(X: Array, y: Array | None, method: str, options: Mapping[str, Any]) -> None:
    """Multiply all rows by all, block by block: the least that distances of all pairs cost."""
    for first in range(0, len(X), 1024):
        X[first : first + 1024] @ X.T


LIBRARIES = {
    "chamfer": Library("chamfer", _chamfer),
    "fastcluster": Library("fastcluster", _function("fastcluster", "linkage"), _CLASSICAL),
    "fastcluster-vector": Library("fastcluster", _function("fastcluster", "linkage_vector"), _CENTRES),
    "scipy": Library("scipy", _function("scipy.cluster.hierarchy", "linkage"), _CLASSICAL),
    "scikit-learn": Library("scikit-learn", _scikit_learn, ("single", "average", "complete", "ward")),
    "numpy": Library("numpy", _multiply, ("product",)),
}
PEERS = ("fastcluster", "fastcluster-vector", "scipy", "scikit-learn")


def is_there(package: str) -> bool:
    """Whether a package is installed; says so if not."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        print(f"  {package} is not installed and left out")
        return False
    return True
