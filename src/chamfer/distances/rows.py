"""Rows of distances: from some points to all, by the fastest way for metrics that do not go through the Euclidean one.

============================================  ==============================================================
``cityblock``, ``chebyshev``,                 vector loops of the core, over points packed in blocks
``nan_euclidean``
``hamming``, ``jaccard`` of zeros and ones    bit counts
``haversine``                                 chords of the unit sphere
sparse rows                                   an inverted index
everything else                               ``scipy.spatial.distance.cdist``
============================================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from chamfer import _core
from chamfer._types import PACKED_METRICS, Array, Metric, MetricWith, Points
from chamfer.arrays import NotFiniteError
from chamfer.inputs import largest_distance
from chamfer.progress import Tick

_BITS = ("hamming", "jaccard")
_SHARES = ("dice", "sokalsneath")  # of what is set in either row; two rows of zeros are equal, 0 / 0 for SciPy
Rows = Callable[[Any, int, int], Array]


class RowDistances:
    """Distances from points, which may be others, to those of a set.

    Parameters
    ----------
    points : Points
        To which distances are computed.
    options : dict, optional
        What `whole_data_options` gives, if the points are part of more data.
    """

    def __init__(self, points: Points, options: dict[str, Any] | None = None) -> None:
        self.n, self.dtype, self.metric = points.n, points.dtype, points.metric
        self._X = points.X
        self._rows = _make(points, options)

    def fill(self, out: Array, threads: int, tick: Tick | None, infinite: bool = False) -> bool:
        """Write all distances into `out`, condensed or square, if the core can; whether it could."""
        if self.metric not in PACKED_METRICS:
            return False
        packed, metric = strips(self._X), str(self.metric)
        most = _core.packed_triangle(self._X, packed, metric=metric, out=out, threads=threads, tick=tick)
        some = out if np.isinf(most) and infinite else np.array([most])  # or some are no numbers
        check_distances(some, metric, some.dtype, self.n, infinite)
        return True

    def between(self, queries: Any, first: int = 0, threads: int = 1) -> Array:
        """Distances from each query to the points from `first` on, not checked."""
        return self._rows(queries, first, threads)

    def from_points(self, some: Array, threads: int = 1, infinite: bool = False) -> Array:
        """Distances from some of the points to all, in the dtype of the points; `infinite` ones may be allowed."""
        rows = self.between(self._X[some], 0, threads)
        rows[np.arange(len(some)), some] = 0  # some metrics make no sense of a point and itself
        return np.ascontiguousarray(check_distances(rows, self.metric, self.dtype, self.n, infinite))


def _make(points: Points, options: dict[str, Any] | None) -> Rows:
    X, metric = points.X, points.metric
    if points.sparse:
        return _sparse(X, points.core_metric)
    if metric in PACKED_METRICS:
        return _packed(X, str(metric))
    if metric in _BITS and ((X == 0) | (X == 1)).all():
        return _bits(X, metric == "jaccard")
    if metric == "haversine":
        return _haversine(X)
    return _by_cdist(X, metric, whole_data_options(X, metric) if options is None else options)


def _packed(X: Array, metric: str) -> Rows:
    """Blocks of points, coordinate after coordinate."""
    n, width, packed = len(X), int(_core.BLOCK), strips(X)
    blocks = len(packed)

    def rows(queries: Array, first: int, threads: int) -> Array:
        block, rest = divmod(first, width)
        out = np.empty((len(queries), (blocks - block) * width))
        queries = np.ascontiguousarray(queries, X.dtype)
        _core.packed_rows(queries, packed[block:], metric=metric, out=out, threads=threads)
        return np.asarray(out[:, rest : rest + n - first])

    return rows


def strips(X: Array) -> Array:
    """Points in blocks, coordinate after coordinate; the last one is filled up with zeros."""
    (n, d), width = X.shape, int(_core.BLOCK)
    blocks = -(-n // width)
    padded = np.zeros((blocks * width, d), X.dtype)
    padded[:n] = X
    return np.ascontiguousarray(padded.reshape(blocks, width, d).transpose(0, 2, 1))


def _bits(X: Array, jaccard: bool) -> Rows:
    """Rows of bits in words of 64."""
    d = X.shape[1]
    words = _pack_bits(X)
    by_cdist = _by_cdist(X, "jaccard" if jaccard else "hamming", {})

    def rows(queries: Array, first: int, threads: int) -> Array:
        if not ((queries == 0) | (queries == 1)).all():
            return by_cdist(queries, first, threads)
        out = np.empty((len(queries), len(words) - first))
        _core.bit_rows(_pack_bits(queries), words[first:], d=d, jaccard=jaccard, out=out, threads=threads)
        return out

    return rows


def _pack_bits(X: Array) -> Array:
    packed = np.packbits(X != 0, axis=1)
    padded = np.zeros((len(X), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def _haversine(X: Array) -> Rows:
    """Angles between places of latitude and longitude, from chords: a small chord keeps the digits of its angle."""
    places = on_sphere(X)

    def rows(queries: Array, first: int, threads: int) -> Array:
        return angles(cdist(on_sphere(queries), places[first:]))

    return rows


def angles(chords: Array) -> Array:
    """The angles of chords of the unit sphere."""
    return np.asarray(2 * np.arcsin(np.minimum(chords / 2, 1)))


def on_sphere(X: Array) -> Array:
    """Places of latitude and longitude in space, on the unit sphere."""
    latitude, longitude = np.asarray(X, np.float64).T
    across = np.cos(latitude)
    return np.column_stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)])


def _sparse(X: csr_array, metric: str) -> Rows:
    """By the points that each coordinate has."""
    columns = X.tocsc()
    index = dict(zip(("starts", "places", "values"), lines(X), strict=True))
    index.update(zip(("column_starts", "column_places", "column_values"), lines(columns), strict=True))
    n, dtype = X.shape[0], X.dtype

    def rows(queries: csr_array, first: int, threads: int) -> Array:
        out = np.empty((queries.shape[0], n - first))
        _core.sparse_rows(*lines(queries.astype(dtype)), **index, first=first, metric=metric, out=out, threads=threads)
        return out

    return rows


def lines(matrix: Any) -> tuple[Array, Array, Array]:
    """A compressed sparse matrix as the core takes it."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), np.ascontiguousarray(matrix.data)


def _by_cdist(X: Array, metric: Metric, options: dict[str, Any]) -> Rows:
    name: Any = metric
    if isinstance(metric, MetricWith):
        name, options = metric.name, {**options, **metric.params}

    def rows(queries: Array, first: int, threads: int) -> Array:
        with np.errstate(all="ignore"):  # what the warnings are about is checked
            distances = np.asarray(cdist(queries, X[first:], name, **options))
        if name in _SHARES and np.isnan(distances).any():
            distances[np.ix_((queries == 0).all(axis=1), (X[first:] == 0).all(axis=1))] = 0
        return distances

    return rows


def check_distances(distances: Array, metric: Metric, dtype: Any, n: int, infinite: bool = False) -> Array:
    """The distances of n points in the given dtype, or an error if they are none, or too large to be added up."""
    with np.errstate(over="ignore"):
        distances = distances.astype(dtype, copy=False)
    if distances.size == 0:
        return distances
    least, most = float(distances.min()), float(distances.max())
    if np.isnan(least) or not (np.isfinite(most) or infinite):
        reason = ": some rows have no coordinate in common" if metric == "nan_euclidean" else ""
        raise NotFiniteError(f"metric {metric!r} gave distances that are not finite{reason}")
    if least < 0:
        raise ValueError(f"metric {metric!r} gave distances below 0, down to {least}")
    if most > largest_distance(n) and not infinite:
        raise ValueError(f"metric {metric!r} gave distances up to {most}, whose sums overflow; scale X down")
    return distances


def whole_data_options(X: Array, metric: Metric) -> dict[str, Any]:
    """What cdist would estimate from a block but must come from all of the data."""
    if isinstance(metric, MetricWith):
        return {} if {"V", "VI"} & metric.params.keys() else whole_data_options(X, metric.name)
    if metric == "seuclidean":
        with np.errstate(over="ignore", invalid="ignore"):
            return {"V": np.var(X, axis=0, ddof=1, dtype=np.float64)}
    if metric == "mahalanobis":
        n, d = X.shape
        if n <= d:
            raise ValueError(f"metric 'mahalanobis' needs more points than coordinates, got {n} points of {d}")
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return {"VI": np.linalg.inv(np.atleast_2d(np.cov(X.T.astype(np.float64)))).T}
        except np.linalg.LinAlgError:
            raise ValueError("metric 'mahalanobis' needs a covariance of X that can be inverted") from None
    return {}
