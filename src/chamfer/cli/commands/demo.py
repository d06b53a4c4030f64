"""``chamfer demo``: every linkage on 1,797 handwritten digits, a table and a picture."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.console import bar, emphasize, table
from chamfer.cli.outputs import check_output, write_picture
from chamfer.hac import linkage
from chamfer.methods import METHODS
from chamfer.trees.cuts import cut
from chamfer.trees.dendrogram import tree_height

DESCRIPTION = (
    "Cluster the 1,797 handwritten digits that come with scikit-learn with every linkage, compare the clusters "
    "with the true digits and draw the tree."
)
EPILOG = ""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("chamfer-demo.png"),
        help="where to save the picture (default: %(default)s); its ending gives the format",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table and save the picture."""
    from sklearn.datasets import load_digits

    check_output("--output", str(arguments.output))
    X, y = load_digits(return_X_y=True)
    classes = len(np.unique(y))
    print(f"{len(X):,} handwritten digits of {X.shape[1]} pixels, cut into {classes} clusters:\n")
    trees, rows = {}, []
    linkage(X[:50])  # the first call of a process loads libraries, which is not the first linkage's fault
    for method in METHODS:
        start = time.perf_counter()
        trees[method] = linkage(X, method)
        seconds = time.perf_counter() - start
        rows.append((method, _agreement(y, cut(trees[method], n_clusters=classes)), trees[method], seconds))
    best = int(np.argmax([score for _, score, _, _ in rows]))
    cells = [
        (method, f"{score:.3f}", bar(score), str(tree_height(Z)), f"{seconds:.2f}")
        for method, score, Z, seconds in rows
    ]
    print(table(("linkage", "ARI", "", "tree height", "seconds"), cells, "<><>>", strong=best))
    print("\nARI, the adjusted Rand index, compares clusters with true digits: 1 is perfect, 0 is chance.")
    print("The tree height is the largest number of merges that a point takes part in.")
    _save(arguments.output, X, y, trees["chamfer"])
    return 0


def _agreement(y: Array, labels: Array) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y, labels))


def _save(path: Path, X: Array, y: Array, Z: Array) -> None:
    try:
        from chamfer.plot.canvas import pyplot

        plt = pyplot()
    except ImportError as error:
        print(f"\nNo picture: {error}")
        return
    with plt.ioff():
        write_picture(path, draw_digits(X, y, Z), dpi=160)
    print(f"\nThe tree of Chamfer linkage is drawn in {emphasize(str(path.resolve()))}")


def draw_digits(X: Array, y: Array, Z: Array) -> Any:
    """Draw a figure of the tree of the digits, and below it the mean picture of each of ten clusters."""
    from chamfer.plot import plot_images
    from chamfer.plot.canvas import neutral, pyplot

    figure = pyplot().figure(figsize=(11, 6.2))
    ax = figure.add_axes((0.08, 0.02, 0.9, 0.89))
    plot_images(Z, X, ax, n_clusters=10, classes=[str(digit) for digit in y])
    score = f"10 clusters, adjusted Rand index {_agreement(y, cut(Z, n_clusters=10)):.2f}"
    figure.text(0.08, 0.945, f"{len(X):,} handwritten digits, Chamfer linkage", fontsize=15, weight="bold")
    figure.text(0.98, 0.945, score, fontsize=11, ha="right", color=neutral(ax))
    return figure
