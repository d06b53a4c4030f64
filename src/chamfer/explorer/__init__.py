"""`explore`: a dendrogram as one HTML page, for a browser or a notebook, without network or server.

The page (``page.html``, ``page.css`` and ``scripts/``, joined by ``page``) cuts the tree itself, from the merges and
their three orders, so its labels are those of `chamfer.cut` for any number of clusters. What it cannot compute, because
it does not have the data, is prepared here:

================  =========================================================================
``describe``      facts of every cluster that can be shown, and suggested numbers of clusters
``columns``       classes and numbers to colour by
``packing``       arrays as text, pictures as one atlas
``notebook``      `Explorer`, the page as an object
================  =========================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.explorer.columns import make_columns, split_frame
from chamfer.explorer.describe import describe, suggest
from chamfer.explorer.notebook import Explorer
from chamfer.explorer.packing import make_atlas, packed
from chamfer.inputs import check_choice, check_names
from chamfer.projection import place_points
from chamfer.trees.choose import Choice
from chamfer.trees.colors import cluster_colors
from chamfer.trees.dendrogram import ORDERS, Dendrogram

__all__ = ["Explorer", "explore"]

_MOST_CLUSTERS = 500
_SNIPPET = 300  # characters of a text that are shown


def explore(
    Z: Any,
    X: Any = None,
    output: str | Path | None = None,
    *,
    labels: Sequence[object] | None = None,
    n_clusters: int | None = None,
    title: str = "Dendrogram",
    order: str = "merge",
    coordinates: Any = None,
    columns: Any = None,
    color: str | None = None,
    images: Any = None,
    texts: Sequence[object] | None = None,
    choice: Choice | bool | None = None,
) -> Explorer:
    """Make a page to explore a dendrogram: the tree, a map of the points and a table of clusters.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    X : array-like of shape (n, d), optional
        The points. They give the map, the central point and spread of each cluster, and the columns that distinguish
        it. Columns of a data frame, or of a mapping of names to values, can be coloured by; those that are not numbers
        are used for nothing else.
    output : str or path, optional
        File to write. It needs nothing else, neither files nor network. Without it nothing is written; the result
        shows itself in a notebook and has a method `save`.
    labels : sequence of n objects, optional
        Names of the points, to search by; their numbers by default.
    n_clusters : int, optional
        Number of clusters shown at first; 10 by default, if there are as many points.
    title : str, default="Dendrogram"
        Heading of the page.
    order : {"merge", "least", "cumulative"}, default="merge"
        Order of merges at first, see `chamfer.cut`.
    coordinates : {"pca", "tsne", "umap"} or array-like of shape (n, 2), optional
        Places of the points on the map: your own, or computed from `X`. Principal components by default. ``"umap"``
        needs the package umap-learn.
    columns : mapping, data frame or sequence of n values, optional
        Classes and numbers to colour by. Text, truth values and integers of up to 20 different values are classes.
    color : str, optional
        Name of the column to colour by at first; clusters by default.
    images : array-like of shape (n, height, width), (n, height, width, 3) or (n, side * side), optional
        Pictures of the points. They are made smaller if they are many.
    texts : sequence of n objects, optional
        Texts of the points, of which the first 300 characters are shown.
    choice : Choice or bool, optional
        What `chamfer.choose` gave, to show its curves and suggestions under the slider; True computes it, False
        leaves it out. By default it is computed where that takes a second or two, and from heights alone otherwise.

    Returns
    -------
    Explorer
        The page.

    Examples
    --------
    >>> import chamfer, tempfile
    >>> X = [[0.0, 0.0], [1.0, 0.0], [5.0, 1.0], [6.5, 1.0]]
    >>> file = tempfile.mkdtemp() + "/tree.html"
    >>> page = chamfer.explore(chamfer.linkage(X), X, file, columns={"kind": ["a", "a", "b", "b"]})
    >>> page.path.name
    'tree.html'
    """
    tree = Dendrogram(Z).whole()
    n = tree.n_points
    names, snippets = check_names(labels, n), _check_texts(texts, n)
    most = min(n, _MOST_CLUSTERS)
    first = min(10, most) if n_clusters is None else n_clusters
    if not 1 <= first <= most:
        raise ValueError(f"n_clusters must be between 1 and {most}, got {first}")
    numbers, named, features = split_frame(X)
    points = None if numbers is None else _check_points(numbers, n)
    shown = make_columns(columns, named, n)
    if color is not None:
        check_choice("color", color, [each["name"] for each in shown])
    content: dict[str, Any] = {
        "n": n,
        "most": most,
        "clusters": first,
        "order": check_choice("order", order, ORDERS),
        "colors": cluster_colors(most),
        "children": packed(tree.children, np.int32),
        "heights": packed(tree.heights, np.float64),
        "orders": {each: packed(tree.sequence(each)[0], np.int32) for each in ORDERS if each != "merge"},
        "names": None if names is None else [str(each) for each in names],
        "texts": snippets,
        "columns": shown,
        "color": color,
        "images": None if images is None else make_atlas(images, n),
    }
    content |= _map(points, coordinates, n)
    if points is not None:
        if features is None and images is None:
            features = [f"column {i}" for i in range(points.shape[1])]
        content |= {"described": describe(tree, points, most, features), "features": features}
    content |= suggest(tree, points, choice, order, most)
    page = Explorer(tree, content, title)
    if output is not None:
        page.save(output)
    return page


def _check_points(X: Any, n: int) -> Array:
    points = np.asarray(X)
    if points.ndim != 2 or len(points) != n:
        raise ValueError(f"X must have a row for each of the {n} points of Z, got shape {points.shape}")
    points = points.astype(np.float32 if points.dtype == np.float32 else np.float64, copy=False)
    if not np.isfinite(points).all():
        raise ValueError("X must be finite")
    return points


def _check_texts(texts: Any, n: int) -> list[str] | None:
    if texts is None:
        return None
    given = [str(each) for each in texts]
    if len(given) != n:
        raise ValueError(f"texts must hold a text for each of {n} points, got {len(given)}")
    return [each if len(each) <= _SNIPPET else each[: _SNIPPET - 1] + "…" for each in given]


def _map(points: Array | None, coordinates: Any, n: int) -> dict[str, Any]:
    """Places within -1 … 1 of the middle, which single precision holds well wherever the points are."""
    found = place_points(points, coordinates, n)
    if found is None:
        return {}
    places, kind = found
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high / 2 - low / 2).max()) or 1.0
    return {"map": {"places": packed((places - (low / 2 + high / 2)) / half, np.float32), "kind": kind}}
