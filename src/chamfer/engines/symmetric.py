"""Symmetric linkages, for the points engine: merges from lists of near points, at last from distances to few clusters.

The lists of points do not change. What clusters keep in mind of others takes most of the memory. For points of few
coordinates that is a few dozen others for each; where each point is almost as near to all others, it may be all.
"""

from __future__ import annotations

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.engines.base import Task, kept_coordinates
from chamfer.sources.choose import choose_source

_USUAL = 80  # clusters that one keeps in mind
_BYTES = 48  # for each of them, with room to grow


def memory(task: Task) -> int:
    """Bytes for lists and what clusters usually keep in mind, and later for distances to few clusters."""
    n, size = task.data.n, int(task.data.dtype.itemsize)
    k, few = _list(n), _few(n)
    lists = n * (k * (4 + 5 * size) + _USUAL * _BYTES + 400 + 8 * task.d)
    table = few * (n * size + 16 * few) + n * (k * (4 + size) + 16 * task.d)
    return max(lists, table) + 8 * n * kept_coordinates(task)


def run(task: Task, weights: Array | None, exponent: int) -> Array | None:
    """Z of points with weights in a unit of two to the exponent; None if there is too little memory."""
    assert isinstance(task.data, Points)
    points, n = task.data, task.data.n
    most = n * _USUAL + max(0, task.allowed - memory(task)) // _BYTES
    most = min(most, np.iinfo(np.int64).max)  # a limit may be any number
    everything, k = np.arange(n, dtype=np.int32), _list(n)
    with task.progress.stage("nearest neighbours", n, "point") as tick:
        nearest = choose_source(points, k, task.threads).nearest(everything, everything, k, task.threads, tick)
    with task.progress.stage("merges", n - 1, "merge") as tick:
        Z: Array | None = _core.symmetric_lists(
            points.X,
            metric=points.core_metric,
            normalized=task.linkage.normalized,
            weights=weights,
            nearest=nearest.clusters,
            distances=nearest.distances,
            bounds=nearest.bounds,
            few=_few(n),
            most=most,
            threads=task.threads,
            tick=tick,
        )
    if Z is not None:
        Z[:, 2] = np.ldexp(Z[:, 2], 0 if task.linkage.normalized else exponent)
    return Z


def _list(n: int) -> int:
    """Points on a list."""
    return min(n - 1, int(tuning.at(tuning.current.symmetric_list, n)))


def _few(n: int) -> int:
    """From so many clusters on, distances from all points to all clusters are no trouble."""
    now = tuning.current
    return min(n, max(now.last_least, min(now.last_clusters, n // now.last_size, now.last_distances // n)))
