"""What clustering on a cluster costs: measured on small data, predicted for large data.

``python benchmarks/cost.py measure cost.csv`` runs `chamfer.linkage` on mixtures of Gaussians, on a cluster of two
worker processes, and writes what each run did. ``python benchmarks/cost.py predict cost.csv`` fits the model below
to all sizes but the largest, compares it with the largest, and predicts
times and prices for more points and workers.

The model has two parts. *Counts* grow as powers of n: refreshes, points refreshed. *Seconds* are sums over work:

    first pass   (tasks · overhead + visits · cost of a visit + pairs · cost of a pair) / threads
    refreshes    refreshes · latency + (visits · cost of a visit + pairs · cost of a pair) / threads
    merges       n log₂ n · cost of a merge

A visit is that of one point to one block, times log₂ of the rows of the block; pairs are those of points. What goes
through one process, submitting tasks and sending labels, is a floor for the first two.
"""

from __future__ import annotations

import argparse
import csv
import math
import resource
import time
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

FIELDS = [
    "method",
    "coordinates",
    "points",
    "rows",
    "threads",
    "first",
    "refresh",
    "merge",
    "refreshes",
    "refreshed",
    "entries",
    "driver_bytes",
    "traffic",
]
# Points and rows of a block.
RUNS = (5_000, 2_500), (10_000, 2_500), (10_000, 10_000), (20_000, 5_000), (20_000, 10_000), (40_000, 10_000)
SUBMIT = 0.5e-3  # seconds in which the driver submits a task, and the scheduler places it
BANDWIDTH = 1e9  # bytes a second between driver and workers
GROUP = 1 << 28  # pairs of a task, as in chamfer.sources.dask
BATCH = 2048  # points of a refresh, at most, as in chamfer.engines.lists


def measure(output: Path, largest: int, coordinates: tuple[int, ...], methods: tuple[str, ...]) -> None:
    import dask.array as da
    from distributed import Client

    import chamfer
    from chamfer.sources import dask as distributed

    distributed._LEAST = 1  # blocks as small as they are

    def mixture(n: int, rows: int, d: int) -> da.Array:
        centres = np.random.default_rng(0).normal(size=(20, d)) * 4

        def make(block_id: tuple[int, ...]) -> np.ndarray:
            random = np.random.default_rng(block_id[0])
            return (centres[random.integers(0, 20, rows)] + random.normal(size=(rows, d))).astype(np.float32)

        return da.map_blocks(make, chunks=((rows,) * (n // rows), (d,)), dtype=np.float32, meta=np.empty((0, 0), "f"))

    def sent(client: Client) -> int:
        return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client, output.open("w") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        chamfer.linkage(mixture(5_000, 5_000, coordinates[0]), client=client)  # imports on the workers
        for method in methods:
            for d in coordinates:
                for n, rows in RUNS:
                    if n > largest:
                        continue
                    X, info = mixture(n, rows, d), chamfer.Info()
                    with chamfer.DaskSource(X, client=client) as source:
                        traffic, memory = sent(client), resident()
                        started = time.perf_counter()
                        chamfer.linkage(X, method, source=source, info=info)
                        print(
                            f"{method} {n:,} x {d} in blocks of {rows:,}: {time.perf_counter() - started:.1f} s",
                            flush=True,
                        )
                        traffic = sent(client) - traffic
                    writer.writerow(
                        {
                            "method": method,
                            "coordinates": d,
                            "points": n,
                            "rows": rows,
                            "threads": 2,
                            **{name: f"{seconds:.4f}" for name, seconds in info.seconds.items()},
                            "refreshes": info.refreshes,
                            "refreshed": info.refreshed,
                            "entries": info.entries,
                            "driver_bytes": max(0, resident() - memory),
                            "traffic": traffic,
                        }
                    )


def resident() -> int:
    """The most memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work(points: float, n: float, rows: float, coordinates: float) -> tuple[float, float]:
    """Visits and pairs of points that are compared with all of n, in blocks; a tree does without pairs."""
    return points * (n / rows) * math.log2(rows), points * n * (coordinates > 4)


def tasks(points: float, n: float, rows: float) -> float:
    """Visits of groups to blocks, and what else there is to submit for them."""
    groups = max(1, math.ceil(points * rows / GROUP))
    return (groups + 1) * (n / rows) + 3 * groups


class Model:
    """Fitted to runs of one method and number of coordinates."""

    def __init__(self, runs: list[dict[str, float]]) -> None:
        self.d = runs[0]["coordinates"]
        n = [run["points"] for run in runs]
        self.refreshes = power(n, [run["refreshes"] for run in runs])
        self.refreshed = power(n, [run["refreshed"] for run in runs])

        def fit(target: str, features) -> list[float]:
            return relative_fit(np.array([features(run) for run in runs]), np.array([run[target] for run in runs]))

        self.overhead, *self.first = fit(
            "first",
            lambda run: (
                tasks(run["points"], run["points"], run["rows"]) / run["threads"],
                *(each / run["threads"] for each in work(run["points"], run["points"], run["rows"], self.d)),
            ),
        )
        self.latency, *self.again = fit(
            "refresh",
            lambda run: (
                run["refreshes"],
                *(each / run["threads"] for each in work(run["refreshed"], run["points"], run["rows"], self.d)),
            ),
        )
        (self.merge,) = fit("merge", lambda run: (run["points"] * math.log2(run["points"]),))

    def seconds(self, n: float, rows: float, threads: int) -> dict[str, float]:
        """By phase, for n points in blocks of so many rows."""
        count = tasks(n, n, rows)
        first = max((count * self.overhead + np.dot(work(n, n, rows, self.d), self.first)) / threads, count * SUBMIT)
        refreshed = value(self.refreshed, n)
        refreshes = max(value(self.refreshes, n), refreshed / BATCH)
        driver = tasks(refreshed / max(refreshes, 1), n, rows) * SUBMIT + self.label_bytes(n) / BANDWIDTH
        refresh = refreshes * max(self.latency, driver)
        refresh += np.dot(work(refreshed, n, rows, self.d), self.again) / threads
        return {"first": first, "refresh": refresh, "merge": n * math.log2(n) * self.merge}

    @staticmethod
    def label_bytes(n: float) -> float:
        return 4 * n


def relative_fit(features: np.ndarray, target: np.ndarray) -> list[float]:
    """Coefficients of at least zero with the least relative errors."""
    target = np.maximum(target, 1e-6)
    scale = np.maximum((features / target[:, None]).max(axis=0), 1e-300)
    return (nnls(features / target[:, None] / scale, np.ones(len(target)))[0] / scale).tolist()


def power(n: list[float], counts: list[float]) -> tuple[float, float]:
    """Factor and exponent of a power of n; counts of nothing stay nothing."""
    if min(counts) <= 0 or len(set(n)) == 1:
        return max(counts), 0.0
    b, log_a = np.polyfit(np.log(n), np.log(counts), 1)
    return math.exp(log_a), float(b)


def value(fitted: tuple[float, float], n: float) -> float:
    return fitted[0] * n ** fitted[1]


def human(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"


def predict(source: Path, points: list[int], workers: int, rows: int, price: float) -> None:
    with source.open() as file:
        runs = [
            {name: text if name == "method" else float(text) for name, text in row.items()}
            for row in csv.DictReader(file)
        ]
    cases: dict[tuple[str, int], list[dict]] = {}
    for run in runs:
        cases.setdefault((run["method"], int(run["coordinates"])), []).append(run)
    print("| linkage | coordinates | ns a visit, first | again | ns a pair, first | again | ms a refresh |", end="")
    print(" ns n log₂ n | refreshes | refreshed |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for (method, d), found in cases.items():
        model = Model(found)
        laws = " | ".join(f"{a:.3g} n^{b:.2f}" for a, b in (model.refreshes, model.refreshed))
        costs = [each * 1e9 for pair in zip(model.first, model.again, strict=True) for each in pair]
        costs = " | ".join(f"{each:.2f}" for each in (*costs, model.latency * 1e3, model.merge * 1e9))
        print(f"| `{method}` | {d} | {costs} | {laws} |")
    print("\n| linkage | coordinates | points | measured first, refresh, merge | predicted from smaller runs |")
    print("|---|---|---|---|---|")
    for (method, d), found in cases.items():
        largest = max(found, key=lambda run: run["points"])
        smaller = [run for run in found if run["points"] < largest["points"]]
        phases = Model(smaller).seconds(largest["points"], largest["rows"], int(largest["threads"]))
        measured = ", ".join(f"{largest[phase]:.1f}" for phase in phases)
        print(
            f"| `{method}` | {d} | {largest['points']:,.0f} "
            f"| {measured}: {sum(largest[phase] for phase in phases):.1f} s "
            f"| {', '.join(f'{each:.1f}' for each in phases.values())}: {sum(phases.values()):.1f} s |"
        )
    print(f"\n{workers} workers of one core at {price} a core-hour, blocks of {rows:,} rows, float32:\n")
    print(
        "| linkage | coordinates | points | first pass | refreshes | merges | in all | price | driver | each worker |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    # A process that has had much memory seems to need no more later on, so the largest need of all runs counts.
    bytes_a_point = max(run["driver_bytes"] / run["points"] for run in runs)
    for (method, d), found in cases.items():
        model = Model(found)
        for n in points:
            phases = model.seconds(n, rows, workers)
            total = sum(phases.values())
            times = " | ".join(human(each) for each in (*phases.values(), total))
            money = (workers + 1) * total / 3600 * price
            worker = n / workers * (2 * 4 * d + 16)
            print(
                f"| `{method}` | {d} | {n:,} | {times} | {money:,.2f} | {n * bytes_a_point / 1e9:,.0f} GB "
                f"| {worker / 1e9:,.1f} GB |"
            )


def main() -> None:
    numbers = lambda text: tuple(int(each) for each in text.split(","))  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("file", type=Path)
    one.add_argument("--largest", type=int, default=40_000, help="most points")
    one.add_argument("--coordinates", type=numbers, default=(2, 16, 64))
    one.add_argument("--methods", type=lambda text: tuple(text.split(",")), default=("chamfer", "chamfer_capped"))
    two = commands.add_parser("predict")
    two.add_argument("file", type=Path)
    two.add_argument("--points", type=numbers, default=(10_000_000, 100_000_000))
    two.add_argument("--workers", type=int, default=16)
    two.add_argument("--rows", type=int, default=100_000, help="of a block")
    two.add_argument("--price", type=float, default=0.05, help="of a core for an hour")
    given = parser.parse_args()
    if given.command == "measure":
        measure(given.file, given.largest, given.coordinates, given.methods)
    else:
        predict(given.file, given.points, given.workers, given.rows, given.price)


if __name__ == "__main__":
    main()
