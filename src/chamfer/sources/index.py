"""Approximate nearest neighbours, found by the package itself. What they find only nominates."""

from __future__ import annotations

import numpy as np

from chamfer import tuning
from chamfer._types import Array, Points
from chamfer.progress import Tick
from chamfer.sources.base import Answer
from chamfer.sources.graph import Graph, Rows, build_graph
from chamfer.sources.local_rows import LocalRows
from chamfer.sources.nominated import NominatedPoints, NominatedSource


class GraphIndex(NominatedSource):
    """Nearest clusters by a graph of neighbours that is built when first asked for."""

    def _expect(self, k: int | None, recall: float, rng: int) -> None:
        """Say what the graph has to have."""
        self._k, self._wanted, self._rng = tuning.current.first_list if k is None else k, recall, rng
        self._graph: Graph | None = None

    def _rows(self, threads: int) -> Rows:
        """The points, as the graph is built from them."""
        raise NotImplementedError

    @property
    def recall(self) -> float | None:
        """The share of nearest neighbours that was found, on a sample."""
        return None if self._graph is None else self._graph.recall

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`, about."""
        if self._graph is None:
            self._graph = build_graph(self._rows(threads), self._k, self._wanted, self._rng, tick)
            tick = None
        answer = self._graph.answer
        if k == answer.clusters.shape[1] and np.array_equal(labels, np.arange(self.n)):
            return Answer(*(each[points] for each in answer))  # every point is a cluster of its own
        return super().nearest(points, labels, k, threads, tick)

    def _listed(self, points: Array) -> Answer:
        """What the graph has for some points."""
        assert self._graph is not None
        return self._graph.answer.part(points)


class IndexSource(GraphIndex, NominatedPoints):
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
        self._expect(k, recall, rng)

    def _rows(self, threads: int) -> Rows:
        return LocalRows(self.points, threads)

    def _neighbours(self, points: Array, k: int, threads: int) -> Array:
        return self._listed(points).clusters
