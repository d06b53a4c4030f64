"""`plot_images`: a tree of images, and below it the mean image of each cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_images, check_integer
from chamfer.plot.canvas import current_axes, neutral, palette
from chamfer.plot.dendrogram import plot_dendrogram
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import arrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ImageTree(NamedTuple):
    """The axes of a tree of images: that of the tree, and those of the mean images from left to right."""

    tree: Axes
    images: list[Axes]


def plot_images(
    Z: Any,
    images: Any,
    ax: Axes | None = None,
    *,
    n_clusters: int = 10,
    order: str = "merge",
    classes: Sequence[object] | None = None,
    truncate: int | None = None,
    scale: str = "sqrt",
    colors: Sequence[Any] | None = None,
    cmap: Any = "gray_r",
) -> ImageTree:
    """Draw a dendrogram of images, and below it the mean image of each cluster.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    images : array-like of shape (n, height, width), (n, height, width, 3) or (n, side * side)
        The images; those in colour with values as matplotlib's ``imshow`` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the current axes by default. Tree and images take parts of it.
    n_clusters : int, default=10
        Number of clusters.
    order : {"merge", "least", "cumulative"}, default="merge"
        Order of the cut, see `chamfer.cut`.
    classes : sequence of n objects, optional
        Known classes; the most frequent one of each cluster is written below its image.
    truncate, scale, colors
        As in `plot_dendrogram`.
    cmap : str or matplotlib.colors.Colormap, default="gray_r"
        Colours of images in grey.

    Returns
    -------
    ImageTree
        The axes of the tree, and of the images from left to right.

    Examples
    --------
    >>> import chamfer, matplotlib
    >>> from sklearn.datasets import load_digits
    >>> matplotlib.use("Agg")
    >>> X, y = load_digits(return_X_y=True)
    >>> shown = chamfer.plot.plot_images(chamfer.linkage(X[:200]), X[:200], n_clusters=4, classes=y[:200])
    >>> len(shown.images)
    4
    """
    tree = Dendrogram(Z).whole()
    n = tree.n_points
    pictures = check_images(images, n)
    labels = tree.cut(check_integer("n_clusters", n_clusters, 1, n), order=order)
    known = None if classes is None else np.asarray(classes)
    if known is not None and known.shape != (n,):
        raise ValueError(f"classes must have a value for each of the {n} images, got shape {known.shape}")
    ax = current_axes(ax)
    ax.set_axis_off()
    above = ax.inset_axes((0, 0.36, 1, 0.64))
    plot_dendrogram(
        tree.Z, above, n_clusters=n_clusters, order=order, truncate=truncate, scale=scale, colors=colors, numbers=False
    )
    above.set_xticks([])
    shades = list(colors) if colors else palette(n_clusters)
    places = _places(tree, labels, truncate, order)
    slots = []
    for slot, label in enumerate(np.argsort(places).tolist()):
        inset = ax.inset_axes(((slot + 0.08) / n_clusters, 0.06, 0.84 / n_clusters, 0.2))
        _draw_mean(inset, pictures[labels == label], cmap, shades[label % len(shades)])
        inset.set_xlabel(_caption(labels == label, known), fontsize=8, color=neutral(inset))
        _join(above, inset, places[label], shades[label % len(shades)])
        slots.append(inset)
    return ImageTree(above, slots)


def _places(tree: Dendrogram, labels: Array, truncate: int | None, order: str) -> Array:
    """Middle of each cluster along the leaf axis."""
    layout = arrange(tree, None if truncate is None else tree.applied(truncate, order=order))
    places = np.zeros(int(labels.max()) + 1)
    member = list(range(tree.n_points))
    for first, _ in tree.children.tolist():
        member.append(member[first])
    of_leaf = labels[np.array(member)[layout.leaves]]
    for label in range(len(places)):
        where = np.flatnonzero(of_leaf == label)
        places[label] = where.mean() if len(where) else 0.0
    return places


def _draw_mean(ax: Axes, members: Array, cmap: Any, color: Any) -> None:
    mean = members.mean(axis=0)
    if members.ndim == 4 and members.dtype.kind in "iu":
        mean = mean / 255
    ax.imshow(mean, cmap=cmap if members.ndim == 3 else None, interpolation="bicubic")
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set(color=color, linewidth=2.5)


def _caption(members: Array, classes: Array | None) -> str:
    count = int(members.sum())
    text = f"{count:,} point{'' if count == 1 else 's'}"
    if classes is None:
        return text
    values, counts = np.unique(classes[members], return_counts=True)
    return f"{text}\n{counts.max() / count:.0%} are “{values[counts.argmax()]}”"


def _join(tree: Axes, image: Axes, place: float, color: Any) -> None:
    """Draw a line from the middle of a cluster to its image."""
    tree.annotate(
        "",
        xy=(place, tree.get_ylim()[0]),
        xytext=(0.5, 1.0),
        textcoords=image.transAxes,
        arrowprops={"arrowstyle": "-", "color": color, "lw": 1.4, "shrinkA": 0, "shrinkB": 0},
        annotation_clip=False,
    )
