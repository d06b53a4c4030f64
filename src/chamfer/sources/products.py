"""Nearest clusters by matrix multiplication."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer import _core, tuning
from chamfer._types import Array, Points, is_mapped
from chamfer.distances.blas import blas, one_blas_thread
from chamfer.distances.filter import Principal, most_left
from chamfer.distances.pairwise import centre
from chamfer.progress import Tick
from chamfer.sources.base import Answer, SearchSource, empty_answer

ROWS = 256  # rows that are close together
_TRIED = 64  # points that have to look before the filter is given up


class BlasSource(SearchSource):
    """Nearest clusters by blocked matrix multiplication.

    Only a few leading principal coordinates are multiplied, which bounds distances from below; pairs that may be near
    are then computed in full. If a sample shows that few coordinates say little (isotropic data), all are multiplied;
    or later, when a question left so many pairs that this would have been faster.
    """

    whole = True  # each pair of points is multiplied once

    def __init__(self, points: Points, principal: Principal | None = None) -> None:
        if points.n <= tuning.current.unfiltered:  # nothing to gain from a filter
            coordinates = points.X - centre(points.X)
        else:
            principal = principal or Principal(points.X)
            coordinates = principal.coordinates(principal.best, principal.filter_dtype)
        super().__init__(points, product_search(points, coordinates))
        self.principal = principal
        self.n_coordinates = coordinates.shape[1]
        self._data = points

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`."""
        with one_blas_thread():
            if len(points) == self.n == len(np.unique(labels)):
                answer = empty_answer(self.n, k, self.dtype)
                self._search.all_points(**answer._asdict(), threads=threads, tick=tick)
                # The search names points, which are their own clusters' labels only up to the caller's numbering.
                listed = np.where(answer.clusters >= 0, labels[answer.clusters], np.int32(-1))
                return Answer(listed[points], answer.distances[points], answer.bounds[points])
            pairs, computed = self._search.pairs, self._search.computed
            answer = super().nearest(points, labels, k, threads, tick)
            if self._leaves_too_many(self._search.pairs - pairs, self._search.computed - computed):
                self._multiply_all()
            return answer

    def _leaves_too_many(self, pairs: int, computed: int) -> bool:
        """Whether it had been faster to multiply all coordinates than to compute in full what the filter left."""
        d = self._data.X.shape[1]
        if self.principal is None or self.n_coordinates >= d or is_mapped(self._data.X) or pairs < _TRIED * self.n:
            return False
        return computed > pairs * most_left(self.n_coordinates, d)

    def _multiply_all(self) -> None:
        assert self.principal is not None
        self.n_coordinates = self._data.X.shape[1]
        self._search = None  # its memory first
        dtype = self.principal.dtype(self.n_coordinates)
        self._search = product_search(self._data, self.principal.coordinates(self.n_coordinates, dtype))


def near_order(coordinates: Array) -> Array:
    """An order of the rows in which neighbours are close together."""
    return np.asarray(_core.near_order(np.ascontiguousarray(coordinates[:, :8]), leaf=ROWS))


def product_search(points: Points, coordinates: Array) -> Any:
    """The compiled search by multiplication of coordinates that bound distances from below."""
    order = near_order(coordinates)
    coordinates = coordinates[order]  # the caller need not keep the others
    return _core.product_search(points.X, metric=points.core_metric, coordinates=coordinates, order=order, blas=blas())
