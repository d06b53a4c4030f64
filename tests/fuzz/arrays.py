"""Odd points and distances: hard values first, then hard scales, then things that are no arrays of numbers at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.spatial.distance import squareform

from fuzz.draw import Draw

EXPONENTS = {np.float64: (-1060, 1020), np.float32: (-140, 127)}  # of scales
SENTINELS = (1e20, -9999.0, 1e-300, 5e-324, 1e300, 1e38, -1.0, 2.0**53)


@dataclass(frozen=True)
class Given:
    """What is passed to the library, and what it means.

    ``meant`` is None if the library has to find out for itself whether it is any good.
    """

    X: Any
    meant: np.ndarray | None
    metric: str = ""  # "precomputed" if these are distances


def size(draw: Draw) -> int:
    """Number of points: often few, so that much can be checked."""
    if draw.chance(0.0005):
        return draw.integer(2_100, 3_000)  # from 2,049 on the sources filter
    return draw.integer(1, 3) if draw.chance(0.08) else draw.integer(2, 12 if draw.chance(0.6) else 60)


def gaussian(draw: Draw, n: int, d: int) -> np.ndarray:
    return draw.rng.normal(size=(n, d))


def grid(draw: Draw, n: int, d: int) -> np.ndarray:
    return draw.rng.integers(0, draw.integer(1, 5), size=(n, d)).astype(np.float64)


def duplicated(draw: Draw, n: int, d: int) -> np.ndarray:
    return draw.rng.normal(size=(n, d))[draw.rng.integers(0, max(1, n // 2), size=n)]


def equal(draw: Draw, n: int, d: int) -> np.ndarray:
    return np.full((n, d), draw.one((0.0, 1.0, 0.1, -0.0, 1e20)))


def constant_columns(draw: Draw, n: int, d: int) -> np.ndarray:
    X = draw.rng.normal(size=(n, d))
    X[:, draw.rng.random(d) < 0.7] = draw.one((0.0, 3.0, 1e8))
    return X


def wild_columns(draw: Draw, n: int, d: int) -> np.ndarray:
    return draw.rng.normal(size=(n, d)) * 10.0 ** draw.rng.integers(-12, 13, size=d)


def shifted(draw: Draw, n: int, d: int) -> np.ndarray:
    return draw.rng.normal(size=(n, d)) + draw.one((1e8, -1e8, 1e12, 1e15))


def far_row(draw: Draw, n: int, d: int) -> np.ndarray:
    X = draw.rng.normal(size=(n, d))
    X[draw.integer(0, n - 1)] = draw.one((1e6, 1e12, -1e30, 1e100))
    return X


def with_sentinels(draw: Draw, n: int, d: int) -> np.ndarray:
    X = draw.rng.normal(size=(n, d))
    X[draw.rng.random((n, d)) < 0.2] = draw.one(SENTINELS)
    return X


def near_line(draw: Draw, n: int, d: int) -> np.ndarray:
    return np.arange(n)[:, None] * np.ones(d) + draw.rng.normal(size=(n, d)) * 1e-9


VALUES = (gaussian, gaussian, grid, duplicated, equal, constant_columns, wild_columns, shifted, far_row, with_sentinels)
VALUES += (near_line,)


def points(draw: Draw, n: int | None = None) -> np.ndarray:
    """Finite points in float64 or float32, of any values and scale."""
    n = size(draw) if n is None else n
    d = draw.integer(1, 5) if draw.chance(0.7) else draw.integer(1, 40)
    X = draw.one(VALUES)(draw, n, d)
    dtype = np.float32 if draw.chance(0.3) else np.float64
    low, high = EXPONENTS[dtype]
    with np.errstate(all="ignore"):
        if draw.chance(0.25):
            X = np.ldexp(X, draw.integer(low, high))
        X = X.astype(dtype)
    return np.nan_to_num(X, posinf=np.finfo(dtype).max, neginf=np.finfo(dtype).min)


def _distances(draw: Draw, n: int) -> np.ndarray:
    """Condensed distances, of points or of nothing."""
    values = draw.rng.random(n * (n - 1) // 2)
    if draw.chance(0.3):
        values = np.floor(values * draw.integer(1, 5))
    if draw.chance(0.2):
        with np.errstate(over="ignore"):
            values = np.ldexp(values, draw.integer(-1060, 1024))
    if draw.chance(0.1) and values.size:
        values[draw.integer(0, values.size - 1)] = draw.one((np.finfo(np.float64).max, 1e300, 1e38, 5e-324))
    with np.errstate(over="ignore"):
        return values.astype(np.float32) if draw.chance(0.3) else values


def distances(draw: Draw, n: int | None = None) -> Given:
    """Condensed or square distances; one in five with something wrong."""
    n = max(2, size(draw)) if n is None else n
    values = _distances(draw, n)
    meant = values if np.isfinite(values).all() else None
    if draw.chance(0.4):
        return Given(values, meant, "euclidean") if draw.chance(0.9) else Given(values[:-1], None, "euclidean")
    square = squareform(values, checks=False) if n > 1 else np.zeros((n, n))
    square = square.astype(values.dtype)
    if draw.chance(0.25):
        i, j = draw.integer(0, n - 1), draw.integer(0, n - 1)
        with np.errstate(over="ignore"):
            square[i, j] = draw.one((-1.0, -0.0, np.nan, np.inf, 1e308, 1e-320, 3.5, square[i, j] * (1 + 1e-12)))
        meant = None
    return Given(square, meant, "precomputed")


def spoil(draw: Draw, X: np.ndarray) -> np.ndarray:
    """Points with values that are no numbers."""
    X = X.copy()
    bad = draw.one((np.nan, np.inf, -np.inf))
    if draw.chance(0.5):
        X[draw.integer(0, len(X) - 1)] = bad
    else:
        X.flat[draw.integer(0, X.size - 1)] = bad
    return X


def _readonly(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


SAME = (  # other containers of the same numbers
    np.asfortranarray,
    lambda X: np.repeat(X, 2, axis=0)[::2],
    lambda X: X[::-1].copy()[::-1],
    lambda X: np.column_stack([X, X])[:, : X.shape[1]],
    _readonly,
    lambda X: X.astype(X.dtype.newbyteorder(">")),
    lambda X: X.astype(object),
    lambda X: X.tolist(),
    lambda X: tuple(map(tuple, X.tolist())),
    pd.DataFrame,
    lambda X: np.ma.masked_array(X),
    lambda X: X.astype(np.longdouble),
    np.asmatrix,
    memoryview,
)
OTHER = (  # other numbers, or none
    lambda X: np.ma.masked_greater(X, 0),
    lambda X: X[0, 0],
    lambda X: X[0],
    lambda X: X[None],
    lambda X: X[:0],
    lambda X: X[:, :0],
    lambda X: X > 0,
    lambda X: (X > 0).astype(np.int8),
    lambda X: np.arange(X.size, dtype=np.uint64).reshape(X.shape) << np.uint64(40),
    lambda X: np.sign(X).astype(np.float16),
    lambda X: X.astype(complex),
    lambda X: X.astype("datetime64[s]") if X.size else X,
    lambda X: X.astype(str),
    lambda X: X.astype(bytes),
    lambda X: [["a"] * X.shape[1]] * len(X),
    lambda X: [[10**400]] * len(X),
    lambda X: [[None]] * len(X),
    lambda X: [*X.tolist(), [1.0]],
    lambda X: pd.DataFrame({"a": ["x"] * len(X)}),
    lambda X: pd.DataFrame(X).astype(object).where(X > 0, None),
    lambda X: pd.DataFrame(X, dtype="Float64"),
    lambda X: pd.Series(X[:, 0]),
    sparse.csr_array,
    lambda X: None,
    lambda X: "points",
    lambda X: {"a": 1},
    lambda X: object(),
    lambda X: iter(X),
    lambda X: np.zeros(len(X), dtype=[("a", "f8"), ("b", "i4")]),
)


def given(draw: Draw) -> Given:
    """Anything that someone might pass as X."""
    if draw.chance(0.12):
        return distances(draw)
    X = points(draw)
    if draw.chance(0.04):
        return Given(spoil(draw, X), None)
    with np.errstate(all="ignore"):
        if draw.chance(0.12):
            return Given(other := draw.one(SAME)(X), X if _keeps_dtype(other) else X.astype(np.float64))
        if draw.chance(0.06):
            return Given(draw.one(OTHER)(X), None)
    return Given(X, X)


def _keeps_dtype(X: Any) -> bool:
    """Whether float32 stays float32, as it does not in lists of numbers."""
    array = np.asarray(X)
    return not isinstance(X, (list, tuple)) and array.dtype.kind == "f" and array.dtype.itemsize <= 8
