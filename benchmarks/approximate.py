"""Approximate neighbours beside exact ones: `chamfer_capped`, each case in a process of its own.

    python benchmarks/approximate.py --data DIR                          # all cases
    python benchmarks/approximate.py mixture-100000-ann mixture-100000-auto
    python benchmarks/approximate.py --list

A case is data, rows and source. ``mixture`` is 100 overlapping classes in 64 coordinates, each of 8 inner dimensions
and noise; ``plane`` is that of ``low_memory.py``. Printed: seconds, and those of the first lists, of lists made anew
and of merges; gigabytes of the whole process at its peak; points whose lists were made anew; the adjusted Rand index at
the true number of classes, and of the best cut; and which part of the 16 nearest neighbours of 1,000 points was found.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from low_memory import memory, parse
from low_memory import mixture as plane

import chamfer
from chamfer._types import Points
from chamfer.sources.base import Source
from chamfer.sources.make import make_source

CASES = [
    *(f"mixture-{n}-{source}" for n in (100_000, 1_000_000) for source in ("auto", "ann")),
    *(f"mnist-70000-{source}" for source in ("auto", "ann")),
    *(f"plane-{n}-auto" for n in (1_000_000, 2_000_000, 5_000_000, 10_000_000)),
]


def mixture(n: int) -> tuple[np.ndarray, np.ndarray]:
    random, classes, d, inner = np.random.default_rng(0), 100, 64, 8
    centres = 0.15 * random.normal(size=(classes, d))
    axes = random.normal(size=(classes, inner, d)) / np.sqrt(inner)
    y = random.integers(classes, size=n)
    X = np.empty((n, d), np.float32)
    for each in range(classes):
        own = np.flatnonzero(y == each)
        noise = 0.25 * random.normal(size=(len(own), d))
        X[own] = centres[each] + random.normal(size=(len(own), inner)) @ axes[each] + noise
    return X, y


def load(name: str, n: int, folder: Path) -> tuple[np.ndarray, np.ndarray | None]:
    if name == "mixture":
        return mixture(n)
    if name == "plane":
        return plane(n)(folder), None
    with np.load(folder / f"{name}.npz") as data:
        return data["X"][:n].astype(np.float32), data["y"][:n]


def recall(source: Source, X: np.ndarray, k: int = 16) -> float:
    """Which part of the nearest neighbours of some points the source finds."""
    some = np.random.default_rng(1).choice(len(X), 1000, replace=False).astype(np.int32)
    found = source.nearest(some, np.arange(len(X), dtype=np.int32), k, 2)
    lengths = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    shares = []
    for point, row in zip(some, found.clusters, strict=True):
        squared = lengths - 2 * (X @ X[point])
        squared[point] = np.inf
        shares.append(np.isin(np.argpartition(squared, k)[:k], row).mean())
    return float(np.mean(shares))


def measure(case: str, folder: Path) -> str:
    name, rows, kind = case.split("-")
    X, y = load(name, int(rows), folder)
    info, start = chamfer.Info(), time.perf_counter()
    source = make_source(kind, Points(X, "euclidean"), 16, 2)
    Z = chamfer.linkage(X, "chamfer_capped", source=source, info=info)
    seconds, gigabytes = time.perf_counter() - start, memory("VmHWM") / 1e6
    phases = " ".join(f"{info.seconds[phase]:7.1f}" for phase in ("first", "refresh", "merge"))
    text = f"{case:24} {info.source:12} {seconds:8.1f} {phases} {gigabytes:6.2f} {info.refreshed:9}"
    if y is not None:
        labels = chamfer.cut(Z, n_clusters=len(np.unique(y)))
        score = chamfer.best_cut(Z, y, "ari").score
        text += f" {_ari(y, labels):6.3f} {score:6.3f} {recall(source, X):7.4f}"
    return text


def _ari(y: np.ndarray, labels: np.ndarray) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y, labels))


def main() -> None:
    options = parse(__doc__, CASES)
    if options.one:
        print(measure(options.cases[0], options.data))
        return
    head = "case", "source", "seconds", "first", "anew", "merges", "GB", "refreshed", "ARI", "best", "recall"
    print("{:24} {:12} {:>8} {:>7} {:>7} {:>7} {:>6} {:>9} {:>6} {:>6} {:>7}".format(*head), flush=True)
    for case in options.cases:
        subprocess.run([sys.executable, __file__, "--one", "--data", str(options.data), case], check=True)


if __name__ == "__main__":
    main()
