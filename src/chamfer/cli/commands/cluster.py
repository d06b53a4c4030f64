"""``chamfer cluster``: from a table to labels, and a tree to keep."""

from __future__ import annotations

import argparse
import time

from chamfer._types import Array
from chamfer.cli.console import note
from chamfer.cli.options import (
    add_cut,
    add_data,
    add_linkage,
    add_output,
    add_sizes,
    complete_files,
    read_coordinates,
    row_names,
    run_linkage,
)
from chamfer.cli.outputs import LABEL_FILES, check_apart, check_output, finish, note_choice
from chamfer.cli.trees import Tree, save_tree
from chamfer.constraints import check_weights
from chamfer.inputs import check_integer
from chamfer.trees.choose import choose
from chamfer.trees.cuts import cut, number_of_large

DESCRIPTION = (
    "Cluster the rows of a table and write a label for each. Without -k, --height, --max-size and --save-tree, the "
    "number of clusters is chosen."
)
EPILOG = """examples:
  chamfer cluster --example iris -k 3 -o labels.csv --save-tree tree.npz
  chamfer cluster data.csv --id-column name --standardize -o labels.csv
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data(parser)
    parser.add_argument("--id-column", metavar="NAME", help="names of rows, written beside labels; not clustered by")
    parser.add_argument("--weight-column", metavar="NAME", help="how many points each row stands for")
    add_linkage(parser)
    add_sizes(add_cut(parser, auto=True), "smaller ones join the cluster of the nearest point")
    add_output(parser, "labels, as .csv, .tsv, .npy or .parquet")
    complete_files(parser.add_argument("--save-tree", metavar="FILE", help="keep the whole tree, as .npz"))
    complete_files(parser.add_argument("--checkpoint", metavar="FILE", help="resume from this checkpoint file"))


def run(arguments: argparse.Namespace) -> int:
    """Cluster, cut, write."""
    wants_labels = not arguments.clusters is arguments.height is arguments.max_size is None
    if not wants_labels and arguments.save_tree is None:
        wants_labels, arguments.clusters = True, "auto"
    check_output("--output", arguments.output, LABEL_FILES)
    check_output("--save-tree", arguments.save_tree, (".npz",))
    check_output("--checkpoint", arguments.checkpoint)
    outputs = {"--save-tree": arguments.save_tree, "--checkpoint": arguments.checkpoint}
    check_apart(arguments.data, {"--output": arguments.output, **outputs} if wants_labels else outputs)
    table, coordinates = read_coordinates(arguments, (arguments.id_column, arguments.weight_column))
    id_name, ids = row_names(arguments, table)
    weights = None
    if arguments.weight_column is not None:
        values = table.column(arguments.weight_column, "--weight-column")
        weights = check_weights(values, len(table), "--weight-column")
    if isinstance(arguments.clusters, int):  # say so now, not after the work
        check_integer("-k", arguments.clusters, 1, len(coordinates.X))
    start = time.perf_counter()
    Z = run_linkage(arguments, coordinates.X, checkpoint=arguments.checkpoint, sample_weight=weights)
    seconds = time.perf_counter() - start
    facts = {"linkage": arguments.linkage, "metric": arguments.metric, "id_name": id_name}
    # A cut that cannot be made should leave no tree behind.
    more = _choose(arguments, Z, coordinates.X) if arguments.clusters == "auto" else {}
    labels = _cut(arguments, Z, coordinates.X) if wants_labels else None
    if arguments.save_tree is not None:
        save_tree(arguments.save_tree, Tree(Z, ids, facts))
    if labels is not None:
        how = f"{arguments.linkage}, {arguments.metric}, {seconds:.2f} s"
        finish(arguments, labels, ids, facts, how, columns=coordinates.columns, seconds=seconds, **more)
    else:
        note(f"{len(coordinates.X):,} points; the tree is in {arguments.save_tree}")
    return 0


def _choose(arguments: argparse.Namespace, Z: Array, X: Array) -> dict[str, str]:
    """Replace "auto" by a number of clusters, say why, and give what a summary should tell of it."""
    choice = choose(Z, X, metric=arguments.metric, order=arguments.order, n_jobs=arguments.jobs)
    arguments.clusters = number_of_large(Z, choice, arguments.min_size)
    if arguments.min_size > 1:
        note(
            f"note: k = {arguments.clusters} by {choice.criterion}, of clusters of at least {arguments.min_size} points"
        )
    else:
        note_choice(choice)
    return {"criterion": choice.criterion, "reason": choice.suggestions[0].reason}


def _cut(arguments: argparse.Namespace, Z: Array, X: Array) -> Array:
    return cut(
        Z,
        arguments.clusters,
        height=arguments.height,
        order=arguments.order,
        min_size=arguments.min_size,
        max_size=arguments.max_size,
        X=X if arguments.min_size > 1 else None,
        metric=arguments.metric,
    )
