"""``chamfer explore``: from a table to a page that shows its tree."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from chamfer._types import Array
from chamfer.cli.columns import Coordinates, choose_columns
from chamfer.cli.console import CommandError, note
from chamfer.cli.options import add_data, add_linkage, complete_files, read_coordinates, row_names, run_linkage
from chamfer.cli.outputs import check_apart, check_output
from chamfer.cli.tables import Table, TextFormat, read_table
from chamfer.explorer import explore
from chamfer.projection import PROJECTIONS

DESCRIPTION = (
    "Cluster the rows of a table and write one HTML file with the tree, a map of the points and a table of "
    "clusters. It works without network."
)
EPILOG = """examples:
  chamfer explore --example digits -o digits.html
  chamfer explore data.csv --id-column name --color species -o data.html
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    parser.add_argument("--id-column", metavar="NAME", help="names of rows; not clustered by")
    add_linkage(parser)
    parser.add_argument("-k", "--clusters", type=int, metavar="K", help="number of clusters shown at first (10)")
    complete_files(
        parser.add_argument(
            "--map",
            metavar="FILE",
            help=f"places of rows on the map: a table of two columns, or one of {', '.join(PROJECTIONS)} (pca)",
        )
    )
    parser.add_argument("--color", metavar="NAME", help="column to colour by at first; non-numeric columns will do")
    parser.add_argument("--text-column", metavar="NAME", help="texts to show; not clustered by")
    complete_files(
        parser.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            default="chamfer-explorer.html",
            help="page to write (%(default)s)",
        )
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bars")


def run(arguments: argparse.Namespace) -> int:
    """Cluster and write the page."""
    check_output("--output", arguments.output)
    for source in (arguments.data, None if arguments.map in PROJECTIONS else arguments.map):
        check_apart(source, {"--output": arguments.output})
    apart = (arguments.id_column, arguments.text_column)
    table, coordinates = read_coordinates(arguments, apart)
    _, ids = row_names(arguments, table)
    texts = None if arguments.text_column is None else table.column(arguments.text_column, "--text-column").tolist()
    columns = _columns(arguments, table, apart)
    places = _places(arguments.map, len(coordinates.X))
    Z = run_linkage(arguments, coordinates.X)
    title = f"{Path(table.source).name}, {arguments.linkage} linkage"
    page = explore(
        Z,
        _described(table, coordinates, apart),
        arguments.output,
        labels=ids,
        n_clusters=arguments.clusters,
        title=title,
        coordinates=places,
        columns=columns,
        color=arguments.color,
        texts=texts,
        images=coordinates.X if arguments.example == "digits" else None,
    )
    note(f"open {Path(page).resolve()} in a browser")
    return 0


def _described(table: Table, coordinates: Coordinates, apart: tuple[str | None, ...]) -> dict[str, Array]:
    """The columns that are clustered by, and all others that are not numbers, to colour by."""
    numbers = dict(zip(coordinates.columns, coordinates.X.T, strict=True))
    others = {name: values for name, values in table.columns.items() if name not in (*numbers, *apart)}
    return numbers | {name: values for name, values in others.items() if values.dtype.kind not in "iufc"}


def _columns(arguments: argparse.Namespace, table: Table, apart: tuple[str | None, ...]) -> dict[str, Array]:
    """Other columns to colour by: arrays beside X, and the one asked for."""
    found = {name: values for name, values in table.aside.items() if name not in (*apart, table.index)}
    if arguments.color is not None:
        found[arguments.color] = table.column(arguments.color, "--color")
    return found


def _places(given: str | None, n: int) -> Any:
    if given is None or given in PROJECTIONS:
        return given
    places = choose_columns(read_table(given, TextFormat()), [], [], ()).X
    if places.shape != (n, 2):
        raise CommandError(
            f"--map: {given} must have {n:,} rows and 2 columns, got {places.shape[0]:,} and {places.shape[1]}"
        )
    return places
