"""One call of `chamfer.cut` beside the loop that users write for k large clusters.

    python -m benchmarks cuts                   5,000 points of 256 coordinates, average linkage
    python -m benchmarks cuts --points 1000     fewer points
    python -m benchmarks cuts --sizes           agreement with labels over the smallest size, on labelled sets

Speaker diarization looks for k clusters of at least so many points: it cuts at a height, counts the large clusters, and
if they are not k tries the cuts after other merges, nearest in height first, each by SciPy's ``fcluster``. Small
clusters then join the large one with the nearest mean (``centre``): this is what pyannote.audio does, and what to
compare. With ``nearest``, each point of a small cluster joins the cluster of its nearest point, and both ways spend
their time on that search. For the largest k the first height is right, and there is no loop.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import chamfer
from benchmarks.data import Array
from benchmarks.labelled import LABELLED
from benchmarks.tables import table


def main(argv: Sequence[str] | None = None) -> int:
    """Time both, and compare their labels."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cuts", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", action="store_true", help="compare smallest sizes on labelled sets instead")
    options = parser.parse_args(argv)
    if options.sizes:
        print(sizes())
        return 0
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


def sizes(shares: Sequence[float] = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4), word: str = "") -> str:
    """Mean adjusted Rand index at the true number of clusters, by linkage and `min_size` as a share of the mean."""
    found: dict[str, list[list[float]]] = {}
    for X, y in (make(0) for name, make in LABELLED.items() if word in name):
        known, k = y >= 0, len(np.unique(y[y >= 0]))
        if k == 1:
            continue
        for method in ("chamfer", "chamfer_normalized", "ward", "average", "centroid", "complete", "single"):
            Z = chamfer.linkage(np.ascontiguousarray(X, dtype=np.float64), method)
            labels = [_large_or_all(Z, X, k, share) for share in shares]
            found.setdefault(method, []).append([adjusted_rand_score(y[known], each[known]) for each in labels])
    rows = [[method, *(f"{mean:.3f}" for mean in np.mean(scores, axis=0))] for method, scores in found.items()]
    return table(["linkage", *(f"{share:g}" for share in shares)], rows)


def _large_or_all(Z: Array, X: Array, k: int, share: float) -> Array:
    """The cut into k large clusters; the plain one where there are not so many."""
    try:
        return chamfer.cut(Z, k, min_size=share or 1, X=X)
    except ValueError:
        return chamfer.cut(Z, k)


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
