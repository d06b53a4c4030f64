"""``chamfer compare``: every linkage on the same table, against known classes."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.cells import missing
from chamfer.cli.console import CommandError, bar, note, table
from chamfer.cli.options import add_data, add_run, complete_files, names, read_coordinates
from chamfer.cli.outputs import check_apart, check_output, write_picture
from chamfer.cli.tables import Table
from chamfer.hac import linkage
from chamfer.inputs import check_choice
from chamfer.methods import METHODS
from chamfer.plot.scores import SCORES
from chamfer.trees.scores import CutScores

DESCRIPTION = "Cluster a table with every linkage and compare the clusters with known classes."
EPILOG = """examples:
  chamfer compare --example iris --labels species
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    parser.add_argument("--labels", required=True, metavar="NAME", help="column of known classes; not clustered by")
    parser.add_argument("--id-column", metavar="NAME", help="names of rows; not clustered by")
    group = parser.add_argument_group("clustering")
    group.add_argument("--linkages", type=names, default=list(METHODS), metavar="A,B,…", help="all by default")
    add_run(group)
    group.add_argument("--score", choices=list(SCORES), default="ari", help="agreement with the classes (%(default)s)")
    output = parser.add_argument_group("output")
    complete_files(output.add_argument("--plot", metavar="FILE", help="draw the score over the number of clusters"))
    output.add_argument("--json", action="store_true", help="write JSON for machines")


def run(arguments: argparse.Namespace) -> int:
    """Cluster, score, print."""
    for method in arguments.linkages:
        check_choice("--linkages", method, METHODS)
    check_output("--plot", arguments.plot)
    check_apart(arguments.data, {"--plot": arguments.plot})
    data, coordinates = read_coordinates(arguments, (arguments.labels, arguments.id_column))
    y = _classes(data, arguments.labels)
    trees, rows = {}, []
    for method in arguments.linkages:
        start = time.perf_counter()
        try:
            trees[method] = linkage(coordinates.X, method, arguments.metric, n_jobs=arguments.jobs)
        except ValueError as error:
            if len(arguments.linkages) == 1:
                raise
            note(f"note: {method} is skipped: {error}")
            continue
        rows.append(_row(method, trees[method], y, arguments.score, time.perf_counter() - start))
    if not rows:
        raise CommandError("none of the linkages could be computed")
    _print(arguments, rows, len(y), int(y.max()) + 1)
    if arguments.plot is not None:
        _draw(arguments, trees, y)
    return 0


def _classes(data: Table, name: str) -> Array:
    values = data.column(name, "--labels")
    gaps = missing(values)
    if gaps.any():
        place = data.place(int(np.argmax(gaps)))
        raise CommandError(f"{data.source}: {place}, column {name!r}: the class is missing")
    return np.unique(values.astype(str), return_inverse=True)[1]


def _row(method: str, Z: Array, y: Array, score: str, seconds: float) -> dict[str, Any]:
    scores = CutScores(Z, y)
    best = scores.best(score)
    return {
        "linkage": method,
        "at_true_k": float(scores.along("merge", score)[len(y) - (int(y.max()) + 1)]),
        "best": float(best.score),
        "best_k": int(best.n_clusters),
        "best_order": best.order,
        "tree_height": scores.tree.height,
        "seconds": seconds,
    }


def _print(arguments: argparse.Namespace, rows: list[dict[str, Any]], n: int, classes: int) -> None:
    if arguments.json:
        print(json.dumps({"n_points": n, "n_classes": classes, "score": arguments.score, "linkages": rows}))
        return
    head = ["linkage", f"{arguments.score.upper()} at k = {classes}", "", "best", "at k", "order"]
    cells = []
    for row in rows:
        line = [row["linkage"], f"{row['at_true_k']:.3f}", bar(row["at_true_k"])]
        line += [f"{row['best']:.3f}", f"{row['best_k']:,}", row["best_order"]]
        cells.append([*line, str(row["tree_height"]), f"{row['seconds']:.2f}"])
    top = int(np.argmax([row["at_true_k"] for row in rows]))
    print(f"{n:,} points in {classes} classes, compared by {SCORES[arguments.score]}:\n")
    print(table([*head, "tree height", "seconds"], cells, "<><>><>>", strong=top))


def _draw(arguments: argparse.Namespace, trees: dict[str, Array], y: Array) -> None:
    from chamfer.plot import plot_scores
    from chamfer.plot.canvas import pyplot

    plt = pyplot()
    with plt.ioff():
        figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
        plot_scores(trees, y, ax, score=arguments.score)
        write_picture(arguments.plot, figure, dpi=150)
    note(f"the scores are drawn in {arguments.plot}")
