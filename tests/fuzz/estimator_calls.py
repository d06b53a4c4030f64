"""The estimator with odd arguments and data."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import chamfer
from chamfer.methods import METHODS
from fuzz.arrays import OTHER, SAME, points, spoil
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.linkage_calls import ARGUMENTS, ODD

# What fit and predict take as X is checked by scikit-learn, which speaks of the data in words of its own.
SKLEARN = r"samples?|array|features|float|[Cc]omplex"
NAMES = rf"\b({ARGUMENTS}|n_clusters|distance_threshold|connectivity|memory|linkage|order|{SKLEARN})\b"
SHARED = ("n_neighbors", "epsilon", "t", "n_jobs", "memory_limit", "source", "engine", "metric")
ODD_SETTINGS = {
    **{name: ODD[name] for name in SHARED},
    "n_clusters": (0, 1, -1, 10**9, 1.5, "x", None, True, np.int8(2)),
    "distance_threshold": (0, -1, 1e300, float("nan"), float("inf"), "x", 10**400, True),
    "linkage": ("x", None, 3),
    "order": ("x", None, "least", "cumulative"),
    "connectivity": ("x", np.ones((3, 3))),
    "memory": (3, object()),
    "compute_full_tree": ("x", True),
}


def settings(draw: Draw) -> dict[str, Any]:
    """Settings, one in four with something odd."""
    chosen: dict[str, Any] = {"linkage": draw.one(list(METHODS)), "n_clusters": draw.integer(1, 4), "n_jobs": 1}
    if draw.chance(0.2):
        chosen |= {"n_clusters": None, "distance_threshold": draw.number() * 3}
    if draw.chance(0.25):
        name = draw.one(list(ODD_SETTINGS))
        chosen[name] = draw.one(ODD_SETTINGS[name])
    return chosen


def data(draw: Draw, n: int | None = None) -> Any:
    """Points for fit or predict."""
    X = points(draw, n)
    if draw.chance(0.05):
        return spoil(draw, X)
    with np.errstate(all="ignore"):
        return draw.one(SAME)(X) if draw.chance(0.1) else draw.one(OTHER)(X) if draw.chance(0.05) else X


def call_estimator(draw: Draw) -> None:
    """Fit, and use what was fitted."""
    chosen, X = settings(draw), data(draw)
    draw.say("AgglomerativeClustering", X=X, **chosen)
    model = chamfer.AgglomerativeClustering(**chosen)
    if draw.chance(0.1):
        model = clone(model)
    labels = model.fit(X).labels_
    if labels.max() + 1 != model.n_clusters_ or len(labels) != model.n_leaves_:
        raise Wrong(f"labels up to {labels.max()} of {len(labels)} points, {model.n_clusters_} clusters")
    if draw.chance(0.3):
        model = pickle.loads(pickle.dumps(model))
    queries = model._fit_X if draw.chance(0.5) else data(draw)
    draw.say("predict", queries=queries)
    found = model.predict(queries)
    if len(found) and not 0 <= found.min() <= found.max() < model.n_clusters_:
        raise Wrong(f"predicted {found}, of {model.n_clusters_} clusters")
    if model.linkage not in ("weighted", "median") and draw.chance(0.3):
        draw.say("soft_assign", queries=queries)
        shares = model.soft_assign(queries, draw.one((1.1, 2.0, 7.0)))
        if not np.allclose(shares.sum(axis=1), 1):
            raise Wrong(f"shares {shares} of {model.n_clusters_} clusters")


def call_unfitted(draw: Draw) -> None:
    """Predict before fit."""
    try:
        chamfer.AgglomerativeClustering(**settings(draw)).predict(data(draw))
    except NotFittedError:
        return
    raise Wrong("predict without fit gave labels")


KINDS = {"estimator": Kind(call_estimator, 5, NAMES), "unfitted": Kind(call_unfitted, 0.1, NAMES)}
