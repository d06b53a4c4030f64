"""Nearest neighbours and spanning trees of many points in few coordinates, beside other k-d trees.

Every library finds the 16 nearest other points of each point, exactly, from an array in memory, its tree included, and
the minimum spanning tree if it has one: ours is single linkage with all that `linkage` does. All use the same threads.
Kinds of data on which k-d trees are known to suffer come with the even ones: ties, copies, a far outlier, a line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import chamfer
from benchmarks.data import Array
from benchmarks.rows import Row
from chamfer._types import Points
from chamfer.sources import TreeSource
from chamfer.threads import available_threads

K, RUNS = 16, 2


def points(kind: str, n: int, d: int) -> Array:
    """Points of a kind, the same in every run."""
    random = np.random.default_rng(0)
    X: Array = random.random((n, d))
    if kind == "normal":
        X = random.normal(size=(n, d))
    elif kind == "clusters":
        X = 100 * random.random((1000, d))[random.integers(1000, size=n)] + random.normal(size=(n, d))
    elif kind == "lattice":
        X = np.floor(X * round(n ** (1 / d)))
    elif kind == "copies":
        copies = random.choice(n, 3 * n // 10, replace=False)
        X[copies] = X[random.integers(1 + n // 100, size=len(copies))]
    elif kind == "outlier":
        X[n // 2] = 1e9
    elif kind == "line":
        X = np.outer(X[:, 0], np.arange(1, d + 1))
    return X


def _ours(X: Array) -> Any:
    everything, threads = np.arange(len(X), dtype=np.int32), available_threads()
    source = TreeSource(Points(X, "euclidean", exponent=0), threads=threads)
    return source.nearest(everything, everything, K, threads)


def _quitefastmst(X: Array) -> Any:
    import quitefastmst

    quitefastmst.omp_set_num_threads(available_threads())
    return quitefastmst.knn_euclid(X, K)


def _quitefastmst_tree(X: Array) -> Any:
    import quitefastmst

    quitefastmst.omp_set_num_threads(available_threads())
    return quitefastmst.mst_euclid(X)


def _pykdtree(X: Array) -> Any:
    from pykdtree.kdtree import KDTree  # takes OMP_NUM_THREADS

    return KDTree(X).query(X, K + 1)


def _scipy(X: Array) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(X).query(X, K + 1, workers=available_threads())


CALLS: tuple[tuple[str, str, Callable[[Array], Any]], ...] = (
    ("chamfer", "neighbours", _ours),
    ("quitefastmst", "neighbours", _quitefastmst),
    ("pykdtree", "neighbours", _pykdtree),
    ("scipy", "neighbours", _scipy),
    ("chamfer", "single", lambda X: chamfer.linkage(X, "single")),
    ("quitefastmst", "single", _quitefastmst_tree),
)
EVEN = ("uniform", "normal", "clusters")
ODD = ("lattice", "copies", "outlier", "line")


def measure(folder: Path | None, quick: bool) -> Iterator[Row]:
    """Compare k-d trees: seconds for the nearest neighbours and the spanning tree of many points in few coordinates."""
    n = 6_000 if quick else 1_000_000
    for d, kinds in ((2, EVEN + ODD), (5, EVEN)):
        for kind in kinds:
            X = points(kind, n, d)
            for package, method, call in CALLS:
                try:
                    version = metadata.version(package)
                except metadata.PackageNotFoundError:
                    if (d, kind, method) == (2, kinds[0], "neighbours"):
                        print(f"  {package} is not installed and left out")
                    continue
                seconds = sorted(_seconds(call, X) for _ in range(RUNS))
                row = Row("trees", package, version, method, data=kind, n=n, d=d, dtype="float64", runs=RUNS)
                yield replace(row, threads=available_threads(), seconds=seconds[0], median=float(np.median(seconds)))


def _seconds(call: Callable[[Array], Any], X: Array) -> float:
    start = time.perf_counter()
    call(X)
    return time.perf_counter() - start
