"""Whatever a user calls an array of numbers, as an array of floats.

Lists, NumPy, pandas, polars and PyArrow tables, tensors on any device: everything is copied once, so that nothing that
happens to it meanwhile, in another thread, can reach the core.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from chamfer.units import Array

_MOST = 1 << 30  # points: clusters are numbered up to twice as many, in 32 bits
_FLOATS = (np.float32, np.float64)


class NotFiniteError(ValueError, FloatingPointError):
    """A number is missing or infinite. SciPy and scikit-learn call this a ValueError, fastcluster the other one."""


def check_numbers(X: Any, copy: bool = True) -> Array:
    """X as an array of numbers, in float32 if it is float32, otherwise in float64."""
    if getattr(X, "shape", None) and len(X.shape) == 2 and X.shape[0] >= _MOST:
        raise ValueError(f"X must hold fewer than 2^30 points, got {X.shape[0]}; take a sample")
    if type(X) is np.ndarray and X.dtype in _FLOATS and X.ndim == 2:
        array = np.array(X, order="C") if copy else X
    else:
        array = _as_numbers(X, copy)
    if array.ndim == 0 or array.size == 0:
        raise ValueError(f"X must hold points as rows, or distances, got an array of shape {array.shape}")
    return array


def _as_numbers(X: Any, copy: bool) -> Array:
    """Whatever X is as an array of floats; a new one if `copy`."""
    if hasattr(X, "toarray"):
        raise TypeError("X must be a dense array, got a sparse one: pass X.toarray()")
    if np.ma.is_masked(X):
        raise ValueError("X must not be masked, as what is under the mask would count; pass X.filled(...)")
    try:
        given = _from_other_library(X)
        if given.dtype.kind not in "fiubOUS":
            raise ValueError(f"got {given.dtype}")
        with np.errstate(over="ignore"):  # infinite numbers are refused later
            array = np.asarray(given, given.dtype if given.dtype in _FLOATS else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        reason = text_column(X) or str(error).splitlines()[0]
        raise kind(f"X must be an array of finite real numbers: {reason}") from error
    if array.ndim > 2:
        raise ValueError(f"X must have one or two dimensions, got {array.ndim}; pass X.reshape(len(X), -1)")
    fresh = isinstance(X, (list, tuple)) or not np.may_share_memory(array, given)
    return np.array(array, order="C") if copy and not fresh else np.asarray(array, order="C")


def _from_other_library(X: Any) -> Array:
    """X as an array of NumPy, by the shortest way that its library offers."""
    library = type(X).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(X, "column_names"):
        columns = [_arrow_column(X.column(i)) for i in range(X.num_columns)]
        return np.column_stack(columns) if columns else np.empty((X.num_rows, 0))
    if library == "polars":
        return np.asarray(X.to_numpy())  # missing values become NaN
    if library == "torch":
        X = X.detach().cpu()  # from any device, without its gradients
        return np.asarray(X.float() if str(X.dtype) == "torch.bfloat16" else X)
    if hasattr(X, "__cuda_array_interface__"):
        return np.asarray(X.get())  # CuPy copies from the device only when asked
    if hasattr(X, "__dlpack__") and not hasattr(X, "__array__"):
        return np.from_dlpack(X)
    given = np.asarray(X)
    if given.dtype.kind == "O" and library == "pandas":
        return np.asarray(X.to_numpy(dtype=np.float64, na_value=np.nan))  # pandas has missing values of its own
    return given


def _arrow_column(column: Any) -> Array:
    """A column of an Arrow table; missing values become NaN."""
    values = np.asarray(column.to_numpy())
    return values.astype(np.float64) if values.dtype.kind == "O" else values


def text_column(X: Any) -> str:
    """Which column of a data frame holds no numbers, and what it holds."""
    for name in _column_names(X):
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            values = [value for value in X[name] if not isinstance(value, numbers.Real)]
            what = repr(values[0]) if values else "no numbers"
            return f"column {name!r} holds {what}; encode it or leave it out"
    return ""


def _column_names(X: Any) -> list[Any]:
    """Names of the columns of a data frame, or none; those of Arrow are an attribute of their own."""
    return list(getattr(X, "column_names", getattr(X, "columns", ())))


def refuse_infinite(
    X: Any, array: Array, missing: bool = False, infinite: bool = False, first: int = 0, advice: str = ""
) -> None:
    """Say where the first number is that is not finite; `missing` or positive `infinite` ones may be allowed.

    The array holds the rows of X from `first` on.
    """
    wrong = ~np.isfinite(array)
    if missing:
        wrong &= ~np.isnan(array)
    if infinite:
        wrong &= array != np.inf
    if not wrong.any():
        return
    place = np.unravel_index(np.argmax(wrong), array.shape)
    where = f"at {int(place[0])}"
    if array.ndim == 2:
        names = _column_names(X) or range(array.shape[1])
        where = f"in row {first + int(place[0])}, column {names[int(place[1])]!r}"
    what, way = ("NaN", "pass metric='nan_euclidean'") if np.isnan(array[place]) else ("infinity", "drop its row")
    advice = advice or f"fill it in or {way}"
    raise NotFiniteError(f"X must be an array of finite real numbers, got {what} {where}; {advice}")
