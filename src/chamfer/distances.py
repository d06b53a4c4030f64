"""Distances between all pairs of points, condensed or square, by the fastest exact way for the metric."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from chamfer import _core
from chamfer.progress import Tick
from chamfer.validation import FAST_METRICS, Array, Metric, Points

_BLOCK = 256  # rows that cdist computes at a time


@lru_cache(maxsize=1)
def blas() -> Any:
    """Matrix multiplication from SciPy's BLAS."""
    from scipy.linalg import cython_blas

    capsules = cython_blas.__pyx_capi__
    return _core.Blas(capsules["sgemm"], capsules["dgemm"])


def prepare(points: Points) -> Points:
    """Points whose metric the core knows: unit vectors for the cosine distance, unchanged otherwise.

    A row of zeros has no direction. It is given one of its own, at distance 1 from every other row (as in
    scikit-learn) and 0 from other rows of zeros.
    """
    X = points.X
    if points.metric == "cosine":
        norms = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
        none = norms == 0
        norms[none] = 1
        X = np.asarray((X / norms[:, None]).astype(X.dtype))
        if none.any():
            X = np.column_stack([X, none.astype(X.dtype)])
    return Points(X, points.metric)


def centre(X: Array) -> Array:
    """Near the column means, in few bits: shifted integers stay integers, and their products exact."""
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    spread = high - low
    if not np.square(spread).sum() < np.finfo(X.dtype).max / 4:
        raise ValueError(
            f"X spans too wide a range for distances in {X.dtype}; scale it down"
            + (" or pass float64" if X.dtype == np.float32 else "")
        )
    grid = np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1))) - 3)
    mean = X.mean(axis=0, dtype=np.float64)
    return np.asarray(np.round(mean / grid) * grid)


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
    points = prepare(points)
    shift = centre(points.X)
    arguments = (points.X, shift, points.metric, out, blas(), threads, tick)
    if points.X.shape[1] <= 16 or points.n <= 512:
        _core.pairwise(*arguments)  # needs no BLAS, whose threads take milliseconds to set
    else:
        with threadpool_limits(1, "blas"):
            _core.pairwise(*arguments)
    return out


def _fill_by_cdist(points: Points, out: Array, threads: int, tick: Tick | None) -> Array:
    X, metric, n = points.X, points.metric, points.n
    options = whole_data_options(X, metric)

    def fill(first: int) -> int:
        last = min(first + _BLOCK, n)
        block = cdist(X[first:last], X[first:], metric, **options)
        if not np.isfinite(block).all():
            raise ValueError(f"metric {metric!r} gave distances that are not finite")
        for i in range(first, last):
            row = block[i - first, i - first + 1 :]
            if out.ndim == 1:
                start = i * n - i * (i + 1) // 2
                out[start : start + row.size] = row
            else:
                out[i, i + 1 :] = out[i + 1 :, i] = row
                out[i, i] = 0
        return (last - first) * (n - first)

    with ThreadPoolExecutor(1 if callable(metric) else threads) as pool:
        jobs = [pool.submit(fill, first) for first in range(0, n, _BLOCK)]
        try:
            done = 0
            for job in jobs:
                done += job.result()
                if tick is not None:
                    tick(min(done, n * (n - 1) // 2))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return out


def whole_data_options(X: Array, metric: Metric) -> dict[str, Any]:
    """What cdist would estimate from a block but must come from all of the data."""
    if metric == "seuclidean":
        return {"V": np.var(X, axis=0, ddof=1, dtype=np.float64)}
    if metric == "mahalanobis":
        return {"VI": np.linalg.inv(np.atleast_2d(np.cov(X.T.astype(np.float64)))).T}
    return {}
