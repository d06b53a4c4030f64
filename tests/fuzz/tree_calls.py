"""Odd trees, cuts, exports and scores."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import chamfer
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong

NAMES = r"\b(Z|y|n_clusters|height|order|kind|labels|heights|score|min_size|max_clusters)\b"
ODD_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.5, 1e308, 5e-324, 2.0**53, 1e19, -0.0)
ODD_TREES = (
    None,
    3,
    "Z",
    [],
    [[]],
    np.empty((0, 4)),
    np.empty((0, 3)),
    [[0, 1, 1.0]],
    [[0, 1, 1.0, 2], [2]],
    [["a", "b", "c", "d"]],
    [[0, 1, 10**400, 2]],
    np.zeros((3, 4), bool),
    np.zeros((3, 4), complex),
    np.zeros((2, 3, 4)),
    np.zeros((1, 4), dtype="datetime64[s]"),
    {"Z": 1},
    object(),
)


def tree(draw: Draw) -> np.ndarray:
    """Any tree, of merges in any order and heights that may fall."""
    n = draw.integer(1, 40)
    alive, Z = list(range(n)), np.empty((n - 1, 4))
    sizes = [1] * n
    for i in range(n - 1):
        pair = sorted(alive.pop(draw.integer(0, len(alive) - 1)) for _ in range(2))
        sizes.append(sizes[pair[0]] + sizes[pair[1]])
        Z[i] = *pair, draw.number(), sizes[-1]
        alive.append(n + i)
    if draw.chance(0.2):
        Z[:, 2] = np.floor(Z[:, 2] * 3)
    if draw.chance(0.1):
        Z[:, 2] = np.ldexp(np.minimum(Z[:, 2], 1), draw.integer(-1070, 1023))
    return Z


def odd_tree(draw: Draw) -> Any:
    """A tree, or something like one, or nothing like one."""
    if draw.chance(0.05):
        return draw.one(ODD_TREES)
    Z = tree(draw)
    if Z.size and draw.chance(0.35):
        row, column = draw.integer(0, len(Z) - 1), draw.integer(0, 3)
        Z[row, column] = draw.one(ODD_NUMBERS) if draw.chance(0.5) else draw.integer(-2, 2 * len(Z) + 3)
    change = draw.integer(0, 40)
    with np.errstate(all="ignore"):
        if change == 0:
            return Z.astype(np.float32)
        if change == 1:
            return np.nan_to_num(Z).clip(-1e9, 1e9).astype(np.int64)
        if change == 2:
            return np.asfortranarray(Z)
        if change == 3:
            return Z.tolist()
        if change == 4:
            return Z.astype(">f8")
        if change == 5:
            return Z[:, :3]
    return Z


def odd_labels(draw: Draw, n: int) -> Any:
    """Classes, or names, of any kind."""
    n = n if draw.chance(0.9) else n + draw.one((-1, 1))
    made = draw.integer(0, 11)
    if made < 5:
        return draw.rng.integers(0, draw.integer(1, n + 1), size=max(n, 0))
    few = [draw.one(("a", "b'", "c d", "(", "", "é\n", "=1+1", "</script>")) for _ in range(n)]
    others = (few, np.array(few), np.array(few, object), [1, "a", None][:n] * n, np.full(max(n, 0), np.nan), None, 3)
    return others[draw.integer(0, len(others) - 1)]


def check_cut(labels: np.ndarray, n: int, k: int | None) -> None:
    """Labels are numbered by first appearance, and as many as asked for."""
    seen = list(dict.fromkeys(labels.tolist()))
    if labels.shape != (n,) or seen != list(range(len(seen))) or (k is not None and len(seen) != k):
        raise Wrong(f"labels are {labels!r} for {n} points in {k} clusters")


def do_cut(draw: Draw, Z: Any, n: int) -> None:
    """Cut it anywhere."""
    order = draw.one(("merge", "least", "cumulative")) if draw.chance(0.95) else draw.one(("x", None, 3))
    if draw.chance(0.5):
        k = draw.integer(1, n) if draw.chance(0.8) else draw.one((0, -1, n + 1, 10**30, 1.5, "x", None, True))
        check_cut(chamfer.cut(Z, k, order=order), n, k)
    else:
        height = draw.number() if draw.chance(0.7) else draw.one((*ODD_NUMBERS, "x", None, 10**400, True))
        check_cut(chamfer.cut(Z, height=height, order=order), n, None)


def do_limited_cut(draw: Draw, Z: Any, n: int) -> None:
    """Cut it with limits, or into clusters of different heights."""
    least = draw.integer(1, 6) if draw.chance(0.8) else draw.one((0, -1, 0.5, "auto", "x", None, 10**30))
    if draw.chance(0.5):
        height = draw.number()
        labels = chamfer.cut(Z, height=height, min_size=least, max_clusters=draw.integer(1, n))
    else:
        labels = chamfer.condense(Z, max(least, 2) if isinstance(least, int) else least).select().labels
    found = set(labels.tolist()) - {-1}
    if labels.shape != (n,) or found != set(range(len(found))):
        raise Wrong(f"labels are {labels!r} for {n} points of clusters of {least}")


def do_choose(draw: Draw, Z: Any, n: int) -> None:
    """Choose a number of clusters, with any neighbours."""
    neighbors = np.array([[draw.integer(-1, n - 1) for _ in range(2)] for _ in range(n)]) if draw.chance(0.7) else None
    choice = chamfer.choose(Z, neighbors=neighbors, order=draw.one(("merge", "least", "cumulative")))
    if not 1 <= choice.n_clusters <= n:
        raise Wrong(f"{choice!r} of {n} points")
    if chamfer.layers(Z).labels.shape[0] != n:
        raise Wrong("layers are not of all points")


def do_shape(draw: Draw, Z: Any, n: int) -> None:
    """Make it monotone, and measure it."""
    kind = draw.one(("cumulative", "max")) if draw.chance(0.9) else draw.one(("x", None))
    made = chamfer.monotone(Z, kind)
    if (made[1:, 2] < made[:-1, 2]).any():
        raise Wrong("heights still fall")
    if not 0 <= chamfer.tree_height(Z) < max(n, 1):
        raise Wrong(f"tree height {chamfer.tree_height(Z)} of {n} points")


def do_export(draw: Draw, Z: Any, n: int) -> None:
    """Write it as text."""
    labels = odd_labels(draw, n) if draw.chance(0.5) else None
    heights = draw.one(("own", "max", "cumulative")) if draw.chance(0.95) else draw.one(("x", None))
    if draw.chance(0.5):
        text = chamfer.to_newick(Z, labels, heights=heights)
        if not text.endswith(";"):
            raise Wrong(f"Newick ends in {text[-5:]!r}")
    else:
        json.loads(chamfer.to_json(Z, labels, heights=heights))


def do_score(draw: Draw, Z: Any, n: int) -> None:
    """Score it against any classes."""
    y = odd_labels(draw, n)
    score = draw.one(("ari", "nmi", "ami", "fmi")) if draw.chance(0.95) else draw.one(("x", None, ["ari"]))
    do = draw.integer(0, 2)
    if do == 0:
        best = chamfer.best_cut(Z, y, score).score
        if not -1 <= best <= 1 + 1e-9:
            raise Wrong(f"{score} is {best}")
    elif do == 1:
        path = chamfer.score_path(Z, y, draw.one(("merge", "least", "cumulative")))
        if not all(np.isfinite(getattr(path, name)).all() for name in ("ari", "nmi", "ami", "fmi")):
            raise Wrong("a score is not finite")
    elif not 0 <= chamfer.dendrogram_purity(Z, y) <= 1:
        raise Wrong("purity is not between 0 and 1")


def call_tree(draw: Draw) -> None:
    """Do something with a tree."""
    Z = odd_tree(draw)
    do = draw.one((do_cut, do_limited_cut, do_choose, do_shape, do_export, do_score))
    draw.say(do.__name__, Z=Z)
    n = len(Z) + 1 if hasattr(Z, "__len__") else 1
    do(draw, Z, n)


KINDS = {"tree": Kind(call_tree, 40, NAMES)}
