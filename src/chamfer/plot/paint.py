"""Colours of all clusters of a tree under a cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer.plot.canvas import neutral, palette
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import merge_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Paint:
    """Label and colour of every cluster of a tree; without a cut all have the first colour.

    `labels` holds -1 for clusters that the cut divides, `tops` the clusters of the cut, by label.
    """

    def __init__(
        self,
        tree: Dendrogram,
        n_clusters: int | None,
        height: float | None,
        order: str,
        colors: Sequence[Any] | None,
        ax: Axes,
    ) -> None:
        self.neutral = neutral(ax)
        self.tops: list[int] = []
        if n_clusters is None and height is None:
            self.labels = np.full(2 * tree.n_points - 1, 0)
            self.palette = [colors[0] if colors else palette(1)[0]]
            return
        applied = tree.applied(n_clusters, height=height, order=order)
        points = tree.labels(applied)
        self.labels = merge_labels(tree, applied, points)
        self.palette = list(colors) if colors else palette(int(points.max()) + 1)
        # The last cluster that has a label holds all others that have it.
        last = np.zeros(int(points.max()) + 1, dtype=int)
        np.maximum.at(last, self.labels[self.labels >= 0], np.flatnonzero(self.labels >= 0))
        self.tops = last.tolist()

    def color(self, label: int) -> Any:
        """Colour of a label; that of text for -1."""
        return self.neutral if label < 0 else self.palette[label % len(self.palette)]
