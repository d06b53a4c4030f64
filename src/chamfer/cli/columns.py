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
from chamfer.cli.cells import missing, parse_number
from chamfer.cli.console import CommandError, note
from chamfer.cli.tables import Table, quoted, require_columns

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
    if not len(table):
        raise CommandError(f"{table.source}: has no rows")
    require_columns(table, columns, "--columns")
    require_columns(table, drop, "--drop")
    chosen = [each for each in columns or table.columns if each not in drop and each not in set(apart)]
    found = {each: _numbers(table, each) for each in chosen}
    text = [each for each in chosen if found[each] is None]
    if text and columns:
        raise CommandError(f"{table.source}: --columns asks for {quoted(text)}: text, not numbers")
    if text:
        examples = ", ".join(f"{each!r} (such as {_example(table.columns[each])!r})" for each in text)
        note(f"note: skipped non-numeric columns: {examples}")
    numbers = {each: column for each, column in found.items() if column is not None}
    if not numbers:
        raise CommandError(f"{table.source}: has no column of numbers to cluster by")
    _refuse_missing(table, numbers)
    note(f"note: clustering by {len(numbers)} column{'s' * (len(numbers) > 1)}: {quoted(list(numbers))}")
    small = single or all(column.dtype == np.float32 for column in numbers.values())
    X = np.empty((len(table), len(numbers)), np.float32 if small else np.float64)
    with np.errstate(over="ignore"):
        for i, column in enumerate(numbers.values()):
            X[:, i] = column
    if not np.isfinite(X).all():
        raise CommandError(f"{table.source}: --float32: some values are too large for single precision")
    return Coordinates(X, list(numbers))


def _example(values: Array) -> Any:
    return values[~missing(values)][0] if values.dtype.kind == "O" else values[0].item()


def _numbers(table: Table, name: str) -> Array | None:
    """A column of numbers, None if it holds something else; an error if it nearly holds numbers."""
    values = table.columns[name]
    if values.dtype.kind == "c":
        raise CommandError(f"{table.source}: column {name!r} holds complex numbers")
    if values.dtype.kind != "O":
        return values if values.dtype.kind in "iuf" else None
    rows = np.flatnonzero(~missing(values))
    if not len(rows):
        _refuse_missing(table, {name: values})
    parsed = [parse_number(str(each)) for each in values[rows]]
    unknown = [row for row, number in zip(rows.tolist(), parsed, strict=True) if number is None]
    if not unknown:
        # Integers beyond 64 bits, or decimals. What was stored as text stays text, even if it is made of digits.
        if not table.untyped and not all(isinstance(each, Number) for each in values[rows]):
            return None
        numbers = np.full(len(values), np.nan)
        numbers[rows] = parsed
        return numbers
    if 2 * len(unknown) <= len(rows):
        raise CommandError(
            f"{table.source}: {table.place(unknown[0])}, column {name!r}: {values[unknown[0]]!r} is not a number, "
            f"as most of the column is; correct it or leave the column out with --drop"
        )
    return None


def _refuse_missing(table: Table, numbers: dict[str, Array]) -> None:
    for what, where in (("is missing", missing), ("is infinite", _infinite)):
        found = {name: np.flatnonzero(where(column)) for name, column in numbers.items()}
        count = sum(map(len, found.values()))
        if count == 0:
            continue
        name = min((name for name in found if len(found[name])), key=lambda name: int(found[name][0]))
        more = f" ({count} such values in all)" if count > 1 else ""
        raise CommandError(
            f"{table.source}: {table.place(int(found[name][0]))}, column {name!r}: the value {what}{more}; "
            "fill it in, remove the row, or leave the column out with --drop"
        )


def _infinite(column: Array) -> Array:
    return np.asarray(np.isinf(column)) if column.dtype.kind == "f" else np.zeros(len(column), bool)


def note_row_numbers(table: Table, columns: Sequence[str], option: str) -> None:
    """Note columns that count the rows, and the `option` that leaves them out."""
    if len(table) < _ENOUGH_ROWS:
        return
    for name in columns:
        values = table.columns[name]
        if values.dtype.kind in "iu" and (values[1:] > values[:-1]).all():
            note(f"note: column {name!r} increases from row to row; if it only numbers the rows, add {option} {name}")


def note_names(table: Table, columns: Sequence[str]) -> None:
    """Note the first column of text that is different in each row."""
    if len(table) < _ENOUGH_ROWS:
        return
    text = [each for each, values in table.columns.items() if each not in columns and values.dtype.kind == "O"]
    name = next((each for each in text if len(set(map(str, table.columns[each]))) == len(table)), None)
    if name is not None:
        note(f"note: column {name!r} differs from row to row; to write it beside the labels, add --id-column {name}")


def note_units(coordinates: Coordinates) -> None:
    """Note a column that spreads so much wider than half of the others that it decides the distances."""
    X, columns = coordinates.X, coordinates.columns
    with np.errstate(over="ignore", invalid="ignore"):
        spread = X[:: -(-len(X) // _SAMPLE)].std(axis=0, dtype=np.float64)
    varying = np.flatnonzero(spread > 0)
    if len(varying) < 2 or not np.isfinite(spread).all():
        return
    order = varying[np.argsort(spread[varying], kind="stable")]
    wide, middle = order[-1], order[(len(order) - 1) // 2]
    if spread[wide] >= _UNITS * spread[middle]:
        note(
            f"note: column {columns[wide]!r} spreads {spread[wide] / spread[middle]:,.0f} times as widely as "
            f"{columns[middle]!r} and decides the distances; to give all columns the same weight, add --standardize"
        )
