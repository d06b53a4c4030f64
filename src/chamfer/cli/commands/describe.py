"""``chamfer describe``: what is in each cluster of a table."""

from __future__ import annotations

import argparse
import json
from typing import Any

from chamfer._types import Array
from chamfer.cli.console import CommandError, show
from chamfer.cli.options import add_cut, add_data, add_linkage, complete_files, read_coordinates, row_names, run_linkage
from chamfer.cli.outputs import check_apart, check_output, csv_text, note_choice, write_text
from chamfer.cli.tables import Table
from chamfer.inputs import check_integer
from chamfer.trees.choose import choose
from chamfer.trees.cuts import cut
from chamfer.trees.summary import Summary, summarize

DESCRIPTION = (
    "Tell what is in each cluster: size, typical rows, the columns that set it apart, the nearest other cluster, "
    "outliers. The clusters are those of a cut, or a column of the table. Without -k, --height and --labels, the "
    "number of clusters is chosen."
)
EPILOG = "example: chamfer describe iris.csv -k 3 --id-column name"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    parser.add_argument("--id-column", metavar="NAME", help="names of rows; not clustered by")
    parser.add_argument("--labels", metavar="NAME", help="column of known clusters, instead of clustering")
    add_linkage(parser)
    add_cut(parser, auto=True)
    group = parser.add_argument_group("output")
    group.add_argument("--features", type=int, default=3, metavar="N", help="most columns to name (%(default)s)")
    complete_files(group.add_argument("-o", "--output", metavar="FILE", help="a row for each cluster, as .csv"))
    group.add_argument("--json", action="store_true", help="write everything as JSON")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bars")


def run(arguments: argparse.Namespace) -> int:
    """Cluster, summarize, tell."""
    check_output("--output", arguments.output, (".csv",))
    check_apart(arguments.data, {"--output": arguments.output})
    check_integer("--features", arguments.features, 0)
    if arguments.labels is not None and (arguments.clusters is not None or arguments.height is not None):
        raise CommandError("--labels: the clusters are known; leave out -k and --height")
    table, coordinates = read_coordinates(arguments, (arguments.id_column, arguments.labels))
    if isinstance(arguments.clusters, int):  # say so now, not after the work
        check_integer("-k", arguments.clusters, 1, len(coordinates.X))
    _, names = row_names(arguments, table)
    labels = _labels(arguments, table, coordinates.X)
    options = {"feature_names": coordinates.columns, "names": names, "n_features": arguments.features}
    summary = summarize(labels, coordinates.X, **options)
    if arguments.output is not None:
        write_text(arguments.output, csv_text(summary.columns(), ",", raw_names=False))
    show(json.dumps(_plain(summary)) + "\n" if arguments.json else f"{summary!r}\n")
    return 0


def _labels(arguments: argparse.Namespace, table: Table, X: Array) -> Array:
    if arguments.labels is not None:
        return table.column(arguments.labels, "--labels")
    Z = run_linkage(arguments, X)
    number = arguments.clusters
    if number == "auto" or (number is None and arguments.height is None):
        choice = choose(Z, X, metric=arguments.metric, order=arguments.order, n_jobs=arguments.jobs)
        note_choice(choice)
        number = choice.n_clusters
    return cut(Z, number, height=arguments.height, order=arguments.order)


def _plain(summary: Summary) -> dict[str, Any]:
    """The summary as JSON holds it: names that are neither numbers nor texts become texts."""
    clusters = [each._asdict() | {"features": [f._asdict() for f in each.features]} for each in summary.clusters]
    return {"n_points": len(summary.labels), "n_noise": summary.n_noise, "clusters": _strict(clusters)}


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strict(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(each) for each in value]
    if isinstance(value, float) and value != value:  # JSON has no such number
        return None
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
