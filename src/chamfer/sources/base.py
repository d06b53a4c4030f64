"""What a source is, what it answers, and the check of sources that are not our own.

The core trusts what it is given: a label out of range would be read beyond an array, a number that is none would keep a
loop from ending. So an answer that a user's source gives, or that was read from a file, is checked once before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chamfer._types import FAST_METRICS, Array, Points
from chamfer.inputs import check_integer, largest_distance
from chamfer.progress import Tick


class Answer(NamedTuple):
    """Nearest clusters of some points, one row each.

    ``clusters`` holds k cluster labels (int32; -1 where there are fewer), ``distances`` the distance to the
    nearest point of each, and ``bounds`` a number that the distance to any other cluster is not below.
    """

    clusters: Array
    distances: Array
    bounds: Array

    def part(self, rows: Any) -> Answer:
        """Some rows of the answer; views of them if `rows` is a slice."""
        return Answer(*(each[rows] for each in self))


def empty_answer(count: int, k: int, dtype: Any) -> Answer:
    """Room for an answer."""
    return Answer(np.empty((count, k), np.int32), np.empty((count, k), dtype), np.empty(count, dtype))


class Source:
    """What the lists engine needs to know of the points. Subclasses set `n` and `dtype` and define `nearest`.

    Attributes
    ----------
    n : int
        Number of points.
    dtype : dtype
        float32 or float64, of the distances.
    points : Points, optional
        With a metric that the core knows: the engine then computes a few distances by itself instead of asking for
        whole lists. Answers must be in the unit of these points.
    height_exponent : int, default=0
        Distances times two to this power are in the caller's unit; that of `points` if there are any. An object that
        passes on the answers of another source passes this on, too.
    near : int, optional
        The number of distances that cost as much as a list; no limit by default.
    whole : bool, default=False
        Lists of all points are faster made at once than in the parts that a checkpoint asks for.
    fingerprint : str, optional
        Distinguishes it, in a checkpoint, from other sources of the same kind.
    """

    n: int
    dtype: np.dtype[Any]
    points: Points | None = None
    height_exponent: int = 0
    near: int | None = None
    whole: bool = False
    fingerprint: str | None = None

    @property
    def name(self) -> str:
        """Of the kind of source."""
        return type(self).__name__

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, their own cluster excluded.

        ``labels[p]`` is the cluster of point p, an int32 of 0 or more. Of clusters at equal distance those with
        smaller labels are taken. `tick` may be called now and then with the number of points done.
        """
        raise NotImplementedError


class PointSource(Source):
    """A source that computes distances from points, by a metric that the core knows."""

    points: Points

    def __init__(self, points: Points) -> None:
        self.n, self.dtype = points.n, points.dtype
        self.points, self.height_exponent = points, points.height_exponent


class SearchSource(Source):
    """A source whose search is compiled."""

    def __init__(self, points: Points, search: Any) -> None:
        self.n, self.dtype, self.height_exponent = points.n, points.dtype, points.height_exponent
        self.points = points if points.in_core else None
        self._search = search

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        answer = empty_answer(len(points), k, self.dtype)
        self._search.nearest(points, labels, **answer._asdict(), threads=threads, tick=tick)
        return answer


class CheckedSource(Source):
    """A source whose answers are checked. It need not be a `Source`; errors call it by `argument`."""

    def __init__(self, source: Any, argument: str) -> None:
        self._source, self._argument = source, argument
        self.n, self.dtype = _size(source, argument), _float_type(source, argument)
        if not callable(getattr(source, "nearest", None)):
            raise TypeError(f"{argument} must have a method nearest, see chamfer.sources.Source, got {source!r}")
        self.points = _known_points(source, argument, self.n, self.dtype)
        self.height_exponent = check_integer(f"{argument}.height_exponent", self._given("height_exponent"), -4096, 4096)
        if self.points is not None and self.height_exponent != self.points.height_exponent:
            wanted = self.points.height_exponent
            raise ValueError(
                f"{argument}.height_exponent must be that of {argument}.points, {wanted}, got {self.height_exponent}"
            )
        near = self._given("near")
        self.near = None if near is None else check_integer(f"{argument}.near", near, 0)
        self.whole = bool(self._given("whole"))
        self.fingerprint = self._given("fingerprint")
        if not (self.fingerprint is None or isinstance(self.fingerprint, str)):
            raise TypeError(f"{argument}.fingerprint must be a text, got {self.fingerprint!r}")

    def _given(self, name: str) -> Any:
        return getattr(self._source, name, getattr(Source, name))

    @property
    def name(self) -> str:
        """Of the kind of source that is checked."""
        return self._source.name if isinstance(self._source, Source) else type(self._source).__name__

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, as the source says."""
        given = self._source.nearest(points, labels, k, threads, tick)
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise TypeError(f"{self._argument} must answer clusters, distances and bounds, got {type(given).__name__}")
        answer = Answer(
            self._array("clusters", given[0], np.dtype(np.int32), (len(points), k)),
            self._array("distances", given[1], self.dtype, (len(points), k)),
            self._array("bounds", given[2], self.dtype, (len(points),)),
        )
        self._check_clusters(answer.clusters, points, labels, k)
        distances, bounds, listed = answer.distances, answer.bounds, answer.clusters >= 0
        self._check_numbers("distances", distances[listed])
        self._check_numbers("bounds", bounds)
        # No cluster that is not listed is nearer than one that is, so bounds below that say nothing.
        farthest = np.where(listed, distances, 0).max(axis=1)
        return answer._replace(bounds=np.maximum(bounds, farthest))

    def _array(self, part: str, values: Any, dtype: Any, shape: tuple[int, ...]) -> Array:
        try:
            array = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{self._argument} answered {part} that are no array: {error}") from error
        if array.shape != shape:
            raise ValueError(f"{self._argument} must answer {part} of shape {shape}, got {array.shape}")
        if array.dtype.kind not in ("iu" if dtype.kind == "i" else "iuf"):
            raise TypeError(f"{self._argument} must answer {part} as {dtype}, got {array.dtype}")
        if dtype.kind == "i" and array.size and not (array.min() >= -1 and array.max() < self.n):
            wrong = array[(array < -1) | (array >= self.n)][0]
            raise ValueError(f"{self._argument} must answer clusters by their labels or -1, got {wrong}")
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype)

    def _check_clusters(self, clusters: Array, points: Array, labels: Array, k: int) -> None:
        """Each listed cluster is there, another than the point's own, and listed once; as many are as there can be."""
        there = np.zeros(self.n + 1, bool)
        there[labels] = there[-1] = True  # the last is for -1
        if not there[clusters].all():
            raise ValueError(
                f"{self._argument} listed cluster {clusters[~there[clusters]][0]}, which is not among labels"
            )
        if (clusters == labels[points][:, None]).any():
            raise ValueError(f"{self._argument} listed the own cluster of a point")
        ordered = np.sort(clusters, axis=1)
        if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
            raise ValueError(f"{self._argument} listed a cluster twice")
        most = min(k, int(there[:-1].sum()) - 1)
        counts = (clusters >= 0).sum(axis=1)
        if (counts < most).any():
            raise ValueError(f"{self._argument} must list {most} clusters for each point, got {counts.min()}")

    def _check_numbers(self, part: str, values: Array) -> None:
        most = largest_distance(self.n)
        if values.size and not (float(values.min()) >= 0 and float(values.max()) <= most):
            wrong = next(value for value in values.tolist() if not 0 <= value <= most)
            raise ValueError(f"{self._argument} must answer {part} from 0 to {most:.2g}, got {wrong}")


def _size(source: Any, argument: str) -> int:
    n = getattr(source, "n", None)
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise TypeError(f"{argument} must be a name, a graph or an object with n, the number of points, got {source!r}")
    return int(n)


def _float_type(source: Any, argument: str) -> np.dtype[Any]:
    given: Any = getattr(source, "dtype", None)
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        if given is not None and given == dtype:
            return dtype
    raise TypeError(f"{argument} must have dtype float32 or float64, got {given!r}")


def _known_points(source: Any, argument: str, n: int, dtype: Any) -> Points | None:
    """The points from which the engine may compute distances by itself."""
    points = getattr(source, "points", None)
    if points is None:
        return None
    if not isinstance(points, Points) or points.metric not in FAST_METRICS:
        raise TypeError(f"{argument}.points must be Points with a metric of {', '.join(FAST_METRICS)}, got {points!r}")
    X = points.X
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and len(X) == n and X.dtype == dtype and X.flags.c_contiguous):
        raise TypeError(f"{argument}.points must hold {n} rows of {dtype} in C order")
    return points
