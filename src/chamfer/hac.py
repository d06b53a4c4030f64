"""`linkage`: checks what it is given, chooses an engine, runs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse, sparray, spmatrix

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Condensed, Metric, Points
from chamfer.distances import pairwise as distances
from chamfer.engines import lists
from chamfer.engines.approximate import make_index, run_approximate
from chamfer.engines.dense import SMALL, dense_bytes, fits, run_dense
from chamfer.engines.lists import Info, run_lists
from chamfer.engines.points import points_bytes, run_points
from chamfer.engines.tradeoff import run_tradeoff
from chamfer.inputs import (
    check_bytes,
    check_choice,
    check_input,
    check_integer,
    check_number,
    check_path,
    check_threads,
    is_distributed,
)
from chamfer.memory import require_memory
from chamfer.progress import Progress
from chamfer.sources.base import Checked, Source, source_name
from chamfer.sources.checkpoint import Checkpoint, Remembered, describe
from chamfer.sources.make import SOURCES, make_source
from chamfer.units import multiply


@dataclass(frozen=True)
class Method:
    """What an engine has to know about a linkage."""

    core: Callable[..., Any] | None  # for the dense engine
    square: bool = False  # the dense engine needs a square matrix, not a condensed one
    centres: bool = False  # defined by squared Euclidean distances between centres
    points: tuple[str, ...] = ()  # metrics for which the points engine can do it, in O(n d) memory
    lists: bool = False  # the lists engine can do it
    normalized: bool = False
    capped: bool = False
    approximate: str = ""  # the engine that takes epsilon


METHODS = {
    "chamfer": Method(_core.chamfer, square=True, lists=True, approximate="lists"),
    "chamfer_normalized": Method(
        _core.chamfer_normalized, square=True, lists=True, normalized=True, approximate="lists"
    ),
    "chamfer_capped": Method(None, lists=True, capped=True),
    "chamfer_symmetric": Method(_core.chamfer_symmetric, square=True),
    "chamfer_normalized_symmetric": Method(_core.chamfer_normalized_symmetric, square=True),
    "single": Method(_core.single, points=FAST_METRICS),
    "complete": Method(_core.complete),
    "average": Method(_core.average, points=("sqeuclidean", "cosine")),
    "weighted": Method(_core.weighted),
    "ward": Method(_core.ward, centres=True, points=("euclidean",)),
    "centroid": Method(_core.centroid, centres=True, points=("euclidean",), approximate="points"),
    "median": Method(_core.median, centres=True, points=("euclidean",)),
}
ENGINES = ("auto", "dense", "points", "lists", "tradeoff")
# From this many points on, lists are taken instead of all distances, for Ch_N of many coordinates from more: measured,
# see docs/design.md.
LISTS_FROM, NORMALIZED_FROM = 10_000, 20_000
# The points engine is faster than all distances with so few coordinates, or from so many points on. Where centres may
# come closer it is a little slower, but needs no gigabytes.
FEW_COORDINATES, POINTS_FROM, CLOSER_FROM, AVERAGE_FROM = 24, 15_000, 30_000, 6_000


@dataclass(frozen=True)
class Run:
    """How a user wants an engine to run."""

    threads: int
    progress: Progress
    memory_limit: int | None

    def require(self, need: int, purpose: str, advice: str) -> None:
        """Raise `MemoryError` if `need` bytes are too many."""
        if need > SMALL or self.memory_limit is not None:
            require_memory(need, self.memory_limit, purpose, advice)


def linkage(
    X: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    optimal_ordering: bool = False,
    *,
    n_neighbors: int = 15,
    epsilon: float = 0.0,
    engine: str = "auto",
    source: str | Source | sparray | spmatrix = "auto",
    t: int | None = None,
    n_jobs: int | None = None,
    memory_limit: int | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    info: Info | None = None,
    client: Any = None,
) -> Array:
    r"""Cluster points hierarchically.

    Starting from single points, the two clusters with the smallest linkage value are merged until one is left.

    Parameters
    ----------
    X : array-like
        Observations of shape (n, d); or condensed distances of shape (n (n - 1) / 2,), as made by
        ``scipy.spatial.distance.pdist``; or a square matrix of distances with ``metric="precomputed"``. Distances are
        kept in float32 if `X` is float32, otherwise in float64. A Dask array stays where it is, see `DaskSource`.
    method : str, default="chamfer"
        The linkage, see Notes.
    metric : str or callable, default="euclidean"
        ``"euclidean"``, ``"sqeuclidean"`` and ``"cosine"`` are fast; every other metric of
        ``scipy.spatial.distance.cdist`` works too. Ignored for condensed distances.
    optimal_ordering : bool, default=False
        Order leaves so that neighbours in a plot are close, by ``scipy.cluster.hierarchy.optimal_leaf_ordering``.
    n_neighbors : int, default=15
        For ``chamfer_capped``: the number of neighbours of a point that count.
    epsilon : float, default=0
        Merges need not have the smallest value but one within a factor of 1 + `epsilon`. For ``chamfer`` and
        ``chamfer_normalized`` this is certain, and saves searches; the height is Ch(A,B) in the direction in which
        it was found. For ``centroid`` it is meant for squared distances, and holds as far as an approximate index of
        nearest neighbours tells, which needs ``pip install chamfer[ann]`` to be fast.
    engine : {"auto", "dense", "points", "lists", "tradeoff"}, default="auto"
        How the closest pair is found: from all distances, O(n²) memory; from points as needed, O(n d) memory
        (``single``, ``ward``, ``centroid``, ``median``, and ``average`` of squared or cosine distances); from lists of
        nearest clusters, O(n k) memory (``chamfer``, ``chamfer_normalized``, ``chamfer_capped``); or by the paper's
        trade-off, O(n² / t) memory (``chamfer``, ``chamfer_normalized``). The tree is the same unless values tie.
    source : {"auto", "blas", "tree", "cdist", "ann"}, sparse matrix or Source, default="auto"
        Where the lists engine gets nearest clusters from, see `chamfer.sources`: matrix multiplication, a k-d tree,
        ``cdist``; approximately, from an index of nearest neighbours (``pip install chamfer[ann]``); a graph of nearest
        neighbours, as scikit-learn's ``kneighbors_graph`` makes it, with at least `n_neighbors` + 1 of them for each
        point (32 for the other linkages); or an object of your own.
    t : int, optional
        For the tradeoff engine: clusters of at least t points keep their distances, those of smaller ones are computed
        again whenever they merge. By default the smallest number for which the memory is enough.
    n_jobs : int, optional
        Number of threads; all there are by default, negative numbers count from there as in scikit-learn.
    memory_limit : int or str, optional
        Most memory to use, in bytes or as ``"4GB"``; what is available by default.
    checkpoint : str or path-like, optional
        For the lists engine: a file that keeps what takes long to compute. A run that was killed goes on from it when
        repeated with the same arguments, and gives the same tree. The file stays when the tree is done. A damaged one
        is kept beside the new one, with ``.damaged`` added to its name.
    progress : bool, default=False
        Show progress bars.
    info : chamfer.Info, optional
        Filled with what the lists engine did: source, refreshes, seconds by phase.
    client : distributed.Client, optional
        The cluster on which nearest clusters are searched for (``chamfer``, ``chamfer_normalized``,
        ``chamfer_capped``). A Dask array needs none: the current client is taken, or threads of this process.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix: row ``i`` merges clusters ``Z[i, 0] < Z[i, 1]`` at height ``Z[i, 2]`` into cluster
        ``n + i`` of ``Z[i, 3]`` points, in merge order. Chamfer, centroid and median heights may fall from one merge
        to a later one: cut with `chamfer.cut`, or pass through `chamfer.monotone` before SciPy's functions.

    Notes
    -----
    For clusters A and B and a distance d between points:

    ================================  ===================================================
    ``chamfer``                       Ch(A,B) = Σ_{a∈A} min_{b∈B} d(a,b), the smaller of Ch(A,B) and Ch(B,A)
    ``chamfer_normalized``            Ch(A,B) / \|A\|, the smaller of both directions
    ``chamfer_capped``                Σ_{a∈A} min(κ(a), min_{b∈B} d(a,b)), the smaller of both directions
    ``chamfer_symmetric``             Ch(A,B) + Ch(B,A)
    ``chamfer_normalized_symmetric``  Ch(A,B) / \|A\| + Ch(B,A) / \|B\|
    ``single``                        min d(a,b)
    ``complete``                      max d(a,b)
    ``average``                       mean d(a,b)
    ``weighted``                      mean of the values of the two clusters that A was merged from
    ``ward``                          √(2\|A\|\|B\| / (\|A\|+\|B\|)) · ‖mean A − mean B‖
    ``centroid``                      ‖mean A − mean B‖
    ``median``                        ‖m(A) − m(B)‖, m being the midpoint of the two centres merged
    ================================  ===================================================

    In ``chamfer_capped``, κ(a) is the distance from a to its (`n_neighbors` + 1)-th nearest other point, so that an
    outlier or a far corner of A cannot veto a merge. A is a candidate to join B if B holds one of the `n_neighbors`
    nearest neighbours of a point of A; when no candidates are left, the remaining clusters are merged by plain
    Chamfer linkage.

    The last three need Euclidean distances. Of equal values the pair with the smaller lower cluster number is merged,
    then the one with the smaller higher number, wherever the engine compares the two.

    Trees do not depend on the scale of `X`: Euclidean distances are computed in a unit of their own, in which squares
    neither overflow nor vanish, and heights are given in yours. Two points that are closer than 2^-560 of the diagonal
    of all points count as equal. `X` is copied; what happens to it meanwhile changes nothing.

    References
    ----------
    Chamfer-Linkage for Hierarchical Agglomerative Clustering.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 1.5, 2. ],
           [4. , 5. , 9. , 4. ]])
    """
    chosen = METHODS[check_choice("method", method, METHODS)]
    check_choice("engine", engine, ENGINES)
    run = Run(check_threads(n_jobs), Progress(progress), check_bytes("memory_limit", memory_limit))
    n_neighbors, epsilon = check_integer("n_neighbors", n_neighbors, 1), check_number("epsilon", epsilon, 0)
    if not (info is None or isinstance(info, Info)):
        raise TypeError(f"info must be a chamfer.Info, got {info!r}")
    if not (isinstance(source, str) or issparse(source)):
        source = Checked(source, "source")
    data = check_input(X, metric)
    if chosen.centres and isinstance(data, Points) and data.metric != "euclidean":
        raise ValueError(f"metric must be 'euclidean' for method {method!r}, got {metric!r}")
    if client is not None or _is_remote(data):
        _check_remote(chosen, data, method, engine, source, t, optimal_ordering)
        engine = "lists"
    if t is not None:
        t, engine = check_integer("t", t, 1, data.n), _only("t", "tradeoff", engine)
    if checkpoint is not None:
        checkpoint, engine = check_path("checkpoint", checkpoint), _only("checkpoint", "lists", engine)
    if epsilon > 0:
        engine = _with_epsilon(chosen, data, method, engine)
    if engine == "tradeoff":
        _check_tradeoff(chosen, data, method)
    use_lists = _use_lists(chosen, data, method, engine, source, run)
    use_points = not use_lists and _use_points(chosen, data, method, engine, run)
    if data.n == 1:
        return np.empty((0, 4))
    if optimal_ordering:
        _require_ordering_memory(data, run)
    given = replace(data, values=data.values.copy()) if optimal_ordering and isinstance(data, Condensed) else data
    if use_lists:
        Z = _from_lists(chosen, data, method, n_neighbors, epsilon, source, checkpoint, run, info, client)
    elif epsilon > 0:
        Z = _approximately(data, epsilon, run)
    elif use_points:
        Z = _from_points(chosen, data, method, run)
    elif engine == "tradeoff":
        Z = _from_tradeoff(chosen, data, t, run)
    else:
        Z = _from_matrix(chosen, data, method, run)
    return _order_leaves(Z, given, run) if optimal_ordering else Z


def _is_remote(data: Points | Condensed) -> bool:
    return isinstance(data, Points) and is_distributed(data.X)


def _check_remote(
    chosen: Method,
    data: Points | Condensed,
    method: str,
    engine: str,
    source: Any,
    t: int | None,
    optimal_ordering: bool,
) -> None:
    """Refuse what cannot be done with points on a cluster."""
    if isinstance(data, Condensed):
        raise ValueError("X must hold points as rows to go to a cluster, got distances")
    if not chosen.lists:
        able = ", ".join(name for name, each in METHODS.items() if each.lists)
        raise ValueError(f"method must be one of {able} for points on a cluster, got {method!r}")
    if engine not in ("auto", "lists"):
        raise ValueError(f"engine must be 'lists' for points on a cluster, got {engine!r}")
    if issparse(source) or (isinstance(source, str) and source != "auto"):
        raise ValueError(f"source must be 'auto' or a source for points on a cluster, got {source!r}")
    for name, given in (("t", t is not None), ("optimal_ordering", optimal_ordering)):
        if given:
            raise ValueError(f"{name} is not for points on a cluster")


def _use_lists(chosen: Method, data: Points | Condensed, method: str, engine: str, source: Any, run: Run) -> bool:
    """Whether to keep lists of nearest clusters, rather than all distances."""
    if isinstance(source, str):
        check_choice("source", source, SOURCES)
    wanted = engine == "lists" or not (isinstance(source, str) and source == "auto")
    if wanted and not (chosen.lists and engine in ("auto", "lists")):
        able = ", ".join(name for name, each in METHODS.items() if each.lists)
        raise ValueError(
            f"engine 'lists', which source and checkpoint are for, takes one of {able}; got method {method!r}"
        )
    if chosen.capped and engine not in ("auto", "lists"):
        raise ValueError(f"engine must be 'lists' for method {method!r}, got {engine!r}")
    if wanted or chosen.capped:
        return True
    if engine != "auto" or not chosen.lists:
        return False
    if isinstance(data, Points) and data.metric in FAST_METRICS:
        late = chosen.normalized and data.X.shape[1] > FEW_COORDINATES
        if data.n >= (NORMALIZED_FROM if late else LISTS_FROM):
            return True
    return not fits(data, chosen.square, run.memory_limit)


def _from_lists(
    chosen: Method,
    data: Points | Condensed,
    method: str,
    n_neighbors: int,
    epsilon: float,
    source: Any,
    checkpoint: str | None,
    run: Run,
    info: Info | None,
    client: Any,
) -> Array:
    k = min(data.n - 1, n_neighbors + 1 if chosen.capped else lists.FIRST)
    need = lists.lists_bytes(data, k)
    run.require(need, f"engine 'lists' with {data.n} points", "take fewer points")
    grow = partial(
        run_lists,
        normalized=chosen.normalized,
        n_neighbors=n_neighbors if chosen.capped else None,
        epsilon=epsilon,
        threads=run.threads,
        progress=run.progress,
        info=info,
    )
    with ExitStack() as stack:
        if isinstance(source, str) and (client is not None or _is_remote(data)):
            from chamfer.sources.dask import DaskSource

            assert isinstance(data, Points)
            X = data.X if _is_remote(data) else data
            found: Source = stack.enter_context(DaskSource(X, data.metric, client=client, n_jobs=run.threads))
        else:
            found = make_source(source, data, k, run.threads)
        if found.n != data.n:
            raise ValueError(f"source must have as many points as X, {data.n}, got {found.n}")
        if checkpoint is None:
            return grow(found)
        facts = {
            "method": method,
            "n_neighbors": n_neighbors if chosen.capped else None,
            "epsilon": epsilon,
            "source": source if isinstance(source, str) else [source_name(found), getattr(found, "fingerprint", None)],
            "lists": [lists.FIRST, lists.AGAIN, lists.BATCH, lists.NEAR],
            **describe(data),
        }
        kept = stack.enter_context(Checkpoint(checkpoint, facts))
        # Where two sources are about as fast, the clock may choose another than it did before.
        name = kept.recall(b"source", lambda: source_name(found).encode()).decode()
        if name != source_name(found):
            found = make_source(name.removesuffix("Source").lower(), data, k, run.threads)
        return grow(Checked(Remembered(found, kept), f"checkpoint {checkpoint}"))


def _use_points(chosen: Method, data: Points | Condensed, method: str, engine: str, run: Run) -> bool:
    """Whether to compute linkage values from points as needed, rather than keep a matrix."""
    possible = isinstance(data, Points) and data.metric in chosen.points
    if engine == "points" and not possible:
        able = ", ".join(name for name, each in METHODS.items() if each.points)
        raise ValueError(
            f"engine 'points' takes observations, a fast metric and one of {able} ('average' without 'euclidean'); "
            f"got method {method!r}"
        )
    if engine != "auto" or not possible:
        return engine == "points"
    assert isinstance(data, Points)
    few = data.X.shape[1] <= FEW_COORDINATES and (method != "average" or data.n >= AVERAGE_FROM)
    many = data.n >= (CLOSER_FROM if method in ("centroid", "median") else POINTS_FROM)
    return few or many or not fits(data, chosen.square, run.memory_limit)


def _from_points(chosen: Method, data: Points | Condensed, method: str, run: Run) -> Array:
    assert isinstance(data, Points)
    assert chosen.core is not None
    purpose = f"method {method!r} of {data.n} points with engine 'points'"
    run.require(points_bytes(data), purpose, "take fewer points")
    return _in_callers_unit(run_points(chosen.core, data, run.threads, run.progress), data)


def _check_tradeoff(chosen: Method, data: Points | Condensed, method: str) -> None:
    if chosen.core is None or not (chosen.lists and isinstance(data, Points) and data.metric in FAST_METRICS):
        able = ", ".join(name for name, each in METHODS.items() if each.lists and each.core)
        raise ValueError(f"engine 'tradeoff' takes observations, a fast metric and one of {able}; got {method!r}")


def _from_tradeoff(chosen: Method, data: Points | Condensed, t: int | None, run: Run) -> Array:
    assert isinstance(data, Points)
    assert chosen.core is not None
    return _in_callers_unit(run_tradeoff(chosen.core, data, t, run.threads, run.progress, run.memory_limit), data)


def _with_epsilon(chosen: Method, data: Points | Condensed, method: str, engine: str) -> str:
    """The engine that does with values near the smallest."""
    if not chosen.approximate or (chosen.approximate == "points" and isinstance(data, Condensed)):
        able = ", ".join(name for name, each in METHODS.items() if each.approximate)
        raise ValueError(f"epsilon must be 0 but for {able} ('centroid' of observations); got method {method!r}")
    return _only("epsilon", chosen.approximate, engine)


def _approximately(data: Points | Condensed, epsilon: float, run: Run) -> Array:
    assert isinstance(data, Points)
    return _in_callers_unit(run_approximate(data.X, epsilon, make_index(data.X, run.threads), run.progress), data)


def _only(name: str, engine: str, given: str) -> str:
    """The one engine that an argument is for, if no other was given."""
    if given not in ("auto", engine):
        raise ValueError(f"{name} is for engine {engine!r}, got {given!r}")
    return engine


def _from_matrix(chosen: Method, data: Points | Condensed, method: str, run: Run) -> Array:
    assert chosen.core is not None
    need = dense_bytes(data, chosen.square)
    half = "pass X as float32, " if data.dtype == np.float64 else ""
    advice = f"{half}take fewer points" + (" or engine='points'" if chosen.points else "")
    run.require(need, f"method {method!r} of {data.n} points with engine 'dense'", advice)
    Z = run_dense(chosen.core, data, chosen.square, chosen.centres, run.threads, run.progress)
    return _in_callers_unit(Z, data)


def _in_callers_unit(Z: Array, data: Points | Condensed) -> Array:
    """Z with heights as the caller measures them."""
    if isinstance(data, Points):
        Z[:, 2] = np.ldexp(Z[:, 2], data.height_exponent)
    return Z


def _require_ordering_memory(data: Points | Condensed, run: Run) -> None:
    # SciPy makes square matrices of distances and of costs.
    run.require(36 * data.n * data.n, f"optimal_ordering of {data.n} points", "pass optimal_ordering=False")


def _order_leaves(Z: Array, data: Points | Condensed, run: Run) -> Array:
    from scipy.cluster.hierarchy import optimal_leaf_ordering

    values = data.values if isinstance(data, Condensed) else distances.condensed(data, run.threads)
    values = values.astype(np.float64, copy=False)
    # SciPy takes 2^30 for infinity.
    return np.asarray(optimal_leaf_ordering(Z, multiply(values, -int(np.frexp(values.max())[1]))))
