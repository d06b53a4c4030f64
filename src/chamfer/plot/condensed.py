"""`plot_condensed`: the condensed tree, with clusters as wide as they have points and as long as they last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.plot.canvas import current_axes, palette
from chamfer.trees.condense import CondensedTree, LocalCut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STEPS = 256  # widths that are drawn of a cluster, at most
_UNSELECTED = "0.75"


def plot_condensed(
    tree: CondensedTree, ax: Axes | None = None, *, cut: LocalCut | None = None, colors: Sequence[Any] | None = None
) -> Axes:
    r"""Draw a condensed tree: each cluster as a bar whose width is the number of its points, from its birth on.

    Parameters
    ----------
    tree : CondensedTree
        What `chamfer.condense` gave.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    cut : LocalCut, optional
        Clusters to colour, as given by ``tree.select``; ``tree.select()`` by default.
    colors : sequence of colors, optional
        Color of each of these clusters, repeated if there are more; by default those of matplotlib's cycle, as far as
        they reach.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. From top to bottom, the density λ = 1 / height grows; points leave clusters, so bars get
        narrower, until a cluster is split or its last points leave. The area of a bar is the stability of its cluster,
        by which `select` chooses. Below a selected cluster are its label and its size.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> Z = chamfer.linkage([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [140.0]], "single")
    >>> ax = chamfer.plot.plot_condensed(chamfer.condense(Z, min_size=3))
    >>> [text.get_text() for text in ax.texts]
    ['0\n3 points', '1\n3 points']
    """
    if not isinstance(tree, CondensedTree):
        raise TypeError(f"tree must be what chamfer.condense gives, got {type(tree).__name__}")
    from matplotlib.collections import PolyCollection

    found = tree.select() if cut is None else cut
    ax = current_axes(ax)
    bars = _Bars(tree)
    shades = list(colors) if colors else palette(len(found.clusters))
    paint = bars.paint(found, shades)
    shapes = [bars.outline(cluster) for cluster in range(len(tree))]
    ax.add_collection(PolyCollection(shapes, facecolors=paint, edgecolors="none"), autolim=False)
    for label, cluster in enumerate(found.clusters.tolist()):
        size, lowest = int(tree.size[cluster]), float(bars.end_of_all[cluster])
        text = f"{label}\n{size:,} {'point' if size == 1 else 'points'}"
        color = shades[label % len(shades)]
        style: dict[str, Any] = {
            "ha": "center",
            "va": "top",
            "fontsize": "small",
            "color": color,
            "textcoords": "offset points",
        }
        ax.annotate(text, (bars.middle[cluster], lowest), (0, -3), **style)
    _dress(ax, len(tree.cluster_of), bars.bottom)
    return ax


class _Bars:
    """Where bars are, how wide, and how long."""

    def __init__(self, tree: CondensedTree) -> None:
        self.tree = tree
        finite = np.concatenate([tree.leaving, tree.birth])
        finite = finite[np.isfinite(finite)]
        self.bottom = 1.05 * float(finite.max(initial=0.0)) or 1.0  # equal points leave at infinity, here at the bottom
        self.leaving = np.minimum(tree.leaving, self.bottom)
        self.birth = np.minimum(tree.birth, self.bottom)
        self.end = np.zeros(len(tree))
        np.maximum.at(self.end, tree.cluster_of, self.leaving)
        np.maximum.at(self.end, tree.parent[1:], self.birth[1:])
        self.end_of_all = self.end.copy()
        for cluster in range(len(tree) - 1, 0, -1):
            above = tree.parent[cluster]
            self.end_of_all[above] = max(self.end_of_all[above], self.end_of_all[cluster])
        order = np.lexsort([self.leaving, tree.cluster_of])
        self._leaving = np.split(self.leaving[order], np.cumsum(np.bincount(tree.cluster_of, minlength=len(tree)))[:-1])
        self._place()

    def _place(self) -> None:
        """Children stand side by side under the middle of their parent."""
        tree = self.tree
        self.middle = np.zeros(len(tree))
        self.middle[0] = tree.size[0] / 2
        within = np.zeros(len(tree))
        np.add.at(within, tree.parent[1:], tree.size[1:])
        start = self.middle - within / 2
        for cluster in range(1, len(tree)):
            above = tree.parent[cluster]
            self.middle[cluster] = start[above] + tree.size[cluster] / 2
            start[above] += tree.size[cluster]
            start[cluster] = self.middle[cluster] - within[cluster] / 2

    def outline(self, cluster: int) -> Array:
        """The corners of a bar, which gets narrower in steps."""
        leaving = self._leaving[cluster]
        begin, end = float(self.birth[cluster]), float(self.end[cluster])
        level = np.unique(np.clip(leaving, begin, end))
        if len(level) > _STEPS:
            level = level[np.linspace(0, len(level) - 1, _STEPS).astype(int)]
        level = np.unique(np.concatenate([[begin], level, [end]]))
        width = (self.tree.size[cluster] - np.searchsorted(leaving, level, side="right")) / 2
        # From each level to the next the width stays as it is.
        depth, half = np.repeat(level, 2)[1:-1], np.repeat(width[:-1], 2)
        if not len(half):
            depth, half = np.array([begin, end]), np.full(2, self.tree.size[cluster] / 2)
        left, right = (np.column_stack([self.middle[cluster] + side * half, depth]) for side in (-1, 1))
        return np.concatenate([left, right[::-1]])

    def paint(self, found: LocalCut, shades: Sequence[Any]) -> list[Any]:
        """The colour of each cluster: of a selected one and of all within it."""
        own = np.full(len(self.tree), -1)
        own[found.clusters] = np.arange(len(found.clusters))
        for cluster in range(1, len(self.tree)):
            if own[cluster] < 0:
                own[cluster] = own[self.tree.parent[cluster]]
        return [_UNSELECTED if label < 0 else shades[label % len(shades)] for label in own.tolist()]


def _dress(ax: Axes, n: int, bottom: float) -> None:
    ax.set(xlim=(-0.02 * n, 1.02 * n), ylim=(1.12 * bottom, 0), xticks=[], ylabel="λ = 1 / height")
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
