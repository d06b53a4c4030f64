"""The points engine: linkages that are told from centres, and single linkage, without a matrix of distances.

Both start from lists of nearest points, which come from a source. What the core makes of them is in `centre_lists.hpp`
and `spanning.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chamfer import _core
from chamfer.distances import blas, centre, one_blas_thread, prepare
from chamfer.progress import Progress
from chamfer.sources import BlasSource, TreeSource, choose_source
from chamfer.validation import Array, Points

_LIST = 16  # points on a first list, and clusters on a list of centres made anew


def run_points(core: Callable[..., Any], points: Points, threads: int, progress: Progress) -> Array:
    """Z by single linkage, or by one that is told from centres."""
    points, single = prepare(points), core is _core.single
    metric, mean = points.metric, centre(points.X)
    if not single:
        points = Points(points.X, "sqeuclidean")
    everything, k = np.arange(points.n, dtype=np.int32), min(points.n - 1, _LIST)
    with progress.stage("nearest neighbours", points.n, "point") as tick:
        source = choose_source(points, k, threads)
        tree, few = isinstance(source, TreeSource), _few_coordinates(points, source, mean)
        nearest = source.nearest(everything, everything, k, threads, tick)
        del source
    with progress.stage("merges", points.n - 1, "merge") as tick, one_blas_thread():
        Z: Array = core(points.X, points.metric, *few, tree, *nearest, blas(), threads, tick)
    if not single and metric == "euclidean":
        Z[:, 2] = np.sqrt(Z[:, 2])
    elif not single and metric == "cosine":
        Z[:, 2] /= 2
    return Z


def _few_coordinates(points: Points, source: BlasSource | TreeSource, mean: Array) -> tuple[Array, Array, Array]:
    """Means, axes and the few coordinates of all points, by which a search may skip most centres."""
    d = points.X.shape[1]
    principal, tree = source.principal, isinstance(source, TreeSource)
    m = d if principal is None else principal.few if tree else principal.best
    dtype = np.float64 if principal is None or tree else principal.filter_dtype
    if principal is None or m == d:
        return mean, np.empty((d, 0)), np.ascontiguousarray(points.X - mean, dtype=dtype)
    return principal._mean, np.ascontiguousarray(principal._axes[:, :m]), principal.coordinates(m, dtype)
