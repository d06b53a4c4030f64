"""Random weights and constraints, for the oracle and as arguments of `linkage`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

import chamfer
import reference
from cases import engines

# Linkages, and the engines that take weights for them.
WEIGHED = [
    (method, engine)
    for method in chamfer.METHODS
    for engine in (("lists",) if method == "chamfer_capped" else engines(method)[1:])
]


def random_rules(seed: int, n: int) -> reference.Rules:
    """Rules of which some are given, by chance; the pairs to keep apart do not have to be together."""
    draw = np.random.default_rng(seed)
    edges = None
    if draw.random() < 0.6:
        edges = draw.random((n, n)) < draw.choice([1.0, 2.0, 4.0]) / n
        edges = (edges | edges.T) & ~np.eye(n, dtype=bool)
    together = [tuple(map(int, draw.choice(n, 2, replace=False))) for _ in range(draw.integers(0, n // 3 + 1))]
    together = together if draw.random() < 0.4 else []
    rules = reference.Rules(together=tuple(together))
    clusters = [reference.Cluster(np.array([p]), np.ones(1), np.ones(1)) for p in range(n)]
    apart = [tuple(map(int, draw.choice(n, 2, replace=False))) for _ in range(draw.integers(0, n // 3 + 1))]
    apart = [(p, q) for p, q in apart if not rules.demand(clusters[p], clusters[q])] if draw.random() < 0.4 else []
    weights = draw.uniform(0.5, 4, n) if draw.random() < 0.5 else None
    heaviest = 0.0
    for A in clusters:
        group = [p for p in range(n) if rules.demand(A, clusters[p])]
        heaviest = max(heaviest, len(group) if weights is None else weights[group].sum())
    max_size = np.inf
    if draw.random() < 0.3:
        max_size = int(np.ceil(heaviest)) + int(draw.integers(0, n // 2 + 1))
    return reference.Rules(weights, edges, bool(draw.random() < 0.6), tuple(together), tuple(apart), max_size)


def arguments(rules: reference.Rules) -> dict[str, Any]:
    """The same rules as arguments of `linkage`."""
    return {
        "sample_weight": rules.weights,
        "connectivity": None if rules.edges is None else sparse.csr_array(rules.edges),
        "must_link": rules.together or None,
        "cannot_link": rules.apart or None,
        "max_size": None if np.isinf(rules.max_size) else rules.max_size,
        "forest": not rules.join,
    }


def places(Z: np.ndarray, place: np.ndarray) -> list[tuple[frozenset[int], float]]:
    """The sets of places that merges above 0 make, and their heights, where points may be at equal places."""
    sets = [frozenset([int(each)]) for each in place]
    for a, b in Z[:, :2].astype(int):
        sets.append(sets[a] | sets[b])
    return [(made, height) for made, height in zip(sets[len(place) :], Z[:, 2].tolist(), strict=True) if height > 0]
