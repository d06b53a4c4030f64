"""The points engine: single linkage, linkages determined by centres, and the symmetric ones, without a matrix.

All start from lists of nearest points, which come from a source. What the core makes of them is in `spanning.hpp`,
`centre_lists.hpp` and, for the symmetric linkages (`symmetric.py`), `symmetric_lists.hpp`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points, is_mapped
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.filter import Principal, most_left
from chamfer.distances.pairwise import centre
from chamfer.distances.rows import RowDistances, angles
from chamfer.engines import symmetric
from chamfer.engines.base import Engine, Task, in_callers_unit, kept_coordinates, refuse_ordering, search_seconds
from chamfer.methods import METHODS, Linkage
from chamfer.sources.choose import choose_source
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.products import BlasSource
from chamfer.sources.sphere import chords

_HEAVY = 1 << 24  # times the smallest weight: float32, in which the filter multiplies, has room for as many points
ABLE = ", ".join(f"{each.name} ({', '.join(each.from_points)})" for each in METHODS.values() if each.from_points)


class PointsEngine(Engine):
    """Computes values from points or centres as they are needed."""

    name = "points"
    space = "O(n d)"
    # With epsilon, every merge is one of the smallest value, which is within any factor of it.
    takes = ("epsilon", "sample_weight")

    def knows(self, linkage: Linkage) -> bool:
        """Those whose values follow from points or centres."""
        return bool(linkage.from_points)

    def _refuses(self, task: Task) -> str | None:
        if _goes_row_by_row(task):
            return refuse_ordering(task)
        if not (isinstance(task.data, Points) and task.fast and task.data.metric in task.linkage.from_points):
            return f"engine 'points' takes observations and one of {ABLE}; got {task}"
        weights = _weights(task)[0]
        if weights is not None and weights.sum() > _HEAVY:
            return (
                "sample_weight must sum up to at most 2^24 times the smallest weight for engine 'points'; raise the "
                "smallest weights, or take engine 'dense'"
            )
        return refuse_ordering(task)

    def memory(self, task: Task) -> int:
        """Centres, their few coordinates, and lists; few points are compared without the latter."""
        n, d = task.data.n, task.d
        if _goes_row_by_row(task):
            return (600 if _is_on_sphere(task) else 100) * n + task.data.nbytes
        if task.linkage.symmetric:
            return symmetric.memory(task)
        if _are_few(task):
            return n * (12 * d + 160)
        lists = n * (150 + 25 * tuning.current.centre_list)
        few = min(d, 129)
        return lists + n * (8 * kept_coordinates(task) if task.linkage.family == "single" else 300 + 8 * d + 12 * few)

    def cost(self, task: Task) -> float:
        """A search among all points, and lists."""
        now = tuning.current
        if _goes_row_by_row(task) and not _is_on_sphere(task):
            return 2 * search_seconds(task)  # each distance is computed twice
        search = 0.0 if _is_on_sphere(task) else search_seconds(task)
        if task.linkage.symmetric and task.linkage.normalized:
            return search + _seconds_of_means(task)
        if task.linkage.symmetric:
            return search + tuning.at(now.symmetric_point, task.d) * task.data.n
        # Up to FEW points, the dense engine comes to the bits of the short way.
        if task.linkage.family == "single" and _are_few(task) and task.data.n > _core.FEW:
            return now.few_single * search
        if not task.linkage.reducible:
            return search + tuning.at(now.closer_point, task.d) * task.data.n
        of_family = {"single": now.single_point, "lance_williams": now.average_point}
        point = tuning.at(of_family.get(task.linkage.family, now.points_point), task.coordinates)
        if task.linkage.family == "single" and (groups := tuning.at(now.single_groups, task.coordinates)) > 1:
            point *= groups if task.spread.crowd < now.grouped_crowd else 1
        return search + point * task.data.n

    def run(self, task: Task) -> Array:
        """Compare few points one by one; make lists of the nearest for many."""
        assert isinstance(task.data, Points)
        if _is_on_sphere(task):
            return _chords(task)
        if _goes_row_by_row(task):
            return in_callers_unit(_row_by_row(task), task.data)
        if task.linkage.symmetric:
            Z = symmetric.run(task, *_weights(task))
            if Z is None:
                raise self.too_little(task, task.allowed + 1, self.advice(task))
            return in_callers_unit(Z, task.data)
        metric, points = task.data.metric, replace(task.data, metric="sqeuclidean")
        Z = _one_by_one(points, task) if _are_few(task) else _by_lists(points, task)
        if task.linkage.name == "ward":
            Z[:, 2] = np.ldexp(Z[:, 2], _weights(task)[1])
        if metric == "euclidean":
            Z[:, 2] = np.sqrt(Z[:, 2])
        elif metric == "cosine":
            Z[:, 2] /= 2
        return in_callers_unit(Z, task.data)


def _seconds_of_means(task: Task) -> float:
    """Merges by Ch_NS from points: in many coordinates, clusters are compared with most others of their group."""
    now, n = tuning.current, task.data.n
    pair = tuning.at(now.means_pair, task.d)
    if pair > 0:
        # Time grows faster than the square of the number of points, and so more than in proportion to a group.
        pair *= task.spread.crowd**1.5
        pair *= tuning.at(now.means_even, task.d) if task.spread.unevenness <= now.even_points else 1
    return now.means_point * n + pair * n**2


def _goes_row_by_row(task: Task) -> bool:
    """Whether it is single linkage by a metric that the core does not know."""
    here = isinstance(task.data, Points) and not task.data.remote and task.options.epsilon == 0
    return here and task.linkage.family == "single" and not task.fast


def _is_on_sphere(task: Task) -> bool:
    """Whether it is single linkage of places on the globe, whose order is that of chords in space."""
    return _goes_row_by_row(task) and isinstance(task.data, Points) and task.data.metric == "haversine"


def _chords(task: Task) -> Array:
    assert isinstance(task.data, Points)
    n = task.data.n
    with task.progress.stage("merges", n - 1, "merge") as tick:
        Z = chords(task.data, task.threads).spanning_tree(task.threads, tick)
    Z[:, 2] = angles(Z[:, 2]).astype(task.data.dtype)
    return Z


def _row_by_row(task: Task) -> Array:
    """Prim's algorithm: the nearest point joins the tree, and its row of distances is compared with what is known."""
    assert isinstance(task.data, Points)
    n, row_of = task.data.n, RowDistances(task.data)
    left = np.arange(n, dtype=np.int32)  # points that are not in the tree yet
    near, link = np.full(n, np.inf), np.zeros(n, np.int32)  # their shortest edges to it, and where these end
    first, second, lengths = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32), np.empty(n - 1)
    point = np.int32(0)
    with task.progress.stage("merges", n - 1, "merge") as tick:
        for i in range(n - 1):
            keep = left != point
            left, near, link = left[keep], near[keep], link[keep]
            row = row_of.from_points(np.array([point]), task.threads, infinite=True)[0, left]
            closer = (row < near) | ((row == near) & (point < link))
            near[closer], link[closer] = row[closer], point
            at = _first_edge(np.flatnonzero(near == near.min()), left, link)
            first[i], second[i], lengths[i] = link[at], left[at], near[at]
            point = left[at]
            if tick is not None:
                tick(i + 1)
    return _core.edges_tree(first, second, lengths)


def _first_edge(which: Array, left: Array, link: Array) -> int:
    """Of equal edges the one with the lower points, as in the dense engine."""
    if len(which) > 1:
        ends = np.sort([left[which], link[which]], axis=0)
        which = which[np.lexsort(ends[::-1])]
    return int(which[0])


def _are_few(task: Task) -> bool:
    """Whether comparing all points is faster than keeping lists, and the core can do it."""
    linkage, now = task.linkage, tuning.current
    if linkage.family == "lance_williams":
        return False
    steps = now.few_points if linkage.family == "single" else now.few_rounds if linkage.reducible else now.few_closer
    return task.data.n <= tuning.at(steps, task.d)


def _weights(task: Task) -> tuple[Array | None, int]:
    """Weights of at least one, in a unit of two to the second number."""
    if task.constraints is None or task.constraints.weights is None:
        return None, 0
    weights = task.constraints.weights
    exponent = int(np.frexp(weights.min())[1]) - 1
    return np.ldexp(weights, -exponent), exponent


def _one_by_one(points: Points, task: Task) -> Array:
    with task.progress.stage("merges", points.n - 1, "merge") as tick:
        return _core.few_points(
            points.X, rule=task.linkage.name, weights=_weights(task)[0], threads=task.threads, tick=tick
        )


def _by_lists(points: Points, task: Task) -> Array:
    n, single = points.n, task.linkage.family == "single"
    everything, k = np.arange(n, dtype=np.int32), min(n - 1, tuning.current.centre_list)
    with task.progress.stage("nearest neighbours", n, "point") as tick:
        source = choose_source(points, k, task.threads, centres=not single)
        tree = isinstance(source, TreeSource)
        if not (single and tree):
            coordinates = _few_coordinates(points, source)
            principal = source.principal
            nearest = source.nearest(everything, everything, k, task.threads, tick)
    with task.progress.stage("merges", n - 1, "merge") as tick, one_blas_thread():
        if single and isinstance(source, TreeSource):
            return source.spanning_tree(task.threads, tick)
        del source
        lists = {"nearest": nearest.clusters, "distances": nearest.distances, "bounds": nearest.bounds}
        rest = {**lists, "blas": blas(), "threads": task.threads, "tick": tick}
        if single:
            return _forest(points, principal, coordinates, rest)
        rule, weights = task.linkage.name, _weights(task)[0]
        return _core.centre_lists(points.X, rule=rule, weights=weights, tree=tree, **coordinates, **rest)


def _forest(points: Points, principal: Principal | None, coordinates: dict[str, Any], rest: dict[str, Any]) -> Array:
    d, few = points.X.shape[1], coordinates["coordinates"].shape[1]
    if principal is not None and few < d and not is_mapped(points.X):
        most = most_left(few, d)
        Z = _core.spanning_forest(points.X, metric="sqeuclidean", most=most, **coordinates, **rest)
        if Z is not None:
            return Z
        coordinates = _coordinates(points, principal, d, principal.dtype(d))
    Z = _core.spanning_forest(points.X, metric="sqeuclidean", most=np.inf, **coordinates, **rest)
    assert Z is not None
    return Z


def _few_coordinates(points: Points, source: BlasSource | TreeSource) -> dict[str, Any]:
    """Means, axes and the few coordinates of all points, by which a search may skip most centres."""
    d = points.X.shape[1]
    principal, tree = source.principal, isinstance(source, TreeSource)
    m = d if principal is None else principal.few if tree else principal.best
    dtype = np.float64 if principal is None or tree else principal.filter_dtype
    return _coordinates(points, principal, m, dtype)


def _coordinates(points: Points, principal: Principal | None, m: int, dtype: Any) -> dict[str, Any]:
    """The same of m principal coordinates; of all that points have if m is d, or there are no principal ones."""
    d = points.X.shape[1]
    if principal is None:
        mean = centre(points.X)
        return {"mean": mean, "axes": np.empty((d, 0)), "coordinates": np.ascontiguousarray(points.X - mean, dtype)}
    axes = np.ascontiguousarray(principal.axes[:, : m if m < d else 0])
    return {"mean": principal.mean, "axes": axes, "coordinates": principal.coordinates(m, dtype)}
