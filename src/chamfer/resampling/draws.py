"""Random numbers, and points that samples are drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array, Metric, Points
from chamfer.inputs import check_input, check_metric


def check_rng(rng: Any) -> np.random.Generator:
    """A generator, from itself or a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(f"rng must be a seed or a numpy.random.Generator, got {rng!r}") from None


def check_points(X: Any, metric: Metric) -> Array:
    """The rows of X, where samples of them, and means, can be taken.

    Points of Euclidean space are in the unit of `chamfer.units`, so that their squares do not overflow. Other metrics
    may depend on the origin and get the rows as they are.
    """
    if check_metric(metric) == "precomputed" or getattr(X, "ndim", 2) == 1:
        raise ValueError("X must hold points as rows, got distances, of which no samples can be drawn")
    data = check_input(X, "euclidean")
    if not isinstance(data, Points) or data.remote or data.sparse:
        raise ValueError("X must hold points as rows, dense and in memory")
    if metric in ("euclidean", "sqeuclidean"):
        return data.X
    return np.array(X, dtype=np.float32 if data.dtype == np.float32 else np.float64, order="C")
