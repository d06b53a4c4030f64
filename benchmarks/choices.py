"""Whether `engine="auto"` takes the fastest engine: times of all engines on data of every kind.

    python -m benchmarks choices                        all cases, an hour
    python -m benchmarks choices --most 5000            up to so many points; --least from so many on
    python -m benchmarks choices --csv FILE             every time in a file

A line for each case and linkage: the engine that was chosen, how much longer it took than the fastest, all times.
Engines that are expected to take twenty times as long as the fastest are left out. Those chosen by mistake, more than
1.3 times as slow as another, are listed at the end; the exit code says whether there are any.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import chamfer
from chamfer._types import Array
from chamfer.engines.base import Options, Task
from chamfer.engines.choose import ENGINES, choose
from chamfer.inputs import check_input
from chamfer.methods import METHODS
from chamfer.progress import Progress
from chamfer.threads import available_threads

SLOWER = 1.3  # times the fastest: a mistake
HOPELESS = 20.0  # times the fastest, by the cost model: not run
SHORT, ROUNDS = 0.5, 20  # seconds: shorter runs are repeated, so many times at most


class Case(NamedTuple):
    """Points, and the metric between them."""

    data: str
    n: int
    d: int
    metric: str = "euclidean"


def _random(*key: int) -> np.random.Generator:
    return np.random.default_rng(key)


def _outlier(n: int, d: int) -> Array:
    X = _random(n, d).normal(size=(n, d))
    X[0] += 1e6
    return X


def _texts(n: int, d: int) -> Array:
    """Few words of many in each row, and some empty rows."""
    X = _random(n, d).poisson(3.0 / d, size=(n, d)).astype(float)
    X[:: max(2, n // 20)] = 0
    return X


def _duplicates(n: int, d: int) -> Array:
    X = _random(n, d).normal(size=(n, d))
    X[: 3 * n // 10] = X[_random(d).integers(max(1, n // 50), size=3 * n // 10)]
    return X


DATA: dict[str, Callable[[int, int], Array]] = {
    "Gaussian": lambda n, d: _random(n, d).normal(size=(n, d)),
    "blobs": lambda n, d: (
        4 * _random(d).normal(size=(20, d))[_random(n).integers(20, size=n)] + _random(n, d).normal(size=(n, d))
    ),
    "line": lambda n, d: _random(n).random((n, 1)) * np.ones(d) + 1e-3 * _random(n, d).normal(size=(n, d)),
    "shell": lambda n, d: (lambda X: X / np.linalg.norm(X, axis=1, keepdims=True))(_random(n, d).normal(size=(n, d))),
    "uniform": lambda n, d: _random(n, d).random((n, d)),
    "heavy tails": lambda n, d: _random(n, d).standard_t(2, size=(n, d)),
    "integers": lambda n, d: _random(n, d).integers(0, 8, size=(n, d)).astype(float),
    "duplicates": _duplicates,
    "outlier": _outlier,
    "texts": _texts,
}
SIZES = ((100, 2), (100, 100), (1_000, 2), (1_000, 30), (1_000, 1_000), (5_000, 2), (5_000, 8), (5_000, 200))
LARGE = ((20_000, 2), (20_000, 8), (20_000, 100), (50_000, 2), (50_000, 30))


def cases(least: int, most: int) -> list[Case]:
    """Every kind of data at small sizes; the common kinds at large ones."""
    found = [Case(data, n, d) for data in DATA if data != "texts" for n, d in SIZES]
    found += [Case("texts", n, d, "cosine") for n, d in ((100, 300), (1_000, 300), (5_000, 1_000))]
    found += [Case(data, n, d) for data in ("Gaussian", "blobs", "duplicates") for n, d in LARGE]
    return [case for case in found if least <= case.n <= most]


def main(argv: Sequence[str]) -> int:
    """Measure; give 1 if a choice was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks choices", description=__doc__.splitlines()[0])
    parser.add_argument("--least", type=int, default=0, metavar="N", help="points of a case, at least")
    parser.add_argument("--most", type=int, default=50_000, metavar="N", help="points of a case, at most")
    parser.add_argument("--data", choices=list(DATA), action="append", help="only this kind of data")
    parser.add_argument("--methods", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every time here")
    options = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    wrong: list[str] = []
    for case in cases(options.least, options.most):
        if options.data and case.data not in options.data:
            continue
        X = DATA[case.data](case.n, case.d)
        for method in options.methods:
            known = METHODS[method].metrics
            if known and case.metric not in known:
                continue
            chosen, times = _measure(X, method, case.metric)
            best = min(times.values())
            ratio = times[chosen] / best
            line = f"{case.data} {case.n:,} x {case.d} {method}: {chosen} {ratio:.2f}   " + ", ".join(
                f"{name} {seconds:.4g} s" for name, seconds in times.items()
            )
            print(line, flush=True)
            if ratio > SLOWER:
                wrong.append(line)
            rows += [
                {
                    **case._asdict(),
                    "method": method,
                    "engine": name,
                    "seconds": f"{seconds:.4g}",
                    "auto": name == chosen,
                }
                for name, seconds in times.items()
            ]
            if options.csv:
                _write(options.csv, rows)
    print(
        f"\n{len(wrong)} choices of {len({(*r.values(),)[:5] for r in rows})} are slower than {SLOWER} times the best"
    )
    print("\n".join(wrong))
    return int(bool(wrong))


def _measure(X: Array, method: str, metric: str) -> tuple[str, dict[str, float]]:
    """The engine that auto takes, and the seconds of each that may be worth it, the best of some rounds.

    The time of the chosen engine is that of auto itself. All engines take turns.
    """
    task = Task(METHODS[method], check_input(X, metric), Options(), available_threads(), Progress(False))
    chosen = choose(task).name
    able = [
        each for each in ENGINES if each.asked_by is None and each.knows(task.linkage) and each.refuses(task) is None
    ]
    times: dict[str, list[float]] = {}
    for engine in sorted(able, key=lambda each: (each.name != chosen, each.cost(task))):
        if times and engine.cost(task) > HOPELESS * min(map(min, times.values())):
            continue
        with suppress(MemoryError):
            times[engine.name] = [_seconds(X, method, metric, "auto" if engine.name == chosen else engine.name)]
    while len(times) > 1 and min(map(sum, times.values())) < SHORT and len(times[chosen]) < ROUNDS:
        for name, runs in times.items():
            runs.append(_seconds(X, method, metric, "auto" if name == chosen else name))
    return chosen, {name: min(runs) for name, runs in times.items()}


def _seconds(X: Array, method: str, metric: str, engine: str) -> float:
    options: dict[str, Any] = {} if engine == "auto" else {"engine": engine}
    start = time.perf_counter()
    chamfer.linkage(X, method, metric, **options)
    return time.perf_counter() - start


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
