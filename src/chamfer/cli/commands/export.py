"""``chamfer export``: a tree that was kept, for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from chamfer.cli.console import CommandError
from chamfer.cli.options import add_tree, complete_files
from chamfer.cli.outputs import check_apart, check_output, write_text
from chamfer.cli.trees import load_tree
from chamfer.trees.export import to_json, to_newick
from chamfer.trees.layout import HEIGHTS

DESCRIPTION = "Write a tree as Newick, for viewers of trees, or as nested JSON, for instance for D3."
EPILOG = """examples:
  chamfer cluster --example iris --save-tree tree.npz
  chamfer export tree.npz -o tree.nwk
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_tree(parser)
    complete_files(
        parser.add_argument("-o", "--output", metavar="FILE", default="-", help="(default: standard output)")
    )
    parser.add_argument("--format", choices=("newick", "json"), help="by the ending of the file by default")
    parser.add_argument("--heights", choices=HEIGHTS, default="max", help="heights to write (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Convert and write."""
    ending = Path(arguments.output).suffix.lower()
    by_ending = {".json": "json", ".nwk": "newick", ".newick": "newick", ".tree": "newick", "": "newick"}
    form = arguments.format or by_ending.get(ending)
    if form is None:
        raise CommandError(f"--output: a tree goes to a .nwk or .json file, got {arguments.output}; or give --format")
    check_output("--output", arguments.output)
    check_apart(arguments.tree, {"--output": arguments.output})
    tree = load_tree(arguments.tree)
    write = to_json if form == "json" else to_newick
    write_text(arguments.output, write(tree.Z, labels=tree.names, heights=arguments.heights) + "\n")
    return 0
