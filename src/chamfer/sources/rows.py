"""Nearest clusters from rows of distances: by SciPy's cdist, or given by the user."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array, Condensed, Points
from chamfer.distances.pairwise import check_distances, rows_of_distances, whole_data_options
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source, empty_answer

ROWS = 256  # rows of distances held at a time


class CdistSource(Source):
    """Nearest clusters by ``scipy.spatial.distance.cdist``, for every metric it knows."""

    def __init__(self, points: Points) -> None:
        self.n = points.n
        self.dtype = points.X.dtype
        self.height_exponent = points.height_exponent
        self._points = points
        self._options = whole_data_options(points.X, points.metric)

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        X, metric = self._points.X, self._points.metric

        def rows(some: Array) -> Array:
            distances = rows_of_distances(X[some], X, metric, self._options)
            distances[np.arange(len(some)), some] = 0  # some metrics make no sense of a point and itself
            return check_distances(distances, metric, self.dtype, self.n)

        return _select(rows, points, labels, k, self.dtype, threads, tick)


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
