"""One call of `chamfer.cut` beside the loop that users write for k large clusters.

    python -m benchmarks cuts                   5,000 points of 256 coordinates, average linkage
    python -m benchmarks cuts --points 1000     fewer points

Speaker diarization looks for k clusters of at least so many points: it cuts at a height, counts the large clusters, and
if they are not k tries the cuts after other merges, nearest in height first, each by SciPy's ``fcluster``. Small
clusters then join the large one with the nearest mean, or their points that of the nearest point.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.spatial.distance import cdist

import chamfer
from chamfer._types import Array


def main(argv: Sequence[str] | None = None) -> int:
    """Time both, and compare their labels."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cuts", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(argv)
    X = speakers(options.points, 256)
    Z = chamfer.linkage(X, "average")
    least, height = max(2, options.points // 300), float(Z[-options.points // 25, 2])
    print(f"{options.points} x 256, k clusters of at least {least} points")
    print("  k  leftovers     loop s      cut s    ratio  labels")
    return max(compare(Z, X, k, least, height, kind, options.repeats) for k in (3, 8, 12) for kind in PLACES)


def compare(Z: Array, X: Array, k: int, least: int, height: float, kind: str, repeats: int) -> int:
    """Print the times of both in a line; give 1 if their labels differ."""
    start = time.perf_counter()
    wanted = large_clusters_by_loop(Z, X, k, least, height, kind)
    loop = time.perf_counter() - start
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        labels = chamfer.cut(Z, height=height, min_size=least, min_clusters=k, max_clusters=k, X=X, leftovers=kind)
        best = min(best, time.perf_counter() - start)
    same = bool((labels == wanted).all())
    print(f"{k:3}  {kind:9} {loop:10.4g} {best:10.4g} {loop / best:8.0f}  {'equal' if same else 'DIFFERENT'}")
    return 0 if same else 1


def speakers(n: int, d: int) -> Array:
    """A few groups of very different sizes, and points that belong to none."""
    rng = np.random.default_rng(n)
    centres = rng.normal(size=(12, d))
    shares = 0.7 ** np.arange(12)
    X = centres[rng.choice(12, size=n, p=shares / shares.sum())] + 0.6 * rng.normal(size=(n, d))
    X[:: max(2, n // 50)] += 2.5 * rng.normal(size=X[:: max(2, n // 50)].shape)
    return np.asarray(X)


def large_clusters_by_loop(Z: Array, X: Array, k: int, least: int, height: float, leftovers: str) -> Array:
    """Labels of k clusters of at least `least` points, as users write it."""
    clusters = fcluster(Z, height, criterion="distance")
    if len(_large(clusters, least)) != k:
        by_merge = Z.copy()
        by_merge[:, 2] = np.arange(len(Z))
        for merge in np.argsort(np.abs(Z[:, 2] - height), kind="stable"):
            if Z[merge, 3] < least:
                continue
            clusters = fcluster(by_merge, merge, criterion="distance")
            if len(_large(clusters, least)) == k:
                break
    clusters = PLACES[leftovers](clusters, X, _large(clusters, least))
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(each, len(numbers)) for each in clusters.tolist()])


def _to_nearest_point(clusters: Array, X: Array, large: Array) -> Array:
    kept = np.isin(clusters, large)
    clusters[~kept] = clusters[kept][cdist(X[~kept], X[kept]).argmin(axis=1)]
    return clusters


def _to_nearest_centre(clusters: Array, X: Array, large: Array) -> Array:
    small = np.setdiff1d(clusters, large)
    centres = {each: X[clusters == each].mean(axis=0) for each in np.unique(clusters)}
    for each in small:
        far = [np.linalg.norm(centres[each] - centres[other]) for other in large]
        clusters[clusters == each] = large[np.argmin(far)]
    return clusters


PLACES = {"centre": _to_nearest_centre, "nearest": _to_nearest_point}


def _large(clusters: Array, least: int) -> Array:
    found, counts = np.unique(clusters, return_counts=True)
    return np.asarray(found[counts >= least])
