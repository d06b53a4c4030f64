"""Which cells there are, and running those that are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chamfer.datasets import PAPER, Dataset, DatasetUnavailableError, load
from paper import cells, peers, printed
from paper.cells import Data
from paper.differences import UNEXPLAINED, compare_tree
from paper.store import Cell, Results

METRICS = ("sqeuclidean", "euclidean")
# Order and cuts by merge order do not change if all distances are squared, so one tree serves for both.
SAME_FOR_BOTH = ("single", "complete", "ward", "centroid", printed.APPROXIMATE)
LINKAGES = (*printed.METHODS, "chamfer_capped", printed.APPROXIMATE)
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
    for method in (each for each in printed.METHODS if each in plan.methods):
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


def _prepare(dataset: Dataset, dtype: str) -> NDArray[Any]:
    if dtype == "auto":
        dtype = "float64" if len(dataset.X) <= _SINGLE_PRECISION_FROM else "float32"
    return np.ascontiguousarray(dataset.X, dtype=dtype)


@cache
def environment() -> dict[str, str]:
    """Describe the machine and the software, as far as times depend on them."""
    command = [sys.executable, "-m", "chamfer", "info", "--json"]
    facts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {name: facts[name] for name in ("processor", "threads", "python", "numpy", "chamfer")}
