"""Nearest clusters of places on the globe, by a k-d tree of the chords between them."""

from __future__ import annotations

import numpy as np

from chamfer._types import Array, Points
from chamfer.distances.rows import angles, on_sphere
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source
from chamfer.sources.kdtree import TreeSource


class SphereSource(Source):
    """Nearest clusters by the angle between places of latitude and longitude.

    The longer of two chords has the larger angle. So a tree of the places in space finds the nearest.
    """

    def __init__(self, points: Points, threads: int = 1) -> None:
        self.n, self.dtype = points.n, points.dtype
        self._tree = chords(points, threads)

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        found = self._tree.nearest(points, labels, k, threads, tick)
        known = np.where(found.clusters >= 0, found.distances, 0)
        distances, bounds = (angles(each).astype(self.dtype) for each in (known, found.bounds))
        # Of chords that differ in the last bits the longer one might get the smaller angle, rounded.
        low = np.nextafter(np.nextafter(bounds, self.dtype.type(0)), self.dtype.type(0))
        return Answer(found.clusters, distances, np.maximum(low, 0))


def chords(points: Points, threads: int) -> TreeSource:
    """A tree of places of latitude and longitude in space, by Euclidean distance."""
    return TreeSource(Points(on_sphere(points.X), "euclidean", exponent=0), threads=threads)
