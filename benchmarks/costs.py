"""The measured numbers of `chamfer.tuning`, measured again.

    python -m benchmarks costs engines       seconds of the engines, beside those in use
    python -m benchmarks costs first_list    a number at other values: seconds, best of three
    python -m benchmarks costs --list        numbers that can be measured

Data are random, so that no files are needed. The numbers in use were settled on these and on images of digits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import chamfer
from chamfer import tuning
from chamfer._types import Array, Points
from chamfer.distances import pairwise
from chamfer.inputs import check_input
from chamfer.memory import available_memory

NOW = tuning.current
ALL = 1 << 62


class Call(NamedTuple):
    """A call of `linkage`.

    Data are of `rank` dimensions and noise in the others if it is given, with `copies` of each row; Gaussian or of
    another `kind`.
    """

    method: str
    n: int
    d: int
    rank: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012
    copies: int = 1
    kind: str = ""

    def __str__(self) -> str:
        more = f" in {self.copies} copies" if self.copies > 1 else ""
        more += f" {self.kind}" if self.kind else ""
        more += "".join(f" {name}={value}" for name, value in self.options.items())
        return f"{self.method} {self.n} x {self.d}" + (f" of rank {self.rank}" if self.rank else "") + more


LISTS = [
    Call("chamfer", 10_000, 100, 8, {"engine": "lists"}),
    Call("chamfer_normalized", 10_000, 30, 0, {"engine": "lists"}),
    Call("chamfer", 30_000, 2, 0, {"engine": "lists"}),
]
SINGLE = [Call("single", n, d, 0, {"engine": "points"}) for d in (4, 24, 100) for n in (1_000, 5_000, 12_000)]
CENTRES = [Call("ward", n, d, 0, {"engine": "points"}) for d in (4, 24, 100) for n in (1_000, 10_000, 40_000)]
CLOSER = [Call("centroid", n, d, 0, {"engine": "points"}) for d in (24, 200) for n in (1_000, 5_000)]
TREES = [Call("chamfer", 30_000, d, rank, {"engine": "lists"}) for d, rank in ((3, 0), (6, 0), (50, 3), (50, 20))]
INDEX = [Call("chamfer_capped", 20_000, 50, 10, {"source": "ann"})]
FOLDED = [
    Call(method, n, 3, copies=copies)
    for method in ("chamfer", "ward", "chamfer_symmetric")
    for n, copies in ((800, 2), (1_900, 2), (1_900, 8))
]
FLAT = [
    Call(method, n, d, 1) for method in ("single", "ward", "chamfer_normalized") for n, d in ((2_000, 30), (5_000, 200))
]
SYMMETRIC = [Call("chamfer_symmetric", n, d, 0, {"engine": "points"}) for d in (2, 8, 16) for n in (5_000, 20_000)]
SPREAD = [Call("chamfer", 20_000, 16, 0, {"client": True})]
SPREAD_GRAPH = [Call("chamfer_capped", 20_000, 16, 0, {"client": True, "source": "ann"})]
Steps = tuple[tuple[int, float], ...]
ALWAYS, NEVER = ((ALL, ALL),), ((ALL, 0),)


def around(name: str, factor: float = 4) -> tuple[Any, ...]:
    """The number in use, and others on both sides."""
    now = getattr(NOW, name)
    return tuple(type(now)(each) for each in (now / factor, now, now * factor))


SWEEPS: dict[str, tuple[tuple[Any, ...], list[Call]]] = {
    **{name: (around(name, 2), LISTS) for name in ("first_list", "next_list", "batch")},
    **{name: (around(name), LISTS) for name in ("near_part", "near_pairs", "sorted_points")},
    "folded_points": (around("folded_points", 2), FOLDED),
    "folded_share_symmetric": (
        (0.05, NOW.folded_share_symmetric),
        [Call("chamfer_symmetric", 20_000, 3, copies=copies) for copies in (1, 2)],
    ),
    "folded_share": ((0.05, NOW.folded_share, 0.95), FOLDED),
    **{name: (around(name), FLAT) for name in ("flat_coordinates", "spread_points")},
    "grouped_crowd": (around("grouped_crowd", 2), [Call("single", 5_000, 200, kind=each) for each in ("", "groups")]),
    "even_points": (
        around("even_points", 1.2),
        [Call("chamfer_normalized_symmetric", 5_000, 8, kind=each) for each in ("", "uniform")],
    ),
    "uneven_points": (
        around("uneven_points", 1.2),
        [Call("chamfer_normalized", 5_000, 8, kind=each) for each in ("", "heavy tails")],
    ),
    "centre_list": (around("centre_list", 2), CENTRES[3:]),
    "few_single": (around("few_single"), [Call("single", n, d) for n in (600, 1_000) for d in (30, 100)]),
    "few_points": ((NEVER, NOW.few_points, ALWAYS), SINGLE),
    "few_rounds": ((NEVER, NOW.few_rounds, ALWAYS), CENTRES),
    "few_closer": ((NEVER, NOW.few_closer, ALWAYS), CLOSER),
    "symmetric_list": ((((ALL, 16),), ((ALL, 32),), ((ALL, 64),)), SYMMETRIC),
    **{name: (around(name), SYMMETRIC) for name in ("last_size", "last_clusters", "last_distances", "last_least")},
    "tree_coordinates": ((4, 8, 12), TREES),
    "tree_centres": ((2, 4, 8), [Call("ward", 30_000, d, 0, {"engine": "points"}) for d in (3, 6)]),
    "tree_list": (around("tree_list", 2), [Call("single", 30_000, d, 0, {"engine": "points"}) for d in (2, 5)]),
    **{name: (around(name), TREES) for name in ("tree_points", "tree_share", "tree_gain", "tree_near")},
    **{name: (around(name), LISTS[:2]) for name in ("unfiltered", "sample", "queries")},
    **{name: (around(name), LISTS[:2]) for name in ("filter_pair", "filter_coordinate", "filter_close")},
    "varying": ((0.5, NOW.varying, 1.0), [Call("average", 5_000, 400, 8)]),
    **{
        name: (around(name), INDEX)
        for name in ("sampled_points", "sampled_members", "sampled_least", "sampled_all", "sampled_queries")
    },
    **{
        name: (around(name, 2), INDEX)
        for name in ("graph_exact", "graph_sample", "graph_leaf", "graph_fanout", "graph_found")
    },
    "graph_leaders": (around("graph_leaders"), INDEX),
    "graph_batch": (around("graph_batch"), SPREAD_GRAPH),
    **{name: (around(name), SPREAD) for name in ("block_rows", "group_pairs")},
}


def data(call: Call) -> Array:
    """Random points in float32, of a lower rank with noise if that is asked for."""
    random = np.random.default_rng(0)
    size = call.n, call.d
    X = random.normal(size=size)
    if call.kind == "groups":
        X += 10 * random.normal(size=(20, call.d))[random.integers(20, size=call.n)]
    elif call.kind:
        X = random.random(size) if call.kind == "uniform" else random.standard_t(2, size)
    if call.rank:
        X = random.normal(size=(call.n, call.rank)) @ random.normal(size=(call.rank, call.d)) + 0.1 * X
    return X[np.arange(call.n) // call.copies].astype(np.float32)


def seconds(run: Callable[[], Any], repeats: int = 3) -> float:
    """The best of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(min(times))


def cluster(call: Call, X: Array) -> Any:
    options = dict(call.options)
    if options.pop("client", False):
        from dask.array import from_array

        return chamfer.linkage(from_array(X), call.method, **options)
    return chamfer.linkage(X, call.method, **options)


def sweep(name: str, part: int) -> None:
    """Time the calls of a number at its values; of data so many times smaller."""
    values, calls = SWEEPS[name]
    for call in (each._replace(n=max(300, each.n // part)) for each in calls):
        X = data(call)
        for value in values:
            with tuning.using(**{name: value}):
                print(f"{call!s:60} {name} = {value!s:24} {seconds(lambda: cluster(call, X)):8.3f} s", flush=True)  # noqa: B023


def _points(call: Call, metric: str = "euclidean") -> Points:
    points = check_input(data(call), metric)
    assert isinstance(points, Points)
    return points


def fit_engines(part: int) -> dict[str, float]:
    """The seconds of engines from calls of each, for one kind of data."""
    n, sizes = 8_000 // part, (8, 100, 400)
    points = [_points(Call("", n, d)) for d in sizes]
    search = [seconds(partial(pairwise.condensed, each, 2)) for each in points]
    coordinate, pair = np.polyfit(sizes, np.array(search) / (n * n / 2), 1)

    def beyond(method: str, d: int, engine: str, metric: str = "euclidean", kind: str = "") -> float:
        """Seconds beyond those of the distances."""
        call = Call(method, n, d, 0, {"engine": engine, "metric": metric}, kind=kind)
        X = data(call)
        return max(0.0, seconds(lambda: cluster(call, X)) - n * n / 2 * float(pair + d * coordinate))

    def multiple(method: str, d: int, engine: str, kind: str) -> float:
        """How many times as long another kind of data takes."""
        return beyond(method, d, engine, kind=kind) / max(1e-9, beyond(method, d, engine))

    plain, slow = beyond("chamfer", 8, "lists") / n, _points(Call("", n // 4, 8), "canberra")
    given = pairwise.condensed(points[0], 2)
    row = data(Call("", n, 8))
    return {
        "pair": float(pair),
        "coordinate": float(coordinate),
        "slow_pair": seconds(lambda: pairwise.condensed(slow, 2)) / (slow.n**2 / 2),
        "given_pair": max(0.0, seconds(lambda: chamfer.linkage(given, engine="lists")) / n - plain) / n,
        "chamfer_merges": beyond("chamfer", 8, "dense") / n**2,
        "sum_merges": beyond("chamfer_normalized", 8, "dense") / n**2,
        "single_merges": beyond("single", 8, "dense") / n**2,
        "other_merges": float(np.mean([beyond(method, 8, "dense") for method in ("average", "ward")])) / n**2,
        **{f"lists_point of {d}": beyond("chamfer", d, "lists") / n for d in (3, 8, 100)},
        **{f"lists_chains of {d}": beyond("chamfer_normalized", d, "lists") / n / plain for d in (8, 100)},
        "lists_uneven of 8": multiple("chamfer_normalized", 8, "lists", "heavy tails"),
        **{f"single_point of {d}": beyond("single", d, "points") / n for d in (8, 40, 100)},
        "single_groups of 200": multiple("single", 200, "points", "groups"),
        **{f"points_point of {d}": beyond("ward", d, "points") / n for d in (3, 8, 40, 100)},
        **{f"closer_point of {d}": beyond("centroid", d, "points") / n for d in (8, 40, 100)},
        **{f"symmetric_point of {d}": beyond("chamfer_symmetric", d, "points") / n for d in (3, 8, 16)},
        "means_point": beyond("chamfer_normalized_symmetric", 4, "points") / n,
        "means_pair of 8": beyond("chamfer_normalized_symmetric", 8, "points") / n**2,
        "means_even of 8": multiple("chamfer_normalized_symmetric", 8, "points", "uniform"),
        **{f"average_point of {d}": beyond("average", d, "points", "sqeuclidean") / n for d in (8, 100)},
        "contracted_edge": seconds(lambda: chamfer.linkage(row, "ward", connectivity="chain")) / (2 * n),
        "unchecked_bytes": seconds(available_memory, 9) / (NOW.sum_merges / 8),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks costs", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="engines, or a field of chamfer.tuning.Tuning")
    parser.add_argument("--list", action="store_true", help="what can be measured")
    parser.add_argument("--quick", action="store_true", help="with a twentieth of the points, to see that it works")
    given = parser.parse_args(argv)
    part = 20 if given.quick else 1
    if given.list or not given.names:
        print("engines", *SWEEPS, sep="\n")
        return 0
    for name in given.names:
        if name == "engines":
            for field, value in fit_engines(part).items():
                print(f"{field:24} {value:10.2e}   in use: {asdict(NOW).get(field.split()[0])}")
        elif name in SWEEPS:
            sweep(name, part)
        else:
            parser.error(f"NAME must be engines or one of {', '.join(SWEEPS)}, got {name!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
