"""How good a dendrogram is: scores of its cuts against known classes, and scores of the tree itself.

Every score of a cut is made of sums over clusters: pairs of points for the Rand and Fowlkes-Mallows indices,
entropies for mutual information, and for its adjustment the information that chance would give to clusters of
these sizes. What a merge adds to each sum depends only on the two clusters that it joins. So the core counts
classes once for the whole tree, and the scores at all n cuts along an order are running sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array
from chamfer.inputs import check_choice, check_labels
from chamfer.threads import check_threads
from chamfer.trees.dendrogram import ORDERS, Dendrogram

SCORES = ("ari", "nmi", "ami", "fmi")


@dataclass(frozen=True, eq=False)
class BestCut:
    """The cut of a dendrogram that agrees best with known classes."""

    score: float
    n_clusters: int
    order: str
    labels: Array


@dataclass(frozen=True, eq=False)
class ScorePath:
    """Scores at all cuts along an order: entry ``i`` of each array is after ``i`` merges."""

    order: str
    n_clusters: Array
    ari: Array
    nmi: Array
    ami: Array
    fmi: Array


def best_cut(Z: Any, y: Any, score: str = "ari") -> BestCut:
    """Find the cut that agrees best with known classes, of all cuts along all orders.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    y : array-like of shape (n,)
        The class of each point, as values of any kind.
    score : {"ari", "nmi", "ami", "fmi"}, default="ari"
        Adjusted Rand index, normalised mutual information, adjusted mutual information (both with the
        arithmetic mean of the entropies) or Fowlkes-Mallows index, as scikit-learn defines them.

    Returns
    -------
    BestCut
        With the attributes `score`, `n_clusters`, `order` (see `cut`) and `labels`. Of equal scores the one
        of the earlier order wins, merge before least before cumulative, then that of fewer clusters.

    Notes
    -----
    All n cuts along each order are compared, in O(n log n) time and O(n) memory. This is the way of the
    Chamfer paper to compare linkages. It looks at the classes, so it tells how good a tree is and not how to
    choose a number of clusters.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> best = chamfer.best_cut(Z, ["low", "low", "high", "high"])
    >>> best.score, best.n_clusters, best.order
    (1.0, 2, 'merge')
    >>> best.labels.tolist()
    [0, 0, 1, 1]
    """
    check_choice("score", score, SCORES)
    return CutScores(Z, y).best(score)


def score_path(Z: Any, y: Any, order: str = "merge") -> ScorePath:
    """Score all cuts along an order against known classes.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    y : array-like of shape (n,)
        The class of each point, as values of any kind.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first, see `cut`.

    Returns
    -------
    ScorePath
        With the attributes `order`, and `n_clusters`, `ari`, `nmi`, `ami`, `fmi` as arrays of length n. Entry
        ``i`` is the cut after ``i`` merges, into ``n - i`` clusters: from single points to one cluster.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> path = chamfer.score_path(Z, [0, 0, 1, 1])
    >>> path.n_clusters
    array([4, 3, 2, 1])
    >>> path.ari.round(3)
    array([0.   , 0.571, 1.   , 0.   ])
    """
    scores = CutScores(Z, y)
    values = {name: scores.along(order, name) for name in SCORES}
    return ScorePath(order, np.arange(scores.tree.n_points, 0, -1), **values)


def dendrogram_purity(Z: Any, y: Any) -> float:
    """Score a whole dendrogram against known classes, without a cut.

    For two points of one class, take the smallest cluster that holds both and the share of their class in it;
    the purity of the dendrogram is the mean over all such pairs. It is 1 if and only if every class is a
    cluster of the tree.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    y : array-like of shape (n,)
        The class of each point, as values of any kind.

    Returns
    -------
    float
        Between 0 and 1; 1 if no two points are of one class.

    Examples
    --------
    >>> import chamfer
    >>> Z = chamfer.linkage([[0.0], [1.0], [5.0], [6.5]])
    >>> chamfer.dendrogram_purity(Z, [0, 0, 1, 1])
    1.0
    >>> chamfer.dendrogram_purity(Z, [0, 1, 0, 1])
    0.5
    """
    return CutScores(Z, y).purity


class CutScores:
    """Scores of all cuts of one dendrogram against one set of classes; what is costly is counted once."""

    def __init__(self, Z: Any, y: Any) -> None:
        self.tree = Dendrogram(Z)
        n = self.tree.n_points
        classes = check_labels(y, n)
        self.class_sizes = np.bincount(classes)
        self._pairs, self._information, purity = _core.class_gains(
            self.tree.Z, classes=classes, n_classes=self.class_sizes.size
        )
        sizes = np.concatenate([np.ones(n, dtype=np.int64), self.tree.Z[:, 3].astype(np.int64)])
        self._size, self._parts = sizes[n:], sizes[self.tree.children]
        self._class_pairs = int((self.class_sizes * (self.class_sizes - 1) // 2).sum())
        shares = float((purity / self._size).sum())
        self.purity = min(shares / self._class_pairs, 1.0) if self._class_pairs else 1.0
        self._orders: dict[str, Array] = {}

    def best(self, score: str) -> BestCut:
        """Give the best cut along all orders."""
        value, n_clusters, order = max((self.best_along(order, score) for order in ORDERS), key=lambda found: found[0])
        return BestCut(value, n_clusters, order, self.tree.cut(n_clusters, order=order))

    def best_along(self, order: str, score: str) -> tuple[float, int, str]:
        """Give the best score along an order, the number of clusters there, and the order."""
        upwards = self.along(order, score)[::-1]
        at = int(np.argmax(upwards))
        return float(upwards[at]), at + 1, order

    def along(self, order: str, score: str) -> Array:
        """Give one score at all cuts along an order, from n clusters to one."""
        values: Array = getattr(self, f"_{score}")(order)
        if score != "fmi":  # without pairs there is nothing that this index could count
            values[self._equal(order)] = 1.0
        return values

    def _running(self, order: str, gains: Array) -> Array:
        """Sum up gains over the merges applied so far."""
        if order not in self._orders:
            self._orders[order] = self.tree.sequence(order)[0]
        return np.concatenate([[0], np.cumsum(gains[self._orders[order]])])

    def _pair_counts(self, order: str) -> tuple[Array, Array]:
        """Pairs of points in one cluster and one class, and pairs in one cluster."""
        together = self._running(order, self._parts[:, 0] * self._parts[:, 1])
        return self._running(order, self._pairs), together

    def _equal(self, order: str) -> Array:
        """Whether clusters and classes are the same."""
        agreeing, together = self._pair_counts(order)
        return np.asarray((agreeing == together) & (agreeing == self._class_pairs))

    def _ari(self, order: str) -> Array:
        agreeing, together = (counts.astype(np.float64) for counts in self._pair_counts(order))
        n = self.tree.n_points
        every, alike = float(n * (n - 1) // 2), float(self._class_pairs)
        chance = 2 * (agreeing * every - alike * together)
        return ratio(chance, alike * (every - together) + together * (every - alike))

    def _fmi(self, order: str) -> Array:
        agreeing, together = self._pair_counts(order)
        return np.sqrt(ratio(agreeing, together)) * np.sqrt(ratio(agreeing, np.array(self._class_pairs)))

    def _nmi(self, order: str) -> Array:
        entropy = self._cluster_terms(order)
        information = self._in_nats(self._running(order, self._information) - entropy - self._class_terms)
        return ratio(self._meaningful(information), self._mean_entropy(entropy))

    def _ami(self, order: str) -> Array:
        entropy = self._cluster_terms(order)
        found, chance = self._running(order, self._information), self._running(order, self._chance_gains)
        by_chance = self._in_nats(chance - entropy - self._class_terms)
        adjusted = self._meaningful((found - chance) / self.tree.n_points)
        return ratio(adjusted, self._mean_entropy(entropy) - by_chance)

    def _meaningful(self, information: Array) -> Array:
        """Mutual information, which is nothing where there is one class or one cluster."""
        information[-1] = 0
        return information if self.class_sizes.size > 1 else np.zeros_like(information)

    def _mean_entropy(self, cluster_terms: Array) -> Array:
        return np.maximum(self._in_nats(-(cluster_terms + self._class_terms) / 2), 0)

    def _in_nats(self, terms: Array) -> Array:
        n = self.tree.n_points
        return np.asarray(np.log(n) + terms / n)

    def _cluster_terms(self, order: str) -> Array:
        """Sum of x log x over the sizes x of clusters."""
        return self._running(order, _entropy_terms(self._size) - _entropy_terms(self._parts).sum(axis=1))

    @cached_property
    def _class_terms(self) -> float:
        return float(_entropy_terms(self.class_sizes).sum())

    @cached_property
    def _chance_gains(self) -> Array:
        """As the gains of information, but their means if the points were dealt to the clusters at random."""
        sizes, where = np.unique(np.column_stack([self._size, self._parts]), return_inverse=True)
        classes = np.column_stack(np.unique(self.class_sizes, return_counts=True))
        means = _core.expected_information(
            self.tree.n_points, classes=classes, sizes=sizes, threads=check_threads(None)
        )
        whole, left, right = means[where.reshape(-1, 3)].T
        return np.asarray(whole - left - right)


def _entropy_terms(counts: Array) -> Array:
    return np.asarray(counts * np.log(counts))


def ratio(above: Array, below: Array) -> Array:
    """Quotients, 0 where there is nothing to divide by."""
    above, below = np.broadcast_arrays(above, below)
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=below > 0))
