"""What every engine offers, and the task that it is given.

An engine owns the order of merges: it finds the closest pair of clusters, again and again. It says whether it can run
a task and how much memory and time that takes, and runs it. `chamfer.engines.choose` takes the cheapest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from chamfer import tuning
from chamfer._types import FAST_METRICS, Array, Condensed, Points, SparseDistances
from chamfer.constraints import Constraints
from chamfer.distances.spread import Spread, spread
from chamfer.memory import available_memory, too_little
from chamfer.methods import Linkage, names
from chamfer.progress import Info, Progress

_APPROXIMABLE = names(lambda linkage: linkage.approximable)


class Options(NamedTuple):
    """Options of `chamfer.linkage`. An engine refuses those that it cannot honour."""

    n_neighbors: int = 15
    epsilon: float = 0.0
    t: int | None = None
    source: Any = "auto"
    checkpoint: str | None = None
    client: Any = None  # of Dask
    optimal_ordering: bool = False
    info: Info | None = None
    recall: float = 0.98  # of approximate neighbours


@dataclass(frozen=True)
class Task:
    """A tree to be made: by which linkage, of what, and how.

    Weights of points and what may merge are `constraints`. They are `special`: engines refuse them unless they are in
    `takes`.
    """

    linkage: Linkage
    data: Points | Condensed | SparseDistances
    options: Options
    threads: int
    progress: Progress
    limit: int | None = None  # bytes of memory
    constraints: Constraints | None = None  # None if there are none, and all points weigh the same
    folded: bool = False  # whether weights stand for rows, of which the numbers are not known
    remote: bool = field(init=False)  # whether the points are on a cluster, or go there
    special: tuple[str, ...] = field(init=False)  # options that only some engines can honour

    def __post_init__(self) -> None:
        options = self.options
        remote = options.client is not None or self.data.remote
        given = (
            ("t", options.t is not None),
            ("epsilon", options.epsilon > 0),
            ("source", not (isinstance(options.source, str) and options.source == "auto")),
            ("checkpoint", options.checkpoint is not None),
            ("points on a cluster", remote),
            ("sparse distances", isinstance(self.data, SparseDistances)),
            ("infinite distances", isinstance(self.data, Condensed) and self.data.infinite),
        )
        object.__setattr__(self, "remote", remote)
        demands = () if self.constraints is None else self.constraints.special
        object.__setattr__(self, "special", (*(name for name, is_given in given if is_given), *demands))

    @property
    def d(self) -> int:
        """Number of coordinates; 0 if there are only distances."""
        return int(self.data.X.shape[1]) if isinstance(self.data, Points) else 0

    @cached_property
    def coordinates(self) -> int:
        """As many as the costs of neighbour searches depend on: few, if the points are near a line or a surface."""
        now = tuning.current
        is_flat = self.d > now.flat_coordinates and self.spread.dimension <= now.tree_centres
        return now.tree_centres if is_flat else self.d

    @cached_property
    def spread(self) -> Spread:
        """How the points spread, if they are at hand and so many that it is worth a look."""
        if not self.fast or self.remote or self.data.n < tuning.current.spread_points:
            return Spread()
        assert isinstance(self.data, Points)
        return spread(self.data.X)

    @property
    def held(self) -> int:
        """Bytes of memory that the data take."""
        return 0 if isinstance(self.data, Points) and self.data.mapped else self.data.nbytes

    @property
    def allowed(self) -> int:
        """Bytes of memory that an engine may take.

        The data are in memory already: they count towards the user's limit, and not towards what is available.
        """
        return available_memory() if self.limit is None else self.limit - self.held

    @property
    def all_pairs(self) -> Points | Condensed:
        """The data, if they tell the distances of all pairs."""
        assert not isinstance(self.data, SparseDistances)
        return self.data

    @property
    def fast(self) -> bool:
        """Whether the core computes the distances."""
        return isinstance(self.data, Points) and self.data.in_core

    def __str__(self) -> str:
        what = f"metric {self.data.metric!r}" if isinstance(self.data, Points) else "distances"
        return f"method {self.linkage.name!r} with {what}"


class TiedNeighboursError(Exception):
    """Of equally near points some are neighbours by their numbers, which a folded task does not have."""


class Engine(ABC):
    """A way to find the closest pair of clusters."""

    name: ClassVar[str]
    space: ClassVar[str]  # memory beyond the data, for the documentation
    takes: ClassVar[tuple[str, ...]] = ()  # special options that it can honour
    asked_by: ClassVar[tuple[str, ...] | None] = None  # options without one of which "auto" leaves it out; None: never

    @abstractmethod
    def knows(self, linkage: Linkage) -> bool:
        """Whether this engine can do the linkage, with the right data."""

    @abstractmethod
    def memory(self, task: Task) -> int:
        """Bytes that `run` needs beyond the task itself, at most."""

    @abstractmethod
    def cost(self, task: Task) -> float:
        """Seconds, roughly: enough to compare engines."""

    @abstractmethod
    def run(self, task: Task) -> Array:
        """Z, with heights in the caller's unit; distances of the task may be overwritten."""

    def refuses(self, task: Task) -> str | None:
        """Why the task is not for this engine; None if it is."""
        for what in task.special:
            if what not in self.takes:
                able = sorted({repr(each.name) for each in Engine.__subclasses__() if what in each.takes})
                return f"engine must be {' or '.join(able)} for {what}, got {self.name!r}"
        if task.options.epsilon > 0 and not task.linkage.approximable:
            return f"epsilon must be 0 unless method is one of {_APPROXIMABLE}; got method {task.linkage.name!r}"
        return self._refuses(task)

    def _refuses(self, task: Task) -> str | None:
        """Why the linkage of such data is not for this engine."""
        if self.knows(task.linkage):
            return None
        return f"engine {self.name!r} takes one of {names(self.knows)}; got {task}"

    def advice(self, task: Task) -> str:
        """What to do if there is too little memory."""
        return "take fewer points"

    def too_little(self, task: Task, need: int, advice: str) -> MemoryError:
        """The error for a task that may take less than it needs."""
        held = 0 if task.limit is None else task.held
        return too_little(need + held, task.allowed + held, task.limit is not None, self.describe(task), advice)

    def describe(self, task: Task) -> str:
        """The task, for a message about memory."""
        return f"method {task.linkage.name!r} of {task.data.n} points with engine {self.name!r}"


def refuse_ordering(task: Task) -> str | None:
    """Why leaves cannot be ordered, if that is asked for."""
    kinds = ("sparse distances", "infinite distances")
    given = [name for name in task.special if name in kinds or task.constraints is not None]
    if not (task.options.optimal_ordering and given):
        return None
    return f"optimal_ordering must be False with {given[0]}; pass Z to chamfer.order_leaves"


def refuse_capped(task: Task) -> str | None:
    """Why the constraints do not go with caps, which are distances to neighbours, if they do not."""
    constraints = task.constraints
    if not task.linkage.capped or constraints is None:
        return None
    others = [name for name in constraints.special if name != "sample_weight"]
    if not others:
        return None
    if constraints.graph is not None and task.fast:
        return None
    return (
        f"method {task.linkage.name!r} with {others[0]} needs observations, one of the metrics "
        f"{', '.join(FAST_METRICS)}, and connectivity, for example chamfer.neighbors(X).graph(); or pass "
        "method='chamfer'"
    )


def refuse_light(task: Task) -> str | None:
    """For the capped linkage a point of weight w is w of the neighbours of others, and so at least one."""
    weights = None if task.constraints is None else task.constraints.weights
    if weights is None or not task.linkage.capped or weights.min() >= 1:
        return None
    i = int(np.argmin(weights))
    return (
        f"sample_weight must be at least 1 for method {task.linkage.name!r}, got {weights[i]} for point {i}; multiply "
        "the weights and n_neighbors by the same number"
    )


def search_seconds(task: Task) -> float:
    """Seconds to compute all distances once."""
    pairs = task.data.n * task.data.n / 2
    if not isinstance(task.data, Points):
        return 0.0
    now = tuning.current
    return pairs * (now.pair + task.d * now.coordinate if task.fast else now.slow_pair)


def kept_coordinates(task: Task) -> int:
    """Coordinates of each point that products may need: all, as a filter of few may be given up."""
    mapped = isinstance(task.data, Points) and task.data.mapped
    return min(task.d, 129) if mapped else task.d


def in_callers_unit(Z: Array, data: Points | Condensed | SparseDistances) -> Array:
    """Z with heights as the caller measures them."""
    if isinstance(data, Points):
        Z[:, 2] = np.ldexp(Z[:, 2], data.height_exponent)
    return Z
