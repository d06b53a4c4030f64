"""The dense engine: all distances in memory, and one pass over rows of them for each merge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Condensed, Points, largest
from chamfer.constraints import Constraints
from chamfer.distances import pairwise
from chamfer.distances.rows import check_distances
from chamfer.engines.base import Engine, Task, in_callers_unit, refuse_capped, refuse_ordering, search_seconds
from chamfer.methods import Linkage
from chamfer.progress import Tick
from chamfer.units import choose_unit, multiply

# Of points with up to so many coordinates, the share left as clusters after the first rounds, for nearly all data.
_LEFT = (8, 0.35), (16, 0.45)
_PLAIN = 1 << 20  # weights up to this and down to its inverse leave squared distances in the range of float32


class DenseEngine(Engine):
    """Serves few points, distances that are given, and the linkages that need all pairs."""

    name = "dense"
    space = "n (n − 1) / 2 distances; n² for the Chamfer linkages; with constraints up to 3 n²"
    takes = ("sample_weight", "connectivity", "must_link", "cannot_link", "max_size", "infinite distances")

    def knows(self, linkage: Linkage) -> bool:
        """All but those that are defined by neighbours."""
        return not linkage.capped

    def _refuses(self, task: Task) -> str | None:
        if "infinite distances" in task.special and task.constraints is not None:
            others = [name for name in task.special if name != "infinite distances"]
            return f"X must hold finite distances with {others[0]}, got infinite ones; pass the others as a sparse X"
        return refuse_capped(task) or super()._refuses(task) or refuse_ordering(task)

    def memory(self, task: Task) -> int:
        """All distances, condensed or square; given ones are there already. Rows by cdist come in blocks.

        Where the first pairs merge before distances are written, most data have few clusters then. Others, whose
        clusters are counted when room for their distances is needed, may be refused then.
        """
        n, size = task.data.n, int(task.data.dtype.itemsize)
        if _is_restricted(task):
            return _allowed_memory(task)
        if _starts_from_points(task):
            return _memory_of_clusters(task, int(tuning.at(_LEFT, task.d) * n))
        if isinstance(task.data, Condensed) and not _is_square(task):
            distances = task.data.nbytes if task.options.optimal_ordering else 0
        else:
            distances = (n * n if _is_square(task) else n * (n - 1) // 2) * size
        distances += 4 * n * n if _needs_double(task) else 0
        blocks = 0 if task.fast or task.d == 0 else 16 * task.threads * pairwise.BLOCK * n
        return distances + blocks + 200 * n + (task.data.nbytes if task.d else 0)

    def cost(self, task: Task) -> float:
        """All distances, and n² steps for the merges."""
        now = tuning.current
        if _is_square(task):
            merges = now.sum_merges if task.linkage.normalized or _is_restricted(task) else now.chamfer_merges
        else:
            merges = now.single_merges if task.linkage.family == "single" else now.other_merges
        return search_seconds(task) + merges * task.data.n**2

    def advice(self, task: Task) -> str:
        """Half of the digits are half of the memory."""
        half = "pass X as float32, " if task.data.dtype == np.float64 else ""
        return f"{half}take fewer points"

    def run(self, task: Task) -> Array:
        """Compute all distances and merge; condensed distances are overwritten."""
        n = task.data.n
        if _starts_from_points(task):
            return in_callers_unit(self._merge_points(task), task.data)
        if (Z := _merge_few(task)) is not None:
            return in_callers_unit(_heights(Z, task), task.data)
        if (Z := _merge_lazily(task)) is not None:
            return in_callers_unit(Z, task.data)
        matrix, exponent = _matrix(task)
        ceiling = _replace_infinite(matrix, task) if _may_be_infinite(task) else np.inf
        with task.progress.stage("merges", n - 1, "merge") as tick:
            Z = _merge_allowed(matrix, task, tick) if _is_restricted(task) else _merge(matrix, task, tick)
        Z = _heights(Z, task, exponent)
        Z[Z[:, 2] >= ceiling, 2] = np.inf
        return in_callers_unit(Z, task.data)

    def _merge_points(self, task: Task) -> Array:
        assert isinstance(task.data, Points)
        points, n = task.data, task.data.n

        def make_room(clusters: int) -> Array:
            need = _memory_of_clusters(task, clusters)
            if need > max(task.allowed, 0 if task.limit is not None else tuning.current.unchecked_bytes):
                raise self.too_little(task, need, self.advice(task))
            return np.empty(clusters * (clusters - 1) // 2, dtype=points.dtype)

        with task.progress.stage("merges", n - 1, "merge") as tick:
            return _core.dense_points(
                points.X,
                metric=points.core_metric,
                make_room=make_room,
                rule=task.linkage.name,
                threads=task.threads,
                tick=tick,
            )


def _heights(Z: Array, task: Task, exponent: int = 0) -> Array:
    """Linkages of centres have merged by squared values."""
    if task.linkage.family == "centres":
        Z[:, 2] = np.ldexp(np.sqrt(np.maximum(Z[:, 2], 0)), exponent)
    return Z


def _starts_from_points(task: Task) -> bool:
    """Whether the core merges the first pairs before it writes any distance: distances of few coordinates are cheap."""
    if not isinstance(task.data, Points) or task.constraints is not None or task.data.n <= _core.ROUNDS:
        return False
    able = task.linkage.reducible and task.linkage.family == "lance_williams"
    return able and task.data.in_core and task.d <= _core.DIFFERENCES


def _memory_of_clusters(task: Task, clusters: int) -> int:
    """Bytes for the distances of the clusters that are left after the first rounds, and for what led there."""
    distances = clusters * (clusters - 1) // 2 * int(task.data.dtype.itemsize)
    return distances + (400 + 24 * task.d) * task.data.n


def _merge_few(task: Task) -> Array | None:
    """Ward's linkage of few points, unless that takes all distances in double."""
    points = task.data
    if not isinstance(points, Points) or task.linkage.name != "ward" or task.constraints is not None:
        return None
    if points.n > _core.FEW or not points.in_core or points.X.dtype != np.float64:
        return None
    with task.progress.stage("merges", points.n - 1, "merge"):
        return _core.grid_ward(points.X, threads=task.threads)


def _merge_lazily(task: Task) -> Array | None:
    """Ch and Ch_S of many points by bounds, unless distances are so much alike that sums are faster."""
    linkage = task.linkage
    if linkage.family != "chamfer" or linkage.normalized or _is_restricted(task) or task.data.n <= _core.FEW:
        return None
    matrix, _ = _matrix(task)
    with task.progress.stage("merges", task.data.n - 1, "merge") as tick:
        return _core.dense_lazy(matrix, symmetric=linkage.symmetric, threads=task.threads, tick=tick)


def _matrix(task: Task) -> tuple[Array, int]:
    """All distances, for the merges to overwrite, in a unit of two to the second number."""
    n = task.data.n
    with task.progress.stage("distances", n * (n - 1) // 2, "pair") as tick:
        return _given(task) if isinstance(task.data, Condensed) else (_computed(task, tick), 0)


def _may_be_infinite(task: Task) -> bool:
    """Whether some distances may be infinite, and values with them: given ones, or those of a metric of SciPy's."""
    if task.constraints is not None or not task.linkage.takes_infinite:
        return False
    return task.data.infinite if isinstance(task.data, Condensed) else not task.fast


def _replace_infinite(matrix: Array, task: Task) -> float:
    """Replace infinite distances by one above all others; values from the number that is returned on are infinite.

    The core takes infinity for what is gone. The mean of |A| |B| distances, at most n² / 4, of which one is the
    replacement, is above all finite ones.
    """
    n, most = task.data.n, float(matrix.max(initial=0))
    if np.isfinite(most):
        if task.linkage.sized and isinstance(task.data, Points):
            check_distances(np.array([most]), task.data.metric, np.float64, n)
        return np.inf
    replacement = float(np.finfo(matrix.dtype).max)
    ceiling = replacement
    if task.linkage.sized:  # sums of as many distances as there are points stay finite
        replacement /= 4 * n
        ceiling = replacement * 2 / n**2
    if (most := largest(matrix)) >= ceiling:
        wanted = f"below {ceiling:.2g} beside infinite ones"
        raise ValueError(f"X must have distances {wanted}, got {most:.2g}; scale X down")
    np.minimum(matrix, matrix.dtype.type(replacement), out=matrix)
    return ceiling


def _merge(matrix: Array, task: Task, tick: Tick | None) -> Array:
    linkage, threads = task.linkage, task.threads
    if not _is_square(task):
        weights = None if task.constraints is None else task.constraints.weights
        if weights is not None and linkage.name == "ward":
            matrix = matrix.astype(np.float64, copy=False) if _needs_double(task) else matrix
            _weigh(matrix, weights)
        return _core.dense_rule(matrix, n=task.data.n, rule=linkage.name, weights=weights, threads=threads, tick=tick)
    return _core.dense_chamfer(
        matrix, normalized=linkage.normalized, symmetric=linkage.symmetric, threads=threads, tick=tick
    )


def _allowed_memory(task: Task) -> int:
    """All values, and which of them are allowed; both directions of the Chamfer linkages; a copy for a second run."""
    n, matrices = task.data.n, 2 if task.linkage.family == "chamfer" else 1
    assert task.constraints is not None
    again = task.constraints.joins
    single = 0 if task.data.dtype == np.float64 else 4
    return n * n * (8 * (matrices + again) + single + 1) + 400 * n + (task.data.nbytes if task.d else 0)


def _merge_allowed(matrix: Array, task: Task, tick: Tick | None) -> Array:
    """Merge what may merge; then, unless a forest is wanted, what no edge joins."""
    constraints, linkage = task.constraints, task.linkage
    assert constraints is not None
    values = matrix.astype(np.float64, copy=False)
    if linkage.name == "ward" and constraints.weights is not None:
        for row, weight in zip(values, constraints.weights, strict=True):
            row *= 2 * (weight * constraints.weights) / (weight + constraints.weights)
    if constraints.graph is None:
        return _run_allowed(values, constraints, task, tick)
    kept = values.copy() if constraints.joins else None
    if linkage.family == "single":
        values = _only_edges(values, constraints)
    Z = _run_allowed(values, constraints, task, tick)
    if kept is None or np.isfinite(Z[:, 2]).all():
        return Z
    return _run_allowed(kept, constraints.after(Z, None), task, tick)


def _run_allowed(values: Array, constraints: Constraints, task: Task, tick: Tick | None) -> Array:
    linkage, rest = task.linkage, {"constraints": constraints.core(), "threads": task.threads, "tick": tick}
    if linkage.family == "chamfer":
        return _core.allowed_chamfer(values, normalized=linkage.normalized, symmetric=linkage.symmetric, **rest)
    return _core.allowed_rule(values, rule=linkage.name, **rest)


def _needs_double(task: Task) -> bool:
    """Whether values of Ward's linkage may be too large or too small for the float32 of their distances."""
    weights = None if task.constraints is None else task.constraints.weights
    if weights is None or task.linkage.name != "ward" or task.data.dtype != np.float32:
        return False
    return bool(weights.min() < 1 / _PLAIN or weights.max() > _PLAIN)


def _weigh(values: Array, weights: Array) -> None:
    """Condensed squared distances become values of Ward's linkage between points of such weights."""
    start = 0
    for i in range(len(weights) - 1):
        others = weights[i + 1 :]
        values[start : start + len(others)] *= 2 * (weights[i] * others) / (weights[i] + others)
        start += len(others)


def _only_edges(values: Array, constraints: Constraints) -> Array:
    """For single linkage only edges count: the tree is the minimum spanning tree of the graph."""
    assert constraints.graph is not None
    edges = constraints.graph.tocoo()
    only = np.full_like(values, np.inf)
    only[edges.row, edges.col] = values[edges.row, edges.col]
    return only


def _is_square(task: Task) -> bool:
    """Whether rows of distances are kept for both directions, which differ for the Chamfer linkages."""
    return task.linkage.family == "chamfer" or _is_restricted(task)


def _is_restricted(task: Task) -> bool:
    """Whether not all pairs may merge, or points of Chamfer linkages weigh differently."""
    if task.constraints is None:
        return False
    return task.linkage.family == "chamfer" or task.constraints.special != ("sample_weight",)


def _points(task: Task) -> Points:
    """With squared distances for the linkages of centres."""
    assert isinstance(task.data, Points)
    return replace(task.data, metric="sqeuclidean") if task.linkage.family == "centres" else task.data


def _computed(task: Task, tick: Tick | None) -> Array:
    points = _points(task)
    if _is_square(task):
        return pairwise.square(points, task.threads, tick)
    return pairwise.condensed(points, task.threads, tick, infinite=_may_be_infinite(task))


def _given(task: Task) -> tuple[Array, int]:
    """Distances of the user; squared for the linkages of centres, in a unit of two to the second number."""
    assert isinstance(task.data, Condensed)
    # They are overwritten, but the order of leaves needs them later.
    values, exponent = task.data.values, 0
    if task.options.optimal_ordering and not _is_square(task):
        values = values.copy()
    if task.linkage.family == "centres":
        exponent = choose_unit(np.zeros(1), values.max(initial=0, keepdims=True)).exponent
        values = np.square(multiply(values, -exponent), out=values)
    return _square_form(values, task.data.n) if _is_square(task) else values, exponent


def _square_form(values: Array, n: int) -> Array:
    square = np.zeros((n, n), dtype=values.dtype)
    start = 0
    for i in range(n - 1):
        row = values[start : start + n - 1 - i]
        square[i, i + 1 :] = square[i + 1 :, i] = row
        start += row.size
    return square
