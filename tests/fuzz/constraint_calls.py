"""`linkage` with weights, graphs and constraints, and of distances of some pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

import chamfer
import reference
from cases import distances
from chamfer.methods import METHODS
from fuzz import truth
from fuzz.arrays import points
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.linkage_calls import NAMES as LINKAGE_NAMES
from fuzz.linkage_calls import graph
from rules import WEIGHED, arguments, random_rules

ARGUMENTS = "sample_weight|connectivity|must_link|cannot_link|max_size|forest|default"
NAMES = rf"{LINKAGE_NAMES}|\b({ARGUMENTS})\b"
ODD = {
    "sample_weight": ([], [1], "x", np.nan, [0, 1], [-1.0] * 5, [1e300] * 5, np.ones((3, 3)), 3, [None] * 5, [1j] * 5),
    "connectivity": ("x", "chain", 3, [], np.ones(4), np.full((5, 5), np.nan), lambda X: X, lambda X: None, [["a"]]),
    "must_link": ([(0, 0)], [(0, 10**9)], [(-1, 0)], [0.5], "x", 3, [[]], [(0, 1, 2)], [True] * 5, [("a", "b")], [1j]),
    "cannot_link": ([(0, 0)], [(0, 10**9)], [(-1, 0)], [0.5], "x", 3, [[]], [(0, 1, 2)], [0] * 5, {}, [(0, 1), (1,)]),
    "max_size": (0, -1, 1, 2, 10**30, 1.5, np.nan, np.inf, "x", True, []),
    "forest": ("x", 1, None, np.True_),
    "default": (1.0, -1, np.nan, np.inf, "x", 10**400, True),
}


def call_constrained(draw: Draw) -> None:
    """A tree that respects rules, or a refusal."""
    method, n = draw.one(list(METHODS)), draw.integer(2, 12)
    X, rules = draw.rng.normal(size=(n, 2)), random_rules(draw.integer(0, 10**9), n)
    X = X if draw.chance(0.7) else np.round(X)
    if METHODS[method].capped and draw.chance(0.9):
        every = np.ones((n, n), dtype=bool) if rules.edges is None else rules.edges
        rules = replace(rules, weights=None, edges=every, max_size=np.ceil(rules.max_size * 4))
    chosen = arguments(rules) | {"n_neighbors": draw.integer(1, 15)}
    if draw.chance(0.5):
        chosen["engine"] = draw.one(("dense", "graph", "points", "lists") if draw.chance(0.2) else ("dense", "graph"))
    odd = draw.chance(0.3)
    if odd:
        name = draw.one(list(ODD))
        chosen[name] = draw.one(ODD[name])
        if draw.chance(0.2):
            chosen["connectivity"] = graph(draw, n)
    draw.say("linkage", X=X, method=method, **chosen)
    Z = chamfer.linkage(X, method, **chosen)
    truth.check_tree(Z, n)
    if odd:
        return
    try:
        k = chosen["n_neighbors"]
        reference.replay(Z, distances(X), method, rtol=1e-7, atol=1e-12, n_neighbors=k, rules=rules)
    except AssertionError as error:
        raise Wrong(str(error)) from error


def call_weighted(draw: Draw) -> None:
    """A tree of points of different weights, of which some are equal and may be folded."""
    method, engine = draw.one(WEIGHED)
    n, capped = draw.integer(2, 12), method == "chamfer_capped"
    X = draw.rng.normal(size=(n, 2)).astype(draw.one((np.float32, np.float64)))
    X = X[draw.rng.integers(0, n, n)] if draw.chance(0.5) else X
    weights = draw.one((draw.rng.integers(1, 20, n), 1 + draw.rng.exponential(3, n), 10 ** draw.rng.uniform(0, 6, n)))
    if not capped and draw.chance(0.3):
        weights = weights * draw.one((1e-90, 1e-3, 1e90))
    chosen: dict[str, Any] = {"engine": draw.one((engine, "auto")), "sample_weight": weights}
    chosen["n_neighbors"] = draw.integer(1, 20)
    if engine == "lists":
        chosen |= {"source": draw.one(("auto", "tree", "blas", "cdist")), "engine": "lists"}
    if draw.chance(0.2):
        chosen["sample_weight"] = weights = draw.one((None, np.full(n, 2.0)))
    draw.say("linkage", X=X, method=method, **chosen)
    short = {"first_list": 2, "next_list": 2, "batch": 3} if draw.chance(0.5) else {}
    with chamfer.tuning.using(folded_points=draw.one((2, 1_000)), folded_share=1.0, **short):
        Z = chamfer.linkage(X, method, **chosen)
    truth.check_tree(Z, n)
    if capped or X.dtype == np.float32:
        return
    try:
        reference.replay(Z, distances(X), method, rtol=1e-7, atol=1e-12, rules=reference.Rules(weights))
    except AssertionError as error:
        raise Wrong(str(error)) from error


def call_sparse(draw: Draw) -> None:
    """A tree of distances between some pairs, which are any."""
    n = draw.integer(1, 30)
    chosen: dict[str, Any] = {
        "method": draw.one(list(METHODS) if draw.chance(0.1) else ("single", "average", "complete"))
    }
    if draw.chance(0.5):
        chosen["default"] = draw.one((1.0, 2.0, *ODD["default"]))
    if draw.chance(0.2):
        chosen["max_size"] = draw.integer(1, n)
    X = graph(draw, n)
    draw.say("linkage", X=X, **chosen)
    truth.check_tree(chamfer.linkage(X, metric="precomputed", **chosen), n)


def call_many_edges(draw: Draw) -> None:
    """Points along the edges of a graph, so many that clusters have many neighbours."""
    X = points(draw, draw.integer(500, 2_000))
    n = len(X)
    edges = sparse.random_array((n, n), density=draw.one((1, 3, 20)) / n, rng=draw.rng)
    chosen = {
        "method": draw.one(("ward", "single", "centroid", "median", "chamfer", "chamfer_capped")),
        "forest": draw.chance(0.5),
    }
    draw.say("linkage", X=X, connectivity=edges, **chosen)
    truth.check_tree(chamfer.linkage(X, connectivity=edges, **chosen), n)


KINDS = {
    "constrained": Kind(call_constrained, 10, NAMES),
    "weighted": Kind(call_weighted, 5, NAMES),
    "sparse": Kind(call_sparse, 5, NAMES),
    "many_edges": Kind(call_many_edges, 0.1, NAMES),
}
