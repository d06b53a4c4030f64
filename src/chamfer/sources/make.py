"""Make the source that a user names, brings or needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from scipy.sparse import issparse

from chamfer._types import FAST_METRICS, Condensed, Points
from chamfer.sources.base import Source
from chamfer.sources.choose import choose_source
from chamfer.sources.dask import DaskSource
from chamfer.sources.dask_index import DaskIndexSource
from chamfer.sources.index import IndexSource
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.nominated import GraphSource
from chamfer.sources.packed import PackedSource, suits
from chamfer.sources.products import BlasSource
from chamfer.sources.rows import CdistSource, PrecomputedSource
from chamfer.sources.sparse import SparseSource
from chamfer.sources.sphere import SphereSource

RECALL = 0.98  # of nearest neighbours, where they are approximate and the user does not say
SOURCES = ("auto", "blas", "tree", "cdist", "ann")


def refuse_source(source: Any, data: Points | Condensed, remote: bool) -> str | None:
    """Why such data do not go with a source; None if they do."""
    own = not (isinstance(source, str) or issparse(source))
    name = source if isinstance(source, str) else "a graph"
    if isinstance(data, Condensed):
        if remote:
            return "X must hold points as rows to go to a cluster, got distances"
        return None if own or name == "auto" else f"source must be 'auto' for distances, got {name!r}"
    if remote:
        if own or name == "auto" or (name == "ann" and data.metric in FAST_METRICS):
            return None
        if name == "ann":
            return f"source must be 'auto' for metric {data.metric!r} on a cluster, got 'ann'"
        return f"source must be 'auto', 'ann' or a source for points on a cluster, got {name!r}"
    if own or name in ("auto", "cdist") or data.in_core:
        return None
    what = "sparse points" if data.sparse else f"metric {data.metric!r}"
    return f"source must be 'auto' or 'cdist' for {what}, got {name!r}"


def make_source(
    source: Any,
    data: Points | Condensed,
    k: int,
    threads: int,
    client: Any = None,
    recall: float = RECALL,
    rng: int = 0,
) -> Source:
    """The source of the given name, of the given graph, or the user's own, for first lists of k clusters."""
    if not (isinstance(source, str) or issparse(source)):
        return source  # type: ignore[no-any-return]  # checked
    if isinstance(data, Condensed):
        return PrecomputedSource(data)
    if client is not None or data.remote:
        remote = DaskSource(data.X if data.remote else data, data.metric, client=client, n_jobs=threads)
        return DaskIndexSource(remote, k, recall, rng) if source == "ann" else remote
    if issparse(source):
        return GraphSource(data, source, k)
    if source == "auto":
        return _exact(data, k, threads)
    kinds: dict[str, Callable[[Points], Source]] = {
        "blas": BlasSource,
        "tree": partial(TreeSource, threads=threads),
        "cdist": CdistSource,
        "ann": lambda points: IndexSource(points, k, recall, rng),
    }
    return kinds[source](data)


def holds_rows(data: Points | Condensed) -> bool:
    """Whether the exact source for data that are not of the core holds rows of distances."""
    return isinstance(data, Condensed) or data.sparse or not (data.metric == "haversine" or suits(data))


def _exact(points: Points, k: int, threads: int) -> Source:
    """The fastest exact source for the points."""
    if points.in_core:
        return choose_source(points, k, threads)
    if points.sparse:
        return SparseSource(points)
    if points.metric == "haversine":
        return SphereSource(points, threads)
    return PackedSource(points) if suits(points) else CdistSource(points)
