"""Centroid linkage up to a factor of 1 + epsilon, on an index of nearest neighbours that can change.

A heap holds for every cluster its nearest neighbour as of when it was last looked for, and their squared distance. If
the neighbour of the one on top was merged meanwhile, the union is tried; if that is farther by more than the factor,
whatever is nearest now; if that is too far as well, it goes back into the heap. The smallest key is never above the
smallest squared distance of two clusters: the later one, when it was made, was at most that far from its neighbour. So
with an exact index every merge is within the factor of the best. M. Bateni and others, Efficient centroid-linkage
clustering, NeurIPS 2024.
"""

from __future__ import annotations

import heapq
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from chamfer import tuning
from chamfer._types import Array, Points
from chamfer.engines.base import Engine, Task, in_callers_unit
from chamfer.methods import Linkage, names
from chamfer.progress import Progress
from chamfer.sources.index import Few, interrupts, make_graph, search_graph

_PART = 1024  # points that are added, or looked for, at a time


class ApproximateEngine(Engine):
    """The points engine when `epsilon` is given."""

    name = "points"
    space = "O(n d)"
    takes = ("epsilon",)
    automatic = False

    def knows(self, linkage: Linkage) -> bool:
        """Linkages of centres with a guarantee."""
        return linkage.family == "centres" and linkage.approximable

    def _refuses(self, task: Task) -> str | None:
        if task.options.epsilon > 0 and self.knows(task.linkage) and isinstance(task.data, Points):
            return None
        return f"engine 'points' takes epsilon for observations and method {names(self.knows)}; got {task}"

    def memory(self, task: Task) -> int:
        """Centres, those of the index, and the heap."""
        return task.data.n * (16 * task.d + 1000)

    def cost(self, task: Task) -> float:
        """A search for every merge."""
        return tuning.current.approximate_point * task.data.n

    def run(self, task: Task) -> Array:
        """Merge centres on the best index that is installed."""
        points = task.data
        assert isinstance(points, Points)
        index = make_index(points.X, task.threads)
        return in_callers_unit(run_approximate(points.X, task.options.epsilon, index, task.progress), points)


class Index(Protocol):
    """Vectors by key that come and go."""

    def add(self, keys: Array, vectors: Array) -> None:
        """Add vectors under new keys."""
        ...

    def remove(self, key: int) -> None:
        """Forget a vector."""
        ...

    def nearest(self, vectors: Array) -> Array:
        """Keys of a few vectors near each of `vectors`; negative where there are fewer."""
        ...


class ExactIndex:
    """Compares with all vectors: slow, and right."""

    def __init__(self, d: int, most: int, dtype: Any = np.float64) -> None:
        self._vectors = np.empty((most, d), dtype)
        self._keys = np.empty(most, dtype=np.int64)
        self._place: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._place)

    def __contains__(self, key: int) -> bool:
        return key in self._place

    def add(self, keys: Array, vectors: Array) -> None:
        """Add vectors under new keys."""
        for key, vector in zip(keys.tolist(), vectors, strict=True):
            place = self._place[key] = len(self._place)
            self._keys[place], self._vectors[place] = key, vector

    def remove(self, key: int) -> None:
        """Forget a vector, whose place the last one takes."""
        place, last = self._place.pop(key), len(self._place)
        if place != last:
            self._keys[place], self._vectors[place] = self._keys[last], self._vectors[last]
            self._place[int(self._keys[place])] = place

    def clear(self) -> tuple[Array, Array]:
        """Forget all; their keys and vectors."""
        there = len(self)
        self._place = {}
        return self._keys[:there], self._vectors[:there]

    def nearest(self, vectors: Array) -> Array:
        """Keys of a few vectors near each of `vectors`."""
        k = tuning.current.changing_found
        there, found = len(self), np.full((len(vectors), k), -1)
        for row, vector in zip(found, vectors, strict=True):
            squared = np.square(self._vectors[:there] - vector).sum(axis=1)
            if there > k:
                row[:] = self._keys[np.argpartition(squared, k - 1)[:k]]
            else:
                row[:there] = self._keys[:there]
        return found


class GraphIndex:
    """A navigable graph (HNSW) of usearch, over few principal coordinates if there are many.

    New vectors wait in an exact index, where many are gone before it is full. What is removed from the graph stays in
    the way, so it is rebuilt when half is gone. One thread builds: with more, the graph would depend on chance.
    """

    def __init__(self, X: Array, threads: int) -> None:
        self._threads = threads
        self._k, self._wait = tuning.current.changing_found, tuning.current.changing_recent
        self._few = Few(X)
        self._recent = ExactIndex(self._few.d, self._wait, np.float32)
        self._start()

    def _start(self) -> None:
        self._keys: dict[int, None] = {}  # in the order of their coming
        self._most = 0
        self._graph = make_graph(self._few.d, 64)

    def add(self, keys: Array, vectors: Array) -> None:
        """Add vectors under new keys."""
        coordinates = self._few(vectors)
        if len(self._recent) + len(keys) > self._wait:
            self._add_to_graph(*self._recent.clear())
        if len(keys) > self._wait:
            self._add_to_graph(keys, coordinates)
        else:
            self._recent.add(keys, coordinates)

    def _add_to_graph(self, keys: Array, coordinates: Array) -> None:
        with interrupts():
            self._graph.add(keys.astype(np.uint64), coordinates, threads=1)
        self._keys.update(dict.fromkeys(keys.tolist()))
        self._most = max(self._most, len(self._keys))

    def remove(self, key: int) -> None:
        """Forget a vector."""
        if key in self._recent:
            self._recent.remove(key)
            return
        self._graph.remove(key)
        del self._keys[key]
        if self._k < 2 * len(self._keys) < self._most:
            keys = np.array(list(self._keys))
            coordinates = np.asarray(self._graph.get(keys.astype(np.uint64)))
            self._start()
            self._add_to_graph(keys, coordinates)

    def nearest(self, vectors: Array) -> Array:
        """Keys of a few vectors near each of `vectors`."""
        coordinates = self._few(vectors)
        found = self._recent.nearest(coordinates)
        if not self._keys:
            return found
        return np.hstack([found, search_graph(self._graph, coordinates, self._k, self._threads)])


def make_index(X: Array, threads: int) -> Index:
    """The best index that is installed."""
    if find_spec("usearch") is None:
        return ExactIndex(X.shape[1], len(X))
    return GraphIndex(X, threads)


def run_approximate(X: Array, epsilon: float, index: Index, progress: Progress) -> Array:
    """Z by centroid linkage; squared distances within a factor of 1 + epsilon of the best, as far as `index` knows."""
    clusters = _Clusters(X, index, progress)
    n, factor = len(X), 1 + epsilon
    Z = np.empty((n - 1, 4))
    with progress.stage("merges", n - 1, "merge") as tick:
        for i in range(n - 1):
            squared, a, b = clusters.pop(factor)
            Z[i] = min(a, b), max(a, b), squared, clusters.merge(a, b, n + i)
            if tick is not None and i % 64 == 0:
                tick(i)
    Z[:, 2] = np.sqrt(Z[:, 2])
    return Z


class _Clusters:
    """Centres of the clusters there are, and a heap of (squared distance, cluster, neighbour)."""

    def __init__(self, X: Array, index: Index, progress: Progress) -> None:
        n = len(X)
        self._centres = X.astype(np.float64)  # by slot
        self._sizes = np.ones(n)  # by slot
        self._slots = {cluster: cluster for cluster in range(n)}
        self._part_of = np.arange(2 * n - 1)  # the union that a cluster was merged into, or what that became
        self._index = index
        parts = [slice(first, min(n, first + _PART)) for first in range(0, n, _PART)]
        with progress.stage("index", n, "point") as tick:
            for part in parts:
                index.add(np.arange(part.start, part.stop), X[part])
                if tick is not None:
                    tick(part.stop)
        self._heap = []
        with progress.stage("nearest neighbours", n, "point") as tick:
            for part in parts:
                found = index.nearest(X[part])
                self._heap += [self._entry(part.start + i, keys) for i, keys in enumerate(found.tolist())]
                if tick is not None:
                    tick(part.stop)
        heapq.heapify(self._heap)

    def pop(self, factor: float) -> tuple[float, int, int]:
        """Two clusters to merge, whose squared distance comes first."""
        while True:
            squared, cluster, other = heapq.heappop(self._heap)
            if cluster not in self._slots:
                continue
            if other in self._slots:
                return squared, cluster, other
            again = self._entry(cluster, [self._now(other)])
            if again[0] > factor * squared:
                again = self._look(cluster)
            if again[0] <= factor * squared:
                return again
            heapq.heappush(self._heap, again)

    def merge(self, a: int, b: int, union: int) -> float:
        """Make clusters a and b one; its size."""
        kept, lost = self._slots.pop(a), self._slots.pop(b)
        self._sizes[kept] += self._sizes[lost]
        share = self._sizes[lost] / self._sizes[kept]
        self._centres[kept] += share * (self._centres[lost] - self._centres[kept])
        self._slots[union] = kept
        self._part_of[a] = self._part_of[b] = union
        self._index.remove(a)
        self._index.remove(b)
        self._index.add(np.array([union]), self._centres[kept : kept + 1])
        if len(self._slots) > 1:
            heapq.heappush(self._heap, self._look(union))
        return float(self._sizes[kept])

    def _now(self, cluster: int) -> int:
        part_of = self._part_of
        while part_of[cluster] != cluster:
            part_of[cluster] = part_of[part_of[cluster]]
            cluster = int(part_of[cluster])
        return cluster

    def _look(self, cluster: int) -> tuple[float, int, int]:
        slot = self._slots[cluster]
        return self._entry(cluster, self._index.nearest(self._centres[slot : slot + 1])[0].tolist())

    def _entry(self, cluster: int, keys: list[int]) -> tuple[float, int, int]:
        """The nearest of those found, by distances in double; of all others if the index finds none."""
        others = [key for key in keys if key != cluster and key in self._slots]
        if not others:
            others = [key for key in self._slots if key != cluster]
        apart = self._centres[[self._slots[key] for key in others]] - self._centres[self._slots[cluster]]
        squared = np.einsum("ij,ij->i", apart, apart)
        best = int(squared.argmin())
        return float(squared[best]), cluster, others[best]
