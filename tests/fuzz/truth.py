"""What a returned tree must satisfy: it is one, it is that of these points, and engines agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from fuzz.kinds import Wrong

FAST = ("euclidean", "sqeuclidean", "cosine")
BY_SCIPY = ("cityblock", "chebyshev", "canberra", "braycurtis", "minkowski", "hamming")  # whose values can be trusted


def check_tree(Z: Any, n: int, ordered: bool = True) -> None:
    """Z is a dendrogram of n points."""
    if not isinstance(Z, np.ndarray) or Z.dtype != np.float64 or Z.shape != (n - 1, 4):
        raise Wrong(f"Z is {type(Z).__name__} {getattr(Z, 'dtype', '')} of shape {np.shape(Z)} for {n} points")
    try:
        chamfer.Dendrogram(Z)
    except (ValueError, TypeError) as error:
        raise Wrong(f"Z is no tree: {error}") from error
    if ordered and not (Z[:, 0] < Z[:, 1]).all():
        raise Wrong("Z has clusters out of order")


def true_distances(X: np.ndarray, metric: str) -> np.ndarray | None:
    """All distances in double, computed so that nothing overflows or vanishes on the way; None if they are too hard."""
    if metric not in FAST:
        return squareform(pdist(X.astype(np.float64), metric)) if metric in BY_SCIPY else None
    wide = X.astype(np.longdouble)
    if metric == "cosine":
        norms = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
        if not norms.all():
            return None
        wide = wide / norms
    squares = np.zeros((len(X), len(X)), np.longdouble)
    for column in wide.T:
        squares += np.square(column[:, None] - column)
    D = np.sqrt(squares) if metric == "euclidean" else squares / 2 if metric == "cosine" else squares
    return D.astype(np.float64)


def is_hard(D: np.ndarray, method: str, metric: str, dtype: Any) -> bool:
    """Whether rounding, or the ends of the range of numbers, may decide about the tree."""
    largest, n = D.max(initial=0), len(D)
    finfo = np.finfo(dtype)
    power = 2 if method in reference.CENTRES else 1
    if not np.isfinite(D).all() or not largest < (np.finfo(np.float64).max / (4 * n)) ** (1 / power):
        return True
    # Squares of what is so close are zero, see units.py.
    close = D[D > 0].min(initial=np.inf) < largest * (2.0**-200 if metric == "sqeuclidean" else 2.0**-500)
    return bool(close or (metric == "cosine" and largest < 1e-6) or 0 <= largest < finfo.tiny / finfo.eps)


def replay(
    Z: np.ndarray, X: np.ndarray, D: np.ndarray, method: str, metric: str, n_neighbors: int, epsilon: float
) -> None:
    """Each merge of Z was one of smallest value."""
    rtol, share = (1e-9, 1e-13) if X.dtype == np.float64 else (3e-6, 3e-6)
    if method in reference.CHAMFER or method in ("single", "complete"):
        atol = share if metric == "cosine" else 0.0  # sums of distances, or distances: nothing is subtracted
    else:  # what centres are made of is rounded where the points are, however close they are to each other
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            offset = float(np.abs(X).max() / D.max(initial=0)) if X.ndim == 2 else 1.0
        atol = share * min(max(offset, 1.0), 1 / share) if offset == offset else share
    if D.any():
        atol = max(atol, 1e-323 * len(D) / D.max())  # the smallest numbers have no digits
    # The definition squares distances, too.
    exponent = int(np.frexp(D.max(initial=0))[1])
    D, Z = np.ldexp(D, -exponent), np.column_stack([Z[:, :2], np.ldexp(Z[:, 2], -exponent), Z[:, 3]])
    try:
        if epsilon > 0:
            reference.replay_within(Z, D, method, epsilon, rtol)
        else:
            reference.replay(Z, D, method, rtol, atol, n_neighbors)
    except AssertionError as error:
        raise Wrong(f"{method}: {error}") from error


def has_ties(D: np.ndarray) -> bool:
    """Whether two distances are too close to say which is smaller."""
    values = np.sort(D[np.triu_indices(len(D), 1)])
    return bool(values.size and (values[0] == 0 or (np.diff(values) <= 1e-9 * values[1:]).any()))


def same_tree(one: np.ndarray, two: np.ndarray, what: str) -> None:
    """The same merges at the same heights, up to rounding."""
    if not np.array_equal(one[:, [0, 1, 3]], two[:, [0, 1, 3]]):
        raise Wrong(f"{what} disagree at merge {int(np.argmax((one != two)[:, [0, 1, 3]].any(axis=1)))}")
    if not np.allclose(one[:, 2], two[:, 2], rtol=1e-9, atol=0):
        raise Wrong(f"{what} disagree about heights")
