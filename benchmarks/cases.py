"""What is measured: sets of cases by name. Add a function to `SETS`, and the command line knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chamfer
from benchmarks.libraries import PEERS
from benchmarks.measure import Case

ALL = ("chamfer", *PEERS)
CONDENSED = ("chamfer", "fastcluster", "scipy")  # those that take condensed distances
BOTH = ("float32", "float64")
SINGLE = ("float32",)
METHODS = tuple(chamfer.METHODS)
DENSE = tuple(method for method in METHODS if method != "chamfer_capped")
LISTS = ("chamfer", "chamfer_normalized", "chamfer_capped")
POINTS = ("single", "ward", "centroid", "median")
CLASSICAL = ("single", "average", "complete", "weighted", "ward", "centroid", "median")


def guard() -> Iterator[Case]:
    """Every engine and linkage within minutes, for `--against` another version; needs no files."""
    for n, d in ((10, 4), (150, 4), (300, 128)):
        for method in ("chamfer", "ward"):
            yield Case("guard", "normal", n, method, d, repeats=25)
    for method in DENSE:
        yield Case("guard", "normal", 2_000, method, 8, options={"engine": "dense"}, repeats=15)
        yield Case("guard", "normal", 5_000, method, 784, options={"engine": "dense"}, repeats=5)
    for d in (8, 30):
        for method in POINTS:
            yield Case("guard", "normal", 20_000, method, d, options={"engine": "points"}, repeats=5)
    for n, d in ((10_000, 784), (20_000, 8)):
        for method in LISTS:
            yield Case("guard", "normal", n, method, d, options={"engine": "lists"}, repeats=5)
    yield Case("guard", "normal", 5_000, "chamfer", 30, options={"t": 4}, repeats=5)
    yield Case("guard", "tree", 50_000, "cut", options={"n_clusters": 100}, repeats=15)
    yield Case("guard", "tree", 50_000, "best_cut", options={"score": "ami"}, repeats=15)


def digits() -> Iterator[Case]:
    """1,797 handwritten digits by every linkage, scored against the true digits."""
    for method in METHODS:
        yield Case("digits", "digits", 1_797, method, scored=True)


def images() -> Iterator[Case]:
    """10,000 x 784: many coordinates, where most libraries spend their time on distances."""
    for method in ("chamfer", "chamfer_capped", *CLASSICAL):
        yield Case("images", "mnist", 10_000, method, dtypes=BOTH, libraries=ALL)


def gaussians() -> Iterator[Case]:
    """20,000 x 8: few coordinates, where most of the time goes into merges."""
    for method in ("chamfer", *CLASSICAL):
        yield Case("gaussians", "normal", 20_000, method, 8, libraries=ALL)


def levels() -> Iterator[Case]:
    """Both sizes above beside fastcluster; run it once for each CHAMFER_LEVEL."""
    for method in ("chamfer", *CLASSICAL):
        yield Case("levels", "mnist", 10_000, method, dtypes=BOTH, libraries=("chamfer", "fastcluster"))
        yield Case("levels", "normal", 20_000, method, 8, libraries=("chamfer", "fastcluster", "fastcluster-vector"))


def small() -> Iterator[Case]:
    """10 to 1,000 points or their distances, as most calls have: what the way to the core and back costs."""
    for n, d in ((10, 4), (50, 128), (150, 4), (300, 128), (1_000, 8), (1_000, 128)):
        for method in ("chamfer", "single", "complete", "average", "ward", "centroid"):
            yield Case("small", "normal", n, method, d, dtypes=BOTH, libraries=ALL, repeats=25)
            yield Case("small", "distances", n, method, d, dtypes=BOTH, libraries=CONDENSED, repeats=25)


def growth() -> Iterator[Case]:
    """How time grows as the number of points doubles; four times is what O(n²) promises."""
    for method in (*CLASSICAL, *DENSE[: len(DENSE) - len(CLASSICAL)]):
        for n in (5_000, 10_000, 20_000):
            yield Case("growth", "mnist", n, method, dtypes=BOTH)


def memory() -> Iterator[Case]:
    """Peak memory of every linkage at 20,000 x 40."""
    for method in METHODS:
        yield Case("memory", "normal", 20_000, method, 40, dtypes=BOTH, alone=True)


def large() -> Iterator[Case]:
    """MNIST and Covertype without all distances, beside one multiplication of all rows by all."""

    def case(data: str, n: int, method: str, dtype: str = "float32", d: int = 0, **options: str) -> Case:
        library = "numpy" if method == "product" else "chamfer"
        return Case("large", data, n, method, d, (dtype,), options, (library,), alone=True, scored=True)

    yield case("mnist", 70_000, "product")
    yield case("mnist", 70_000, "chamfer", metric="sqeuclidean")
    for method in ("chamfer", "chamfer_capped", "ward", "single"):
        yield case("mnist", 70_000, method)
    yield case("normal", 20_000, "product", d=256)
    yield case("normal", 20_000, "chamfer", d=256)
    yield case("covtype", 581_012, "chamfer", "float64")
    yield case("normal", 1_000_000, "single", "float64", d=2)


def fastcluster() -> Iterator[Case]:
    """Time and memory beside both functions of fastcluster."""
    peers = ("chamfer", "fastcluster", "fastcluster-vector")
    for method, n, libraries in (
        ("ward", 10_000, peers),
        ("single", 10_000, peers),
        ("average", 20_000, peers),
        ("average", 70_000, ("chamfer",)),
    ):
        yield Case("fastcluster", "mnist", n, method, dtypes=SINGLE, libraries=libraries, alone=True)


def lists() -> Iterator[Case]:
    """How the lists engine grows with the number of points."""
    sizes = {"mnist": (5_000, 10_000, 20_000, 40_000, 70_000), "plane": (10_000, 30_000, 100_000, 300_000, 1_000_000)}
    for data, dtypes in (("mnist", SINGLE), ("plane", ("float64",))):
        for method in ("chamfer", "chamfer_capped"):
            for n in sizes[data]:
                yield Case("lists", data, n, method, dtypes=dtypes, options={"engine": "lists"}, alone=True)


def tradeoff() -> Iterator[Case]:
    """The paper's trade-off between memory and time, beside the lists engine."""
    for t in (1, 2, 5, 10, 20):
        yield Case("tradeoff", "covtype", 20_000, "chamfer", options={"t": t}, alone=True)
    yield Case("tradeoff", "covtype", 20_000, "chamfer", options={"engine": "lists"}, alone=True)


def centroid() -> Iterator[Case]:
    """Centroid linkage; with epsilon it is exact as well."""
    for n in (20_000, 70_000):
        for options in ({"engine": "points"}, {"epsilon": 0.1}):
            yield Case("centroid", "mnist", n, "centroid", 0, SINGLE, options, alone=True, scored=True)


def epsilon() -> Iterator[Case]:
    """What epsilon saves Chamfer linkage, and what it does to the scores."""
    for n in (20_000, 70_000):
        for metric in ("euclidean", "sqeuclidean"):
            for value in (0, 0.01, 0.1, 0.5):
                options = {"metric": metric, "epsilon": value, "engine": "lists"}
                yield Case("epsilon", "mnist", n, "chamfer", 0, SINGLE, options, alone=True, scored=True)


def approximate() -> Iterator[Case]:
    """Approximate neighbours beside exact ones."""
    sizes = [("mixture", n, source) for n in (100_000, 1_000_000) for source in ("auto", "ann")]
    sizes += [("mnist", 70_000, source) for source in ("auto", "ann")]
    sizes += [("plane", n, "auto") for n in (1_000_000, 2_000_000, 5_000_000, 10_000_000)]
    for data, n, source in sizes:
        dtypes = ("float64",) if data == "plane" else SINGLE
        options = {"source": source}
        yield Case("approximate", data, n, "chamfer_capped", 64, dtypes, options, alone=True, scored=True)


SETS: dict[str, Callable[[], Iterator[Case]]] = {
    each.__name__: each
    for each in (
        guard,
        digits,
        images,
        gaussians,
        levels,
        small,
        growth,
        memory,
        large,
        fastcluster,
        lists,
        tradeoff,
        centroid,
        epsilon,
        approximate,
    )
}
