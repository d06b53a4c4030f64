"""`gap_statistic`: how much tighter clusters are than those of random points (Tibshirani and others, 2001)."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array, Metric
from chamfer.hac import linkage
from chamfer.inputs import check_choice, check_input, check_integer
from chamfer.progress import Progress
from chamfer.resampling.draws import check_points, check_rng
from chamfer.trees.choose import MOST, Criterion, Suggestion
from chamfer.trees.curves import Path, scatter_curves
from chamfer.trees.dendrogram import Dendrogram

REFERENCES = ("axes", "box")


class GapStatistic(Criterion):
    """The gap statistic over the number of clusters; `chamfer.gap_statistic` makes it.

    ``n_clusters`` is the suggested number of clusters, and ``to_frame()`` gives the curve as a data frame.

    Attributes
    ----------
    values : ndarray of shape (max_clusters,)
        Entry ``k - 1``: mean of log W(k) over the references minus log W(k) of the points.
    errors : ndarray of shape (max_clusters,)
        Standard deviation of log W(k) over the references, times sqrt(1 + 1 / n_references).

    Examples
    --------
    >>> import chamfer
    >>> X = [[x + y / 10] for x in (0.0, 5.0, 9.0) for y in range(8)]
    >>> chamfer.gap_statistic(X).n_clusters
    3
    """

    name = "gap_statistic"

    def suggest(self, least: int, most: int) -> Suggestion | None:
        """The smallest number whose gap is not below the next one by more than its error."""
        last = min(most, len(self.values) - 1)
        if last < least:
            return None
        enough = self.values[least - 1 : last] >= (self.values - self.errors)[least : last + 1]
        if not enough.any():
            return None
        k = least + int(np.argmax(enough))
        return Suggestion(k, self.name, f"first gap that the next one does not exceed, {self.values[k - 1]:.3f}")


def gap_statistic(
    X: Any,
    method: str = "chamfer",
    metric: Metric = "euclidean",
    *,
    n_references: int = 20,
    reference: str = "axes",
    max_clusters: int | None = None,
    order: str = "merge",
    rng: Any = 0,
    progress: bool = False,
    **options: Any,
) -> GapStatistic:
    """Compare clusters with those of points that have none, for all numbers of clusters up to some.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The points.
    method, metric
        Of the trees, see `linkage`. W(k) is computed in Euclidean space.
    n_references : int, default=20
        Sets of random points, at least 2. Each is clustered as `X` is.
    reference : {"axes", "box"}, default="axes"
        They are uniform in a box: along the principal axes of `X`, or along its columns.
    max_clusters : int, optional
        Largest number of clusters; 50 by default.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first, see `cut`.
    rng : int or numpy.random.Generator, default=0
        Seed of the references.
    progress : bool, default=False
        Show a progress bar.
    **options
        Passed on to `linkage`.

    Returns
    -------
    GapStatistic
        With the attributes `values`, `errors` and `n_clusters`. Pass it to `choose` as one of its `criteria`.

    Notes
    -----
    W(k) is the sum of squared distances from points to the mean of their cluster. The suggested number is the smallest
    k for which gap(k) >= gap(k + 1) - error(k + 1). It may be 1.

    References
    ----------
    R. Tibshirani, G. Walther, T. Hastie, Estimating the number of clusters in a data set via the gap statistic, Journal
    of the Royal Statistical Society B 63 (2001), 411-423.

    Examples
    --------
    >>> import chamfer
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=1)
    >>> gap = chamfer.gap_statistic(X)
    >>> gap.n_clusters
    4
    >>> chamfer.choose(chamfer.linkage(X), X, criteria=[gap]).suggestions[-1].n_clusters
    4
    """
    points, generator = check_points(X, metric), check_rng(rng)
    check_integer("n_references", n_references, 2)
    check_choice("reference", reference, REFERENCES)
    n = len(points)
    most = min(MOST if max_clusters is None else check_integer("max_clusters", max_clusters, 1), max(n - 2, 0)) + 1
    box = _Box(points, reference == "axes")
    logs = []
    with Progress(progress).stage("references", n_references, "sets") as tick:
        found = _log_within(points, linkage(points, method, metric, **options), order, most)
        for done in range(n_references):
            drawn = box.draw(generator)
            logs.append(_log_within(drawn, linkage(drawn, method, metric, **options), order, most))
            if tick is not None:
                tick(done + 1)
    with np.errstate(invalid="ignore"):
        values, errors = np.mean(logs, axis=0) - found, np.std(logs, axis=0) * np.sqrt(1 + 1 / n_references)
    # Clusters of equal points have the logarithm -inf. Where those of the references have it too, there is no gap.
    return GapStatistic(np.nan_to_num(values, nan=0.0, posinf=np.inf), np.nan_to_num(errors, nan=0.0, posinf=np.inf))


class _Box:
    """The box of some points, along their columns or along their principal axes."""

    def __init__(self, points: Array, rotated: bool) -> None:
        self._mean = points.mean(axis=0, dtype=np.float64)
        centred = points - self._mean
        self._axes = np.linalg.svd(centred, full_matrices=False)[2] if rotated else np.eye(points.shape[1])
        along = centred @ self._axes.T
        self._low, self._high, self._n, self._dtype = along.min(axis=0), along.max(axis=0), len(points), points.dtype

    def draw(self, generator: np.random.Generator) -> Array:
        """As many points, uniform in the box."""
        inside = generator.uniform(self._low, self._high, size=(self._n, len(self._low)))
        return np.asarray(inside @ self._axes + self._mean, dtype=self._dtype)


def _log_within(points: Array, Z: Array, order: str, most: int) -> Array:
    """Logarithms of W(1), W(2), … W(most)."""
    data: Any = check_input(points, "euclidean")
    within = scatter_curves(Path(Dendrogram(Z), order), data.X, 0)["within"][:most]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(within) + 2 * np.log(2) * data.exponent)
