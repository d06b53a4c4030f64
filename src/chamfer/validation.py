"""Everything about what a user may pass in. Past this module, arguments are right."""

from __future__ import annotations

import math
import numbers
import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np
from joblib import cpu_count
from scipy.spatial.distance import cdist
from sklearn.utils import check_array

from chamfer import _core

Array = np.ndarray[Any, Any]
Metric = str | Callable[[Array, Array], float]

FAST_METRICS = ("euclidean", "sqeuclidean", "cosine")
SKLEARN_METRICS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}  # and what SciPy calls them


@dataclass(frozen=True)
class Points:
    """Observations, and the metric between them."""

    X: Array
    metric: Metric

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def dtype(self) -> Any:
        """Of the points, and so of their distances."""
        return self.X.dtype


@dataclass(frozen=True)
class Condensed:
    """Distances between all pairs of n points, in SciPy's condensed order."""

    values: Array
    n: int

    @property
    def dtype(self) -> Any:
        """Of the distances."""
        return self.values.dtype


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def check_integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """`value` if it is an integer of [low, high]."""
    wanted = f"at least {low}" if high is None else f"between {low} and {high}"
    if not _is_integer(value):
        raise TypeError(f"{name} must be an integer {wanted}, got {value!r}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return int(value)


def check_number(name: str, value: object, low: float = -math.inf) -> float:
    """`value` if it is a number of at least `low`."""
    wanted = "a number" if low == -math.inf else f"a number of at least {low:g}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")
    if not float(value) >= low:
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return float(value)


def _is_integer(value: object) -> TypeGuard[int]:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral)


_PROCESS = os.getpid()


@lru_cache(maxsize=1)
def _processors() -> int:
    return int(cpu_count())


def check_threads(n_jobs: object) -> int:
    """Number of threads that `n_jobs` stands for."""
    if n_jobs is not None and (not _is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    if os.getpid() != _PROCESS:
        return 1  # the threads of GNU's OpenMP do not survive a fork: waiting for them would never end
    most = int(min(_core.available_threads(), _processors()))
    if n_jobs is None:
        return most
    # A few threads for each processor do no harm; thousands would end the process.
    return min(int(n_jobs), 4 * _processors()) if n_jobs > 0 else max(1, most + 1 + int(n_jobs))


def check_bytes(name: str, value: object) -> int | None:
    """Bytes of a limit such as ``4_000_000_000``, ``"4GB"`` or ``"4GiB"``; None stays None."""
    if value is None:
        return None
    size = value
    if isinstance(value, str):
        text = value.strip().upper().removesuffix("B")
        base = 1024 if text.endswith("I") else 1000
        text = text.removesuffix("I")
        power = "KMGT".find(text[-1]) + 1 if text else 0
        try:
            size = float(text[:-1] if power else text) * base**power
        except ValueError:
            raise ValueError(f"{name} must be a number of bytes or a text like '4GB', got {value!r}") from None
    limit = check_number(name, size, 1)
    if math.isinf(limit):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return int(limit)


def check_path(name: str, value: object) -> str:
    """The name of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be the name of a file, got {value!r}")
    return str(os.fspath(value))


def check_input(X: object, metric: Metric) -> Points | Condensed:
    """What `linkage` takes as `X`, brought into one of two forms; the caller's data is never changed."""
    metric = check_metric(metric)
    if is_distributed(X):
        return Points(check_distributed(X), metric)
    if metric == "precomputed":
        return _check_square(X)
    array = _check_numbers(X, ensure_2d=False)
    if array.ndim == 1:
        return _check_condensed(array)
    if array.shape[0] == array.shape[1] > 1 and _looks_like_distances(array):
        warnings.warn(
            "X looks like a square matrix of distances but is taken as observations; "
            "for distances pass metric='precomputed'",
            UserWarning,
            stacklevel=3,
        )
    return Points(array, metric)


def is_distributed(X: object) -> bool:
    """Whether X is of Dask, which is not imported for this."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def check_distributed(X: Any) -> Any:
    """A Dask array of points, chunked by rows; what is in it is not looked at."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if getattr(X, "ndim", None) != 2:
        raise ValueError(f"X must have two dimensions, points as rows, to be clustered by Dask, got {X!r}")
    if any(math.isnan(size) for sizes in X.chunks for size in sizes):
        raise ValueError("X must have chunks of known sizes, got unknown ones: call X.compute_chunk_sizes() first")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must be an array of finite real numbers, got dtype {X.dtype}")
    if 0 in X.shape:
        raise ValueError(f"X must hold points as rows, got an array of shape {X.shape}")
    return X


def check_metric(metric: object) -> Metric:
    """`metric` as SciPy calls it, if it is one."""
    if not isinstance(metric, str):
        if not callable(metric):
            raise TypeError(f"metric must be a name or a function, got {metric!r}")
        return metric
    name = SKLEARN_METRICS.get(metric.lower(), metric.lower())
    if name not in (*FAST_METRICS, "precomputed"):
        points = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])  # SciPy has no list of its metrics, so try
        try:
            cdist(points, points, name)
        except ValueError as error:
            raise ValueError(
                f"metric must be 'precomputed', a function or a metric of scipy.spatial.distance.cdist, got {metric!r}"
            ) from error
    return name


def _check_numbers(X: object, ensure_2d: bool) -> Array:
    """X as an array of finite numbers, in float32 if it is float32, otherwise in float64."""
    try:
        with np.errstate(invalid="ignore", over="ignore"):  # of sums by which scikit-learn looks for infinities
            array = check_array(
                X, dtype=[np.float64, np.float32], order="C", ensure_2d=ensure_2d, ensure_min_samples=0, input_name="X"
            )
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"X must be an array of finite real numbers: {str(error).splitlines()[0]}") from error
    if array.ndim == 0 or array.size == 0:
        raise ValueError(f"X must hold points as rows, or distances, got an array of shape {array.shape}")
    if np.ma.is_masked(X):
        raise ValueError("X must not be masked: clustering would use what is under the mask")
    return np.asarray(array)


def _check_condensed(values: Array) -> Condensed:
    # n (n - 1) / 2 = m
    n = (1 + math.isqrt(1 + 8 * values.size)) // 2
    if n * (n - 1) // 2 != values.size:
        raise ValueError(
            f"X of one dimension must hold condensed distances, n (n - 1) / 2 of them for n points; "
            f"got {values.size} values, which fits no n"
        )
    return _check_distances(values, n)


def _check_square(X: object) -> Condensed:
    square = _check_numbers(X, ensure_2d=True)
    n = square.shape[0]
    if square.shape != (n, n):
        raise ValueError(f"X must be a square matrix with metric='precomputed', got shape {square.shape}")
    if np.any(np.diagonal(square) != 0):
        raise ValueError("X must have a zero diagonal with metric='precomputed'")
    values = np.empty(n * (n - 1) // 2, dtype=square.dtype)
    tolerance = 1e-8 if square.dtype == np.float64 else 1e-4
    start = 0
    for i in range(n - 1):
        row = square[i, i + 1 :]
        if not np.allclose(row, square[i + 1 :, i], rtol=tolerance, atol=tolerance * np.finfo(row.dtype).tiny):
            j = i + 1 + int(np.argmax(np.abs(row - square[i + 1 :, i])))
            raise ValueError(
                f"X must be symmetric with metric='precomputed', got X[{i}, {j}] = {square[i, j]} "
                f"and X[{j}, {i}] = {square[j, i]}"
            )
        values[start : start + row.size] = row
        start += row.size
    return _check_distances(values, n)


def _check_distances(values: Array, n: int) -> Condensed:
    if values.size and values.min() < 0:
        raise ValueError(f"X must hold distances of at least 0, got {values.min()}")
    most = np.finfo(np.float64).max / (4 * n)
    if values.size and values.max() > most:
        raise ValueError(f"X must hold distances of at most {most:.2g}, so that sums stay finite, got {values.max()}")
    return Condensed(values, n)


def _looks_like_distances(square: Array) -> bool:
    return bool(np.all(np.diagonal(square) == 0) and np.all(square >= 0) and np.allclose(square, square.T))


def _is_missing(label: Any) -> bool:
    """Whether a label is a NaN of whatever kind, which does not equal itself, or says that it cannot tell."""
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return True


def check_labels(y: object, n: int) -> Array:
    """Classes of n points, labelled by values of any kind, as numbers from 0."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (n,):
        raise ValueError(f"y must hold one label for each of {n} points, got shape {labels.shape}")
    if labels.dtype.kind in "fcmMO" and any(_is_missing(label) for label in labels):
        raise ValueError("y must not hold missing values")
    if labels.dtype.kind != "O":
        return np.unique(labels, return_inverse=True)[1].astype(np.int32)
    numbers_of: dict[object, int] = {}  # labels of mixed kinds have no order to sort by
    try:
        return np.array([numbers_of.setdefault(label, len(numbers_of)) for label in labels], dtype=np.int32)
    except TypeError:
        raise TypeError("y must hold labels that can be compared, such as numbers or texts") from None
