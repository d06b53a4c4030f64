"""The lists engine: exact Chamfer linkage in O(n k) memory.

The core merges until it needs lists that it does not have, and returns their points. The source finds the nearest
clusters of these points, and the core continues. Progress, interrupts, checkpoints and Dask stay in Python.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Condensed, Points
from chamfer.engines.base import (
    Engine,
    Task,
    TiedNeighboursError,
    kept_coordinates,
    refuse_light,
    refuse_ordering,
    search_seconds,
)
from chamfer.methods import Linkage, names
from chamfer.progress import Info, Tick
from chamfer.sources.base import Answer, CheckedSource, Source
from chamfer.sources.checkpoint import Checkpoint, RememberedSource, describe
from chamfer.sources.dask import DaskSource
from chamfer.sources.dask_index import DaskIndexSource
from chamfer.sources.graph import nearest_first
from chamfer.sources.make import holds_rows, make_source, refuse_source
from chamfer.sources.products import near_order
from chamfer.sources.rows import ROWS


class ListsEngine(Engine):
    """Keeps, for every point, its nearest clusters and a bound for all others."""

    name = "lists"
    space = "O(n k): a list of k nearest clusters for each point"
    takes = ("epsilon", "source", "checkpoint", "points on a cluster", "sample_weight")

    def knows(self, linkage: Linkage) -> bool:
        """Sums over one cluster of minima over the other, in one direction."""
        return linkage.family == "chamfer" and not linkage.symmetric

    def _refuses(self, task: Task) -> str | None:
        if not self.knows(task.linkage):
            where = " for points on a cluster" if task.remote else ""
            return f"engine 'lists' takes one of {names(self.knows)}{where}; got {task}"
        if task.remote and task.options.optimal_ordering:
            return "optimal_ordering must be False for points on a cluster, got True"
        refused = refuse_source(task.options.source, task.all_pairs, task.remote)
        return refused or refuse_light(task) or refuse_ordering(task)

    def memory(self, task: Task) -> int:
        """Lists and their columns, what is known of clusters, and what a source needs beside them."""
        n, first = task.data.n, _first(task)
        need = n * (24 * first + (350 if _weights(task) is None else 400))
        if _is_approximate(task.options.source):
            need += n * 48 * first  # the graph, and the longer lists that it is built from
        if task.remote:
            return need
        by_rows = isinstance(task.options.source, str) and task.options.source == "cdist"
        if by_rows or not task.fast:
            # Otherwise there is a copy in another order, or in space.
            return need + (40 * ROWS * n if by_rows or holds_rows(task.all_pairs) else 100 * n + 3 * task.data.nbytes)
        blocks = n // 256 + 1  # pairs of blocks are sorted by distance, at most 2^24 at a time
        copy = task.data.nbytes if _is_sortable(task) else 0
        return need + copy + 8 * n * kept_coordinates(task) + 12 * min(blocks * (blocks + 1) // 2, 1 << 24)

    def cost(self, task: Task) -> float:
        """A search among all points, and lists."""
        now, n = tuning.current, task.data.n
        lists = tuning.at(now.lists_point, task.coordinates) * n
        if task.linkage.normalized:
            lists *= tuning.at(now.lists_chains, task.coordinates)
            uneven = tuning.at(now.lists_uneven, task.coordinates)
            lists *= uneven if uneven > 1 and task.spread.unevenness >= now.uneven_points else 1
        if isinstance(task.data, Condensed):
            return now.given_pair * n**2 + lists
        # The core computes each distance once, cdist twice.
        return search_seconds(task) * (1 if task.fast else 2) + lists

    def run(self, task: Task) -> Array:
        """Sort many points, so that what is near in space is near in memory, unless their order decides ties."""
        if _is_sortable(task):
            assert isinstance(task.data, Points)
            order = near_order(task.data.X)
            X = np.ascontiguousarray(task.data.X[order])
            points = Points(X, task.data.metric, exponent=task.data.exponent)
            Z = self._run(replace(task, data=points), order)
            if Z is not None:
                return Z
        Z = self._run(task)
        assert Z is not None
        return Z

    def _run(self, task: Task, numbers: Array | None = None) -> Array | None:
        """Make the source, and let the core ask it; from a checkpoint if there is one.

        Points have other `numbers` in the tree if they are sorted. None: these decide which neighbours a point has.
        """
        with ExitStack() as stack:
            source = _source(task, task.options.source)
            if isinstance(source, DaskSource | DaskIndexSource):
                stack.callback(source.close)
            if source.n != task.data.n:
                raise ValueError(f"source must have as many points as X, {task.data.n}, got {source.n}")
            if task.options.checkpoint is not None:
                source = _remembered(source, task, stack)
            return _grow(source, task, numbers)


def _weights(task: Task) -> Array | None:
    return None if task.constraints is None else task.constraints.weights


def _is_sortable(task: Task) -> bool:
    """Whether merging many points takes longer for their order in memory, and nobody else knows it."""
    if task.linkage.capped and _weights(task) is not None:
        return False  # equally near points are told apart by their numbers, where weights end a list
    now, options = tuning.current, task.options
    own = isinstance(options.source, str) and options.source in ("auto", "tree", "blas")
    here = task.fast and not task.remote and options.client is None and options.checkpoint is None
    return own and here and task.data.n >= now.sorted_points and task.d <= now.tree_coordinates


def _first(task: Task) -> int:
    """Clusters on a first list."""
    capped = task.linkage.capped
    return min(task.data.n - 1, task.options.n_neighbors + 1 if capped else tuning.current.first_list)


def _is_approximate(source: Any) -> bool:
    return isinstance(source, str) and source == "ann"


def _source(task: Task, source: Any) -> Source:
    options = task.options
    return make_source(source, task.all_pairs, _first(task), task.threads, options.client, options.recall)


def _remembered(source: Source, task: Task, stack: ExitStack) -> Source:
    """The source, whose answers are kept in the checkpoint and read from it."""
    options, now, path = task.options, tuning.current, task.options.checkpoint
    assert path is not None
    facts = {
        "method": task.linkage.name,
        "n_neighbors": options.n_neighbors if task.linkage.capped else None,
        "epsilon": options.epsilon,
        "recall": options.recall if _is_approximate(options.source) else None,
        "source": options.source if isinstance(options.source, str) else [source.name, source.fingerprint],
        "lists": [now.first_list, now.next_list, now.batch, now.near_part, now.near_pairs],
        **describe(task.all_pairs, _weights(task)),
    }
    kept = stack.enter_context(Checkpoint(path, facts))
    # Where two sources are about as fast, the clock may choose another than it did before.
    name = kept.recall(b"source", lambda: source.name.encode()).decode()
    if name != source.name:
        source = _source(task, name.removesuffix("Source").lower())
    return CheckedSource(RememberedSource(source, kept), f"checkpoint {path}")


def _grow(source: Source, task: Task, numbers: Array | None) -> Array | None:
    """Merge, and ask the source for what is missing, until one cluster is left."""
    info = Info() if task.options.info is None else task.options.info
    info.source = source.name
    info.recall = None
    n, threads = source.n, task.threads
    with task.progress.stage("nearest neighbours", n, "point") as tick, _timed(info, "first"):
        answer = _first_lists(source, task, info, tick)
        if numbers is not None and task.linkage.capped and _tied(answer):
            return None
        if task.linkage.capped:
            _keep_neighbours(answer, task)
        engine = _engine(source, task, numbers)
        engine.start(**answer._asdict())
        del answer  # the engine has what it needs of it
    with task.progress.stage("merges", n - 1, "merge") as tick:
        while True:
            with _timed(info, "merge"):
                points, k, only = engine.advance(tick)
            if not len(points):
                break
            with _timed(info, "refresh"):
                labels = engine.labels()
                if only < 0:
                    engine.refresh(points, **source.nearest(points, labels, k, threads)._asdict())
                else:
                    engine.complete(points, cluster=only, distances=_to_one(source, points, labels, only, threads))
            info.refreshes += 1
            info.refreshed += len(points)
            info.entries = max(info.entries, len(points) * k)
    Z: Array = engine.tree()
    unit = 0 if task.linkage.normalized else _unit(_weights(task))
    Z[:, 2] = np.ldexp(Z[:, 2], source.height_exponent + unit)
    return Z


def _engine(source: Source, task: Task, numbers: Array | None) -> Any:
    """The compiled engine, before it has any list."""
    now, linkage = tuning.current, task.linkage
    weights = _weights(task)
    build = getattr(_core, f"{'' if weights is None else 'Weighted'}Lists{8 * source.dtype.itemsize}")
    X, metric = (None, "euclidean") if source.points is None else (source.points.X, source.points.core_metric)
    near = source.n // now.near_part if source.near is None else min(source.n // now.near_part, source.near)
    options = _core.ListsOptions(
        normalized=linkage.normalized,
        capped=linkage.capped,
        k=now.next_list,
        batch=now.batch,
        near=near,
        pairs=now.near_pairs,
        epsilon=task.options.epsilon,
        threads=task.threads,
    )
    if numbers is None:
        numbers = np.arange(source.n, dtype=np.int32)
    if weights is not None:
        weights = np.ldexp(weights[numbers], -_unit(weights))
    return build(source.n, options=options, X=X, metric=metric, numbers=numbers, weights=weights)


def _unit(weights: Array | None) -> int:
    """The exponent of the unit in which no weight is above one, so that sums are no larger than without weights."""
    return 0 if weights is None else int(np.frexp(weights.max())[1])


def _first_lists(source: Source, task: Task, info: Info, tick: Tick | None) -> Answer:
    """A list for every point, in arrays that nobody else has."""
    everything = np.arange(source.n, dtype=np.int32)
    answer = source.nearest(everything, everything, _first(task), task.threads, tick)
    if isinstance(source, CheckedSource):
        answer = Answer(*(each.copy() for each in answer))
    info.entries = answer.clusters.size
    info.recall = getattr(source, "recall", None)
    return answer


def _tied(answer: Answer) -> bool:
    """Whether some list has two farthest clusters: the numbers of points decide which one is on it."""
    farthest, times = answer.distances[:, 0].copy(), np.ones(len(answer.distances), np.int32)
    for column in answer.distances.T[1:]:
        times = np.where(column > farthest, 1, times + (column == farthest))
        np.maximum(farthest, column, out=farthest)
    return bool((times > 1).any())


def _to_one(source: Source, points: Array, labels: Array, only: int, threads: int) -> Array:
    """Distances from points of one cluster to another one: as if all the rest belonged to the first."""
    two = np.where(labels == only, labels, labels[points[0]])
    answer = source.nearest(points, two, 1, threads)
    return np.where(answer.clusters[:, 0] == only, answer.distances[:, 0], source.dtype.type(np.inf))


@contextmanager
def _timed(info: Info, phase: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    info.seconds[phase] += time.perf_counter() - start


def _keep_neighbours(answer: Answer, task: Task) -> None:
    """Make lists of what counts as a neighbour in the capped linkage, and the bound of what a point counts at most."""
    weights, n_neighbors = _weights(task), task.options.n_neighbors
    if weights is not None:
        if _keep_weight(nearest_first(answer), weights, n_neighbors) and task.folded:
            raise TiedNeighboursError
    elif answer.clusters.shape[1] == n_neighbors + 1:
        _drop_farthest(answer)


def _keep_weight(answer: Answer, weights: Array, n_neighbors: int) -> bool:
    """Of sorted lists, keep what is among the `n_neighbors` nearest if each point is there as often as it weighs.

    Whether somewhere points are equally near, and not all of them are neighbours, as often as they weigh.
    """
    tied, before, was_near = False, np.full(len(weights), -1, answer.distances.dtype), np.zeros(len(weights), bool)
    seen = weights.copy()  # of a point and of what is nearer than the next on its list
    capped = seen >= n_neighbors + 2
    answer.bounds[capped] = 0
    for clusters, distances in zip(answer.clusters.T, answer.distances.T, strict=True):
        listed, near = clusters >= 0, seen < n_neighbors + 1
        seen += np.where(listed, weights[clusters], 0)
        farthest = listed & ~capped & (seen >= n_neighbors + 2)
        answer.bounds[farthest] = distances[farthest]
        capped |= farthest
        same = listed & (distances == before)
        near_before = np.where(same, was_near, near)  # the first of those that are equally near
        tied |= bool((same & near_before & (seen > n_neighbors + 1)).any())
        before, was_near = distances.copy(), near_before
        clusters[~near] = -1
    return tied


def _drop_farthest(answer: Answer) -> None:
    """Make lists one cluster shorter: the farthest only gives the bound, which is what a point counts at most."""
    # Of equally far ones the larger label goes, as if one less had been asked for. Column by column: NumPy ends the
    # process if there is no memory to compare arrays of different shapes.
    distances, clusters = answer.distances, answer.clusters
    rows, last = np.arange(len(clusters)), np.zeros(len(clusters), np.intp)
    for column in range(1, clusters.shape[1]):
        here, farthest = distances[:, column], distances[rows, last]
        later = (here == farthest) & (clusters[:, column] > clusters[rows, last])
        last[(here > farthest) | later] = column
    clusters[rows, last] = -1
