"""Navigable graphs (HNSW) of usearch, for approximate nearest neighbours. What they find only nominates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from chamfer.distances import centre
from chamfer.principal import Principal
from chamfer.validation import Array, Points

_MANY = 2048  # points: with fewer, all coordinates are taken


class Few:
    """Principal coordinates, as few as tell neighbours."""

    def __init__(self, X: Array) -> None:
        self._mean, self._axes, self.d = centre(X), None, X.shape[1]
        if len(X) > _MANY:
            principal = Principal(Points(X, "euclidean"))
            if principal.best < self.d:
                self._axes, self.d = principal.axes[:, : principal.best], principal.best

    def __call__(self, rows: Array) -> Array:
        """The coordinates of some rows, in float32."""
        rows = rows - self._mean
        return np.asarray(rows if self._axes is None else rows @ self._axes, np.float32)


def make_graph(d: int, expansion: int) -> Any:
    """An empty graph that keeps `expansion` candidates when it looks for neighbours."""
    from usearch.index import Index

    return Index(ndim=d, metric="l2sq", dtype="f32", connectivity=16, expansion_add=64, expansion_search=expansion)


def search_graph(graph: Any, vectors: Array, count: int, threads: int) -> Array:
    """Keys of what a graph finds near each of `vectors`, nearest first; -1 where there is less."""
    with interrupts():
        found = graph.search(vectors, count, threads=min(threads, len(vectors)))
    keys = np.full((len(vectors), count), -1)
    if len(vectors) == 1:  # which usearch answers in another form
        keys[0, : len(found.keys)] = found.keys
    else:
        there = np.arange(count) < np.asarray(found.counts)[:, None]
        keys[there] = np.asarray(found.keys)[there]
    return keys


@contextmanager
def interrupts() -> Iterator[None]:
    """What usearch makes of Ctrl-C and of too little memory, back into what it was."""
    try:
        yield
    except RuntimeError as error:
        if "terminated" in str(error):
            raise KeyboardInterrupt from None
        if "memory" in str(error).lower():
            raise MemoryError(f"source 'ann': {error}") from error
        raise
