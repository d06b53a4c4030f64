"""`dendrogram`: SciPy's function, with its arguments, its picture and its dictionary.

SciPy calls itself for each subtree, so that a chain of some thousand merges exceeds Python's limit of calls. Here one
loop with a stack visits the merges: 100,000 leaves take half a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice, check_names, check_number
from chamfer.plot.canvas import current_axes
from chamfer.trees.dendrogram import Dendrogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORIENTATIONS = ("top", "bottom", "left", "right")
PALETTE = tuple(f"C{i}" for i in range(1, 10))  # C0 is for links above the threshold
_SORTS = ("ascending", "descending")
_SIZES = ((20, 12.0, 0.0), (30, 10.0, 45.0), (40, 8.0, 45.0), (50, 8.0, 90.0), (85, 6.0, 90.0), (math.inf, 5.0, 90.0))


def dendrogram(
    Z: Any,
    p: int = 30,
    truncate_mode: str | None = None,
    color_threshold: float | str | None = None,
    get_leaves: bool = True,
    orientation: str = "top",
    labels: Sequence[Any] | None = None,
    count_sort: bool | str = False,
    distance_sort: bool | str = False,
    show_leaf_counts: bool = True,
    no_plot: bool = False,
    no_labels: bool = False,
    leaf_font_size: float | None = None,
    leaf_rotation: float | None = None,
    leaf_label_func: Callable[[int], str] | None = None,
    show_contracted: bool = False,
    link_color_func: Callable[[int], str] | None = None,
    ax: Axes | None = None,
    above_threshold_color: str = "C0",
    *,
    palette: Sequence[str] = PALETTE,
) -> dict[str, Any]:
    """Draw a dendrogram as SciPy's function of this name does, for trees of any depth and with falling heights.

    `chamfer.plot.plot_dendrogram` colours the clusters of a cut and is faster for large trees.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    p : int, default=30
        For `truncate_mode`.
    truncate_mode : {None, "lastp", "level"}, default=None
        Show only the last `p` clusters, or `p` levels below the root.
    color_threshold : float, optional
        Merges below it are coloured, in another colour for each subtree; 0.7 times the largest height by default.
    get_leaves : bool, default=True
        Whether the result has ``"leaves"``.
    orientation : {"top", "bottom", "left", "right"}, default="top"
        Where the root is.
    labels : sequence of n objects, optional
        Names of the points; their numbers by default.
    count_sort, distance_sort : bool or {"ascending", "descending"}, default=False
        Show the smaller (or larger), or the lower (or higher), of two clusters first. Not both.
    show_leaf_counts : bool, default=True
        Label clusters that are shown as leaves with their number of points in brackets.
    no_plot : bool, default=False
        Only compute.
    no_labels : bool, default=False
        Draw no labels.
    leaf_font_size, leaf_rotation : float, optional
        Of labels; they follow from the number of leaves by default.
    leaf_label_func : callable, optional
        Gives the label of a leaf from its cluster number.
    show_contracted : bool, default=False
        Mark the heights of merges that are not shown.
    link_color_func : callable, optional
        Gives the colour of a merge from its cluster number.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default.
    above_threshold_color : str, default="C0"
        Of merges at the threshold or above.
    palette : sequence of str, optional
        Colours below the threshold, C1 to C9 by default; what SciPy sets by ``set_link_color_palette``.

    Returns
    -------
    dict
        ``"icoord"`` and ``"dcoord"``: four places and heights of each merge; ``"ivl"``: labels of the leaves;
        ``"leaves"``: their cluster numbers; ``"color_list"``: colours of merges; ``"leaves_color_list"``: of leaves.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> drawn = chamfer.dendrogram(Z, no_plot=True, labels="abcd")
    >>> drawn["ivl"], drawn["icoord"][-1], drawn["dcoord"][-1]
    (['a', 'b', 'c', 'd'], [10.0, 10.0, 30.0, 30.0], [1.0, 9.0, 9.0, 1.5])
    """
    check_choice("orientation", orientation, ORIENTATIONS)
    names = check_names(labels, len(np.asarray(Z)) + 1)
    tree = Dendrogram(Z)
    heights = tree.heights
    if color_threshold is None or isinstance(color_threshold, str):
        check_choice("color_threshold", "default" if color_threshold is None else color_threshold, ("default",))
        color_threshold = 0.7 * float(heights.max(initial=0))
    threshold = check_number("color_threshold", color_threshold)
    walk = _Walk(tree.n_points, _collapsed(tree, p, truncate_mode))
    walk.run(_sorted_children(tree, count_sort, distance_sort), heights.tolist())
    colors = _colors(heights[walk.inner], threshold, list(palette), above_threshold_color)
    of_merge = dict(zip(walk.inner, colors, strict=True))
    if link_color_func is not None:
        of_merge = {each: link_color_func(tree.n_points + each) for each in walk.merges}
    result: dict[str, Any] = {
        "icoord": walk.places,
        "dcoord": walk.levels,
        "ivl": _leaf_labels(tree, walk.leaves, names, show_leaf_counts, leaf_label_func),
        "leaves": walk.leaves if get_leaves else None,
        "color_list": [of_merge[each] for each in walk.merges],
        "leaves_color_list": [of_merge[walk.above[leaf]] if walk.merges else None for leaf in walk.leaves],
    }
    if not no_plot:
        marks = _contracted(tree, walk.leaves) if show_contracted else []
        picture = _Picture(current_axes(ax), orientation, 1.05 * float(heights.max(initial=0)))
        picture.draw(result, above_threshold_color, marks)
        picture.name_leaves([] if no_labels else result["ivl"], leaf_font_size, leaf_rotation)
    return result


@dataclass
class _Walk:
    """A visit of all merges that are shown: those on the left of a merge, itself, those on its right."""

    n: int
    collapsed: Array  # merges that are shown as leaves
    leaves: list[int] = field(default_factory=list)  # clusters, from left to right
    inner: list[int] = field(default_factory=list)  # merges, from left to right
    merges: list[int] = field(default_factory=list)  # after the merges below them
    places: list[list[float]] = field(default_factory=list)  # of each of these
    levels: list[list[float]] = field(default_factory=list)
    above: dict[int, int] = field(default_factory=dict)  # the merge that a leaf takes part in

    def run(self, children: list[list[int]], heights: list[float]) -> None:
        n, collapsed = self.n, self.collapsed.tolist()
        at: dict[int, tuple[float, float]] = {}  # place and height of what was visited
        # Tasks: visit a cluster; note a merge between its parts (n less than none, so that numbers differ); draw it.
        stack = [(0, 2 * n - 2)]
        while stack:
            task, cluster = stack.pop()
            i = cluster - n
            if task == 1:
                self.inner.append(i)
            elif task == 2:
                (x, low), (y, other) = (at.pop(each) for each in children[i])
                self.merges.append(i)
                self.places.append([x, x, y, y])
                self.levels.append([low, heights[i], heights[i], other])
                at[cluster] = (x + y) / 2, heights[i]
            elif i < 0 or collapsed[i]:
                at[cluster] = 10.0 * len(self.leaves) + 5, 0.0
                self.leaves.append(cluster)
            else:
                first, second = children[i]
                stack += (2, cluster), (0, second), (1, cluster), (0, first)
                self.above[first] = self.above[second] = i


def _collapsed(tree: Dendrogram, p: Any, mode: str | None) -> Array:
    """Which merges a truncation shows as leaves."""
    check_choice("truncate_mode", mode or "none", ("none", "lastp", "level", "mtica"))
    n, most = tree.n_points, int(check_number("p", p))
    numbers = np.arange(n, 2 * n - 1)
    if mode == "lastp" and 0 < most <= n:
        return numbers < 2 * n - most
    if mode in ("level", "mtica") and most > 0:
        level = [0] * (2 * n - 1)
        for cluster, (a, b) in zip(range(2 * n - 2, n - 1, -1), tree.children[::-1].tolist(), strict=True):
            level[a] = level[b] = level[cluster] + 1
        # SciPy never hides the first merge of all.
        return (np.array(level[n:]) > most) & (numbers > n)
    return np.zeros(n - 1, bool)


def _sorted_children(tree: Dendrogram, by_count: Any, by_distance: Any) -> list[list[int]]:
    """The two clusters of each merge, in the order in which they are shown."""
    for name, value in (("count_sort", by_count), ("distance_sort", by_distance)):
        if not isinstance(value, bool):
            check_choice(name, value, _SORTS)
    if by_count and by_distance:
        raise ValueError("count_sort and distance_sort must not both be given")
    if not (by_count or by_distance):
        return list(tree.children.tolist())
    n = tree.n_points
    key = np.concatenate([np.full(n, 1.0 if by_count else 0.0), tree.Z[:, 3 if by_count else 2]])
    first, second = key[tree.children].T
    swap = first <= second if "descending" in (by_count, by_distance) else first > second
    return list(np.where(swap[:, None], tree.children[:, ::-1], tree.children).tolist())


def _colors(heights: Array, threshold: float, palette: list[str], above: str) -> list[str]:
    """Colours of merges from left to right: a new one after each merge that is not below the threshold."""
    below = heights < threshold if threshold > 0 else np.zeros(len(heights), bool)
    ends = np.zeros(len(heights), int)
    ends[1:] = below[:-1] & ~below[1:]
    groups = np.cumsum(ends) % max(1, len(palette))
    return [palette[group] if low else above for group, low in zip(groups.tolist(), below.tolist(), strict=True)]


def _leaf_labels(tree: Dendrogram, leaves: list[int], names: Any, counts: bool, function: Any) -> list[Any]:
    if function is not None:
        return [function(leaf) for leaf in leaves]
    n, sizes = tree.n_points, tree.Z[:, 3].astype(int)
    points = [str(i) for i in range(n)] if names is None else names
    return [points[leaf] if leaf < n else f"({sizes[leaf - n]})" if counts else "" for leaf in leaves]


def _contracted(tree: Dendrogram, leaves: list[int]) -> list[tuple[float, float]]:
    """Places and heights of the merges within clusters that are shown as leaves, themselves left out."""
    place = {leaf: 10.0 * i + 5 for i, leaf in enumerate(leaves) if leaf >= tree.n_points}
    marks = []
    for i in range(tree.n_points - 2, -1, -1):
        cluster = tree.n_points + i
        if cluster in place:
            for part in tree.children[i].tolist():
                if part >= tree.n_points:
                    place[part] = place[cluster]
                    marks.append((place[cluster], float(tree.heights[part - tree.n_points])))
    return marks


@dataclass
class _Picture:
    """Axes with the leaves along one of them."""

    ax: Any
    orientation: str
    top: float

    @property
    def upright(self) -> bool:
        return self.orientation in ("top", "bottom")

    def draw(self, result: dict[str, Any], last: str, marks: list[tuple[float, float]]) -> None:
        """One collection of lines for each colour, so that a legend can name them; `last` is on top."""
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Ellipse

        ax, width = self.ax, 10 * len(result["ivl"])
        heights = [0, self.top or 1.0]
        if self.orientation in ("bottom", "left"):
            heights.reverse()
        (ax.set_xlim if self.upright else ax.set_ylim)(0, width)
        (ax.set_ylim if self.upright else ax.set_xlim)(*heights)
        corners = np.array([result["icoord"], result["dcoord"]]).reshape(2, -1, 4)
        lines = np.moveaxis(corners if self.upright else corners[::-1], 0, -1)
        colors = np.array(result["color_list"], dtype=object)
        for color in sorted(dict.fromkeys(result["color_list"]), key=lambda each: each == last):
            ax.add_collection(LineCollection(list(lines[colors == color]), colors=(color,)))
        for x, y in marks:
            at, size = ((x, y), (1.0, self.top / 100)) if self.upright else ((y, x), (self.top / 100, 1.0))
            ax.add_artist(Ellipse(at, *size, alpha=0.5, facecolor="k", clip_box=ax.bbox))

    def name_leaves(self, names: list[Any], size: float | None, rotation: float | None) -> None:
        axis = self.ax.xaxis if self.upright else self.ax.yaxis
        _, usual_size, usual_rotation = next(each for each in _SIZES if len(names) <= each[0])
        size = usual_size if size is None else size
        if rotation is None:
            rotation = usual_rotation if self.upright else 0.0
        axis.set_ticks([10 * i + 5 for i in range(len(names))], names, rotation=rotation, size=size)
        axis.set_ticks_position({"top": "bottom", "bottom": "top", "left": "right", "right": "left"}[self.orientation])
        axis.set_tick_params(length=0)
