"""Memory maps that stay on disk, because a copy would take too much memory.

A map is used where it is if distances can be computed from it: floats in rows, in a unit in which squares neither
overflow nor vanish. Otherwise its rows are converted, part by part, into a temporary file, which is mapped in turn.
Either way only parts of it are held in memory, beside those that the system keeps as long as it has room.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chamfer import tuning
from chamfer._types import FAST_METRICS, Array, Metric, Points, check_heights, is_mapped, is_safe
from chamfer.arrays import refuse_infinite
from chamfer.inputs import centred_rows
from chamfer.memory import available_memory
from chamfer.units import choose_unit, directions, smallest

_PART = 1 << 24  # bytes that are converted at a time
_WIDE = 64  # rows of up to so many coordinates take no more memory than their lists
_SHARE = 4  # a copy of this part of the memory there is, or less, is no trouble


def check_mapped(X: Any, metric: Metric, limit: int | None) -> Points | None:
    """The points of a memory map, still on disk; None if X is something else, or a copy of it no trouble."""
    if not is_mapped(X) or not _is_large(X, limit):
        return None
    if X.dtype.kind not in "fiub" or metric not in (*FAST_METRICS, "correlation"):
        return None
    low, high = _range(X)
    kind = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    if metric in ("cosine", "correlation"):
        return Points(_directions(X, kind, metric == "correlation"), "cosine", exponent=0)
    unit = choose_unit(low, high)
    check_heights(len(X), unit, metric)
    if is_safe(low, high) and X.dtype == kind and X.dtype.isnative and X.flags.c_contiguous and X.flags.aligned:
        return Points(_read_only(X), metric, exponent=0)
    if unit.exponent > 0:
        least = min(smallest(np.asarray(X[part], kind)) for part in _parts(X))
        unit.check(least)
        kind = unit.dtype(kind, least)
    return Points(_written(X, kind, X.shape[1], lambda rows, _: unit.apply(rows)), metric, exponent=unit.exponent)


def _is_large(X: Array, limit: int | None) -> bool:
    """Whether a copy would take much of the memory, and more than all else that an engine keeps."""
    if X.ndim != 2 or X.shape[0] <= tuning.current.unfiltered or X.shape[1] <= _WIDE:
        return False
    return bool(_SHARE * X.nbytes > (available_memory() if limit is None else limit))


def _parts(X: Array) -> Iterator[slice]:
    """Rows that are read at a time."""
    rows = max(1, _PART // (8 * X.shape[1]))
    return (slice(first, first + rows) for first in range(0, len(X), rows))


def _range(X: Array) -> tuple[Array, Array]:
    """The least and the largest number of each column, if all are finite."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for part in _parts(X):
        rows = np.asarray(X[part])
        least, most = rows.min(axis=0), rows.max(axis=0)
        if not (np.isfinite(least).all() and np.isfinite(most).all()):
            refuse_infinite(X, rows, first=part.start)
        np.minimum(low, least, out=low)
        np.maximum(high, most, out=high)
    return low, high


def _directions(X: Array, kind: Any, centred: bool) -> Array:
    """The rows at unit length, in a temporary file; after their means are taken from them if `centred`."""
    zeros = not centred and any((~np.asarray(X[part]).any(axis=1)).any() for part in _parts(X))

    def convert(rows: Array, first: int) -> Array:
        return directions(centred_rows(rows, first) if centred else rows, zeros)

    return _written(X, kind, X.shape[1] + zeros, convert)


def _written(X: Array, kind: Any, width: int, convert: Callable[[Array, int], Array]) -> Array:
    """What becomes of the rows of X, in a temporary file that is gone when nobody uses it any more."""
    with tempfile.TemporaryFile(prefix="chamfer-") as file:
        out = np.memmap(file, kind, "w+", shape=(len(X), width))
    for part in _parts(X):
        out[part] = convert(np.array(X[part], kind), part.start)
    return _read_only(out)


def _read_only(X: Array) -> Array:
    """A view through which nobody can change the file."""
    view: Array = np.asarray(X).view()
    view.flags.writeable = False
    return view
