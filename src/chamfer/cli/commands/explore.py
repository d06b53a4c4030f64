"""``chamfer explore``: from a table to a page that shows its tree."""

from __future__ import annotations

import argparse
from pathlib import Path

from chamfer.cli.console import note
from chamfer.cli.options import add_data, add_linkage, complete_files, read_coordinates, row_names, run_linkage
from chamfer.cli.outputs import check_apart, check_output
from chamfer.explorer import explore

DESCRIPTION = (
    "Cluster the rows of a table and write one HTML file with the tree, a map of the points and a table of "
    "clusters. It works without network."
)
EPILOG = """examples:
  chamfer explore --example digits -o digits.html
  chamfer explore data.csv --id-column name -o data.html
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    parser.add_argument("--id-column", metavar="NAME", help="names of rows; not clustered by")
    add_linkage(parser)
    parser.add_argument("-k", "--clusters", type=int, metavar="K", help="number of clusters shown at first (10)")
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
    check_apart(arguments.data, {"--output": arguments.output})
    table, coordinates = read_coordinates(arguments, (arguments.id_column,))
    _, ids = row_names(arguments, table)
    Z = run_linkage(arguments, coordinates.X)
    title = f"{Path(table.source).name}, {arguments.linkage} linkage"
    page = explore(Z, coordinates.X, arguments.output, labels=ids, n_clusters=arguments.clusters, title=title)
    note(f"open {page.resolve()} in a browser")
    return 0
