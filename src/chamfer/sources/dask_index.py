"""Approximate nearest neighbours of points that are spread over a Dask cluster."""

from __future__ import annotations

import numpy as np

from chamfer import tuning
from chamfer._types import Array
from chamfer.sources.base import Answer
from chamfer.sources.dask import DaskSource, send_visitors
from chamfer.sources.dask_rows import DaskRows
from chamfer.sources.graph import Rows
from chamfer.sources.graph_workers import make_sample, visit_from
from chamfer.sources.index import GraphIndex
from chamfer.sources.workers import add, nothing


class DaskIndexSource(GraphIndex):
    """Nearest clusters by the graph that `IndexSource` would build if the points were here.

    The graph has the distances of neighbours, so that only clusters without any are searched for on the cluster.

    Parameters
    ----------
    source : DaskSource
        The points, with a fast metric. `close` closes it.
    k, recall, rng
        As in `IndexSource`.
    """

    def __init__(self, source: DaskSource, k: int | None = None, recall: float = 0.98, rng: int = 0) -> None:
        self.n, self.dtype = source.n, source.dtype
        self.points, self.height_exponent = source.points, source.height_exponent
        self.near = tuning.current.tree_near
        self._source = source
        self._expect(k, recall, rng)

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._source.close()

    def _rows(self, threads: int) -> Rows:
        return DaskRows(self._source, threads)

    def _select(self, points: Array, k: int, labels: Array, answer: Answer, threads: int) -> None:
        listed, distances, _ = self._listed(points)
        clusters = np.where(listed < 0, np.int32(-1), labels[listed])
        clusters[clusters == labels[points, None]] = -1
        front = np.argsort(clusters < 0, axis=1, kind="stable")
        clusters, distances = (np.take_along_axis(each, front, axis=1) for each in (clusters, distances))
        for each, empty in zip(answer, nothing(len(points), k, self.dtype), strict=True):
            each[:] = empty
        add(Answer(clusters, distances, answer.bounds), answer)

    def _nearest_of_all(self, points: Array, labels: Array, k: int, threads: int) -> Answer:
        return self._source.nearest(points, labels, k, threads)

    def _go_on(self, sample: Array, points: Array, labels: Array, known: Answer, threads: int) -> None:
        blocks, k = self._source.blocks, known.clusters.shape[1]
        block = blocks.submit(make_sample, blocks.picked(sample), self._source.plan)
        order = np.argsort(points, kind="stable")
        visitors = send_visitors(self._source, points[order], labels)
        found = blocks.submit(visit_from, block, visitors, labels[sample], known.part(order), k).result()
        for each, part in zip(known, found, strict=True):
            each[order] = part
