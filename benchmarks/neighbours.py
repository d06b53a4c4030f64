"""Graphs of nearest neighbours side by side: chamfer and other libraries, each call in a process of its own.

The 16 nearest neighbours of all points are looked for, on two threads if not told otherwise. Recall is the share found
of the true neighbours of 500 points. Libraries that are not installed are left out; compilation is not timed.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import Array, load
from benchmarks.libraries import is_there
from benchmarks.rows import Row, join

K = 16
QUERIES = 500
Search = Callable[[Array, int], Array]  # neighbours of all points, maybe with the points themselves


def _exact(X: Array, threads: int) -> Array:
    import chamfer

    return chamfer.neighbors(X, K, n_jobs=threads).indices


def _ours(recall: float) -> Search:
    def search(X: Array, threads: int) -> Array:
        import chamfer

        return chamfer.neighbors(X, K, source="ann", recall=recall, n_jobs=threads).indices

    return search


def _pipnn(runs: int) -> Search:
    def search(X: Array, threads: int) -> Array:
        from pipnn import self_knn_graph

        os.environ["RAYON_NUM_THREADS"] = str(threads)
        return np.asarray(self_knn_graph(X, n_neighbors=K, n_jobs=threads, runs=runs)[0])

    return search


def _pynndescent(listed: int) -> Search:
    def search(X: Array, threads: int) -> Array:
        from pynndescent import NNDescent

        found = NNDescent(X, n_neighbors=listed, n_jobs=threads, random_state=0).neighbor_graph[0]
        return np.asarray(found[:, : K + 1])

    return search


def _hnsw(effort: int) -> Search:
    def search(X: Array, threads: int) -> Array:
        import faiss

        index = faiss.IndexHNSWFlat(X.shape[1], 32)
        index.hnsw.efSearch = effort
        return _faiss(index, X, threads)

    return search


def _panorama(X: Array, threads: int) -> Array:
    import faiss

    return _faiss(faiss.IndexFlatL2Panorama(X.shape[1], 8), X, threads)


def _faiss(index: Any, X: Array, threads: int) -> Array:
    import faiss

    faiss.omp_set_num_threads(threads)
    index.add(X)
    return np.asarray(index.search(X, K + 1)[1])


def _usearch(X: Array, threads: int) -> Array:
    from usearch.index import Index

    index = Index(ndim=X.shape[1], metric="l2sq", dtype="f32")
    index.add(np.arange(len(X)), X, threads=threads)
    return np.asarray(index.search(X, K + 1, threads=threads).keys, np.int64)


def _scikit_learn(X: Array, threads: int) -> Array:
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=threads).fit(X).kneighbors(return_distance=False)
    return np.asarray(found)


# (package, options): how
SEARCHES: dict[tuple[str, str], Search] = {
    ("chamfer", "source=auto"): _exact,
    ("scikit-learn", "algorithm=brute"): _scikit_learn,
    ("faiss-cpu", "index=FlatL2Panorama"): _panorama,
    ("chamfer", "source=ann recall=0.9"): _ours(0.9),
    ("chamfer", "source=ann recall=0.95"): _ours(0.95),
    ("chamfer", "source=ann recall=0.98"): _ours(0.98),
    ("chamfer", "source=ann recall=0.99"): _ours(0.99),
    ("pipnn", "runs=1"): _pipnn(1),
    ("pynndescent", "n_neighbors=17"): _pynndescent(17),
    ("pynndescent", "n_neighbors=30"): _pynndescent(30),
    ("pynndescent", "n_neighbors=50"): _pynndescent(50),
    ("faiss-cpu", "index=HNSW32 efSearch=32"): _hnsw(32),
    ("faiss-cpu", "index=HNSW32 efSearch=96"): _hnsw(96),
    ("usearch", ""): _usearch,
}
SLOW = ("algorithm=brute", "index=FlatL2Panorama", "usearch")
# Data, points, coordinates, and what is left out: minutes are long enough.
CASES: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("overlapping", 1_000_000, 64, (*SLOW, "source=auto", "efSearch=32", "n_neighbors=17", "n_neighbors=30")),
    ("overlapping", 200_000, 64, ()),
    ("text", 200_000, 768, (*SLOW, "source=auto", "pipnn")),
    ("mnist", 70_000, 784, ()),
)


def measure(folder: Path | None, quick: bool) -> Iterator[Row]:
    """Compare graphs of nearest neighbours: seconds, memory beyond the data, recall."""
    for data, n, d, without in CASES[1:2] if quick else CASES:
        for package, options in SEARCHES:
            if {package, *options.split()}.isdisjoint(without) and is_there(package):
                yield measure_one(package, options, data, 5_000 if quick else n, d, folder)


def measure_one(package: str, options: str, data: str, n: int, d: int, folder: Path | None, threads: int = 2) -> Row:
    """Run one search in a new process."""
    here, there = multiprocessing.get_context("spawn").Pipe(duplex=False)
    words = (package, options, data, n, d, folder, threads, there)
    child = multiprocessing.get_context("spawn").Process(target=_call, args=words)
    child.start()
    there.close()
    try:
        name, size, seconds, extra, recall = here.recv()
    except EOFError:
        raise OSError(f"{package} {options} ended without a result") from None
    finally:
        child.join()
    return Row(
        "neighbours",
        package,
        metadata.version(package),
        "neighbors",
        options,
        name,
        size[0],
        size[1],
        "float32",
        threads,
        seconds=round(seconds, 2),
        median=round(seconds, 2),
        runs=1,
        bytes=extra,
        quality=join({"recall": recall}),
    )


def _call(package: str, options: str, data: str, n: int, d: int, folder: Path | None, threads: int, to: Any) -> None:
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(threads)
    loaded = load(data, n, d, folder)
    X = np.ascontiguousarray(loaded.X, np.float32)
    search = SEARCHES[package, options]
    search(np.random.default_rng(0).normal(size=(5_000, d)).astype(np.float32), threads)  # compiles, and starts threads
    before = _forget_peak()
    start = time.perf_counter()
    found = search(X, threads)
    seconds = time.perf_counter() - start
    extra = None if before is None else _status("VmHWM") - before
    to.send((loaded.name, X.shape, seconds, extra, round(_recall(X, found), 4)))


def _recall(X: Array, found: Array) -> float:
    """The share found of the K nearest other points of some; what is as near as the last of them counts as found."""
    chosen = np.random.default_rng(1).choice(len(X), min(QUERIES, len(X)), replace=False)
    mean = X.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = X - mean
    half, hits = np.einsum("ij,ij->i", centred, centred) / 2, 0
    for first in range(0, len(chosen), 20):
        some = chosen[first : first + 20]
        # Products of float32 nominate, differences in float64 decide.
        near = np.argpartition(half - centred[some] @ centred.T, 4 * K, axis=1)[:, : 4 * K]
        for p, others in zip(some, near, strict=True):
            last = np.sort(_squared(X, p, others[others != p]))[K - 1]
            own = np.unique(found[p][(found[p] >= 0) & (found[p] != p)])
            hits += min(K, int(np.sum(_squared(X, p, own) <= last * (1 + 1e-9))))
    return hits / (K * len(chosen))


def _squared(X: Array, p: int, others: Array) -> Array:
    return np.asarray(np.square(X[others].astype(np.float64) - X[p]).sum(axis=1))


def _forget_peak() -> int | None:
    """Bytes in use now, where the system counts the peak from here on; None elsewhere."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return None


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
