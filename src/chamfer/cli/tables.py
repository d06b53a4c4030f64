"""Reading tables, and choosing from them the columns to cluster by.

Nothing is guessed silently: non-numeric columns are skipped with a note, or refused if they were asked for;
missing values and words among numbers are refused with their row and column. Rows count from 1, without the
header.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.console import CommandError, note
from chamfer.cli.reading import ADVICE, StoredArray, load_arrays, open_arrays, read_all, reading
from chamfer.inputs import did_you_mean
from chamfer.memory import require_memory

_TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", "")
_ARROW = (".arrow", ".feather", ".ipc")


def pandas() -> Any:
    """Import pandas, or say how to get it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise CommandError("reading data needs pandas; install it with: pip install 'chamfer[cli]'") from error
    return pd


@dataclass(frozen=True)
class Table:
    """Columns of a file.

    `aside` holds arrays of an NPZ or the index of a data frame, for labels or names and never for coordinates;
    `index` is the one among them that names the rows without being asked to. `untyped` columns come from text, and are
    what they look like.
    """

    frame: Any
    source: str
    aside: dict[str, Array] = field(default_factory=dict)
    index: str | None = None
    untyped: bool = False

    def column(self, name: str, option: str) -> Array:
        """Give the values of one column that `option` asks for."""
        if name in self.aside:
            return self.aside[name]
        _require(self, [name], option, self.aside)
        return np.asarray(self.frame[name])


@dataclass(frozen=True)
class Coordinates:
    """Numbers to cluster by, and the columns they come from."""

    X: Array
    columns: list[str]


def read_table(name: str) -> Table:
    """Read a table from a file, whose ending says what it is, or from standard input (``-``), as text."""
    if name == "-":
        return _read_input()
    path = Path(name)
    if not path.exists():
        raise CommandError(f"{name}: there is no such file")
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".bz2", ".xz")]
    ending = endings[-1] if endings else ""
    with reading(name):
        if ending in (".npy", ".npz"):
            return _read_arrays(name)
        if ending == ".parquet":
            return _with_index(_read_parquet(path), name)
        if ending in _ARROW:
            return _with_index(_read_arrow(path), name)
        with path.open("rb") as file:
            content = read_all(file)
        return _read_text(content, name, "\t" if ending in (".tsv", ".tab") else None)


def _read_input() -> Table:
    if sys.stdin is None:
        raise CommandError("standard input: is closed")
    with reading("standard input"):
        return _read_text(read_all(sys.stdin.buffer), "standard input", None)


def _read_text(content: bytes, source: str, separator: str | None) -> Table:
    pd = pandas()
    lines = (line.strip(b"\xef\xbb\xbf \r\n") for line in io.BytesIO(content))
    first = next(filter(None, lines), b"").decode("utf-8", "replace").strip()
    if not first:
        raise CommandError(f"{source}: is empty")
    separator = separator or max(",\t;", key=first.count)
    # Rows that are shorter than the first are filled up, so a small file may hold a large table.
    columns, rows = first.count(separator) + 1, content.count(b"\n") + 1
    require_memory(8 * columns * rows, f"a table of {columns:,} columns and {rows:,} rows", ADVICE)
    # A file without header would lose its first row, so numbers on top are taken for data.
    headless = all(_is_number(cell) for cell in first.split(separator))
    try:
        with warnings.catch_warnings():
            # Rows longer than the header would lose a column with no more than a warning.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.BytesIO(content),
                sep=separator,
                header=None if headless else 0,
                index_col=False,
                encoding="utf-8-sig",
                low_memory=False,
            )
    except UnicodeDecodeError as error:
        raise CommandError(f"{source}: is not UTF-8 text: {error}") from error
    if headless:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
        note(f"note: {source} has no header, its columns are called 1 to {frame.shape[1]}")
    return Table(_text_names(frame, source), source, untyped=True)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_arrays(source: str) -> Table:
    with open_arrays(source) as arrays:
        if list(arrays) == [""]:
            return Table(_frame(arrays[""], source), source)
        flat = {name: array for name, array in arrays.items() if len(array.shape) == 2}
        if "X" not in flat and len(flat) != 1:
            held = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "nothing"
            raise CommandError(f"{source}: must hold a two-dimensional array X, or one such array; it holds {held}")
        X = flat["X"] if "X" in flat else next(iter(flat.values()))
        beside = {name: array for name, array in arrays.items() if array.shape == X.shape[:1]}
        odd = [name for name, array in beside.items() if array.dtype.kind in "OV"]
        if odd:
            note(f"note: {source}: skipped columns that are neither numbers nor text: {_quoted(odd)}")
        names = [name for name in beside if name not in odd]
        return Table(
            _frame(X, source), source, dict(zip(names, load_arrays([beside[each] for each in names]), strict=True))
        )


def _frame(stored: StoredArray, source: str) -> Any:
    if len(stored.shape) != 2:
        raise CommandError(f"{source}: must hold an array of two dimensions, got shape {stored.shape}")
    if 0 in stored.shape:
        raise CommandError(f"{source}: has no {'rows' if stored.shape[0] == 0 else 'columns'}")
    if stored.dtype.kind == "V":
        raise CommandError(f"{source}: must hold numbers, got {stored.dtype}")
    (array,) = load_arrays([stored])
    if stored.dtype.kind == "f" and stored.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # infinities are refused later, with their place
            array = array.astype(np.float64)
    # pandas does not take numbers in the byte order of other machines.
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return pandas().DataFrame(array, columns=[str(number) for number in range(array.shape[1])])


def _read_parquet(path: Path) -> Any:
    pd = pandas()
    if path.is_file():
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            rows, columns = file.metadata.num_rows, file.metadata.num_columns
        require_memory(8 * columns * rows, f"a table of {columns:,} columns and {rows:,} rows", ADVICE)
    return pd.read_parquet(path)


def _read_arrow(path: Path) -> Any:
    from pyarrow import ArrowInvalid, feather, ipc

    try:
        table = feather.read_table(path)
    except ArrowInvalid:
        with ipc.open_stream(path.read_bytes()) as stream:
            table = stream.read_all()
    table.validate(full=True)  # damaged offsets would be followed to wherever they point
    return table.to_pandas()


def _with_index(frame: Any, source: str) -> Table:
    """Table of a data frame, whose index names its rows unless it only counts them."""
    if frame.index.name is None and frame.index.equals(pandas().RangeIndex(len(frame))):
        return Table(_text_names(frame, source), source)
    names = ["index" if name is None else str(name).strip() for name in frame.index.names]
    aside = {name: np.asarray(frame.index.get_level_values(i)) for i, name in enumerate(names)}
    frame = _text_names(frame.reset_index(drop=True), source)
    return Table(frame, source, aside, names[0] if len(names) == 1 else None)


def _text_names(frame: Any, source: str) -> Any:
    frame.columns = [str(name).strip() for name in frame.columns]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise CommandError(f"{source}: has several columns called {twice[0]!r}")
    return frame


def choose(
    table: Table, columns: Sequence[str], drop: Sequence[str], apart: Iterable[str], single: bool = False
) -> Coordinates:
    """Take `columns`, all by default, without those to `drop` and those set `apart`, as numbers."""
    frame = table.frame
    if not len(frame):
        raise CommandError(f"{table.source}: has no rows")
    _require(table, columns, "--columns")
    _require(table, drop, "--drop")
    chosen = [each for each in columns or frame.columns if each not in drop and each not in set(apart)]
    found = {each: _numbers(table, each) for each in chosen}
    text = [each for each in chosen if found[each] is None]
    if text and columns:
        raise CommandError(f"{table.source}: --columns asks for {_quoted(text)}: text, not numbers")
    if text:
        examples = ", ".join(f"{each!r} (such as {frame[each].dropna().iloc[0]!r})" for each in text)
        note(f"note: skipped non-numeric columns: {examples}")
    chosen = [each for each in chosen if each not in text]
    if not chosen:
        raise CommandError(f"{table.source}: has no column of numbers to cluster by")
    converted = {each: found[each] for each in chosen if found[each].dtype != frame[each].dtype}
    numbers = frame[chosen].assign(**converted)
    _refuse_missing(table, numbers)
    small = single or all(kind == np.float32 for kind in numbers.dtypes)
    with np.errstate(over="ignore"):
        X = numbers.to_numpy(dtype=np.float32 if small else np.float64)
    if not np.isfinite(X).all():
        raise CommandError(f"{table.source}: --float32: some values are too large for single precision")
    return Coordinates(X, chosen)


def _require(table: Table, names: Iterable[str], option: str, more: Iterable[str] = ()) -> None:
    known = [*table.frame.columns, *more]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {_quoted(known)}"
            raise CommandError(f"{table.source}: {option}: there is no column {name!r}{hint}")


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
        row = table.frame.index.get_loc(wrong.index[0]) + 1
        raise CommandError(
            f"{table.source}: row {row}, column {name!r}: {wrong.iloc[0]!r} is not a number, "
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
        f"{table.source}: row {row + 1}, column {numbers.columns[column]!r}: the value {what}{more}; "
        "fill it in, remove the row, or leave the column out with --drop"
    )


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
