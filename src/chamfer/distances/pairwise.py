"""Distances between all pairs of points, condensed or square, by the fastest exact way for the metric."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.rows import RowDistances, check_distances
from chamfer.progress import Tick
from chamfer.threads import mapping

BLOCK = 256  # rows of distances held at a time


def centre(X: Array) -> Array:
    """Near the column means, in few bits: shifted integers stay integers, and their products exact."""
    return _core.centre(np.ascontiguousarray(X))


def condensed(points: Points, threads: int, tick: Tick | None = None, infinite: bool = False) -> Array:
    """All distances in SciPy's condensed order, in the dtype of the points; `infinite` ones may be allowed."""
    out = np.empty(points.n * (points.n - 1) // 2, dtype=points.X.dtype)
    return _fill(points, out, threads, tick, infinite)


def square(points: Points, threads: int, tick: Tick | None = None) -> Array:
    """All distances as a symmetric matrix with a zero diagonal, in the dtype of the points."""
    out = np.empty((points.n, points.n), dtype=points.X.dtype)
    return _fill(points, out, threads, tick)


def _fill(points: Points, out: Array, threads: int, tick: Tick | None, infinite: bool = False) -> Array:
    if not points.in_core:
        return _fill_by_rows(points, out, threads, tick, infinite)
    X = points.X
    if points.n <= _core.FEW and X.dtype == np.float64:
        _core.few_distances(X, metric=points.core_metric, out=out, threads=threads, tick=tick)
        return out
    multiply = X.shape[1] > _core.DIFFERENCES  # otherwise the core computes differences, without a shift
    if multiply:
        X = _without_constants(X)
    with one_blas_thread() if multiply else nullcontext():
        shift = centre(X) if multiply else np.zeros(X.shape[1])
        _core.pairwise_distances(
            X, shift=shift, metric=points.core_metric, out=out, blas=blas(), threads=threads, tick=tick
        )
    return out


def _without_constants(X: Array) -> Array:
    """X without coordinates in which all points agree (margins of images), if that is less work for distances."""
    varying = (X[:1] != X).any(axis=0)
    return np.ascontiguousarray(X[:, varying]) if 0 < varying.sum() < tuning.current.varying * len(varying) else X


def _fill_by_rows(points: Points, out: Array, threads: int, tick: Tick | None, infinite: bool) -> Array:
    metric, n, distances = points.metric, points.n, RowDistances(points)
    if distances.fill(out, threads, tick, infinite):
        return out
    # A function of the user's is slow, and Ctrl-C waits for the end of a block. Other blocks should fit into the cache.
    rows = max(1, 20_000 // n) if callable(metric) else min(BLOCK, max(16, (1 << 18) // n))

    def fill(first: int) -> int:
        last = min(first + rows, n)
        block = distances.between(points.X[first:last], first)
        block[:, : last - first][np.tril_indices(last - first)] = 0  # some metrics make no sense of a point and itself
        block = check_distances(block, metric, out.dtype, n, infinite)
        for i in range(first, last):
            row = block[i - first, i - first + 1 :]
            if out.ndim == 1:
                start = i * n - i * (i + 1) // 2
                out[start : start + row.size] = row
            else:
                out[i, i + 1 :] = out[i + 1 :, i] = row
                out[i, i] = 0
        return (last - first) * (n - first)

    with mapping(1 if callable(metric) else threads) as each:
        done = 0
        for pairs in each(fill, range(0, n, rows)):
            done += pairs
            if tick is not None:
                tick(min(done, n * (n - 1) // 2))
    return out
