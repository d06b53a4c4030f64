"""Makes the pictures of the README and the documentation, from data of scikit-learn and committed results.

python docs/make_pictures.py [NAME ...]
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, load_wine

import chamfer
from chamfer.cli.commands.demo import draw_digits

FOLDER = Path(__file__).parent / "images"
DIGITS, DIGIT = load_digits(return_X_y=True)


def digits() -> Figure:
    """Draw the tree of handwritten digits, with the mean picture of each cluster."""
    figure: Figure = draw_digits(DIGITS, DIGIT, chamfer.linkage(DIGITS))
    return figure


def scores() -> Figure:
    """Draw agreement with the true digits over the number of clusters."""
    methods = ("chamfer", "ward", "average", "complete", "centroid", "single")
    trees = {method: chamfer.linkage(DIGITS, method) for method in methods}
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    chamfer.plot.plot_scores(trees, DIGIT, ax)
    ax.set_title("Handwritten digits: which cut finds the ten of them?", fontsize=11)
    return figure


def clustermap() -> Figure:
    """Draw the wines as a heat map with trees of wines and of measurements."""
    data = load_wine(as_frame=True).data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    data = (data - data.mean()) / data.std()
    figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
    columns = chamfer.linkage(data.to_numpy().T, "average")
    shown = chamfer.plot.plot_clustermap(data, ax=ax, column_Z=columns, n_clusters=3, cmap="RdBu_r")
    shown.heatmap.images[0].set_clim(-3, 3)
    figure.colorbar(shown.heatmap.images[0], ax=ax, shrink=0.6, label="standard deviations from the mean", pad=0.09)
    return figure


def heights() -> Figure:
    """Draw the same tree at its own heights and at those that never fall."""
    X = np.random.default_rng(3).uniform(size=(26, 2))
    Z = chamfer.linkage(X)
    figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.2), layout="constrained")
    for ax, kind in zip(axes, ("own", "max", "cumulative"), strict=True):
        chamfer.plot.plot_dendrogram(Z, ax, n_clusters=3, heights=kind)
        ax.set_title(f'heights="{kind}"', family="monospace", fontsize=11)
    return figure


def truncated() -> Figure:
    """Draw the digits' tree as thirty clusters."""
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    chamfer.plot.plot_dendrogram(chamfer.linkage(DIGITS), ax, n_clusters=10, truncate=30)
    return figure


def leaves() -> Figure:
    """Draw a tree of 100,000 leaves, and say how long that takes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 2)) * 0.6 + rng.normal(size=(12, 2))[rng.integers(12, size=100_000)] * 4
    Z = chamfer.linkage(X)
    start = time.perf_counter()
    figure, ax = plt.subplots(figsize=(10, 4.5), layout="constrained")
    chamfer.plot.plot_dendrogram(Z, ax, n_clusters=12)
    ax.set_yscale("function", functions=(lambda h: np.sqrt(np.maximum(h, 0)), np.square))
    ax.set_ylabel("height (square root scale)")
    ax.set_title("100,000 points of twelve groups, Chamfer linkage", fontsize=11)
    figure.canvas.draw()
    print(f"100,000 leaves drawn in {time.perf_counter() - start:.2f} s")
    return figure


def growth() -> Figure:
    """Draw time and memory of the lists engine over the number of points, from the committed results."""
    with (FOLDER.parent.parent / "benchmarks" / "results" / "lists.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for method, data, dtype in dict.fromkeys((row["method"], row["data"], row["dtype"]) for row in rows):
        own = [row for row in rows if (row["method"], row["data"]) == (method, data)]
        n = [int(row["n"]) for row in own]
        for ax, column, unit in zip(axes, ("seconds", "bytes"), (1, 1e6), strict=True):
            style = "o-" if data == "mnist" else "s--"
            ax.loglog(n, [float(row[column]) / unit for row in own], style, ms=4, label=f"{method}, {data}, {dtype}")
    for ax, label in zip(axes, ("seconds", "MB beyond the data"), strict=True):
        ax.set(xlabel="points", ylabel=label)
        ax.grid(alpha=0.3)
    axes[1].legend(fontsize=7)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    each.__name__: each for each in (digits, scores, clustermap, heights, truncated, leaves, growth)
}


def main(names: list[str]) -> int:
    """Make the named pictures, or all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        figure = PICTURES[name]()
        figure.savefig(FOLDER / f"{name}.png", dpi=120)
        plt.close(figure)
        print(f"docs/images/{name}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
