"""Reading tables, and choosing from them the columns to cluster by.

Nothing is guessed at in silence: text columns are named and left out, or refused if they were asked for;
missing values and words among numbers are refused with their row and column. Rows count from 1, without the
header.
"""

from __future__ import annotations

import bz2
import difflib
import gzip
import io
import lzma
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chamfer.commands.console import CommandError, note
from chamfer.validation import Array

_OPENERS = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
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
    `index` is the one among them that names the rows without being asked to.
    """

    frame: Any
    source: str
    aside: dict[str, Array] = field(default_factory=dict)
    index: str | None = None

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
        return Table(_read_text(sys.stdin.buffer.read(), "standard input", None), "standard input")
    path = Path(name)
    if not path.exists():
        raise CommandError(f"{name}: there is no such file")
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".bz2", ".xz")]
    ending = endings[-1] if endings else ""
    try:
        if ending == ".npy":
            return Table(_frame(np.load(path, allow_pickle=False), name), name)
        if ending == ".npz":
            return _read_npz(path)
        if ending == ".parquet":
            return _with_index(pandas().read_parquet(path), name)
        if ending in _ARROW:
            return _with_index(_read_arrow(path), name)
    except (ValueError, OSError, ImportError) as error:
        raise CommandError(f"{name}: cannot be read: {error}") from error
    separator = "\t" if ending in (".tsv", ".tab") else None
    return Table(_read_text(path.read_bytes(), name, separator), name)


def _read_text(content: bytes, source: str, separator: str | None) -> Any:
    pd = pandas()
    for magic, decompress in _OPENERS.items():
        if content.startswith(magic):
            content = decompress(content)
    first = content.lstrip(b"\xef\xbb\xbf \r\n").split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if not first:
        raise CommandError(f"{source}: is empty")
    separator = separator or max(",\t;", key=first.count)
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
    except (ValueError, pd.errors.ParserWarning) as error:
        raise CommandError(f"{source}: cannot be read: {str(error).strip()}") from error
    if headless:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
        note(f"note: {source} has no header, its columns are called 1 to {frame.shape[1]}")
    return _text_names(frame)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_npz(path: Path) -> Table:
    with np.load(path, allow_pickle=False) as arrays:
        content = {name: arrays[name] for name in arrays.files}
    flat = {name: array for name, array in content.items() if array.ndim == 2}
    if "X" not in flat and len(flat) != 1:
        held = ", ".join(f"{name} {array.shape}" for name, array in content.items()) or "nothing"
        raise CommandError(f"{path}: must hold a two-dimensional array X, or one such array; it holds {held}")
    X = flat["X"] if "X" in flat else next(iter(flat.values()))
    aside = {name: array for name, array in content.items() if array.shape == (len(X),)}
    return Table(_frame(X, str(path)), str(path), aside)


def _read_arrow(path: Path) -> Any:
    from pyarrow import ArrowInvalid, feather, ipc

    try:
        return feather.read_table(path).to_pandas()
    except ArrowInvalid:
        with ipc.open_stream(path.read_bytes()) as stream:
            return stream.read_all().to_pandas()


def _with_index(frame: Any, source: str) -> Table:
    """Table of a data frame, whose index names its rows unless it only counts them."""
    if frame.index.name is None and frame.index.equals(pandas().RangeIndex(len(frame))):
        return Table(_text_names(frame), source)
    names = ["index" if name is None else str(name).strip() for name in frame.index.names]
    aside = {name: np.asarray(frame.index.get_level_values(i)) for i, name in enumerate(names)}
    return Table(_text_names(frame.reset_index(drop=True)), source, aside, names[0] if len(names) == 1 else None)


def _frame(array: Array, source: str) -> Any:
    if array.ndim != 2:
        raise CommandError(f"{source}: must hold an array of two dimensions, got shape {array.shape}")
    return pandas().DataFrame(array, columns=[str(number) for number in range(array.shape[1])])


def _text_names(frame: Any) -> Any:
    frame.columns = [str(name).strip() for name in frame.columns]
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
    text = [each for each in chosen if not _numeric(table, each)]
    if text and columns:
        raise CommandError(f"{table.source}: --columns asks for {_quoted(text)}: text, not numbers")
    if text:
        examples = ", ".join(f"{each!r} (such as {frame[each].dropna().iloc[0]!r})" for each in text)
        note(f"note: left out because not numbers: {examples}")
    chosen = [each for each in chosen if each not in text]
    if not chosen:
        raise CommandError(f"{table.source}: has no column of numbers to cluster by")
    numbers = frame[chosen]
    _refuse_missing(table, numbers)
    small = single or all(kind == np.float32 for kind in numbers.dtypes)
    return Coordinates(numbers.to_numpy(dtype=np.float32 if small else np.float64), chosen)


def _require(table: Table, names: Iterable[str], option: str, more: Iterable[str] = ()) -> None:
    known = [*table.frame.columns, *more]
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {_quoted(known)}"
            raise CommandError(f"{table.source}: {option}: there is no column {name!r}{hint}")


def _numeric(table: Table, name: str) -> bool:
    """Whether a column holds numbers; an error if it nearly does."""
    pd = pandas()
    values = table.frame[name]
    if pd.api.types.is_bool_dtype(values):
        return False
    if pd.api.types.is_numeric_dtype(values):
        if pd.api.types.is_complex_dtype(values):
            raise CommandError(f"{table.source}: column {name!r} holds complex numbers")
        return True
    if values.notna().sum() == 0:
        _refuse_missing(table, values.to_frame())
    if pd.api.types.is_datetime64_any_dtype(values) or isinstance(values.dtype, pd.CategoricalDtype):
        return False
    words = values.dropna()
    known = pd.to_numeric(words.astype(str), errors="coerce").notna()
    if known.mean() >= 0.5:
        wrong = words[~known]
        row = table.frame.index.get_loc(wrong.index[0]) + 1
        raise CommandError(
            f"{table.source}: row {row}, column {name!r}: {wrong.iloc[0]!r} is not a number, "
            f"as most of the column is; correct it or leave the column out with --drop"
        )
    return False


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
