"""Equal rows are clustered once, as one point that weighs as much as they do together.

No linkage value is below 0, the one between copies of a point. So copies may merge before all others, and then they are
what one point of their weight is: in sums and means each of them counts alike, and for the other linkages two equal
values become the same one. Copies are merged in the order of the tie rule. Places are numbered by the clusters that
their copies become, so that ties between places are decided as if every row was there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from chamfer import _core, tuning
from chamfer._types import FAST_METRICS, Array, Points
from chamfer.constraints import Constraints
from chamfer.distances.copies import few_places
from chamfer.engines.base import Engine, Task, TiedNeighboursError
from chamfer.engines.choose import choose

_BYTES = 200  # for each row, to find copies and to write Z; every engine would need more
_METRICS = (*FAST_METRICS, "cityblock", "chebyshev", "hamming")  # by which equal rows are at distance 0, surely


@dataclass(frozen=True)
class _Folded:
    """A task whose points are the places of another one, and the engine for it."""

    task: Task
    engine: Engine | None  # None if there is one place
    rows: Array  # of each place the first one
    pairs: Array  # of copies, to be merged first

    def run(self) -> Array | None:
        """Z of all rows; None if it depends on the numbers of rows."""
        try:
            Z = np.empty((0, 4)) if self.engine is None else self.engine.run(self.task)
        except TiedNeighboursError:
            return None
        pairs, heights = Constraints(len(self.rows)).after(Z, None).merges()
        return _core.join_partitions(
            np.concatenate([self.pairs, self.rows[pairs.T]]),
            heights=np.concatenate([np.zeros(len(self.pairs)), heights]),
            n=len(self.rows) + len(self.pairs),
        )


def run_folded(task: Task, name: str) -> Array | None:
    """Z of a task by clustering equal rows once, if many are equal and an engine of that name takes weights."""
    folded = _fold(task, name) if _may_fold(task) else None
    Z = None if folded is None else folded.run()
    if (info := task.options.info) is not None:
        info.folded = 0 if folded is None or Z is None else len(folded.pairs)
    return Z


def _fold(task: Task, name: str) -> _Folded | None:
    """The places of a task; None if they are too many, or if no engine takes them."""
    data, now = task.data, tuning.current
    assert isinstance(data, Points)
    share = now.folded_share
    if task.linkage.symmetric and (engine := _able(task, name)) is not None and engine.name == "points":
        share = now.folded_share_symmetric  # lists of equal points tell nothing
    found = few_places(data.X, share * data.n, task.threads)
    if found is None:
        return None
    order, starts = found
    sizes = np.diff(starts)
    place = np.empty(data.n, np.int32)
    place[order] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    pairs, clusters = _core.merge_copies(place, places=len(sizes))
    by_cluster = np.argsort(clusters)
    rows = order[starts[:-1]][by_cluster]
    weights = np.add.reduceat(_mass(task)[order], starts[:-1])[by_cluster]
    demands = Constraints(len(rows), weights=weights) if task.linkage.sized and (weights != 1).any() else None
    places = replace(task, data=replace(data, X=data.X[rows]), constraints=demands, folded=True)
    engine = _able(places, name)
    return None if engine is None and len(rows) > 1 else _Folded(places, engine, rows, pairs)


def _may_fold(task: Task) -> bool:
    """Whether equal rows of this task surely belong together, and nothing else knows how many there are."""
    data, options = task.data, task.options
    alone = data.n >= tuning.current.folded_points and not (task.remote or options.optimal_ordering)
    if not alone or not isinstance(data, Points) or type(data.X) is not np.ndarray:
        return False
    ours = isinstance(options.source, str) and options.t is None
    free = task.constraints is None or task.constraints.special == ("sample_weight",)
    fits = task.limit is None or _BYTES * data.n + data.nbytes <= task.limit
    return ours and free and fits and data.metric in _METRICS


def _mass(task: Task) -> Array:
    return np.ones(task.data.n) if task.constraints is None else task.constraints.mass


def _able(task: Task, name: str) -> Engine | None:
    """The engine for a task; None if all refuse it or need too much memory."""
    try:
        return choose(task, name) if task.data.n > 1 else None
    except (ValueError, MemoryError):
        return None
