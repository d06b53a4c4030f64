"""The points that are clustered: made by seed, or read from NAME.npz in a directory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_COLUMNS = {"mnist": 784, "covtype": 54}  # of files


@dataclass(frozen=True, eq=False)
class Data:
    """Points and, if there are any, their classes; or condensed distances; or a tree and the classes of its points."""

    name: str
    X: Array
    y: Array | None = None


def load(name: str, n: int, d: int, folder: Path | None) -> Data:
    """Give the first n points of a data set; d coordinates if they are made to order.

    Without its file, a data set is replaced by made-up points of the same shape, and named accordingly.
    """
    if name in _COLUMNS:
        path = folder / f"{name}.npz" if folder else None
        if path is None or not path.exists():
            return Data(f"made-up-{name}", *_groups(n, _COLUMNS[name]))
        with np.load(path) as arrays:
            X, y = arrays["X"][:n], arrays["y"][:n]
        if len(X) < n:
            raise ValueError(f"{path} must hold at least {n} rows, got {len(X)}")
        return Data(name, X, y)
    return Data(name, *_MAKERS[name](n, d))


def _normal(n: int, d: int) -> tuple[Array]:
    return (np.random.default_rng(0).standard_normal((n, d)),)


def _distances(n: int, d: int) -> tuple[Array]:
    from scipy.spatial.distance import pdist

    return (pdist(*_normal(n, d)),)


def _groups(n: int, d: int) -> tuple[Array, Array]:
    """Ten groups of whole numbers from 0 to 255, each spread in 30 directions."""
    random = np.random.default_rng(0)
    centres, axes = random.normal(size=(10, d)) * 20, random.normal(size=(30, d)) * 4
    y = random.integers(10, size=n)
    return np.clip(np.rint(centres[y] + random.normal(size=(n, 30)) @ axes + 100), 0, 255), y


def _plane(n: int, _: int) -> tuple[Array]:
    """200 Gaussians of different scale in the plane, and 10% noise."""
    random = np.random.default_rng(0)
    centres, scales = random.uniform(0, 100, size=(200, 2)), np.exp(random.normal(-1, 1, size=200))
    which, noise = random.integers(200, size=n), random.random(n) < 0.1
    X = centres[which] + random.normal(size=(n, 2)) * scales[which, None]
    X[noise] = random.uniform(0, 100, size=(noise.sum(), 2))
    return (X,)


def _overlapping(n: int, d: int) -> tuple[Array, Array]:
    """100 overlapping classes that spread alike in all directions, so that no few coordinates tell more than others."""
    random = np.random.default_rng(0)
    centres, y = random.standard_normal((100, d), np.float32), random.integers(100, size=n)
    return centres[y] + np.float32(0.8) * random.standard_normal((n, d), np.float32), y


def _text(n: int, d: int) -> tuple[Array, Array]:
    """Like embeddings of texts: 200 topics in 64 dimensions of falling weight, noise in all, unit length."""
    random, rank = np.random.default_rng(0), 64
    axes = np.linalg.qr(random.normal(size=(d, rank)))[0].T.astype(np.float32)
    weights = np.arange(1, rank + 1, dtype=np.float32) ** np.float32(-0.5)
    centres, y = random.standard_normal((200, rank), np.float32), random.integers(200, size=n)
    inner = (centres[y] + np.float32(0.7) * random.standard_normal((n, rank), np.float32)) * weights
    noise = np.float32(0.25 * np.sqrt(np.square(inner).sum(axis=1).mean() / d))
    X = inner @ axes + noise * random.standard_normal((n, d), np.float32)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def _mixture(n: int, d: int) -> tuple[Array, Array]:
    """100 overlapping classes, each of 8 inner dimensions and noise."""
    random, classes, inner = np.random.default_rng(0), 100, 8
    centres = 0.15 * random.normal(size=(classes, d))
    axes = random.normal(size=(classes, inner, d)) / np.sqrt(inner)
    y = random.integers(classes, size=n)
    X = np.empty((n, d), np.float32)
    for each in range(classes):
        own = np.flatnonzero(y == each)
        noise = 0.25 * random.normal(size=(len(own), d))
        X[own] = centres[each] + random.normal(size=(len(own), inner)) @ axes[each] + noise
    return X, y


def _tree(n: int, _: int) -> tuple[Array, Array]:
    """Random merges of n points at heights that also fall, and ten classes."""
    random = np.random.default_rng(0)
    active, sizes, Z = list(range(n)), [1] * n, np.empty((n - 1, 4))
    heights = np.sort(random.random(n - 1)) + 0.1 * random.random(n - 1)
    for i, height in enumerate(heights):
        first, second = (active.pop(int(random.integers(len(active)))) for _ in range(2))
        sizes.append(sizes[first] + sizes[second])
        Z[i] = min(first, second), max(first, second), height, sizes[-1]
        active.append(n + i)
    return Z, random.integers(10, size=n)


def _digits(n: int, _: int) -> tuple[Array, Array]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n]


_MAKERS: dict[str, Callable[[int, int], tuple[Array] | tuple[Array, Array]]] = {
    "normal": _normal,
    "distances": _distances,
    "plane": _plane,
    "mixture": _mixture,
    "overlapping": _overlapping,
    "text": _text,
    "tree": _tree,
    "digits": _digits,
}
