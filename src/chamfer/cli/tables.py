"""Reading tables: text, spreadsheets, JSON, Parquet, Arrow and arrays, all as data frames."""

from __future__ import annotations

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
        raise CommandError("reading data needs pandas; install it with: pip install 'chamfer[cli]'") from error
    return pd


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written; the separator of cells is guessed from the first line if it is None."""

    delimiter: str | None = None
    decimal: str = "."
    encoding: str | None = None


@dataclass(frozen=True)
class Table:
    """Columns of a file.

    `aside` holds arrays of an NPZ or the index of a data frame, for labels or names and never for coordinates;
    `index` is the one among them that names the rows without being asked to. `untyped` columns come from text, and are
    what they look like. `first` says what an editor calls the first row, and `unit` how it counts.
    """

    frame: Any
    source: str
    aside: dict[str, Array] = field(default_factory=dict)
    index: str | None = None
    untyped: bool = False
    first: int = 1
    unit: str = "row"

    def place(self, row: int) -> str:
        """Name a row, counted from 0, as an editor shows it."""
        return f"{self.unit} {row + self.first}"

    def column(self, name: str, option: str) -> Array:
        """Give the values of one column that `option` asks for."""
        if name in self.aside:
            return self.aside[name]
        require_columns(self, [name], option, self.aside)
        return np.asarray(self.frame[name])


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
            return _with_index(_read_json(content, lines=ending != ".json"), name)
        return _read_text(content, name, replace(text, delimiter=text.delimiter or _TABBED.get(ending)))


def _read_input(text: TextFormat) -> Table:
    if sys.stdin is None:
        raise CommandError("standard input: is closed")
    with reading("standard input"):
        return _read_text(read_all(sys.stdin.buffer), "standard input", text)


def _read_text(content: bytes, source: str, text: TextFormat) -> Table:
    pd = pandas()
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
    headless = all(_is_number(cell.replace(text.decimal, ".")) for cell in first.split(separator))
    try:
        with warnings.catch_warnings():
            # Rows longer than the header would lose a column with no more than a warning.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.BytesIO(content),
                sep=separator,
                decimal=text.decimal,
                header=None if headless else 0,
                index_col=False,
                encoding="utf-8-sig",
                low_memory=False,
            )
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{source}: is not UTF-8 text: {error}; name its encoding, as in --encoding latin-1"
        ) from error
    if headless:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
        note(f"note: {source} has no header, its columns are called 1 to {frame.shape[1]}")
    header = 0 if headless else 1
    one_each = content.count(b"\n") + (not content.endswith(b"\n")) == header + len(frame)
    place = {"first": header + 1, "unit": "line"} if one_each else {}  # no empty lines, none within quotes
    return Table(_text_names(frame, source), source, untyped=True, **place)


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
    return Table(_text_names(frame, source), source, first=2)


def _read_json(content: bytes, lines: bool) -> Any:
    """Objects, one a row, in a list or one a line; or an object of columns."""
    found = [json.loads(line) for line in content.splitlines() if line.strip()] if lines else json.loads(content)
    return pandas().DataFrame(found)


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
            note(f"note: {source}: skipped columns that are neither numbers nor text: {quoted(odd)}")
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


def require_columns(table: Table, names: Iterable[str], option: str, more: Iterable[str] = ()) -> None:
    """Refuse names that are not columns of `table`, or among `more`."""
    known = [*table.frame.columns, *more]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {quoted(known)}"
            raise CommandError(f"{table.source}: {option}: there is no column {name!r}{hint}")


def quoted(names: Sequence[str]) -> str:
    """Names for people: the first of many."""
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
