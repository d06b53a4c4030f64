"""What the cells of a table are: words of a text or values of any kind become arrays.

A column is an array of numbers, truth values or dates, or of objects where it holds text; None is a missing object, NaN
a missing number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from chamfer._types import Array

# What pandas takes for missing, so that tables are the same with it and without.
_MISSING = frozenset(
    [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
        *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    ]
)
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*|\s*[+-]?inf(inity)?\s*", re.ASCII | re.IGNORECASE)


def parse_number(word: str) -> float | None:
    """The number that a word is, or None."""
    return float(word) if _NUMBER.fullmatch(word) else None


def typed(words: Sequence[str], decimal: str = ".") -> Array:
    """Words of a column as what they look like."""
    if decimal != ".":
        plain = [word.replace(decimal, ".") for word in words]
        numbers = typed(plain)
        return numbers if numbers.dtype.kind in "iuf" else typed(words)
    known = [word for word in words if word not in _MISSING]
    if not known:
        return np.full(len(words), np.nan)
    if all(map(_INTEGER.fullmatch, known)) and len(known) == len(words):
        return _integers(words)
    if all(map(_NUMBER.fullmatch, known)):
        return np.array([np.nan if word in _MISSING else float(word) for word in words])
    if len(known) == len(words) and all(word in _TRUTH for word in words):
        return np.array([_TRUTH[word] for word in words])
    return objects([None if word in _MISSING else word for word in words])


def _integers(words: Sequence[str]) -> Array:
    values = [int(word) for word in words]
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= min(values) and max(values) <= np.iinfo(dtype).max:
            return np.array(values, dtype)
    return objects([word.strip() for word in words])  # as names they keep their digits


def of_values(values: Sequence[Any]) -> Array:
    """Values of any kind as an array; of mixed kinds as objects."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known) and len(known) == len(values):
        return np.array(values, bool)
    if all(isinstance(value, Number) and not isinstance(value, bool) for value in known):
        whole = len(known) == len(values) and all(isinstance(value, int) for value in known)
        if not whole or all(-(2**63) <= value < 2**63 for value in values):
            return np.array([np.nan if value is None else value for value in values], np.int64 if whole else np.float64)
    return objects(values)


def objects(values: Sequence[Any]) -> Array:
    """An array of objects; NumPy would make texts of one length of them, or a matrix of lists."""
    result = np.empty(len(values), object)
    result[:] = values
    return result


def missing(values: Array) -> Array:
    """Where a column has no value."""
    if values.dtype.kind == "O":
        return np.array([value is None for value in values], bool)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    return np.asarray(np.isnan(values)) if values.dtype.kind in "fc" else np.zeros(len(values), bool)


def from_series(series: Any) -> Array:
    """A column of pandas; dates and categories become text, as which they are shown."""
    kind = series.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biufc":
        return np.asarray(series)
    gaps = series.isna().to_numpy()
    if getattr(kind, "_is_numeric", False) and kind.kind in "iufc":  # numbers that may be missing
        return np.asarray(
            series.to_numpy(np.float64, na_value=np.nan) if gaps.any() else series.to_numpy(kind.numpy_dtype)
        )
    text = series.astype(str) if kind.kind in "mM" or kind.name == "category" else series
    return objects([None if gap else value for value, gap in zip(text.tolist(), gaps.tolist(), strict=True)])
