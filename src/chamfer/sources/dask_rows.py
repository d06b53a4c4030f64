"""Rows of points that are spread over a Dask cluster, for `chamfer.sources.graph`.

The driver has the lists, and what was drawn. It sees the rows of leaders and of samples, and no others. A round goes
out in batches of points that are close to each other: their coordinates are picked from the blocks and put together,
a worker joins the sets of the batch, and what it finds is added to the lists here. Batches are bounded, and few are
under way at a time. Each task can be run again from what the scheduler knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array
from chamfer.distances.blas import blas
from chamfer.progress import Tick
from chamfer.sources.base import Answer, empty_answer
from chamfer.sources.dask import DaskSource, among
from chamfer.sources.graph import Axes, Rows, by_leaders, drawn_leaders, in_line, nearest_first
from chamfer.sources.graph_workers import (
    Balls,
    hash_rows,
    join,
    make_columns,
    nearest_leaders,
    nearest_listed,
)
from chamfer.sources.workers import Plan, same

_SPREAD = 8  # about so many times as many points are on the lists of a batch as in it
_BATCHES = 256  # of a round, if there are many points


class DaskRows(Rows):
    """Rows that are with the workers of a cluster: all of them, or only `rows`, one for each place; `place` of all."""

    def __init__(self, source: DaskSource, threads: int, rows: Array | None = None, place: Array | None = None) -> None:
        everyone = np.arange(source.n, dtype=np.int32)
        self._source, self._blocks, self._threads = source, source.blocks, threads
        self._row = everyone if rows is None else rows
        self._labels = everyone if place is None else place
        self.n, self.d = len(self._row), source.d

    def hashes(self) -> Array:
        """A number for each point that copies share."""
        return _all([self._blocks.submit(hash_rows, block) for block in self._blocks.futures])

    def only(self, which: Array, place: Array) -> DaskRows:
        """Only some of the points."""
        return DaskRows(self._source, self._threads, which, place)

    def some(self, which: Array) -> Array:
        """The rows of a few points."""
        return _all(self._blocks.picked(self._row[which]))

    def all_nearest(self, k: int, tick: Tick | None) -> Answer:
        """The k nearest of all points, exactly, nearest first."""
        return nearest_first(self._source.nearest(self._row, self._labels, k, self._threads, tick))

    def nearest(self, which: Array, k: int) -> Answer:
        """The k nearest of some points, exactly."""
        return self._source.nearest(self._row[which], self._labels, k, self._threads)

    def nearest_listed(self, which: Array, lists: Array, k: int) -> Answer:
        """The k nearest of some points among those on their lists."""
        answer = empty_answer(len(which), k, self._source.dtype)
        self._write_nearest([(slice(None), which, lists)], answer)
        return answer

    def arrange(self, axes: Axes) -> None:
        """Make coordinates where the blocks are, and number points so that neighbours are close together."""
        blocks, m = self._blocks, self.d if axes.axes is None else axes.axes.shape[1] + 1
        self._plan = Plan(
            "sqeuclidean", np.dtype(axes.dtype), self._source.n, "blas", mean=np.zeros(m), filter_dtype=axes.dtype
        )
        sent = blocks.submit(same, axes), blocks.submit(same, self._plan)
        self._columns = blocks.with_futures([blocks.submit(make_columns, block, *sent) for block in blocks.futures])
        everyone = np.arange(self.n, dtype=np.int32)
        leaders = in_line(_all(self._columns.picked(self._row[drawn_leaders(self.n)])))
        self._order = by_leaders(self._nearest_leaders(everyone, leaders, 1)[:, 0])
        self._number = np.empty_like(self._order)
        self._number[self._order] = everyone

    def nearest_by_coordinates(self, which: Array, k: int) -> Array:
        """The k nearest of some points by their coordinates."""
        source = among(self._source, self._columns, self._plan)
        return nearest_first(source.nearest(self._row[which], self._labels, k, self._threads)).clusters

    def start(self, length: int) -> None:
        """Begin with empty lists of this length. A builder without coordinates only keeps them."""
        self._length, dtype = length, self._plan.dtype
        self._lists: Any = _core.graph_builder(np.empty((self.n, 0), dtype), length=length, blas=blas())

    def carve(self, leaf: int, seed: int, tick: Tick | None) -> None:
        """Join the leaves of a random partition into balls that overlap."""
        self._join(self._balls(leaf, seed), tick)

    def lists(self, which: Array) -> Array:
        """The points on the lists of some."""
        return self._named(self._lists.lists()[self._number[which]])

    def finish(self, k: int) -> Answer:
        """The k nearest points on each list by true distances, nearest first."""
        answer, lists, size = empty_answer(self.n, k, self._source.dtype), self._lists.lists(), self._batch() // _SPREAD
        batches = (
            (which, which, self._named(part))
            for which, part in zip(_parts(self._order, size), _parts(lists, size), strict=True)
        )
        self._write_nearest(batches, answer)
        return answer

    def _named(self, numbers: Array) -> Array:
        return np.where(numbers < 0, np.int32(-1), self._order[numbers])

    def _batch(self) -> int:
        """Rows of a batch, about: a worker has a few of them at a time."""
        return max(tuning.current.graph_batch, self.n // _BATCHES)

    def _write_nearest(self, batches: Iterable[tuple[Any, Array, Array]], answer: Answer) -> None:
        """Answer for points, by their places in the answer, numbers and lists."""
        plan, k = self._blocks.submit(same, self._source.plan), answer.clusters.shape[1]

        def asks() -> Iterator[tuple[Any, tuple[Any, Array]]]:
            for places, which, lists in batches:
                # In the order of their numbers, which decide between points that are equally far.
                rows = _listed(np.append(lists.ravel(), which))
                picked = self._blocks.picked(self._row[rows])
                at = np.searchsorted(rows, which).astype(np.int32), _places_of(lists, rows)
                yield self._blocks.submit(nearest_listed, picked, *at, k, plan), (places, rows)

        with closing(self._blocks.results(asks())) as results:
            for found, (places, rows) in results:
                clusters = np.where(found.clusters < 0, np.int32(-1), rows[found.clusters])
                for each, part in zip(answer, found._replace(clusters=clusters), strict=True):
                    each[places] = part

    def _nearest_leaders(self, which: Array, leaders: Array, fanout: int) -> Array:
        """The nearest leaders of some points, which are in ascending order."""
        there, rows = self._blocks.submit(same, leaders), self._row[which]
        whole = len(rows) == self._source.n
        return _all(
            [
                self._blocks.submit(nearest_leaders, columns, None if whole else here, there, fanout)
                for columns, here in self._columns.by_block(rows)
            ]
        )

    def _join(self, batches: Iterable[tuple[Array, Balls, int]], tick: Tick | None) -> None:
        """Have workers join batches, given by the numbers of their points, and add what they find to the lists."""

        def asks() -> Iterator[tuple[Any, tuple[Array, int]]]:
            for numbers, balls, size in batches:
                which = self._order[numbers]
                places = np.argsort(which)
                picked = self._columns.picked(self._row[which[places]])
                reach = self._lists.reach(numbers)
                yield self._blocks.submit(join, picked, places, reach, self._length, balls), (numbers, size)

        done = 0
        with closing(self._blocks.results(asks())) as results:
            for found, (numbers, size) in results:
                lists = np.where(found.lists < 0, np.int32(-1), numbers[found.lists])
                self._lists.add(numbers[found.which], lists, found.values, threads=self._threads)
                done += size
                if tick is not None:
                    tick(min(done, self.n))

    def _balls(self, leaf: int, seed: int) -> Iterator[tuple[Array, Balls, int]]:
        """Groups of points, in batches of those that are close to each other."""
        fanout, most = tuning.current.graph_fanout, max(self._batch(), 2 * leaf)
        waiting: list[_Group] = []
        everyone = _Group(np.arange(self.n, dtype=np.int32), seed, 0)
        for group in [everyone] if self.n <= 2 * leaf else self._groups(everyone, leaf, fanout, most):
            if waiting and sum(len(each.numbers) for each in waiting) + len(group.numbers) > most:
                yield _balls_of(waiting, leaf, fanout)
                waiting = []
            waiting.append(group)
        yield _balls_of(waiting, leaf, fanout)

    def _groups(self, group: _Group, leaf: int, joins: int, most: int) -> Iterator[_Group]:
        """The parts of a group, as `Carver` in ``src/core/search/carve.hpp`` splits it, each small enough for a worker.

        Neighbours come close together.
        """
        numbers, seed, depth = group
        leaders, seeds = _core.draw_leaders(count=len(numbers), leaf=leaf, fanout=joins, seed=seed)
        joins = min(joins, len(leaders))
        which = self._order[numbers]
        ascending = np.argsort(which)
        back = np.argsort(ascending)
        drawn = np.argsort(which[leaders])
        rows = _all(self._columns.picked(self._row[which[leaders[drawn]]]))[np.argsort(drawn)]
        joined = self._nearest_leaders(which[ascending], rows, joins)[back].ravel()
        members = np.argsort(joined, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(joined, minlength=len(leaders))))
        for leader in np.argsort(leaders).tolist():
            part = numbers[members[starts[leader] : starts[leader + 1]] // joins]
            if len(part) <= most:
                yield _Group(part, int(seeds[leader]), depth)
            elif depth == _core.CARVE_DEPTH:
                yield from (_Group(some, 0, depth) for some in _parts(part, leaf))
            else:
                yield from self._groups(_Group(part, int(seeds[leader]), depth + 1), leaf, 1, most)


class _Group(NamedTuple):
    numbers: Array
    seed: int
    depth: int


def _balls_of(groups: list[_Group], leaf: int, fanout: int) -> tuple[Array, Balls, int]:
    """A batch of groups: the numbers of its points, the groups by their places among these, and points, about."""
    sizes = [len(each.numbers) for each in groups]
    everyone = np.concatenate([each.numbers for each in groups])
    numbers = np.unique(everyone)
    balls = Balls(
        _places_of(everyone, numbers),
        np.append(0, np.cumsum(sizes)),
        np.array([each.seed for each in groups], np.uint64),
        np.array([each.depth for each in groups], np.int32),
        leaf,
        fanout,
    )
    return numbers, balls, len(everyone) // fanout


def _parts(array: Array, size: int) -> Iterator[Array]:
    return (array[first : first + size] for first in range(0, len(array), size))


def _listed(lists: Array) -> Array:
    """All that are on some lists, in ascending order."""
    found = np.unique(lists)
    return found[np.searchsorted(found, 0) :]


def _places_of(lists: Array, among: Array) -> Array:
    """Where in an ascending array the numbers on lists are; -1 for -1."""
    return np.where(lists < 0, np.int32(-1), np.searchsorted(among, lists).astype(np.int32))


def _all(futures: list[Any]) -> Array:
    return np.concatenate([future.result() for future in futures])
