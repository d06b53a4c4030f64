"""Blocks of points, and what the workers of a cluster do with them.

Everything here runs on a worker, called by `chamfer.sources.dask`: a block is made where its chunk is, points that ask
are picked from their blocks, put together as visitors, and visit other blocks with what they have found so far.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chamfer import _core
from chamfer._types import Array, Metric, Points
from chamfer.distances.blas import one_blas_thread
from chamfer.distances.filter import project
from chamfer.distances.rows import RowDistances, check_distances
from chamfer.sources.base import Answer
from chamfer.sources.kdtree import tree_search
from chamfer.sources.products import near_order, product_search
from chamfer.sources.rows import ROWS, nearest_of_rows
from chamfer.units import Unit, directions, smallest


class Summary(NamedTuple):
    """What the driver has to know of some rows."""

    finite: bool
    zeros: bool  # whether there are rows of zeros
    low: Array
    high: Array
    least: float  # smallest magnitude but zero
    sample: Array


class Plan(NamedTuple):
    """How every block is searched: in the same coordinates, so that the points of one can visit another."""

    metric: Metric
    dtype: Any  # of the rows that come
    n: int  # points of all blocks
    search: str  # "blas", "tree" or "cdist"
    unit: Unit | None = None  # for Euclidean distances, unless the rows are in it already
    zeros: bool | None = None  # for cosine distances, whether there are rows of zeros; None: rows have unit length
    mean: Array | None = None
    axes: Array | None = None  # none: all coordinates
    filter_dtype: Any = np.float64

    @property
    def exponent(self) -> int:
        """Of the unit that rows are brought into."""
        return 0 if self.unit is None else self.unit.exponent

    def prepare(self, X: Array) -> Array:
        """The rows as a search wants them; X may be overwritten."""
        if self.unit is not None:
            return self.unit.apply(X)
        return X if self.zeros is None else directions(X, self.zeros)

    def project(self, X: Array) -> Array:
        """The coordinates of rows by which a search finds its way."""
        if self.search == "blas":
            assert self.mean is not None
            return project(X, self.mean, self.axes, self.filter_dtype)
        return X.astype(np.float64)


class Block:
    """Some of the points, and how to search among them; `start` is the number of the first."""

    def __init__(self, X: Array, start: int, plan: Plan) -> None:
        self.X, self.start, self.plan = X, start, plan

    def __reduce__(self) -> Any:
        return Block, (self.X, self.start, self.plan)  # the compiled search is rebuilt where the block arrives

    def __sizeof__(self) -> int:
        return int(2 * self.X.nbytes)  # so that Dask moves visitors, not blocks

    @cached_property
    def search(self) -> Any:
        """The compiled search."""
        points, coordinates = Points(self.X, self.plan.metric, exponent=0), self.plan.project(self.X)
        if self.plan.search == "tree":
            return tree_search(points, coordinates, own=True, threads=1)
        return product_search(points, coordinates)


class Visitors(NamedTuple):
    """Points that ask for their nearest clusters, in an order in which neighbours are close together."""

    order: Array  # which of the group each is
    points: Array
    homes: Array
    rows: Array
    coordinates: Array


def same(value: Any) -> Any:
    """The value itself, as a task that the scheduler can run again."""
    return value


def _as_points(chunk: Any, dtype: Any) -> Array:
    if np.ma.is_masked(chunk):
        raise ValueError("X must not be masked: clustering would use what is under the mask")
    return np.array(chunk, dtype, order="C")


def summarise(chunk: Any, dtype: Any, share: float) -> Summary:
    """Look at a chunk, and take a share of its rows as a sample."""
    X = _as_points(chunk, dtype)
    low, high = X.min(axis=0), X.max(axis=0)
    count = min(len(X), 1 + int(share * len(X)))
    rows = np.sort(np.random.default_rng(len(X)).choice(len(X), count, replace=False))
    return Summary(bool(np.isfinite(low + high).all()), not np.all(X.any(axis=1)), low, high, smallest(X), X[rows])


def make_block(chunk: Any, start: int, plan: Plan) -> Block:
    """The block of a chunk, ready to be searched."""
    block = Block(plan.prepare(_as_points(chunk, plan.dtype)), start, plan)
    if plan.search != "cdist":
        _ = block.search
    return block


def pick(block: Block, rows: Array) -> Array:
    """Some rows of a block."""
    return np.asarray(block.X[rows])


def gather(parts: list[Array], points: Array, homes: Array, plan: Plan) -> Visitors:
    """Put the rows of a group together."""
    rows = np.concatenate(parts)
    coordinates = plan.project(rows)
    order = near_order(coordinates)
    return Visitors(order, points[order], homes[order], rows[order], coordinates[order])


def visit(block: Block, visitors: Visitors, labels: Array, answer: Answer | None, k: int) -> Answer:
    """Go on with the search for the k nearest clusters among the points of a block, which have these labels."""
    found = nothing(len(visitors.points), k, visitors.rows.dtype) if answer is None else _copy(answer)
    if block.plan.search == "cdist":
        _visit_by_cdist(block, visitors, labels, found)
        return found
    with one_blas_thread():
        rows, coordinates, homes = visitors.rows, visitors.coordinates, visitors.homes
        block.search.visit(rows, coordinates, homes, labels, **found._asdict(), threads=1)
    return found


def _visit_by_cdist(block: Block, visitors: Visitors, labels: Array, answer: Answer) -> None:
    metric, n = block.plan.metric, len(block.X)
    everyone, rows = np.concatenate([labels, visitors.homes]), RowDistances(Points(block.X, metric, exponent=0))
    for first in range(0, len(visitors.points), ROWS):
        part = slice(first, first + ROWS)
        distances = rows.between(visitors.rows[part])
        own = visitors.points[part] - block.start
        here = (own >= 0) & (own < n)
        distances[np.flatnonzero(here), own[here]] = 0  # some metrics make no sense of a point and itself
        distances = check_distances(distances, metric, answer.distances.dtype, block.plan.n)
        distances = np.ascontiguousarray(distances)
        found = nothing(len(distances), answer.clusters.shape[1], answer.distances.dtype)
        asking = np.arange(n + first, n + first + len(distances), dtype=np.int32)
        nearest_of_rows(distances, asking, everyone, found, 1)
        add(found, answer.part(part))


def combine(answers: list[Answer]) -> Answer:
    """The k nearest clusters of all that several lanes have found."""
    first, *others = answers
    total = _copy(first)
    for other in others:
        add(other, total)
    return total


def add(found: Answer, total: Answer) -> None:
    """Put what another search has found into the answer of all."""
    _core.combine_answers(found.clusters, found.distances, **total._asdict())


def arrange(visitors: Visitors, answers: list[Answer]) -> Answer:
    """The answers of all lanes in one, in the order of the group."""
    total, place = combine(answers), np.argsort(visitors.order)
    return total.part(place)


def nothing(count: int, k: int, dtype: Any) -> Answer:
    """An answer before the search."""
    return Answer(np.full((count, k), -1, np.int32), np.zeros((count, k), dtype), np.zeros(count, dtype))


def _copy(answer: Answer) -> Answer:
    return Answer(*(each.copy() for each in answer))
