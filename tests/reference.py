"""Every linkage from its definition: the oracle that the engines are tested against.

A linkage is a small function of the distances D between all points and of two clusters, each a set of points. The tree
grows by the definition too: of all pairs of clusters merge the one with the smallest value. Nothing here is clever, and
`test_reference.py` compares it with SciPy and with values worked out by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Cluster:
    """A set of points.

    `halves` weighs them as if each merge took the mean of its two clusters, whatever their sizes: `weighted` and
    `median` linkage are means with these weights, where `average` and `centroid` weigh every point alike.
    """

    points: np.ndarray
    halves: np.ndarray
    weights: np.ndarray

    @property
    def size(self) -> int:
        """Number of points."""
        return self.points.size

    @property
    def weight(self) -> float:
        """The size, if a point of weight w stands for w points."""
        return self.weights.sum()

    @property
    def alike(self) -> np.ndarray:
        return self.weights / self.weight

    def union(self, other: Cluster) -> Cluster:
        return Cluster(
            np.concatenate([self.points, other.points]),
            np.concatenate([self.halves / 2, other.halves / 2]),
            np.concatenate([self.weights, other.weights]),
        )


@dataclass(frozen=True)
class Rules:
    """What a user demands of a tree: weights of the points, and what may merge.

    `edges` is a symmetric matrix of truth values: clusters can merge only if there is an edge between their points, and
    for `single` these are the pairs that count. If nothing else forbids merges, and `join`, all points are joined by
    edges when no clusters can merge any more. `together` are pairs that are merged first, at height 0, and `apart`
    pairs that never share a cluster.
    """

    weights: np.ndarray | None = None
    edges: np.ndarray | None = None
    join: bool = True
    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    max_size: float = np.inf

    @property
    def limited(self) -> bool:
        """Whether merges are forbidden by more than edges."""
        return bool(self.apart) or np.isfinite(self.max_size)

    def demand(self, A: Cluster, B: Cluster) -> bool:
        """Whether points of A and B must share a cluster, directly or by way of others."""
        reached, before = set(A.points.tolist()), 0
        while len(reached) > before:
            before = len(reached)
            reached |= {point for pair in self.together if reached & set(pair) for point in pair}
        return not reached.isdisjoint(B.points.tolist())

    def allow(self, A: Cluster, B: Cluster) -> bool:
        conflict = any((p in A.points and q in B.points) or (q in A.points and p in B.points) for p, q in self.apart)
        adjacent = self.edges is None or self.edges[A.points[:, None], B.points].any()
        return adjacent and not conflict and A.weight + B.weight <= self.max_size * (1 + 1e-9)


Linkage = Callable[[np.ndarray, Cluster, Cluster], float]


def between(D: np.ndarray, A: Cluster, B: Cluster) -> np.ndarray:
    return D[A.points[:, None], B.points]


def to_nearest(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    """Ch(A, B): each point of A walks to the nearest point of B."""
    return A.weights @ between(D, A, B).min(axis=1)


def chamfer(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return min(to_nearest(D, A, B), to_nearest(D, B, A))


def chamfer_normalized(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return min(to_nearest(D, A, B) / A.weight, to_nearest(D, B, A) / B.weight)


def chamfer_symmetric(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return to_nearest(D, A, B) + to_nearest(D, B, A)


def chamfer_normalized_symmetric(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return to_nearest(D, A, B) / A.weight + to_nearest(D, B, A) / B.weight


def chamfer_capped(n_neighbors: int, weights: np.ndarray) -> Linkage:
    """A point counts at most κ, the distance to its (n_neighbors + 1)-th nearest other point.

    A can join B only if B holds one of the n_neighbors nearest points of a point of A; of points at equal distance
    those with the smaller numbers are nearer. A point of weight w is w points, so itself and w - 1 others are at 0.
    """

    def neighbours(D: np.ndarray, a: int) -> tuple[set[int], float]:
        near, cap, seen = set(), np.inf, weights[a]
        if seen >= n_neighbors + 2:
            cap = 0.0
        for point in np.argsort(D[a], kind="stable").tolist():
            if point != a:
                if seen < n_neighbors + 1:
                    near.add(point)
                seen += weights[point]
                if seen >= n_neighbors + 2:
                    cap = min(cap, D[a, point])
        return near, cap

    def one_way(D: np.ndarray, A: Cluster, B: Cluster) -> float:
        total, candidate = 0.0, False
        for a, weight in zip(A.points.tolist(), A.weights, strict=True):
            near, cap = neighbours(D, a)
            total += weight * min(cap, D[a, B.points].min())
            candidate = candidate or bool(near & set(B.points.tolist()))
        return total if candidate else np.inf

    return lambda D, A, B: min(one_way(D, A, B), one_way(D, B, A))


def single(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return between(D, A, B).min()


def complete(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return between(D, A, B).max()


def average(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return A.alike @ between(D, A, B) @ B.alike


def weighted(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return A.halves @ between(D, A, B) @ B.halves


def centroid(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return centres_apart(D, A, A.alike, B, B.alike)


def median(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return centres_apart(D, A, A.halves, B, B.halves)


def ward(D: np.ndarray, A: Cluster, B: Cluster) -> float:
    return np.sqrt(2 * A.weight * B.weight / (A.weight + B.weight)) * centroid(D, A, B)


def centres_apart(D: np.ndarray, A: Cluster, u: np.ndarray, B: Cluster, v: np.ndarray) -> float:
    """Distance between the centres of A and B, the means weighted by u and v, for Euclidean D.

    The mean squared distance between the points of A and B exceeds the squared distance of the centres by the two
    variances, and a variance is half the mean squared distance between points of the same cluster.
    """
    squared = u @ between(D, A, B) ** 2 @ v - u @ between(D, A, A) ** 2 @ u / 2 - v @ between(D, B, B) ** 2 @ v / 2
    return np.sqrt(max(squared, 0))


CHAMFER: dict[str, Linkage] = {
    "chamfer": chamfer,
    "chamfer_normalized": chamfer_normalized,
    "chamfer_symmetric": chamfer_symmetric,
    "chamfer_normalized_symmetric": chamfer_normalized_symmetric,
}
CENTRES: dict[str, Linkage] = {"ward": ward, "centroid": centroid, "median": median}
CLASSICAL: dict[str, Linkage] = {
    "single": single,
    "complete": complete,
    "average": average,
    "weighted": weighted,
    **CENTRES,
}
LINKAGES = CHAMFER | CLASSICAL


class Clusters:
    """The clusters there are, and the linkage value of every pair of them, row and column in ascending ids."""

    def __init__(self, D: np.ndarray, method: str, n_neighbors: int, rules: Rules = Rules()) -> None:
        self.all_distances = self.D = np.asarray(D, dtype=np.float64)
        self.rules = rules
        if method == "single" and rules.edges is not None:
            self.D = np.where(rules.edges, self.D, np.inf)
        weights = np.ones(len(self.D)) if rules.weights is None else np.asarray(rules.weights, dtype=np.float64)
        points = {p: Cluster(np.array([p]), np.ones(1), weights[[p]]) for p in range(len(self.D))}
        self.capped = method == "chamfer_capped"
        self.start(points, chamfer_capped(n_neighbors, weights) if self.capped else LINKAGES[method])

    def start(self, clusters: dict[int, Cluster], linkage: Linkage) -> None:
        self.linkage = linkage
        self.ids: list[int] = []
        self.clusters: list[Cluster] = []
        self.values = np.empty((0, 0))
        for each, cluster in clusters.items():
            self.add(cluster, each)
        self.go_on()

    def go_on(self) -> None:
        """When no pair is a candidate any more, go on by plain Chamfer linkage, or as if every pair had an edge."""
        if len(self.ids) < 2 or not np.isinf(self.values).all() or self.forced():
            return
        clusters = dict(zip(self.ids, self.clusters, strict=True))
        if self.capped:
            self.capped = False
            self.start(clusters, chamfer)
        elif self.rules.edges is not None and self.rules.join and not self.rules.limited:
            self.rules, self.D = replace(self.rules, edges=None), self.all_distances
            self.start(clusters, self.linkage)

    def add(self, new: Cluster, new_id: int) -> None:
        values = [self.value(cluster, new) for cluster in self.clusters]
        # Only the upper triangle counts, so each pair is there once.
        self.values = np.block([[self.values, np.reshape(values, (-1, 1))], [np.full((1, len(self.ids) + 1), np.inf)]])
        self.ids.append(new_id)
        self.clusters.append(new)

    def value(self, A: Cluster, B: Cluster) -> float:
        """The linkage value, infinite if the two must not merge."""
        return self.linkage(self.D, A, B) if self.rules.allow(A, B) else np.inf

    def closest(self) -> tuple[int, int]:
        """Positions of the first pair of smallest value: smaller lower id, then smaller higher id."""
        low, high = np.unravel_index(np.argmin(self.values), self.values.shape)
        return int(low), int(high)

    def merge(self, low: int, high: int, new_id: int) -> None:
        union = self.clusters[low].union(self.clusters[high])
        for position in (high, low):
            del self.ids[position], self.clusters[position]
            self.values = np.delete(np.delete(self.values, position, axis=0), position, axis=1)
        self.add(union, new_id)
        self.go_on()

    def forced(self) -> list[tuple[int, int]]:
        """Positions of clusters that must be merged, if there are any, those of the lowest points first."""
        if not self.rules.together:
            return []
        lowest = [cluster.points.min() for cluster in self.clusters]
        order = np.argsort(lowest)
        pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        demanded = [pair for pair in pairs if self.rules.demand(*(self.clusters[i] for i in pair))]
        return [(min(pair), max(pair)) for pair in demanded]

    def rest(self) -> tuple[int, int]:
        """Positions of the two clusters with the lowest points."""
        low, high = sorted(np.argsort([cluster.points.min() for cluster in self.clusters])[:2])
        return int(low), int(high)


def linkage(D: np.ndarray, method: str, n_neighbors: int = 15, rules: Rules = Rules()) -> np.ndarray:
    """Z in SciPy's layout for the square matrix of distances D.

    If rules forbid a tree, those of the forest are joined at infinite heights, lower points first.
    """
    n = len(D)
    state = Clusters(D, method, n_neighbors, rules)
    Z = []
    for i in range(n - 1):
        forced = state.forced()
        low, high = forced[0] if forced else state.closest()
        height = 0.0 if forced else state.values[low, high]
        if np.isinf(height):
            low, high = state.rest()
        size = state.clusters[low].size + state.clusters[high].size
        Z.append([state.ids[low], state.ids[high], height, size])
        state.merge(low, high, n + i)
    return np.reshape(Z, (n - 1, 4)).astype(np.float64)


def replay(
    Z: np.ndarray,
    D: np.ndarray,
    method: str,
    rtol: float = 1e-9,
    atol: float = 1e-13,
    n_neighbors: int = 15,
    rules: Rules = Rules(),
) -> None:
    """Check that each merge of Z was, at its time, one of smallest value, and has that value as its height.

    Any way to break ties passes. `atol` is a share of the largest distance; for linkages between centres the squares
    are compared, since these are what such linkages add and subtract. The idea is from fastcluster's tests.
    """
    n = len(D)
    assert Z.shape == (n - 1, 4)
    power = 2 if method in CENTRES else 1
    state = Clusters(D, method, n_neighbors, rules)
    for i, (a, b, height, size) in enumerate(Z):
        assert a < b, f"merge {i} has its clusters out of order"
        assert a in state.ids, f"merge {i} joins cluster {a}, which is not there"
        assert b in state.ids, f"merge {i} joins cluster {b}, which is not there"
        low, high = state.ids.index(a), state.ids.index(b)
        assert size == state.clusters[low].size + state.clusters[high].size, f"merge {i} has size {size}"
        if forced := state.forced():
            assert (low, high) in forced, f"merge {i} was not to be made first"
            assert height == 0, f"merge {i} has height {height}, but had to be made"
            state.merge(low, high, n + i)
            continue
        value, smallest = state.values[low, high], state.values.min()
        assert np.isinf(value) == np.isinf(smallest) == np.isinf(height), f"merge {i} has value {value}, {smallest}"
        if np.isinf(value):
            state.merge(low, high, n + i)
            continue
        tolerance = rtol * value**power + atol * D.max() ** power
        assert value**power <= smallest**power + tolerance, f"merge {i} has value {value}, but {smallest} was there"
        assert abs(height**power - value**power) <= tolerance, f"merge {i} has height {height}, but value {value}"
        state.merge(low, high, n + i)


def replay_within(
    Z: np.ndarray, D: np.ndarray, method: str, epsilon: float, rtol: float = 1e-9, rules: Rules = Rules()
) -> float:
    """Check that each merge of Z was, at its time, within a factor of 1 + epsilon of the smallest value there was.

    For Chamfer linkages: the height is the value of the merged pair in one of its two directions. Gives the largest
    factor of all merges.
    """
    n, largest, tolerance = len(D), 1.0, 1e-13 * D.max()
    assert Z.shape == (n - 1, 4)
    state = Clusters(D, method, 1, rules)
    for i, (a, b, height, size) in enumerate(Z):
        low, high = state.ids.index(a), state.ids.index(b)
        A, B, smallest = state.clusters[low], state.clusters[high], state.values.min()
        ways = np.array([to_nearest(state.D, A, B), to_nearest(state.D, B, A)])
        if method == "chamfer_normalized":
            ways /= A.weight, B.weight
        assert np.isclose(height, ways, rtol, tolerance).any(), f"merge {i} has height {height}, but values {ways}"
        assert height <= (1 + epsilon) * smallest * (1 + rtol) + tolerance, f"merge {i}: {height}, {smallest} was there"
        assert size == A.size + B.size
        largest = max(largest, height / smallest if smallest > 0 else 1)
        state.merge(low, high, n + i)
    return largest


def cut(Z: np.ndarray, merges: Iterable[int]) -> list[frozenset[int]]:
    """The clusters that are left when the given merges have been applied to single points."""
    n = len(Z) + 1
    clusters = {point: frozenset([point]) for point in range(n)}
    for merge in merges:
        a, b = int(Z[merge, 0]), int(Z[merge, 1])
        clusters[n + merge] = clusters.pop(a) | clusters.pop(b)
    return sorted(clusters.values(), key=min)
