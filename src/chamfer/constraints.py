"""Weights of points, and what may merge: checked, and in the form that engines take.

A graph of allowed merges is symmetric. Points that must share a cluster are groups; engines merge them first, lowest
points first. Points that must not share a cluster share a label, and clusters conflict if they have a label in common:
a pair is a label of two points, a group one of many.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from chamfer import _core
from chamfer._types import Array
from chamfer.edges import arrays, check_graph, components, graph_of
from chamfer.inputs import check_integer, check_number

_LIGHT, _HEAVY = 1e-100, 1e100  # weights whose products with squared distances neither vanish nor overflow
_ROUNDING = 1e-9  # of sums of weights, relative to max_size


@dataclass(frozen=True)
class Constraints:
    """What the user demands of a tree besides the linkage; `graph` is None if all pairs may merge."""

    n: int
    weights: Array | None = None
    graph: csr_array | None = None
    together: Array | None = None  # the group of each point, if points must share clusters
    labels: csr_array | None = None  # points by labels: those with a label in common are kept apart
    max_size: float = np.inf
    forest: bool = False
    first: tuple[Array, Array] | None = None  # pairs of points, and the heights at which they are merged before all

    @property
    def special(self) -> tuple[str, ...]:
        """Names of the arguments that were given."""
        given = {
            "sample_weight": self.weights,
            "connectivity": self.graph,
            "must_link": self.together,
            "cannot_link": self.labels,
            "max_size": None if np.isinf(self.max_size) else self.max_size,
        }
        return tuple(name for name, value in given.items() if value is not None)

    @property
    def joins(self) -> bool:
        """Whether components of the graph are joined in the end; not if more than the graph forbids merges."""
        return not self.forest and self.graph is not None and self.labels is None and bool(np.isinf(self.max_size))

    @property
    def mass(self) -> Array:
        """The weight of each point."""
        return np.ones(self.n) if self.weights is None else self.weights

    @property
    def components(self) -> int:
        """Parts that the graph and the groups leave apart."""
        return 1 if self.graph is None else int(components(self._joined()).max()) + 1

    def _joined(self) -> csr_array:
        """The graph, with an edge for each merge that must be made."""
        assert self.graph is not None
        (low, high), _ = self.merges()
        if not len(low):
            return self.graph
        extra = csr_array((np.ones(len(low), dtype=np.int8), (low, high)), shape=(self.n, self.n))
        return self.graph + extra

    def merges(self) -> tuple[Array, Array]:
        """Pairs of points, as two rows, and the heights at which they are merged before all others."""
        if self.first is not None:
            return self.first
        if self.together is None:
            return np.empty((2, 0), dtype=np.int32), np.empty(0)
        # In each group the lowest point is joined by the others, in ascending order.
        _, lowest = np.unique(self.together, return_index=True)
        lowest = lowest[self.together].astype(np.int32)
        points = np.arange(self.n, dtype=np.int32)
        order = np.lexsort((points, lowest))
        pairs = np.stack([lowest, points])[:, order]
        pairs = pairs[:, pairs[0] != pairs[1]]
        return pairs, np.zeros(pairs.shape[1])

    def after(self, Z: Array, graph: csr_array | None) -> Constraints:
        """The same without a tree's finite merges, which have been made, and along another graph."""
        made = int(np.isfinite(Z[:, 2]).sum())
        children = Z[:made, :2].astype(np.int64)
        member = list(range(self.n))
        for low in children[:, 0].tolist():
            member.append(member[low])
        pairs = np.array(member, dtype=np.int32)[children].T
        return replace(self, graph=graph, together=None, first=(pairs, Z[:made, 2].copy()))

    def core(self) -> Any:
        """As the core takes them."""
        pairs, heights = self.merges()
        labels = csr_array((self.n, 1), dtype=np.int8) if self.labels is None else self.labels
        return _core.Constraints(
            np.ascontiguousarray(self.mass),
            max_size=self.max_size * (1 + _ROUNDING),
            graph=None if self.graph is None else arrays(self.graph),
            labels=arrays(labels),
            together=np.ascontiguousarray(pairs.T),
            heights=heights,
        )


def check_constraints(
    n: int,
    X: Any,
    *,
    sample_weight: Any = None,
    connectivity: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    max_size: Any = None,
    forest: bool = False,
) -> Constraints:
    """All that restricts the merges of n points, from the arguments of `linkage`."""
    if not isinstance(forest, (bool, np.bool_)):
        raise TypeError(f"forest must be True or False, got {forest!r}")
    weights = check_weights(sample_weight, n)
    together = None if must_link is None else _check_groups(must_link, n)
    constraints = Constraints(
        n,
        weights,
        None if connectivity is None else check_graph(connectivity, X, n),
        together,
        None if cannot_link is None else _check_labels(cannot_link, n),
        np.inf if max_size is None else _check_max_size(max_size, weights),
        bool(forest),
    )
    if together is not None:
        _refuse_conflicts(constraints, together)
    return constraints


def check_weights(sample_weight: Any, n: int, name: str = "sample_weight") -> Array | None:
    """Weights of n points, which errors call by a name; None if all are 1."""
    if sample_weight is None:
        return None
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold a number for each of {n} points: {error}") from None
    if weights.shape != (n,):
        raise ValueError(f"{name} must hold a number for each of {n} points, got shape {weights.shape}")
    wrong = ~((weights >= _LIGHT) & (weights <= _HEAVY))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name} must be above zero, from {_LIGHT:g} to {_HEAVY:g}, got {weights[i]} for point {i}")
    return None if (weights == 1).all() else weights


def _check_max_size(max_size: Any, weights: Array | None) -> float:
    if weights is None:
        return float(min(check_integer("max_size", max_size, 1), 1 << 62))
    size = check_number("max_size", max_size)
    if not size >= weights.max():
        i = int(np.argmax(weights))
        raise ValueError(f"max_size must be at least {weights[i]}, the sample_weight of point {i}, got {max_size}")
    return size


def _check_pairs(name: str, value: Any, n: int) -> tuple[Array, Array | None]:
    """Pairs of points as an array of shape (m, 2); or no pairs, and a label of each point, below 0 for none."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must hold pairs of points, or a label for each of {n} points: {error}") from None
    if (array.ndim == 2 and array.shape[1] == 2) or array.size == 0:
        pairs = array.reshape(-1, 2)
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(f"{name} must hold pairs of integers, got {array.dtype}")
        wrong = ((pairs < 0) | (pairs >= n)).any(axis=1)
        if wrong.any():
            raise ValueError(f"{name} must hold points between 0 and {n - 1}, got {_pair(pairs[np.argmax(wrong)])}")
        return pairs.astype(np.int64), None
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold pairs of points, shape (m, 2), or a label for each of {n} points, got shape "
            f"{array.shape}"
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integer labels, -1 for none, got {array.dtype}")
    return np.empty((0, 2), dtype=np.int64), array.astype(np.int64)


def _pair(pair: Any) -> str:
    return f"({int(pair[0])}, {int(pair[1])})"


def _check_groups(must_link: Any, n: int) -> Array | None:
    """The group of each point, joined by pairs or by labels."""
    pairs, labels = _check_pairs("must_link", must_link, n)
    if labels is not None:
        known = np.flatnonzero(labels >= 0)
        _, first, inverse = np.unique(labels[known], return_index=True, return_inverse=True)
        pairs = np.stack([known, known[first[inverse]]], axis=1)
    if not len(pairs):
        return None
    graph = csr_array((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return components(graph)


def _check_labels(cannot_link: Any, n: int) -> csr_array | None:
    """Points by labels, of which those with a label in common are kept apart."""
    pairs, labels = _check_pairs("cannot_link", cannot_link, n)
    if labels is not None:
        points = np.flatnonzero(labels >= 0)
        numbers = np.unique(labels[points], return_inverse=True)[1]
    else:
        if (pairs[:, 0] == pairs[:, 1]).any():
            point = int(pairs[np.argmax(pairs[:, 0] == pairs[:, 1]), 0])
            raise ValueError(f"cannot_link must hold pairs of different points, got ({point}, {point})")
        pairs = np.unique(np.sort(pairs, axis=1), axis=0)
        points, numbers = pairs.ravel(), np.repeat(np.arange(len(pairs)), 2)
    if not len(points):
        return None
    made = csr_array((np.ones(len(points), dtype=np.int8), (points, numbers)), shape=(n, int(numbers.max()) + 1))
    made.sort_indices()
    return made


def _refuse_conflicts(constraints: Constraints, group: Array) -> None:
    """Refuse points that must and must not share a cluster, and groups that are too large."""
    if constraints.labels is not None:
        entries = constraints.labels.tocoo()
        key = np.stack([group[entries.row], entries.col])
        order = np.lexsort((entries.row, *key))
        same = (key[:, order[1:]] == key[:, order[:-1]]).all(axis=0)
        if same.any():
            at = int(np.argmax(same))
            pair = _pair(sorted(entries.row[order[at : at + 2]]))
            raise ValueError(f"must_link and cannot_link must not conflict, got the pair {pair} in both")
    sizes = np.bincount(group, constraints.mass)
    if sizes.max() > constraints.max_size * (1 + _ROUNDING):
        largest = int(np.argmax(sizes))
        point = int(np.argmax(group == largest))
        raise ValueError(
            f"max_size must be at least {sizes[largest]:g}, the size of the must_link group of point {point}, got "
            f"{constraints.max_size:g}"
        )


def trees_apart(Z: Array) -> Array:
    """The lowest point of each tree of a forest."""
    labels = np.asarray(_core.label_points(Z, applied=np.isfinite(Z[:, 2])))
    return np.unique(labels, return_index=True)[1]


def complete_graph(points: Array, n: int) -> csr_array:
    """Edges between all of some of n points."""
    low, high = np.triu_indices(len(points), 1)
    return graph_of(points[low], points[high], n)
