"""Nearest clusters by a k-d tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points
from chamfer.distances.filter import Principal
from chamfer.progress import Tick
from chamfer.sources.base import SearchSource


class TreeSource(SearchSource):
    """Nearest clusters by a k-d tree over the points, or over their leading principal coordinates."""

    def __init__(self, points: Points, principal: Principal | None = None, threads: int = 1) -> None:
        own = points.X.shape[1] <= 16
        if own:
            coordinates = np.ascontiguousarray(points.X, np.float64)
        else:
            principal = principal or Principal(points.X)
            coordinates = principal.coordinates(principal.few, np.float64)
        super().__init__(points, tree_search(points, coordinates, own, threads))
        self.near = tuning.current.tree_near  # however many points there are: a tree looks at few of them
        self.principal = None if own else principal
        self.n_coordinates = coordinates.shape[1]

    def spanning_tree(self, threads: int, tick: Tick | None = None) -> Array:
        """Z of single linkage."""
        Z: Array = self._search.spanning_tree(k=tuning.current.tree_list, threads=threads, tick=tick)
        return Z


def tree_search(points: Points, coordinates: Array, own: bool, threads: int) -> Any:
    """The compiled search by a k-d tree over coordinates, which may be the points' own."""
    metric = points.core_metric
    return _core.tree_search(points.X, metric=metric, coordinates=coordinates, own=own, threads=threads)
