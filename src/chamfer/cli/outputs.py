"""Where results go: what is checked before the work, and how labels and pictures become files."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.console import OUTPUT, CommandError, note, show
from chamfer.trees.choose import Choice
from chamfer.trees.cuts import NOISE
from chamfer.trees.files import write_file

LABEL_FILES = (".csv", ".tsv", ".txt", ".npy", ".parquet", "")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def check_output(option: str, path: str | None, endings: tuple[str, ...] = ()) -> None:
    """Refuse a file that could not be written, before the work is done."""
    if path is None or path == "-":
        return
    if os.path.isdir(path):
        raise CommandError(f"{option}: {path} is a folder")
    if not Path(path).resolve().parent.is_dir():
        raise CommandError(f"{option}: there is no folder {Path(path).parent}")
    if endings and Path(path).suffix.lower() not in endings:
        raise CommandError(f"{option}: the file must end in {' or '.join(filter(None, endings))}, got {path}")


def check_apart(source: str | None, outputs: dict[str, str | None]) -> None:
    """Refuse an output that is the input, or another output, even by another name: one would overwrite the other."""
    seen = {}
    if source is not None:
        seen[_identity(source, sys.stdin)] = f"the input {'on standard input' if source == '-' else source}"
    for option, path in outputs.items():
        identity = None if path is None else _identity(path, sys.stdout)
        if identity is None:
            continue
        if identity in seen:
            name = OUTPUT if path == "-" else path
            raise CommandError(f"{option}: {name} is the same file as {seen[identity]}; give another file")
        seen[identity] = option


def _identity(path: str, stream: Any) -> object:
    """What a file has in common with its other names and with no other file; None for pipes and devices."""
    try:
        status = os.fstat(stream.fileno()) if path == "-" else os.stat(path)
    except (OSError, AttributeError):  # not there yet, or a stream that is no file
        return None if path == "-" else os.path.normcase(os.path.realpath(path))
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def write_labels(path: str, labels: Array, ids: Sequence[Any] | None, id_name: str, raw_names: bool) -> None:
    """Write labels, beside names of points if there are any; the ending of `path` says how."""
    ending = Path(path).suffix.lower()
    label = "label"
    if ids is not None and id_name == label and ending != ".npy":
        label = "cluster"
        note("note: the clusters are in column 'cluster', because the names are in column 'label'")
    columns = ({} if ids is None else {id_name: ids}) | {label: labels.tolist()}
    if ending == ".npy":
        buffer = io.BytesIO()
        np.save(buffer, labels)
        write_file(path, buffer.getvalue())
    elif ending == ".parquet":
        write_file(path, _parquet(columns))
    else:
        write_text(path, csv_text(columns, "\t" if ending == ".tsv" else ",", raw_names))


def finish(
    arguments: argparse.Namespace,
    labels: Array,
    ids: list[Any] | None,
    facts: dict[str, str],
    how: str,
    **more: Any,
) -> None:
    """Write labels, and tell people or machines about them."""
    noise = int(np.count_nonzero(labels == NOISE))
    sizes = np.bincount(labels[labels != NOISE])
    if not (arguments.json and arguments.output == "-"):
        write_labels(arguments.output, labels, ids, facts.get("id_name", "id"), arguments.raw_names)
    if arguments.json:
        summary = {"n_points": len(labels), "n_clusters": len(sizes), "sizes": sizes.tolist()}
        known = {name: value for name, value in facts.items() if name != "id_name"}
        if noise:
            summary["n_noise"] = noise
        report(arguments, {**summary, "order": arguments.order, **known, **more}, labels, ids)
    clusters = "1 cluster" if len(sizes) == 1 else f"{len(sizes):,} clusters"
    apart = f" and {noise:,} as noise" if noise else ""
    note(f"{len(labels):,} points in {clusters} of {describe_sizes(sizes)}{apart} ({how})")


def note_choice(choice: Choice) -> None:
    """Say which number of clusters was chosen, and why."""
    chosen = choice.suggestions[0]
    note(f"note: k = {chosen.n_clusters} by {chosen.criterion}: {chosen.reason}; 'chamfer choose' tells more")


def describe_sizes(sizes: Array) -> str:
    """Sizes of clusters for people: all of a few, the range of many."""
    if len(sizes) == 0:
        return "no points"
    if len(sizes) <= 10:
        return ", ".join(f"{size:,}" for size in sorted(sizes.tolist(), reverse=True))
    return f"{sizes.min():,} to {sizes.max():,}"


def report(arguments: argparse.Namespace, summary: dict[str, Any], labels: Array, ids: list[Any] | None) -> None:
    """Print a summary as JSON; with the labels in it if they were not written to a file."""
    if arguments.output == "-":
        summary |= ({} if ids is None else {"ids": [str(each) for each in ids]}) | {"labels": labels.tolist()}
    show(json.dumps(summary) + "\n")


def write_text(path: str, text: str) -> None:
    """Write text to a file, or to standard output (``-``)."""
    if path == "-":
        show(text)
    else:
        # Half of a surrogate pair cannot be written as UTF-8.
        write_file(path, text.encode("utf-8", "backslashreplace"))


def write_picture(path: str | Path, figure: Any, dpi: int) -> None:
    """Write a figure, in the format of the ending of `path`, and close it."""
    from chamfer.plot.canvas import pyplot

    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, dpi=dpi, format=Path(path).suffix.lstrip(".").lower() or None)
    finally:
        pyplot().close(figure)
    write_file(path, buffer.getvalue())


def _parquet(columns: dict[str, Sequence[Any]]) -> bytes:
    from chamfer.cli.tables import pandas

    frame = pandas().DataFrame(columns)
    try:
        return bytes(frame.to_parquet())
    except (TypeError, ValueError, OverflowError):  # names of several kinds, or integers beyond 64 bits
        return bytes(frame.astype({frame.columns[0]: str}).to_parquet())


def csv_text(columns: dict[str, Sequence[Any]], separator: str, raw_names: bool) -> str:
    """Columns as CSV; names that look like formulas get an apostrophe unless they are to be raw."""
    cells = [[name, *values] for name, values in columns.items()]
    if not raw_names:
        cells = [[_defuse(each) for each in column] for column in cells]
    # Python's writer does not quote a carriage return, which readers take for the end of a line, unless it quotes all.
    returns = any("\r" in cell for cell in cells[0] if isinstance(cell, str))
    file = io.StringIO()
    writer = csv.writer(
        file, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    writer.writerows(zip(*cells, strict=True))
    return file.getvalue()


def _defuse(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would take for a formula and run."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula and not _NUMBER.fullmatch(value) else value
