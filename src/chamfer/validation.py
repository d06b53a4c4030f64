"""Everything about what a user may pass in. Past this module, arguments are right."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import cpu_count
from sklearn.utils import check_array

from chamfer import _core

Array = np.ndarray[Any, Any]
Metric = str | Callable[[Array, Array], float]

FAST_METRICS = ("euclidean", "sqeuclidean", "cosine")


@dataclass(frozen=True)
class Points:
    """Observations, and the metric between them."""

    X: Array
    metric: Metric

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])


@dataclass(frozen=True)
class Condensed:
    """Distances between all pairs of n points, in SciPy's condensed order."""

    values: Array
    n: int


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def check_integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """`value` if it is an integer of [low, high]."""
    wanted = f"at least {low}" if high is None else f"between {low} and {high}"
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer {wanted}, got {value!r}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return int(value)


def check_number(name: str, value: object, low: float) -> float:
    """`value` if it is a number of at least `low`."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number of at least {low:g}, got {value!r}")
    if not value >= low:
        raise ValueError(f"{name} must be at least {low:g}, got {value}")
    return float(value)


@lru_cache(maxsize=1)
def _processors() -> int:
    return int(cpu_count())


def check_threads(n_jobs: object) -> int:
    """Number of threads that `n_jobs` stands for."""
    most = min(_core.available_threads(), _processors())
    if n_jobs is None:
        return most
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, most + 1 + int(n_jobs))


def check_bytes(name: str, value: object) -> int | None:
    """Bytes of a limit such as ``4_000_000_000`` or ``"4GB"``; None stays None."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip().upper().removesuffix("B").removesuffix("I")
        power = "KMGT".find(text[-1:]) + 1 if text[-1:] else 0
        try:
            value = float(text[:-1] if power else text) * 1000**power
        except ValueError:
            raise ValueError(f"{name} must be a number of bytes or a text like '4GB', got {value!r}") from None
    return int(check_number(name, value, 1))


def check_input(X: object, metric: Metric) -> Points | Condensed:
    """What `linkage` takes as `X`, brought into one of two forms; the caller's data is never changed."""
    if not callable(metric) and not isinstance(metric, str):
        raise TypeError(f"metric must be a name or a function, got {metric!r}")
    if isinstance(metric, str):
        metric = metric.lower()
    if metric == "precomputed":
        return _check_square(X)
    if np.ndim(X) == 1 and not isinstance(X, str):  # type: ignore[arg-type]
        return _check_condensed(X)
    array = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X", ensure_min_features=1)
    if array.shape[0] == array.shape[1] > 1 and _looks_like_distances(array):
        warnings.warn(
            "X looks like a square matrix of distances but is taken as observations; "
            "for distances pass metric='precomputed'",
            UserWarning,
            stacklevel=3,
        )
    return Points(array, metric)


def _check_condensed(y: object) -> Condensed:
    values = check_array(y, dtype=[np.float64, np.float32], ensure_2d=False, input_name="X")
    # n (n - 1) / 2 = m
    n = (1 + math.isqrt(1 + 8 * values.size)) // 2
    if n * (n - 1) // 2 != values.size:
        raise ValueError(
            f"X of one dimension must hold condensed distances, n (n - 1) / 2 of them for n points; "
            f"got {values.size} values, which fits no n"
        )
    if values.size and values.min() < 0:
        raise ValueError(f"X must hold distances of at least 0, got {values.min()}")
    return Condensed(values, n)


def _check_square(X: object) -> Condensed:
    square = check_array(X, dtype=[np.float64, np.float32], input_name="X")
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
    if values.size and values.min() < 0:
        raise ValueError(f"X must hold distances of at least 0, got {values.min()}")
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
