"""Reading tables: text, JSON and arrays, and with pandas also spreadsheets, Parquet and Arrow."""

from __future__ import annotations

import csv
import io
import json
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.cells import from_series, of_values, parse_number, typed
from chamfer.cli.console import CommandError, note
from chamfer.cli.reading import ADVICE, StoredArray, load_arrays, open_arrays, read_all, reading
from chamfer.inputs import did_you_mean
from chamfer.memory import require_memory

_ARROW = (".arrow", ".feather", ".ipc")
_JSON = (".json", ".jsonl", ".ndjson")
_TABBED = {".tsv": "\t", ".tab": "\t"}
_SHEETS = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")


def pandas() -> Any:
    """Import pandas, or say how to get it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise CommandError("this needs pandas; install it with: pip install 'chamfer[cli]'") from error
    return pd


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written; the separator of cells is guessed from the first line if it is None."""

    delimiter: str | None = None
    decimal: str = "."
    encoding: str | None = None


@dataclass(frozen=True)
class Table:
    """Columns of a file, see `chamfer.cli.cells`.

    `aside` holds arrays of an NPZ or the index of a data frame, for labels or names and never for coordinates;
    `index` is the one among them that names the rows without being asked to. `untyped` columns come from text, and are
    what they look like. `first` says what an editor calls the first row, and `unit` how it counts.
    """

    columns: dict[str, Array]
    source: str
    aside: dict[str, Array] = field(default_factory=dict)
    index: str | None = None
    untyped: bool = False
    first: int = 1
    unit: str = "row"

    def __len__(self) -> int:
        """Count the rows."""
        return len(next(iter(self.columns.values()), ()))

    def place(self, row: int) -> str:
        """Name a row, counted from 0, as an editor shows it."""
        return f"{self.unit} {row + self.first}"

    def column(self, name: str, option: str) -> Array:
        """Give the values of one column that `option` asks for."""
        if name in self.aside:
            return self.aside[name]
        require_columns(self, [name], option, self.aside)
        return self.columns[name]


def read_table(name: str, text: TextFormat) -> Table:
    """Read a table from a file, whose ending says what it is, or from standard input (``-``), as text."""
    if name == "-":
        return _read_input(text)
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
        if ending in _SHEETS:
            return _read_sheet(path, name)
        with path.open("rb") as file:
            content = read_all(file)
        if ending in _JSON:
            return Table(_read_json(content, name, lines=ending != ".json"), name)
        return _read_text(content, name, replace(text, delimiter=text.delimiter or _TABBED.get(ending)))


def _read_input(text: TextFormat) -> Table:
    if sys.stdin is None:
        raise CommandError("standard input: is closed")
    with reading("standard input"):
        return _read_text(read_all(sys.stdin.buffer), "standard input", text)


def _read_text(content: bytes, source: str, text: TextFormat) -> Table:
    content = _as_utf8(content, source, text.encoding)
    lines = (line.strip(b"\xef\xbb\xbf \r\n") for line in io.BytesIO(content))
    first = next(filter(None, lines), b"").decode("utf-8", "replace").strip()
    if not first:
        raise CommandError(f"{source}: is empty")
    separator = text.delimiter or max(",\t;".replace(text.decimal, ""), key=first.count)
    # Rows that are shorter than the first are filled up, so a small file may hold a large table.
    columns, rows = first.count(separator) + 1, content.count(b"\n") + 1
    require_memory(8 * columns * rows, f"a table of {columns:,} columns and {rows:,} rows", ADVICE)
    # A file without header would lose its first row, so numbers on top are taken for data.
    cells = [cell.replace(text.decimal, ".") for cell in first.split(separator)]
    headless = all(parse_number(cell.strip('"')) is not None for cell in cells)
    try:
        found = _split(content, separator, text.decimal, headless)
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{source}: is not UTF-8 text: {error}; name its encoding, as in --encoding latin-1"
        ) from error
    names = [str(number) for number in range(1, len(found) + 1)] if headless else [name for name, _ in found]
    if headless:
        note(f"note: {source} has no header, its columns are called 1 to {len(found)}")
    table = Table(_named(names, [column for _, column in found], source), source, untyped=True)
    header = 0 if headless else 1
    one_each = content.count(b"\n") + (not content.endswith(b"\n")) == header + len(table)
    # No empty lines, and none within quotes.
    return replace(table, first=header + 1, unit="line") if one_each else table


def _split(content: bytes, separator: str, decimal: str, headless: bool) -> list[tuple[str, Array]]:
    """Names and values of the columns of a text."""
    try:
        pandas()
    except CommandError:
        return _split_by_csv(content, separator, decimal, headless)
    return _split_by_pandas(content, separator, decimal, headless)


def _split_by_pandas(content: bytes, separator: str, decimal: str, headless: bool) -> list[tuple[str, Array]]:
    pd = pandas()
    with warnings.catch_warnings():
        # Rows longer than the header would lose a column with no more than a warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            io.BytesIO(content),
            sep=separator,
            decimal=decimal,
            header=None if headless else 0,
            index_col=False,
            encoding="utf-8-sig",
            low_memory=False,
        )
    return [(str(name), from_series(frame.iloc[:, i])) for i, name in enumerate(frame.columns)]


def _split_by_csv(content: bytes, separator: str, decimal: str, headless: bool) -> list[tuple[str, Array]]:
    """Do the same without pandas: slower, and with more memory."""
    with io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter=separator) if row not in ([], [""])]
    names = [""] * len(rows[0]) if headless else rows.pop(0)
    width = len(names)
    long = next((row for row in rows if len(row) > width), None)
    if long is not None:
        raise ValueError(f"expected {width} fields, saw {len(long)}")
    columns = [[row[i] if i < len(row) else "" for row in rows] for i in range(width)]
    return [(name, typed(words, decimal)) for name, words in zip(names, columns, strict=True)]


def _as_utf8(content: bytes, source: str, encoding: str | None) -> bytes:
    if encoding is None:
        return content
    try:
        return content.decode(encoding).encode("utf-8")
    except LookupError as error:
        raise CommandError(f"--encoding: Python knows no encoding {encoding!r}") from error
    except UnicodeError as error:
        raise CommandError(f"{source}: is not {encoding} text: {error}") from error


def _read_sheet(path: Path, source: str) -> Table:
    pd = pandas()
    try:
        with pd.ExcelFile(path) as book:
            frame = pd.read_excel(book)
            others = book.sheet_names[1:]
    except ImportError as error:
        reader = {".ods": "odfpy", ".xls": "xlrd", ".xlsb": "pyxlsb"}.get(path.suffix.lower(), "openpyxl")
        raise CommandError(f"{source}: save the sheet as CSV, or install its reader: pip install {reader}") from error
    if others:
        note(f"note: {source}: read the first sheet, skipped {quoted(others)}")
    return Table(_from_frame(frame, source), source, first=2)


def _read_json(content: bytes, source: str, lines: bool) -> dict[str, Array]:
    """Objects, one a row, in a list or one a line; or an object of columns."""
    found = [json.loads(line) for line in content.splitlines() if line.strip()] if lines else json.loads(content)
    if isinstance(found, list) and all(isinstance(row, dict) for row in found):
        names = dict.fromkeys(name for row in found for name in row)
        found = {name: [row.get(name) for row in found] for name in names}
    if not isinstance(found, dict) or not all(isinstance(column, list) for column in found.values()):
        raise CommandError(f"{source}: must hold a list of objects, or an object of lists")
    if len({len(column) for column in found.values()}) > 1:
        raise CommandError(f"{source}: has columns of different lengths")
    return _named(list(found), [of_values(column) for column in found.values()], source)


def _read_arrays(source: str) -> Table:
    with open_arrays(source) as arrays:
        if list(arrays) == [""]:
            return Table(_matrix(arrays[""], source), source)
        flat = {name: array for name, array in arrays.items() if len(array.shape) == 2}
        if "X" not in flat and len(flat) != 1:
            held = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "nothing"
            raise CommandError(f"{source}: must hold a two-dimensional array X, or one such array; it holds {held}")
        X = flat["X"] if "X" in flat else next(iter(flat.values()))
        beside = {name: array for name, array in arrays.items() if array.shape == X.shape[:1]}
        odd = [name for name, array in beside.items() if array.dtype.kind in "OV"]
        if odd:
            note(f"note: {source}: skipped columns that are neither numbers nor text: {quoted(odd)}")
        names = [name for name in beside if name not in odd]
        return Table(
            _matrix(X, source), source, dict(zip(names, load_arrays([beside[each] for each in names]), strict=True))
        )


def _matrix(stored: StoredArray, source: str) -> dict[str, Array]:
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
    return {str(number): column for number, column in enumerate(array.T)}


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
        return Table(_from_frame(frame, source), source)
    names = ["index" if name is None else str(name).strip() for name in frame.index.names]
    aside = {name: from_series(frame.index.get_level_values(i).to_series()) for i, name in enumerate(names)}
    return Table(_from_frame(frame, source), source, aside, names[0] if len(names) == 1 else None)


def _from_frame(frame: Any, source: str) -> dict[str, Array]:
    columns = [from_series(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return _named([str(name) for name in frame.columns], columns, source)


def _named(names: Sequence[str], columns: Sequence[Array], source: str) -> dict[str, Array]:
    names = [name.strip() for name in names]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise CommandError(f"{source}: has several columns called {twice[0]!r}")
    return dict(zip(names, columns, strict=True))


def require_columns(table: Table, names: Iterable[str], option: str, more: Iterable[str] = ()) -> None:
    """Refuse names that are not columns of `table`, or among `more`."""
    known = [*table.columns, *more]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {quoted(known)}"
            raise CommandError(f"{table.source}: {option}: there is no column {name!r}{hint}")


def quoted(names: Sequence[str]) -> str:
    """Names for people: the first of many."""
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
