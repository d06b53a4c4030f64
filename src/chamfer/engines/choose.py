"""Which engine a task is given to."""

from __future__ import annotations

from chamfer import tuning
from chamfer.engines.base import Engine, Task
from chamfer.engines.dense import DenseEngine
from chamfer.engines.graph import GraphEngine
from chamfer.engines.lists import ListsEngine
from chamfer.engines.points import PointsEngine
from chamfer.engines.tradeoff import TradeoffEngine

# Seconds, and times as long as the cheapest engine: what takes longer than both is not taken only because it fits.
_LONG, _MUCH_LONGER = 600.0, 100.0

ENGINES: tuple[Engine, ...] = (DenseEngine(), PointsEngine(), ListsEngine(), TradeoffEngine(), GraphEngine())
NAMES = ("auto", *dict.fromkeys(engine.name for engine in ENGINES))


def choose(task: Task, name: str = "auto") -> Engine:
    """The cheapest engine of that name that neither refuses the task nor needs too much memory."""
    special = set(task.special)
    if name == "auto":
        asked = [engine for engine in ENGINES if engine.asked_by is None or special.intersection(engine.asked_by)]
    else:
        asked = [engine for engine in ENGINES if engine.name == name]
    # `knows` is fast; to build the sentence of a refusal is not.
    able = [engine for engine in asked if engine.knows(task.linkage) and engine.refuses(task) is None]
    if not able:
        # The engine that takes most of the special options, and knows the linkage, has the sentence that helps most.
        closest = max(asked, key=lambda engine: (len(special.intersection(engine.takes)), engine.knows(task.linkage)))
        raise ValueError(closest.refuses(task))
    fitting = _fitting(able, task)
    return fitting[0] if len(fitting) == 1 else min(fitting, key=lambda engine: engine.cost(task))


def _fitting(able: list[Engine], task: Task) -> list[Engine]:
    """The engines for which there is memory; an error that says what to do if there are none."""
    needs = {engine: engine.memory(task) for engine in able}
    if task.limit is None and max(needs.values()) <= tuning.current.unchecked_bytes:
        return able
    allowed = task.allowed
    costs = {engine: engine.cost(task) for engine in able}
    longest = max(_LONG, _MUCH_LONGER * min(costs.values()))
    fitting = [engine for engine in able if needs[engine] <= allowed and costs[engine] <= longest]
    if not fitting:
        least = min((engine for engine in able if needs[engine] > allowed), key=lambda engine: needs[engine])
        raise least.too_little(task, needs[least], least.advice(task) + _smaller(least, needs[least], task))
    return fitting


def _smaller(engine: Engine, need: int, task: Task) -> str:
    """Another engine that needs less, if there is one that may be taken."""
    others = [each for each in ENGINES if each.asked_by is None and each.name != engine.name]
    smaller = [each for each in others if each.refuses(task) is None and each.memory(task) < need]
    if not smaller:
        return ""
    long = ", which takes much longer" if smaller[0].cost(task) > _MUCH_LONGER * engine.cost(task) else ""
    return f" or engine={smaller[0].name!r}{long}"
