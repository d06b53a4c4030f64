"""Approximate nearest neighbours, found by the package itself. What they find only nominates."""

from __future__ import annotations

import numpy as np

from chamfer import tuning
from chamfer._types import Array, Points
from chamfer.progress import Tick
from chamfer.sources.base import Answer
from chamfer.sources.graph import Graph, build_graph
from chamfer.sources.nominated import NominatedSource


class IndexSource(NominatedSource):
    """Nearest clusters by approximate nearest neighbours, see `chamfer.neighbors`.

    The graph of neighbours is built when first asked for. It does not depend on the number of threads.

    Parameters
    ----------
    points : Points
        The points, with a fast metric.
    k : int, optional
        Neighbours that the graph has for each point; as many as a first list has by default.
    recall : float, default=0.98
        The share of the k nearest neighbours to be found.
    rng : int, default=0
        Which points the graph is carved by.

    Attributes
    ----------
    recall : float or None
        The share that was found, on a sample; None before the graph is built.
    """

    def __init__(self, points: Points, k: int | None = None, recall: float = 0.98, rng: int = 0) -> None:
        super().__init__(points)
        self._k, self._wanted, self._rng = tuning.current.first_list if k is None else k, recall, rng
        self._graph: Graph | None = None

    @property
    def recall(self) -> float | None:
        """The share of nearest neighbours that was found, on a sample."""
        return None if self._graph is None else self._graph.recall

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, about."""
        if self._graph is None:
            self._graph = build_graph(self.points, self._k, self._wanted, self._rng, threads, tick)
            tick = None
        answer = self._graph.answer
        if k == answer.clusters.shape[1] and np.array_equal(labels, np.arange(self.n)):
            return Answer(*(each[points] for each in answer))  # every point is a cluster of its own
        return super().nearest(points, labels, k, threads, tick)

    def _neighbours(self, points: Array, k: int, threads: int) -> Array:
        assert self._graph is not None
        return np.asarray(self._graph.answer.clusters[points])
