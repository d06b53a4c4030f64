"""Data that the tests share, and how they compare trees."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from chamfer.constraints import check_constraints
from chamfer.edges import check_sparse_distances
from chamfer.engines.base import Options, Task
from chamfer.inputs import check_input
from chamfer.progress import Progress

FAST_METRICS = ("euclidean", "sqeuclidean", "cosine")
REAL_METRICS = [
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "euclidean",
    "mahalanobis",
    "minkowski",
    "seuclidean",
    "sqeuclidean",
]


def engines(method: str, metric: str = "euclidean") -> tuple[str, ...]:
    """The engines that can run a method on points."""
    fast = metric in FAST_METRICS
    from_centres = method in reference.CENTRES or (method == "average" and metric != "euclidean")
    if method == "single" or (fast and (from_centres or method.endswith("symmetric"))):
        return "auto", "dense", "points"
    if method in ("chamfer", "chamfer_normalized"):
        return ("auto", "dense", "lists", "tradeoff") if fast else ("auto", "dense", "lists")
    return "auto", "dense"


def task(
    X: np.ndarray,
    method: str = "chamfer",
    metric: str = "euclidean",
    limit: int | None = None,
    rules: dict | None = None,
    **options,
) -> Task:
    """What `linkage` gives to an engine; `rules` are its arguments about weights and constraints."""
    sparse = issparse(X) and metric == "precomputed"
    data = check_sparse_distances(X, None) if sparse else check_input(X, metric)
    constraints = check_constraints(data.n, X, **rules) if rules else None
    return Task(chamfer.METHODS[method], data, Options(**options), 2, Progress(False), limit, constraints)


def gaussian(seed: int, n: int, d: int, dtype: type = np.float64) -> np.ndarray:
    """Points whose distances are all different."""
    return np.random.default_rng(seed).normal(size=(n, d)).astype(dtype)


def grid(seed: int, n: int, d: int) -> np.ndarray:
    """Integer points: nearly all distances are shared by many pairs."""
    return np.random.default_rng(seed).integers(0, 4, size=(n, d)).astype(np.float64)


def duplicated(seed: int, n: int, d: int) -> np.ndarray:
    """Points of which three in ten are copies of others."""
    generator = np.random.default_rng(seed)
    copies = 3 * n // 10
    X = generator.normal(size=(n - copies, d))
    return generator.permutation(np.concatenate([X, X[generator.integers(0, n - copies, size=copies)]]))


def distances(X: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    """All distances in double, whatever X is."""
    return squareform(pdist(np.asarray(X, dtype=np.float64), metric))


def assert_same_tree(Z: np.ndarray, expected: np.ndarray, rtol: float = 1e-9) -> None:
    """The same merges in the same order, at the same heights up to rounding."""
    assert Z.dtype == np.float64
    np.testing.assert_array_equal(Z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=rtol, atol=0)


def apart(code: str, *, timeout: float = 120, **environment: str) -> str:
    """Run `code` in an interpreter of its own, which may crash or hang, and give what it printed."""
    try:
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", "import numpy as np\nimport chamfer\n" + code],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ | environment,
        )
    except subprocess.TimeoutExpired:
        raise AssertionError(f"no end after {timeout} s") from None
    assert run.returncode == 0, f"exit code {run.returncode}\n{run.stderr}"
    return run.stdout
