"""Distances between all pairs of points, condensed or square, by the fastest exact way for the metric."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from chamfer import _core, tuning
from chamfer._types import FAST_METRICS, Array, Metric, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.inputs import largest_distance
from chamfer.progress import Tick
from chamfer.threads import mapping

BLOCK = 256  # rows that cdist computes at a time


def centre(X: Array) -> Array:
    """Near the column means, in few bits: shifted integers stay integers, and their products exact."""
    return _core.centre(np.ascontiguousarray(X))


def condensed(points: Points, threads: int, tick: Tick | None = None) -> Array:
    """All distances in SciPy's condensed order, in the dtype of the points."""
    out = np.empty(points.n * (points.n - 1) // 2, dtype=points.X.dtype)
    return _fill(points, out, threads, tick)


def square(points: Points, threads: int, tick: Tick | None = None) -> Array:
    """All distances as a symmetric matrix with a zero diagonal, in the dtype of the points."""
    out = np.empty((points.n, points.n), dtype=points.X.dtype)
    return _fill(points, out, threads, tick)


def _fill(points: Points, out: Array, threads: int, tick: Tick | None) -> Array:
    if points.metric not in FAST_METRICS:
        return _fill_by_cdist(points, out, threads, tick)
    X = points.X
    if points.n <= _core.FEW and X.dtype == np.float64:
        _core.few_distances(X, metric=points.metric, out=out, threads=threads, tick=tick)
        return out
    multiply = X.shape[1] > 16  # otherwise the core computes differences, without a shift
    if multiply:
        X = _without_constants(X)
    with one_blas_thread() if multiply else nullcontext():
        shift = centre(X) if multiply else np.zeros(X.shape[1])
        _core.pairwise_distances(X, shift=shift, metric=points.metric, out=out, blas=blas(), threads=threads, tick=tick)
    return out


def _without_constants(X: Array) -> Array:
    """X without coordinates in which all points agree (margins of images), if that is less work for distances."""
    varying = (X[:1] != X).any(axis=0)
    return np.ascontiguousarray(X[:, varying]) if 0 < varying.sum() < tuning.current.varying * len(varying) else X


def _fill_by_cdist(points: Points, out: Array, threads: int, tick: Tick | None) -> Array:
    X, metric, n = points.X, points.metric, points.n
    options = whole_data_options(X, metric)
    # A function of the user's is slow, and Ctrl-C waits for the end of a block.
    rows = max(1, 20_000 // n) if callable(metric) else BLOCK

    def fill(first: int) -> int:
        last = min(first + rows, n)
        block = rows_of_distances(X[first:last], X[first:], metric, options)
        for i in range(first, last):
            row = check_distances(block[i - first, i - first + 1 :], metric, out.dtype, n)
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


def rows_of_distances(some: Array, X: Array, metric: Metric, options: dict[str, Any]) -> Array:
    """Distances of some points to all of X by SciPy, without its warnings: what they are about is checked."""
    with np.errstate(all="ignore"):
        return np.asarray(cdist(some, X, metric, **options))


def check_distances(distances: Array, metric: Metric, dtype: Any, n: int) -> Array:
    """The distances of n points in the given dtype, or an error if they are none, or too large to be added up."""
    with np.errstate(over="ignore"):
        distances = distances.astype(dtype)
    if distances.size == 0:
        return distances
    least, most = float(distances.min()), float(distances.max())
    if not (np.isfinite(least) and np.isfinite(most)):
        raise ValueError(f"metric {metric!r} gave distances that are not finite")
    if least < 0:
        raise ValueError(f"metric {metric!r} gave distances below 0, down to {least}")
    if most > largest_distance(n):
        raise ValueError(f"metric {metric!r} gave distances up to {most}, whose sums overflow; scale X down")
    return distances


def whole_data_options(X: Array, metric: Metric) -> dict[str, Any]:
    """What cdist would estimate from a block but must come from all of the data."""
    if metric == "seuclidean":
        with np.errstate(over="ignore", invalid="ignore"):
            return {"V": np.var(X, axis=0, ddof=1, dtype=np.float64)}
    if metric == "mahalanobis":
        n, d = X.shape
        if n <= d:
            raise ValueError(f"metric 'mahalanobis' needs more points than coordinates, got {n} points of {d}")
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return {"VI": np.linalg.inv(np.atleast_2d(np.cov(X.T.astype(np.float64)))).T}
        except np.linalg.LinAlgError:
            raise ValueError("metric 'mahalanobis' needs a covariance of X that can be inverted") from None
    return {}
