"""Many small problems at once: trees, or clusters and their means, shared among threads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Metric, Points
from chamfer.distances import pairwise
from chamfer.engines.base import in_callers_unit
from chamfer.hac import linkage
from chamfer.inputs import check_choice, check_input, check_integer, check_metric, check_number
from chamfer.methods import METHODS
from chamfer.progress import Progress
from chamfer.threads import check_threads

ERRORS = ("raise", "return")


class ProblemError(ValueError):
    """A problem that could not be solved.

    Examples
    --------
    >>> import chamfer
    >>> try:
    ...     chamfer.linkage_many([[[0.0], [1.0]], [[float("inf")], [1.0]]])
    ... except chamfer.ProblemError as error:
    ...     print(error)
    ...     print(error.results[0])
    problem 1: X must be an array of finite real numbers, got infinity in row 0, column 0; fill it in or drop its row
    [[0. 1. 1. 2.]]

    Attributes
    ----------
    index : int
        Which one.
    results : list
        What was found for the others; exceptions in the places of those that failed.
    """

    def __init__(self, index: int, results: list[Any]) -> None:
        failed = [i for i, each in enumerate(results) if isinstance(each, Exception)]
        more = f" (and {len(failed) - 1} more problems failed)" if len(failed) > 1 else ""
        super().__init__(f"problem {index}: {results[index]}{more}")
        self.index = index
        self.results = results

    def __reduce__(self) -> Any:
        return type(self), (self.index, self.results)  # so that it can come from another process


class Clusters(NamedTuple):
    """What `cluster_many` gives: for each problem its labels, and the mean of the points of each label.

    Means have the float type of the points. They are None where distances were given, and an exception stands where a
    problem failed.

    Examples
    --------
    >>> import chamfer
    >>> labels, means = chamfer.cluster_many([[[0.0], [1.0], [5.0]]], n_clusters=2)
    >>> labels
    [array([0, 0, 1])]
    """

    labels: list[Any]
    means: list[Any]


def linkage_many(
    problems: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    *,
    offsets: Any = None,
    n_neighbors: int = 15,
    n_jobs: int | None = None,
    errors: str = "raise",
    progress: bool = False,
) -> list[Any]:
    """Cluster many small sets of points, each by itself.

    Every tree is the one that `linkage` gives. Up to 512 points make a problem small: then a thread takes one after
    the other, without Python between them.

    Parameters
    ----------
    problems : sequence of array-like, or array-like
        Points of shape (n, d), or condensed distances, of each problem; or, with `offsets`, all of them in one array.
    method, metric, n_neighbors
        As in `linkage`. ``ward``, ``centroid`` and ``median`` take any metric here, as if distances were Euclidean, as
        they do for condensed distances.
    offsets : array-like of int, optional
        Problem i is ``problems[offsets[i] : offsets[i + 1]]``.
    n_jobs : int, optional
        Number of threads; all there are by default.
    errors : {"raise", "return"}, default="raise"
        If problems fail, raise `ProblemError` for the first of them when all others are done, which it holds; or put
        the exceptions in the places of the results.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    list of ndarray of shape (n - 1, 4)
        SciPy's linkage matrix of each problem.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.linkage_many([[[0.0], [1.0], [5.0]], [[2.0], [4.0]]], "average")
    [array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 4.5, 3. ]]), array([[0., 1., 2., 2.]])]
    """
    check_choice("errors", errors, ERRORS)
    return _raise_first(_trees(_split(problems, offsets), method, metric, n_neighbors, n_jobs, progress), errors)


def cluster_many(
    problems: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    *,
    n_clusters: Any = None,
    ratio: float | None = None,
    offsets: Any = None,
    n_neighbors: int = 15,
    n_jobs: int | None = None,
    errors: str = "raise",
    progress: bool = False,
) -> Clusters:
    """Cut the tree of each of many small problems into clusters, and average the points of each cluster.

    Parameters
    ----------
    problems, method, metric, offsets, n_neighbors, n_jobs, errors, progress
        As in `linkage_many`.
    n_clusters : int or array-like of int, optional
        How many clusters to make of each problem; those with fewer points keep every point apart.
    ratio : float, optional
        Clusters for each point: a problem of n points gets ``max(1, floor(ratio * n))``. ``1 / 3`` makes a third.

    Returns
    -------
    Clusters
        ``labels``, an array for each problem, numbered from 0 by first appearance; ``means``, an array with a row for
        each label.

    Examples
    --------
    >>> import chamfer
    >>> found = chamfer.cluster_many([[[0.0], [1.0], [5.0]], [[2.0], [4.0]]], "ward", n_clusters=2)
    >>> found.labels
    [array([0, 0, 1]), array([0, 1])]
    >>> found.means[0]
    array([[0.5],
           [5. ]])
    """
    check_choice("errors", errors, ERRORS)
    each = _split(problems, offsets)
    wanted = _wanted(n_clusters, ratio, len(each))
    trees = _trees(each, method, metric, n_neighbors, n_jobs, progress)
    solved = [i for i, Z in enumerate(trees) if not isinstance(Z, Exception)]
    counts = np.array([min(wanted(i, len(trees[i]) + 1), len(trees[i]) + 1) for i in solved], dtype=np.int64)
    threads = check_threads(n_jobs)
    labels: list[Any] = list(trees)
    means: list[Any] = list(trees)
    for i in solved:
        labels[i] = np.empty(len(trees[i]) + 1, dtype=np.int64)
    _core.cut_many([trees[i] for i in solved], counts=counts, labels=[labels[i] for i in solved], threads=threads)
    for i, k in zip(solved, counts.tolist(), strict=True):
        means[i] = None if metric == "precomputed" else _means(each[i], labels[i], k)
    return Clusters(_raise_first(labels, errors), means)


def _split(problems: Any, offsets: Any) -> Sequence[Any]:
    """The problems one by one."""
    if offsets is None:
        if isinstance(problems, (str, bytes)) or not hasattr(problems, "__len__"):
            raise TypeError(f"problems must be a sequence of arrays, got {type(problems).__name__}")
        return problems if isinstance(problems, list) else list(problems)
    ends = np.asarray(offsets)
    if ends.ndim != 1 or ends.dtype.kind not in "iu" or len(ends) < 1:
        raise ValueError(f"offsets must be a sequence of integers, got {offsets!r}")
    X = problems if hasattr(problems, "shape") else np.asarray(problems)
    if (np.diff(ends.astype(np.int64)) < 0).any() or ends[0] < 0 or ends[-1] > len(X):
        raise ValueError(f"offsets must ascend from 0 to at most {len(X)}, the length of problems, got {offsets!r}")
    return [X[first:last] for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]


def _wanted(n_clusters: Any, ratio: float | None, count: int) -> Any:
    """A function that says how many clusters a problem of n points shall have."""
    if (n_clusters is None) == (ratio is None):
        raise ValueError("give either n_clusters or ratio")
    if ratio is not None:
        share = check_number("ratio", ratio, 0)
        if share > 1:
            raise ValueError(f"ratio must be at most 1, got {ratio}")
        return lambda _, n: max(1, math.floor(share * n * (1 + 1e-12)))  # a third of 3 is 1, whatever its last bit
    if np.ndim(n_clusters) == 0:
        k = check_integer("n_clusters", n_clusters, 1)
        return lambda *_: k
    numbers = [check_integer(f"n_clusters[{i}]", k, 1) for i, k in enumerate(n_clusters)]
    if len(numbers) != count:
        raise ValueError(f"n_clusters must hold a number for each of {count} problems, got {len(numbers)}")
    return lambda i, _: numbers[i]


def _trees(
    problems: Sequence[Any], method: str, metric: Metric, n_neighbors: int, n_jobs: int | None, progress: bool
) -> list[Any]:
    """Z of each problem, or the exception that it met."""
    chosen = METHODS[check_choice("method", method, METHODS)]
    name, threads = check_metric(metric), check_threads(n_jobs)
    check_integer("n_neighbors", n_neighbors, 1)
    with Progress(progress).stage("problems", len(problems), "problem") as tick:
        if chosen.capped or name not in FAST_METRICS:
            trees: list[Any] = [None] * len(problems)
        else:
            # What is no plain array, such as one with a mask, takes the long way and its checks.
            plain = [each if type(each) is np.ndarray else None for each in problems]
            trees = _core.few_many(plain, method=method, metric=name, empty=np.empty, threads=threads, tick=tick)
        for i in [i for i, Z in enumerate(trees) if Z is None]:
            try:
                trees[i] = _tree(problems[i], method, name, n_neighbors, n_jobs)
            except (ValueError, TypeError, MemoryError) as error:
                trees[i] = error
            if tick is not None:
                tick(i)
    return trees


def _tree(problem: Any, method: str, metric: Metric, n_neighbors: int, n_jobs: int | None) -> Array:
    """Z of a problem that takes more thought."""
    known = METHODS[method].metrics
    if known and metric not in known:
        points = check_input(problem, metric)
        if isinstance(points, Points):
            if points.n == 1:
                return np.empty((0, 4))
            Z = linkage(pairwise.condensed(points, check_threads(n_jobs)), method, n_jobs=n_jobs)
            return in_callers_unit(Z, points)
    return linkage(problem, method, metric, n_neighbors=n_neighbors, n_jobs=n_jobs)


def _means(problem: Any, labels: Array, count: int) -> Array | None:
    X = np.asarray(problem)
    if X.ndim != 2:
        return None
    X = np.ascontiguousarray(X, np.float32 if X.dtype == np.float32 else np.float64)
    out = np.empty((count, X.shape[1]), X.dtype)
    _core.label_means(X, labels=labels, out=out)
    return out


def _raise_first(results: list[Any], errors: str) -> list[Any]:
    if errors == "raise":
        for index, each in _failed(results):
            raise ProblemError(index, results) from each
    return results


def _failed(results: list[Any]) -> Iterator[tuple[int, Exception]]:
    return ((i, each) for i, each in enumerate(results) if isinstance(each, Exception))
