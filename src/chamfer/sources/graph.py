"""Approximate nearest neighbours of all points: rounds of the core's graph builder, until a sample says enough.

The exact neighbours of a sample are searched for first. Then the builder carves the points into overlapping balls,
whose points are compared with each other, and joins neighbourhoods (``src/core/search/graph.hpp``). After each round
the lists of the sample are compared with the exact ones. Rounds become larger until the share that was found, the
recall, is as asked for.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.copies import places_of
from chamfer.distances.filter import Principal
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source, empty_answer
from chamfer.sources.products import BlasSource, near_order

_PART = 4096  # rows worked on at a time
_LEAVES = 7  # sizes of leaves, each twice the one before


class Graph(NamedTuple):
    """Points near each point, nearest first, -1 where there are fewer; and the share of the nearest that were found."""

    answer: Answer
    recall: float


def build_graph(points: Points, k: int, recall: float, seed: int, threads: int, tick: Tick | None = None) -> Graph:
    """K points near each point that are, on a sample, this share of the k nearest ones."""
    order, starts = places_of(points.X, threads)
    if len(starts) == points.n + 1:
        return _build(points, k, recall, seed, threads, tick)
    # Copies would fill the lists of each other, so each place is there once and stands for all its points.
    graph = _build(replace(points, X=points.X[order[starts[:-1]]]), k, recall, seed, threads, tick)
    return Graph(_with_copies(points, graph.answer, k, order, starts, threads), graph.recall)


def _with_copies(points: Points, places: Answer, k: int, order: Array, starts: Array, threads: int) -> Answer:
    """The lists of points from those of places: copies first, then the points at the nearest places."""
    n, answer = points.n, empty_answer(points.n, k, points.dtype)
    place, everyone = np.empty(n, np.int32), np.arange(n, dtype=np.int32)
    place[order] = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    for first in range(0, n, _PART):
        rows = slice(first, first + _PART)
        near = np.hstack([place[rows, None], places.clusters[place[rows]]])[:, : k + 1]
        found = _of_nominated(points, everyone[rows], _points_at(near, k + 1, order, starts), k, threads)
        for each, part in zip(answer, found, strict=True):
            each[rows] = part
    return nearest_first(answer)


def _build(points: Points, k: int, recall: float, seed: int, threads: int, tick: Tick | None) -> Graph:
    """The graph of points that are all different."""
    now, n = tuning.current, points.n
    k = max(1, min(k, n - 1))
    if n <= now.graph_exact:
        return Graph(all_nearest(BlasSource(points), k, threads, tick), 1.0)
    random = np.random.default_rng(seed)
    sample = np.sort(random.choice(n, min(n, now.graph_sample), replace=False)).astype(np.int32)
    rounds = _Rounds(points, sample, k, recall, threads)
    found = rounds.run(random, tick)
    if found < recall:
        warnings.warn(
            f"recall {recall:g} was not reached: of the nearest neighbours of a sample {found:.3f} were found; "
            "take source='auto' for exact neighbours",
            UserWarning,
            stacklevel=2,
        )
    return Graph(rounds.finish(tick), found)


def all_nearest(source: Source, k: int, threads: int, tick: Tick | None = None) -> Answer:
    """The k nearest other points of all points, nearest first."""
    everyone = np.arange(source.n, dtype=np.int32)
    return nearest_first(source.nearest(everyone, everyone, k, threads, tick))


def nearest_first(answer: Answer) -> Answer:
    """The same with rows in order, by (distance, label); in place."""
    for first in range(0, len(answer.clusters), _PART):
        clusters, distances, _ = answer.part(slice(first, first + _PART))
        order = np.lexsort((clusters, np.where(clusters < 0, np.inf, distances)), axis=1)
        clusters[:], distances[:] = (np.take_along_axis(each, order, axis=1) for each in (clusters, distances))
    return answer


class _Rounds:
    """A builder for the points, and the exact neighbours of a sample to compare with."""

    def __init__(self, points: Points, sample: Array, k: int, recall: float, threads: int) -> None:
        self._points, self._k, self._recall, self._threads = points, k, recall, threads
        principal = Principal(points.X)
        d = points.X.shape[1]
        coordinates = self._arrange(points, principal, principal.best)
        self._sample = sample
        # What is as near as the last of the true neighbours is as good.
        self._reach = _search(points, coordinates, self._order, sample, k, threads).bounds
        length = k + 8
        if principal.best < d:
            # Few coordinates order neighbours roughly, so lists are longer; if that is too rough, all are taken.
            lengths = [length, k + k // 2 + 8, 2 * k + 16, 4 * k]
            ceilings = self._ceilings(coordinates, lengths)
            enough = [each for each, most in zip(lengths, ceilings, strict=True) if most >= (2 + recall) / 3]
            if enough:
                length = enough[0]
            else:
                coordinates = self._arrange(points, principal, d)
        self._leaf = max(tuning.current.graph_leaf, 8 * length)
        self._coordinates = coordinates
        self._builder = _core.graph_builder(coordinates, length=length, blas=blas())

    def _arrange(self, points: Points, principal: Principal, m: int) -> Array:
        """Coordinates of the points, m of them, in an order in which neighbours are close together."""
        coordinates = principal.coordinates(m, principal.filter_dtype)
        self._order = near_order(coordinates)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(points.n, dtype=np.int32)
        return coordinates[self._order]

    def _ceilings(self, coordinates: Array, lengths: list[int]) -> list[float]:
        """The recall of lists that hold what is nearest by the coordinates."""
        n = len(coordinates)
        everyone, most = np.arange(n, dtype=np.int32), min(max(lengths), n - 1)
        among = Points(coordinates, "sqeuclidean", exponent=0)
        lists = nearest_first(_search(among, coordinates, everyone, self._place[self._sample], most, self._threads))
        return [self._share(lists.clusters[:, :length]) for length in lengths]

    def _found(self) -> float:
        """The recall as of now."""
        return self._share(self._builder.lists()[self._place[self._sample]])

    def _share(self, lists: Array) -> float:
        """The share of the sample's nearest neighbours that are on these lists, by places."""
        nominated = np.where(lists < 0, np.int32(-1), self._order[lists])
        answer = _of_nominated(self._points, self._sample, nominated, self._k, self._threads)
        return float(np.mean((answer.clusters >= 0) & (answer.distances <= self._reach[:, None])))

    def run(self, random: np.random.Generator, tick: Tick | None) -> float:
        """Build until the recall holds; the recall."""
        now, step, found, joining = tuning.current, 0, 0.0, True

        def progress() -> Tick | None:
            # Nobody knows how many rounds there will be, so each has half of what is left.
            if tick is None:
                return None
            n, share = len(self._place), 0.5 ** (step + 1)
            return lambda done: tick(int(n * (1 - 2 * share) + done * share))

        with one_blas_thread():
            for size in range(_LEAVES):
                leaf, seed = self._leaf << size, int(random.integers(1 << 62))
                self._builder.carve(
                    leaf=leaf, fanout=now.graph_fanout, seed=seed, threads=self._threads, tick=progress()
                )
                found, step = self._found(), step + 1
                if found >= self._recall or 2 * leaf >= len(self._place):
                    break
                if joining:
                    self._builder.join_neighbours(most=now.graph_join, threads=self._threads, tick=progress())
                    before, found, step = found, self._found(), step + 1
                    if found >= self._recall:
                        break
                    # Where neighbours of neighbours are seldom neighbours, larger balls are the better way.
                    joining = found - before > now.graph_joined * (1 - before)
        return found

    def finish(self, tick: Tick | None) -> Answer:
        """The nearest points, by true distances."""
        points = self._points
        answer = empty_answer(points.n, self._k, points.dtype)
        self._builder.finish(
            points.X, metric=points.core_metric, order=self._order, **answer._asdict(), threads=self._threads
        )
        # A point that was nearly alone in its balls has too few.
        short = np.flatnonzero(answer.clusters[:, -1] < 0).astype(np.int32)
        if len(short):
            exact = nearest_first(_search(points, self._coordinates, self._order, short, self._k, self._threads))
            for each, found in zip(answer, exact, strict=True):
                each[short] = found
        if tick is not None:
            tick(points.n)
        return answer


def _search(points: Points, coordinates: Array, order: Array, queries: Array, k: int, threads: int) -> Answer:
    """The k nearest points of some, exactly, by coordinates in the given order."""
    everyone, answer = np.arange(points.n, dtype=np.int32), empty_answer(len(queries), k, points.dtype)
    search: Any = _core.product_search(
        points.X, metric=points.core_metric, coordinates=coordinates, order=order, blas=blas()
    )
    with one_blas_thread():
        search.nearest(queries, everyone, **answer._asdict(), threads=threads)
    return answer


def _of_nominated(points: Points, queries: Array, nominated: Array, k: int, threads: int) -> Answer:
    """The k nearest of the points that were nominated for each query."""
    answer, everyone = empty_answer(len(queries), k, points.dtype), np.arange(points.n, dtype=np.int32)
    _core.nearest_of_nominated(
        points.X,
        metric=points.core_metric,
        queries=queries,
        neighbours=np.ascontiguousarray(nominated),
        labels=everyone,
        **answer._asdict(),
        threads=threads,
    )
    return answer


def _points_at(places: Array, count: int, order: Array, starts: Array) -> Array:
    """The first `count` points at some places, place after place; -1 where there are fewer."""
    n = len(order)
    first = starts[places]
    sizes = np.where(places < 0, 0, starts[places + 1] - first)
    ends = np.cumsum(sizes, axis=1)
    columns = np.arange(count)
    which = np.minimum(np.sum(ends[:, None, :] <= columns[:, None], axis=2), places.shape[1] - 1)
    among = columns - np.take_along_axis(ends - sizes, which, axis=1)
    found = order[np.minimum(np.take_along_axis(first, which, axis=1) + among, n - 1)]
    return np.asarray(np.where(columns < ends[:, -1:], found, np.int32(-1)))
