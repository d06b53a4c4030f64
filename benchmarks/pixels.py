"""Merges along a graph beside scikit-learn, chains, and copies.

    python -m benchmarks pixels               100,000 pixels, a chain of a million, a million rows of 5,000 places
    python -m benchmarks pixels --share 0.1   a tenth of each

The image has smooth regions and noise. Both estimators are timed in turn: ``single`` the best of five, others once.
``average`` of scikit-learn takes minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import chamfer
from benchmarks.data import Array


def main(argv: Sequence[str] | None = None) -> int:
    """Time images, a chain and copies."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks pixels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0)
    share = parser.parse_args(argv).share
    images(int(250 * share), 400)
    chamfer_images(round(200 * share**0.5))
    chains(int(1_000_000 * share))
    copies(int(1_000_000 * share))
    return 0


def image(height: int, width: int, channels: int) -> Array:
    """Pixels of smooth regions with noise, and a disc."""
    y, x = np.mgrid[:height, :width] / max(height, width)
    values = np.stack([np.sin(6 * x + k) + np.cos(5 * (k + 1) * y) for k in range(channels)], axis=-1)
    values[(x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.05] += 2
    values += 0.2 * np.random.default_rng(0).normal(size=values.shape)
    return values.reshape(-1, channels)


def images(height: int, width: int) -> None:
    """Both estimators."""
    from sklearn.cluster import AgglomerativeClustering as Theirs
    from sklearn.feature_extraction.image import grid_to_graph

    from chamfer.compat.sklearn import AgglomerativeClustering as Ours

    X, graph = image(height, width, 1), grid_to_graph(height, width)
    for method, rounds in (("single", 5), ("ward", 1), ("complete", 1), ("average", 1)):
        pair = [kind(10, linkage=method, connectivity=graph) for kind in (Ours, Theirs)]
        times = [[seconds(partial(model.fit, X)) for model in pair] for _ in range(rounds)]
        ours, theirs = np.min(times, axis=0)
        show(f"{len(X)} pixels", method, ours, f"scikit-learn {theirs:.3f} s, {theirs / ours:.1f}x")
    for method, metric in (("average", "sqeuclidean"), ("centroid", "euclidean")):
        taken = seconds(partial(chamfer.linkage, X, method, metric, connectivity=graph))
        show(f"{len(X)} pixels", method, taken, metric)


def chamfer_images(side: int) -> None:
    """Chamfer linkages of three channels, without a matrix of distances."""
    from sklearn.feature_extraction.image import grid_to_graph

    X, graph = image(side, side, 3), grid_to_graph(side, side)
    for method in chamfer.METHODS:
        if chamfer.METHODS[method].family == "chamfer":
            taken = seconds(partial(chamfer.linkage, X, method, connectivity=graph, engine="graph"))
            show(f"{side} x {side} x 3 pixels", method, taken)


def chains(n: int) -> None:
    """Only neighbours in sequence merge."""
    X = np.cumsum(np.random.default_rng(0).normal(size=(n, 1)), axis=0)
    for method in ("ward", "single"):
        show(f"chain of {n}", method, seconds(partial(chamfer.linkage, X, method, connectivity="chain")))


def copies(n: int) -> None:
    """Rows of few places."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 16))[rng.integers(0, 5_000, n)]
    for method in ("chamfer", "chamfer_capped", "average", "ward"):
        show(f"{n} rows of 5000 places", method, seconds(partial(chamfer.linkage, X, method)))


def seconds(run: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def show(name: str, method: str, taken: float, beside: str = "") -> None:
    """Print a line."""
    print(f"{name:28} {method:28} {taken:8.3f} s  {beside}".rstrip(), flush=True)
