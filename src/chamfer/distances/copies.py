"""Points that are equal."""

from __future__ import annotations

import math

import numpy as np

from chamfer import _core
from chamfer._types import Array

_PART = 1 << 20  # numbers compared at a time


def places_by(hashes: Array) -> tuple[Array, Array]:
    """Points by places, and where in that order each place starts; n after the last. Places by their first points."""
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    starts = np.flatnonzero(np.diff(hashes[order], prepend=~hashes[order[:1]]))
    if len(starts) == len(hashes):
        return np.arange(len(hashes), dtype=np.int32), np.arange(len(hashes) + 1)
    sizes, turn = np.diff(np.append(starts, len(hashes))), np.argsort(order[starts])
    begins = np.append(0, np.cumsum(sizes[turn]))
    shift = np.repeat(starts[turn] - begins[:-1], sizes[turn])
    return order[np.arange(len(hashes)) + shift], begins


def few_places(X: Array, most: float, threads: int) -> tuple[Array, Array] | None:
    """Points by places if there are no more places than `most`, and if points at a place are certainly equal."""
    if most <= len(X) / 2 and not _are_frequent(X, threads):
        return None
    hashes = _core.row_hashes(X, threads=threads)
    if _count_different(hashes) > most:
        return None
    order, starts = places_by(hashes)
    return (order, starts) if _are_equal(X, order, starts) else None


def _are_frequent(X: Array, threads: int) -> bool:
    """Whether a random sample has equal points; with two at each place, eight pairs are to be expected."""
    n = len(X)
    sample = np.unique(np.random.default_rng(0).integers(0, n, 4 * math.isqrt(n)))
    return _count_different(_core.row_hashes(X[sample], threads=threads)) < len(sample)


def _count_different(hashes: Array) -> int:
    ascending = np.sort(hashes)  # a tenth of the time of an order
    return 1 + int(np.count_nonzero(ascending[1:] != ascending[:-1]))


def _are_equal(X: Array, order: Array, starts: Array) -> bool:
    """Whether points that share a hash share their coordinates."""
    first, rows = np.repeat(order[starts[:-1]], np.diff(starts)), 1 + _PART // X.shape[1]
    parts = (slice(begin, begin + rows) for begin in range(0, len(X), rows))
    return all(np.array_equal(X[order[part]], X[first[part]]) for part in parts)
