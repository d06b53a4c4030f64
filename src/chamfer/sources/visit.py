"""Nearest points of visitors: rows that look for their neighbours among other rows."""

from __future__ import annotations

import numpy as np

from chamfer import tuning
from chamfer._types import Array, Metric, Points
from chamfer.distances.blas import one_blas_thread
from chamfer.distances.filter import Principal
from chamfer.distances.pairwise import centre
from chamfer.inputs import check_input
from chamfer.progress import Tick
from chamfer.sources.base import Answer
from chamfer.sources.graph import nearest_first
from chamfer.sources.kdtree import tree_search
from chamfer.sources.products import near_order, product_search


def visit(
    points: Points,
    hosts: slice,
    guests: slice,
    answer: Answer,
    threads: int,
    tick: Tick | None = None,
    labels: Array | None = None,
) -> None:
    """Add to the answers of some rows, the guests, which clusters are near among others, the hosts.

    `labels` has the cluster of each row; by default each row is its own. No row finds its own cluster.
    """
    labels = np.arange(points.n, dtype=np.int32) if labels is None else labels
    coordinates, tree = _coordinates(points)
    among = Points(np.ascontiguousarray(points.X[hosts]), points.metric, exponent=points.exponent)
    there = coordinates[hosts]
    search = tree_search(among, there, own=True, threads=threads) if tree else product_search(among, there)
    order = near_order(coordinates[guests])
    rows, own, homes = points.X[guests][order], coordinates[guests][order], labels[guests][order]
    known = answer.part(order)
    with one_blas_thread():
        search.visit(rows, own, homes, labels[hosts], **known._asdict(), threads=threads, tick=tick)
    for each, found in zip(answer, known, strict=True):
        each[order] = found


def nearest_rows(X: Array, queries: Array, metric: Metric, k: int, threads: int) -> tuple[Answer, int]:
    """The k nearest rows of X of each query, nearest first, by a fast metric.

    Distances times two to the power of the second number are in the caller's unit.
    """
    both = np.concatenate([X, queries], dtype=np.promote_types(X.dtype, queries.dtype))
    points = check_input(both, metric)
    assert isinstance(points, Points)
    n, count = len(X), len(queries)
    clusters, distances = np.full((count, k), -1, np.int32), np.zeros((count, k), points.dtype)
    answer = Answer(clusters, distances, np.zeros(count, points.dtype))
    visit(points, slice(0, n), slice(n, points.n), answer, threads)
    return nearest_first(answer), points.height_exponent


def _coordinates(points: Points) -> tuple[Array, bool]:
    """Coordinates that bound distances from below; whether a tree searches by them."""
    if points.X.shape[1] <= tuning.current.tree_coordinates:
        return points.X.astype(np.float64), True
    if points.n <= tuning.current.unfiltered:
        return points.X - centre(points.X), False
    principal = Principal(points.X)
    return principal.coordinates(principal.best, principal.filter_dtype), False
