"""Everything about what a user may pass in. Past this module, arguments are right."""

from __future__ import annotations

import difflib
import functools
import math
import numbers
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np
from scipy.sparse import issparse
from scipy.spatial import distance
from scipy.spatial.distance import cdist

from chamfer import _core
from chamfer._types import (
    FAST_METRICS,
    OWN_METRICS,
    Array,
    Condensed,
    Metric,
    MetricWith,
    Points,
    is_distributed,
    largest,
    measure,
)
from chamfer.arrays import NotFiniteError, check_numbers, refuse_infinite
from chamfer.sparse import check_sparse

# What SciPy calls the metrics of scikit-learn, and its own by another spelling.
SKLEARN_METRICS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean", "chebychev": "chebyshev"}
_FINITE = "fill it in or drop its point; methods single, complete, average take infinite distances"
_MINKOWSKI = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of `choices`."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}{did_you_mean(value, choices)}")
    return value


def did_you_mean(value: object, choices: Iterable[str]) -> str:
    """A hint at the choice that is nearly `value`, to end a message with; nothing if there is none."""
    known = {each.lower(): each for each in choices}
    close = difflib.get_close_matches(str(value).lower(), known, 1)
    return f"; did you mean {known[close[0]]!r}?" if close else ""


def check_integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """`value` if it is an integer of [low, high]."""
    wanted = f"at least {low}" if high is None else f"between {low} and {high}"
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer {wanted}, got {value!r}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return int(value)


def check_number(name: str, value: object, low: float = -math.inf) -> float:
    """`value` if it is a number of at least `low`."""
    wanted = "a number" if low == -math.inf else f"a number of at least {low:g}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} must be {wanted} that a float can hold, got {str(value)[:20]}…") from None
    if not number >= low:
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return number


def check_share(name: str, value: object) -> float:
    """`value` if it is above 0 and at most 1."""
    share = check_number(name, value)
    if not 0 < share <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, got {value}")
    return share


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer, of Python or NumPy, and no truth value."""
    return not isinstance(value, bool) and isinstance(value, numbers.Integral)


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
        raise ValueError(f"{name} must be finite, got {value!r}; pass None for what is available")
    return int(limit)


def check_path(name: str, value: object) -> str:
    """The name of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be the name of a file, got {value!r}")
    return os.fsdecode(value)


def check_input(X: object, metric: Metric, double_if_few: bool = False, infinite: bool = False) -> Points | Condensed:
    """What `linkage` takes as `X`, brought into one of two forms; the caller's data is never changed.

    Few points can be brought into float64: they take no room, and no rounding decides a merge. Distances that are given
    may be `infinite` if this is said.
    """
    metric = check_metric(metric)
    if is_distributed(X):
        return _check_remote(check_distributed(X), metric)
    few = _core.FEW if double_if_few else 0
    if metric == "precomputed":
        return _check_square(X, few, infinite)
    if issparse(X):
        return check_sparse(X, metric)
    array = check_numbers(X)
    if array.ndim == 1:
        return _check_condensed(array, few, infinite)
    array = _double_if_few(array, len(array), few)
    if array.shape[0] == array.shape[1] > 1 and _looks_like_distances(array):
        from scipy.cluster.hierarchy import ClusterWarning  # takes long to import

        warnings.warn(
            "X looks like a square matrix of distances but is taken as observations; "
            "for distances pass metric='precomputed'",
            ClusterWarning,
            stacklevel=3,
        )
    low, high = array.min(axis=0), array.max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        refuse_infinite(X, array, missing=metric == "nan_euclidean")
    if isinstance(metric, MetricWith):
        _check_params(metric, array)
    if metric == "correlation":
        array, metric = centred_rows(array), "cosine"
    if metric == "haversine" and array.shape[1] != 2:
        wanted = "two columns, latitude and longitude in radians, with metric='haversine'"
        raise ValueError(f"X must have {wanted}, got shape {array.shape}; pass these columns only")
    array, exponent = measure(array, metric, low, high)
    return Points(array, metric, exponent=exponent)


def _check_remote(X: Any, metric: Metric) -> Points:
    if metric == "correlation":
        kind = np.float32 if X.dtype == np.float32 else np.float64
        X, metric = X.map_blocks(lambda block: centred_rows(np.array(block, kind)), dtype=kind), "cosine"
    return Points(X, metric, exponent=0)


def centred_rows(X: Array, first: int = 0) -> Array:
    """Take from each row, in place, its mean: the cosine distance of these is the correlation distance of those.

    The rows are those of the caller's data from `first` on.
    """
    if (constant := (X[:, :1] == X).all(axis=1)).any():
        row = first + int(np.argmax(constant))
        wanted = "no constant row with metric='correlation'"
        raise NotFiniteError(f"X must have {wanted}, got row {row}; drop it or take another metric")
    # Without their size, the sums of values near the largest float stay finite.
    np.ldexp(X, -np.frexp(np.abs(X).max(axis=1, keepdims=True))[1], out=X)
    X -= X.mean(axis=1, keepdims=True, dtype=np.float64).astype(X.dtype)
    return X


def check_distributed(X: Any) -> Any:
    """A Dask array of points, chunked by rows; what is in it is not looked at."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if getattr(X, "ndim", None) != 2:
        raise ValueError(f"X must have two dimensions, points as rows, to be clustered by Dask, got {X!r}")
    if any(math.isnan(size) for sizes in X.chunks for size in sizes):
        raise ValueError("X must have chunks of known sizes, got unknown ones: call X.compute_chunk_sizes() first")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X must be an array of finite real numbers, got dtype {X.dtype}; pass X.astype(float)")
    if 0 in X.shape:
        raise ValueError(f"X must hold points as rows, got an array of shape {X.shape}")
    return X


def check_metric(metric: object) -> Metric:
    """`metric` as SciPy calls it, if it is one."""
    if not isinstance(metric, str):
        if not (callable(metric) or isinstance(metric, MetricWith)):
            raise TypeError(f"metric must be a name or a function, got {metric!r}")
        return metric
    name = SKLEARN_METRICS.get(metric.lower(), metric.lower())
    if name not in (*FAST_METRICS, *OWN_METRICS, "precomputed"):
        points = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])  # SciPy has no list of its metrics, so try
        try:
            cdist(points, points, name)
        except ValueError as error:
            raise ValueError(
                f"metric must be 'precomputed', a function or a metric of scipy.spatial.distance.cdist, got {metric!r}"
                + did_you_mean(name, [*FAST_METRICS, *OWN_METRICS, "precomputed", *SKLEARN_METRICS, *distance.__all__])
            ) from error
    return name


def with_params(metric: object, params: object) -> Metric:
    """The metric with the arguments of ``metric_params``, for which there may be a name of its own."""
    if params is None:
        return check_metric(metric)
    if not isinstance(params, Mapping):
        raise TypeError(f"metric_params must be a dict such as {{'p': 3}}, got {params!r}")
    metric, given = check_metric(metric), dict(params)
    if callable(metric):
        return functools.partial(metric, **given)
    if not isinstance(metric, str) or metric == "precomputed":
        raise ValueError(f"metric_params must be None for metric {metric!r}, got {params!r}")
    if metric == "minkowski" and set(given) == {"p"} and given["p"] in _MINKOWSKI:
        return _MINKOWSKI[given["p"]]
    return MetricWith(metric, given) if given else metric


def _check_params(metric: MetricWith, X: Array) -> None:
    """Let SciPy try the arguments of a metric on two points."""
    try:
        cdist(X[:1], X[:1], metric.name, **metric.params)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"metric_params must fit metric {metric.name!r} and X, got {metric.params}: {error}") from None


def _check_condensed(values: Array, few: int, infinite: bool) -> Condensed:
    # n (n - 1) / 2 = m
    n = (1 + math.isqrt(1 + 8 * values.size)) // 2
    if n * (n - 1) // 2 != values.size:
        raise ValueError(
            f"X of one dimension must hold n (n - 1) / 2 condensed distances of n points, got {values.size} values, "
            "which fits no n; for points of one coordinate pass X.reshape(-1, 1)"
        )
    return _check_distances(values, n, few, infinite)


def _double_if_few(values: Array, n: int, few: int) -> Array:
    return values.astype(np.float64, copy=False) if n <= few else values


def _check_square(X: object, few: int, infinite: bool) -> Condensed:
    square = check_numbers(X, copy=False)
    n = square.shape[0]
    if square.shape != (n, n):
        given = f"got shape {square.shape}; pass observations, and condensed distances, without it"
        raise ValueError(f"X must be a square matrix with metric='precomputed', {given}")
    if not np.isfinite(square.max()) or not np.isfinite(square.min()):
        refuse_infinite(X, square, infinite=infinite, advice=_FINITE)
    tolerance, relative = rounding(square), 1e-8 if square.dtype == np.float64 else 1e-4
    diagonal = np.abs(np.diagonal(square))
    if not diagonal.max() <= tolerance:
        i = int(np.argmax(diagonal))
        given = f"got X[{i}, {i}] = {square[i, i]}; turn similarities into distances, such as 1 - X"
        raise ValueError(f"X must have a zero diagonal with metric='precomputed', {given}")
    values = np.empty(n * (n - 1) // 2, dtype=square.dtype)
    start = 0
    for i in range(n - 1):
        row = values[start : start + n - 1 - i]
        row[:] = square[i, i + 1 :]
        start += row.size
        column = square[i + 1 :, i]
        if not np.allclose(row, column, rtol=relative, atol=tolerance, equal_nan=True):
            with np.errstate(invalid="ignore"):  # where another thread changes X meanwhile
                j = i + 1 + int(np.argmax(np.where(row == column, 0, np.abs(row - column))))
            raise ValueError(
                f"X must be symmetric with metric='precomputed', got X[{i}, {j}] = {square[i, j]} "
                f"and X[{j}, {i}] = {square[j, i]}; pass (X + X.T) / 2"
            )
    return _check_distances(values, n, few, infinite)


def rounding(distances: Array) -> float:
    """What rounding may leave of zeros among such distances, as in ``1 - np.corrcoef(X)``."""
    return _rounding(distances.dtype, max(largest(distances), -float(distances.min(initial=0))))


def _rounding(dtype: Any, most: float) -> float:
    return (1e-12 if dtype == np.float64 else 1e-5) * most


def _check_distances(values: Array, n: int, few: int, infinite: bool) -> Condensed:
    if values.size == 0:
        return Condensed(values, n)
    least, most, finite = _core.value_range(values)
    if not finite:
        refuse_infinite(values, values, infinite=infinite, advice=_FINITE)
        least, most = float(values.min()), largest(values)
    if least < -_rounding(values.dtype, max(-least, most)):
        raise ValueError(
            f"X must hold distances of at least 0, got {least}; turn similarities into distances, such as 1 - X"
        )
    if most > largest_distance(n):
        raise ValueError(
            f"X must hold distances of at most {largest_distance(n):.2g}, so that sums stay finite, got {most}; "
            "scale X down"
        )
    values = np.maximum(values, 0, out=values) if least < 0 else values
    return Condensed(_double_if_few(values, n, few), n, not finite)


def largest_distance(n: int) -> float:
    """Sums of as many distances as there are points stay finite below this."""
    return float(np.finfo(np.float64).max / (4 * n))


def _looks_like_distances(square: Array) -> bool:
    return bool(np.all(np.diagonal(square) == 0) and np.all(square >= 0) and np.allclose(square, square.T))


def is_missing(label: Any) -> bool:
    """Whether a label is a NaN of whatever kind, which does not equal itself, or says that it cannot tell."""
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return True


def check_names(labels: Any, n: int, argument: str = "labels") -> list[Any] | None:
    """Names of n points, if there are any."""
    if labels is None:
        return None
    try:
        names = list(labels)
    except TypeError:
        raise TypeError(f"{argument} must hold a name for each of {n} points, got {labels!r}") from None
    if len(names) != n:
        raise ValueError(f"{argument} must name all {n} points, got {len(names)}")
    return names


def check_labels(y: object, n: int) -> Array:
    """Classes of n points, labelled by values of any kind, as numbers from 0."""
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise ValueError(f"y must hold one label for each of {n} points: {error}") from error
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (n,):
        raise ValueError(f"y must hold one label for each of {n} points, got shape {labels.shape}")
    if labels.dtype.kind in "fcmMO" and any(is_missing(label) for label in labels):
        row = next(i for i, label in enumerate(labels) if is_missing(label))
        raise ValueError(f"y must not hold missing values, got one at {row}; give such points a label of their own")
    if labels.dtype.kind != "O":
        return np.unique(labels, return_inverse=True)[1].astype(np.int32)
    numbers_of: dict[object, int] = {}  # labels of mixed kinds have no order to sort by
    try:
        return np.array([numbers_of.setdefault(label, len(numbers_of)) for label in labels], dtype=np.int32)
    except TypeError:
        raise TypeError("y must hold labels that can be compared, such as numbers or texts") from None


def check_images(images: Any, n: int) -> Array:
    """Images of n points, of shape (n, height, width) or (n, height, width, 3 or 4); rows of squares are unfolded."""
    pictures = np.asarray(images)
    if pictures.dtype.kind not in "biuf":
        raise TypeError(f"images must hold numbers, got {pictures.dtype}")
    if pictures.ndim == 2 and round(pictures.shape[1] ** 0.5) ** 2 == pictures.shape[1]:
        side = round(pictures.shape[1] ** 0.5)
        pictures = pictures.reshape(-1, side, side)
    flat = pictures.ndim == 3 or (pictures.ndim == 4 and pictures.shape[3] in (3, 4))
    if not flat or len(pictures) != n or 0 in pictures.shape:
        wanted = f"({n}, height, width), ({n}, height, width, 3) or ({n}, side * side)"
        raise ValueError(f"images must have shape {wanted}, got {np.shape(images)}")
    return pictures
