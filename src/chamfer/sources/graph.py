"""Approximate nearest neighbours of all points: rounds of the core's graph builder, until a sample says enough.

The exact neighbours of a sample are searched for first. Then the builder carves the points into overlapping balls,
whose points are compared with each other (``src/core/search/graph.hpp``), in rounds. After each round the lists of the
sample are compared with the exact ones, until the share that was found, the recall, is as asked for. Balls become
larger when a round finds too little of what was missing.

What is done here needs a few rows at most. Whoever has the rows does the rest: `LocalRows`, or the workers of a cluster
(`chamfer.sources.dask_rows`). Both take the same steps, in which a decision depends on the points, their numbers and
the seed, so both give the same lists.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array
from chamfer.distances.copies import places_by
from chamfer.distances.filter import Principal
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source, empty_answer

_PART = 4096  # rows worked on at a time
_LEAVES = 7  # how often leaves may become twice as large
_EVERY = 4  # of the sample, one point of so many says how long lists have to be


class Graph(NamedTuple):
    """Points near each point, nearest first, -1 where there are fewer; and the share of the nearest that were found."""

    answer: Answer
    recall: float


class Axes(NamedTuple):
    """Coordinates that bound distances from below, as `chamfer.distances.filter.project` takes them."""

    mean: Array
    axes: Array | None
    dtype: type


class Rows:
    """The rows of n points, wherever they are, and lists of neighbours that are built by them.

    Points are called by their numbers, from 0 to n - 1, except in the compiled builder: there they have numbers in an
    order in which neighbours are close together, see `near_order`.
    """

    n: int
    d: int
    mapped: bool = False  # whether they are on disk

    def hashes(self) -> Array:
        """A number for each point that copies share."""
        raise NotImplementedError

    def only(self, which: Array, place: Array) -> Rows:
        """Only `which` of the points, in ascending order, one of each place; `place` of all points."""
        raise NotImplementedError

    def some(self, which: Array) -> Array:
        """The rows of a few points."""
        raise NotImplementedError

    def all_nearest(self, k: int, tick: Tick | None) -> Answer:
        """The k nearest of all points, exactly, nearest first."""
        raise NotImplementedError

    def nearest(self, which: Array, k: int) -> Answer:
        """The k nearest of some points, exactly."""
        raise NotImplementedError

    def nearest_listed(self, which: Array, lists: Array, k: int) -> Answer:
        """The k nearest of some points among those on their lists, -1 for none."""
        raise NotImplementedError

    def arrange(self, axes: Axes) -> None:
        """Make coordinates, and put them into an order in which neighbours are close together."""
        raise NotImplementedError

    def nearest_by_coordinates(self, which: Array, k: int) -> Array:
        """The k nearest of some points by their coordinates."""
        raise NotImplementedError

    def start(self, length: int) -> None:
        """Begin with empty lists of this length."""
        raise NotImplementedError

    def carve(self, leaf: int, seed: int, tick: Tick | None) -> None:
        """Join the leaves of a random partition into balls that overlap."""
        raise NotImplementedError

    def lists(self, which: Array) -> Array:
        """The points on the lists of some, in no order; -1 where there are fewer."""
        raise NotImplementedError

    def finish(self, k: int) -> Answer:
        """The k nearest points on each list by true distances, nearest first."""
        raise NotImplementedError


def build_graph(rows: Rows, k: int, recall: float, seed: int, tick: Tick | None = None) -> Graph:
    """K points near each point that are, on a sample, this share of the k nearest ones."""
    order, starts = places_by(rows.hashes())
    if len(starts) == rows.n + 1:
        return _build(rows, k, recall, seed, tick)
    # Copies would fill the lists of each other, so each place is there once and stands for all its points.
    place = np.empty(rows.n, np.int32)
    place[order] = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    graph = _build(rows.only(order[starts[:-1]], place), k, recall, seed, tick)
    return Graph(_with_copies(graph.answer, k, order, starts, place), graph.recall)


def _build(rows: Rows, k: int, recall: float, seed: int, tick: Tick | None) -> Graph:
    """The graph of points that are all different."""
    now, n = tuning.current, rows.n
    k = max(1, min(k, n - 1))
    if n <= now.graph_exact:
        return Graph(rows.all_nearest(k, tick), 1.0)
    random = np.random.default_rng(seed)
    sample = np.sort(random.choice(n, min(n, now.graph_sample), replace=False)).astype(np.int32)
    found = _Rounds(rows, sample, k, recall).run(random, tick)
    if found < recall:
        warnings.warn(
            f"recall {recall:g} was not reached: of the nearest neighbours of a sample {found:.3f} were found; "
            "take source='auto' for exact neighbours",
            UserWarning,
            stacklevel=2,
        )
    answer = rows.finish(k)
    # A point that was nearly alone in its balls has too few.
    short = np.flatnonzero(answer.clusters[:, -1] < 0).astype(np.int32)
    if len(short):
        for each, exact in zip(answer, nearest_first(rows.nearest(short, k)), strict=True):
            each[short] = exact
    if tick is not None:
        tick(n)
    return Graph(answer, found)


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
    """Lists that grow, and the exact neighbours of a sample to compare with."""

    def __init__(self, rows: Rows, sample: Array, k: int, recall: float) -> None:
        self._rows, self._sample, self._k, self._recall = rows, sample, k, recall
        n, d, size = rows.n, rows.d, tuning.current.sample
        rough = np.sort(np.random.default_rng(0).choice(n, min(n, size), replace=False))
        principal = Principal(rows.some(rough), n, rows.mapped)
        whole = Axes(principal.mean, None, principal.filter_dtype)
        few = principal.best < d
        rows.arrange(whole._replace(axes=np.ascontiguousarray(principal.axes[:, : principal.best])) if few else whole)
        # What is as near as the last of the true neighbours is as good.
        self._reach = rows.nearest(sample, k).bounds
        length = k + 8
        if few:
            # Few coordinates order neighbours roughly, so lists are longer; if that is too rough, all are taken.
            lengths = [length, k + k // 2 + 8, 2 * k + 16, 4 * k]
            near = rows.nearest_by_coordinates(sample[::_EVERY], min(max(lengths), n - 1))
            enough = [each for each in lengths if self._share(near[:, :each], _EVERY) >= (2 + recall) / 3]
            if enough:
                length = enough[0]
            else:
                rows.arrange(whole)
        self._leaf = max(tuning.current.graph_leaf, 8 * length)
        rows.start(length)

    def _share(self, lists: Array, every: int = 1) -> float:
        """The share of the nearest neighbours that are on these lists, of every so many of the sample."""
        answer = self._rows.nearest_listed(np.ascontiguousarray(self._sample[::every]), lists, self._k)
        return float(np.mean((answer.clusters >= 0) & (answer.distances <= self._reach[::every, None])))

    def run(self, random: np.random.Generator, tick: Tick | None) -> float:
        """Build until the recall holds; the recall."""
        rows, step, found, leaf = self._rows, 0, 0.0, self._leaf

        def progress() -> Tick | None:
            # Nobody knows how many rounds there will be, so each has half of what is left.
            if tick is None:
                return None
            share = 0.5 ** (step + 1)
            return lambda done: tick(int(rows.n * (1 - 2 * share) + done * share))

        while True:
            rows.carve(leaf, int(random.integers(1 << 62)), progress())
            before, found, step = found, self._share(rows.lists(self._sample)), step + 1
            if found >= self._recall or 2 * leaf >= rows.n:
                return found
            if step == 1 or found - before < tuning.current.graph_found * (1 - before):
                if leaf == self._leaf << _LEAVES:
                    return found
                leaf *= 2


def drawn_leaders(n: int) -> Array:
    """A few points, drawn at random, by which all are put into order."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, tuning.current.graph_leaders), replace=False))


def in_line(leaders: Array) -> Array:
    """Leaders, given by their coordinates, in an order in which neighbours are close together."""
    return np.ascontiguousarray(leaders[_core.near_order(np.ascontiguousarray(leaders[:, :8]), leaf=1)])


def by_leaders(nearest: Array) -> Array:
    """An order in which neighbours are close together: by the nearest leader of each point, then by number."""
    return np.argsort(nearest, kind="stable").astype(np.int32)


def _with_copies(places: Answer, k: int, order: Array, starts: Array, place: Array) -> Answer:
    """The lists of points from those of places: copies first, then the points at the nearest places."""
    n, answer = len(order), empty_answer(len(order), k, places.distances.dtype)
    for first in range(0, n, _PART):
        rows = slice(first, first + _PART)
        own = place[rows, None]
        near = np.hstack([own, places.clusters[own[:, 0]]])[:, : k + 1]
        away = np.hstack([np.zeros(own.shape, places.distances.dtype), places.distances[own[:, 0]]])
        points, which = _points_at(near, k + 1, order, starts)
        distances = np.take_along_axis(away, which, axis=1)
        absent = (points < 0) | (points == np.arange(n)[rows, None])
        sort = np.lexsort((points, distances, absent), axis=1)[:, :k]
        points[absent] = -1
        distances[absent] = 0
        clusters, distances = (np.take_along_axis(each, sort, axis=1) for each in (points, distances))
        answer.clusters[rows], answer.distances[rows], answer.bounds[rows] = clusters, distances, distances.max(axis=1)
    return answer


def _points_at(places: Array, count: int, order: Array, starts: Array) -> tuple[Array, Array]:
    """The first `count` points at some places, place after place, and at which; -1 where there are fewer."""
    n = len(order)
    first = starts[places]
    sizes = np.where(places < 0, 0, starts[places + 1] - first)
    ends = np.cumsum(sizes, axis=1)
    columns = np.arange(count)
    which = np.minimum(np.sum(ends[:, None, :] <= columns[:, None], axis=2), places.shape[1] - 1)
    among = columns - np.take_along_axis(ends - sizes, which, axis=1)
    found = order[np.minimum(np.take_along_axis(first, which, axis=1) + among, n - 1)]
    return np.where(columns < ends[:, -1:], found, np.int32(-1)), which
