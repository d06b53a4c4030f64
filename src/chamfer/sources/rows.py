"""Nearest clusters from rows of distances: computed for each question, or given by the user."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array, Condensed, Points
from chamfer.distances.rows import RowDistances
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source, empty_answer

ROWS = 256  # rows of distances held at a time


class CdistSource(Source):
    """Nearest clusters from rows of distances, for every metric and for sparse points; see `distances.rows`."""

    def __init__(self, points: Points) -> None:
        self.n = points.n
        self.dtype = points.X.dtype
        self.height_exponent = points.height_exponent
        self._rows = RowDistances(points)

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        return _select(lambda some: self._rows.from_points(some, threads), points, labels, k, self.dtype, threads, tick)


class PrecomputedSource(Source):
    """Nearest clusters from condensed distances, without making them square."""

    def __init__(self, distances: Condensed) -> None:
        self.n = distances.n
        self.dtype = distances.values.dtype
        self._values = distances.values

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        others = np.arange(self.n, dtype=np.int64)

        def rows(some: Array) -> Array:
            low, high = np.minimum(some[:, None], others), np.maximum(some[:, None], others)
            place = low * self.n - low * (low + 1) // 2 + high - low - 1
            place[low == high] = 0
            values = self._values[place]
            values[low == high] = 0
            return np.asarray(values)

        return _select(rows, points.astype(np.int64), labels, k, self.dtype, threads, tick)


def _select(rows: Any, points: Array, labels: Array, k: int, dtype: Any, threads: int, tick: Tick | None) -> Answer:
    answer = empty_answer(len(points), k, dtype)
    for first in range(0, len(points), ROWS):
        part = slice(first, first + ROWS)
        some = points[part]
        distances = rows(some)
        nearest_of_rows(distances, some.astype(np.int32), labels, answer.part(part), threads)
        if tick is not None:
            tick(min(first + ROWS, len(points)))
    return answer


def nearest_of_rows(distances: Array, points: Array, labels: Array, answer: Answer, threads: int) -> None:
    """Write the nearest clusters of some points, of which there is a row of distances each."""
    _core.nearest_of_rows(distances, queries=points, labels=labels, **answer._asdict(), threads=threads)
