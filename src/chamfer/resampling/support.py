"""`support`: how often the branches of a tree come back in trees of resampled data.

Sets of points are compared by sums of random numbers, one for each point: a cluster is a range in the order of leaves,
so the sums of all clusters are differences of running sums. Equal sums of different sets have a chance of 2^-64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array, Metric
from chamfer.hac import linkage
from chamfer.inputs import check_choice, check_integer
from chamfer.progress import Progress
from chamfer.resampling.draws import check_points, check_rng
from chamfer.trees.leaves import leaves

RESAMPLED = ("features", "rows")


def support(
    X: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    *,
    resample: str = "features",
    n_samples: int = 100,
    rng: Any = 0,
    progress: bool = False,
    **options: Any,
) -> Array:
    """Measure how often each branch of a tree comes back when the data are resampled (bootstrap support).

    Parameters
    ----------
    X : array-like of shape (n, d)
        The points.
    method, metric
        Of the trees, see `linkage`.
    resample : {"features", "rows"}, default="features"
        What is drawn at random, with replacement: as many columns as there are, each as often as it was drawn; or as
        many rows as there are, each once.
    n_samples : int, default=100
        Number of samples. Each is clustered.
    rng : int or numpy.random.Generator, default=0
        Seed of the samples.
    progress : bool, default=False
        Show a progress bar.
    **options
        Passed on to `linkage`.

    Returns
    -------
    ndarray of shape (n - 1,)
        For each merge of ``linkage(X, method, metric)``, the share of samples whose trees have the same cluster.
        `plot.plot_support` draws them on the tree.

    Notes
    -----
    A cluster comes back if a tree has a cluster of exactly the same points. With rows, these are the points that were
    drawn, 63% of all in the mean, and only samples count in which the cluster has at least two points, and not all that
    were drawn; a merge for which there is no such sample has the value nan, but the last, which always comes back, 1.

    Resampled features are the usual bootstrap where columns are many and alike, as genes or sites are
    (Felsenstein, 1985; the "BP" of the R package pvclust). Resampled rows show whether clusters depend on single
    points. A branch of high support is not chance; that it is far from others, heights tell.

    Examples
    --------
    >>> import chamfer, numpy
    >>> rng = numpy.random.default_rng(0)
    >>> X = rng.normal(size=(6, 50)) + numpy.repeat([[0.0], [2.0]], 3, axis=0)
    >>> Z = chamfer.linkage(X, "average")
    >>> Z[:, 3]
    array([2., 3., 2., 3., 6.])
    >>> chamfer.support(X, "average").round(2)
    array([0.45, 1.  , 0.72, 1.  , 1.  ])
    """
    points, generator = check_points(X, metric), check_rng(rng)
    check_choice("resample", resample, RESAMPLED)
    check_integer("n_samples", n_samples, 1)
    n, d = points.shape
    sets = _Sets(linkage(points, method, metric, **options))
    back, counted = np.zeros(n - 1), np.zeros(n - 1)
    with Progress(progress).stage("samples", n_samples, "trees") as tick:
        for done in range(n_samples):
            if resample == "features":
                rows, sample = np.arange(n), np.ascontiguousarray(points[:, generator.integers(d, size=d)])
            else:
                rows = np.unique(generator.integers(n, size=n))
                sample = points[rows]
            found, usable = sets.found_in(linkage(sample, method, metric, **options), rows)
            back += found
            counted += usable
            if tick is not None:
                tick(done + 1)
    shares = np.divide(back, counted, out=np.full(n - 1, np.nan), where=counted > 0)
    shares[n - 2 :] = 1.0
    return shares


class _Sets:
    """The clusters of a tree as sums of numbers of their points."""

    def __init__(self, Z: Array) -> None:
        self._leaves, self._n = leaves(Z), len(Z) + 1
        self._number = np.random.default_rng(0).integers(2**64 - 1, size=self._n, dtype=np.uint64)

    def found_in(self, Z: Array, rows: Array) -> tuple[Array, Array]:
        """Which clusters, as far as they are among some rows, are clusters of a tree of these; and which could be."""
        inside = np.zeros(self._n, dtype=bool)
        inside[rows] = True
        sizes = _range_sums(self._leaves, inside.astype(np.uint64))[self._n :]
        sums = _range_sums(self._leaves, np.where(inside, self._number, np.uint64(0)))[self._n :]
        usable = (sizes >= 2) & (sizes < len(rows))
        if len(rows) == self._n:
            usable[-1:] = True
        others = _range_sums(leaves(Z), self._number[rows])[len(rows) :]
        return usable & np.isin(sums, others), usable


def _range_sums(order: Any, numbers: Array) -> Array:
    """Sums of the numbers of the points of every cluster, modulo 2^64."""
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(numbers[order.order], dtype=np.uint64)])
    return np.asarray(running[order.first + order.size] - running[order.first])
