"""The values that flow through the package: points, or distances between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chamfer.units import Array as Array

Metric = str | Callable[[Array, Array], float]

FAST_METRICS = ("euclidean", "sqeuclidean", "cosine")


@dataclass(frozen=True)
class Points:
    """Observations that nobody else can change, and the metric between them.

    For Euclidean distances they are in a unit of their own, in which squares neither overflow nor vanish, see
    `chamfer.units`; for the cosine distance they have unit length.
    """

    X: Array
    metric: Metric
    exponent: int = 0  # of the unit

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def dtype(self) -> Any:
        """Of the points, and so of their distances."""
        return self.X.dtype

    @property
    def height_exponent(self) -> int:
        """Heights times two to this power are in the caller's unit."""
        return self.exponent * (2 if self.metric == "sqeuclidean" else 1)


@dataclass(frozen=True)
class Condensed:
    """Distances between all pairs of n points, in SciPy's condensed order, that nobody else can change."""

    values: Array
    n: int

    @property
    def dtype(self) -> Any:
        """Of the distances."""
        return self.values.dtype
