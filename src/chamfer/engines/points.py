"""The points engine: linkages that are told from centres, and single linkage, without a matrix of distances.

Both start from lists of nearest points, which come from a source. What the core makes of them is in `centre_lists.hpp`
and `spanning.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array, Points
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.pairwise import centre
from chamfer.progress import Progress
from chamfer.sources.choose import choose_source
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.products import BlasSource

_LIST = 16  # points on a first list, and clusters on a list of centres made anew
# Up to so many points of up to so many coordinates are compared one by one, which is faster than keeping lists. Where
# centres may come closer, lists pay only when coordinates are many.
_FEW = ((4, 5_000), (24, 12_000), (1 << 62, 1_000))
_CLOSER = ((128, 1 << 62), (1 << 62, 1_000))


def points_bytes(points: Points) -> int:
    """Memory for centres, their few coordinates, and lists."""
    n, d = points.X.shape
    return int(points.X.nbytes + n * (8 * d + 16 * min(d, 129) + 80 * _LIST))


def run_points(core: Callable[..., Any], points: Points, threads: int, progress: Progress) -> Array:
    """Z by single linkage, or by one that is told from centres."""
    metric, points = points.metric, replace(points, metric="sqeuclidean")
    (n, d), mean = points.X.shape, centre(points.X)
    table = _CLOSER if core in (_core.centroid, _core.median) else _FEW
    if core is not _core.average and n <= next(most for coordinates, most in table if d <= coordinates):
        with progress.stage("merges", n - 1, "merge") as tick:
            Z: Array = core(points.X, threads, tick)
    else:
        everything, k = np.arange(n, dtype=np.int32), min(n - 1, _LIST)
        with progress.stage("nearest neighbours", n, "point") as tick:
            source = choose_source(points, k, threads)
            tree, coordinates = isinstance(source, TreeSource), _few_coordinates(points, source, mean)
            nearest = source.nearest(everything, everything, k, threads, tick)
            del source
        with progress.stage("merges", n - 1, "merge") as tick, one_blas_thread():
            Z = core(points.X, points.metric, *coordinates, tree, *nearest, blas(), threads, tick)
    if metric == "euclidean":
        Z[:, 2] = np.sqrt(Z[:, 2])
    elif metric == "cosine":
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
    return principal.mean, np.ascontiguousarray(principal.axes[:, :m]), principal.coordinates(m, dtype)
