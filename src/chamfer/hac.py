"""`linkage`: checks what it is given, chooses an engine, runs it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from scipy.sparse import issparse, sparray, spmatrix

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Condensed, Metric, Points, SparseDistances
from chamfer.constraints import Constraints, check_constraints
from chamfer.distances import pairwise
from chamfer.edges import check_sparse_distances
from chamfer.engines.base import Engine, Options, Task
from chamfer.engines.choose import NAMES, choose
from chamfer.folding import run_folded
from chamfer.inputs import (
    check_bytes,
    check_choice,
    check_input,
    check_integer,
    check_number,
    check_path,
    check_share,
    with_params,
)
from chamfer.mapped import check_mapped
from chamfer.memory import available_memory, too_little
from chamfer.methods import METHODS
from chamfer.nearest import Neighbors
from chamfer.progress import Info, Progress
from chamfer.sources.base import CheckedSource, Source
from chamfer.sources.make import RECALL, SOURCES
from chamfer.threads import available_threads, check_threads
from chamfer.units import multiply

_AUTO = "auto"
EXACT, NEIGHBORS = 0.0, 15  # defaults by name, which the estimator can compare by identity
_empty, _ndarray = np.empty, np.ndarray  # for the short way, where finding them in NumPy takes time
_SHARED = 1 << 22  # products of coordinates that are worth more than one thread
# Linkages that need no options, and their fast metrics.
_PLAIN = {name: each.metrics or FAST_METRICS for name, each in METHODS.items() if not each.capped}
_Linkage = TypeVar("_Linkage", bound=Callable[..., Array])


def few(X: Array, method: Any, metric: Any) -> Array | None:
    """Z of a plain array by the short way and default options; None if that takes more thought."""
    if type(method) is not str or type(metric) is not str or metric not in _PLAIN.get(method, ()):
        return None
    threads = available_threads() if X.ndim == 2 and X.size * len(X) >= _SHARED else 1
    return _core.few(X, method, metric, threads, _empty)  # type: ignore[return-value]  # a cast would take 50 ns


def _with_short_way(long: _Linkage) -> _Linkage:
    """Take the short way if there are no options. To look at them all takes longer than to cluster ten points."""

    @wraps(long)
    def linkage(
        X: Any, method: str = "chamfer", metric: Metric = "euclidean", optimal_ordering: bool = False, **options: Any
    ) -> Array:
        if not options and optimal_ordering is False and type(X) is _ndarray:
            Z = few(X, method, metric)
            if Z is not None:
                return Z
        return long(X, method, metric, optimal_ordering, **options)

    return cast(_Linkage, linkage)


@_with_short_way
def linkage(
    X: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    optimal_ordering: bool = False,
    *,
    n_neighbors: int = NEIGHBORS,
    epsilon: float = EXACT,
    engine: str = _AUTO,
    source: str | Source | Neighbors | sparray | spmatrix = _AUTO,
    t: int | None = None,
    n_jobs: int | None = None,
    memory_limit: int | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    info: Info | None = None,
    client: Any = None,
    recall: float = RECALL,
    sample_weight: Any = None,
    connectivity: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    max_size: float | None = None,
    forest: bool = False,
    default: float | None = None,
    metric_params: Mapping[str, Any] | None = None,
) -> Array:
    r"""Cluster points hierarchically.

    Starting from single points, the two clusters with the smallest linkage value are merged until one is left.

    Parameters
    ----------
    X : array-like
        Observations of shape (n, d); or condensed distances of shape (n (n - 1) / 2,), as made by
        ``scipy.spatial.distance.pdist``; or a square matrix of distances with ``metric="precomputed"``. For ``single``,
        ``complete`` and ``average`` some may be infinite: what they keep apart is joined at infinity. A sparse matrix
        of observations stays sparse (``"euclidean"``, ``"sqeuclidean"``, ``"cosine"``); one of distances holds those of
        some pairs, and all others are `default`: entries of 0 count, and either direction is enough. Distances are
        kept in float32 if `X` is float32, otherwise in float64; of up to 512 points always in float64, unless options
        ask for an engine. A Dask array stays where it is, see `DaskSource`; so does a memory map of which a copy
        would take more than a quarter of the memory, for the lists engine and ``single``.
    method : str, default="chamfer"
        The linkage, see Notes.
    metric : str or callable, default="euclidean"
        ``"euclidean"``, ``"sqeuclidean"``, ``"cosine"`` and ``"correlation"`` are fast; every other metric of
        ``scipy.spatial.distance.cdist`` works too, and ``"haversine"``. ``"nan_euclidean"`` allows missing values, with
        scikit-learn's scaling. Ignored for condensed distances.
    optimal_ordering : bool, default=False
        Order leaves so that neighbours in a plot are close, by ``scipy.cluster.hierarchy.optimal_leaf_ordering``.
    n_neighbors : int, default=15
        For ``chamfer_capped``: the number of neighbours of a point that count.
    epsilon : float, default=0
        Merges need not have the smallest value but one within a factor of 1 + `epsilon`. For ``chamfer`` and
        ``chamfer_normalized`` this is certain, and saves searches; the height is Ch(A,B) in the direction in which
        it was found. ``centroid`` takes it too and merges exactly, which was faster than an approximation.
    engine : {"auto", "dense", "points", "lists", "tradeoff"}, default="auto"
        How the closest pair is found: from all distances, O(n²) memory; from points as needed, O(n d) memory; from
        lists of nearest clusters, O(n k) memory; or by the paper's trade-off, O(n² / t) memory. The tree is the same
        unless values tie. See Notes for the linkages of each.
    source : {"auto", "blas", "tree", "cdist", "ann"}, Neighbors, sparse matrix or Source, default="auto"
        Where the lists engine gets nearest clusters from, see `chamfer.sources`: matrix multiplication, a k-d tree,
        ``cdist``; approximate nearest neighbours (``"ann"``, see `recall`); a graph of nearest neighbours, as
        `chamfer.neighbors` or scikit-learn's ``kneighbors_graph`` makes it, with at least `n_neighbors` + 1 of them for
        each point (32 for the other linkages); or an object of your own.
    t : int, optional
        For the tradeoff engine: clusters of at least t points keep their distances, those of smaller ones are computed
        again whenever they merge. By default the smallest number for which the memory is enough.
    n_jobs : int, optional
        Number of threads; all there are by default, negative numbers count from there as in scikit-learn.
    memory_limit : int or str, optional
        Most memory to use, in bytes or as ``"4GB"``; what is available by default.
    checkpoint : str or path-like, optional
        For the lists engine: a file that keeps what takes long to compute. A run that was killed resumes from it when
        repeated with the same arguments, and gives the same tree. The file stays when the tree is done. A damaged one
        is kept beside the new one, with ``.damaged`` added to its name.
    progress : bool, default=False
        Show progress bars.
    info : chamfer.Info, optional
        Filled with what the lists engine did: source, refreshes, seconds by phase; and with how many rows were equal to
        others and folded into them.
    client : distributed.Client, optional
        The cluster on which nearest clusters are searched for (``chamfer``, ``chamfer_normalized``,
        ``chamfer_capped``). A Dask array needs none: the current client is taken, or threads of this process.
    recall : float, default=0.98
        With ``source="ann"``: the share of nearest neighbours to find. It is checked on a sample of the points;
        `info` has the share that was found, and a warning says so if it is less.
    sample_weight : array-like of shape (n,), optional
        A point of weight w counts as w points at the same place: sizes are sums of weights, and each term of a Chamfer
        sum is multiplied by the weight of its point. ``single``, ``complete``, ``weighted`` and ``median`` do not
        depend on it. For ``chamfer_capped`` weights are at least 1, and a point is as many neighbours as it weighs.
    connectivity : sparse matrix or array of shape (n, n), callable or "chain", optional
        Clusters may merge only if there is an edge, an entry other than 0 in either direction, between points of them.
        A callable is given `X` and returns the matrix; ``"chain"`` joins each point with the next. Heights are true
        linkage values; for ``single``, only edges count. When no edge is left between clusters, they are
        merged without regard to edges, and a warning says so; unless `forest` is true, or `cannot_link` or `max_size`
        forbid merges, too.
    must_link : array-like of shape (m, 2) or (n,), optional
        Pairs of points that are merged first, at height 0; or a label for each point, -1 for none: points with the
        same label are merged first.
    cannot_link : array-like of shape (m, 2) or (n,), optional
        Pairs of points that are never in one cluster; or a label for each point, -1 for none: no two points with the
        same label are ever in one cluster.
    max_size : int or float, optional
        The largest number of points in a cluster; with `sample_weight`, the largest weight.
    forest : bool, default=False
        If constraints leave several trees, give them without a warning, and do not merge clusters that no edge
        of `connectivity` joins.
    default : float, optional
        For a sparse `X`: the distance of pairs that it does not hold, at least as large as those that it holds;
        infinity by default. With NaN such pairs do not count: where only one of two clusters that merge has a value to
        a third one, the union takes it, as in scikit-learn along a graph.
    metric_params : dict, optional
        Arguments of the metric, as ``cdist`` takes them: ``{"p": 3}`` for ``"minkowski"``, ``V``, ``VI``, or weights
        ``w`` of the coordinates; for a function, its keyword arguments.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix: row ``i`` merges clusters ``Z[i, 0] < Z[i, 1]`` at height ``Z[i, 2]`` into cluster
        ``n + i`` of ``Z[i, 3]`` points, in merge order. Chamfer, centroid and median heights may fall from one merge
        to a later one: cut with `chamfer.cut`, or pass through `chamfer.monotone` before SciPy's functions.
        If constraints leave several trees, the last rows join them at height infinity.

    Notes
    -----
    For clusters A and B and a distance d between points:

    ================================  ==========================================================================
    ``chamfer``                       Ch(A, B) = Σ_{a∈A} min_{b∈B} d(a, b), the smaller of Ch(A, B) and Ch(B, A)
    ``chamfer_normalized``            Ch(A, B) / \|A\|, the smaller of both directions
    ``chamfer_capped``                Σ_{a∈A} min(κ(a), min_{b∈B} d(a, b)), the smaller of both directions
    ``chamfer_symmetric``             Ch(A, B) + Ch(B, A)
    ``chamfer_normalized_symmetric``  Ch(A, B) / \|A\| + Ch(B, A) / \|B\|
    ``single``                        the smallest d(a, b)
    ``complete``                      the largest d(a, b)
    ``average``                       the mean of d(a, b)
    ``weighted``                      the mean of the values of the two clusters that A was merged from
    ``ward``                          √(2 \|A\| \|B\| / (\|A\| + \|B\|)) · ‖mean A − mean B‖
    ``centroid``                      ‖mean A − mean B‖
    ``median``                        ‖m(A) − m(B)‖, where m is the midpoint of the two centres that were merged
    ================================  ==========================================================================

    In ``chamfer_capped``, κ(a) is the distance from a to its (`n_neighbors` + 1)-th nearest other point, so that an
    outlier or a far corner of A cannot veto a merge. A is a candidate to join B if B holds one of the `n_neighbors`
    nearest neighbours of a point of A; when no candidates are left, the remaining clusters are merged by plain
    Chamfer linkage.

    ``ward``, ``centroid`` and ``median`` need Euclidean distances. These engines know these linkages:

    ==============  ==============================================================================================
    ``"dense"``     all but ``chamfer_capped``
    ``"points"``    ``chamfer_symmetric``, ``chamfer_normalized_symmetric``, ``single``, ``average`` (sqeuclidean,
                    cosine), ``ward``, ``centroid``, ``median``
    ``"lists"``     ``chamfer``, ``chamfer_normalized``, ``chamfer_capped``
    ``"tradeoff"``  ``chamfer``, ``chamfer_normalized``
    ``"graph"``     all
    ==============  ==============================================================================================

    Of equal values the pair with the smaller lower cluster number is merged, then the one with the smaller higher
    number, wherever the engine compares the two.

    Trees do not depend on the scale of `X`: Euclidean distances are computed in a unit of their own, in which squares
    neither overflow nor vanish, and heights are given in yours. Two points that are closer than 2^-560 of the diagonal
    of all points count as equal. `X` is copied, unless it stays on disk; what happens to it meanwhile changes nothing.

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

    Only neighbours in sequence may merge:

    >>> chamfer.linkage([[0.0], [9.0], [1.0], [2.0]], "average", connectivity="chain")
    array([[2. , 3. , 1. , 2. ],
           [1. , 4. , 7.5, 3. ],
           [0. , 5. , 4. , 4. ]])

    Points 0 and 1 are never in one cluster, which leaves two trees:

    >>> chamfer.linkage([[0.0], [1.0], [3.0]], cannot_link=[(0, 1)], forest=True)
    array([[ 1.,  2.,  2.,  2.],
           [ 0.,  3., inf,  3.]])
    """
    chosen = METHODS[check_choice("method", method, METHODS)]
    check_choice("engine", engine, NAMES)
    threads, limit = check_threads(n_jobs), check_bytes("memory_limit", memory_limit)
    n_neighbors, epsilon = check_integer("n_neighbors", n_neighbors, 1), check_number("epsilon", epsilon, 0)
    source, info = _check_source(source), _check_info(info)
    plain = isinstance(source, str) and engine == source == _AUTO and epsilon == 0
    plain &= t is memory_limit is checkpoint is client is None
    data: Points | Condensed | SparseDistances
    if metric == "precomputed" and issparse(X):
        data = check_sparse_distances(X, default)
    else:
        named = with_params(metric, metric_params)
        data = check_mapped(X, named, limit) or check_input(
            X, named, double_if_few=plain, infinite=chosen.takes_infinite
        )
        if default is not None:
            raise ValueError(f"default must be None unless X is a sparse matrix of distances, got {default!r}")
    if isinstance(data, Points) and data.metric not in (chosen.metrics or (data.metric,)):
        raise ValueError(f"metric must be 'euclidean' for method {method!r}, got {metric!r}")
    t = None if t is None else check_integer("t", t, 1, data.n)
    path = None if checkpoint is None else check_path("checkpoint", checkpoint)
    recall = check_share("recall", recall)
    options = Options(n_neighbors, epsilon, t, source, path, client, optimal_ordering, info, recall)
    constraints = check_constraints(
        data.n,
        X,
        sample_weight=sample_weight,
        connectivity=connectivity,
        must_link=must_link,
        cannot_link=cannot_link,
        max_size=max_size,
        forest=forest,
    )
    if not chosen.sized and np.isinf(constraints.max_size):
        constraints = replace(constraints, weights=None)
    demands = constraints if constraints.special else None
    task = Task(chosen, data, options, threads, Progress(progress), limit, demands)
    with nullcontext() if constraints.weights is None else np.errstate(over="ignore"):
        Z = run_folded(task, engine)
        if Z is None:
            Z = _run(choose(task, engine), task)
    if constraints.weights is not None:
        _refuse_overflow(Z, task, constraints)
    if info is not None:
        info.trees = 1 + int(np.isinf(Z[:, 2]).sum())
    if demands is not None and not forest:
        _warn_of_forest(Z, demands)
    return _order_leaves(Z, task) if optimal_ordering and data.n > 1 else Z


def _run(engine: Engine, task: Task) -> Array:
    demands = task.constraints
    if task.data.n == 1:
        return np.empty((0, 4))
    if task.options.optimal_ordering:
        _check_ordering_memory(task)
    if demands is not None and not demands.forest:
        _warn_of_components(demands)
    return engine.run(task)


def _refuse_overflow(Z: Array, task: Task, constraints: Constraints) -> None:
    """Refuse weights by which heights are infinite, unless they may be for another reason."""
    limited = task.linkage.takes_infinite or constraints.special != ("sample_weight",)
    if np.isinf(Z[:, 2]).any() and not limited:
        raise ValueError("sample_weight must be smaller, heights overflow; divide the weights by their largest")


def _warn_of_components(constraints: Constraints) -> None:
    if constraints.joins and constraints.components > 1:
        warnings.warn(
            f"connectivity leaves {constraints.components} components, which are merged last, without regard to edges; "
            "pass forest=True to keep them apart",
            UserWarning,
            stacklevel=4,
        )


def _warn_of_forest(Z: Array, constraints: Constraints) -> None:
    trees = 1 + int(np.isinf(Z[:, 2]).sum())
    causes = [name for name in constraints.special if name in ("connectivity", "cannot_link", "max_size")]
    if trees > 1 and causes:
        warnings.warn(
            f"{' and '.join(causes)} leave{'s' if len(causes) == 1 else ''} {trees} trees, which are joined at height "
            "infinity; pass forest=True if this is meant",
            UserWarning,
            stacklevel=3,
        )


def _check_source(source: Any) -> Any:
    """The name of a source, a graph, or a source whose answers are checked."""
    if isinstance(source, str):
        return check_choice("source", source, SOURCES)
    if isinstance(source, Neighbors):
        return source.graph()
    return source if issparse(source) else CheckedSource(source, "source")


def _check_info(info: Any) -> Info | None:
    if not (info is None or isinstance(info, Info)):
        raise TypeError(f"info must be a chamfer.Info, got {info!r}")
    return info


def _check_ordering_memory(task: Task) -> None:
    # SciPy makes square matrices of distances and of costs.
    n, need = task.data.n, 36 * task.data.n**2
    there_is = available_memory() if task.limit is None else task.limit
    if need > there_is:
        purpose = f"optimal_ordering of {n} points"
        raise too_little(need, there_is, task.limit is not None, purpose, "pass optimal_ordering=False")


def _order_leaves(Z: Array, task: Task) -> Array:
    from scipy.cluster.hierarchy import optimal_leaf_ordering

    data = task.data
    assert not isinstance(data, SparseDistances)
    values = data.values if isinstance(data, Condensed) else pairwise.condensed(data, task.threads)
    values = values.astype(np.float64, copy=False)
    # SciPy takes 2^30 for infinity.
    return np.asarray(optimal_leaf_ordering(Z, multiply(values, -int(np.frexp(values.max())[1]))))
