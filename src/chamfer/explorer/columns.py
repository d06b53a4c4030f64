"""Columns to colour points by: classes, or numbers.

Text, truth values and integers of few values are classes; all other numbers are a scale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.explorer.packing import packed
from chamfer.inputs import is_missing

_FEW = 20  # different integers are classes, more are a scale; also as many as have a colour of their own
_MOST_NUMBERS = 40  # columns of a data frame that can be coloured by
_MOST_CLASSES = 1000  # of a data frame's own column; a column of names says nothing as colours


def split_frame(X: Any) -> tuple[Any, dict[str, Array], list[str] | None]:
    """Numbers to compute with, and of a data frame all columns by name and the names of the numeric ones."""
    named = _by_name(X)
    if named is None:
        return X, {}, None
    numeric = {name: values for name, values in named.items() if values.dtype.kind in "iuf"}
    return (np.column_stack(list(numeric.values())) if numeric else None), named, list(numeric)


def _by_name(table: Any) -> dict[str, Array] | None:
    """Columns of a data frame or a mapping; None of anything else."""
    if hasattr(table, "columns") and hasattr(table, "dtypes"):
        return {str(name): np.asarray(table[name]) for name in table.columns}
    if isinstance(table, Mapping):
        return {str(name): np.asarray(values) for name, values in table.items()}
    return None


def make_columns(columns: Any, named: Mapping[str, Array], n: int) -> list[dict[str, Any]]:
    """Pack the columns that are given, and those of a data frame that colours can show."""
    given = _given(columns, n)
    numbers = sum(values.dtype.kind in "iuf" for values in named.values())
    made = [_pack(name, values) for name, values in given.items()]
    for name, values in named.items():
        if name in given or (values.dtype.kind in "iuf" and numbers > _MOST_NUMBERS):
            continue
        column = _pack(name, values)
        if len(column.get("values", ())) <= _MOST_CLASSES:
            made.append(column)
    return made


def _given(columns: Any, n: int) -> dict[str, Array]:
    if columns is None:
        return {}
    found = _by_name(columns)
    if found is None:
        found = {str(getattr(columns, "name", None) or "class"): np.asarray(columns)}
    for name, values in found.items():
        if values.shape != (n,):
            raise ValueError(
                f"columns must have a value for each of the {n} points, got shape {values.shape} of {name!r}"
            )
    return found


def _pack(name: str, values: Array) -> dict[str, Any]:
    if values.dtype.kind == "f" or (values.dtype.kind in "iu" and len(np.unique(values)) > _FEW):
        return _pack_numbers(name, values)
    texts = [_text(value) for value in values.tolist()]
    known = [text for text in texts if text is not None]
    counts = Counter(known)
    classes = sorted(counts, key=int if values.dtype.kind in "iu" else None)
    if len(classes) > _FEW:  # those that have a colour of their own come first
        classes.sort(key=lambda text: -counts[text])
    codes = {text: code for code, text in enumerate(classes)}
    packed_codes = packed([-1 if text is None else codes[text] for text in texts], np.int32)
    return {"name": name, "codes": packed_codes, "values": classes}


def _pack_numbers(name: str, values: Array) -> dict[str, Any]:
    numbers = values.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    known = numbers[np.isfinite(numbers)]
    # A few far values would make all others one colour.
    low, high = np.quantile(known, [0.02, 0.98]).tolist() if len(known) else (0.0, 0.0)
    if low == high and len(known):
        low, high = float(known.min()), float(known.max())
    return {"name": name, "numbers": packed(numbers, np.float32), "low": low, "high": high}


def _text(value: Any) -> str | None:
    """A value as text; None where it is missing."""
    return None if value is None or is_missing(value) else str(value)
