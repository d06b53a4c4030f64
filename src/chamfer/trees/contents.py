"""What clusters consist of: their means, and the distances of their points to these.

All in the unit of the points, and by blocks of rows, so that little memory is needed beside the points.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from chamfer._types import Array, Points
from chamfer.inputs import check_labels
from chamfer.threads import check_threads
from chamfer.trees.cuts import NOISE

_FENCE = 3.0  # times the middle half of distances: beyond it a point is "far out" (Tukey, 1977)
_BLOCK = 1 << 22  # coordinates in memory at a time


class Contents:
    """Means of the clusters and distances of the points to them, in the unit of the points."""

    def __init__(self, data: Points, labels: Array) -> None:
        self.X, self.exponent, self.labels = data.X, data.exponent, labels
        codes = check_labels(labels, data.n)
        found, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        noise = (labels[first] == NOISE) if labels.dtype.kind in "iu" else np.zeros(len(found), dtype=bool)
        self.values = labels[first][~noise].tolist()
        self.code = np.where(noise, NOISE, np.cumsum(~noise) - 1)[codes]
        self.size = np.bincount(self.code[self.code != NOISE], minlength=len(self.values))
        self._add_up()
        self._measure()

    def _blocks(self) -> Iterator[slice]:
        rows = max(1, _BLOCK // self.X.shape[1])
        return (slice(start, start + rows) for start in range(0, len(self.X), rows))

    def _add_up(self) -> None:
        """Means of the clusters, of all other points, and of all points."""
        n, d = self.X.shape
        sums, total = np.zeros((len(self.size), d)), np.zeros(d)
        for block in self._blocks():
            code, X = self.code[block], self.X[block]
            inside = (code != NOISE).astype(np.float64)
            members = csr_array((inside, np.maximum(code, 0), np.arange(len(code) + 1)), (len(code), len(sums) or 1))
            sums += (members.T @ X)[: len(sums)]
            total += X.sum(axis=0, dtype=np.float64)
        self.means = sums / self.size[:, None]
        self.mean = total / n
        others = n - self.size[:, None]
        self.rest = np.divide(total - sums, others, out=np.full_like(sums, np.nan), where=others > 0)

    def _measure(self) -> None:
        """Distances from points to the mean of their cluster, and standard deviations of columns."""
        n, d = self.X.shape
        squares, self.distances = np.zeros(d), np.full(n, np.nan)
        for block in self._blocks():
            code, X = self.code[block], self.X[block]
            squares += np.square(X - self.mean).sum(axis=0)
            inside = code != NOISE
            apart = X[inside] - self.means[code[inside]]
            self.distances[block][inside] = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        self.deviation = np.sqrt(squares / n)

    def differences(self) -> Array:
        """Means against those of all other points, in standard deviations; 0 where there is nothing to compare."""
        apart = np.nan_to_num(self.means - self.rest)
        return np.asarray(np.divide(apart, self.deviation, out=np.zeros_like(apart), where=self.deviation > 0))

    def by_distance(self) -> list[Array]:
        """The points of each cluster, those nearest to its mean first."""
        order = np.lexsort([self.distances, self.code])
        return np.split(order[np.count_nonzero(self.code == NOISE) :], np.cumsum(self.size)[:-1])

    def spreads(self) -> Array:
        """Root of the mean squared distance to the mean."""
        inside = self.code != NOISE
        squares = np.bincount(self.code[inside], self.distances[inside] ** 2, minlength=len(self.size))
        return np.asarray(np.sqrt(squares / self.size))

    def outliers(self, points: Array) -> Array:
        """Those of the points of a cluster, sorted by distance, that are far out; the farthest first."""
        low, high = np.quantile(self.distances[points], [0.25, 0.75])
        return np.asarray(points[self.distances[points] > high + _FENCE * (high - low)][::-1])

    def exemplars(self, points: Array, count: int) -> list[int]:
        """The first of the points, then always the farthest from those so far in the nearer half of them."""
        half = points[: (len(points) + 1) // 2]
        X = self.X[half].astype(np.float64, copy=False)
        chosen, least = [0], np.full(len(half), np.inf)
        while len(chosen) < count:
            least = np.minimum(least, np.square(X - X[chosen[-1]]).sum(axis=1))
            farthest = int(np.argmax(least))
            if least[farthest] == 0:  # all that are left are copies
                break
            chosen.append(farthest)
        return [int(each) for each in half[chosen]]

    def nearest(self) -> Array:
        """For each cluster the other one with the nearest mean."""
        from chamfer.sources.make import make_source  # takes long to import

        k, threads = len(self.size), check_threads(None)
        if k < 2:
            return np.full(k, NOISE)
        each = np.arange(k, dtype=np.int32)
        source = make_source("auto", Points(self.means, "euclidean", exponent=0), 1, threads)
        return np.asarray(source.nearest(each, each, 1, threads).clusters[:, 0])
