"""``chamfer choose``: how many clusters a table has, and why."""

from __future__ import annotations

import argparse
import json

from chamfer._types import Array
from chamfer.cli.console import note, show
from chamfer.cli.options import (
    add_data,
    add_linkage,
    add_range,
    complete_files,
    linkage_options,
    read_coordinates,
    run_linkage,
    watched,
)
from chamfer.cli.outputs import check_apart, check_output, write_picture, write_text
from chamfer.inputs import check_integer
from chamfer.resampling.gap import gap_statistic
from chamfer.resampling.stability import stability
from chamfer.trees.choose import Choice, Criterion, choose
from chamfer.trees.dendrogram import ORDERS

DESCRIPTION = "Suggest how many clusters the rows of a table have, by several criteria with a reason each."
EPILOG = """examples:
  chamfer choose --example iris --linkage ward --picture curves.png
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    add_linkage(parser)
    group = parser.add_argument_group("cut")
    group.add_argument("--order", choices=ORDERS, default="merge", help="which merges come first (%(default)s)")
    add_range(group)
    group.add_argument("--gap", action="store_true", help="also by the gap statistic, from 20 more trees")
    group.add_argument("--stability", action="store_true", help="also by the stability of halves, from 40 more trees")
    group = parser.add_argument_group("output")
    complete_files(group.add_argument("-o", "--output", metavar="FILE", help="all curves, as .csv"))
    complete_files(group.add_argument("--picture", metavar="FILE", help="draw the curves, as .png, .svg or .pdf"))
    group.add_argument("--json", action="store_true", help="write the suggestions as JSON")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress bars")


def run(arguments: argparse.Namespace) -> int:
    """Cluster, choose, tell."""
    check_output("--output", arguments.output, (".csv",))
    check_output("--picture", arguments.picture)
    check_apart(arguments.data, {"--output": arguments.output, "--picture": arguments.picture})
    _, coordinates = read_coordinates(arguments, ())
    check_integer("--min-clusters", arguments.min_clusters, 1, len(coordinates.X))
    Z = run_linkage(arguments, coordinates.X)
    choice = choose(
        Z,
        coordinates.X,
        criteria=_more_criteria(arguments, coordinates.X),
        metric=arguments.metric,
        order=arguments.order,
        min_clusters=arguments.min_clusters,
        max_clusters=arguments.max_clusters,
        n_jobs=arguments.jobs,
        progress=watched(arguments),
    )
    if arguments.output is not None:
        write_text(arguments.output, choice.to_frame().to_csv(lineterminator="\n"))
    if arguments.picture is not None:
        _draw(arguments.picture, choice)
    if arguments.json:
        suggestions = [each._asdict() for each in choice.suggestions]
        show(json.dumps({"n_clusters": choice.n_clusters, "order": choice.order, "suggestions": suggestions}) + "\n")
    else:
        show(f"{choice!r}\n")
    note(f"{len(coordinates.X):,} points ({arguments.linkage}, {arguments.metric})")
    return 0


def _more_criteria(arguments: argparse.Namespace, X: Array) -> list[Criterion]:
    """The criteria that were asked for and need other trees."""
    chosen = [each for each, wanted in ((gap_statistic, arguments.gap), (stability, arguments.stability)) if wanted]
    options = {"order": arguments.order, "max_clusters": arguments.max_clusters, "progress": watched(arguments)}
    options |= linkage_options(arguments)
    return [criterion(X, arguments.linkage, arguments.metric, **options) for criterion in chosen]


def _draw(path: str, choice: Choice) -> None:
    from chamfer.plot import plot_choice
    from chamfer.plot.canvas import pyplot

    plt = pyplot()
    with plt.ioff():
        figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
        plot_choice(choice, ax)
        write_picture(path, figure, 150)
