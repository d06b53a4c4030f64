"""``chamfer plot``: a picture of a tree that was kept."""

from __future__ import annotations

import argparse

from chamfer.cli.console import note
from chamfer.cli.options import add_cut, add_tree, complete_files
from chamfer.cli.outputs import check_apart, check_output, write_picture
from chamfer.cli.trees import load_tree
from chamfer.plot.canvas import SCALES
from chamfer.trees.layout import HEIGHTS

DESCRIPTION = "Draw a dendrogram, clusters in colour if -k or --height is given."
EPILOG = """examples:
  chamfer cluster --example iris --save-tree tree.npz
  chamfer plot tree.npz -k 10 --truncate 40 -o tree.svg
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_tree(parser)
    add_cut(parser)
    group = parser.add_argument_group("picture")
    complete_files(
        group.add_argument("-o", "--output", required=True, metavar="FILE", help=".png, .svg or .pdf, among others")
    )
    group.add_argument("--truncate", type=int, metavar="N", help="show N clusters as leaves instead of all points")
    group.add_argument("--heights", choices=HEIGHTS, default="own", help="where merges are drawn (%(default)s)")
    group.add_argument("--scale", choices=tuple(SCALES), default="linear", help="axis of heights (%(default)s)")
    group.add_argument("--horizontal", action="store_true", help="root at the right instead of the top")
    group.add_argument("--size", type=_size, default=(10.0, 5.0), metavar="WxH", help="in inches (10x5)")
    group.add_argument("--dpi", type=int, default=150, help="pixels for each inch (%(default)s)")


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be like 10x5, got {text!r}") from None
    if not (0 < width <= 200 and 0 < height <= 200):
        raise argparse.ArgumentTypeError(f"must be between 0 and 200 inches, got {text!r}")
    return width, height


def run(arguments: argparse.Namespace) -> int:
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
            scale=arguments.scale,
        )
        write_picture(arguments.output, figure, arguments.dpi)
    note(f"{len(tree.Z) + 1:,} points drawn in {arguments.output}")
    return 0
