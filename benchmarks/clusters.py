"""What clustering on a Dask cluster takes: the runs to which `predict` fits its model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import chamfer
from benchmarks.data import Array
from benchmarks.rows import Row, join

# Points, and rows of a block.
RUNS = (8_192, 4_096), (16_384, 4_096), (16_384, 8_192), (24_576, 8_192), (40_960, 8_192)
WORKERS = 2


def measure(folder: Path | None, quick: bool) -> Iterator[Row]:
    """Cluster mixtures of Gaussians on a cluster of two worker processes."""
    from distributed import Client

    with Client(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as client:
        chamfer.linkage(_mixture(4_096, 4_096, 2), client=client)  # imports on the workers
        for method in ("chamfer", "chamfer_capped"):
            for d in (2,) if quick else (2, 16, 64):
                for n, rows in RUNS[:1] if quick else RUNS:
                    yield _run(client, method, n, rows, d)


def _run(client: Any, method: str, n: int, rows: int, d: int) -> Row:
    X, info = _mixture(n, rows, d), chamfer.Info()
    with chamfer.DaskSource(X, client=client) as source:
        traffic, memory, start = _sent(client), _resident(), time.perf_counter()
        chamfer.linkage(X, method, source=source, info=info)
        seconds = time.perf_counter() - start
        found = {"refreshes": info.refreshes, "refreshed": info.refreshed, "entries": info.entries, **info.seconds}
        found["traffic"] = _sent(client) - traffic
    return Row(
        "clusters",
        "chamfer",
        chamfer.__version__,
        method,
        join({"rows": rows}),
        "gaussians",
        n,
        d,
        "float32",
        WORKERS,
        seconds=seconds,
        median=seconds,
        runs=1,
        bytes=max(0, _resident() - memory),
        quality=join(found),
    )


def _mixture(n: int, rows: int, d: int) -> Any:
    import dask.array as da

    centres = np.random.default_rng(0).normal(size=(20, d)) * 4

    def make(block_id: tuple[int, ...]) -> Array:
        random = np.random.default_rng(block_id[0])
        points = centres[random.integers(0, 20, rows)] + random.normal(size=(rows, d))
        return points.astype(np.float32)

    return da.map_blocks(make, chunks=((rows,) * (n // rows), (d,)), dtype=np.float32, meta=np.empty((0, 0), "f"))


def _sent(client: Any) -> int:
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def _resident() -> int:
    """Give the most memory that this process has had."""
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
