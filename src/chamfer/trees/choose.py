"""`choose`: how many clusters? Curves over all numbers of clusters, and a few numbers that they suggest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from chamfer._types import Array, Condensed, Metric, Points
from chamfer.inputs import check_input, check_integer, is_integer
from chamfer.progress import Progress
from chamfer.threads import check_threads
from chamfer.trees.curves import Graph, Path, graph_curves, height_curves, scatter_curves, silhouette_curve
from chamfer.trees.dendrogram import Dendrogram

NEIGHBORS = 15  # of each point in the graph, fewer if there are not ten times as many points
MOST = 50  # clusters that are suggested
CRITERIA = ("separation", "silhouette", "calinski_harabasz", "modularity", "gap")  # the first that is known decides


class Suggestion(NamedTuple):
    """A number of clusters, the criterion that suggests it, and why."""

    n_clusters: int
    criterion: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Criterion:
    """A curve that took other trees to make, by which `choose` can suggest a number of clusters too."""

    values: Array
    errors: Array

    name = ""

    def suggest(self, least: int, most: int) -> Suggestion | None:
        """The best number of clusters in a range; None if it is unknown."""
        raise NotImplementedError

    @property
    def n_clusters(self) -> int:
        """The suggested number of clusters."""
        found = self.suggest(1, len(self.values))
        return len(self.values) if found is None else found.n_clusters

    def to_frame(self) -> Any:
        """Give the curve and its errors as a pandas data frame, with the number of clusters as its index."""
        import pandas as pd

        index = pd.RangeIndex(1, len(self.values) + 1, name="n_clusters")
        return pd.DataFrame({self.name: self.values, "error": self.errors}, index=index)

    def __repr__(self) -> str:
        found = self.suggest(1, len(self.values))
        reason = "no number is good enough" if found is None else f"{found.n_clusters} clusters: {found.reason}"
        return f"{self.name} of 1 to {len(self.values)} clusters; {reason}"


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """What `choose` found: curves over the number of clusters, and suggestions.

    Attributes
    ----------
    n_clusters : int
        The suggested number of clusters.
    criterion : str
        The curve that decided.
    suggestions : tuple of Suggestion
        One for each criterion, the deciding one first; each has `n_clusters`, `criterion` and `reason`.
    order : str
        Order of the cuts, see `chamfer.cut`.
    curves : dict of str to ndarray of shape (n,)
        Entry ``k - 1`` of each is for k clusters; see `chamfer.choose` for the names.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.choose([[0, 1, 1.0, 2], [2, 3, 1.5, 2], [4, 5, 9.0, 4]])
    2 clusters, by gap (order merge)
         2  gap                the next merge is 6.00 times as high
    """

    suggestions: tuple[Suggestion, ...]
    order: str
    curves: dict[str, Array]

    @property
    def n_clusters(self) -> int:
        """The suggested number of clusters."""
        return self.suggestions[0].n_clusters

    @property
    def criterion(self) -> str:
        """The curve that decided."""
        return self.suggestions[0].criterion

    def to_frame(self, max_clusters: int | None = None) -> Any:
        """Give the curves as a pandas data frame, with the number of clusters as its index.

        Parameters
        ----------
        max_clusters : int, optional
            Only up to this number of clusters; all by default.

        Returns
        -------
        pandas.DataFrame
            A column for each curve.
        """
        import pandas as pd

        n = len(self.curves["height"])
        most = n if max_clusters is None else min(n, check_integer("max_clusters", max_clusters, 1))
        index = pd.RangeIndex(1, most + 1, name="n_clusters")
        return pd.DataFrame({name: curve[:most] for name, curve in self.curves.items()}, index=index)

    def __repr__(self) -> str:
        lines = [f"{each.n_clusters:>6}  {each.criterion:<17}  {each.reason}" for each in self.suggestions]
        clusters = "1 cluster" if self.n_clusters == 1 else f"{self.n_clusters} clusters"
        return "\n".join([f"{clusters}, by {self.criterion} (order {self.order})", *lines])

    def _repr_html_(self) -> str:
        first, *_ = repr(self).splitlines()
        rows = "".join(
            f"<tr><td><b>{each.n_clusters}</b></td><td>{escape(each.criterion)}</td>"
            f'<td style="text-align: left">{escape(each.reason)}</td></tr>'
            for each in self.suggestions
        )
        head = '<tr><th>clusters</th><th>criterion</th><th style="text-align: left">reason</th></tr>'
        return f"<p>{escape(first)}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def choose(
    Z: Any,
    X: Any = None,
    neighbors: Any = None,
    *,
    metric: Metric = "euclidean",
    order: str = "merge",
    min_clusters: int | None = None,
    max_clusters: int | None = None,
    criteria: Sequence[Criterion] = (),
    n_jobs: int | None = None,
    progress: bool = False,
) -> Choice:
    """Find out how many clusters there are, from curves over all numbers of clusters.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        Dendrogram as made by `linkage`, or by SciPy.
    X : array-like, optional
        The points, as passed to `linkage`, or their distances. Without it, and without `neighbors`, only the heights
        of the tree are known, which say little.
    neighbors : int, array-like of shape (n, k) or sparse matrix of shape (n, n), optional
        Nearest neighbours of the points: how many to find in `X`, or the numbers of the points (-1 for none), or a
        graph, whose values do not matter. By default 15 are found, or a tenth of n if that is fewer.
    metric : str or callable, default="euclidean"
        Of `X`, as in `linkage`. Means and centres are those of Euclidean space.
    order : {"merge", "least", "cumulative"}, default="merge"
        Which merges come first, see `cut`.
    min_clusters, max_clusters : int, optional
        Suggest only numbers in this range; 1 and 50 by default. The silhouette is computed up to `max_clusters`.
    criteria : sequence, optional
        What `gap_statistic` and `stability` found: more curves, and more suggestions. The others still decide.
    n_jobs : int, optional
        Number of threads; all by default.
    progress : bool, default=False
        Show a progress bar of the search for neighbours.

    Returns
    -------
    Choice
        With the attributes `n_clusters`, `criterion`, `suggestions`, `order` and `curves`.

    Notes
    -----
    The curves, each with an entry for every number of clusters k from 1 to n:

    =====================  ===========================================================================================
    ``height``             the largest height of the merges that are applied
    ``gap``                how many times as high the next merge is
    ``within``             sum of squared distances from points to the mean of their cluster
    ``calinski_harabasz``  (between / (k - 1)) / (within / (n - k)), as in scikit-learn
    ``silhouette``         simplified: mean of (b - a) / max(a, b), where a is the distance to the centre of the own
                           cluster and b that to the nearest other centre; up to `max_clusters`
    ``inside``             share of neighbours that are in the same cluster
    ``modularity``         of the neighbour graph, by Newman's definition
    ``conductance``        mean over clusters of the share of its edges that leave it
    ``separation``         sum over the splits into k clusters of how many times fewer edges cross them, as a
                           logarithm, than usually cross a split of that size in this tree
    =====================  ===========================================================================================

    `separation` decides if neighbours are known. Most splits of a tree divide what belongs together. They show how many
    edges cross a split of a given size where there is no gap. A split between clusters crosses far fewer. The sum over
    splits grows as long as they divide clusters and falls afterwards. If the first splits already fall short of it,
    the answer is one cluster.

    No criterion can know what you are looking for: clusters may be nested, and several numbers right. A number can only
    be as good as the tree: if it has no cut with the clusters that you see, try another linkage.

    All curves but the silhouette take O(n (d + log n)) time; the silhouette takes O(n max_clusters (d + max_clusters)).

    Examples
    --------
    >>> import chamfer
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(300, centers=4, cluster_std=0.5, random_state=1)
    >>> choice = chamfer.choose(chamfer.linkage(X), X)
    >>> choice.n_clusters
    4
    >>> choice.to_frame(5)["silhouette"].round(2).tolist()[1:]
    [0.8, 0.76, 0.87, 0.76]
    """
    tree = Dendrogram(Z).whole()
    n, threads = tree.n_points, check_threads(n_jobs)
    least, most = check_range(n, min_clusters, max_clusters)
    path = Path(tree, order)
    data = _check_data(X, metric, n)
    graph = _find_graph(neighbors, data, n, threads, Progress(progress))
    curves = height_curves(path)
    space = _space(X, data)
    if space is not None:
        curves |= scatter_curves(path, space.X, space.exponent)
        curves["silhouette"] = silhouette_curve(path, space.X, most, threads)
    if graph is not None:
        curves |= graph_curves(path, graph)
    suggestions = _suggest(curves, least, most)
    for criterion in _check_criteria(criteria):
        curves[criterion.name] = np.full(n, np.nan)
        curves[criterion.name][: len(criterion.values)] = criterion.values[:n]
        found = criterion.suggest(least, most)
        suggestions += () if found is None else (found,)
    return Choice(suggestions, order, curves)


def _check_criteria(criteria: Any) -> Sequence[Criterion]:
    given = list(criteria) if isinstance(criteria, Iterable) else [criteria]
    for each in given:
        if not isinstance(each, Criterion):
            raise TypeError(f"criteria must be what gap_statistic and stability give, got {type(each).__name__}")
    return given


def check_range(n: int, min_clusters: object, max_clusters: object) -> tuple[int, int]:
    """The numbers of clusters between which one is chosen."""
    least = check_integer("min_clusters", 1 if min_clusters is None else min_clusters, 1, n)
    wanted = max(MOST, least) if max_clusters is None else check_integer("max_clusters", max_clusters, least)
    return least, min(wanted, n)


def _check_data(X: Any, metric: Metric, n: int) -> Points | Condensed | None:
    if X is None:
        return None
    data = check_input(X, metric)
    if data.remote:
        raise ValueError("X must be here, not on a cluster; pass neighbors alone, or a sample of the points")
    if data.n != n:
        raise ValueError(f"X must hold the {n} points of Z, got {data.n}")
    return data


def _space(X: Any, data: Points | Condensed | None) -> Points | None:
    """The points where they have means and centres, which of sparse rows would not be sparse."""
    if isinstance(data, Points) and data.sparse:
        return None
    if not isinstance(data, Points) or data.in_core:
        return data if isinstance(data, Points) else None
    if data.sparse or data.metric == "nan_euclidean":
        return None
    return check_input(X, "euclidean")  # type: ignore[return-value]


def _find_graph(
    neighbors: Any, data: Points | Condensed | None, n: int, threads: int, progress: Progress
) -> Graph | None:
    """The graph that is given, or that of the nearest neighbours in the data; None if nothing is known."""
    if neighbors is not None and not is_integer(neighbors):
        return Graph(neighbors, n)
    if data is None or n == 1:
        if neighbors is not None and data is None:
            raise ValueError(f"neighbors={neighbors} needs X, the points in which to find them")
        return None
    from chamfer.sources.make import make_source  # other choices need not wait for it

    wanted = max(2, min(NEIGHBORS, n // 10)) if neighbors is None else check_integer("neighbors", neighbors, 1)
    count = min(wanted, n - 1)
    points = np.arange(n, dtype=np.int32)
    with progress.stage("neighbours", n, "points") as tick:
        found = make_source("auto", data, count, threads).nearest(points, points, count, threads, tick)
    return Graph(found.clusters, n)


def _suggest(curves: dict[str, Array], least: int, most: int) -> tuple[Suggestion, ...]:
    """The best number of clusters by each criterion, as far as it has one; the first decides."""
    found = []
    for criterion in CRITERIA:
        if criterion not in curves:
            continue
        values = curves[criterion][least - 1 : most]
        usable = np.isfinite(values)
        if usable.any():
            k = least + int(np.argmax(np.where(usable, values, -np.inf)))
            found.append(Suggestion(k, criterion, _REASONS[criterion](curves, k)))
    return tuple(found) or (Suggestion(least, "gap", "there is nothing to compare"),)


def _separation_reason(curves: dict[str, Array], k: int) -> str:
    if k == 1:
        return "no split is crossed by fewer neighbours than usual for its size"
    return f"{curves['inside'][k - 1]:.1%} of neighbours are in the same cluster; the next splits cross more"


_REASONS: dict[str, Callable[[dict[str, Array], int], str]] = {
    "separation": _separation_reason,
    "silhouette": lambda curves, k: f"highest simplified silhouette, {curves['silhouette'][k - 1]:.3f}",
    "calinski_harabasz": lambda curves, k: f"highest ratio of variances, {curves['calinski_harabasz'][k - 1]:,.1f}",
    "modularity": lambda curves, k: f"highest modularity of the neighbour graph, {curves['modularity'][k - 1]:.3f}",
    "gap": lambda curves, k: f"the next merge is {curves['gap'][k - 1]:.2f} times as high",
}
