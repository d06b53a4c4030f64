"""The process that measures: it keeps the data, makes a call when it is asked to, and answers with its time.

Requests come as lines of JSON on standard input, answers go to standard output; `measure.Worker` is the other end.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import Array, Data, load
from benchmarks.libraries import LIBRARIES


def main(keep: bool) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    if keep:
        keep_memory()
    calls = Calls()
    print(json.dumps(describe()), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = calls.measure(**json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def describe() -> dict[str, Any]:
    """Import chamfer; say how long that takes after the libraries that it needs, and what there is to measure."""
    for needed in ("scipy.cluster.hierarchy", "scipy.spatial.distance", "sklearn.base"):
        import_module(needed)
    start = time.perf_counter()
    chamfer = import_module("chamfer")
    seconds = time.perf_counter() - start
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "import": seconds,
        "versions": {name: each.version for name, each in LIBRARIES.items()} | {"chamfer": chamfer.__version__},
        "threads": int(os.environ.get("OMP_NUM_THREADS") or threads or 1),
        "level": os.environ.get("CHAMFER_LEVEL", ""),
    }


class Calls:
    """Makes calls on data that is kept from one to the next."""

    def __init__(self) -> None:
        self._spec: tuple[Any, ...] = ()
        self._data: Data | None = None
        self._points: dict[str, Array] = {}
        self._warm: set[tuple[str, str, str]] = set()

    def measure(
        self,
        data: tuple[str, int, int, str | None],
        dtype: str,
        library: str,
        method: str,
        options: dict[str, Any],
        loops: int = 1,
        alone: bool = False,
        score: bool = False,
    ) -> dict[str, Any]:
        """Make a call, `loops` times; with `alone`, also measure the memory that it takes."""
        given, X = self._load(data, dtype)
        run = LIBRARIES[library].run
        if given.name != "tree" and (library, method, dtype) not in self._warm:
            self._warm.add((library, method, dtype))
            run(X[:45], None, method, {})  # imports, thread pools; points, or distances of ten
        if alone and library == "chamfer":
            options = {**options, "info": import_module("chamfer").Info()}
        before = _forget_peak() if alone else 0
        start = time.perf_counter()
        for _ in range(loops):
            result = run(X, given.y, method, options)
        seconds = (time.perf_counter() - start) / loops
        shape = (len(X) + 1, 0) if given.name == "tree" else X.shape if X.ndim == 2 else data[1:3]
        answer: dict[str, Any] = {"seconds": seconds, "data": given.name, "shape": shape, "digest": _digest(result)}
        if alone:
            answer["bytes"] = max(0, _memory("VmHWM") - before) or None
        answer["quality"] = quality(result, given, X, options) if score else {}
        return answer

    def _load(self, spec: tuple[str, int, int, str | None], dtype: str) -> tuple[Data, Array]:
        if self._data is None or tuple(spec) != self._spec:
            name, n, d, folder = spec
            self._points.clear()
            self._data, self._spec = load(name, n, d, Path(folder) if folder else None), tuple(spec)
        if dtype not in self._points:
            self._points[dtype] = np.ascontiguousarray(self._data.X, dtype=dtype)
        return self._data, self._points[dtype]


def quality(Z: Any, data: Data, X: Array, options: Mapping[str, Any]) -> dict[str, float]:
    """Describe a tree: its height, its scores if there are classes, and what its engine did."""
    import chamfer

    if not (isinstance(Z, np.ndarray) and Z.shape == (len(X) - 1, 4)):
        return {}
    found: dict[str, float] = {"height": chamfer.tree_height(Z)}
    if data.y is not None:
        k = len(np.unique(data.y))
        found["ari"] = float(chamfer.score_path(Z, data.y).ari[len(X) - k])
        found["best_ari"] = float(chamfer.best_cut(Z, data.y).score)
    if options.get("source"):
        found["recall"] = recall(X, options["source"])
    info = options.get("info")
    if info is not None and info.source:
        found |= {"searches": info.refreshes, "searched": info.refreshed, **info.seconds}
    return found


def recall(X: Array, source: str, k: int = 16) -> float:
    """Give the share that a source finds of the k nearest neighbours of some points."""
    from chamfer._types import Points
    from chamfer.sources.make import make_source

    some = np.random.default_rng(1).choice(len(X), min(1000, len(X)), replace=False).astype(np.int32)
    searched = make_source(source, Points(X, "euclidean"), k, 2)
    found = searched.nearest(some, np.arange(len(X), dtype=np.int32), k, 2)
    lengths = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    shares = []
    for point, row in zip(some, found.clusters, strict=True):
        squared = lengths - 2 * (X @ X[point])
        squared[point] = np.inf
        shares.append(np.isin(np.argpartition(squared, k)[:k], row).mean())
    return float(np.mean(shares))


def keep_memory() -> None:
    """Let freed memory stay with this process (with glibc; elsewhere nothing changes).

    Otherwise every call asks the system for its pages again, and a virtual machine may have given them back to its host
    in the meantime: large sizes then measure how fast the host hands out memory.
    """
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX in malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(trim_threshold, -1)
    mallopt(mmap_max, 0)


def _digest(result: Any) -> str:
    """Give a short text by which equal arrays are recognized."""
    return blake2b(result.tobytes(), digest_size=8).hexdigest() if isinstance(result, np.ndarray) else ""


def _forget_peak() -> int:
    """Let Linux count the peak of memory from now on; give what is held now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(field: str) -> int:
    """Bytes that Linux counts for this process; 0 elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


if __name__ == "__main__":
    try:
        main(keep=sys.argv[1:] == ["keep"])
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)
