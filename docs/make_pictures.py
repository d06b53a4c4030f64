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
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.neighbors import NearestNeighbors

import chamfer
from chamfer.cli.commands.demo import draw_digits
from chamfer.trees import curves

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
    wine = load_wine(as_frame=True)
    data = wine.data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
    chamfer.plot.plot_clustermap(data, ax=ax, z_score="columns", n_clusters=3, row_colors=wine.target)
    return figure


def radial() -> Figure:
    """Draw the digits' tree around a circle."""
    figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    chamfer.plot.plot_radial(chamfer.linkage(DIGITS), ax, n_clusters=10)
    return figure


def digit_map() -> Figure:
    """Draw the digits by t-SNE, in the colours of ten clusters."""
    figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
    labels = chamfer.cut(chamfer.linkage(DIGITS), n_clusters=10)
    chamfer.plot.plot_map(DIGITS, labels, ax, coordinates="tsne")
    return figure


def linkages() -> Figure:
    """Draw what six linkages find on toy data."""
    return chamfer.plot.plot_linkages()[0, 0].figure


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
    chamfer.plot.plot_dendrogram(chamfer.linkage(DIGITS), ax, n_clusters=10, truncate=30, scale="sqrt")
    return figure


def leaves() -> Figure:
    """Draw a tree of 100,000 leaves, and say how long that takes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 2)) * 0.6 + rng.normal(size=(12, 2))[rng.integers(12, size=100_000)] * 4
    Z = chamfer.linkage(X)
    start = time.perf_counter()
    figure, ax = plt.subplots(figsize=(10, 4.5), layout="constrained")
    chamfer.plot.plot_dendrogram(Z, ax, n_clusters=12, scale="sqrt")
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


def choice() -> Figure:
    """Draw the curves by which the number of clusters is chosen: digits, wine."""
    wine = load_wine().data
    sets = {"handwritten digits": DIGITS, "wine": (wine - wine.mean(axis=0)) / wine.std(axis=0)}
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for ax, (name, X) in zip(axes, sets.items(), strict=True):
        found = chamfer.choose(chamfer.linkage(X, "chamfer_capped"), X)
        chamfer.plot.plot_choice(found, ax)
        ax.set_title(f"{name}: {found.n_clusters} clusters", fontsize=11)
    return figure


def crossing() -> Figure:
    """Draw how many edges cross each split over its size: those between clusters lie far below the others."""
    normal = np.random.default_rng(0).normal(size=(1797, 10))
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
    for ax, name, X in zip(axes, ("handwritten digits", "one cloud of normal points"), (DIGITS, normal), strict=True):
        _draw_crossings(ax, X)
        ax.set_title(name, fontsize=11)
    axes[0].set_ylabel("share of edges that cross the split")
    axes[0].legend(frameon=False, fontsize="small", loc="lower left")
    return figure


def _draw_crossings(ax: Axes, X: np.ndarray) -> None:
    tree = chamfer.Dendrogram(chamfer.linkage(X, "chamfer_capped"))
    n = tree.n_points
    neighbors = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(return_distance=False)
    found = chamfer.choose(tree.Z, X, neighbors)
    graph = curves.Graph(neighbors, n)
    joined, _, ends = chamfer._core.edge_counts(tree.Z, start=graph.start, neighbours=graph.neighbours)
    left, right = tree.children.T
    sizes = np.concatenate([np.ones(n), tree.Z[:, 3]])
    sizes = np.minimum(sizes[left], sizes[right])
    shares, usual = (np.exp(each) for each in curves.crossings(joined, np.minimum(ends[left], ends[right]), sizes))
    taken = np.arange(n - 1) >= n - found.n_clusters
    ax.plot(sizes[~taken], shares[~taken], ".", ms=3, color="0.7", label="other splits")
    ax.plot(sizes[taken], shares[taken], "o", ms=5, color="C0", label=f"splits into {found.n_clusters} clusters")
    by_size = np.argsort(sizes)
    ax.plot(sizes[by_size], usual[by_size], color="C1", label="usual for the size")
    ax.plot(sizes[by_size], usual[by_size] / 3, color="C1", ls=":", label="a third of it")
    ax.set(xscale="log", yscale="log", xlabel="points in the smaller part")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def condensed() -> Figure:
    """Draw the condensed tree of clusters of four densities."""
    X, _ = make_blobs(600, centers=4, cluster_std=[0.2, 0.4, 0.8, 1.6], random_state=3)
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    chamfer.plot.plot_condensed(chamfer.condense(chamfer.linkage(X, "single"), min_size=15), ax)
    return figure


def support() -> Figure:
    """Draw the tree of 24 samples of five groups, with the support of its branches."""
    rng = np.random.default_rng(0)
    groups = np.repeat(rng.normal(size=(5, 60)), [8, 6, 5, 3, 2], axis=0)
    X = rng.normal(size=(24, 60)) + 1.2 * groups
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    chamfer.plot.plot_support(chamfer.linkage(X, "average"), chamfer.support(X, "average"), ax, n_clusters=5)
    return figure


def tanglegram() -> Figure:
    """Draw two trees of the iris data face to face."""
    X = load_iris().data
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    trees = [chamfer.linkage(X, method) for method in ("chamfer", "complete")]
    chamfer.plot.plot_tanglegram(*trees, ax, n_clusters=3, titles=("chamfer", "complete"))
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "digits": digits,
    "scores": scores,
    "clustermap": clustermap,
    "radial": radial,
    "map": digit_map,
    "linkages": linkages,
    "heights": heights,
    "truncated": truncated,
    "leaves": leaves,
    "growth": growth,
    "choice": choice,
    "crossing": crossing,
    "condensed": condensed,
    "support": support,
    "tanglegram": tanglegram,
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
