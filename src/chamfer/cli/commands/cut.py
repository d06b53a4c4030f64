"""``chamfer cut``: labels from a tree that was kept."""

from __future__ import annotations

import argparse

from chamfer.cli.options import add_cut, add_output, add_sizes, add_tree
from chamfer.cli.outputs import LABEL_FILES, check_apart, check_output, finish
from chamfer.cli.trees import load_tree
from chamfer.inputs import check_integer
from chamfer.trees.cuts import cut

DESCRIPTION = "Cut a tree into clusters and write the label of each point."
EPILOG = """examples:
  chamfer cluster --example iris --save-tree tree.npz
  chamfer cut tree.npz -k 20 -o labels.csv
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_tree(parser)
    add_sizes(add_cut(parser), "points of smaller ones get the label -1")
    add_output(parser, "labels, as .csv, .tsv, .npy or .parquet")


def run(arguments: argparse.Namespace) -> int:
    """Cut and write."""
    if arguments.clusters is arguments.height is arguments.max_size is None:
        arguments.parser.error("give -k, --height or --max-size")
    check_output("--output", arguments.output, LABEL_FILES)
    check_apart(arguments.tree, {"--output": arguments.output})
    tree = load_tree(arguments.tree)
    if arguments.clusters is not None:
        check_integer("-k", arguments.clusters, 1, len(tree.Z) + 1)
    labels = cut(
        tree.Z,
        arguments.clusters,
        height=arguments.height,
        order=arguments.order,
        min_size=arguments.min_size,
        max_size=arguments.max_size,
    )
    finish(arguments, labels, tree.names, tree.facts, f"order {arguments.order}")
    return 0
