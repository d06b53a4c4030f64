"""Dynamic indexes of nearest neighbours side by side: what approximate centroid linkage needs.

Each index is built over the rows of a data set. Then pairs are removed and their means added, as a clustering does,
until half of the vectors are left. Recall is the share of queries whose nearest other vector is found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import Array, load
from benchmarks.rows import Row, join

QUERIES = 500


class Index(NamedTuple):
    """How to add vectors under keys, remove one, and find the keys of the two nearest to some."""

    add: Callable[[Array, Array], Any]
    remove: Callable[[int], Any]
    nearest: Callable[[Array], Array]


def _usearch(d: int, most: int) -> Index:
    """HNSW of usearch."""
    from usearch.index import Index as Graph

    graph = Graph(ndim=d, metric="l2sq", dtype="f32", connectivity=16, expansion_add=128, expansion_search=64)
    return Index(
        lambda keys, X: graph.add(keys.astype(np.uint64), X, copy=True),
        graph.remove,
        lambda X: np.atleast_2d(graph.search(X, 2).keys),
    )


def _hnswlib(d: int, most: int) -> Index:
    """HNSW of hnswlib; a removed vector is only marked, and its place used again."""
    import hnswlib

    graph = hnswlib.Index(space="l2", dim=d)
    graph.init_index(max_elements=most, M=16, ef_construction=128, allow_replace_deleted=True)
    graph.set_ef(64)
    return Index(
        lambda keys, X: graph.add_items(X, keys, replace_deleted=len(keys) == 1),
        graph.mark_deleted,
        lambda X: np.asarray(graph.knn_query(X, 2)[0]),
    )


def _faiss(d: int, most: int) -> Index:
    """Inverted lists of faiss, whose graph cannot remove vectors."""
    import faiss

    lists = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, max(1, int(4 * most**0.5) // 2))
    lists.set_direct_map_type(faiss.DirectMap.Hashtable)
    lists.nprobe = 16

    def add(keys: Array, X: Array) -> None:
        if not lists.is_trained:
            lists.train(X)
        lists.add_with_ids(X, keys)

    return Index(add, lambda key: lists.remove_ids(np.array([key])), lambda X: np.asarray(lists.search(X, 2)[1]))


PACKAGES = {"usearch": _usearch, "hnswlib": _hnswlib, "faiss-cpu": _faiss}


def measure(folder: Path | None, quick: bool) -> Iterator[Row]:
    """Compare indexes of nearest neighbours: seconds to build, recall, and what queries and changes cost."""
    data = load("mnist", 600 if quick else 20_000, 0, folder)
    X = np.ascontiguousarray(data.X, np.float32)
    for package, make in PACKAGES.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            print(f"  {package} is not installed and left out")
            continue
        seconds, quality = _measure(make(X.shape[1], 2 * len(X)), X)
        n, d = X.shape
        row = Row("indexes", package, version, "index", data=data.name, n=n, d=d, dtype="float32", runs=1)
        yield replace(row, seconds=seconds, median=seconds, quality=join(quality))


def _measure(index: Index, X: Array) -> tuple[float, dict[str, float]]:
    start = time.perf_counter()
    index.add(np.arange(len(X)), X)
    built = time.perf_counter() - start
    vectors = dict(enumerate(X))
    before = _recall(index, vectors)
    pairs = np.random.default_rng(0).permutation(len(X))[: len(X) // 2 * 2].reshape(-1, 2).tolist()
    start = time.perf_counter()
    for key, (a, b) in enumerate(pairs, len(X)):
        vectors[key] = (vectors.pop(a) + vectors.pop(b)) / 2
        index.remove(a)
        index.remove(b)
        index.add(np.array([key]), vectors[key][None])
    changed = (time.perf_counter() - start) / len(pairs)
    after = _recall(index, vectors)
    names = ("recall", "query_ms", "change_ms", "recall_after", "query_after_ms")
    return built, dict(zip(names, (before[0], 1e3 * before[1], 1e3 * changed, after[0], 1e3 * after[1]), strict=True))


def _recall(index: Index, vectors: dict[int, Array]) -> tuple[float, float]:
    """Give the share of nearest other vectors that are found, and seconds for each query."""
    keys, X = np.array(list(vectors)), np.stack(list(vectors.values()))
    chosen = np.random.default_rng(1).choice(len(keys), min(QUERIES, len(keys)), replace=False)
    lengths = np.square(X).sum(axis=1)
    squared = lengths[chosen, None] + lengths - 2 * (X[chosen] @ X.T)
    squared[np.arange(len(chosen)), chosen] = np.inf
    start = time.perf_counter()
    found = np.concatenate([index.nearest(X[i : i + 1]) for i in chosen])
    seconds = (time.perf_counter() - start) / len(chosen)
    place = {key: i for i, key in enumerate(keys.tolist())}
    hits = 0
    for row, query, distances in zip(found.astype(np.int64).tolist(), chosen.tolist(), squared, strict=True):
        others = [place[key] for key in row if key in place and place[key] != query]
        hits += bool(others) and bool(distances[others[0]] <= distances.min() * (1 + 1e-5) + 1e-3)
    return hits / len(chosen), seconds
