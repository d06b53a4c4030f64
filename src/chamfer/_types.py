"""The values that flow through the package: points, or the distances between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from chamfer.units import Array as Array
from chamfer.units import Unit, choose_unit, directions, smallest


@dataclass(frozen=True, eq=False)
class MetricWith:
    """A metric of SciPy with arguments, such as ``p`` of Minkowski's."""

    name: str
    params: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name!r} with {', '.join(self.params)}"

    __repr__ = __str__


Metric = str | Callable[[Array, Array], float] | MetricWith

_SAFE = -40, 50  # binary exponents of diagonals: float32 holds the squares, and what a filter needs of them
FAST_METRICS = ("euclidean", "sqeuclidean", "cosine")  # those of the core, functions of the Euclidean distance
PACKED_METRICS = ("cityblock", "chebyshev", "nan_euclidean")  # of which the core computes rows
OWN_METRICS = ("nan_euclidean", "haversine")  # those that SciPy does not have


@dataclass(frozen=True, init=False)
class Points:
    """Observations that nobody else can change, and the metric between them.

    `check_input` makes them, and brings them into a unit in which squares neither overflow nor vanish, see
    `chamfer.units`; for the cosine distance they have unit length.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Finite numbers. Without an `exponent` they are copied, and used as they are: numbers whose squares may
        overflow or vanish are refused.
    metric : str or callable
        Of `chamfer.linkage`.
    exponent : int, optional
        X is in the unit of two to this power already, and nobody else holds it.
    """

    X: Array
    metric: Metric
    exponent: int  # of the unit

    def __init__(self, X: Array, metric: Metric, *, exponent: int | None = None) -> None:
        if exponent is None:
            kind = np.float32 if np.asarray(X).dtype == np.float32 else np.float64
            X, exponent = _as_it_is(np.array(X, kind, order="C"), metric), 0
        for name, value in (("X", X), ("metric", metric), ("exponent", exponent)):
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def dtype(self) -> Any:
        """Of the points, and so of their distances."""
        return self.X.dtype

    @property
    def sparse(self) -> bool:
        """Whether rows hold only what is not zero."""
        return bool(issparse(self.X))

    @property
    def in_core(self) -> bool:
        """Whether the core has all it needs to compute distances one by one."""
        return self.metric in FAST_METRICS and not self.sparse

    @property
    def core_metric(self) -> str:
        """The metric, where it is one of the core's."""
        assert isinstance(self.metric, str)
        return self.metric

    @property
    def remote(self) -> bool:
        """Whether X is an array of Dask."""
        return is_distributed(self.X)

    @property
    def nbytes(self) -> int:
        """Memory that a copy would take here."""
        X: Any = self.X
        if self.sparse:
            return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
        return 0 if self.remote else int(X.nbytes)

    @property
    def mapped(self) -> bool:
        """Whether X lies in a file, of which the system keeps in memory what it likes."""
        return is_mapped(self.X)

    @property
    def height_exponent(self) -> int:
        """Heights times two to this power are in the caller's unit."""
        return self.exponent * _degree(self.metric)


@dataclass(frozen=True)
class Condensed:
    """Distances between all pairs of n points, in SciPy's condensed order, that nobody else can change."""

    values: Array
    n: int
    infinite: bool = False  # whether some of them are
    remote = False

    @property
    def dtype(self) -> Any:
        """Of the distances."""
        return self.values.dtype

    @property
    def nbytes(self) -> int:
        """Memory that is taken here."""
        return int(self.values.nbytes)


@dataclass(frozen=True)
class SparseDistances:
    """Distances between some pairs of points, in both directions; all other pairs have the default distance.

    If that is not a number, they do not count: clusters have the values of the pairs that are there.
    """

    graph: csr_array  # entries may be zero
    default: float
    remote = False
    dtype = np.dtype(np.float64)

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.graph.shape[0])

    @property
    def nbytes(self) -> int:
        """Memory that is taken here."""
        return int(self.graph.data.nbytes + self.graph.indices.nbytes + self.graph.indptr.nbytes)


def largest(distances: Array) -> float:
    """The largest distance that is finite."""
    most = float(distances.max(initial=0))
    return most if np.isfinite(most) else float(distances.max(initial=0, where=np.isfinite(distances)))


def _as_it_is(X: Array, metric: Metric) -> Array:
    """X, if distances can be computed from it without another unit."""
    if X.ndim != 2 or not X.size:
        raise ValueError(f"X must hold points as rows, got an array of shape {X.shape}")
    low, high = X.min(axis=0), X.max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("X must be an array of finite real numbers, got NaN or infinity")
    if metric == "cosine":
        return directions(X)
    size = choose_unit(low, high).diagonal_exponent
    if metric in FAST_METRICS and not is_safe(low, high):
        raise ValueError(
            f"X must span between 2^{_SAFE[0]} and 2^{_SAFE[1]} to be used as it is, got 2^{size}; scale it, or pass "
            "it to chamfer.linkage, which does"
        )
    return X


def is_safe(low: Array, high: Array) -> bool:
    """Whether rows whose columns range from `low` to `high` can be used in the unit that they are in."""
    return bool((low == high).all() or _SAFE[0] <= choose_unit(low, high).diagonal_exponent <= _SAFE[1])


def measure(X: Array, metric: Metric, low: Array, high: Array) -> tuple[Array, int]:
    """Rows whose columns range from `low` to `high` in a unit of their own, and its exponent; X may be overwritten."""
    if metric == "cosine":
        return directions(X), 0
    if metric not in FAST_METRICS:
        return X, 0
    unit = choose_unit(low, high)
    if unit.exponent > 0:
        least = smallest(X)
        unit.check(least)
        X = X.astype(unit.dtype(X.dtype, least), copy=False)
    check_heights(len(X), unit, metric)
    return unit.apply(X), unit.exponent


def check_heights(n: int, unit: Unit, metric: Metric) -> None:
    """Refuse n points whose heights, sums of n distances at most, would overflow."""
    exponent = unit.diagonal_exponent * _degree(metric)
    if exponent + math.log2(4 * n) > np.finfo(np.float64).maxexp:
        raise ValueError(f"X spans too wide a range, heights of {n} points would overflow; scale it down")


def _degree(metric: Metric) -> int:
    """The power of the unit that distances are in."""
    return 2 if metric == "sqeuclidean" else 1


def is_distributed(X: object) -> bool:
    """Whether X is of Dask, which is not imported for this."""
    if type(X) is np.ndarray:
        return False
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def is_mapped(X: object) -> bool:
    """Whether X is a memory map of a file, or a view of one."""
    mapped = False
    while isinstance(X, np.ndarray):
        mapped, X = mapped or isinstance(X, np.memmap), X.base
    return mapped and isinstance(X, mmap)  # copies of a memory map are of its type
