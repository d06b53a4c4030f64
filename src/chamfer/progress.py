"""Progress bars, and the ticks by which compiled loops move them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
