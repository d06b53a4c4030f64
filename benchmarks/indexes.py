"""Dynamic indexes of nearest neighbours side by side: what approximate centroid linkage asks of one.

Builds each index over the first rows of a data set, then does what a clustering does: pairs are removed, their means
added, until half of the vectors are left. Recall is the share of queries whose nearest other vector is found.

    python benchmarks/indexes.py --data DIR [--rows 20000] [--name mnist]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

QUERIES = 500


class Usearch:
    """HNSW of usearch."""

    def __init__(self, d: int, most: int) -> None:
        from usearch.index import Index

        self.index = Index(ndim=d, metric="l2sq", dtype="f32", connectivity=16, expansion_add=128, expansion_search=64)

    def add(self, keys: np.ndarray, X: np.ndarray) -> None:
        self.index.add(keys.astype(np.uint64), X, copy=True)

    def remove(self, key: int) -> None:
        self.index.remove(key)

    def nearest(self, X: np.ndarray) -> np.ndarray:
        return np.atleast_2d(self.index.search(X, 2).keys).astype(np.int64)


class Hnswlib:
    """HNSW of hnswlib; what is removed is only marked, and its place used again."""

    def __init__(self, d: int, most: int) -> None:
        import hnswlib

        self.index = hnswlib.Index(space="l2", dim=d)
        self.index.init_index(max_elements=most, M=16, ef_construction=128, allow_replace_deleted=True)
        self.index.set_ef(64)

    def add(self, keys: np.ndarray, X: np.ndarray) -> None:
        self.index.add_items(X, keys, replace_deleted=len(keys) == 1)

    def remove(self, key: int) -> None:
        self.index.mark_deleted(key)

    def nearest(self, X: np.ndarray) -> np.ndarray:
        return self.index.knn_query(X, 2)[0].astype(np.int64)


class Faiss:
    """Inverted lists of faiss, whose graph cannot forget."""

    def __init__(self, d: int, most: int) -> None:
        import faiss

        lists = max(1, int(4 * most**0.5) // 2)
        self.index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, lists)
        self.index.set_direct_map_type(faiss.DirectMap.Hashtable)
        self.index.nprobe = 16

    def add(self, keys: np.ndarray, X: np.ndarray) -> None:
        if not self.index.is_trained:
            self.index.train(X)
        self.index.add_with_ids(X, keys)

    def remove(self, key: int) -> None:
        self.index.remove_ids(np.array([key]))

    def nearest(self, X: np.ndarray) -> np.ndarray:
        return self.index.search(X, 2)[1]


def recall(index: Usearch | Hnswlib | Faiss, vectors: dict[int, np.ndarray]) -> tuple[float, float]:
    """Share of nearest others found, and seconds for each query."""
    keys = np.array(list(vectors))
    X = np.stack(list(vectors.values()))
    chosen = np.random.default_rng(1).choice(len(keys), QUERIES, replace=False)
    lengths = np.square(X).sum(axis=1)
    squared = lengths[chosen, None] + lengths - 2 * (X[chosen] @ X.T)
    squared[np.arange(QUERIES), chosen] = np.inf
    truth = squared.min(axis=1)
    start = time.perf_counter()
    found = np.concatenate([index.nearest(X[i : i + 1]) for i in chosen])
    seconds = (time.perf_counter() - start) / QUERIES
    place = {key: i for i, key in enumerate(keys.tolist())}
    hits = 0
    for row, query, best in zip(found, chosen, truth, strict=True):
        others = [place[int(key)] for key in row if int(key) in place and place[int(key)] != query]
        hits += bool(others) and squared[list(chosen).index(query), others[0]] <= best * (1 + 1e-5) + 1e-3
    return hits / QUERIES, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="directory of NAME.npz with X")
    parser.add_argument("--name", default="mnist")
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    with np.load(options.data / f"{options.name}.npz") as data:
        X = data["X"][: options.rows].astype(np.float32)
    print(f"{options.name}, {len(X)} x {X.shape[1]}")
    print(f"{'index':10} {'build s':>8} {'recall':>7} {'query ms':>9} {'change ms':>10} {'recall':>7} {'query ms':>9}")
    for kind in (Usearch, Hnswlib, Faiss):
        index = kind(X.shape[1], 2 * len(X))
        start = time.perf_counter()
        index.add(np.arange(len(X)), X)
        built = time.perf_counter() - start
        vectors = dict(enumerate(X))
        before = recall(index, vectors)
        pairs = np.random.default_rng(0).permutation(len(X))[: len(X) // 2 * 2].reshape(-1, 2).tolist()
        start = time.perf_counter()
        for key, (a, b) in enumerate(pairs, len(X)):
            mean = (vectors.pop(a) + vectors.pop(b)) / 2
            index.remove(a)
            index.remove(b)
            index.add(np.array([key]), mean[None])
            vectors[key] = mean
        changed = (time.perf_counter() - start) / len(pairs)
        after = recall(index, vectors)
        print(
            f"{kind.__name__:10} {built:8.1f} {before[0]:7.3f} {1000 * before[1]:9.2f} {1000 * changed:10.2f} "
            f"{after[0]:7.3f} {1000 * after[1]:9.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
