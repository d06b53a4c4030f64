"""How often is the suggested number of clusters the true one? `chamfer.choose` beside other ways, on labelled sets.

    python -m benchmarks numbers                the sets of benchmarks/labelled.py: two tables
    python -m benchmarks numbers --sets moons   those whose names contain a word
    python -m benchmarks numbers --runs 4       and three times other points of the same shapes
    python -m benchmarks numbers --speed        seconds of all curves, of 100,000 points of 50 coordinates, and of what
                                                else is asked after a tree is there

All ways that cut a tree cut the same one. The true number is that of the classes, and 1 for a set without clusters.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import silhouette_score

import chamfer
from benchmarks.data import Array
from benchmarks.labelled import LABELLED
from benchmarks.tables import table

MOST = 30  # clusters that are tried one by one
REFERENCES = 10  # sets without clusters, for the gap statistic


def main(argv: Sequence[str] | None = None) -> int:
    """Print what every way answers for every set, and how often it is right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks numbers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", default="", metavar="WORD", help="sets whose names contain this")
    parser.add_argument("--method", default="chamfer", help="linkage of the tree (%(default)s)")
    parser.add_argument("--runs", type=int, default=1, help="draw other points of the same shapes in each")
    parser.add_argument("--speed", action="store_true", help="time all curves instead")
    parser.add_argument("--points", type=int, default=100_000, help="for --speed")
    options = parser.parse_args(argv)
    if options.speed:
        return _speed(options.points)
    names = [each for each in LABELLED if options.sets in each]
    answers = np.array([[_answers(name, run, options.method) for name in names] for run in range(options.runs)])
    rows = [
        [name, str(truth), *(f"**{k}**" if k == truth else str(k) for k in found)]
        for name, (truth, *found) in zip(names, answers[0].tolist(), strict=True)
    ]
    print(table(["set", "true", *WAYS], rows), end="\n\n")
    print(_summary(answers.reshape(-1, answers.shape[2])))
    return 0


def _answers(name: str, run: int, method: str) -> list[int]:
    """The true number of clusters of a set, and what every way says."""
    X, y = LABELLED[name](run)
    X = np.ascontiguousarray(X, dtype=np.float64)
    Z = chamfer.linkage(X, method)
    return [len(np.unique(y[y >= 0])), *(way(X, Z, method) for way in WAYS.values())]


def _summary(answers: Array) -> str:
    """How often each way is right, or nearly; and how often where there are clusters, and where there are none."""
    truth, found = answers[:, :1], answers[:, 1:]
    divided = truth[:, 0] > 1
    parts = {
        "right": (found == truth).mean(axis=0),
        "within one": (np.abs(found - truth) <= 1).mean(axis=0),
        "right, of sets with clusters": (found == truth)[divided].mean(axis=0) if divided.any() else None,
        "right, of sets without": (found == truth)[~divided].mean(axis=0) if not divided.all() else None,
    }
    rows = [[name, *(f"{value:.0%}" for value in values)] for name, values in parts.items() if values is not None]
    return table(["", *WAYS], rows)


def _speed(n: int) -> int:
    rng = np.random.default_rng(0)
    X = 3 * rng.normal(size=(40, 50))[rng.integers(40, size=n)] + rng.normal(size=(n, 50))
    Z = chamfer.linkage(X.astype(np.float32), "ward")
    print(f"{n} x 50, tree by Ward's linkage of float32")
    start = time.perf_counter()
    choice = chamfer.choose(Z, X)
    print(f"  {time.perf_counter() - start:.2f} s with the search for 15 neighbours: {choice.n_clusters} clusters")
    from sklearn.neighbors import NearestNeighbors

    neighbors = NearestNeighbors(n_neighbors=15, algorithm="brute").fit(X[:1000]).kneighbors(return_distance=False)
    neighbors = neighbors[rng.integers(1000, size=n)] + rng.integers(n - 1000, size=(n, 1))  # any, of any distance
    start = time.perf_counter()
    chamfer.choose(Z, X, neighbors)
    print(f"  {time.perf_counter() - start:.2f} s with neighbours given")
    start = time.perf_counter()
    chamfer.summarize(Z, X, 40)
    print(f"  {time.perf_counter() - start:.2f} s to summarize 40 clusters")
    other = chamfer.linkage(X[:, :2], "ward")
    start = time.perf_counter()
    chamfer.agreement(Z, other)
    print(f"  {time.perf_counter() - start:.2f} s to compare with another tree at all numbers of clusters")
    return 0


def _chosen(X: Array, Z: Array, method: str) -> int:
    return chamfer.choose(Z, X, max_clusters=MOST).n_clusters


def _heights_alone(X: Array, Z: Array, method: str) -> int:
    return chamfer.choose(Z, max_clusters=MOST).n_clusters


def _silhouette(X: Array, Z: Array, method: str) -> int:
    """The loop over k that users write."""
    scores = [silhouette_score(X, labels) for labels in chamfer.cut(Z, range(2, MOST + 1)).T]
    return 2 + int(np.argmax(scores))


def _calinski_harabasz(X: Array, Z: Array, method: str) -> int:
    curve = chamfer.choose(Z, X).curves["calinski_harabasz"][1:MOST]
    return 2 + int(np.argmax(curve))


def _gap_statistic(X: Array, Z: Array, method: str) -> int:
    return chamfer.gap_statistic(X, method, n_references=REFERENCES, max_clusters=MOST).n_clusters


def _stability(X: Array, Z: Array, method: str) -> int:
    return chamfer.stability(X, method, max_clusters=MOST).n_clusters


def _hdbscan(size: Callable[[int], int]) -> Callable[..., int]:
    def way(X: Array, Z: Array, method: str) -> int:
        labels = HDBSCAN(min_cluster_size=size(len(X)), copy=True).fit_predict(X)
        return max(1, int(labels.max()) + 1)

    return way


def _x_means(X: Array, Z: Array, method: str) -> int:
    """Pelleg and Moore (2000): split by 2-means as long as the Bayesian information criterion rises."""
    waiting, done = [X], 0
    while waiting and done + len(waiting) < 2 * MOST:
        points = waiting.pop()
        parts = _better_halves(points)
        if parts is None:
            done += 1
        else:
            waiting += parts
    return done + len(waiting)


def _better_halves(points: Array) -> list[Array] | None:
    if len(points) < 4:
        return None
    labels = KMeans(2, n_init=3, random_state=0).fit_predict(points)
    parts = [points[labels == label] for label in (0, 1)]
    return parts if min(map(len, parts)) > 1 and _information(parts) > _information([points]) else None


def _information(parts: list[Array]) -> float:
    """Bayesian information criterion of spherical Gaussians of one variance."""
    n, d, k = sum(map(len, parts)), parts[0].shape[1], len(parts)
    squares = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)
    variance = max(squares / (d * max(n - k, 1)), 1e-300)
    fit = sum(len(part) * np.log(len(part) / n) for part in parts)
    fit -= n * d / 2 * np.log(2 * np.pi * variance) + d * (n - k) / 2
    return float(fit - k * (d + 1) / 2 * np.log(n))


WAYS: dict[str, Callable[..., Any]] = {
    "choose": _chosen,
    "choose, heights alone": _heights_alone,
    "silhouette": _silhouette,
    "Calinski–Harabasz": _calinski_harabasz,
    "gap statistic": _gap_statistic,
    "stability": _stability,
    "HDBSCAN, 5": _hdbscan(lambda n: 5),
    "HDBSCAN, n / 50": _hdbscan(lambda n: max(5, n // 50)),
    "X-means": _x_means,
}
