"""The dense engine: all distances in memory, and one pass over rows of them for each merge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Condensed, Points
from chamfer.distances import pairwise
from chamfer.engines.base import Engine, Task, in_callers_unit, search_seconds
from chamfer.methods import Linkage
from chamfer.progress import Tick
from chamfer.units import choose_unit, multiply


class DenseEngine(Engine):
    """Serves few points, distances that are given, and the linkages that need all pairs."""

    name = "dense"
    space = "n (n − 1) / 2 distances; n² for the Chamfer linkages"

    def knows(self, linkage: Linkage) -> bool:
        """All but those that are defined by neighbours."""
        return not linkage.capped

    def memory(self, task: Task) -> int:
        """All distances, condensed or square; given ones are there already. Rows by cdist come in blocks."""
        n, size = task.data.n, int(task.data.dtype.itemsize)
        if isinstance(task.data, Condensed) and not _is_square(task):
            distances = task.data.nbytes if task.options.optimal_ordering else 0
        else:
            distances = (n * n if _is_square(task) else n * (n - 1) // 2) * size
        blocks = 0 if task.fast or task.d == 0 else 16 * task.threads * pairwise.BLOCK * n
        return distances + blocks + 200 * n + (task.data.nbytes if task.d else 0)

    def cost(self, task: Task) -> float:
        """All distances, and n² steps for the merges."""
        now = tuning.current
        single = now.single_merges if task.linkage.family == "single" else now.other_merges
        merges = now.chamfer_merges if _is_square(task) else single
        return search_seconds(task) + merges * task.data.n**2

    def advice(self, task: Task) -> str:
        """Half of the digits are half of the memory."""
        half = "pass X as float32, " if task.data.dtype == np.float64 else ""
        return f"{half}take fewer points"

    def run(self, task: Task) -> Array:
        """Compute all distances and merge; condensed distances are overwritten."""
        n = task.data.n
        with task.progress.stage("distances", n * (n - 1) // 2, "pair") as tick:
            matrix, exponent = _given(task) if isinstance(task.data, Condensed) else (_computed(task, tick), 0)
        with task.progress.stage("merges", n - 1, "merge") as tick:
            Z = _merge(matrix, task, tick)
        if task.linkage.family == "centres":
            Z[:, 2] = np.ldexp(np.sqrt(np.maximum(Z[:, 2], 0)), exponent)
        return in_callers_unit(Z, task.data)


def _merge(matrix: Array, task: Task, tick: Tick | None) -> Array:
    linkage, threads = task.linkage, task.threads
    if not _is_square(task):
        return _core.dense_rule(matrix, n=task.data.n, rule=linkage.name, threads=threads, tick=tick)
    return _core.dense_chamfer(
        matrix, normalized=linkage.normalized, symmetric=linkage.symmetric, threads=threads, tick=tick
    )


def _is_square(task: Task) -> bool:
    """Whether rows of distances are kept for both directions, which differ for the Chamfer linkages."""
    return task.linkage.family == "chamfer"


def _computed(task: Task, tick: Tick | None) -> Array:
    """Distances of points; squared for the linkages of centres."""
    assert isinstance(task.data, Points)
    points = replace(task.data, metric="sqeuclidean") if task.linkage.family == "centres" else task.data
    return (pairwise.square if _is_square(task) else pairwise.condensed)(points, task.threads, tick)


def _given(task: Task) -> tuple[Array, int]:
    """Distances of the user; squared for the linkages of centres, in a unit of two to the second number."""
    assert isinstance(task.data, Condensed)
    if _is_square(task):
        return _square_form(task.data), 0
    # They are overwritten, but the order of leaves needs them later.
    values = task.data.values.copy() if task.options.optimal_ordering else task.data.values
    if task.linkage.family != "centres":
        return values, 0
    exponent = choose_unit(np.zeros(1), values.max(initial=0, keepdims=True)).exponent
    return np.square(multiply(values, -exponent), out=values), exponent


def _square_form(data: Condensed) -> Array:
    square = np.zeros((data.n, data.n), dtype=data.values.dtype)
    start = 0
    for i in range(data.n - 1):
        row = data.values[start : start + data.n - 1 - i]
        square[i, i + 1 :] = square[i + 1 :, i] = row
        start += row.size
    return square
