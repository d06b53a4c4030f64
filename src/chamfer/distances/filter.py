"""Few coordinates whose distance never exceeds the true one.

The points are centred and rotated into leading principal coordinates; the length of what is left becomes one more
coordinate. For orthonormal axes V, |x - y|² ≥ |V'x - V'y|² + (rest(x) - rest(y))², by Pythagoras and the triangle
inequality. Which axes are taken, and how many, decides how tight the bound is, never whether it holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh, qr

from chamfer import tuning
from chamfer._types import Array, is_mapped
from chamfer.distances.blas import one_blas_thread
from chamfer.distances.pairwise import centre
from chamfer.threads import mapping

_ROWS, _PART = 512, 1 << 21  # rows projected at a time, and numbers at most
_NEIGHBOURS = 32, 256  # least and most that a search may reach: refreshed lists reach farther than first ones
_FEW = (3, 5, 8, 11)  # coordinates that a tree may have
_MANY = (16, 32, 64, 96, 128)  # coordinates that a multiplication may have


class Principal:
    """Leading principal coordinates of some points, and how many of them pay.

    The points may be a sample of `n`. All coordinates of a memory map are what there is no room for.
    """

    def __init__(self, X: Array, n: int | None = None, mapped: bool | None = None) -> None:
        self._X, self._n = X, len(X) if n is None else n
        self._mapped = is_mapped(X) if mapped is None else mapped
        self.mean = centre(X)
        n, d = X.shape
        random = np.random.default_rng(0)
        rows = np.sort(random.choice(n, min(n, tuning.current.sample), replace=False))
        sample = np.subtract(X[rows], self.mean, dtype=np.float64)
        with one_blas_thread():  # others would wait busily when the core's threads go to work
            self.axes = _axes(sample, min(max(_MANY), d, len(rows)))
            self._try(sample, random)

    def _try(self, sample: Array, random: Any) -> None:
        """Count, on a sample, the pairs that a number of coordinates leaves to be computed in full."""
        n, d, now = self._n, self._X.shape[1], tuning.current
        queries = sample[random.choice(len(sample), min(len(sample), now.queries), replace=False)]
        lengths = _lengths(sample), _lengths(queries)
        squared = squared_distances(queries, sample)
        # The sample's neighbours are farther than those of all points, by about this power of the density.
        neighbours = max(1, min(len(sample) - 1, round(np.clip(n / 200, *_NEIGHBOURS) * len(sample) / n)))
        reach = np.partition(squared, neighbours, axis=1)[:, neighbours][:, None]
        here, there = queries @ self.axes, sample @ self.axes
        shares = {}
        for m in [each for each in _FEW + _MANY if each < min(d, self.axes.shape[1] + 1)]:
            ours, theirs = _lengths(here[:, :m]), _lengths(there[:, :m])
            rests = np.sqrt(np.maximum(lengths[1] - ours, 0)), np.sqrt(np.maximum(lengths[0] - theirs, 0))
            lower = squared_distances(here[:, :m], there[:, :m]) + np.square(rests[0][:, None] - rests[1])
            shares[m] = float(np.mean(lower <= reach))
        costs = {
            m: now.filter_pair + (m + 1) * now.filter_coordinate + share * now.filter_close
            for m, share in shares.items()
            if m in _MANY
        }
        if not (costs and self._mapped):
            costs[d] = now.filter_pair + d * now.filter_coordinate
        self.best = min(costs, key=lambda m: costs[m])
        self.seconds_per_pair = costs[self.best]
        few = [m for m in _FEW if m in shares]
        self.few = min(few, key=lambda m: (shares[m] > 1.2 * shares[few[-1]] + 1e-4, m)) if few else self.axes.shape[1]
        self.share_of_few = shares.get(self.few, 1.0)
        single = np.finfo(np.float32)
        self._rounding, self._near = single.eps * 2 * np.median(lengths[0]) + single.tiny, np.median(reach)
        self.filter_dtype = self.dtype(self.best)

    def dtype(self, m: int) -> Any:
        """Of m coordinates: float32 if its rounding, see filter.hpp, is small against the distances of neighbours."""
        return np.float32 if (m + 16) * self._rounding < 0.05 * self._near else np.float64

    def coordinates(self, m: int, dtype: Any) -> Array:
        """Of every point, m principal coordinates and the length of the rest; all coordinates if m is d."""
        return project(self._X, self.mean, None if m == self._X.shape[1] else self.axes[:, :m], dtype)


def most_left(m: int, d: int) -> float:
    """The share of pairs that m of d coordinates may leave; with more, it had been faster to multiply all."""
    now = tuning.current
    return 2 * (d - m) * now.filter_coordinate / now.filter_close


def project(X: Array, mean: Array, axes: Array | None, dtype: Any, threads: int = 1) -> Array:
    """Coordinates of the rows along the axes and the length of the rest; without axes, all that there are.

    Those of a row do not depend on the other rows: BLAS multiplies few rows by other code than many, which rounds
    otherwise, so it always gets as many. With several threads, keep it to one (`one_blas_thread`).
    """
    n, d = X.shape
    m = d if axes is None else axes.shape[1]
    out = np.empty((n, d if axes is None else m + 1), dtype)
    size = min(_ROWS, max(1, _PART // d))

    def fill(first: int) -> None:
        part = slice(first, min(n, first + size))
        rows, here = np.empty((size, d)), slice(0, part.stop - first)
        rows[here.stop :] = 0
        np.subtract(X[part], mean, out=rows[here], dtype=np.float64)
        if axes is None:
            out[part] = rows[here]
            return
        leading = rows @ axes
        out[part, :m] = leading[here]
        out[part, m] = np.sqrt(_rest(rows, leading, axes, dtype)[here])

    with mapping(threads) as each:
        for _ in each(fill, range(0, n, size)):
            pass
    return out


def _rest(rows: Array, leading: Array, axes: Array, dtype: Any) -> Array:
    """Squared lengths of what the axes leave of each row."""
    lengths = _lengths(rows)
    rest = lengths - _lengths(leading)
    # A difference of squares is exact to float32, unless next to nothing is left.
    inexact = np.ones(len(rows), bool) if dtype == np.float64 else rest < 1e-4 * lengths
    if inexact.any():
        rest[inexact] = _lengths(rows - leading @ axes.T)[inexact]
    return rest


def _axes(sample: Array, m: int) -> Array:
    """The first m principal axes, or nearly, orthonormal to rounding, as columns."""
    d = sample.shape[1]
    if d > 1024:
        from sklearn.utils.extmath import randomized_svd  # takes long to import

        return np.asarray(randomized_svd(sample, m, n_oversamples=8, n_iter=2, random_state=0)[2].T)
    products = sample.T @ sample
    if d <= 2 * m:
        return np.ascontiguousarray(eigh(products, driver="evd")[1][:, ::-1][:, :m])
    axes = np.random.default_rng(0).normal(size=(d, m + 8))
    for _ in range(2):
        axes = qr(products @ axes, mode="economic", check_finite=False)[0]
    return np.ascontiguousarray(axes @ eigh(axes.T @ products @ axes)[1][:, ::-1][:, :m])


def _lengths(x: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", x, x))


def squared_distances(x: Array, y: Array) -> Array:
    """By a product, for estimates."""
    return np.asarray(np.maximum(_lengths(x)[:, None] + _lengths(y) - 2 * (x @ y.T), 0))
