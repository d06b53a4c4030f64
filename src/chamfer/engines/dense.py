"""The dense engine: all distances in memory, and one pass over rows of them for each merge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from chamfer._types import Array, Condensed, Points
from chamfer.distances import pairwise as distances
from chamfer.memory import available_memory
from chamfer.progress import Progress
from chamfer.units import choose_unit, multiply

SMALL = 1 << 26  # bytes: to ask the system about less takes longer than to cluster


def dense_bytes(data: Points | Condensed, square: bool) -> int:
    """Memory for all distances, condensed or square."""
    pairs = data.n * data.n if square else data.n * (data.n - 1) // 2
    return pairs * int(data.dtype.itemsize)


def fits(data: Points | Condensed, square: bool, limit: int | None) -> bool:
    """Whether there is memory for all distances, within the limit if there is one."""
    need = dense_bytes(data, square)
    if limit is None:
        return need <= SMALL or need <= available_memory()
    return need <= limit


def run_dense(
    core: Callable[..., Any], data: Points | Condensed, square: bool, centres: bool, threads: int, progress: Progress
) -> Array:
    """Z by the linkage of `core`, from distances that are squared first if it is defined by centres.

    Condensed distances are overwritten.
    """
    n, exponent = data.n, 0
    with progress.stage("distances", n * (n - 1) // 2, "pair") as tick:
        if isinstance(data, Condensed):
            matrix = _square_form(data) if square else data.values
            if centres:
                exponent = choose_unit(np.zeros(1), matrix.max(initial=0, keepdims=True)).exponent
                np.square(multiply(matrix, -exponent), out=matrix)
        else:
            points = replace(data, metric="sqeuclidean") if centres else data
            matrix = (distances.square if square else distances.condensed)(points, threads, tick)
    with progress.stage("merges", n - 1, "merge") as tick:
        arguments = (matrix,) if square else (matrix, n)
        Z: Array = core(*arguments, threads, tick)
    if centres:
        Z[:, 2] = np.ldexp(np.sqrt(np.maximum(Z[:, 2], 0)), exponent)
    return Z


def _square_form(data: Condensed) -> Array:
    square = np.zeros((data.n, data.n), dtype=data.values.dtype)
    start = 0
    for i in range(data.n - 1):
        row = data.values[start : start + data.n - 1 - i]
        square[i, i + 1 :] = square[i + 1 :, i] = row
        start += row.size
    return square
