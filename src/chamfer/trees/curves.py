"""Curves over all numbers of clusters, from one pass over the tree: what a number of clusters can be chosen by.

Sums over clusters change by what one merge adds, which the core computes for all merges at once (``tree/curves.hpp``).
Along an order they are running sums. Every curve here has an entry for each number of clusters from 1 to n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from chamfer import _core
from chamfer._types import Array
from chamfer.progress import Tick
from chamfer.trees.dendrogram import Dendrogram


class Path:
    """The merges of a tree along an order, read from one cluster to n."""

    def __init__(self, tree: Dendrogram, order: str) -> None:
        self.tree, self.order = tree, order
        self.merges, self.heights = tree.sequence(order)

    def running(self, start: float, gains: Array) -> Array:
        """Values at 1, 2, … n clusters of what is `start` for single points and changes by `gains` in each merge."""
        return np.asarray(start + np.concatenate([[0], np.cumsum(gains[self.merges])]))[::-1]

    def by_split(self, values: Array) -> Array:
        """Values of the merges as splits: entry i is the split that makes i + 2 clusters of i + 1."""
        return np.asarray(values[self.merges[::-1]])


def height_curves(path: Path) -> dict[str, Array]:
    """The height up to which merges are applied, and how many times as high the next one is.

    Heights are running maxima along the order.
    """
    highest = np.maximum.accumulate(path.heights)
    last = np.concatenate([[0.0], highest])[::-1]
    gap = np.full(path.tree.n_points, np.nan)
    with np.errstate(over="ignore"):
        np.divide(last[:-1], last[1:], out=gap[1:], where=last[1:] > 0)
    return {"height": last, "gap": gap}


def scatter_curves(path: Path, X: Array, exponent: int, tick: Tick | None = None) -> dict[str, Array]:
    """Sum of squared distances to cluster means, and the Calinski-Harabasz index; X is in units of 2^exponent."""
    n = path.tree.n_points
    gains = _core.scatter_gains(path.tree.Z, X, tick=tick)
    within = path.running(0.0, gains)
    k = np.arange(1, n + 1)
    index = np.full(n, np.nan)
    middle = slice(1, n - 1)  # neither one cluster nor single points
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (within[0] - within[middle]) / (k[middle] - 1)
        index[middle] = between / (within[middle] / (n - k[middle]))
    index[np.isnan(index)] = np.nan
    with np.errstate(over="ignore"):  # squares may be too large for the unit of the user
        return {"within": np.ldexp(within, 2 * exponent), "calinski_harabasz": index}


def silhouette_curve(path: Path, X: Array, most: int, threads: int, tick: Tick | None = None) -> Array:
    """Simplified silhouette of 2 to `most` clusters; nan elsewhere."""
    n = path.tree.n_points
    curve = np.full(n, np.nan)
    finest = min(most, n - 1)
    if finest < 2:
        return curve
    parts = path.tree.labels(path.tree.first(path.merges, n - finest))
    unions = _number_unions(path, parts, finest)
    curve[1:finest] = _core.silhouettes(X, parts=parts, unions=unions, threads=threads, tick=tick)
    return curve


def _number_unions(path: Path, parts: Array, finest: int) -> Array:
    """The clusters that the last merges join, by the labels of the finest cut; merge j makes cluster finest + j."""
    n = path.tree.n_points
    last = path.merges[n - finest :]
    place, _ = _core.leaf_places(path.tree.Z)
    point = np.empty(n, dtype=np.int64)
    point[place[:n]] = np.arange(n)
    number = parts[point[place]]  # of clusters of the finest cut, by any of their points
    number[n + last] = finest + np.arange(len(last))
    return np.ascontiguousarray(number[path.tree.children[last]])


class Graph:
    """A neighbour graph: who is listed by whom. Loops do not count, and values of edges do not matter."""

    def __init__(self, neighbors: Any, n: int) -> None:
        self.start, self.neighbours = _lists(neighbors, n)


def _lists(neighbors: Any, n: int) -> tuple[Array, Array]:
    if issparse(neighbors):
        if neighbors.shape != (n, n):
            raise ValueError(f"neighbors must be a matrix of shape ({n}, {n}), got {neighbors.shape}")
        rows = neighbors.tocsr()
        return rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    found = np.asarray(neighbors)
    if found.ndim != 2 or len(found) != n or found.dtype.kind not in "iu":
        raise ValueError(
            f"neighbors must be a sparse matrix or an array of integers with a row for each of {n} points, "
            f"got {found.dtype} of shape {found.shape}"
        )
    if found.size and (found.min() < -1 or found.max() >= n):
        raise ValueError(f"neighbors must be between 0 and {n - 1}, or -1 for none, got {found.min()} to {found.max()}")
    own = np.arange(n)[:, None]
    found = np.where(found < 0, own, found)  # a loop, which does not count
    return np.arange(n + 1, dtype=np.int64) * found.shape[1], found.astype(np.int32).ravel()


def graph_curves(path: Path, graph: Graph) -> dict[str, Array]:
    """Share of edges inside clusters, modularity, mean conductance, and the separation of the splits so far."""
    tree = path.tree
    joined, inside, ends = _core.edge_counts(tree.Z, start=graph.start, neighbours=graph.neighbours)
    n, edges = tree.n_points, int(joined.sum())
    left, right = tree.children.T
    both = 2.0 * max(edges, 1)
    expected = ends[left] * (2.0 * ends[right]) / both**2
    modularity = path.running(-float(((ends[:n] / both) ** 2).sum()), joined / max(edges, 1) - expected)
    less = np.minimum(ends, 2 * edges - ends)
    leaving = np.divide(ends - 2 * inside, less, out=np.zeros(len(ends)), where=less > 0)
    conductance = path.running(float(leaving[:n].sum()), leaving[n:] - leaving[left] - leaving[right])
    sizes = np.concatenate([np.ones(n), tree.Z[:, 3]])
    evidence = separations(joined, np.minimum(ends[left], ends[right]), np.minimum(sizes[left], sizes[right]))
    return {
        "inside": path.running(0.0, joined) / max(edges, 1),
        "modularity": modularity,
        "conductance": np.maximum(conductance / np.arange(1, n + 1), 0.0),
        "separation": np.concatenate([[0.0], np.cumsum(path.by_split(evidence))]),
    }


_MARGIN = np.log(3.0)  # a split with a third of the usual edges across says nothing
_MOST = 3.0  # what one split can say at most: e^3 times fewer than that
_SMALLEST = 3  # points of the smaller part, from which on splits tell what is usual
_RATES = 1 / np.array([1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 10, 20, np.inf])  # one over the dimension
_SCALES = np.geomspace(1, 2000, 34)  # points


def separations(joined: Array, ends: Array, sizes: Array) -> Array:
    """How much a split divides, from the edges across it, and the ends of edges and points of its smaller part.

    A cut through a homogeneous cloud crosses a share of the edges of the smaller part that depends on its size s alone:
    1 / (1 + (s / scale)^rate), with rate 1 / dimension. Nearly all splits of a tree are of this kind, so scale and rate
    are fitted to the medians of splits of similar sizes. A split between clusters crosses far fewer. The result is the
    logarithm of how many times fewer, minus a margin.
    """
    crossing, usual = crossings(joined, ends, sizes)
    return np.asarray(np.clip(usual - crossing - _MARGIN, -_MOST, _MOST))


def crossings(joined: Array, ends: Array, sizes: Array) -> tuple[Array, Array]:
    """Logarithms of the share of edges that cross each split, and of the share that usually does."""
    crossing = np.log((2 * joined + 1) / (ends + 1.0))
    rate, scale = _usual_crossing(crossing, sizes)
    return np.asarray(crossing), np.asarray(-np.log1p((sizes / scale) ** rate))


def _usual_crossing(crossing: Array, sizes: Array) -> tuple[float, float]:
    """Rate and scale by which the logarithm of the share of crossing edges falls with the size."""
    known = sizes >= _SMALLEST
    if not known.any():
        return 0.0, 1.0
    size, share = np.log(sizes[known]), crossing[known]
    octave = np.floor(2 / np.log(2) * size).astype(int)  # halves of octaves
    bins = [octave == each for each in np.unique(octave)]
    at = np.array([np.median(size[each]) for each in bins])
    middle = np.array([np.median(share[each]) for each in bins])
    weight = np.sqrt([each.sum() for each in bins])
    rates, scales = (grid.ravel() for grid in np.meshgrid(_RATES, _SCALES, indexing="ij"))
    model = -np.log1p((np.exp(at) / scales[:, None]) ** rates[:, None])
    best = int(np.argmin((weight * np.abs(middle - model)).sum(axis=1)))
    return float(rates[best]), float(scales[best])
