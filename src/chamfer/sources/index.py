"""Navigable graphs (HNSW) of usearch, for approximate nearest neighbours. What they find only nominates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from chamfer import tuning
from chamfer._types import Array, Points
from chamfer.distances.filter import Principal
from chamfer.distances.pairwise import centre
from chamfer.progress import Tick
from chamfer.sources.base import Answer
from chamfer.sources.nominated import NominatedSource
from chamfer.threads import mapping

_PART = 4096  # points that are looked for at a time
_SHARDS = 4  # graphs of an index, for any number of threads: each is built by one thread


class Few:
    """The leading principal coordinates, as few as are enough to find neighbours."""

    def __init__(self, X: Array) -> None:
        self._mean, self._axes, self.d = centre(X), None, X.shape[1]
        if len(X) > tuning.current.unfiltered:
            principal = Principal(X)
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


class IndexSource(NominatedSource):
    """Nearest clusters by approximate nearest neighbours: navigable graphs (HNSW) of usearch.

    Every graph holds a share of the points and is built by one thread, so that the result does not depend on
    the number of threads. They are built when first asked. Copies of a point would lose their way in a graph, so each
    place is there once, and stands for all its points.
    """

    def __init__(self, points: Points) -> None:
        if find_spec("usearch") is None:
            raise ImportError("source 'ann' needs usearch: pip install 'chamfer[ann]'")
        super().__init__(points)
        self._few = Few(points.X)
        self._order, self._starts = _places(points.X)
        self._graphs: list[Any] = []

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, about."""
        if self._graphs:
            return super().nearest(points, labels, k, threads, tick)
        # Half of the way is to build.
        self._build(threads, tick and (lambda done: tick(done // 2)))
        return super().nearest(points, labels, k, threads, tick and (lambda done: tick((self.n + done) // 2)))

    def _build(self, threads: int, tick: Tick | None) -> None:
        places = np.arange(len(self._starts) - 1)
        count = _SHARDS if len(places) >= tuning.current.index_shard else 1
        graphs = [make_graph(self._few.d, tuning.current.index_found) for _ in range(count)]

        def add(shard: int, part: Array) -> None:
            own = part[shard::count]
            rows = self.points.X[self._order[self._starts[own]]]
            with interrupts():
                graphs[shard].add(own.astype(np.uint64), self._few(rows), threads=1)

        with mapping(threads) as each:
            for first in range(0, len(places), _PART):
                list(each(add, range(count), [places[first : first + _PART]] * count))
                if tick is not None:
                    tick(min(first + _PART, self.n))
        self._graphs = graphs

    def _neighbours(self, points: Array, k: int, threads: int) -> Array:
        vectors, count = self._few(self.points.X[points]), max(k + 1, tuning.current.index_found)
        return np.hstack([self._points_at(search_graph(graph, vectors, count, threads)) for graph in self._graphs])

    def _points_at(self, places: Array) -> Array:
        """The points at some places, nearest first, as many as there are columns; -1 where there are fewer."""
        starts = self._starts[places]
        sizes = np.where(places < 0, 0, self._starts[places + 1] - starts)
        ends = np.cumsum(sizes, axis=1)
        columns = np.arange(places.shape[1])
        which = columns[None, :]
        if len(self._starts) <= self.n:  # there are copies
            which = np.sum(ends[:, None, :] <= columns[:, None], axis=2)
            which = np.minimum(which, places.shape[1] - 1)
        among = columns - np.take_along_axis(ends - sizes, which, axis=1)
        found = self._order[np.minimum(np.take_along_axis(starts, which, axis=1) + among, self.n - 1)]
        return np.asarray(np.where(columns < ends[:, -1:], found, np.int32(-1)))


def _places(X: Array) -> tuple[Array, Array]:
    """Points with copies side by side, ascending, and where in that order each place starts; n after the last."""
    n, d = X.shape
    factors = np.random.default_rng(0).integers(1 << 63, size=d, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    bits = np.uint32 if X.dtype == np.float32 else np.uint64
    hashes = np.empty(n, np.uint64)
    for first in range(0, n, _PART):
        rows = X[first : first + _PART] + 0.0  # not -0.0
        products = rows.view(bits) * factors
        hashes[first : first + _PART] = np.sum(products ^ (products >> np.uint64(32)), axis=1)
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    starts = np.flatnonzero(np.diff(hashes[order], prepend=~hashes[order[:1]]))
    return order, np.append(starts, n)
