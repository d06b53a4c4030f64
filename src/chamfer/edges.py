"""Graphs that a user passes: edges between points that may merge, and distances between some pairs of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from chamfer import _core
from chamfer._types import Array, SparseDistances
from chamfer.inputs import check_number, largest_distance

CHAIN = "chain"


class Edges(csr_array):  # type: ignore[misc]  # SciPy has no types
    """A graph that was checked: in both directions, in ascending order, without loops."""


def check_graph(connectivity: Any, X: Any, n: int) -> csr_array:
    """A symmetric graph without loops from a matrix of edges, a function of X that gives one, or "chain"."""
    if type(connectivity) is Edges:
        return connectivity
    if isinstance(connectivity, str):
        if connectivity != CHAIN:
            raise ValueError(f"connectivity must be a square matrix, a function of X or 'chain', got {connectivity!r}")
        return graph_of(np.arange(n - 1), np.arange(1, n), n)
    matrix = connectivity(X) if callable(connectivity) else connectivity
    if not issparse(matrix):
        try:
            matrix = np.asarray(matrix)
            matrix = coo_array(matrix != 0) if matrix.ndim == 2 else matrix
        except (TypeError, ValueError) as error:
            raise ValueError(f"connectivity must be a matrix of edges between {n} points: {error}") from None
    if matrix.shape != (n, n):
        raise ValueError(f"connectivity must have shape ({n}, {n}), got {matrix.shape}")
    row, col, value = _entries("connectivity", matrix, n)
    there = value != 0
    return graph_of(row, col, n) if there.all() else graph_of(row[there], col[there], n)


def graph_of(row: Array, col: Array, n: int) -> csr_array:
    """Edges in both directions, each once, in ascending order, without loops."""
    firsts, ends = _core.both_ways(row, col, n=n)
    return Edges((np.ones(len(ends), dtype=np.int8), ends, firsts), shape=(n, n))


def check_sparse_distances(X: Any, default: Any) -> SparseDistances:
    """Distances between some pairs of points, in either direction or both, and that of all others."""
    n = X.shape[0]
    if X.shape != (n, n) or n == 0:
        raise ValueError(f"X must be a square matrix with metric='precomputed', got shape {X.shape}")
    row, col, value = _entries("X", X, n)
    wrong = ~((value >= 0) & (value <= largest_distance(n)))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"X must hold distances of at least 0, got X[{row[at]}, {col[at]}] = {value[at]}")
    loops = row == col
    if value[loops].any():
        at = int(np.flatnonzero(loops)[np.argmax(value[loops] != 0)])
        raise ValueError(f"X must have a zero diagonal with metric='precomputed', got X[{row[at]}, {row[at]}]")
    both = np.concatenate([row[~loops] * n + col[~loops], col[~loops] * n + row[~loops]])
    key, first, inverse = np.unique(both, return_index=True, return_inverse=True)
    values = np.tile(value[~loops], 2)
    if (values[first][inverse] != values).any():
        at = int(np.argmax(values[first][inverse] != values))
        i, j = divmod(int(both[at]), n)
        raise ValueError(
            f"X must be symmetric with metric='precomputed', got X[{i}, {j}] = {values[at]} and "
            f"{values[first][inverse][at]}"
        )
    graph = _csr(key // n, key % n, values[first], n)
    least = float(graph.data.max(initial=0))
    if isinstance(default, (float, np.floating)) and np.isnan(default):
        return SparseDistances(graph, np.nan)
    far = np.inf if default is None else check_number("default", default)
    if not far >= least or (np.isfinite(far) and far > largest_distance(n)):
        raise ValueError(f"default must be at least {least}, the largest distance of X, got {default}")
    return SparseDistances(graph, far)


def _entries(name: str, matrix: Any, n: int) -> tuple[Array, Array, Array]:
    """Row, column and value of each entry, also of those that are zero."""
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, got {matrix.dtype}")
    if hasattr(matrix, "indptr") and not _are_there(matrix):
        raise ValueError(
            f"{name} must be a sparse matrix with entries that are there; was it changed after it was made?"
        )
    entries = matrix.tocoo()
    row, col = (np.asarray(each, dtype=np.int64) for each in (entries.row, entries.col))
    if len(row) and not (min(row.min(), col.min()) >= 0 and max(row.max(), col.max()) < n):
        raise ValueError(f"{name} must have entries between 0 and {n - 1}")
    return row, col, np.asarray(entries.data, dtype=np.float64)


def _are_there(matrix: Any) -> bool:
    """Whether a compressed matrix points at entries of its own: SciPy reads and writes wherever it points."""
    firsts, places = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    height, width = getattr(matrix, "blocksize", (1, 1))
    rows, columns = matrix.shape[0] // height, matrix.shape[1] // width
    rows, columns = (columns, rows) if matrix.format == "csc" else (rows, columns)
    whole = len(firsts) == rows + 1 and firsts[0] == 0 and (np.diff(firsts) >= 0).all()
    inside = places.min(initial=0) >= 0 and places.max(initial=-1) < columns
    return bool(whole and inside and firsts[-1] <= len(places) == len(matrix.data))


def _csr(row: Array, col: Array, data: Array, n: int) -> csr_array:
    """From entries in ascending order."""
    firsts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    return csr_array((data, col, firsts), shape=(n, n))


def components(graph: csr_array) -> Array:
    """The component of each point of a graph, numbered from 0."""
    return np.asarray(_core.components(*arrays(graph)))


def arrays(graph: csr_array) -> tuple[Array, Array]:
    """Where the entries of each point begin, and their columns, as the core takes them."""
    return graph.indptr.astype(np.int64, copy=False), graph.indices.astype(np.int32, copy=False)
