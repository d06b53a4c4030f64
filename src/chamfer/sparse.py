"""Sparse points: rows that hold only what is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from chamfer._types import FAST_METRICS, Metric, Points, check_heights
from chamfer.arrays import NotFiniteError
from chamfer.units import choose_unit


def check_sparse(X: Any, metric: Metric) -> Points:
    """Sparse points, by one of the metrics that need no zeros."""
    if metric not in FAST_METRICS:
        raise ValueError(
            f"metric must be one of {', '.join(FAST_METRICS)} for a sparse X, got {metric!r}; else pass X.toarray()"
        )
    if X.dtype.kind not in "fiub" or X.ndim != 2 or 0 in X.shape:
        given = f"got {X.dtype} of shape {X.shape}; take its real part, or rows and columns that are there"
        raise ValueError(f"X must hold points as rows of real numbers, {given}")
    X = csr_array(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    if not np.isfinite(X.data).all():
        place = int(np.argmin(np.isfinite(X.data)))
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        what = "NaN" if np.isnan(X.data[place]) else "infinity"
        raise NotFiniteError(
            f"X must be an array of finite real numbers, got {what} in row {row}, column {X.indices[place]}; fill it in"
        )
    if metric != "cosine":
        low, high = (np.ravel(each(axis=0).toarray()) for each in (X.min, X.max))
        check_heights(X.shape[0], choose_unit(low, high), metric)
    exponent = 0 if metric == "cosine" else int(np.frexp(np.abs(X.data).max(initial=0))[1])
    X.data = np.ldexp(X.data, -exponent)
    return Points(sparse_directions(X) if metric == "cosine" else X, metric, exponent=exponent)


def sparse_directions(X: csr_array, zeros: bool = False) -> csr_array:
    """The sparse rows of X at unit length, as `chamfer.units.directions` has them."""
    lengths = np.zeros(X.shape[0])
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, rows, np.abs(X.data))
    scaled = X.data.astype(np.float64) / largest[rows]  # squares neither overflow nor vanish
    np.add.at(lengths, rows, scaled * scaled)
    X = csr_array(((scaled / np.sqrt(lengths)[rows]).astype(X.dtype), X.indices, X.indptr), shape=X.shape)
    none = largest == 0
    if not (none.any() or zeros):
        return X
    return csr_array(hstack([X, csr_array(none[:, None].astype(X.dtype))], format="csr"))
