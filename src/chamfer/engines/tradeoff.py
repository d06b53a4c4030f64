"""The tradeoff engine: Chamfer linkage in O(n² / t) memory and O(n² t) time, section 5 of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chamfer._types import Array, Points
from chamfer.memory import available_memory, require_memory
from chamfer.progress import Progress
from chamfer.sources.choose import choose_source

_TOGETHER = 70  # rows held beside those of the large clusters


def tradeoff_bytes(points: Points, t: int) -> int:
    """Memory for clusters of at least t points: distances from all points, and values to all clusters."""
    n, d = points.n, int(points.X.shape[1])
    return (n // t + _TOGETHER) * n * (int(points.dtype.itemsize) + 8) + 8 * n * min(d, 256)


def run_tradeoff(
    core: Callable[..., Any], points: Points, t: int | None, threads: int, progress: Progress, limit: int | None
) -> Array:
    """Z by the linkage of `core`; with the smallest t that fits the memory if none is given."""
    n = points.n
    if t is None:
        there_is = available_memory() if limit is None else limit
        rows = max(0, there_is - tradeoff_bytes(points, n + 1)) // (n * (int(points.dtype.itemsize) + 8))
        t = min(n, n // (rows + 1) + 1)
    purpose = f"engine 'tradeoff' with {n} points and t = {t}"
    require_memory(tradeoff_bytes(points, t), limit, purpose, "take a larger t, fewer points or engine='lists'")
    everything = np.arange(n, dtype=np.int32)
    with progress.stage("nearest neighbours", n, "point") as tick:
        nearest = choose_source(points, 1, threads).nearest(everything, everything, 1, threads, tick)
    with progress.stage("merges", n - 1, "merge") as tick:
        Z: Array = core(points.X, points.metric, t, nearest.clusters, nearest.distances, threads, tick)
    return Z
