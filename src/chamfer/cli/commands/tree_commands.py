"""``chamfer cut``, ``plot`` and ``export``: what can be done with a tree that was kept."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from chamfer.cli.commands.cluster import finish
from chamfer.cli.console import CommandError, note
from chamfer.cli.options import add_cut, add_output, complete_files
from chamfer.cli.outputs import LABEL_FILES, check_apart, check_output, write_picture, write_text
from chamfer.cli.trees import Tree, load_tree
from chamfer.inputs import check_integer
from chamfer.trees.dendrogram import cut
from chamfer.trees.export import to_json, to_newick
from chamfer.trees.layout import HEIGHTS


def add_tree(parser: argparse.ArgumentParser) -> None:
    """Add the file that holds the tree."""
    complete_files(
        parser.add_argument("tree", metavar="TREE", help="a tree kept by 'chamfer cluster --save-tree', or Z as NPY")
    )


def add_cut_command(subparsers: Any) -> None:
    """Register ``chamfer cut``."""
    parser = subparsers.add_parser(
        "cut",
        help="labels from a tree",
        description="Cut a tree into clusters and write the label of each point.",
        epilog="example: chamfer cut tree.npz -k 20 -o labels.csv",
    )
    add_tree(parser)
    add_cut(parser)
    add_output(parser, "labels, as .csv, .tsv, .npy or .parquet")
    parser.set_defaults(run=run_cut, parser=parser)


def run_cut(arguments: argparse.Namespace) -> int:
    """Cut and write."""
    if arguments.clusters is None and arguments.height is None:
        arguments.parser.error("give -k or --height")
    check_output("--output", arguments.output, LABEL_FILES)
    check_apart(arguments.tree, {"--output": arguments.output})
    tree = load_tree(arguments.tree)
    if arguments.clusters is not None:
        check_integer("-k", arguments.clusters, 1, len(tree.Z) + 1)
    labels = cut(tree.Z, arguments.clusters, height=arguments.height, order=arguments.order)
    finish(arguments, labels, tree.names, tree.facts, f"order {arguments.order}")
    return 0


def add_plot(subparsers: Any) -> None:
    """Register ``chamfer plot``."""
    parser = subparsers.add_parser(
        "plot",
        help="a picture of a tree",
        description="Draw a dendrogram, clusters in colour if -k or --height is given.",
        epilog="example: chamfer plot tree.npz -k 10 --truncate 40 -o tree.svg",
    )
    add_tree(parser)
    add_cut(parser)
    group = parser.add_argument_group("picture")
    complete_files(
        group.add_argument("-o", "--output", required=True, metavar="FILE", help=".png, .svg or .pdf, among others")
    )
    group.add_argument("--truncate", type=int, metavar="N", help="show N clusters as leaves instead of all points")
    group.add_argument("--heights", choices=HEIGHTS, default="own", help="where merges are drawn (%(default)s)")
    group.add_argument("--scale", choices=("linear", "sqrt"), default="linear", help="axis of heights (%(default)s)")
    group.add_argument("--horizontal", action="store_true", help="root at the right instead of the top")
    group.add_argument("--size", type=_size, default=(10.0, 5.0), metavar="WxH", help="in inches (10x5)")
    group.add_argument("--dpi", type=int, default=150, help="pixels for each inch (%(default)s)")
    parser.set_defaults(run=run_plot)


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be like 10x5, got {text!r}") from None
    if not (0 < width <= 200 and 0 < height <= 200):
        raise argparse.ArgumentTypeError(f"must be between 0 and 200 inches, got {text!r}")
    return width, height


def run_plot(arguments: argparse.Namespace) -> int:
    """Draw and save."""
    from chamfer.plot import plot_dendrogram
    from chamfer.plot.canvas import pyplot

    check_output("--output", arguments.output)
    check_apart(arguments.tree, {"--output": arguments.output})
    tree = load_tree(arguments.tree)
    plt = pyplot()
    with plt.ioff():
        figure, ax = plt.subplots(figsize=arguments.size, layout="constrained")
        plot_dendrogram(
            tree.Z,
            ax,
            n_clusters=arguments.clusters,
            height=arguments.height,
            order=arguments.order,
            truncate=arguments.truncate,
            heights=arguments.heights,
            orientation="horizontal" if arguments.horizontal else "vertical",
            labels=tree.names,
        )
        if arguments.scale == "sqrt":
            scale = ax.set_xscale if arguments.horizontal else ax.set_yscale
            scale("function", functions=(lambda h: np.sqrt(np.maximum(h, 0)), np.square))
        write_picture(arguments.output, figure, arguments.dpi)
    note(f"{len(tree.Z) + 1:,} points drawn in {arguments.output}")
    return 0


def add_export(subparsers: Any) -> None:
    """Register ``chamfer export``."""
    parser = subparsers.add_parser(
        "export",
        help="a tree as Newick or JSON",
        description="Write a tree as Newick, for viewers of trees, or as nested JSON, for instance for D3.",
        epilog="example: chamfer export tree.npz -o tree.nwk",
    )
    add_tree(parser)
    complete_files(
        parser.add_argument("-o", "--output", metavar="FILE", default="-", help="(default: standard output)")
    )
    parser.add_argument("--format", choices=("newick", "json"), help="by the ending of the file by default")
    parser.add_argument("--heights", choices=HEIGHTS, default="max", help="heights to write (%(default)s)")
    parser.set_defaults(run=run_export)


def run_export(arguments: argparse.Namespace) -> int:
    """Convert and write."""
    ending = Path(arguments.output).suffix.lower()
    by_ending = {".json": "json", ".nwk": "newick", ".newick": "newick", ".tree": "newick", "": "newick"}
    form = arguments.format or by_ending.get(ending)
    if form is None:
        raise CommandError(f"--output: a tree goes to a .nwk or .json file, got {arguments.output}; or give --format")
    check_output("--output", arguments.output)
    check_apart(arguments.tree, {"--output": arguments.output})
    tree: Tree = load_tree(arguments.tree)
    write = to_json if form == "json" else to_newick
    write_text(arguments.output, write(tree.Z, labels=tree.names, heights=arguments.heights) + "\n")
    return 0
