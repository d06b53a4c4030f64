"""Blocks of rows with the workers of a Dask cluster, and how tasks on them are sent."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from chamfer._types import Array
from chamfer.sources.workers import pick

T = TypeVar("T")


class Blocks:
    """Futures of blocks; block i has the rows ``starts[i]`` to ``starts[i + 1] - 1``."""

    def __init__(self, client: Any, starts: Array) -> None:
        self._client, self.starts = client, starts
        self.futures: list[Any] = []

    def with_futures(self, futures: list[Any]) -> Blocks:
        """Other blocks of the same rows."""
        blocks = Blocks(self._client, self.starts)
        blocks.futures = futures
        return blocks

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Of each block, the number of its first row and of the one after its last."""
        return pairwise(self.starts.tolist())

    def threads(self) -> int:
        """How many tasks run at a time."""
        return int(max(1, sum(self._client.nthreads().values())))

    def submit(self, function: Any, *arguments: Any) -> Any:
        """A future of a call by a worker. What goes with it is kept by the scheduler, and survives the worker."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self._client.submit(function, *arguments, pure=False)

    def by_block(self, rows: Array) -> Iterator[tuple[Any, Array]]:
        """The blocks of some rows, in ascending order, and which of their own rows these are."""
        ends = np.searchsorted(rows, self.starts)
        for block, start, (first, last) in zip(self.futures, self.starts[:-1], pairwise(ends), strict=True):
            if first < last:
                yield block, rows[first:last] - start

    def picked(self, rows: Array) -> list[Any]:
        """Futures of some rows, in ascending order, block by block."""
        return [self.submit(pick, block, here) for block, here in self.by_block(rows)]

    def results(self, asks: Iterable[tuple[Any, T]]) -> Generator[tuple[Any, T], None, None]:
        """What futures give, each with what came with it, in their order.

        Few are under way at a time, so that neither scheduler nor workers hold much. Those left at the end, when the
        iterator is closed before, are cancelled.
        """
        waiting: deque[tuple[Any, T]] = deque()
        ahead = 2 * self.threads()
        try:
            for ask in asks:
                waiting.append(ask)
                if len(waiting) > ahead:
                    yield waiting[0][0].result(), waiting[0][1]
                    waiting.popleft()
            while waiting:
                yield waiting[0][0].result(), waiting[0][1]
                waiting.popleft()
        finally:
            if waiting:
                self._client.cancel([future for future, _ in waiting])
