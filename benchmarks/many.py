"""Many small problems: `linkage_many` beside fastcluster in a pool of as many threads.

Every document is a set of 100 to 500 points of 128 coordinates in float32. Both take turns on the same documents. SciPy
then says of how many documents our tree has the same merges in the same order, so that every cut is the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import chamfer
from benchmarks.data import Array
from benchmarks.libraries import is_there
from benchmarks.rows import Row, join
from chamfer.threads import available_threads

D, METHOD, RUNS = 128, "ward", 5


def documents(count: int) -> list[Array]:
    """The same ones in every run."""
    random = np.random.default_rng(0)
    return [random.standard_normal((n, D), np.float32) for n in random.integers(100, 501, size=count)]


def _ours(each: list[Array]) -> list[Array]:
    return chamfer.linkage_many(each, METHOD)


def _fastcluster(each: list[Array]) -> list[Array]:
    import fastcluster

    with ThreadPoolExecutor(available_threads()) as pool:
        return list(pool.map(lambda X: fastcluster.linkage(X, METHOD), each))


LIBRARIES: dict[str, Callable[[list[Array]], list[Array]]] = {"chamfer": _ours, "fastcluster": _fastcluster}


def measure(folder: Path | None, quick: bool) -> Iterator[Row]:
    """Cluster documents of 100 to 500 tokens, all of them in one call."""
    each = documents(20 if quick else 2_000)
    libraries = [name for name in LIBRARIES if is_there(name)]
    for name in libraries:
        LIBRARIES[name](each[:10])  # imports, thread pools
    times: dict[str, list[float]] = {name: [] for name in libraries}
    for run in range(1 if quick else RUNS):
        for name in libraries if run % 2 == 0 else reversed(libraries):
            start = time.perf_counter()
            trees = LIBRARIES[name](each)
            times[name].append(time.perf_counter() - start)
            if name == "chamfer" and run == 0:
                same = sum(map(_same_merges, trees, each))
    for name, found in times.items():
        yield Row(
            "many",
            name,
            chamfer.__version__ if name == "chamfer" else metadata.version(name),
            METHOD,
            data="documents",
            n=len(each),
            d=D,
            dtype="float32",
            threads=available_threads(),
            level=os.environ.get("CHAMFER_LEVEL", ""),
            seconds=min(found),
            median=median(found),
            runs=len(found),
            quality=join({"same": same}) if name == "chamfer" else "",
        )


def _same_merges(Z: Array, X: Array) -> bool:
    from scipy.cluster.hierarchy import linkage

    other: Any = linkage(X, METHOD)
    return bool(np.array_equal(Z[:, :2], other[:, :2]) and np.allclose(Z[:, 2], other[:, 2], rtol=1e-6))
