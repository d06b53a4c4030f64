"""Nearest clusters of sparse points, by an inverted index of their rare coordinates."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.rows import lines
from chamfer.sources.base import SearchSource

_SHARES = (0.3, 0.2, 0.1, 0.03, 0.01)  # of the points, that have a coordinate that is frequent
_QUERIES = 32  # points by which the share is chosen
_NEIGHBOURS = 32, 256  # of them, least and most: a search reaches farther before it has found the nearest
# Nanoseconds of one thread: a product with a point that has the same coordinate, a pair whose frequent coordinates are
# multiplied, and each of these.
_PRODUCT, _PAIR, _CLOSE = 1.3, 30.0, 1.5


class SparseSource(SearchSource):
    """Nearest clusters of sparse points.

    Only coordinates that few points have are multiplied; what the others, such as common words, can add is bounded by
    the length of that part of each point. Pairs that may be near are computed in full.
    """

    def __init__(self, points: Points) -> None:
        X = csr_array(points.X)
        self.frequent = _frequent(X)
        rows = np.repeat(np.arange(points.n), np.diff(X.indptr))
        rare = ~self.frequent[X.indices]
        columns = csr_array((X.data[rare], (rows[rare], X.indices[rare])), shape=X.shape).tocsc()
        index = dict(zip(("column_starts", "column_places", "column_values"), lines(columns), strict=True))
        search = _core.sparse_search(*lines(X), **index, frequent=self.frequent, metric=points.core_metric)
        super().__init__(points, search)


def _frequent(X: csr_array) -> Array:
    """Which coordinates to bound instead of multiplying them, chosen on a sample of the points."""
    n, d = X.shape
    counts = np.bincount(X.indices, minlength=d)
    best = np.zeros(d, bool)
    if n <= tuning.current.unfiltered:
        return best
    some = X[np.sort(np.random.default_rng(0).choice(n, _QUERIES, replace=False))]
    neighbours = int(np.clip(n // 200, *_NEIGHBOURS))
    reach = np.partition(_lower(X, some, best), neighbours, axis=1)[:, neighbours, None]
    least = np.inf
    for share in (1.0, *_SHARES):
        frequent = counts > share * n
        left = np.where(frequent, 0, counts).astype(np.float64)
        close = float(np.mean(_lower(X, some, frequent) <= reach))
        cost = _PRODUCT * (left @ left) / n**2 + close * (_PAIR + _CLOSE * counts[frequent].sum() / n)
        if cost < least:
            best, least = frequent, cost
    return best


def _lower(X: csr_array, some: csr_array, frequent: Array) -> Array:
    """Lower bounds of half the squared distances of some points to all, without products in frequent coordinates."""
    products = (X @ csr_array(some.multiply(~frequent).T)).toarray().T
    halves, common = zip(*(_lengths(each, frequent) for each in (some, X)), strict=True)
    return np.asarray(halves[0][:, None] + halves[1] - products - common[0][:, None] * common[1])


def _lengths(X: csr_array, frequent: Array) -> tuple[Array, Array]:
    """Half of each squared length, and the length in frequent coordinates."""
    squares = X.power(2)
    return squares @ np.full(X.shape[1], 0.5), np.sqrt(squares @ frequent.astype(np.float64))
