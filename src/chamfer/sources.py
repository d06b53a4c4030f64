"""Sources: where the lists engine gets nearest clusters from.

A source answers one question: which are the k nearest clusters of these points, given the cluster of every point? The
engine does not know which source it has, so anything with the attributes and the method of `Source` can be passed to
`chamfer.linkage` as ``source=``.

======================  ===========================================================================================
`BlasSource`            matrix multiplication of few principal coordinates, exact distances for what is left
`TreeSource`            a k-d tree, for points whose distances are carried by few coordinates
`CdistSource`           any metric of ``scipy.spatial.distance.cdist``
`PrecomputedSource`     condensed distances
`chamfer.DaskSource`    points that are spread over a Dask cluster
`IndexSource`           an approximate index, in `chamfer.neighbours`
`GraphSource`           a graph of neighbours that you bring, in `chamfer.neighbours`
======================  ===========================================================================================
"""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from chamfer import _core
from chamfer.answers import Answer, empty_answer
from chamfer.distances import (
    blas,
    centre,
    check_distances,
    one_blas_thread,
    rows_of_distances,
    whole_data_options,
)
from chamfer.principal import Principal
from chamfer.progress import Tick
from chamfer.validation import FAST_METRICS, Array, Condensed, Points

ROWS = 256  # rows of distances held at a time
_FEW = 2048  # points


class Source(Protocol):
    """What the lists engine needs to know of the points.

    Attributes
    ----------
    n : int
        Number of points.
    dtype : dtype
        float32 or float64, of the distances.

    It may also have ``points``, a `Points` with a metric that the core knows: the engine then computes a few distances
    by itself instead of asking for whole lists; ``height_exponent``, if heights are to be multiplied by two to this
    power, as the distances are in another unit; ``near``, the number of distances that are worth a list; ``whole``,
    true if lists of all points are faster made at once than in the parts that a checkpoint asks for; and
    ``fingerprint``, a text by which a checkpoint tells it from other sources of its kind.
    """

    n: int
    dtype: np.dtype[Any]

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, their own cluster excluded.

        ``labels[p]`` is the cluster of point p, an int32 of 0 or more. Of clusters at equal distance those with
        smaller labels are taken. `tick` may be called now and then with the number of points done.
        """
        ...


class _Search:
    """Shared by the sources whose search is compiled."""

    def __init__(self, points: Points, search: Any) -> None:
        self.n = points.n
        self.dtype = points.X.dtype
        self.points = points
        self.height_exponent = points.height_exponent
        self._search = search

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        answer = empty_answer(len(points), k, self.dtype)
        self._search.clusters(points, labels, *answer, threads, tick)
        return answer


class BlasSource(_Search):
    """Nearest clusters by blocked matrix multiplication.

    Only a few leading principal coordinates are multiplied, which bounds distances from below; pairs that may be near
    are then computed in full. If a sample shows that few coordinates say little (isotropic data), all are multiplied.
    """

    whole = True  # each pair of points is multiplied once

    def __init__(self, points: Points, principal: Principal | None = None) -> None:
        if points.n <= _FEW:  # nothing to gain from a filter
            coordinates = points.X - centre(points.X)
        else:
            principal = principal or Principal(points)
            coordinates = principal.coordinates(principal.best, principal.filter_dtype)
        super().__init__(points, block_search(points, coordinates))
        self.principal = principal
        self.n_coordinates = coordinates.shape[1]

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        with one_blas_thread():
            if len(points) == self.n == len(np.unique(labels)):
                answer = empty_answer(self.n, k, self.dtype)
                self._search.all_points(*answer, threads, tick)
                # The search names points, which are their own clusters' labels only up to the caller's numbering.
                listed = np.where(answer.clusters >= 0, labels[answer.clusters], np.int32(-1))
                return Answer(listed[points], answer.distances[points], answer.bounds[points])
            return super().nearest(points, labels, k, threads, tick)


class TreeSource(_Search):
    """Nearest clusters by a k-d tree over the points, or over their leading principal coordinates."""

    near = 1000  # however many points there are: a tree looks at few of them

    def __init__(self, points: Points, principal: Principal | None = None) -> None:
        own = points.X.shape[1] <= 16
        if own:
            coordinates = points.X.astype(np.float64)
        else:
            principal = principal or Principal(points)
            coordinates = principal.coordinates(principal.few, np.float64)
        super().__init__(points, tree_search(points, coordinates, own))
        self.principal = None if own else principal
        self.n_coordinates = coordinates.shape[1]


def near_order(coordinates: Array) -> Array:
    """An order of the rows in which neighbours are close together."""
    return np.asarray(_core.near_order(np.ascontiguousarray(coordinates[:, :8]), ROWS))


def block_search(points: Points, coordinates: Array) -> Any:
    """The compiled search by multiplication of coordinates that bound distances from below."""
    order = near_order(coordinates)
    suffix = ("32" if points.X.dtype == np.float32 else "64") + ("Double" if coordinates.dtype == np.float64 else "")
    return getattr(_core, f"BlockSearch{suffix}")(points.X, points.metric, coordinates[order], order, blas())


def tree_search(points: Points, coordinates: Array, own: bool) -> Any:
    """The compiled search by a k-d tree over coordinates, which may be the points' own."""
    build = _core.TreeSearch32 if points.X.dtype == np.float32 else _core.TreeSearch64
    return build(points.X, points.metric, coordinates, own)


class CdistSource:
    """Nearest clusters by ``scipy.spatial.distance.cdist``, for every metric it knows."""

    def __init__(self, points: Points) -> None:
        self.n = points.n
        self.dtype = points.X.dtype
        self.height_exponent = points.height_exponent
        self._points = points
        self._options = whole_data_options(points.X, points.metric)

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        X, metric = self._points.X, self._points.metric

        def rows(some: Array) -> Array:
            distances = rows_of_distances(X[some], X, metric, self._options)
            distances[np.arange(len(some)), some] = 0  # some metrics make no sense of a point and itself
            return check_distances(distances, metric, self.dtype, self.n)

        return _select(rows, points, labels, k, self.dtype, threads, tick)


class PrecomputedSource:
    """Nearest clusters from condensed distances, without making them square."""

    def __init__(self, distances: Condensed) -> None:
        self.n = distances.n
        self.dtype = distances.values.dtype
        self._values = distances.values

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        others = np.arange(self.n, dtype=np.int64)

        def rows(some: Array) -> Array:
            low, high = np.minimum(some[:, None], others), np.maximum(some[:, None], others)
            place = low * self.n - low * (low + 1) // 2 + high - low - 1
            place[low == high] = 0
            values = self._values[place]
            values[low == high] = 0
            return np.asarray(values)

        return _select(rows, points.astype(np.int64), labels, k, self.dtype, threads, tick)


def source_name(source: Source) -> str:
    """Name of the kind of source, also of one whose answers are remembered."""
    return type(getattr(source, "remembered", source)).__name__


def _select(rows: Any, points: Array, labels: Array, k: int, dtype: Any, threads: int, tick: Tick | None) -> Answer:
    answer = empty_answer(len(points), k, dtype)
    for first in range(0, len(points), ROWS):
        part = slice(first, first + ROWS)
        some = points[part]
        distances = rows(some)
        _core.select_clusters(distances, some.astype(np.int32), labels, *(each[part] for each in answer), threads)
        if tick is not None:
            tick(min(first + ROWS, len(points)))
    return answer


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
        from chamfer.neighbours import GraphSource, IndexSource

        return IndexSource(data) if name == "ann" else GraphSource(data, source, k)
    if name == "auto":
        return choose_source(data, k, threads)
    return BlasSource(data) if name == "blas" else TreeSource(data)


def choose_source(points: Points, k: int, threads: int) -> BlasSource | TreeSource:
    """Choose between tree and multiplication by trying both on a sample of the points."""
    if points.X.shape[1] <= 4:
        return TreeSource(points)
    if points.n <= _FEW:
        return BlasSource(points)
    principal = Principal(points)
    if points.n < 20_000 or principal.share_of_few > 0.02:
        return BlasSource(points, principal)
    tree = TreeSource(points, principal)
    sample = np.random.default_rng(0).choice(points.n, 256, replace=False).astype(np.int32)
    start = time.perf_counter()
    tree.nearest(sample, np.arange(points.n, dtype=np.int32), k, threads)
    tree_seconds = (time.perf_counter() - start) / len(sample) * points.n
    blas_seconds = principal.seconds_per_pair * points.n * (points.n / 2) / threads
    # Lists made anew reach farther than first ones, which costs a tree more than a multiplication.
    return tree if 20 * tree_seconds < blas_seconds else BlasSource(points, principal)
