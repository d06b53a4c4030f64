"""Labelled sets of every shape, small enough for all methods: the true number of clusters is known, or is one.

Every set is a function of a run: each run draws other points of the same shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from sklearn import datasets

from benchmarks.data import Array

Set = tuple[Array, Array]  # points and classes
Seed = tuple[int, int]  # the run, and the set


def _blobs(seed: Seed, counts: list[int], d: int = 2, spread: float = 1.0, distance: float = 10.0) -> Set:
    """Gaussians whose centres are at least `distance` standard deviations apart."""
    rng = np.random.default_rng(seed)
    centres: list[Array] = []
    radius = distance * max(1.0, 0.7 * len(counts) ** (1 / min(d, 3)))
    while len(centres) < len(counts):
        new = rng.uniform(-radius, radius, size=d)
        if all(np.linalg.norm(new - each) >= distance for each in centres):
            centres.append(new)
        radius *= 1.002
    X = np.concatenate([c + spread * rng.normal(size=(m, d)) for c, m in zip(centres, counts, strict=True)])
    return X, np.repeat(np.arange(len(counts)), counts)


def _with_noise(seed: Seed, data: Set, share: float) -> Set:
    """Add points that belong nowhere, spread over the whole range; their class is -1."""
    X, y = data
    rng = np.random.default_rng(seed)
    m = int(share * len(X))
    low, high = X.min(axis=0), X.max(axis=0)
    return np.concatenate([X, rng.uniform(low, high, size=(m, X.shape[1]))]), np.concatenate([y, np.full(m, -1)])


def _stretched(seed: Seed, counts: list[int]) -> Set:
    X, y = _blobs(seed, counts, distance=12)
    return X @ np.array([[1.0, 0.75], [-0.35, 0.9]]) * [1.0, 0.35], y


def _widths(seed: Seed, widths: list[float], n: int) -> Set:
    rng = np.random.default_rng(seed)
    places = np.cumsum([0.0, *(5 * (a + b) for a, b in pairwise(widths))])
    X = [np.array([place, 0.0]) + width * rng.normal(size=(n, 2)) for place, width in zip(places, widths, strict=True)]
    return np.concatenate(X), np.repeat(np.arange(len(widths)), n)


def _rings(seed: Seed, radii: list[float], n: int) -> Set:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, size=n * len(radii))
    radius = np.repeat(radii, n) + 0.12 * rng.normal(size=n * len(radii))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat(np.arange(len(radii)), n)


def _spirals(seed: Seed, arms: int, n: int) -> Set:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(arms), n)
    t = rng.uniform(1.0, 4.0, size=n * arms)
    angle = t * 1.4 + 2 * np.pi * y / arms
    return np.column_stack([t * np.cos(angle), t * np.sin(angle)]) + 0.05 * rng.normal(size=(n * arms, 2)), y


def _lines(seed: Seed, count: int, n: int) -> Set:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(count), n)
    return np.column_stack([rng.uniform(0, 20, size=n * count), 2.0 * y + 0.2 * rng.normal(size=n * count)]), y


def _tails(seed: Seed, k: int, n: int) -> Set:
    """Clusters with heavy tails."""
    rng = np.random.default_rng(seed)
    X, y = _blobs(seed, [n] * k, spread=0.0, distance=16)
    return X + rng.standard_t(3, size=X.shape), y


def _extra_coordinates(seed: Seed, k: int, n: int, d: int) -> Set:
    """Clusters in two coordinates, and others that say nothing."""
    X, y = _blobs(seed, [n] * k, distance=10)
    return np.column_stack([X, np.random.default_rng(seed).normal(size=(len(X), d))]), y


def _grid(seed: Seed, side: int, n: int) -> Set:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(side * side), n)
    return np.column_stack([y % side, y // side]) * 6.0 + rng.normal(size=(len(y), 2)), y


def _cubes(seed: Seed, d: int, n: int, k: int) -> Set:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n)
    X = rng.uniform(size=(n * k, d))
    X[:, 0] += 1.6 * y
    return X, y


def _none(seed: Seed, kind: str, n: int, d: int) -> Set:
    """One cluster, or none: there is nothing to divide."""
    rng = np.random.default_rng(seed)
    return np.asarray(getattr(rng, kind)(size=(n, d))), np.zeros(n, int)


def _scikit(load: Callable[..., Set], scale: bool = True) -> Set:
    X, y = load(return_X_y=True)
    return ((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1) if scale else X), y


def _moons(run: int, noise: float) -> Set:
    return tuple(datasets.make_moons(600, noise=noise, random_state=run))


def _moons_and_blobs(run: int) -> Set:
    X, y = _moons(run, 0.05)
    Y, z = _blobs((run, 3), [150, 150, 150], spread=0.12, distance=1.4)
    return np.concatenate([X, Y + np.array([6.0, 0.0])]), np.concatenate([y, z + 2])


LABELLED: dict[str, Callable[[int], Set]] = {
    "2 round": lambda run: _blobs((run, 0), [200, 200]),
    "3 round": lambda run: _blobs((run, 1), [150, 150, 150]),
    "5 round": lambda run: _blobs((run, 2), [100] * 5),
    "8 round": lambda run: _blobs((run, 3), [80] * 8),
    "15 round": lambda run: _blobs((run, 4), [60] * 15),
    "25 on a grid": lambda run: _grid((run, 31), 5, 40),
    "4 touching": lambda run: _blobs((run, 5), [150] * 4, distance=5),
    "6 touching": lambda run: _blobs((run, 6), [150] * 6, distance=4.5),
    "5 in 10 dimensions": lambda run: _blobs((run, 7), [100] * 5, d=10),
    "10 in 50 dimensions": lambda run: _blobs((run, 8), [60] * 10, d=50, distance=14),
    "4 of 100 dimensions": lambda run: _extra_coordinates((run, 9), 4, 120, 98),
    "3 of 12 dimensions": lambda run: _extra_coordinates((run, 10), 3, 150, 10),
    "3 of unequal sizes": lambda run: _blobs((run, 11), [600, 120, 24]),
    "6 of unequal sizes": lambda run: _blobs((run, 12), [400, 200, 100, 50, 25, 12]),
    "3 of unequal widths": lambda run: _widths((run, 13), [0.3, 1.0, 3.0], 200),
    "4 of unequal widths": lambda run: _widths((run, 14), [0.2, 2.0, 0.2, 2.0], 150),
    "3 elongated": lambda run: _stretched((run, 15), [200] * 3),
    "6 elongated": lambda run: _stretched((run, 16), [100] * 6),
    "3 lines": lambda run: _lines((run, 32), 3, 200),
    "5 lines": lambda run: _lines((run, 33), 5, 150),
    "2 moons": lambda run: _moons(run, 0.05),
    "2 noisy moons": lambda run: _moons(run, 0.1),
    "moons and 3 round": _moons_and_blobs,
    "2 rings": lambda run: _rings((run, 34), [1.0, 3.0], 300),
    "3 rings": lambda run: _rings((run, 35), [1.0, 3.0, 5.0], 300),
    "2 spirals": lambda run: _spirals((run, 36), 2, 400),
    "3 spirals": lambda run: _spirals((run, 37), 3, 300),
    "4 with 5% noise": lambda run: _with_noise((run, 38), _blobs((run, 17), [150] * 4), 0.05),
    "5 with 20% noise": lambda run: _with_noise((run, 39), _blobs((run, 18), [120] * 5), 0.2),
    "moons with 5% noise": lambda run: _with_noise((run, 40), _moons(run, 0.05), 0.05),
    "4 with heavy tails": lambda run: _tails((run, 19), 4, 150),
    "8 with heavy tails": lambda run: _tails((run, 20), 8, 100),
    "3 cubes": lambda run: _cubes((run, 41), 3, 150, 3),
    "4 flat squares": lambda run: _cubes((run, 42), 2, 150, 4),
    "none: normal, 2 dimensions": lambda run: _none((run, 43), "normal", 500, 2),
    "none: normal, 20 dimensions": lambda run: _none((run, 44), "normal", 500, 20),
    "none: uniform, 2 dimensions": lambda run: _none((run, 45), "uniform", 500, 2),
    "none: uniform, 10 dimensions": lambda run: _none((run, 46), "uniform", 500, 10),
    "none: exponential": lambda run: _none((run, 47), "exponential", 500, 3),
    "none: ring": lambda run: _rings((run, 48), [3.0], 500),
    "iris": lambda run: _scikit(datasets.load_iris, scale=False),
    "wine": lambda run: _scikit(datasets.load_wine),
    "breast cancer": lambda run: _scikit(datasets.load_breast_cancer),
    "digits": lambda run: _scikit(datasets.load_digits, scale=False),
}
