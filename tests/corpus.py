"""A recorded corpus: a few hundred runs of `linkage`, and hashes of the trees they gave.

The cases cover methods, engines, sources, metrics, dtypes and threads. The test compares each tree with the one on
record, bit for bit. Where a change of results is intended, record the corpus again and say why in the commit.

    python tests/corpus.py            compare with what is on record; exit code 1 if anything differs
    python tests/corpus.py --record   write tests/corpus.json

Trees must not depend on the processor. Matrix multiplication does, in its last bits; so where it gives the distances
(dense engine, more than 16 coordinates), the data have few digits, and their products are exact.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import chamfer

RECORD = Path(__file__).with_name("corpus.json")
LISTS = ("chamfer", "chamfer_normalized", "chamfer_capped")
POINTS = {
    "single": ("euclidean", "sqeuclidean", "cosine"),
    "average": ("sqeuclidean", "cosine"),
    "ward": ("euclidean",),
    "centroid": ("euclidean",),
    "median": ("euclidean",),
    "chamfer_symmetric": ("euclidean", "sqeuclidean", "cosine"),
    "chamfer_normalized_symmetric": ("euclidean",),
}
CENTRES = ("ward", "centroid", "median")


class Case(NamedTuple):
    """One call of `linkage`."""

    data: str
    dtype: str
    method: str
    options: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        """A line that says what is called."""
        return " ".join([self.data, self.dtype, self.method, *(f"{key}={value}" for key, value in self.options)])


@cache
def make(name: str) -> np.ndarray:
    """The points of a data set, in float64."""
    random = np.random.default_rng(sum(map(ord, name)))
    if name == "plane":
        return random.normal(size=(150, 2))
    if name == "line":
        return random.exponential(size=(300, 1))
    if name == "blobs":
        return random.normal(size=(8, 8))[random.integers(8, size=400)] * 3 + random.normal(size=(400, 8))
    if name == "small":
        return np.round(random.normal(size=(90, 30)) * 32) / 32
    if name == "integers":
        return random.integers(-400, 400, size=(700, 20)).astype(float)
    if name == "ties":
        return random.integers(0, 9, size=(220, 2)).astype(float)
    if name == "far":
        X = random.normal(size=(250, 5))
        X[7] *= 1e9
        return X
    if name == "tiny":
        return random.normal(size=(200, 3)) * 2.0**-90
    if name == "wide":
        axes = np.round(np.linalg.qr(random.normal(size=(40, 6)))[0] * 2**30) / 2**30
        coordinates = random.normal(size=(2500, 6)) * [9, 7, 5, 4, 3, 2]
        X = 0.2 * random.normal(size=(2500, 40))
        for axis, values in zip(axes.T, coordinates.T, strict=True):  # a matrix product depends on the processor
            X += np.outer(values, axis)
        return X
    if name == "map":
        return random.normal(size=(20, 2))[random.integers(20, size=6000)] * 4 + random.normal(size=(6000, 2))
    raise ValueError(name)


def cases() -> list[Case]:
    """All calls, in a fixed order."""
    found: list[Case] = []

    def add(data: str, method: str, dtypes: tuple[str, ...] = ("float32", "float64"), **options: Any) -> None:
        for dtype in dtypes:
            for n_jobs in (1, 2):
                found.append(Case(data, dtype, method, (*sorted(options.items()), ("n_jobs", n_jobs))))

    for method in chamfer.METHODS:
        metrics = ("euclidean",) if method in CENTRES else ("euclidean", "sqeuclidean", "cosine")
        for data in ("plane", "ties", "far", "small"):
            add(data, method)
        if method != "chamfer_capped":
            for metric in metrics:
                add("blobs", method, engine="dense", metric=metric)
            add("integers", method, engine="dense")
            add("line", method, engine="dense")
            add("tiny", method, engine="dense")
            add("plane", method, ("float64",), engine="dense", X="condensed")
        if method not in CENTRES:
            add("blobs", method, ("float64",), metric="cityblock")
            add("plane", method, ("float64",), X="square", metric="precomputed")
    for method, metrics in POINTS.items():
        for metric in metrics:
            for data in ("blobs", "wide", "ties", "map"):
                add(data, method, engine="points", metric=metric)
    for method in LISTS:
        for source in ("blas", "tree"):
            for data in ("plane", "ties", "blobs", "wide", "tiny"):
                add(data, method, engine="lists", source=source)
            add("wide", method, ("float64",), engine="lists", source=source, metric="sqeuclidean")
            add("blobs", method, ("float64",), engine="lists", source=source, metric="cosine")
        add("map", method, engine="lists")
        add("plane", method, ("float64",), engine="lists", source="cdist", metric="canberra")
        add("plane", method, ("float64",), engine="lists", X="condensed")
    for method in LISTS[:2]:
        add("blobs", method, engine="lists", epsilon=0.1)
        add("wide", method, ("float32",), engine="lists", epsilon=0.3)
        for t in (1, 7, 100):
            add("blobs", method, engine="tradeoff", t=t)
        add("ties", method, engine="tradeoff", t=3)
    for n_neighbors in (1, 5, 40):
        add("blobs", "chamfer_capped", n_neighbors=n_neighbors)
    for method in ("average", "chamfer", "chamfer_capped", "single"):
        for metric in ("chebyshev", "correlation"):
            add("blobs", method, metric=metric)
        add("blobs", method, X="gaps", metric="nan_euclidean")
        for metric in ("hamming", "jaccard"):
            add("blobs", method, ("float64",), X="bits", metric=metric)
        for metric in ("euclidean", "cosine"):
            add("blobs", method, X="sparse", metric=metric)
    for method in chamfer.METHODS:
        if method != "chamfer_capped":
            add("plane", method, ("float64",), weighted=True)
            add("plane", method, ("float64",), connectivity="chain")
    return found


def run(case: Case) -> np.ndarray:
    """The tree of a case."""
    from scipy.sparse import csr_array
    from scipy.spatial.distance import pdist, squareform

    options = dict(case.options)
    X = make(case.data).astype(case.dtype)
    form = options.pop("X", "points")
    if form in ("condensed", "square"):
        X = pdist(X)
        X = squareform(X) if form == "square" else X
    elif form == "gaps":
        X[::7, 3] = np.nan
    elif form == "bits":
        X = (X > 0).astype(X.dtype)
    elif form == "sparse":
        X = csr_array(np.where(np.abs(X) > 2, X, 0))
    if options.pop("weighted", False):
        options["sample_weight"] = 1.0 + np.arange(len(X)) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return chamfer.linkage(X, case.method, **options)


def hashes(Z: np.ndarray) -> list[str]:
    """Of the whole tree, and of its shape without heights."""
    shape = np.ascontiguousarray(Z[:, [0, 1, 3]])
    return [hashlib.sha256(each.astype("<f8").tobytes()).hexdigest()[:16] for each in (Z, shape)]


def main() -> int:
    """Compare with the record, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--file", type=Path, default=RECORD)
    arguments = parser.parse_args()
    found = {case.name: hashes(run(case)) for case in cases()}
    if arguments.record:
        lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
        arguments.file.write_text("{\n" + lines + "\n}\n")
        print(len(found), "trees recorded")
        return 0
    record = json.loads(arguments.file.read_text())
    heights = [name for name in found if found[name][0] != record[name][0] and found[name][1] == record[name][1]]
    shapes = [name for name in found if found[name][1] != record[name][1]]
    for kind, names in (("other heights", heights), ("another tree", shapes)):
        for name in names:
            print(f"{kind}: {name}")
    print(f"{len(found)} trees, {len(heights)} with other heights, {len(shapes)} others")
    return 1 if heights or shapes else 0


if __name__ == "__main__":
    sys.exit(main())
