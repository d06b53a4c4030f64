"""What clustering on a cluster costs: predicted for large data from runs on small data.

The model has two parts. *Counts* grow as powers of n: refreshes, points refreshed. *Seconds* are sums over work:

    first pass   (tasks · overhead + visits · cost of a visit + pairs · cost of a pair) / threads
    refreshes    refreshes · latency + (visits · cost of a visit + pairs · cost of a pair) / threads
    merges       n log₂ n · cost of a merge

A visit is that of one point to one block, times log₂ of the rows of the block; pairs are pairs of points. Tasks are
submitted and labels sent by one process, which is a lower bound for the first two.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from benchmarks.data import Array
from benchmarks.rows import Row, read
from benchmarks.tables import table

SUBMIT = 0.5e-3  # seconds in which the driver submits a task, and the scheduler places it
BANDWIDTH = 1e9  # bytes a second between driver and workers
GROUP = 1 << 28  # pairs of a task, as in chamfer's source for Dask
BATCH = 2048  # points of a refresh, at most, as in chamfer's lists engine
# Bytes a point that the driver needs: the peak of 1,000,000 (200,000 for chamfer) points in the plane in float32 by the
# lists engine, and a fifth more. Small runs say more, for what a process needs anyway.
DRIVER = {"chamfer": 870, "chamfer_capped": 570}
PHASES = ("first", "refresh", "merge")
Run = dict[str, float]
Cases = dict[tuple[str, int], list[Run]]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the model, how well it predicts the largest runs, and its predictions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks predict", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="written by: python -m benchmarks clusters --csv FILE")
    parser.add_argument("--points", type=int, nargs="+", default=[10_000_000, 100_000_000])
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--rows", type=int, default=100_000, help="of a block")
    parser.add_argument("--price", type=float, default=0.05, help="of a core for an hour")
    options = parser.parse_args(argv)
    cases: Cases = {}
    for row in (each for each in read(options.file) if each.case == "clusters"):
        cases.setdefault((row.method, row.d or 0), []).append(_run(row))
    print(_costs(cases), _check(cases), sep="\n\n", end="\n\n")
    print(f"{options.workers} workers of one core at {options.price} a core-hour, blocks of {options.rows:,} rows:\n")
    print(_predictions(cases, options))
    return 0


class Model:
    """Fitted to runs of one method and number of coordinates."""

    def __init__(self, runs: list[Run]) -> None:
        self.d = runs[0]["d"]
        n = [run["n"] for run in runs]
        self.refreshes = _power(n, [run["refreshes"] for run in runs])
        self.refreshed = _power(n, [run["refreshed"] for run in runs])
        self.overhead, *self.first = _fit(
            runs,
            "first",
            lambda run: (
                _tasks(run["n"], run["n"], run["rows"]) / run["threads"],
                *(each / run["threads"] for each in _work(run["n"], run["n"], run["rows"], self.d)),
            ),
        )
        self.latency, *self.again = _fit(
            runs,
            "refresh",
            lambda run: (
                run["refreshes"],
                *(each / run["threads"] for each in _work(run["refreshed"], run["n"], run["rows"], self.d)),
            ),
        )
        (self.merge,) = _fit(runs, "merge", lambda run: (run["n"] * math.log2(run["n"]),))

    def seconds(self, n: float, rows: float, threads: float) -> list[float]:
        """Give seconds by phase, for n points in blocks of so many rows."""
        count = _tasks(n, n, rows)
        first = max((count * self.overhead + np.dot(_work(n, n, rows, self.d), self.first)) / threads, count * SUBMIT)
        refreshed = _value(self.refreshed, n)
        refreshes = max(_value(self.refreshes, n), refreshed / BATCH)
        labels = 4 * n / BANDWIDTH
        driver = _tasks(refreshed / max(refreshes, 1), n, rows) * SUBMIT + labels
        refresh = refreshes * max(self.latency, driver)
        refresh += np.dot(_work(refreshed, n, rows, self.d), self.again) / threads
        return [first, refresh, n * math.log2(n) * self.merge]


def _run(row: Row) -> Run:
    scores = ("first", "refresh", "merge", "refreshes", "refreshed")
    found = {"n": row.n, "d": row.d, "threads": row.threads, "rows": row.option("rows"), "bytes": row.bytes}
    return {name: float(value or 0) for name, value in (found | {name: row.score(name) for name in scores}).items()}


def _work(points: float, n: float, rows: float, d: float) -> tuple[float, float]:
    """Give visits and pairs of points that are compared with all of n, in blocks; a tree needs no pairs."""
    return points * (n / rows) * math.log2(rows), points * n * (d > 4)


def _tasks(points: float, n: float, rows: float) -> float:
    """Count visits of groups to blocks, and what else there is to submit for them."""
    groups = max(1, math.ceil(points * rows / GROUP))
    return (groups + 1) * (n / rows) + 3 * groups


def _fit(runs: list[Run], target: str, features: Callable[[Run], tuple[float, ...]]) -> list[float]:
    """Give the coefficients of at least zero that have the least relative errors."""
    values, wanted = np.array([features(run) for run in runs]), np.maximum([run[target] for run in runs], 1e-6)
    relative: Array = values / wanted[:, None]
    scale = np.maximum(relative.max(axis=0), 1e-300)
    found: list[float] = (nnls(relative / scale, np.ones(len(runs)))[0] / scale).tolist()
    return found


def _power(n: list[float], counts: list[float]) -> tuple[float, float]:
    """Give factor and exponent of a power of n; counts of nothing stay nothing."""
    if min(counts) <= 0 or len(set(n)) == 1:
        return max(counts), 0.0
    exponent, logarithm = np.polyfit(np.log(n), np.log(counts), 1)
    return math.exp(logarithm), float(exponent)


def _value(fitted: tuple[float, float], n: float) -> float:
    return float(fitted[0] * n ** fitted[1])


def _costs(cases: Cases) -> str:
    head = ["linkage", "coordinates", "ns a visit, first", "again", "ns a pair, first", "again", "ms a refresh"]
    rows = []
    for (method, d), runs in cases.items():
        model = Model(runs)
        costs = [each * 1e9 for pair in zip(model.first, model.again, strict=True) for each in pair]
        laws = [f"{factor:.3g} n^{exponent:.2f}" for factor, exponent in (model.refreshes, model.refreshed)]
        numbers = [f"{each:.2f}" for each in (*costs, model.latency * 1e3, model.merge * 1e9)]
        rows.append([f"`{method}`", str(d), *numbers, *laws])
    return table([*head, "ns n log₂ n", "refreshes", "refreshed"], rows)


def _check(cases: Cases) -> str:
    """Compare the largest run of each case with what smaller ones predict."""
    rows = []
    for (method, d), runs in cases.items():
        largest = max(runs, key=lambda run: run["n"])
        smaller = [run for run in runs if run["n"] < largest["n"]] or runs
        measured = [largest[phase] for phase in PHASES]
        predicted = Model(smaller).seconds(largest["n"], largest["rows"], largest["threads"])
        texts = [f"{', '.join(f'{s:.1f}' for s in each)}: {sum(each):.1f} s" for each in (measured, predicted)]
        rows.append([f"`{method}`", str(d), f"{largest['n']:,.0f}", *texts])
    head = ["linkage", "coordinates", "points", "measured first, refresh, merge", "predicted from smaller runs"]
    return table(head, rows)


def _predictions(cases: Cases, options: argparse.Namespace) -> str:
    rows = []
    for (method, d), runs in cases.items():
        model = Model(runs)
        for n in options.points:
            phases = model.seconds(n, options.rows, options.workers)
            price = (options.workers + 1) * sum(phases) / 3600 * options.price
            memory = [n * DRIVER[method] / 1e9, n / options.workers * (2 * 4 * d + 16) / 1e9]
            times = [_human(each) for each in (*phases, sum(phases))]
            rows.append(
                [f"`{method}`", str(d), f"{n:,}", *times, f"{price:,.2f}", *(f"{each:,.1f} GB" for each in memory)]
            )
    head = ["linkage", "coordinates", "points", "first pass", "refreshes", "merges", "in all", "price", "driver"]
    return table([*head, "each worker"], rows)


def _human(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"
