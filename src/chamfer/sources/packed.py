"""Nearest clusters by cityblock and chebyshev, which grow with every coordinate."""

from __future__ import annotations

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.rows import strips
from chamfer.inputs import largest_distance
from chamfer.sources.base import SearchSource

METRICS = ("cityblock", "chebyshev")
_LEADING = 64  # coordinates that bound a distance from below, at most
_SORTED = 8  # of them, by which near points come together


class PackedSource(SearchSource):
    """Nearest clusters by boxes of 32 points that are near each other.

    How far a point is outside of a box, in the coordinates that vary most, bounds its distances to all points of the
    box from below. Only boxes within reach are looked into.
    """

    def __init__(self, points: Points) -> None:
        leading = _leading(points.X)
        order = _core.near_order(np.ascontiguousarray(points.X[:, leading[:_SORTED]]), leaf=int(_core.BLOCK))
        packed, metric = strips(points.X[order]), str(points.metric)
        super().__init__(points, _core.packed_search(packed, order=order, leading=leading, metric=metric))


def suits(points: Points) -> bool:
    """Whether there are enough points for boxes, and no distance can overflow, which only rows would tell."""
    if points.metric not in METRICS or points.n <= tuning.current.unfiltered:
        return False
    with np.errstate(over="ignore"):
        ranges = np.ptp(points.X, axis=0).astype(np.float64)
        return bool(ranges.sum() <= min(largest_distance(points.n), float(np.finfo(points.dtype).max)))


def _leading(X: Array) -> Array:
    """The coordinates that vary most, those first."""
    spread = np.var(X[:: max(1, len(X) // tuning.current.sample)], axis=0, dtype=np.float64)
    return np.argsort(-spread, kind="stable")[:_LEADING].astype(np.int32)
