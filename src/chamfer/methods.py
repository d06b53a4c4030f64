"""The linkages: one row of facts each, and nothing else in the package knows what is true of a method.

Engines decide by these facts what they can do. Error messages, ``--help``, the Notes of `chamfer.linkage` and the
tables of the documentation (``python docs/make_tables.py``) list what is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from chamfer._types import FAST_METRICS


@dataclass(frozen=True)
class Linkage:
    """What is true of a linkage. Facts, no functions."""

    name: str
    family: Literal["chamfer", "single", "lance_williams", "centres"]
    formula: str  # the value for clusters A and B
    reducible: bool = False  # no merge brings the union closer to a third cluster than both of its parts were
    normalized: bool = False  # divided by the size of A
    symmetric: bool = False  # the sum of both directions, not the smaller one
    sized: bool = True  # depends on how many points the clusters have, and so on their weights
    capped: bool = False  # what a point counts is bounded by its own neighbours
    approximable: bool = False  # merges within a factor of 1 + epsilon of the best can be found in less time
    metrics: tuple[str, ...] | None = None  # that it is defined for; None: all
    from_points: tuple[str, ...] = ()  # metrics for which values follow from points or centres, without a matrix
    from_edges: bool = False  # values follow from those of the edges of a graph and of the pairs that have none
    takes_infinite: bool = False  # where distances are infinite, so are values, and no other value depends on them


_EUCLIDEAN = ("euclidean",)
_ROWS = (
    Linkage(
        "chamfer",
        "chamfer",
        "Ch(A, B) = Σ_{a∈A} min_{b∈B} d(a, b), the smaller of Ch(A, B) and Ch(B, A)",
        approximable=True,
    ),
    Linkage(
        "chamfer_normalized",
        "chamfer",
        "Ch(A, B) / |A|, the smaller of both directions",
        normalized=True,
        approximable=True,
    ),
    Linkage(
        "chamfer_capped", "chamfer", "Σ_{a∈A} min(κ(a), min_{b∈B} d(a, b)), the smaller of both directions", capped=True
    ),
    Linkage("chamfer_symmetric", "chamfer", "Ch(A, B) + Ch(B, A)", symmetric=True, from_points=FAST_METRICS),
    Linkage(
        "chamfer_normalized_symmetric",
        "chamfer",
        "Ch(A, B) / |A| + Ch(B, A) / |B|",
        normalized=True,
        symmetric=True,
        from_points=FAST_METRICS,
    ),
    Linkage(
        "single",
        "single",
        "the smallest d(a, b)",
        reducible=True,
        sized=False,
        from_points=FAST_METRICS,
        from_edges=True,
        takes_infinite=True,
    ),
    Linkage(
        "complete",
        "lance_williams",
        "the largest d(a, b)",
        reducible=True,
        sized=False,
        from_edges=True,
        takes_infinite=True,
    ),
    Linkage(
        "average",
        "lance_williams",
        "the mean of d(a, b)",
        reducible=True,
        from_points=("sqeuclidean", "cosine"),
        from_edges=True,
        takes_infinite=True,
    ),
    Linkage(
        "weighted",
        "lance_williams",
        "the mean of the values of the two clusters that A was merged from",
        reducible=True,
        sized=False,
        from_edges=True,
    ),
    Linkage(
        "ward",
        "centres",
        "√(2 |A| |B| / (|A| + |B|)) · ‖mean A − mean B‖",
        reducible=True,
        metrics=_EUCLIDEAN,
        from_points=_EUCLIDEAN,
    ),
    Linkage("centroid", "centres", "‖mean A − mean B‖", approximable=True, metrics=_EUCLIDEAN, from_points=_EUCLIDEAN),
    Linkage(
        "median",
        "centres",
        "‖m(A) − m(B)‖, where m is the midpoint of the two centres that were merged",
        sized=False,
        metrics=_EUCLIDEAN,
        from_points=_EUCLIDEAN,
    ),
)
METHODS = {each.name: each for each in _ROWS}


@cache  # a choice among engines asks for several lists, and shows none of them
def names(which: Callable[[Linkage], bool]) -> str:
    """The linkages for which something holds, for a message."""
    return ", ".join(name for name, each in METHODS.items() if which(each))
