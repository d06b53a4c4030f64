"""Sparse documents, cityblock and chebyshev, places on the globe: what is no dense point of a fast metric.

    python -m benchmarks inputs                     18,846 documents, sparse and dense, and 30,000 points
    python -m benchmarks inputs --documents 100000  that many documents, sparse only
    python -m benchmarks inputs --points 100000     that many points, by the searches only

Documents have the words of one of 20 topics, whose frequencies follow Zipf's law, weighted by TF-IDF; the 50 most
frequent words are left out. The line of a search is followed by one of all distances in blocks (``cdist``).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

import chamfer
from benchmarks.data import Array

_WORDS, _STOP, _TOPICS = 50_000, 50, 20


def main(argv: Sequence[str] | None = None) -> int:
    """Time `chamfer_capped`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks inputs", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int)
    parser.add_argument("--points", type=int)
    options = parser.parse_args(argv)
    if options.documents is not None or options.points is None:
        texts(18_846 if options.documents is None else options.documents, beside=options.documents is None)
    if options.points is not None or options.documents is None:
        others(30_000 if options.points is None else options.points, beside=options.points is None)
    return 0


def texts(n: int, beside: bool) -> None:
    """Sparse documents, and beside them the same with their zeros."""
    X = documents(n, _WORDS, 200)
    show(f"{n} documents, sparse", X, "cosine")
    if beside:
        show(f"{n} documents, sparse", X, "cosine", source="cdist")
        show(f"{n} documents, dense float32", X.astype(np.float32).toarray(), "cosine")


def others(n: int, beside: bool) -> None:
    """Points by other metrics."""
    rng = np.random.default_rng(0)
    blobs = (4 * rng.normal(size=(50, 20)))[rng.integers(0, 50, n)] + rng.normal(size=(n, 20))
    plane = rng.normal(size=(n, 2))
    places = np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])
    for metric, X in (
        ("cityblock", plane),
        ("cityblock", blobs),
        ("chebyshev", plane),
        ("chebyshev", blobs),
        ("haversine", places),
    ):
        for source in ("auto", "cdist") if beside else ("auto",):
            show(f"{n} x {X.shape[1]}", X, metric, source=source)


def show(name: str, X: Any, metric: str, **options: Any) -> None:
    """Print the time of a call, and the most memory that the process has taken."""
    import resource  # not on Windows

    info, start = chamfer.Info(), time.perf_counter()
    chamfer.linkage(X, "chamfer_capped", metric, engine="lists", info=info, **options)
    seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:32} {metric:10} {info.source:13} {seconds:8.2f} s, at most {peak:.2f} GB", flush=True)


def documents(n: int, words: int, length: int) -> Any:
    """Rows of TF-IDF; a topic has its own frequencies of all but the most frequent 200 words."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, words + 1) ** 1.05
    order = [np.concatenate([np.arange(200), 200 + rng.permutation(words - 200)]) for _ in range(_TOPICS)]
    lengths, topic = rng.poisson(length, n) + 5, rng.integers(0, _TOPICS, n)
    rows = np.repeat(np.arange(n), lengths)
    rank = np.minimum(np.searchsorted(np.cumsum(shares) / shares.sum(), rng.random(lengths.sum())), words - 1)
    columns: Array = np.stack(order)[topic[rows], rank]
    X = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, words)).tocsr()[:, _STOP:]
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    X.data = (1 + np.log(X.data)) * np.log(n / np.maximum(frequency, 1))[X.indices]
    return X
