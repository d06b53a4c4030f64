"""`stability`: whether halves of the points have the same clusters (Lange and others, 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array, Metric
from chamfer.hac import linkage
from chamfer.inputs import check_input, check_integer
from chamfer.progress import Progress
from chamfer.resampling.draws import check_points, check_rng
from chamfer.sources.make import make_source
from chamfer.threads import check_threads
from chamfer.trees.agreement import compare
from chamfer.trees.choose import MOST, Criterion, Suggestion
from chamfer.trees.dendrogram import Dendrogram

STABLE = 2 / 3  # adjusted Rand index: if the halves agree less for every number, there are no clusters
_TIE = 1e-9  # what rounding may do to an index


class Stability(Criterion):
    """The stability of clusters over their number; `chamfer.stability` makes it.

    ``n_clusters`` is the suggested number of clusters, and ``to_frame()`` gives the curve as a data frame.

    Attributes
    ----------
    values : ndarray of shape (max_clusters,)
        Entry ``k - 1``: mean adjusted Rand index of the two halves, cut into k clusters; nan for one cluster.
    errors : ndarray of shape (max_clusters,)
        Standard deviation of that mean.

    Examples
    --------
    >>> import chamfer
    >>> X = [[x + y / 10] for x in (0.0, 5.0, 9.0) for y in range(8)]
    >>> chamfer.stability(X).n_clusters
    3
    """

    name = "stability"

    def suggest(self, least: int, most: int) -> Suggestion | None:
        """The number with the highest agreement, of equal ones the largest; 1 if no agreement is high."""
        values = self.values[least - 1 : most]
        if not np.isfinite(values).any():
            return None
        highest = float(np.nanmax(values))
        if least == 1 and highest < STABLE:
            return Suggestion(1, self.name, f"halves of the points have other clusters, agreement up to {highest:.3f}")
        k = least + int(np.flatnonzero(values >= highest - _TIE)[-1])
        return Suggestion(k, self.name, f"halves of the points agree most, {highest:.3f}")


def stability(
    X: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    *,
    n_samples: int = 20,
    max_clusters: int | None = None,
    order: str = "merge",
    rng: Any = 0,
    progress: bool = False,
    **options: Any,
) -> Stability:
    """Measure whether two halves of the points have the same clusters, for all numbers of clusters up to some.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The points.
    method, metric
        Of the trees, see `linkage`.
    n_samples : int, default=20
        How many times the points are divided into two random halves. Each half is clustered.
    max_clusters : int, optional
        Largest number of clusters; 50 by default.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first, see `cut`.
    rng : int or numpy.random.Generator, default=0
        Seed of the halves.
    progress : bool, default=False
        Show a progress bar.
    **options
        Passed on to `linkage`.

    Returns
    -------
    Stability
        With the attributes `values`, `errors` and `n_clusters`. Pass it to `choose` as one of its `criteria`.

    Notes
    -----
    Both halves are cut into k clusters. The points of the second half also get the clusters of the first: each that of
    its nearest point there, as `AgglomerativeClustering.predict` does. The adjusted Rand index compares the two. It is
    about 0 for clusters that agree by chance. The suggested number is that of the highest mean, of equal ones the
    largest; it is 1 if no mean reaches 2/3. That limit was found on one draw of the sets of
    ``python -m benchmarks numbers``.

    References
    ----------
    T. Lange, V. Roth, M. L. Braun, J. M. Buhmann, Stability-based validation of clustering solutions, Neural
    Computation 16 (2004), 1299-1323.

    Examples
    --------
    >>> import chamfer
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=1)
    >>> found = chamfer.stability(X)
    >>> found.n_clusters, found.values[3].round(2).item()
    (4, 1.0)
    """
    points, generator = check_points(X, metric), check_rng(rng)
    check_integer("n_samples", n_samples, 1)
    half = len(points) // 2
    if half < 2:
        raise ValueError(f"X must hold at least 4 points to be divided into halves, got {len(points)}")
    most = min(MOST if max_clusters is None else check_integer("max_clusters", max_clusters, 1), half)
    scores = []
    with Progress(progress).stage("halves", n_samples, "samples") as tick:
        for done in range(n_samples):
            drawn = generator.permutation(len(points))
            first, second = np.sort(drawn[:half]), np.sort(drawn[half:])
            trees = [Dendrogram(linkage(points[each], method, metric, **options)) for each in (first, second)]
            leaves = np.stack([_nearest(points, first, second, metric), np.arange(len(second))])
            scores.append(compare(trees[0], trees[1], leaves, order, most).ari)
            if tick is not None:
                tick(done + 1)
    values, errors = np.mean(scores, axis=0), np.std(scores, axis=0) / np.sqrt(n_samples)
    values[0] = np.nan  # all points in one cluster always agree
    return Stability(values, errors)


def _nearest(points: Array, some: Array, queries: Array, metric: Metric) -> Array:
    """For each query, the position among some points of the nearest."""
    data, threads = check_input(points, metric), check_threads(None)
    # The queries are one cluster to the source, which leaves out their own; every other point is one of its own.
    labels = np.full(len(points), len(some), dtype=np.int32)
    labels[some] = np.arange(len(some))
    source = make_source("auto", data, 1, threads)
    return np.asarray(source.nearest(queries.astype(np.int32), labels, 1, threads).clusters[:, 0])
