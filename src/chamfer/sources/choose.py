"""A k-d tree or multiplication: which is faster for these points."""

from __future__ import annotations

import time

import numpy as np

from chamfer import tuning
from chamfer._types import Points
from chamfer.distances.filter import Principal
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.products import BlasSource


def choose_source(points: Points, k: int, threads: int, centres: bool = False) -> BlasSource | TreeSource:
    """Choose between tree and multiplication by trying both on a sample of the points.

    `centres`: the search goes on among centres, for which a tree is built again and again.
    """
    now = tuning.current
    if points.X.shape[1] <= (now.tree_centres if centres else now.tree_coordinates):
        return TreeSource(points, threads=threads)
    if points.n <= now.unfiltered:
        return BlasSource(points)
    principal = Principal(points.X)
    if points.n < now.tree_points or principal.share_of_few > now.tree_share:
        return BlasSource(points, principal)
    tree = TreeSource(points, principal, threads)
    sample = np.random.default_rng(0).choice(points.n, 256, replace=False).astype(np.int32)
    start = time.perf_counter()
    tree.nearest(sample, np.arange(points.n, dtype=np.int32), k, threads)
    tree_seconds = (time.perf_counter() - start) / len(sample) * points.n
    blas_seconds = principal.seconds_per_pair * points.n * (points.n / 2) / threads
    return tree if now.tree_gain * tree_seconds < blas_seconds else BlasSource(points, principal)
