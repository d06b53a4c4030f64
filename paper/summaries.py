"""The rows at the foot of tables: means over data sets, ours and the paper's over the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper import printed
from paper.table import Entry, Row


def geometric_means(rows: list[Row]) -> list[Row]:
    """Make a row of means over the rows in which every column has a value, so that columns can be compared."""
    basis = _basis([row for row in rows if all(each.ours is not None for each in row.entries)])
    if len(basis) < 2:
        return []
    entries = [
        Entry(_geometric_mean([each.ours for each in column]), _geometric_mean([each.paper for each in column]))
        for column in zip(*(row.entries for row in basis), strict=True)
    ]
    return [Row(f"geometric mean of {len(basis)}", entries, summary=True)]


def height_scores(methods: list[str], rows: list[Row]) -> list[Row]:
    """Make the row of the paper's Score, of its nine linkages."""
    nine = [i for i, method in enumerate(methods) if method in printed.METHODS]
    basis = _basis([row for row in rows if all(row.entries[i].ours is not None for i in nine)])
    if not basis or len(nine) < len(printed.METHODS):
        return []
    ours = height_score([[row.entries[i].ours for i in nine] for row in basis])
    printed_too = all(row.entries[i].paper is not None for row in basis for i in nine)
    theirs = height_score([[row.entries[i].paper for i in nine] for row in basis]) if printed_too else None
    entries = [Entry() for _ in methods]
    for place, i in enumerate(nine):
        entries[i] = Entry(float(ours[place]), None if theirs is None else float(theirs[place]))
    return [Row(f"Score over {len(basis)}", entries, summary=True)]


def height_score(heights: Sequence[Sequence[float | None]]) -> NDArray[Any]:
    """Give the paper's Score of each column of heights, of which there is a row for every data set.

    It is the mean over data sets of a tree's height divided by the geometric mean of all heights of that data set.
    Below 1 the trees are flatter than usual.
    """
    table = np.array(heights, dtype=float)
    return np.asarray((table / np.exp(np.log(table).mean(axis=1, keepdims=True))).mean(axis=0))


def _basis(rows: list[Row]) -> list[Row]:
    """Give the rows of the paper's data; all rows if there are none."""
    return [row for row in rows if any(each.paper is not None for each in row.entries)] or rows


def _geometric_mean(values: Sequence[float | None]) -> float | None:
    if any(value is None for value in values):
        return None
    return float(np.exp(np.log(np.maximum(np.array(values, dtype=float), 1e-12)).mean()))
