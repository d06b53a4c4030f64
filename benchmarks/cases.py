"""What is measured.

A case is a function from the settings to results; add one to `CASES` and it is part of the runner.
Peers compute in float64 whatever they are given, so they are timed on float64 data only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from measure import import_seconds, peak_memory, seconds
from peers import LIBRARIES, METHODS, peer_method


@dataclass(frozen=True)
class Settings:
    """What the command line asks for."""

    data: Path | None
    quick: bool
    methods: tuple[str, ...] = METHODS
    libraries: tuple[str, ...] = tuple(LIBRARIES)
    dtypes: tuple[str, ...] = ("float32", "float64")
    repeats: int = 3
    peer_limit: float = 120.0
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def size(self, case: str, full: tuple[int, ...], quick: tuple[int, ...]) -> tuple[int, ...]:
        """Sizes of a case: those asked for, or small ones, or those of the record."""
        return self.sizes.get(case) or (quick if self.quick else full)


@dataclass(frozen=True)
class Result:
    """One measurement."""

    case: str
    data: str
    n: int
    d: int
    dtype: str
    method: str
    library: str
    quantity: str  # seconds or bytes
    value: float
    runs: int
    peer_method: str = ""


def images_data(settings: Settings, n: int) -> tuple[str, Any]:
    """Give n handwritten digits of 28 x 28 pixels, or points made to resemble them where there are none."""
    rng = np.random.default_rng(0)
    path = settings.data / "mnist.npz" if settings.data else None
    if path is not None and path.exists():
        X = np.load(path)["X"]
        if n > len(X):
            raise SystemExit(f"--sizes: {path} has {len(X)} rows, got {n}")
        return "MNIST", X[rng.permutation(len(X))[:n]].astype(np.float64)
    centres = rng.normal(size=(50, 784)) * 40
    X = centres[rng.integers(50, size=n)] + rng.normal(size=(n, 30)) @ rng.normal(size=(30, 784)) * 8
    return "synthetic images", np.clip(np.rint(X + 30), 0, 255)


def time_libraries(case: str, name: str, X: Any, settings: Settings) -> Iterator[Result]:
    """Time every library and method on X: ours in each dtype, the peers in float64."""
    timed: dict[tuple[str, str], tuple[float, int]] = {}
    for method in settings.methods:
        for library in settings.libraries:
            run_as = peer_method(library, method)
            if run_as is None:
                continue
            function = LIBRARIES[library][0]
            dtypes = settings.dtypes if library == "chamfer" else ("float64",)
            for dtype in dtypes:
                points = np.ascontiguousarray(X, dtype=dtype)
                # Average linkage of a peer is timed once, though it also stands in for Chamfer linkage.
                key = (f"{library} {dtype}", run_as)
                if key not in timed:
                    function(points[:50], run_as)
                    timed[key] = seconds(lambda f=function, p=points, m=run_as: f(p, m), settings.repeats)
                value, runs = timed[key]
                yield Result(
                    case,
                    name,
                    *X.shape,
                    dtype,
                    method,
                    library,
                    "seconds",
                    value,
                    runs,
                    "" if run_as == method else run_as,
                )


def images(settings: Settings) -> Iterator[Result]:
    """10,000 x 784: many coordinates, where most libraries spend their time on distances."""
    for n in settings.size("images", (10_000,), (300,)):
        name, X = images_data(settings, n)
        yield from time_libraries("images", name, X, settings)


def gaussians(settings: Settings) -> Iterator[Result]:
    """20,000 x 8: few coordinates, where the merges are what takes time."""
    for n in settings.size("gaussians", (20_000,), (500,)):
        X = np.random.default_rng(0).standard_normal((n, 8))
        yield from time_libraries("gaussians", "Gaussian", X, settings)


def overhead(settings: Settings) -> Iterator[Result]:
    """150 x 4: what a call costs when there is nothing to do."""
    from sklearn.datasets import load_iris

    X = load_iris().data
    calls = 20 if settings.quick else 300
    for method in settings.methods:
        for library in settings.libraries:
            run_as = peer_method(library, method)
            if run_as is None:
                continue
            function = LIBRARIES[library][0]
            function(X, run_as)
            value, runs = seconds(lambda f=function, m=run_as: f(X, m), calls)
            stand_in = "" if run_as == method else run_as
            yield Result("overhead", "iris", *X.shape, "float64", method, library, "seconds", value, runs, stand_in)


def imports(settings: Settings) -> Iterator[Result]:
    """Time what ``import chamfer`` adds to importing the libraries it stands on."""
    repeats = 2 if settings.quick else 9
    yield Result("imports", "", 0, 0, "", "", "chamfer", "seconds", import_seconds(repeats), repeats)


def memory(settings: Settings) -> Iterator[Result]:
    """Peak memory beyond the input, each in a process of its own."""
    for n in settings.size("memory", (20_000,), (1_500,)):
        for dtype in settings.dtypes:
            for method in settings.methods:
                peak = peak_memory(n, 40, dtype, method)
                yield Result("memory", "Gaussian", n, 40, dtype, method, "chamfer", "bytes", peak, 1)


def growth(settings: Settings) -> Iterator[Result]:
    """Our time as the number of points doubles: at most four times as much is what O(n²) promises."""
    sizes = settings.size("growth", (5_000, 10_000, 20_000), (250, 500, 1_000))
    name, X = images_data(settings, max(sizes))
    function = LIBRARIES["chamfer"][0]
    for dtype in settings.dtypes:
        for method in settings.methods:
            for n in sizes:  # one after the other, as machines have slow minutes
                points = X[:n].astype(dtype)
                value, runs = seconds(lambda p=points, m=method: function(p, m), settings.repeats)
                yield Result("growth", name, *points.shape, dtype, method, "chamfer", "seconds", value, runs)


def scaling(settings: Settings) -> Iterator[Result]:
    """Time of every library over n, for the plot. A peer stops before a size that would take it too long."""
    last: dict[tuple[str, str], float] = {}
    for n in settings.size("scaling", (1_000, 2_000, 4_000, 8_000, 16_000), (200, 400, 800)):
        name, X = images_data(settings, n)
        for method in settings.methods:
            for library in settings.libraries:
                if method != "chamfer" and peer_method(library, method) is None:
                    continue
                if method == "chamfer" and library != "chamfer":
                    continue
                if library != "chamfer" and 5 * last.get((library, method), 0) > settings.peer_limit:
                    continue
                function = LIBRARIES[library][0]
                dtype = settings.dtypes[0] if library == "chamfer" else "float64"
                points = X.astype(dtype)
                value, runs = seconds(lambda f=function, p=points, m=method: f(p, m), settings.repeats)
                last[library, method] = value
                yield Result("scaling", name, *X.shape, dtype, method, library, "seconds", value, runs)


CASES: dict[str, Callable[[Settings], Iterator[Result]]] = {
    "images": images,
    "gaussians": gaussians,
    "overhead": overhead,
    "imports": imports,
    "memory": memory,
    "growth": growth,
    "scaling": scaling,
}
