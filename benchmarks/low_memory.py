"""Engines without all distances: seconds and peak memory of single cases, each in a process of its own.

    python benchmarks/low_memory.py --data DIR                     # all cases
    python benchmarks/low_memory.py --data DIR ward-mnist pass     # some of them
    python benchmarks/low_memory.py --list

Memory is what the process holds at its peak beyond what it held with the data loaded. Results are printed, and appended
to ``low_memory.csv`` in the working directory.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

FIELDS = ("case", "points", "coordinates", "seconds", "megabytes", "note")


def data_set(name: str, n: int | None = None, dtype: type = np.float32) -> Callable[[Path], np.ndarray]:
    def load(folder: Path) -> np.ndarray:
        with np.load(folder / f"{name}.npz") as data:
            return data["X"][:n].astype(dtype)

    return load


def normal(n: int, d: int) -> Callable[[Path], np.ndarray]:
    return lambda folder: np.random.default_rng(0).normal(size=(n, d))


def isotropic(n: int, d: int) -> Callable[[Path], np.ndarray]:
    return lambda folder: np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)


def mixture(n: int) -> Callable[[Path], np.ndarray]:
    """200 Gaussians of different scale in the plane, and 10% noise."""

    def make(folder: Path) -> np.ndarray:
        random = np.random.default_rng(0)
        centres, scales = random.uniform(0, 100, size=(200, 2)), np.exp(random.normal(-1, 1, size=200))
        which, noise = random.integers(200, size=n), random.random(n) < 0.1
        X = centres[which] + random.normal(size=(n, 2)) * scales[which, None]
        X[noise] = random.uniform(0, 100, size=(noise.sum(), 2))
        return X

    return make


Run = Callable[[np.ndarray], np.ndarray | None]


def linkage(method: str, metric: str = "euclidean", **options: object) -> Run:
    import chamfer

    return lambda X: chamfer.linkage(X, method, metric, **options)


def plain_pass(X: np.ndarray) -> None:
    """One blocked pass over all pairs with NumPy, each row's nearest neighbour kept: the least that n² d costs."""
    lengths = np.einsum("ij,ij->i", X, X)
    nearest = np.empty(len(X), np.int64)
    for first in range(0, len(X), 1024):
        block = X[first : first + 1024] @ X.T
        block *= -2
        block += lengths
        block[np.arange(len(block)), first + np.arange(len(block))] = np.inf
        nearest[first : first + 1024] = block.argmin(axis=1)


def plain_product(X: np.ndarray) -> None:
    """The multiplication of that pass alone."""
    for first in range(0, len(X), 1024):
        X[first : first + 1024] @ X.T


def fastcluster(function: str, method: str) -> Run:
    def run(X: np.ndarray) -> np.ndarray:
        import fastcluster

        return getattr(fastcluster, function)(X.astype(np.float64), method)

    return run


MNIST, MNIST_20, MNIST_10 = data_set("mnist"), data_set("mnist", 20_000), data_set("mnist", 10_000)
COVTYPE_20 = data_set("covtype", 20_000, np.float64)
CASES = {
    **{f"tradeoff-covtype-t{t}": (COVTYPE_20, linkage("chamfer", t=t)) for t in (1, 2, 5, 10, 20)},
    "lists-covtype": (COVTYPE_20, linkage("chamfer", engine="lists")),
    "pass": (MNIST, plain_pass),
    "product": (MNIST, plain_product),
    "chamfer-mnist": (MNIST, linkage("chamfer")),
    "squared-mnist": (MNIST, linkage("chamfer", "sqeuclidean")),
    "capped-mnist": (MNIST, linkage("chamfer_capped")),
    "chamfer-covtype": (data_set("covtype", None, np.float64), linkage("chamfer")),
    "product-isotropic": (isotropic(20_000, 256), plain_product),
    "chamfer-isotropic": (isotropic(20_000, 256), linkage("chamfer")),
    **{
        f"growth-{method}-mnist-{n}": (data_set("mnist", n), linkage(method, engine="lists"))
        for method in ("chamfer", "chamfer_capped")
        for n in (5_000, 10_000, 20_000, 40_000, 70_000)
    },
    **{
        f"growth-{method}-plane-{n}": (mixture(n), linkage(method, engine="lists"))
        for method in ("chamfer", "chamfer_capped")
        for n in (10_000, 30_000, 100_000, 300_000, 1_000_000)
    },
    "ward-mnist": (MNIST, linkage("ward", engine="points")),
    "single-mnist": (MNIST, linkage("single", engine="points")),
    "meansquare-mnist": (MNIST, linkage("average", "sqeuclidean", engine="points")),
    "ward-fashion_mnist": (data_set("fashion_mnist"), linkage("ward", engine="points")),
    "ward-covtype": (data_set("covtype", None, np.float64), linkage("ward", engine="points")),
    "single-covtype": (data_set("covtype", None, np.float64), linkage("single", engine="points")),
    **{f"{method}-mnist-10000": (MNIST_10, linkage(method)) for method in ("ward", "single")},
    **{
        f"fastcluster-{method}-{function}": (MNIST_10, fastcluster(function, method))
        for method in ("ward", "single")
        for function in ("linkage", "linkage_vector")
    },
    "ward-plane-200000": (normal(200_000, 2), linkage("ward")),
    "ward-plane": (normal(1_000_000, 2), linkage("ward")),
    "single-plane": (normal(1_000_000, 2), linkage("single")),
    "centroid-mnist-20000": (MNIST_20, linkage("centroid", engine="points")),
    "approximate-mnist-20000": (MNIST_20, linkage("centroid", epsilon=0.1)),
    "centroid-mnist": (MNIST, linkage("centroid", engine="points")),
    "approximate-mnist": (MNIST, linkage("centroid", epsilon=0.1)),
    "average-mnist": (MNIST, linkage("average")),
    "complete-mnist": (MNIST, linkage("complete")),
    "average-mnist-20000": (MNIST_20, linkage("average")),
    "fastcluster-average-20000": (MNIST_20, fastcluster("linkage", "average")),
}


def memory(field: str) -> int:
    """Kilobytes that Linux counts for this process: VmRSS now, VmHWM at the peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def measure(case: str, folder: Path) -> dict[str, object]:
    load, run = CASES[case]
    X = load(folder)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here, not from loading
    before, start = memory("VmRSS"), time.perf_counter()
    Z = run(X)
    seconds, more = time.perf_counter() - start, (memory("VmHWM") - before) // 1024
    row = (case, *X.shape, round(seconds, 2), more, "" if Z is None else note(Z, case, folder))
    return dict(zip(FIELDS, row, strict=True))


def note(Z: np.ndarray, case: str, folder: Path) -> str:
    """Height of the tree and, if the data has classes, the best adjusted Rand index of a cut in merge order."""
    import chamfer

    text = f"tree height {chamfer.tree_height(Z)}"
    for name in case.split("-"):
        if (folder / f"{name}.npz").exists():
            with np.load(folder / f"{name}.npz") as data:
                best = chamfer.best_cut(Z, data["y"][: len(Z) + 1])
            text += f", ARI {best.score:.3f} at {best.n_clusters} clusters, {best.order} order"
    return text


def parse(description: str, cases: Collection[str]) -> argparse.Namespace:
    """The command line of a benchmark that runs each case in a process of its own."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("cases", nargs="*", help="all by default")
    parser.add_argument("--data", type=Path, default=Path(), help="directory of NAME.npz with X and y")
    parser.add_argument("--list", action="store_true", help="names of the cases")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.cases) - set(cases):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if options.list:
        print("\n".join(cases))
        raise SystemExit
    options.cases = options.cases or list(cases)
    return options


def main() -> None:
    options = parse(__doc__, CASES)
    if options.one:
        print(json.dumps(measure(options.cases[0], options.data)))
        return
    out = Path("low_memory.csv")
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not out.stat().st_size:
            writer.writeheader()
        print(f"{'case':28} {'points':>9} {'d':>4} {'seconds':>9} {'MB more':>8}")
        for case in options.cases:
            command = [sys.executable, __file__, "--one", "--data", str(options.data), case]
            row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])
            writer.writerow(row)
            file.flush()
            print(
                f"{case:28} {row['points']:9} {row['coordinates']:4} {row['seconds']:9.2f} {row['megabytes']:8} "
                f"{row['note']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
