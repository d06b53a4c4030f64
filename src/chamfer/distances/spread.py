"""In how many dimensions the points near a point spread.

The number of neighbours within a distance r grows like r^m. The estimate of m from the distances to the nearest k of a
sample is that of Levina and Bickel (2004), 1 / mean log(r_k / r_j).
"""

from __future__ import annotations

import numpy as np

from chamfer._types import Array
from chamfer.distances.blas import one_blas_thread
from chamfer.distances.filter import squared_distances

_SAMPLE, _QUERIES, _NEIGHBOURS = 1024, 64, 16


def local_dimension(X: Array) -> float:
    """The median over some rows of a sample; infinite for few rows, and where neighbours are copies."""
    if len(X) < _SAMPLE:
        return np.inf
    sample = np.asarray(X[:: len(X) // _SAMPLE][:_SAMPLE], dtype=np.float64)
    sample = sample - sample.mean(axis=0)
    with one_blas_thread():
        squared = squared_distances(sample[:: _SAMPLE // _QUERIES], sample)
    near = np.sort(np.partition(squared, _NEIGHBOURS, axis=1)[:, : _NEIGHBOURS + 1], axis=1)[:, 1:]  # without itself
    near = near[near[:, 0] > 0]
    if not len(near):
        return np.inf
    return float(np.median(2 / np.maximum(np.log(near[:, -1:] / near).mean(axis=1), 1e-9)))
