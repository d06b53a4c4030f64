"""SciPy's BLAS for the core, and how many threads it and we may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

from chamfer import _core


@lru_cache(maxsize=1)
def blas() -> Any:
    """Matrix multiplication from SciPy's BLAS."""
    from scipy.linalg import cython_blas

    capsules = cython_blas.__pyx_capi__
    return _core.Blas(capsules["sgemm"], capsules["dgemm"])


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """What sets the threads of BLAS; to look for the libraries takes milliseconds, so it is done once."""
    blas()
    return ThreadpoolController()


_lock = threading.Lock()
_limits: list[Any] = []  # one for each call that wants one BLAS thread; the first has set it, the last restores it


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread while the core's own threads multiply, also for calls that run side by side."""
    with _lock:
        _limits.append(None if _limits else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            # Whoever comes last restores; the handle waits in front until then.
            _limits.pop() if len(_limits) > 1 else _limits.pop().restore_original_limits()
