"""The graph engine: merges along edges, in memory and time that follow the number of edges.

Values come from cluster centres, or from the distances of the edges: `contraction.hpp`. Those of Chamfer linkages
come from the distances between points and adjacent clusters: `chamfer_contraction.hpp`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from chamfer import _core, tuning
from chamfer._types import Array, Points, SparseDistances
from chamfer.constraints import Constraints, complete_graph, trees_apart
from chamfer.engines.base import (
    Engine,
    Task,
    in_callers_unit,
    refuse_capped,
    refuse_light,
    refuse_ordering,
    search_seconds,
)
from chamfer.engines.points import ABLE, PointsEngine
from chamfer.methods import Linkage, names
from chamfer.progress import Tick
from chamfer.sources.choose import choose_source
from chamfer.sources.graph import all_nearest

_TREES = 4096  # of a forest, whose pairs are compared at most
_EDGES = 1 << 20  # whose distances are computed at a time


class GraphEngine(Engine):
    """Contracts the edges of a graph, shortest first."""

    name = "graph"
    space = "O(edges)"
    takes = ("sample_weight", "connectivity", "must_link", "cannot_link", "max_size", "sparse distances")
    asked_by = takes

    def knows(self, linkage: Linkage) -> bool:
        """Those whose values follow from centres or the distances of edges, and Chamfer linkages."""
        return bool(linkage.from_points) or linkage.from_edges or _is_chamfer(linkage)

    def _refuses(self, task: Task) -> str | None:
        if isinstance(task.data, SparseDistances):
            if not task.linkage.from_edges:
                able = names(lambda linkage: linkage.from_edges)
                return f"method must be one of {able} for sparse distances, got {task.linkage.name!r}"
            return refuse_ordering(task) or _refuse_with_sparse(task.data, task.constraints)
        if task.constraints is None or task.constraints.graph is None:
            needs = f"engine 'graph' needs connectivity, or sparse distances; got {task}"
            return super()._refuses(task) or refuse_capped(task) or needs
        known = isinstance(task.data, Points) and task.data.metric in task.linkage.from_points
        if not (task.fast and (known or _is_chamfer(task.linkage))):
            return f"engine 'graph' takes observations and one of {names(_is_chamfer)}, {ABLE}; got {task}"
        return refuse_capped(task) or refuse_light(task) or refuse_ordering(task) or _refuse_components(task)

    def memory(self, task: Task) -> int:
        """Lists of neighbours, with up to twice as many entries as edges, and centres; for single linkage the edges."""
        n = task.data.n
        edges = int(_graph(task).nnz)
        if _is_chamfer(task.linkage):
            return _chamfer_memory(task, edges)
        if task.linkage.family == "single":
            return 40 * edges + 100 * n
        points = 0 if isinstance(task.data, SparseDistances) else n * (8 * task.d + 8)
        return 70 * edges + 150 * n + points

    def cost(self, task: Task) -> float:
        """A distance for each edge, some ten times; for Chamfer linkages, those of most pairs of points."""
        now, edges = tuning.current, float(_graph(task).nnz)
        if _is_chamfer(task.linkage):
            return 2 * now.contracted_edge * edges + 2 * search_seconds(task)
        return (now.contracted_edge + 10 * task.d * now.coordinate) * edges

    def run(self, task: Task) -> Array:
        """Contract edges; then join what is left, unless a forest is wanted."""
        if isinstance(task.data, SparseDistances):
            return _sparse(task, task.data)
        assert isinstance(task.data, Points)
        if _is_chamfer(task.linkage):
            return in_callers_unit(_by_chamfer(task.data, task), task.data)
        metric, points = task.data.metric, replace(task.data, metric="sqeuclidean")
        with task.progress.stage("merges", task.data.n - 1, "merge") as tick:
            run = _along_edges if task.linkage.family == "single" else _by_centres
            Z = run(points, task, tick)
        if metric == "euclidean":
            Z[:, 2] = np.sqrt(Z[:, 2])
        elif metric == "cosine":
            Z[:, 2] /= 2
        return in_callers_unit(Z, task.data)


def _is_chamfer(linkage: Linkage) -> bool:
    return linkage.family == "chamfer"


def _graph(task: Task) -> csr_array:
    if isinstance(task.data, SparseDistances):
        return task.data.graph
    assert task.constraints is not None
    assert task.constraints.graph is not None
    return task.constraints.graph


def _chamfer_memory(task: Task, edges: int) -> int:
    """Clusters, pairs of them, and the points of the smaller one of each pair; lists of neighbours if capped."""
    n, packed = task.data.n, 16 * task.d
    need = n * (500 + packed) + edges * (150 + packed // 2)
    constraints = task.constraints
    assert constraints is not None
    if constraints.joins and (trees := constraints.components) > 1:
        need += trees * trees * 150 + n * trees // 2 * (20 + packed)
    return need + (n * (task.options.n_neighbors + 1) * 48 if task.linkage.capped else 0)


def _refuse_with_sparse(data: SparseDistances, constraints: Constraints | None) -> str | None:
    if constraints is None:
        return None
    if constraints.graph is not None:
        return "connectivity must be None for sparse distances, whose entries are the edges"
    limits = [name for name in constraints.special if name in ("cannot_link", "max_size")]
    if limits and np.isfinite(data.default):
        return f"default must be infinite with {limits[0]}, got {data.default}"
    return None


def _refuse_components(task: Task) -> str | None:
    """Components are joined last, by comparing all of them."""
    constraints = task.constraints
    assert constraints is not None
    if not constraints.joins or task.linkage.family == "single":
        return None
    components = constraints.components
    if components > _TREES:
        return f"connectivity must leave at most {_TREES} components, got {components}; pass forest=True"
    return None


def _by_centres(points: Points, task: Task, tick: Tick | None) -> Array:
    constraints, rule = task.constraints, task.linkage.name
    assert constraints is not None
    Z = _core.contract_points(points.X, rule=rule, constraints=constraints.core(), tick=tick)
    if not constraints.joins or np.isfinite(Z[:, 2]).all():
        return Z
    rest = constraints.after(Z, complete_graph(trees_apart(Z), points.n))
    return _core.contract_points(points.X, rule=rule, constraints=rest.core(), tick=tick)


def _by_chamfer(points: Points, task: Task) -> Array:
    """Merge candidates of the capped linkage, then what edges join, then what is left, unless a forest is wanted."""
    constraints = task.constraints
    assert constraints is not None
    nearest = _neighbours(points, task) if task.linkage.capped else None
    with task.progress.stage("merges", points.n - 1, "merge") as tick:
        Z = _contract_chamfer(task, constraints, tick, nearest, task.options.n_neighbors)
        if nearest is not None and not np.isfinite(Z[:, 2]).all():
            constraints = constraints.after(Z, constraints.graph)
            Z = _contract_chamfer(task, constraints, tick)
        if constraints.joins and not np.isfinite(Z[:, 2]).all():
            Z = _contract_chamfer(task, constraints.after(Z, complete_graph(trees_apart(Z), points.n)), tick)
    return Z


def _contract_chamfer(
    task: Task, constraints: Constraints, tick: Tick | None, nearest: Array | None = None, k: int = 0
) -> Array:
    points, linkage = task.data, task.linkage
    assert isinstance(points, Points)
    return _core.contract_chamfer(
        points.X,
        metric=points.core_metric,
        normalized=linkage.normalized,
        symmetric=linkage.symmetric,
        nearest=nearest,
        k=k,
        constraints=constraints.core(),
        tick=tick,
    )


def _neighbours(points: Points, task: Task) -> Array:
    """The nearest points of each, nearest first, and the one that its cap is the distance of, if there is one."""
    k = min(task.options.n_neighbors + 1, points.n - 1)
    with task.progress.stage("nearest neighbours", points.n, "point") as tick:
        source = choose_source(points, k, task.threads)
        return np.ascontiguousarray(all_nearest(source, k, task.threads, tick).clusters)


def _along_edges(points: Points, task: Task, tick: Tick | None) -> Array:
    """Single linkage: the minimum spanning tree of the graph, and shortest distances between its components."""
    constraints = task.constraints
    assert constraints is not None
    assert constraints.graph is not None
    lengths = _squared_lengths(points.X, constraints.graph)
    Z = _core.contract_edges(lengths, missing=np.inf, rule="single", constraints=constraints.core(), tick=tick)
    if not constraints.joins or np.isfinite(Z[:, 2]).all():
        return Z
    # At any height, clusters are what both the trees and the tree of all points hold together. So the merges of the
    # latter, in their order, join the trees.
    # In the unit of the points: in the caller's, squares of large values would be infinite.
    whole = PointsEngine().run(replace(task, data=replace(points, exponent=0), constraints=None))
    trees, all_points = constraints.after(Z, None), Constraints(points.n).after(whole, None)
    pairs, heights = (np.concatenate(both, axis=-1) for both in zip(trees.merges(), all_points.merges(), strict=True))
    return _core.join_partitions(np.ascontiguousarray(pairs.T), heights=heights, n=points.n)


def _squared_lengths(X: Array, graph: csr_array) -> Array:
    """Squared Euclidean distances of all edges."""
    edges = graph.tocoo()
    lengths = np.empty(len(edges.row))
    for first in range(0, len(lengths), max(1, _EDGES // X.shape[1])):
        part = slice(first, first + max(1, _EDGES // X.shape[1]))
        apart = X[edges.row[part]].astype(np.float64, copy=False) - X[edges.col[part]]
        lengths[part] = np.einsum("ij,ij->i", apart, apart)
    return lengths


def _sparse(task: Task, data: SparseDistances) -> Array:
    """Distances between some pairs; all others have the default."""
    given = task.constraints or Constraints(data.n)
    constraints = replace(given, graph=data.graph)
    with task.progress.stage("merges", data.n - 1, "merge") as tick:
        Z = _core.contract_edges(
            data.graph.data, missing=data.default, rule=task.linkage.name, constraints=constraints.core(), tick=tick
        )
    if not np.isnan(data.default):  # what no edge joins is at the default distance, whatever merges
        Z[np.isinf(Z[:, 2]), 2] = data.default
    return Z
