"""`agreement`: how alike the cuts of two trees are, for every number of clusters at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chamfer import _core
from chamfer._types import Array
from chamfer.inputs import check_integer
from chamfer.progress import Progress, Tick
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.scores import ratio


@dataclass(frozen=True, eq=False)
class Agreement:
    """Scores of the agreement of two trees: entry ``k - 1`` of each array is for the cuts into k clusters.

    Attributes
    ----------
    n_clusters : ndarray of shape (n,)
        Numbers of clusters, from 1 on.
    ari, nmi, fmi : ndarray of shape (n,)
        Adjusted Rand index, normalised mutual information (arithmetic mean of the entropies) and Fowlkes-Mallows index,
        as scikit-learn defines them.

    Examples
    --------
    >>> import chamfer
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> chamfer.agreement(chamfer.linkage(X), chamfer.linkage(X, "single")).to_frame()["ari"].tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    n_clusters: Array
    ari: Array
    nmi: Array
    fmi: Array

    def to_frame(self) -> Any:
        """Give the scores as a pandas data frame, with the number of clusters as its index.

        Returns
        -------
        pandas.DataFrame
            A column for each score.
        """
        import pandas as pd

        index = pd.Index(self.n_clusters, name="n_clusters")
        return pd.DataFrame({name: getattr(self, name) for name in ("ari", "nmi", "fmi")}, index=index)


def agreement(
    first: Any, second: Any, *, order: str = "merge", max_clusters: int | None = None, progress: bool = False
) -> Agreement:
    """Compare two trees of the same points, cut into the same number of clusters, for all numbers at once.

    Parameters
    ----------
    first, second : array-like of shape (n - 1, 4)
        Dendrograms as made by `linkage`, or by SciPy.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first, see `cut`.
    max_clusters : int, optional
        Compare only up to this number of clusters; all by default.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    Agreement
        With the attributes `n_clusters`, `ari`, `nmi` and `fmi`, and `to_frame`.

    Notes
    -----
    All numbers of clusters take O(n log n) time together. Fowlkes and Mallows (1983) compare trees by such a curve of
    their index. It is high by chance where clusters are few and large; the adjusted Rand index is not.

    To compare a tree with one set of labels, see `score_path`; two sets of labels, ``sklearn.metrics``.

    Examples
    --------
    >>> import chamfer
    >>> X = [[0.0], [1.0], [1.9], [5.0], [6.5]]
    >>> found = chamfer.agreement(chamfer.linkage(X, "single"), chamfer.linkage(X, "complete"))
    >>> found.ari.round(2)
    array([1.  , 1.  , 0.21, 1.  , 1.  ])
    """
    trees = [Dendrogram(first), Dendrogram(second)]
    n = trees[0].n_points
    if trees[1].n_points != n:
        raise ValueError(f"second must be a tree of the {n} points of first, got {trees[1].n_points}")
    most = n if max_clusters is None else min(n, check_integer("max_clusters", max_clusters, 1))
    leaf = np.arange(n)
    with Progress(progress).stage("cuts", most, "cuts") as tick:
        return compare(trees[0], trees[1], np.stack([leaf, leaf]), order, most, tick)


def compare(
    first: Dendrogram, second: Dendrogram, leaves: Array, order: str, most: int, tick: Tick | None = None
) -> Agreement:
    """Compare the cuts of two trees into 1 to `most` clusters, by points that are at the given leaves of each."""
    splits = [tree.sequence(order)[0][::-1][: most - 1] for tree in (first, second)]
    sums = _core.cut_sums(
        first.Z,
        second.Z,
        leaves=np.ascontiguousarray(leaves, dtype=np.int64),
        splits=np.ascontiguousarray(splits, dtype=np.int64).reshape(2, -1),
        tick=tick,
    )
    return Agreement(np.arange(1, most + 1), *_scores(np.asarray(sums), leaves.shape[1]))


def _scores(sums: Array, n: int) -> tuple[Array, Array, Array]:
    """Adjusted Rand index, normalised mutual information and Fowlkes-Mallows index, from sums over clusters."""
    a, b, both = (sums[:, :3].T - n) / 2  # pairs of points in one cluster
    every = n * (n - 1) / 2
    equal = (a == both) & (b == both)
    ari = ratio(2 * (both * every - a * b), a * (every - b) + b * (every - a))
    fmi = ratio(both, np.sqrt(a) * np.sqrt(b))
    # Entropies times n; what rounding leaves of nothing is nothing.
    entropy_a, entropy_b, joint = n * np.log(n) - sums[:, 3:].T
    shared = entropy_a + entropy_b - joint
    alone = np.minimum(entropy_a, entropy_b) <= 1e-9 * n
    nmi = ratio(np.where(alone, 0.0, shared), (entropy_a + entropy_b) / 2)
    return np.where(equal, 1.0, ari), np.where(equal, 1.0, np.clip(nmi, 0.0, 1.0)), fmi
