"""`explore`: a dendrogram as one HTML file, to look at in a browser without network or server.

The page cuts the tree itself, from the merges and their three orders, so its labels are those of
`chamfer.cut` for any number of clusters. What it cannot compute, because it does not have the data, is
prepared here: a projection to the plane, and centre and spread of every cluster that can be shown.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_names
from chamfer.trees.dendrogram import ORDERS, Dendrogram
from chamfer.trees.files import write_file
from chamfer.trees.layout import arrange

_MOST_CLUSTERS = 500
_FOLDER = Path(__file__).parent


def explore(
    Z: Any,
    X: Any = None,
    output: str | Path = "chamfer-explorer.html",
    *,
    labels: Sequence[object] | None = None,
    n_clusters: int | None = None,
    title: str = "Dendrogram",
) -> Path:
    """Write a page to explore a dendrogram: the tree, a map of the points and a table of clusters.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `chamfer.linkage`, or by SciPy.
    X : array-like of shape (n, d), optional
        The points. Their first two principal components are the map; without points there is no map.
    output : str or path, default="chamfer-explorer.html"
        File to write. It needs nothing else, neither files nor network.
    labels : sequence of n objects, optional
        Names of the points; their numbers by default.
    n_clusters : int, optional
        Number of clusters shown at first; 10 by default, if there are as many points.
    title : str, default="Dendrogram"
        Heading of the page.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import chamfer, tempfile
    >>> X = [[0.0, 0.0], [1.0, 0.0], [5.0, 1.0], [6.5, 1.0]]
    >>> page = chamfer.explore(chamfer.linkage(X), X, tempfile.mkdtemp() + "/tree.html")
    >>> page.name
    'tree.html'
    """
    tree = Dendrogram(Z).whole()
    n = tree.n_points
    labels = check_names(labels, n)
    most = min(n, _MOST_CLUSTERS)
    first = min(10, most) if n_clusters is None else n_clusters
    if not 1 <= first <= most:
        raise ValueError(f"n_clusters must be between 1 and {most}, got {first}")
    content: dict[str, Any] = {
        "n": n,
        "most": most,
        "clusters": first,
        "children": _packed(tree.children, np.int32),
        "heights": _packed(tree.heights, np.float64),
        "orders": {order: _packed(tree.sequence(order)[0], np.int32) for order in ORDERS},
        "names": None if labels is None else [str(each) for each in labels],
    }
    if X is not None:
        content |= _describe(tree, _check_points(X, n), most)
    path = Path(output)
    # Half of a surrogate pair, which UTF-8 cannot hold, becomes an escape that JSON knows.
    write_file(path, _page(title, content).encode("utf-8", "backslashreplace"))
    return path


def _check_points(X: Any, n: int) -> Array:
    points = np.asarray(X)
    if points.ndim != 2 or len(points) != n:
        raise ValueError(f"X must have a row for each of the {n} points of Z, got shape {points.shape}")
    points = points.astype(np.float32 if points.dtype == np.float32 else np.float64, copy=False)
    if not np.isfinite(points).all():
        raise ValueError("X must be finite")
    return points


def _describe(tree: Dendrogram, X: Array, most: int) -> dict[str, Any]:
    clusters = _shown_clusters(tree, most)
    central, spread = _centres(tree, X, clusters)
    return {
        "map": _packed(_project(X), np.float32),
        "described": _packed(clusters, np.int32),
        "central": _packed(central, np.int32),
        "spread": _packed(spread, np.float64),
    }


def _project(X: Array) -> Array:
    """Place points by their first two principal components."""
    from sklearn.decomposition import PCA

    dimensions = min(2, *X.shape)
    flat = np.zeros((len(X), 2))
    if np.ptp(X, axis=0).max() > 0:
        flat[:, :dimensions] = PCA(dimensions, random_state=0).fit_transform(X)
    return flat


def _shown_clusters(tree: Dendrogram, most: int) -> Array:
    """Every cluster of some cut into at most `most` clusters, in any order."""
    n = tree.n_points
    found = [np.array([2 * n - 2])]
    for order in ORDERS:
        last = tree.sequence(order)[0][n - most :]
        found.append(tree.children[last].ravel())
    return np.unique(np.concatenate(found))


def _centres(tree: Dendrogram, X: Array, clusters: Array) -> tuple[Array, Array]:
    """Point nearest to the mean, and root mean square distance to it, of each cluster."""
    n = tree.n_points
    layout = arrange(tree)
    # Leaves of a cluster stand side by side: its points are one slice of the points in the order of leaves.
    start = layout.place[:n].astype(int).tolist()
    for first, _ in tree.children.tolist():
        start.append(start[first])
    sizes = np.concatenate([np.ones(n, dtype=int), tree.Z[:, 3].astype(int)])
    ordered = X[layout.leaves]
    central, spread = np.empty(len(clusters), dtype=int), np.empty(len(clusters))
    for i, cluster in enumerate(clusters.tolist()):
        members = slice(start[cluster], start[cluster] + sizes[cluster])
        block = ordered[members]
        away = block - block.mean(axis=0, dtype=np.float64).astype(block.dtype)
        squares = np.einsum("ij,ij->i", away, away, dtype=np.float64)
        central[i] = layout.leaves[members][squares.argmin()]
        spread[i] = np.sqrt(squares.mean())
    return central, spread


def _packed(values: Array, dtype: Any) -> str:
    little = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode()


def _page(title: str, content: dict[str, Any]) -> str:
    # Inside a script no character may look like the start of a tag.
    data = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "/*style*/": (_FOLDER / "page.css").read_text(encoding="utf-8"),
        "/*script*/": (_FOLDER / "page.js").read_text(encoding="utf-8"),
        "<!--title-->": escape(title),
        "/*data*/": data,
    }
    page = (_FOLDER / "page.html").read_text(encoding="utf-8")
    # One pass, so that a name or title which contains a mark stays as it is.
    return re.sub("|".join(map(re.escape, parts)), lambda mark: parts[mark[0]], page)
