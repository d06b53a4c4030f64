"""Progress bars, the ticks by which compiled loops move them, and `Info`, what a run did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Tick = Callable[[int], None]


class Progress:
    """Shows a bar for each stage of a run if `shown`; otherwise does nothing."""

    def __init__(self, shown: bool) -> None:
        self.shown = shown

    @contextmanager
    def stage(self, name: str, total: int, unit: str) -> Iterator[Tick | None]:
        """Give a tick to call with the work done so far, out of `total`."""
        if not self.shown:
            yield None
            return
        from tqdm.auto import tqdm

        with tqdm(total=total, desc=name, unit=unit, unit_scale=True, leave=True) as bar:

            def tick(done: int) -> None:
                bar.update(done - bar.n)

            yield tick
            tick(total)


@dataclass
class Info:
    """What a run did. All but `trees` and `folded` is about the lists engine.

    Attributes
    ----------
    trees : int
        How many trees there are: more than one if constraints, or absent or infinite distances, leave a forest.
    source : str
        Name of the source.
    refreshes, refreshed : int
        How often lists were refreshed, and of how many points in all.
    seconds : dict of str to float
        Time by phase: first lists, refreshes, merges.
    entries : int
        Most list entries asked for at once, first lists included.
    recall : float or None
        With ``source="ann"``: the share of nearest neighbours that was found, measured on a sample.
    folded : int
        Rows that equal another one and were clustered with it, as one point that weighs more.

    Examples
    --------
    >>> import chamfer
    >>> info = chamfer.Info()
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]], engine="lists", info=info)
    >>> info.source, info.refreshed
    ('TreeSource', 0)
    """

    trees: int = 1
    source: str = ""
    refreshes: int = 0
    refreshed: int = 0
    entries: int = 0
    recall: float | None = None
    folded: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"first": 0.0, "refresh": 0.0, "merge": 0.0})
