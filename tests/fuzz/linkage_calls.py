"""`linkage` with every method, engine, source and metric, odd data and odd options."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform

import chamfer
import reference
from cases import REAL_METRICS, engines
from chamfer.engines.choose import NAMES as ENGINES
from chamfer.engines.lists import ListsEngine
from chamfer.methods import METHODS
from fuzz import truth
from fuzz.arrays import Given, given, points
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong

ARGUMENTS = (
    "X|method|metric|optimal_ordering|n_neighbors|epsilon|engine|source|t|n_jobs|memory_limit|checkpoint|progress|info"
)
NAMES = rf"\b({ARGUMENTS}|client)\b"
ODD = {
    "n_neighbors": (0, -1, 1, 2, 10**9, 10**30, 1.5, "x", None, True, np.int8(3), float("nan")),
    "epsilon": (0, 1, 0.5, 1e-300, 1e300, 10**400, float("nan"), float("inf"), -1, "x", None, True, np.float32(0.1)),
    "t": (0, 1, 2, 3, 10**9, -1, 1.5, "x", True),
    "n_jobs": (1, 2, -1, -5, 0, 10**9, -(10**30), 10**30, 1.5, "x", True),
    "memory_limit": (1, 10**4, 10**30, "1GB", "4XB", "", "1e400", -1, float("nan"), float("inf"), True, [], "1e-5B"),
    "source": ("auto", "blas", "tree", "cdist", "ann", None, "x", 3, [], object(), np.zeros((3, 3))),
    "info": ("x", 3, object(), {}, chamfer.Info),
    "checkpoint": (3, b"\xff", "", "/", "/dev/full", "/proc/self/mem", "\0", "a" * 5000, 1.5, ["x"], "/dev/null"),
    "optimal_ordering": (True, "x", 2),
    "progress": (True, "x"),
    "engine": ("x", None, 3, ["dense"], ""),
    "method": ("x", None, 3, "Ward", ["single"]),
    "metric": ("x", None, 3, "", "precomputed", "l1", "yule", "wminkowski", lambda a, b: float("nan")),
}
METRICS = ("euclidean", "sqeuclidean", "cosine")
SLOW_METRICS = (*REAL_METRICS, "jaccard", "hamming", "jensenshannon", "dice")


def options(draw: Draw, method: str) -> dict[str, Any]:
    """Options of a call, mostly such that they go together."""
    chosen: dict[str, Any] = {"n_jobs": 1} if draw.chance(0.9) else {}
    metric = draw.one(SLOW_METRICS) if draw.chance(0.08) else draw.one(METRICS)
    if method not in reference.CENTRES or draw.chance(0.05):
        chosen["metric"] = metric
    if draw.chance(0.6):
        able = engines(method, chosen.get("metric", "euclidean"))
        chosen["engine"] = draw.one(able if draw.chance(0.95) else ENGINES)
    if (
        ListsEngine().knows(METHODS[method])
        and chosen.get("engine", "lists") in ("lists", "auto")
        and draw.chance(0.35)
    ):
        chosen["source"] = draw.one(("blas", "tree", "cdist", "blas", "tree", "ann"))
    if METHODS[method].approximable and draw.chance(0.1):
        chosen["epsilon"] = draw.one((0.1, 0.5, 3.0))
    if method == "chamfer_capped" and draw.chance(0.7):
        chosen["n_neighbors"] = draw.integer(1, 20)
    if draw.chance(0.03):
        chosen["optimal_ordering"] = True
    return chosen


def graph(draw: Draw, n: int) -> Any:
    """A graph of neighbours that may be any."""
    entries = draw.integer(0, 3 * n)
    data = draw.rng.random(entries)
    if entries and draw.chance(0.2):
        data[draw.integer(0, entries - 1)] = draw.one((np.nan, np.inf, -1.0, 0.0))
    shape = (n, n) if draw.chance(0.9) else (n, n + 1)
    place = draw.rng.integers(0, n, size=(2, entries))
    made = sparse.coo_array((data, place), shape=shape) if draw.chance(0.3) else sparse.csr_array(np.ones(shape))
    made = draw.one((made.tocsr, made.tocsc, made.tolil, made.todok))()
    if made.format == "csr" and made.nnz and draw.chance(0.3):
        made.indices[draw.integer(0, made.nnz - 1)] = draw.one((-1, n, 2**31 - 1, -(2**31)))
    elif made.format == "csr" and draw.chance(0.1):
        made.indptr[draw.integer(0, n)] = draw.one((-1, 10**6, 0))
    return made


def make_odd(draw: Draw, chosen: dict[str, Any], X: Any) -> None:
    """Replace one or two options by something odd."""
    for name in {draw.one(list(ODD)) for _ in range(draw.integer(1, 2))}:
        chosen[name] = draw.one(ODD[name])
    if draw.chance(0.08):
        chosen["source"] = graph(draw, len(X) if isinstance(X, (list, np.ndarray)) and np.iterable(X) and len(X) else 3)


def call_linkage(draw: Draw) -> None:
    """One call, and what its tree must satisfy."""
    data, method = given(draw), draw.one(list(METHODS))
    chosen = {"method": method, **options(draw, method)}
    if data.metric:
        chosen["metric"] = data.metric
        chosen.pop("source", None)
    odd = draw.chance(0.15)
    if odd:
        make_odd(draw, chosen, data.X)
    if isinstance(data.X, np.ndarray) and data.X.size > 200:
        chosen.pop("optimal_ordering", None)  # SciPy's takes a minute for 3,000 points
    draw.say("linkage", X=data.X, **chosen)
    before = data.X.copy() if isinstance(data.X, np.ndarray) else None
    Z = chamfer.linkage(data.X, **chosen)
    if before is not None and before.tobytes() != data.X.tobytes():
        raise Wrong("X was changed")
    if data.meant is not None:
        check(draw, Z, data, odd, **chosen)
    elif isinstance(Z, np.ndarray):
        truth.check_tree(Z, len(Z) + 1, ordered=False)


def check(draw: Draw, Z: np.ndarray, data: Given, odd: bool, **chosen: Any) -> None:
    """Z is the tree that it should be."""
    method, metric = chosen["method"], chosen.get("metric", "euclidean")
    X = data.meant
    n = len(X) if X.ndim == 2 else (1 + int(np.sqrt(1 + 8 * X.size))) // 2
    truth.check_tree(Z, n, ordered=not chosen.get("optimal_ordering"))
    if odd or n < 2 or n > 60 or chosen.get("optimal_ordering"):
        return
    if chosen.get("source") == "ann" or (chosen.get("epsilon") and method == "centroid"):
        return  # as far as an index tells
    if X.ndim == 2 and n > 12:
        if draw.chance(0.3):
            compare(X, Z, chosen)
    elif draw.chance(0.35):
        compare_with_definition(X, Z, method, metric, chosen)


def compare_with_definition(X: np.ndarray, Z: np.ndarray, method: str, metric: str, chosen: dict[str, Any]) -> None:
    """Replay the tree of a few points."""
    with np.errstate(all="ignore"):
        D = truth.true_distances(X, metric) if X.ndim == 2 else squareform(X.astype(np.float64), checks=False)
        if D is None or len(D) > 12 or truth.is_hard(D, method, metric, X.dtype):
            return
        if method == "chamfer_capped" and (truth.has_ties(D) or X.dtype == np.float32):
            return
        truth.replay(Z, X, D, method, metric, chosen.get("n_neighbors", 15), chosen.get("epsilon", 0))


def compare(X: np.ndarray, Z: np.ndarray, chosen: dict[str, Any]) -> None:
    """Another engine gives the same tree, where no two distances are alike."""
    method, metric = chosen["method"], chosen.get("metric", "euclidean")
    with np.errstate(all="ignore"):
        D = truth.true_distances(X, metric)
        if D is None or X.dtype != np.float64 or truth.is_hard(D, method, metric, X.dtype) or truth.has_ties(D):
            return
        if max(D.max(), np.abs(X).max()) > 1e5 * D[D > 0].min():
            return  # sums of numbers so different depend on their order
        if chosen.get("epsilon") or method in ("weighted", "average"):
            return  # may differ, or add up in another order
    others = [each for each in engines(method, metric) if each not in ("auto", chosen.get("engine"))]
    for engine in others[:1]:
        again = chamfer.linkage(X, method, metric, engine=engine, n_jobs=1)
        truth.same_tree(Z, again, f"engines {chosen.get('engine', 'auto')} and {engine} of {method}")


def call_large(draw: Draw) -> None:
    """Points so many that sources filter them, by two engines or sources."""
    X = points(draw, draw.integer(2_100, 3_000))
    method = draw.one(("chamfer", "chamfer_normalized", "chamfer_capped", "ward", "single", "centroid"))
    chosen = {"method": method, "n_jobs": 2}
    if ListsEngine().knows(METHODS[method]):
        chosen |= {"source": draw.one(("blas", "tree", "auto", "ann")), "engine": "lists"}
    elif draw.chance(0.5):
        chosen["engine"] = "points"
    draw.say("linkage", X=X, **chosen)
    truth.check_tree(chamfer.linkage(X, **chosen), len(X))


KINDS = {"linkage": Kind(call_linkage, 50, NAMES), "large": Kind(call_large, 0.02, NAMES)}
