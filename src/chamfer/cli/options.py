"""Options that several commands share, and what they mean."""

from __future__ import annotations

import argparse
import csv
import sys
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.columns import Coordinates, choose_columns, note_names, note_row_numbers, note_units
from chamfer.cli.examples import EXAMPLES, example_table
from chamfer.cli.tables import Table, TextFormat, read_table
from chamfer.engines.choose import NAMES as ENGINES
from chamfer.hac import linkage
from chamfer.inputs import check_metric
from chamfer.methods import METHODS
from chamfer.sources.make import SOURCES
from chamfer.trees.dendrogram import ORDERS


def complete_files(action: argparse.Action) -> argparse.Action:
    """Let shells complete the names of files."""
    try:
        import shtab
    except ImportError:
        return action
    action.complete = shtab.FILE  # type: ignore[attr-defined]
    return action


def names(text: str) -> list[str]:
    """Names separated by commas."""
    try:
        return next(csv.reader([text], skipinitialspace=True))
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"cannot be split at commas: {error}") from error


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which numbers to cluster."""
    group = parser.add_argument_group("data")
    complete_files(
        group.add_argument(
            "data",
            metavar="DATA",
            nargs="?",
            help="CSV or TSV (also compressed by gzip, bzip2 or xz), Parquet, Arrow, Feather, NPY, NPZ, JSON, Excel; "
            "- is standard input, as CSV or TSV",
        )
    )
    known = "; ".join(f"{name}: {what}" for name, (_, what) in EXAMPLES.items())
    group.add_argument("--example", choices=list(EXAMPLES), metavar="NAME", help=f"data to try it on. {known}")
    group.add_argument("--columns", type=names, default=[], metavar="A,B,…", help="cluster by these columns only")
    group.add_argument("--drop", type=names, default=[], metavar="A,B,…", help="leave these columns out")
    group.add_argument("--standardize", action="store_true", help="bring each column to mean 0 and deviation 1 first")
    group.add_argument("--float32", action="store_true", help="compute in single precision, in half the memory")
    group.add_argument("--delimiter", type=_character, metavar="C", help="character between cells of text, or 'tab'")
    group.add_argument("--decimal", type=_character, default=".", metavar="C", help="decimal point of text (.)")
    group.add_argument("--encoding", metavar="NAME", help="encoding of text, such as latin-1 (UTF-8)")


def _character(text: str) -> str:
    text = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(text) != 1 or text in "\r\n" or not text.isascii():
        raise argparse.ArgumentTypeError(f"must be one ASCII character, got {text!r}")
    return text


def add_linkage(parser: argparse.ArgumentParser) -> None:
    """Add the options of `chamfer.linkage`."""
    group = parser.add_argument_group("clustering")
    group.add_argument(
        "--linkage",
        choices=list(METHODS),
        default="chamfer",
        metavar="NAME",
        help=f"one of {', '.join(METHODS)}",
    )
    add_run(group)
    group.add_argument(
        "--neighbors", type=int, default=15, metavar="K", help="of chamfer_capped: neighbours that count (%(default)s)"
    )
    group.add_argument(
        "--epsilon", type=float, default=0.0, metavar="E", help="merge within a factor 1 + E of the best (%(default)s)"
    )
    group.add_argument("--engine", choices=ENGINES, default="auto", metavar="NAME", help=f"one of {', '.join(ENGINES)}")
    group.add_argument(
        "--source", choices=SOURCES, default="auto", metavar="NAME", help=f"of neighbours: one of {', '.join(SOURCES)}"
    )
    group.add_argument("--memory-limit", metavar="SIZE", help="most memory to use, such as 4GB")


def add_run(group: Any) -> None:
    """Add the metric and the number of threads."""
    group.add_argument(
        "--metric", type=_metric, default="euclidean", metavar="NAME", help="distance between points (%(default)s)"
    )
    group.add_argument("--jobs", type=int, metavar="N", help="number of threads; all by default")


def run_linkage(arguments: argparse.Namespace, X: Array, **more: Any) -> Array:
    """Cluster as the options of `add_linkage` say, with a progress bar if a person may be watching."""
    options = linkage_options(arguments)
    return linkage(X, arguments.linkage, arguments.metric, progress=watched(arguments), **options, **more)


def linkage_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Options of `chamfer.linkage` beside the linkage and the metric."""
    return {
        "n_neighbors": arguments.neighbors,
        "epsilon": arguments.epsilon,
        "engine": arguments.engine,
        "source": arguments.source,
        "memory_limit": arguments.memory_limit,
        "n_jobs": arguments.jobs,
    }


def watched(arguments: argparse.Namespace) -> bool:
    """Whether standard error is a terminal whose user has not asked for quiet."""
    return sys.stderr is not None and sys.stderr.isatty() and not arguments.quiet


def _metric(name: str) -> str:
    try:
        check_metric(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return name


def add_cut(parser: argparse.ArgumentParser, auto: bool = False) -> Any:
    """Add which clusters of the tree are wanted, with `auto` also as many as it seems to have; give their group."""
    group = parser.add_argument_group("cut")
    which = group.add_mutually_exclusive_group()
    number, text = (number_or_auto, "number of clusters, or 'auto'") if auto else (int, "number of clusters")
    which.add_argument("-k", "--clusters", type=number, metavar="K", help=text)
    which.add_argument("--height", type=float, metavar="H", help="apply merges up to this height")
    group.add_argument("--order", choices=ORDERS, default="merge", help="which merges come first (%(default)s)")
    return group


def number_or_auto(text: str) -> int | str:
    """An integer, or "auto"."""
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer or 'auto', got {text!r}") from None


def add_range(group: Any) -> None:
    """Add the numbers of clusters between which one is chosen."""
    group.add_argument("--min-clusters", type=int, default=1, metavar="K", help="suggest at least so many clusters")
    group.add_argument("--max-clusters", type=int, metavar="K", help="suggest at most so many clusters (50)")


def add_sizes(group: Any, small: str) -> None:
    """Add the limits of sizes of clusters; `small` says what becomes of points in small ones."""
    group.add_argument("--min-size", type=int, default=1, metavar="N", help=f"fewest points of a cluster; {small}")
    group.add_argument("--max-size", type=int, metavar="N", help="split clusters of more points further")


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Add where the result goes, and how."""
    group = parser.add_argument_group("output")
    complete_files(
        group.add_argument("-o", "--output", metavar="FILE", default="-", help=f"{what} (default: standard output)")
    )
    group.add_argument("--raw-names", action="store_true", help="do not put ' before names that look like formulas")
    group.add_argument("--json", action="store_true", help="write a JSON summary for machines to standard output")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bars")


def read_coordinates(arguments: argparse.Namespace, apart: tuple[str | None, ...]) -> tuple[Table, Coordinates]:
    """Read the data that the options ask for; columns `apart` are names or labels."""
    table = _read(arguments)
    wanted = [name for name in apart if name is not None]
    chosen = choose_columns(table, arguments.columns, arguments.drop, wanted, arguments.float32)
    _note_doubts(arguments, table, chosen)
    if arguments.standardize:
        largest = np.abs(chosen.X).max(axis=0).astype(np.float64)  # so that no square overflows or vanishes
        X = chosen.X / np.where(largest > 0, largest, 1)
        deviation = X.std(axis=0)
        scaled = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
        chosen = Coordinates(scaled.astype(chosen.X.dtype), chosen.columns)
    return table, chosen


def _read(arguments: argparse.Namespace) -> Table:
    if (arguments.data is None) == (arguments.example is None):
        arguments.parser.error("give a file (DATA) or --example, one of the two")
    if arguments.example is not None:
        return example_table(arguments.example)
    return read_table(arguments.data, TextFormat(arguments.delimiter, arguments.decimal, arguments.encoding))


def _note_doubts(arguments: argparse.Namespace, table: Table, chosen: Coordinates) -> None:
    """Note what may be a mistake in columns that nobody asked for by name."""
    if arguments.metric == "precomputed":
        return
    named = hasattr(arguments, "id_column")
    if not arguments.columns:
        note_row_numbers(table, chosen.columns, "--id-column" if named else "--drop")
    if named and arguments.id_column is table.index is None:
        note_names(table, chosen.columns)
    if not arguments.standardize:
        note_units(chosen)


def row_names(arguments: argparse.Namespace, table: Table) -> tuple[str, list[Any] | None]:
    """Give the column that names rows, and the names: the one asked for, or else the index of a data frame."""
    name = table.index if arguments.id_column is None else arguments.id_column
    if name is None:
        return "id", None
    return name, table.column(name, "--id-column").tolist()


def add_tree(parser: argparse.ArgumentParser) -> None:
    """Add the file that holds the tree."""
    complete_files(
        parser.add_argument("tree", metavar="TREE", help="a tree kept by 'chamfer cluster --save-tree', or Z as NPY")
    )
