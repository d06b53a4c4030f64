"""How points spread around each other, by the distances within a sample.

The number of neighbours within a distance r grows like r^m. The estimate of m from the distances to the nearest k of a
sample is that of Levina and Bickel (2004), 1 / mean log(r_k / r_j).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chamfer._types import Array
from chamfer.distances.blas import one_blas_thread
from chamfer.distances.filter import squared_distances

_SAMPLE, _QUERIES, _NEIGHBOURS = 1024, 64, 16
_CROWD = 3.0  # times as far as the last of these neighbours
_FEW, _SOME = 3, 0.9  # neighbours nearer than those that tell how even points lie, and a quantile of their distances


class Spread(NamedTuple):
    """What is typical of a point: the median of some rows of a sample."""

    dimension: float = np.inf  # of the points near it; infinite where neighbours are copies
    crowd: float = 1.0  # the share of all points that are not much farther away than its neighbours
    unevenness: float = np.nan  # how much farther neighbours of some points are than those of most; NaN if not known


def spread(X: Array) -> Spread:
    """How the rows spread; of few rows, as if each were almost as near to all others."""
    if len(X) < _SAMPLE:
        return Spread()
    sample = np.asarray(X[:: len(X) // _SAMPLE][:_SAMPLE], dtype=np.float64)
    sample = sample - sample.mean(axis=0)
    with one_blas_thread():
        squared = squared_distances(sample[:: _SAMPLE // _QUERIES], sample)
    near = np.sort(np.partition(squared, _NEIGHBOURS, axis=1)[:, : _NEIGHBOURS + 1], axis=1)[:, 1:]  # without itself
    crowd = float(np.median((squared <= _CROWD**2 * near[:, -1:]).mean(axis=1)))
    near = near[near[:, 0] > 0]
    if not len(near):
        return Spread(crowd=crowd)
    dimension = float(np.median(2 / np.maximum(np.log(near[:, -1:] / near).mean(axis=1), 1e-9)))
    typical, far = np.sqrt(np.quantile(near[:, _FEW], (0.5, _SOME)))
    return Spread(dimension, crowd, float(far / typical))
