"""What sources answer, and the check of every answer that does not come from a source of our own.

The core trusts what it is given: a label out of range would be read beyond an array, a number that is none would keep a
loop from ending. So an answer that a user's source gives, or that was read from a file, is looked at once before.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

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


def empty_answer(count: int, k: int, dtype: Any) -> Answer:
    """Room for an answer."""
    return Answer(np.empty((count, k), np.int32), np.empty((count, k), dtype), np.empty(count, dtype))


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


def source_name(source: Source) -> str:
    """Name of the kind of source, also of one whose answers are remembered."""
    return type(getattr(source, "remembered", source)).__name__


class Search:
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


class Checked:
    """A source whose answers are checked, and errors begin with `name`."""

    def __init__(self, source: Any, name: str) -> None:
        self.n, self.dtype = _size(source, name), _float_type(source, name)
        if not callable(getattr(source, "nearest", None)):
            raise TypeError(f"{name} must have a method nearest, see chamfer.sources.Source, got {source!r}")
        self.points = _known_points(source, name, self.n, self.dtype)
        self.near = check_integer(f"{name}.near", getattr(source, "near", self.n), 0)
        self.whole = bool(getattr(source, "whole", False))
        self.fingerprint = getattr(source, "fingerprint", None)
        if not (self.fingerprint is None or isinstance(self.fingerprint, str)):
            raise TypeError(f"{name}.fingerprint must be a text, got {self.fingerprint!r}")
        self.height_exponent = check_integer(
            f"{name}.height_exponent", getattr(source, "height_exponent", 0), -4096, 4096
        )
        self.remembered = getattr(source, "remembered", source)
        self._source, self._name = source, name

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, as the source says."""
        given = self._source.nearest(points, labels, k, threads, tick)
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise TypeError(f"{self._name} must answer clusters, distances and bounds, got {type(given).__name__}")
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
            raise TypeError(f"{self._name} answered {part} that are no array: {error}") from error
        if array.shape != shape:
            raise ValueError(f"{self._name} must answer {part} of shape {shape}, got {array.shape}")
        if array.dtype.kind not in ("iu" if dtype.kind == "i" else "iuf"):
            raise TypeError(f"{self._name} must answer {part} as {dtype}, got {array.dtype}")
        if dtype.kind == "i" and array.size and not (array.min() >= -1 and array.max() < self.n):
            wrong = array[(array < -1) | (array >= self.n)][0]
            raise ValueError(f"{self._name} must answer clusters by their labels or -1, got {wrong}")
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype)

    def _check_clusters(self, clusters: Array, points: Array, labels: Array, k: int) -> None:
        """Each listed cluster is there, another than the point's own, and listed once; as many are as there can be."""
        there = np.zeros(self.n + 1, bool)
        there[labels] = there[-1] = True  # the last is for -1
        if not there[clusters].all():
            raise ValueError(f"{self._name} listed cluster {clusters[~there[clusters]][0]}, which is not among labels")
        if (clusters == labels[points][:, None]).any():
            raise ValueError(f"{self._name} listed the own cluster of a point")
        ordered = np.sort(clusters, axis=1)
        if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
            raise ValueError(f"{self._name} listed a cluster twice")
        most = min(k, int(there[:-1].sum()) - 1)
        counts = (clusters >= 0).sum(axis=1)
        if (counts < most).any():
            raise ValueError(f"{self._name} must list {most} clusters for each point, got {counts.min()}")

    def _check_numbers(self, part: str, values: Array) -> None:
        most = largest_distance(self.n)
        if values.size and not (float(values.min()) >= 0 and float(values.max()) <= most):
            wrong = next(value for value in values.tolist() if not 0 <= value <= most)
            raise ValueError(f"{self._name} must answer {part} from 0 to {most:.2g}, got {wrong}")


def _size(source: Any, name: str) -> int:
    n = getattr(source, "n", None)
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise TypeError(f"{name} must be a name, a graph or an object with n, the number of points, got {source!r}")
    return int(n)


def _float_type(source: Any, name: str) -> np.dtype[Any]:
    given: Any = getattr(source, "dtype", None)
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        if given is not None and given == dtype:
            return dtype
    raise TypeError(f"{name} must have dtype float32 or float64, got {given!r}")


def _known_points(source: Any, name: str, n: int, dtype: Any) -> Points | None:
    """The points from which the engine may compute distances by itself."""
    points = getattr(source, "points", None)
    if points is None:
        return None
    if not isinstance(points, Points) or points.metric not in FAST_METRICS:
        raise TypeError(f"{name}.points must be Points with a metric of {', '.join(FAST_METRICS)}, got {points!r}")
    X = points.X
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and len(X) == n and X.dtype == dtype and X.flags.c_contiguous):
        raise TypeError(f"{name}.points must hold {n} rows of {dtype} in C order")
    return points
