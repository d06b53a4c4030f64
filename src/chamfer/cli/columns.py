"""Choosing the columns of a table to cluster by.

Nothing is guessed silently: a note names the columns that are used and the ones that are skipped; missing values and
words among numbers are refused with their place. What may be a mistake, such as clustering by row numbers or by
columns in different units, is done, with a note that says what to type instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.console import CommandError, note
from chamfer.cli.tables import Table, pandas, quoted, require_columns

_ENOUGH_ROWS = 20  # of fewer, columns of numbers in order are common
_SAMPLE = 10_000  # rows that tell how widely columns spread
_UNITS = 100  # spreads this many times the median are noted


@dataclass(frozen=True)
class Coordinates:
    """Numbers to cluster by, and the columns they come from."""

    X: Array
    columns: list[str]


def choose_columns(
    table: Table, columns: Sequence[str], drop: Sequence[str], apart: Iterable[str], single: bool = False
) -> Coordinates:
    """Take `columns`, all by default, without those to `drop` and those set `apart`, as numbers."""
    frame = table.frame
    if not len(frame):
        raise CommandError(f"{table.source}: has no rows")
    require_columns(table, columns, "--columns")
    require_columns(table, drop, "--drop")
    chosen = [each for each in columns or frame.columns if each not in drop and each not in set(apart)]
    found = {each: _numbers(table, each) for each in chosen}
    text = [each for each in chosen if found[each] is None]
    if text and columns:
        raise CommandError(f"{table.source}: --columns asks for {quoted(text)}: text, not numbers")
    if text:
        examples = ", ".join(f"{each!r} (such as {frame[each].dropna().iloc[0]!r})" for each in text)
        note(f"note: skipped non-numeric columns: {examples}")
    chosen = [each for each in chosen if each not in text]
    if not chosen:
        raise CommandError(f"{table.source}: has no column of numbers to cluster by")
    converted = {each: found[each] for each in chosen if found[each].dtype != frame[each].dtype}
    numbers = frame[chosen].assign(**converted)
    _refuse_missing(table, numbers)
    note(f"note: clustering by {len(chosen)} column{'s' * (len(chosen) > 1)}: {quoted(chosen)}")
    small = single or all(kind == np.float32 for kind in numbers.dtypes)
    with np.errstate(over="ignore"):
        X = numbers.to_numpy(dtype=np.float32 if small else np.float64)
    if not np.isfinite(X).all():
        raise CommandError(f"{table.source}: --float32: some values are too large for single precision")
    return Coordinates(X, chosen)


def _numbers(table: Table, name: str) -> Any:
    """A column of numbers, None if it holds something else; an error if it nearly holds numbers."""
    pd = pandas()
    values = table.frame[name]
    if pd.api.types.is_bool_dtype(values):
        return None
    if pd.api.types.is_numeric_dtype(values):
        if pd.api.types.is_complex_dtype(values):
            raise CommandError(f"{table.source}: column {name!r} holds complex numbers")
        return values
    if values.notna().sum() == 0:
        _refuse_missing(table, values.to_frame())
    if pd.api.types.is_datetime64_any_dtype(values) or isinstance(values.dtype, pd.CategoricalDtype):
        return None
    words = values.dropna()
    parsed = pd.to_numeric(words.astype(str), errors="coerce")
    known = parsed.notna()
    if known.all():
        # Integers beyond 64 bits, or decimals. What was stored as text stays text, even if it is made of digits.
        numbers = table.untyped or all(isinstance(each, Number) for each in words)
        return parsed.astype(float).reindex(values.index) if numbers else None
    if known.mean() >= 0.5:
        wrong = words[~known]
        place = table.place(table.frame.index.get_loc(wrong.index[0]))
        raise CommandError(
            f"{table.source}: {place}, column {name!r}: {wrong.iloc[0]!r} is not a number, "
            f"as most of the column is; correct it or leave the column out with --drop"
        )
    return None


def _refuse_missing(table: Table, numbers: Any) -> None:
    missing = numbers.isna().to_numpy()
    if not missing.any():
        kinds = [kind.kind for kind in numbers.dtypes if isinstance(kind, np.dtype)]
        missing = np.isinf(numbers.to_numpy(dtype=float)) if "f" in kinds else missing
    if not missing.any():
        return
    row, column = (int(each[0]) for each in np.nonzero(missing))
    count = int(missing.sum())
    what = "is missing" if numbers.iloc[row, [column]].isna().iloc[0] else "is infinite"
    more = f" ({count} such values in all)" if count > 1 else ""
    raise CommandError(
        f"{table.source}: {table.place(row)}, column {numbers.columns[column]!r}: the value {what}{more}; "
        "fill it in, remove the row, or leave the column out with --drop"
    )


def note_row_numbers(table: Table, columns: Sequence[str], option: str) -> None:
    """Note columns that count the rows, and the `option` that leaves them out."""
    if len(table.frame) < _ENOUGH_ROWS:
        return
    for name in columns:
        values = table.frame[name]
        if values.dtype.kind in "iu" and values.is_monotonic_increasing and values.is_unique:
            note(f"note: column {name!r} increases from row to row; if it only numbers the rows, add {option} {name}")


def note_names(table: Table, columns: Sequence[str]) -> None:
    """Note the first column of text that is different in each row."""
    if len(table.frame) < _ENOUGH_ROWS:
        return
    name = next((each for each in table.frame if each not in columns and table.frame[each].is_unique), None)
    if name is not None:
        note(f"note: column {name!r} differs from row to row; to write it beside the labels, add --id-column {name}")


def note_units(coordinates: Coordinates) -> None:
    """Note a column that spreads so much wider than half of the others that it decides the distances."""
    X, columns = coordinates.X, coordinates.columns
    with np.errstate(over="ignore", invalid="ignore"):
        spread = X[:: -(-len(X) // _SAMPLE)].std(axis=0, dtype=np.float64)
    varying = np.flatnonzero(spread > 0)
    if len(varying) < 2:
        return
    order = varying[np.argsort(spread[varying], kind="stable")]
    wide, middle = order[-1], order[(len(order) - 1) // 2]
    if spread[wide] >= _UNITS * spread[middle]:
        note(
            f"note: column {columns[wide]!r} spreads {spread[wide] / spread[middle]:,.0f} times as widely as "
            f"{columns[middle]!r} and decides the distances; to give all columns the same weight, add --standardize"
        )
