"""New points beside clusters: the nearest training point, and how far clusters are by a linkage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from chamfer._types import FAST_METRICS, Array, Metric, Points, is_mapped
from chamfer.arrays import NotFiniteError
from chamfer.distances.rows import RowDistances
from chamfer.inputs import check_input
from chamfer.sources.visit import nearest_rows

_PART = 1 << 28  # bytes of a memory map that are copied at a time
_BLOCK = 256  # queries whose distances are computed at a time
_CENTRES = ("ward", "centroid")
_NOT_FROM_POINTS = ("weighted", "median")  # their values depend on the order of the merges


def nearest_points(queries: Any, X: Any, metric: Metric, threads: int) -> Array:
    """Position of the nearest row of X for each query, by distances as `linkage` has them."""
    if metric in FAST_METRICS and not issparse(X) and not issparse(queries):
        return np.concatenate([_nearest(rows, X, metric, threads) for _, rows in _parts(queries)])
    return np.concatenate([rows.argmin(axis=1) for rows in _rows(queries, X, metric)])


def _nearest(queries: Array, X: Array, metric: Metric, threads: int) -> Array:
    """Position of the nearest row of X, the first of those that are equally near."""
    nearest, least = np.zeros(len(queries), np.int64), np.full(len(queries), np.inf)
    for first, rows in _parts(X):
        answer, exponent = nearest_rows(rows, queries, metric, 1, threads)
        distances = np.ldexp(answer.distances[:, 0].astype(np.float64), exponent)  # each part has its own unit
        closer = distances < least
        nearest[closer], least[closer] = first + answer.clusters[closer, 0], distances[closer]
    return nearest


def _parts(X: Array) -> Iterator[tuple[int, Array]]:
    """All rows, or parts of those that are on disk, each with the number of its first row."""
    rows = max(1, _PART // max(1, X.shape[1] * X.itemsize)) if is_mapped(X) else max(1, len(X))
    return ((first, X[first : first + rows]) for first in range(0, len(X), rows))


def distances_to_clusters(queries: Any, X: Any, labels: Array, method: str, metric: Metric) -> Array:
    """The value of a linkage for each query, as a cluster of one point, and each cluster of X."""
    if method in _NOT_FROM_POINTS or (method in _CENTRES and metric == "precomputed"):
        why = "values that depend on the order of merges" if method in _NOT_FROM_POINTS else "points, not distances"
        raise ValueError(f"linkage must be another one for transform: {method!r} needs {why}")
    sizes = np.bincount(labels)
    if method in _CENTRES:
        means = np.stack([X[labels == label].mean(axis=0, dtype=np.float64) for label in range(len(sizes))])
        apart = np.concatenate(list(_rows(queries, means, metric)))
        return apart * np.sqrt(2 * sizes / (sizes + 1)) if method == "ward" else apart
    order, starts = np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes
    blocks = [_by_linkage(rows[:, order], starts, sizes, method) for rows in _rows(queries, X, metric)]
    return np.concatenate(blocks)


def memberships(distances: Array, fuzziness: float) -> Array:
    """Shares of clusters in each row, which fall with the power -2 / (fuzziness - 1) of the distance."""
    nearest = distances.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        ratios = nearest / np.where(distances == 0, 1, distances)  # no more than 1, whatever the unit
    even = (nearest == 0) | np.isinf(nearest)  # some distances are zero, or all infinite: these share alike
    ratios = np.where(even, distances == nearest, ratios)
    shares = ratios ** (2 / (fuzziness - 1))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _by_linkage(rows: Array, starts: Array, sizes: Array, method: str) -> Array:
    """Values from distances to points that are sorted by clusters."""
    if method == "complete":
        return np.asarray(np.maximum.reduceat(rows, starts, axis=1))
    if method == "average":
        return np.asarray(np.add.reduceat(rows, starts, axis=1) / sizes)
    # Of a single point, the sum over it is the distance to the nearest, and no larger than the sum over the cluster.
    nearest = np.minimum.reduceat(rows, starts, axis=1)
    if not method.endswith("symmetric"):
        return np.asarray(nearest)
    back = np.add.reduceat(rows, starts, axis=1)
    return np.asarray(nearest + (back / sizes if "normalized" in method else back))


def _rows(queries: Any, X: Any, metric: Metric) -> Iterator[Array]:
    """Distances from the queries to all rows of X, block after block."""
    starts = range(0, queries.shape[0], _BLOCK)
    if metric == "precomputed":
        yield from (np.asarray(queries[first : first + _BLOCK], np.float64) for first in starts)
        return
    n = X.shape[0]
    sparse = issparse(X) or issparse(queries)
    both = vstack([csr_array(X), csr_array(queries)], format="csr") if sparse else np.concatenate([X, queries])
    try:
        points: Any = check_input(both, metric)
    except NotFiniteError as error:
        raise ValueError(f"metric {metric!r} gave distances that are not numbers") from error
    assert isinstance(points, Points)
    between = RowDistances(replace(points, X=points.X[:n])).between
    for first in starts:
        rows = between(points.X[n + first : n + first + _BLOCK])
        if np.isnan(rows).any():
            raise ValueError(f"metric {metric!r} gave distances that are not numbers")
        yield np.ldexp(rows, points.height_exponent)
