"""What the workers of a cluster do for a graph of neighbours.

Everything here runs on a worker, called by `chamfer.sources.dask_rows`, on blocks of `chamfer.sources.workers`. Sets of
points are joined by the builder of one machine, which here sees the points of a batch only. They are in the order of
their numbers, so that it decides as if it saw all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chamfer import _core
from chamfer._types import Array, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.filter import project
from chamfer.sources.base import Answer, empty_answer
from chamfer.sources.graph import Axes, nearest_first
from chamfer.sources.workers import Block, Plan, Visitors, arrange, visit


class Balls(NamedTuple):
    """Groups of the points of a batch, to be carved further, see ``src/core/search/carve.hpp``."""

    points: Array
    starts: Array
    seeds: Array
    depths: Array
    leaf: int
    fanout: int


class Found(NamedTuple):
    """Which points of a batch have new neighbours, these, and half their squared distances; -1 behind them."""

    which: Array
    lists: Array
    values: Array


def hash_rows(block: Block) -> Array:
    """A number for each row that copies share."""
    return np.asarray(_core.row_hashes(block.X, threads=1))


def make_columns(block: Block, axes: Axes, plan: Plan) -> Block:
    """The coordinates of a block, as a block."""
    with one_blas_thread():
        return Block(project(block.X, *axes), block.start, plan)


def nearest_leaders(columns: Block, rows: Array | None, leaders: Array, fanout: int) -> Array:
    """The nearest leaders of some rows of a block, or of all."""
    X = columns.X if rows is None else columns.X[rows]
    with one_blas_thread():
        return np.asarray(_core.nearest_leaders(X, leaders, fanout=fanout, blas=blas(), threads=1))


def join(parts: list[Array], places: Array, reach: Array, length: int, balls: Balls) -> Found:
    """Join points, whose coordinates come in parts and belong to these places, as far as their lists reach."""
    rows = np.concatenate(parts)
    coordinates = np.empty_like(rows)
    coordinates[places] = rows
    builder: Any = _core.graph_builder(coordinates, length=length, blas=blas())
    builder.limit(reach)
    with one_blas_thread():
        builder.carve_groups(**balls._asdict(), threads=1)
    lists, values = builder.lists(), builder.values()
    counts = (lists >= 0).sum(axis=1)
    which, width = np.flatnonzero(counts), int(counts.max(initial=0))
    return Found(which, lists[which, :width], values[which, :width])


def nearest_listed(parts: list[Array], which: Array, lists: Array, k: int, plan: Plan) -> Answer:
    """The k nearest of some rows among those on their lists, nearest first."""
    X = np.concatenate(parts)
    points, answer = Points(X, plan.metric, exponent=0), empty_answer(len(which), k, X.dtype)
    _core.nearest_of_nominated(
        X,
        metric=points.core_metric,
        queries=which,
        neighbours=lists,
        labels=np.arange(len(X), dtype=np.int32),
        **answer._asdict(),
        threads=1,
    )
    return nearest_first(answer)


def make_sample(parts: list[Array], plan: Plan) -> Block:
    """Some rows of all blocks, as a block."""
    return Block(np.concatenate(parts), 0, plan)


def visit_from(block: Block, visitors: Visitors, labels: Array, known: Answer, k: int) -> Answer:
    """Go on from what the visitors, in the order of their group, know already."""
    return arrange(visitors, [visit(block, visitors, labels, known.part(visitors.order), k)])
