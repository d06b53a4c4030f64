"""The lists engine: exact Chamfer linkage in O(n k) memory.

The core merges until it misses something, and says which points' lists it needs; the source finds their nearest
clusters; the core goes on. Progress, interrupts and whatever the source does stay on this side.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from chamfer import _core
from chamfer._types import Array, Condensed, Points
from chamfer.inputs import is_distributed
from chamfer.progress import Progress
from chamfer.sources.base import Answer, Source, source_name
from chamfer.sources.rows import ROWS

FIRST = 32  # clusters on a first list
AGAIN = 8  # clusters on a list made anew, at least
BATCH = 2048  # points whose lists are made anew at a time
NEAR = 24  # a point is compared with this part of all points, candidate by candidate, before its list is made anew


@dataclass
class Info:
    """What a run of the lists engine did.

    Attributes
    ----------
    source : str
        Name of the source.
    refreshes, refreshed : int
        How often lists were made anew, and of how many points in all.
    seconds : dict of str to float
        Time by phase: first lists, refreshes, merges.
    entries : int
        Most list entries asked for at once, first lists included.

    Examples
    --------
    >>> import chamfer
    >>> info = chamfer.Info()
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]], engine="lists", info=info)
    >>> info.source, info.refreshed
    ('TreeSource', 0)
    """

    source: str = ""
    refreshes: int = 0
    refreshed: int = 0
    entries: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"first": 0.0, "refresh": 0.0, "merge": 0.0})


def lists_bytes(data: Points | Condensed, k: int) -> int:
    """Memory for lists of k clusters, and for what a source needs beside them."""
    # Entries and columns of the lists, and cluster by cluster what is known of others.
    need = data.n * (60 * k + 600)
    if isinstance(data, Condensed):
        return need + int(data.values.nbytes) + data.n * ROWS * 40
    if is_distributed(data.X):
        return need
    blocks = data.n // 256 + 1  # whose pairs are sorted by distance, so many at a time
    return need + int(data.X.nbytes) + 12 * min(blocks * (blocks + 1) // 2, 1 << 24)


def run_lists(
    source: Source,
    *,
    normalized: bool,
    n_neighbors: int | None,
    epsilon: float,
    threads: int,
    progress: Progress,
    info: Info | None = None,
) -> Array:
    """Z by Chamfer linkage; capped at the (n_neighbors + 1)-th neighbour if `n_neighbors` is given.

    Each merge has a value of at most 1 + `epsilon` times the smallest one.
    """
    info = Info() if info is None else info
    info.source = source_name(source)
    n, everything = source.n, np.arange(source.n, dtype=np.int32)
    engine_type = _core.Lists32 if source.dtype == np.float32 else _core.Lists64
    points = getattr(source, "points", None)
    X, metric = (None, "euclidean") if points is None else (points.X, points.metric)
    capped = n_neighbors is not None
    near = min(n // NEAR, getattr(source, "near", n))
    engine = engine_type(n, normalized, capped, AGAIN, BATCH, near, epsilon, threads, X, metric)
    first = min(n - 1, FIRST if n_neighbors is None else n_neighbors + 1)
    with progress.stage("nearest neighbours", n, "point") as tick:
        start = time.perf_counter()
        answer = source.nearest(everything, everything, first, threads, tick)
        info.entries = answer.clusters.size
        if n_neighbors is not None and first == n_neighbors + 1:
            answer = _without_farthest(answer)
        engine.refresh(everything, *answer)
        del answer  # as large as all lists
        info.seconds["first"] = time.perf_counter() - start
    with progress.stage("merges", n - 1, "merge") as tick:
        while True:
            start = time.perf_counter()
            points, k = engine.advance(tick)
            info.seconds["merge"] += time.perf_counter() - start
            if not len(points):
                Z = np.asarray(engine.tree())
                Z[:, 2] = np.ldexp(Z[:, 2], getattr(source, "height_exponent", 0))
                return Z
            start = time.perf_counter()
            engine.refresh(points, *source.nearest(points, engine.labels(n), k, threads))
            info.refreshes += 1
            info.refreshed += len(points)
            info.entries = max(info.entries, len(points) * k)
            info.seconds["refresh"] += time.perf_counter() - start


def _without_farthest(answer: Answer) -> Answer:
    """Lists of one cluster less: the farthest only gives the bound, which is what a point counts at most."""
    # Of equally far ones the larger label goes, as if one less had been asked for.
    farthest = answer.distances == answer.distances.max(axis=1, keepdims=True)
    last = np.where(farthest, answer.clusters, -1).argmax(axis=1)
    clusters = answer.clusters.copy()
    clusters[np.arange(len(clusters)), last] = -1
    return Answer(clusters, answer.distances, answer.bounds)
