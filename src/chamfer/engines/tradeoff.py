"""The tradeoff engine: Chamfer linkage in O(n² / t) memory and O(n² t) time, section 5 of the paper."""

from __future__ import annotations

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.engines.base import Engine, Task, in_callers_unit
from chamfer.methods import Linkage, names
from chamfer.sources.choose import choose_source

_TOGETHER = 70  # rows that the core holds beside those of the large clusters


class TradeoffEngine(Engine):
    """Keeps what the dense engine keeps for clusters of at least t points, and computes the rest again.

    It is here to compare with. Where all distances do not fit, lists take less time.
    """

    name = "tradeoff"
    space = "n² / t distances and sums, for t times the work"
    takes = ("t", "sample_weight")
    asked_by = ("t",)

    def knows(self, linkage: Linkage) -> bool:
        """The linkages of the paper's section."""
        return linkage.family == "chamfer" and not (linkage.symmetric or linkage.capped)

    def _refuses(self, task: Task) -> str | None:
        if self.knows(task.linkage) and task.fast:
            return None
        return f"engine 'tradeoff' takes observations, a fast metric and one of {names(self.knows)}; got {task}"

    def memory(self, task: Task) -> int:
        """Distances from all points to clusters of at least t points, and values between clusters."""
        return _bytes(task, _least_size(task))

    def cost(self, task: Task) -> float:
        """T times the distances."""
        now = tuning.current
        return task.data.n**2 * _least_size(task) * (now.pair + task.d * now.coordinate)

    def advice(self, task: Task) -> str:
        """A larger t needs less."""
        return "take fewer points" if _least_size(task) == task.data.n else "take a larger t, fewer points"

    def describe(self, task: Task) -> str:
        """The task and its t."""
        return f"engine 'tradeoff' with {task.data.n} points and t = {_least_size(task)}"

    def run(self, task: Task) -> Array:
        """Find the nearest point of each point, and merge."""
        points = task.data
        assert isinstance(points, Points)
        everything = np.arange(points.n, dtype=np.int32)
        with task.progress.stage("nearest neighbours", points.n, "point") as tick:
            source = choose_source(points, 1, task.threads)
            nearest = source.nearest(everything, everything, 1, task.threads, tick)
            del source
        with task.progress.stage("merges", points.n - 1, "merge") as tick:
            Z = _core.tradeoff(
                points.X,
                metric=points.core_metric,
                normalized=task.linkage.normalized,
                t=_least_size(task),
                nearest=nearest.clusters,
                distances=nearest.distances,
                weights=None if task.constraints is None else task.constraints.weights,
                threads=task.threads,
                tick=tick,
            )
        return in_callers_unit(Z, points)


def _bytes(task: Task, t: int) -> int:
    return (task.data.n // t + _TOGETHER) * _row_bytes(task) + 8 * task.data.n * min(task.d, 256)


def _row_bytes(task: Task) -> int:
    return task.data.n * (int(task.data.dtype.itemsize) + 8)


def _least_size(task: Task) -> int:
    """The t that is given, or else the smallest for which the memory is enough."""
    n = task.data.n
    if task.options.t is not None:
        return task.options.t
    there_is = task.allowed
    rows = max(0, there_is - _bytes(task, n + 1)) // _row_bytes(task)
    return min(n, n // (rows + 1) + 1)
