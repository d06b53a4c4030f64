"""What is measured in a cell: a tree and its scores, other clusterings, other libraries, ties."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn import metrics

from chamfer._types import Array
from chamfer.hac import linkage
from chamfer.reproduction import paper, peers
from chamfer.reproduction.store import Cell
from chamfer.trees.dendrogram import ORDERS
from chamfer.trees.scores import SCORES, CutScores

Result = TypeVar("Result")
TIE_DRAWS = 50
_SKLEARN = {
    "ari": metrics.adjusted_rand_score,
    "nmi": metrics.normalized_mutual_info_score,
    "ami": metrics.adjusted_mutual_info_score,
    "fmi": metrics.fowlkes_mallows_score,
}


@dataclass(frozen=True, eq=False)
class Data:
    """Points in the type in which they are clustered, and their classes."""

    X: Array
    y: Array

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y))


def tree(data: Data, method: str, metric: str, progress: bool = False) -> Cell:
    """Build a tree; measure time, height, purity, the best cuts and that at the true number of clusters."""
    Z, seconds = _timed(lambda: _paper_tree(data.X, method, metric, progress))
    scores = CutScores(Z, data.y)
    paths = {order: {name: scores.along(order, name) for name in SCORES} for order in ORDERS}
    n = len(data.X)
    return {
        "seconds": seconds,
        "height": scores.tree.height,
        "purity": scores.purity,
        "best": {name: {order: _best(paths[order][name]) for order in ORDERS} for name in SCORES},
        "ami_on_schedule": _ami_on_schedule(scores),
        "true": {name: float(paths["merge"][name][n - data.k]) for name in SCORES},
        "path": _thin(n, {name: np.max([paths[order][name] for order in ORDERS], axis=0) for name in SCORES}),
    }


def ties(data: Data, method: str, metric: str, draws: int = TIE_DRAWS) -> Cell:
    """Score trees of the same points moved by next to nothing, so that ties fall at random."""
    rng = np.random.default_rng(0)
    tiny = 1e-8 * float(np.abs(data.X - data.X.mean(axis=0)).max())
    found: dict[str, list[float]] = {name: [] for name in ("height", *SCORES)}
    for _ in range(draws):
        moved = data.X + rng.normal(0, tiny, data.X.shape)
        scores = CutScores(_paper_tree(moved, method, metric, False), data.y)
        found["height"].append(scores.tree.height)
        found["ami"].append(_ami_on_schedule(scores))
        for name in ("ari", "nmi", "fmi"):
            found[name].append(max(scores.best_along(order, name)[0] for order in ORDERS))
    return {name: sorted(set(np.round(values, 4).tolist())) for name, values in found.items()}


def clustering(data: Data, name: str) -> Cell:
    """Score another clustering at the true number of clusters."""
    labels, seconds = _timed(lambda: peers.cluster(name, data.X, data.k))
    found = {score: float(measure(data.y, labels)) for score, measure in _SKLEARN.items()}
    return {"seconds": seconds, "clusters": len(np.unique(labels)), "true": found}


def peer_time(data: Data, library: str, method: str) -> Cell:
    """Measure the time that another library takes for the same tree."""
    return {"seconds": _timed(lambda: peers.build_tree(library, data.X, method))[1]}


def guarded(measure: Callable[[], Cell]) -> Cell:
    """Run a cell; one that does not fit in memory says so."""
    try:
        return {"status": "done", **measure()}
    except MemoryError as error:
        return {"status": "memory", "message": str(error) or "does not fit in memory"}


def _paper_tree(X: Array, method: str, metric: str, progress: bool) -> Array:
    """Build the tree of a linkage from squared or plain distances; centres give the same tree from both."""
    centres = method in ("ward", "centroid", paper.APPROXIMATE)  # they take Euclidean distances, and square them
    name, epsilon = ("centroid", 0.1) if method == paper.APPROXIMATE else (method, 0.0)
    Z = linkage(X, name, "euclidean" if centres else metric, epsilon=epsilon, progress=progress)
    if centres and metric == "sqeuclidean":
        Z[:, 2] **= 2
    return Z


def _timed(run: Callable[[], Result]) -> tuple[Result, float]:
    """Give the result and the least time of some runs, of one if it takes long."""
    times: list[float] = []
    while not times or (len(times) < 5 and sum(times) < 0.5):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return result, min(times)


def _best(path: Array) -> list[Any]:
    """Give the best score and its number of clusters."""
    at = int(np.argmax(path[::-1]))
    return [float(path[::-1][at]), at + 1]


def _ami_on_schedule(scores: CutScores) -> float:
    """Give the best adjusted mutual information at thresholds that double from the lowest height upwards.

    The paper computes it on "a geometric schedule of thresholds (merge costs spaced multiplicatively)" and
    does not say which. This one, along its second and third order, gives the numbers that it prints.
    """
    found = []
    for order in ("least", "cumulative"):
        _, heights = scores.tree.sequence(order)
        lowest = heights[heights > 0].min(initial=np.inf)
        doublings = np.arange(np.log2(max(heights.max(initial=0) / lowest, 1)) + 1)
        applied = np.searchsorted(heights, lowest * 2.0**doublings, side="right")
        found.append(float(scores.along(order, "ami")[applied].max()))
    return max(found)


def _thin(n: int, paths: dict[str, Array]) -> dict[str, list[float]]:
    """Keep enough of the paths to draw them over a logarithmic axis."""
    counts = np.unique(np.geomspace(1, n, 160).round().astype(int))
    kept = {name: path[n - counts].round(4).tolist() for name, path in paths.items()}
    return {"n_clusters": counts.tolist(), **kept}
