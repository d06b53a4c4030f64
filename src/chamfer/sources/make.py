"""Make the source that a user names."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse

from chamfer._types import FAST_METRICS, Condensed, Points
from chamfer.sources.base import Source
from chamfer.sources.choose import choose_source
from chamfer.sources.index import IndexSource
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.nominated import GraphSource
from chamfer.sources.products import BlasSource
from chamfer.sources.rows import CdistSource, PrecomputedSource

SOURCES = ("auto", "blas", "tree", "cdist", "ann")


def make_source(source: Any, data: Points | Condensed, k: int, threads: int) -> Source:
    """Make the source of the given name, or of the given graph, for first lists of k clusters."""
    if not (isinstance(source, str) or issparse(source)):
        return source  # type: ignore[no-any-return]  # the user's own, checked
    name = source if isinstance(source, str) else "a graph"
    if isinstance(data, Condensed):
        if name != "auto":
            raise ValueError(f"source must be 'auto' for distances, got {name!r}")
        return PrecomputedSource(data)
    fast = data.metric in FAST_METRICS
    if name == "cdist" or (name == "auto" and not fast):
        return CdistSource(data)
    if not fast:
        raise ValueError(f"source must be 'auto' or 'cdist' for metric {data.metric!r}, got {name!r}")
    if name in ("ann", "a graph"):
        return IndexSource(data) if name == "ann" else GraphSource(data, source, k)
    if name == "auto":
        return choose_source(data, k, threads)
    return BlasSource(data) if name == "blas" else TreeSource(data)
