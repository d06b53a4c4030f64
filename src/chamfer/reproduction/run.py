"""Which cells there are, and running those that are missing."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import chamfer
from chamfer._types import Array
from chamfer.datasets import PAPER, Dataset, DatasetUnavailableError, load
from chamfer.reproduction import cells, paper, peers
from chamfer.reproduction.cells import Data
from chamfer.reproduction.differences import UNEXPLAINED, compare_tree
from chamfer.reproduction.store import Cell, Results

METRICS = ("sqeuclidean", "euclidean")
# Order and cuts by merge order do not change if all distances are squared, so one tree serves for both.
SAME_FOR_BOTH = ("single", "complete", "ward", "centroid", paper.APPROXIMATE)
LINKAGES = (*paper.METHODS, "chamfer_capped", paper.APPROXIMATE)
_SINGLE_PRECISION_FROM = 20_000  # points: beyond, half the memory counts for more than the last digits
_TIES_UP_TO = 2_500  # points: fifty trees more for a cell are soon made


@dataclass(frozen=True)
class Plan:
    """What a run shall cover."""

    datasets: tuple[str, ...] = tuple(PAPER)
    methods: tuple[str, ...] = LINKAGES
    directory: Path | None = None
    download: bool = False
    dtype: str = "auto"
    peer_points: int = 10_000
    progress: bool = True


def run(plan: Plan, results: Results) -> None:
    """Run all cells that `results` does not have yet."""
    results.environment = environment()
    for name in plan.datasets:
        try:
            data = load(name, plan.directory, download=plan.download)
        except DatasetUnavailableError as error:
            results.missing[name] = str(error)
            results.save()
            continue
        _run_dataset(plan, results, data)


def _run_dataset(plan: Plan, results: Results, dataset: Dataset) -> None:
    from tqdm.auto import tqdm

    data = Data(_prepare(dataset, plan.dtype), dataset.y)
    results.describe(dataset, data.X)
    todo = [(key, measure) for key, measure in _cells(plan, dataset.name, data) if not results.finished(key)]
    with tqdm(total=len(todo), unit="cell", disable=not plan.progress) as bar:
        for key, measure in todo:
            bar.set_description(key.replace("/", " "))
            results.put(key, cells.guarded(measure))
            bar.update()
    for method in (each for each in paper.METHODS if each in plan.methods):
        key = f"{dataset.name}/ties/{method}"
        unexplained = any(each.reason == UNEXPLAINED for each in compare_tree(results, dataset.name, method))
        if unexplained and len(data.X) <= _TIES_UP_TO and not results.finished(key):
            results.put(key, cells.guarded(partial(cells.ties, data, method, "sqeuclidean")))
    results.save()


def _cells(plan: Plan, name: str, data: Data) -> Iterator[tuple[str, Callable[[], Cell]]]:
    watched = plan.progress and len(data.X) > _SINGLE_PRECISION_FROM
    for metric in METRICS:
        for method in plan.methods:
            if metric == "sqeuclidean" or method not in SAME_FOR_BOTH:
                yield f"{name}/tree/{method}/{metric}", partial(cells.tree, data, method, metric, watched)
    for clustering, (_, most) in peers.CLUSTERINGS.items():
        if len(data.X) <= most:
            yield f"{name}/clustering/{clustering}", partial(cells.clustering, data, clustering)
    for library, methods in peers.LIBRARIES.items():
        if len(data.X) <= plan.peer_points and peers.installed(library):
            for method in methods:
                if method in plan.methods:
                    yield f"{name}/time/{library}/{method}", partial(cells.peer_time, data, library, method)


def _prepare(dataset: Dataset, dtype: str) -> Array:
    if dtype == "auto":
        dtype = "float64" if len(dataset.X) <= _SINGLE_PRECISION_FROM else "float32"
    return np.ascontiguousarray(dataset.X, dtype=dtype)


def environment() -> dict[str, str]:
    """Describe the machine and the software, as far as times depend on them."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {
        "processor": processor,
        "processors": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "chamfer": chamfer.__version__,
        "numpy": np.__version__,
    }


def check_methods(methods: Sequence[str]) -> tuple[str, ...]:
    """Give `methods` if all of them take part here."""
    for method in methods:
        if method not in LINKAGES:
            raise ValueError(f"methods must be of {', '.join(LINKAGES)}, got {method!r}")
    return tuple(methods)
