"""What the page cannot compute, because it does not have the data: facts of every cluster that can be shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.explorer.packing import packed
from chamfer.trees.choose import Choice, choose
from chamfer.trees.dendrogram import ORDERS, Dendrogram
from chamfer.trees.layers import layers
from chamfer.trees.layout import arrange
from chamfer.trees.summary import LEAST

_STRIKING = 6  # columns by which a cluster is described
_QUICK = 5e10  # n * n * d: up to here the neighbours that `choose` needs are found within a second or two


def describe(tree: Dendrogram, X: Array, most: int, features: list[str] | None) -> dict[str, Any]:
    """Central point, spread and striking columns of each cluster of some cut into at most `most` clusters."""
    clusters = _shown_clusters(tree, most)
    each = 0 if features is None else min(_STRIKING, X.shape[1])
    central, spread, traits, scores = _facts(tree, X, clusters, each)
    found = {
        "ids": packed(clusters, np.int32),
        "central": packed(central, np.int32),
        "spread": packed(spread, np.float64),
        "each": each,
    }
    if each:
        found |= {"traits": packed(traits, np.int32), "scores": packed(scores, np.float32)}
    return found


def _shown_clusters(tree: Dendrogram, most: int) -> Array:
    n = tree.n_points
    found = [np.array([2 * n - 2])]
    for order in ORDERS:
        last = tree.sequence(order)[0][n - most :]
        found.append(tree.children[last].ravel())
    return np.unique(np.concatenate(found))


def _facts(tree: Dendrogram, X: Array, clusters: Array, each: int) -> tuple[Array, Array, Array, Array]:
    n = tree.n_points
    layout = arrange(tree)
    # Leaves of a cluster stand side by side: its points are one slice of the points in the order of leaves.
    start = layout.place[:n].astype(int).tolist()
    for first, _ in tree.children.tolist():
        start.append(start[first])
    sizes = np.concatenate([np.ones(n, dtype=int), tree.Z[:, 3].astype(int)])
    ordered = X[layout.leaves]
    mean, deviation = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    unit = np.where(deviation > 0, deviation, np.inf)  # what never changes distinguishes nothing
    central, spread = np.empty(len(clusters), dtype=int), np.empty(len(clusters))
    traits, scores = np.zeros((len(clusters), each), dtype=int), np.zeros((len(clusters), each))
    for i, cluster in enumerate(clusters.tolist()):
        members = slice(start[cluster], start[cluster] + sizes[cluster])
        block = ordered[members]
        centre = block.mean(axis=0, dtype=np.float64)
        away = block - centre.astype(block.dtype)
        squares = np.einsum("ij,ij->i", away, away, dtype=np.float64)
        central[i] = layout.leaves[members][squares.argmin()]
        spread[i] = np.sqrt(squares.mean())
        if each:
            # As in `summarize`: from the mean of all other points, and not if it is small.
            others = n / (n - len(block)) if len(block) < n else 0.0
            score = others * (centre - mean) / unit
            score[np.abs(score) < LEAST] = 0.0
            traits[i] = np.argsort(-np.abs(score), kind="stable")[:each]
            scores[i] = score[traits[i]]
    return central, spread, traits, scores


def suggest(tree: Dendrogram, X: Array | None, choice: Choice | bool | None, order: str, most: int) -> dict[str, Any]:
    """Suggested numbers of clusters with the curves they come from, and layers."""
    if choice is False:
        return {}
    if not isinstance(choice, Choice):
        affordable = X is not None and (choice is True or float(len(X)) ** 2 * X.shape[1] <= _QUICK)
        choice = choose(tree.Z, X if affordable else None, order=order)
    elif len(choice.curves["height"]) != tree.n_points:
        raise ValueError(f"choice must be of the {tree.n_points} points of Z, got {len(choice.curves['height'])}")
    suggested = [{"k": each.n_clusters, "criterion": each.criterion} for each in choice.suggestions]
    curves = [
        {"criterion": each["criterion"], "values": _as_list(choice.curves[str(each["criterion"])][:most])}
        for each in suggested
        if each["criterion"] in choice.curves
    ]
    return {
        "choice": {"order": choice.order, "suggestions": suggested, "curves": curves},
        "layers": list(layers(tree.Z, order=choice.order).n_clusters),
    }


def _as_list(values: Array) -> list[float | None]:
    """Numbers for JSON, which knows none that are not finite."""
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values.tolist()]
