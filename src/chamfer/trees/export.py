"""Trees as text for other programs: Newick and nested JSON, written without recursion."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_names
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.layout import merge_heights

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # control characters, and all that end a line
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def to_newick(Z: Any, labels: Sequence[object] | None = None, *, heights: str = "max") -> str:
    """Write a dendrogram in Newick format, as viewers of phylogenetic trees read it.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram.
    labels : sequence of n objects, optional
        Names of the points; their numbers by default. Names are quoted where the format needs it; line breaks and other
        control characters, which it has no way to write, become spaces.
    heights : {"max", "own", "cumulative"}, default="max"
        A branch is as long as the heights of its ends differ. With ``"own"`` heights that may be negative, which not
        every reader accepts; the others never fall towards the root, see `chamfer.monotone`.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.to_newick(chamfer.linkage([[0.0], [1.0], [5.0]]), labels=["a", "b", "it's"])
    "('it''s':4,(a:1,b:1):3);"
    """
    tree, names, level = _prepare(Z, labels, heights)
    parent = _parent_levels(tree, level)

    def ending(cluster: int) -> str:
        return "" if cluster == len(level) - 1 else f":{_plain(parent[cluster] - level[cluster])}"

    def leaf(cluster: int) -> str:
        return _newick_name(names[cluster]) + ending(cluster)

    return _walk(tree, leaf, lambda cluster: "(", lambda cluster: ")" + ending(cluster)) + ";"


def to_json(Z: Any, labels: Sequence[object] | None = None, *, heights: str = "own") -> str:
    """Write a dendrogram as nested JSON objects, as for instance D3's ``hierarchy`` takes.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram.
    labels : sequence of n objects, optional
        Names of the points; their numbers by default.
    heights : {"own", "max", "cumulative"}, default="own"
        Heights to write, see `chamfer.monotone`.

    Returns
    -------
    str
        An object with ``height``, ``size`` and ``children`` for each merge, with ``name`` for each point.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.to_json(chamfer.linkage([[0.0], [1.5]]), labels="ab")
    '{"height":1.5,"size":2,"children":[{"name":"a"},{"name":"b"}]}'
    """
    tree, names, level = _prepare(Z, labels, heights)
    n = tree.n_points
    sizes = tree.Z[:, 3].astype(int)

    def opening(cluster: int) -> str:
        return f'{{"height":{_plain(level[cluster])},"size":{sizes[cluster - n]},"children":['

    def leaf(cluster: int) -> str:
        return f'{{"name":{_json_text(names[cluster])}}}'

    return _walk(tree, leaf, opening, lambda cluster: "]}")


def _prepare(Z: Any, labels: Sequence[object] | None, heights: str) -> tuple[Dendrogram, list[str], Array]:
    tree = Dendrogram(Z).whole()
    labels = check_names(labels, tree.n_points)
    names = [str(each) for each in (range(tree.n_points) if labels is None else labels)]
    return tree, names, np.concatenate([np.zeros(tree.n_points), merge_heights(tree, heights)])


def _parent_levels(tree: Dendrogram, level: Array) -> Array:
    result = np.zeros_like(level)
    result[tree.children] = level[tree.n_points :, None]
    return result


def _walk(
    tree: Dendrogram, leaf: Callable[[int], str], opening: Callable[[int], str], closing: Callable[[int], str]
) -> str:
    """Join texts of clusters, each merge's around those of its two clusters with a comma between."""
    n = tree.n_points
    children = tree.children.tolist()
    pieces: list[str] = []
    waiting: list[int | str] = [2 * n - 2]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            pieces.append(each)
        elif each < n:
            pieces.append(leaf(each))
        else:
            first, second = children[each - n]
            pieces.append(opening(each))
            waiting += [closing(each), second, ",", first]
    return "".join(pieces)


def _json_text(name: str) -> str:
    # Half of a surrogate pair, which UTF-8 cannot hold, becomes an escape that JSON knows.
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def _newick_name(name: str) -> str:
    name = _UNPRINTABLE.sub(" ", _SURROGATE.sub("\ufffd", name))
    # Underscores in a bare name would be read as spaces.
    return name if re.fullmatch(r"[^\s()\[\]{}:;,'\"_]+", name) else "'" + name.replace("'", "''") + "'"


def _plain(value: float) -> str:
    return f"{value:.12g}"
