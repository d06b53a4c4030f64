"""Rows of points that are here, for `chamfer.sources.graph`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.filter import project
from chamfer.progress import Tick
from chamfer.sources.base import Answer, empty_answer
from chamfer.sources.graph import Axes, Rows, all_nearest, by_leaders, drawn_leaders, in_line, nearest_first
from chamfer.sources.products import BlasSource


class LocalRows(Rows):
    """Rows that are here. Their coordinates are kept in an order in which neighbours are close together."""

    def __init__(self, points: Points, threads: int) -> None:
        self._points, self._threads = points, threads
        self.n, self.d = points.X.shape
        self.mapped = points.mapped
        self._everyone = np.arange(self.n, dtype=np.int32)

    def hashes(self) -> Array:
        """A number for each point that copies share."""
        return np.asarray(_core.row_hashes(self._points.X, threads=self._threads))

    def only(self, which: Array, place: Array) -> LocalRows:
        """Only some of the points."""
        return LocalRows(replace(self._points, X=self._points.X[which]), self._threads)

    def some(self, which: Array) -> Array:
        """The rows of a few points."""
        return np.asarray(self._points.X[which])

    def all_nearest(self, k: int, tick: Tick | None) -> Answer:
        """The k nearest of all points, exactly, nearest first."""
        return all_nearest(BlasSource(self._points), k, self._threads, tick)

    def arrange(self, axes: Axes) -> None:
        """Make coordinates in an order in which neighbours are close together."""
        with one_blas_thread():
            coordinates = project(self._points.X, *axes, threads=self._threads)
            leaders = in_line(coordinates[drawn_leaders(self.n)])
            nearest = _core.nearest_leaders(coordinates, leaders, fanout=1, blas=blas(), threads=self._threads)
        self._order = by_leaders(nearest[:, 0])
        self._place = np.empty_like(self._order)
        self._place[self._order] = self._everyone
        self._coordinates = coordinates[self._order]

    def nearest(self, which: Array, k: int) -> Answer:
        """The k nearest of some points, exactly."""
        return self._search(self._points, self._order, which, k)

    def nearest_by_coordinates(self, which: Array, k: int) -> Array:
        """The k nearest of some points by their coordinates."""
        among = Points(self._coordinates, "sqeuclidean", exponent=0)
        answer = nearest_first(self._search(among, self._everyone, self._place[which], k))
        return np.asarray(self._order[answer.clusters])

    def _search(self, points: Points, order: Array, queries: Array, k: int) -> Answer:
        answer = empty_answer(len(queries), k, points.dtype)
        search: Any = _core.product_search(
            points.X, metric=points.core_metric, coordinates=self._coordinates, order=order, blas=blas()
        )
        with one_blas_thread():
            search.nearest(queries, self._everyone, **answer._asdict(), threads=self._threads)
        return answer

    def nearest_listed(self, which: Array, lists: Array, k: int) -> Answer:
        """The k nearest of some points among those on their lists."""
        answer = empty_answer(len(which), k, self._points.dtype)
        _core.nearest_of_nominated(
            self._points.X,
            metric=self._points.core_metric,
            queries=which,
            neighbours=np.ascontiguousarray(lists),
            labels=self._everyone,
            **answer._asdict(),
            threads=self._threads,
        )
        return answer

    def start(self, length: int) -> None:
        """Begin with empty lists of this length."""
        self._builder: Any = _core.graph_builder(self._coordinates, length=length, blas=blas())

    def carve(self, leaf: int, seed: int, tick: Tick | None) -> None:
        """Join the leaves of a random partition into balls that overlap."""
        fanout = tuning.current.graph_fanout
        with one_blas_thread():
            self._builder.carve(leaf=leaf, fanout=fanout, seed=seed, threads=self._threads, tick=tick)

    def lists(self, which: Array) -> Array:
        """The points on the lists of some."""
        lists: Array = self._builder.lists()[self._place[which]]
        return np.where(lists < 0, np.int32(-1), self._order[lists])

    def finish(self, k: int) -> Answer:
        """The k nearest points on each list by true distances, nearest first."""
        answer = empty_answer(self.n, k, self._points.dtype)
        points = self._points
        self._builder.finish(
            points.X, metric=points.core_metric, order=self._order, **answer._asdict(), threads=self._threads
        )
        return answer
