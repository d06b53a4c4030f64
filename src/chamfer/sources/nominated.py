"""Sources that know some neighbours of each point, from an approximate index or from a graph of the user.

Neighbours are only nominated: their distances are computed from the points. All other points count as farther. If the
nominated points belong to fewer clusters than are asked for, all points are searched; or, with many points in few
clusters, a sample of each large cluster.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.progress import Tick
from chamfer.sources.base import Answer, PointSource, Source, empty_answer
from chamfer.sources.choose import choose_source
from chamfer.sources.visit import visit

_PART = 4096  # points that are looked for at a time


class NominatedSource(Source):
    """Nearest clusters among points that are nominated, and farther ones if these are not enough."""

    def _select(self, points: Array, k: int, labels: Array, answer: Answer, threads: int) -> None:
        """Write the nearest clusters of the points that are nominated for each."""
        raise NotImplementedError

    def _nearest_of_all(self, points: Array, labels: Array, k: int, threads: int) -> Answer:
        """Find the k nearest clusters exactly."""
        raise NotImplementedError

    def _go_on(self, sample: Array, points: Array, labels: Array, known: Answer, threads: int) -> None:
        """Add to the answers the nearest clusters of a sample of the points."""
        raise NotImplementedError

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points` among those nominated, or farther ones."""
        answer = empty_answer(len(points), k, self.dtype)
        for first in range(0, len(points), _PART):
            part = slice(first, first + _PART)
            self._select(points[part], k, labels, answer.part(part), threads)
            if tick is not None:
                tick(min(first + _PART, len(points)))
        short = np.flatnonzero(answer.clusters[:, -1] < 0)
        if len(short):
            known = answer.part(short)
            for each, farther in zip(answer, self._farther(known, points[short], labels, threads), strict=True):
                each[short] = farther
        return answer

    def _farther(self, known: Answer, points: Array, labels: Array, threads: int) -> Answer:
        """As many clusters as `known` has places for."""
        sample = _sample(labels) if self.n > tuning.current.sampled_points else None
        if sample is None or 2 * len(sample) > self.n:
            return self._nearest_of_all(points, labels, known.clusters.shape[1], threads)
        for first in range(0, len(points), tuning.current.sampled_queries):
            some = slice(first, first + tuning.current.sampled_queries)
            self._go_on(sample, points[some], labels, known.part(some), threads)
        return known


class NominatedPoints(NominatedSource, PointSource):
    """The same for points that are here: `_neighbours` nominates, and distances are computed."""

    def __init__(self, points: Points) -> None:
        super().__init__(points)
        self.near = tuning.current.tree_near
        self._exact: Source | None = None

    def _neighbours(self, points: Array, k: int, threads: int) -> Array:
        """Points near each of `points`, in any order and maybe with itself; -1 where there are fewer."""
        raise NotImplementedError

    def _select(self, points: Array, k: int, labels: Array, answer: Answer, threads: int) -> None:
        self._choose(points, self._neighbours(points, k, threads), labels, answer, threads)

    def _choose(self, points: Array, nominated: Array, labels: Array, answer: Answer, threads: int) -> None:
        _core.nearest_of_nominated(
            self.points.X,
            metric=self.points.core_metric,
            queries=points,
            neighbours=nominated,
            labels=labels,
            **answer._asdict(),
            threads=threads,
        )

    def _nearest_of_all(self, points: Array, labels: Array, k: int, threads: int) -> Answer:
        self._exact = self._exact or choose_source(self.points, k, threads)
        return self._exact.nearest(points, labels, k, threads)

    def _go_on(self, sample: Array, points: Array, labels: Array, known: Answer, threads: int) -> None:
        rows = np.concatenate([sample, points])
        hosts, guests = slice(0, len(sample)), slice(len(sample), len(rows))
        visit(replace(self.points, X=self.points.X[rows]), hosts, guests, known, threads, None, labels[rows])


def _sample(labels: Array) -> Array:
    """Points of every cluster, drawn at random; all of a small one."""
    now, order = tuning.current, _shuffled(len(labels))
    sizes = np.bincount(labels)
    most = max(now.sampled_least, min(now.sampled_members, now.sampled_all // np.count_nonzero(sizes)))
    # The first points of all, in random order, are enough for large clusters.
    start = 8 * now.sampled_all
    lacking = np.bincount(labels[order[:start]], minlength=len(sizes)) < most
    rest = order[start:]
    order = np.concatenate([order[:start], rest[lacking[labels[rest]]]])
    order = order[np.argsort(labels[order], kind="stable")]
    sizes = np.bincount(labels[order])
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[place < most])


@lru_cache(maxsize=1)
def _shuffled(n: int) -> Array:
    """All points in random order."""
    return np.random.default_rng(0).permutation(n).astype(np.int32)


class GraphSource(NominatedPoints):
    """Nearest clusters by a graph of nearest neighbours, which the user has.

    Parameters
    ----------
    points : Points
        The points, with a fast metric.
    graph : sparse matrix of shape (n, n)
        Row p has an entry for every point that is near point p, as made by scikit-learn's ``kneighbors_graph`` or
        ``kneighbors_graph(mode="distance")``. Entries of a point with itself are ignored.
    k : int
        Entries that every row has to have, or one for every other point.
    """

    def __init__(self, points: Points, graph: Any, k: int) -> None:
        super().__init__(points)
        n = points.n
        graph = _check_graph(graph, n)
        rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.indptr))
        others = np.flatnonzero(graph.indices != rows)
        rows, near = rows[others], graph.indices[others].astype(np.int32)
        counts = np.bincount(rows, minlength=n)
        least = min(k, n - 1)
        if counts.min() < least:
            row = int(counts.argmin())
            raise ValueError(
                f"source must list at least {least} other points for each point, got {counts[row]} in row {row}"
            )
        # Few rows may be much longer than the others; what is nearest among their points is all that is kept.
        width, starts = min(int(counts.max()), max(k, 2 * len(near) // n)), np.cumsum(counts) - counts
        kept = np.flatnonzero(counts[rows] <= width)
        self._near = np.full((n, width), -1, np.int32)
        self._near[rows[kept], kept - starts[rows[kept]]] = near[kept]
        everything, answer = np.arange(n, dtype=np.int32), empty_answer(1, width, self.dtype)
        for row in np.flatnonzero(counts > width).tolist():
            nominated = near[None, starts[row] : starts[row] + counts[row]]
            self._choose(everything[row : row + 1], nominated, everything, answer, 1)
            self._near[row] = answer.clusters[0]
        self.fingerprint = blake2b(self._near.data, digest_size=16).hexdigest()  # tells checkpoints of other graphs

    def _neighbours(self, points: Array, k: int, threads: int) -> Array:
        return self._near[points]


def _check_graph(graph: Any, n: int) -> Any:
    """A sparse matrix of distances between n points, whose entries are where they say."""
    if graph.shape != (n, n):
        raise ValueError(f"source must be a graph of {n} x {n} entries, as many as X has points, got {graph.shape}")
    try:
        graph = csr_array(graph)
        graph.check_format(full_check=True)  # entries may have been changed since it was made
    except ValueError as error:
        raise ValueError(f"source must be a sparse matrix with entries that are there: {error}") from error
    if graph.data.dtype.kind not in "fiub":
        raise TypeError(f"source must hold distances, which are numbers, got {graph.data.dtype}")
    if not (np.isfinite(graph.data).all() and graph.data.min(initial=0) >= 0):
        raise ValueError("source must hold distances, which are finite and at least 0")
    return graph
