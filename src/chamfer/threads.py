"""How many threads there are, and a ``map`` that uses them. Nobody else on this side knows about threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

from chamfer.inputs import is_integer


def available_threads() -> int:
    """The processors that this process may use, or fewer if OMP_NUM_THREADS says so, as for other libraries."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(int(wanted), _processors()) if wanted.isdigit() and int(wanted) > 0 else _processors()


@cache
def _processors() -> int:
    from joblib import cpu_count  # knows the limits of containers

    return int(cpu_count())


def check_threads(n_jobs: object) -> int:
    """Number of threads that `n_jobs` stands for."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    most = available_threads()
    if n_jobs is None:
        return most
    # A few threads for each processor do no harm; thousands would end the process.
    return min(int(n_jobs), 4 * _processors()) if n_jobs > 0 else max(1, most + 1 + int(n_jobs))


@contextmanager
def mapping(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Give a ``map`` that runs on this many threads."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        yield pool.map
