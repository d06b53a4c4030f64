"""`plot_tanglegram`: two trees of the same points face to face."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer.inputs import check_names
from chamfer.plot.canvas import current_axes, palette
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange, brackets, merge_heights, merge_labels
from chamfer.trees.untangle import untangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES = 0.3  # half the width of the lines between the trees, each of which is 1 wide
_LEAST_POINTS = 4.5  # a name needs this much room, in typographic points
_NEUTRAL = "0.5"  # legible on light and dark


def plot_tanglegram(
    first: Any,
    second: Any,
    ax: Axes | None = None,
    *,
    n_clusters: int | None = None,
    order: str = "merge",
    labels: Sequence[object] | None = None,
    titles: tuple[str, str] | None = None,
    colors: Sequence[Any] | None = None,
) -> Axes:
    """Draw two trees of the same points face to face, with a line between the two leaves of each point.

    Branches are turned so that few lines cross.

    Parameters
    ----------
    first, second : array-like of shape (n - 1, 4)
        Dendrograms as made by `chamfer.linkage`, or by SciPy: the left one and the right one. Up to some hundreds of
        points are legible.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    n_clusters : int, optional
        Colour the clusters of this cut of both trees, see `chamfer.cut`, and each line as the cluster on the left.
    order : {"merge", "least", "cumulative"}, default="merge"
        Of the cut.
    labels : sequence of n objects, optional
        Names of the points, written between the trees where there is room for them; their numbers by default.
    titles : tuple of two texts, optional
        Names of the two trees.
    colors : sequence of colors, optional
        Color of each cluster, repeated if there are more; by default those of matplotlib's cycle, as far as they reach.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Each tree is as wide as the other, whatever its heights. Merges that are lower than a cluster
        they join are drawn as high as that.

    Notes
    -----
    The two trees are turned by turns, each in the best way for the other as it is, until that removes no crossing. This
    need not be the smallest number of crossings, which is hard to find.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> matplotlib.use("Agg")
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> ax = chamfer.plot.plot_tanglegram(chamfer.linkage(X), chamfer.linkage(X, "single"), labels="abcd")
    >>> sorted(text.get_text() for text in ax.texts)
    ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']
    """
    given = [Dendrogram(first), Dendrogram(second)]
    n = given[0].n_points
    if given[1].n_points != n:
        raise ValueError(f"second must be a tree of the {n} points of first, got {given[1].n_points}")
    names = [str(each) for each in check_names(labels, n) or range(n)]
    trees = untangle(given[0], given[1])[:2]
    ax = current_axes(ax)
    size, reach = _room(ax, names)
    sides = [_Side(tree, side, reach, n_clusters, order) for tree, side in zip(trees, (-1, 1), strict=True)]
    paint = list(colors) if colors else palette(n_clusters or 1)
    for side in sides:
        side.draw(ax, paint)
        if size:
            side.name_leaves(ax, names, size)
    _draw_lines(ax, sides, paint)
    ax.set(xlim=(-1.02 - reach, 1.02 + reach), ylim=(n - 0.5, -0.5), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    for side, title in zip(sides, titles or (), strict=False):
        ax.text(side.side * (reach + 0.5), 1.01, title, ha="center", va="bottom", transform=ax.get_xaxis_transform())
    return ax


def _room(ax: Axes, names: list[str]) -> tuple[float, float]:
    """The size of names, 0 if there is no room for them; and the distance from the middle to the leaves."""
    box = ax.get_window_extent()
    tall, wide = (each * 72 / ax.figure.dpi for each in (box.height, box.width))
    size = min(9.0, 0.85 * tall / len(names))
    share = (0.55 * size * max(map(len, names)) + 6) / wide  # of the width, for the names of one tree
    if tall / len(names) < _LEAST_POINTS or share > 0.2:
        return 0.0, _LINES
    return size, _LINES + 2 * share * (1 + _LINES) / (1 - 2 * share)


class _Side:
    """One of the trees: its leaves towards the middle, its root outside."""

    def __init__(self, tree: Dendrogram, side: int, reach: float, n_clusters: int | None, order: str) -> None:
        self.tree, self.side, self.reach = tree, side, reach
        self.layout = arrange(tree)
        level = merge_heights(tree, "max")
        self.level = level / (float(level.max(initial=0)) or 1.0)
        self.labels = np.zeros(2 * tree.n_points - 1, dtype=np.int64)
        if n_clusters is not None:
            applied = tree.applied(n_clusters, order=order)
            self.labels = merge_labels(tree, applied, tree.labels(applied))

    def draw(self, ax: Axes, paint: list[Any]) -> None:
        from matplotlib.collections import LineCollection

        corners = brackets(self.tree, self.layout, self.level)
        lines = np.stack([self.side * (self.reach + corners[..., 1]), corners[..., 0]], axis=-1)
        own = self.labels[self.tree.n_points + self.layout.merges].tolist()
        width = float(np.clip(150 / self.tree.n_points, 0.4, 1.3))
        shades = [_NEUTRAL if label < 0 else paint[label % len(paint)] for label in own]
        style: dict[str, Any] = {"linewidths": width, "capstyle": "projecting", "joinstyle": "miter"}
        ax.add_collection(LineCollection(list(lines), colors=shades, **style), autolim=False)

    def name_leaves(self, ax: Axes, names: list[str], size: float) -> None:
        """Write names between the leaves and the lines."""
        style: dict[str, Any] = {
            "ha": "left" if self.side < 0 else "right",
            "va": "center",
            "fontsize": size,
            "color": _NEUTRAL,
        }
        for name, place in zip(names, self.layout.place.tolist(), strict=False):
            at = (self.side * self.reach, place)
            ax.annotate(name, at, (-3 * self.side, 0), textcoords="offset points", **style)


def _draw_lines(ax: Axes, sides: list[_Side], paint: list[Any]) -> None:
    """Draw a line between the two leaves of each point."""
    from matplotlib.collections import LineCollection

    n = sides[0].tree.n_points
    ends = [np.column_stack([np.full(n, each.side * _LINES), each.layout.place[:n]]) for each in sides]
    shades = [paint[label % len(paint)] for label in sides[0].labels[:n].tolist()]
    lines = LineCollection(list(np.stack(ends, axis=1)), colors=shades, linewidths=0.7, alpha=0.6)
    lines.set_gid("lines")
    ax.add_collection(lines, autolim=False)
