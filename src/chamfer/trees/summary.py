"""`summarize`: what is in each cluster.

Everything follows from the mean of each cluster and from the distances of its points to that mean, so it takes
O(n (d + log n)) time. Points are contents in the unit of `chamfer.units`, in which no square overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from chamfer._types import Array, Points
from chamfer.inputs import check_input, check_integer, check_names
from chamfer.trees.contents import Contents
from chamfer.trees.cuts import NOISE, cut
from chamfer.trees.dendrogram import Dendrogram

LEAST = 0.2  # standard deviations: smaller differences of a feature are not named (Cohen, 1988, calls this one small)
_SHOWN = 20  # clusters that are printed


class Feature(NamedTuple):
    """A column, and how its mean in a cluster differs from its mean over all other points.

    `difference` is in standard deviations of the column over all points.
    """

    name: str
    difference: float
    mean: float
    rest: float


class ClusterSummary(NamedTuple):
    """What `summarize` tells of one cluster; points are given by their names."""

    label: Any
    size: int
    share: float
    spread: float
    medoid: Any
    exemplars: tuple[Any, ...]
    features: tuple[Feature, ...]
    nearest: Any
    distance: float
    outliers: tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What is in each cluster; `chamfer.summarize` makes it.

    Attributes
    ----------
    clusters : tuple of ClusterSummary
        One for each cluster, sorted by label. The fields are explained at `chamfer.summarize`.
    labels : ndarray of shape (n,)
        Label of each point.
    n_noise : int
        Points that belong to no cluster.
    means : ndarray of shape (n_clusters, d)
        Mean of each cluster.
    differences : ndarray of shape (n_clusters, d)
        Mean of each cluster minus the mean of all other points, in standard deviations of the column over all points.
    feature_names : tuple of str
        Names of the columns.

    Examples
    --------
    >>> import chamfer
    >>> chamfer.summarize([0, 0, 1, 1], [[0.0, 5.0], [1.0, 5.5], [9.0, 5.0], [9.5, 5.5]], feature_names="xy")
    4 points in 2 clusters
    cluster  size  share  spread  nearest  outliers  medoid  apart from the rest (standard deviations)
          0     2    50%   0.559        1         0  0       x -2.0
          1     2    50%   0.354        0         0  2       x +2.0
    """

    clusters: tuple[ClusterSummary, ...]
    labels: Array
    n_noise: int
    means: Array
    differences: Array
    feature_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.clusters)

    def __getitem__(self, label: Any) -> ClusterSummary:
        found = [each for each in self.clusters if each.label == label]
        if not found:
            raise KeyError(f"label must be one of the {len(self)} of the clusters, got {label!r}")
        return found[0]

    def to_frame(self) -> Any:
        """Give the summary as a pandas data frame, with a row for each cluster.

        Returns
        -------
        pandas.DataFrame
            The fields of each cluster, with the features as a text; the labels are the index.
        """
        import pandas as pd

        return pd.DataFrame(self.columns()).set_index("label")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Give the columns of the data frame, which needs no pandas."""
        columns: dict[str, Sequence[Any]] = {
            name: [getattr(each, name) for each in self.clusters] for name in ClusterSummary._fields
        }
        return columns | {"features": [_feature_text(each) for each in self.clusters]}

    def __repr__(self) -> str:
        return "\n".join([self._title(), *_align([_HEADER, *self._rows()]), *self._rest()])

    def _repr_html_(self) -> str:
        head, *rows = ("".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for tag, row in self._tagged())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        rest = "".join(f"<p>{escape(line)}</p>" for line in self._rest())
        title = escape(self._title())
        return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"

    def _tagged(self) -> list[tuple[str, Sequence[str]]]:
        return [("th", _HEADER), *(("td", row) for row in self._rows())]

    def _title(self) -> str:
        clusters = "1 cluster" if len(self) == 1 else f"{len(self):,} clusters"
        noise = f", and {self.n_noise:,} of noise" if self.n_noise else ""
        return f"{len(self.labels) - self.n_noise:,} points in {clusters}{noise}"

    def _rows(self) -> list[list[str]]:
        return [
            [
                str(each.label),
                f"{each.size:,}",
                f"{each.share:.0%}",
                f"{each.spread:.3g}",
                "" if each.nearest is None else str(each.nearest),
                f"{len(each.outliers):,}",
                str(each.medoid),
                _feature_text(each),
            ]
            for each in self.clusters[:_SHOWN]
        ]

    def _rest(self) -> list[str]:
        hidden = len(self) - _SHOWN
        return [f"… and {hidden:,} more; to_frame() has all"] if hidden > 0 else []


_HEADER = [
    "cluster",
    "size",
    "share",
    "spread",
    "nearest",
    "outliers",
    "medoid",
    "apart from the rest (standard deviations)",
]


def _feature_text(cluster: ClusterSummary) -> str:
    return ", ".join(f"{each.name} {each.difference:+.1f}" for each in cluster.features)


def _align(rows: list[list[str]]) -> list[str]:
    """Columns of text, numbers to the right; the last two, names and features, to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[:-2], widths, strict=False)]
        lines.append("  ".join([*numbers, row[-2].ljust(widths[-2]), row[-1]]).rstrip())
    return lines


def summarize(
    clusters: Any,
    X: Any,
    n_clusters: Any = None,
    *,
    height: float | None = None,
    order: str = "merge",
    feature_names: Sequence[str] | None = None,
    names: Sequence[Any] | None = None,
    n_exemplars: int = 3,
    n_features: int = 3,
) -> Summary:
    """Tell what is in each cluster: its size, typical points, what sets it apart, outliers.

    Parameters
    ----------
    clusters : array-like of shape (n - 1, 4) or (n,)
        Dendrogram as made by `linkage`, or the label of each point, of any kind; the integer -1 is noise.
    X : array-like of shape (n, d)
        The points. Of a data frame, the columns are `feature_names` and the index is `names`.
    n_clusters : int or "auto", optional
        Cut of the dendrogram, see `cut`; ``"auto"`` by default. Not used with labels.
    height, order
        Cut of the dendrogram, see `cut`.
    feature_names : sequence of d texts, optional
        Names of the columns; by default those of a data frame, or ``x0``, ``x1``, ….
    names : sequence of n objects, optional
        Names of the points; by default the index of a data frame, or their numbers.
    n_exemplars : int, default=3
        Exemplars of each cluster.
    n_features : int, default=3
        Most features that are named for each cluster.

    Returns
    -------
    Summary
        It prints as a table, and `to_frame` makes a data frame of it. Each cluster has these fields:

        ==============  ==============================================================================================
        ``label``       of the cluster
        ``size``        points
        ``share``       of all points
        ``spread``      root of the mean squared distance from its points to its mean
        ``medoid``      the point with the smallest sum of squared distances to the others, which is the one nearest
                        to the mean
        ``exemplars``   the medoid, and then always the point farthest from the exemplars so far, of the half of the
                        cluster that is nearest to the mean: typical, and as different as typical points are
        ``features``    the columns with the largest differences, at least a fifth of a standard deviation: each with
                        `name`, `difference`, `mean` in the cluster and in the `rest`
        ``nearest``     the other cluster with the nearest mean; None if there is none
        ``distance``    to that mean
        ``outliers``    points farther from the mean than Q3 + 3 (Q3 - Q1), with Q1 and Q3 the quartiles of these
                        distances in the cluster; the farthest first
        ==============  ==============================================================================================

    Notes
    -----
    The difference of a feature is its mean in the cluster minus its mean over all other points, noise included, divided
    by its standard deviation over all points. It does not depend on the unit of the feature. Spread, medoid, distance
    and outliers do: scale the columns as you did for the clustering. All distances are Euclidean.

    O(n (d + log n)) time.

    Examples
    --------
    >>> import chamfer
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> names = ["sepal length", "sepal width", "petal length", "petal width"]
    >>> summary = chamfer.summarize(chamfer.linkage(X), X, 3, feature_names=names, n_features=2)
    >>> summary
    150 points in 3 clusters
    cluster  size  share  spread  nearest  outliers  medoid  apart from the rest (standard deviations)
          0    50    33%    0.55        1         0  7       petal length -2.0, petal width -1.9
          1    64    43%   0.813        2         0  78      sepal width -1.2, petal length +0.6
          2    36    24%   0.782        1         0  120     sepal length +1.6, petal width +1.6
    >>> summary[0].exemplars
    (7, 6, 48)
    >>> summary.to_frame()["size"].tolist()
    [50, 64, 36]
    """
    labels = _check_clusters(clusters, X, n_clusters, height, order)
    data = check_input(X, "euclidean")
    if not isinstance(data, Points) or data.remote or data.sparse:
        raise ValueError("X must hold points as rows, dense and in memory")
    if data.n != len(labels):
        raise ValueError(f"X must hold the {len(labels)} points of clusters, got {data.n}")
    check_integer("n_exemplars", n_exemplars, 1)
    check_integer("n_features", n_features, 0)
    columns = _check_feature_names(feature_names, X, data.X.shape[1])
    contents = Contents(data, labels)
    origin = np.asarray(np.asarray(X)[0], dtype=np.float64) - np.ldexp(data.X[0].astype(np.float64), data.exponent)
    return _summary(contents, origin, columns, _check_point_names(names, X, data.n), n_exemplars, n_features)


def _check_clusters(clusters: Any, X: Any, n_clusters: Any, height: float | None, order: str) -> Array:
    try:
        given = np.asarray(clusters)
    except ValueError as error:
        raise ValueError(
            f"clusters must be a dendrogram of shape (n - 1, 4) or a label for each point: {error}"
        ) from error
    if given.ndim == 2 and given.shape[1] == 4:
        wanted = "auto" if n_clusters is None and height is None else n_clusters
        return cut(Dendrogram(given).Z, wanted, height=height, order=order, X=X if wanted == "auto" else None)
    if given.ndim != 1 or not given.size:
        raise ValueError(
            f"clusters must be a dendrogram of shape (n - 1, 4) or a label for each point, got shape {given.shape}"
        )
    if n_clusters is not None or height is not None:
        raise ValueError("n_clusters and height cut a dendrogram; clusters holds labels")
    return given


def _check_feature_names(names: Sequence[str] | None, X: Any, d: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(each) for each in getattr(X, "columns", [f"x{j}" for j in range(d)]))
    given = tuple(str(each) for each in names)
    if len(given) != d:
        raise ValueError(f"feature_names must name all {d} columns, got {len(given)}")
    return given


def _check_point_names(names: Sequence[Any] | None, X: Any, n: int) -> Sequence[Any]:
    if names is None:
        index = X.index if hasattr(X, "columns") else None  # a list has an index too, of another kind
        return range(n) if index is None or callable(index) else index.tolist()
    given = check_names(names, n, "names")
    assert given is not None
    return given


def _summary(
    contents: Contents,
    origin: Array,
    columns: tuple[str, ...],
    names: Sequence[Any],
    n_exemplars: int,
    n_features: int,
) -> Summary:
    """Put contents into words: in the unit of the user, and with names."""

    def in_units(values: Any) -> Any:
        return np.ldexp(values, contents.exponent)

    def named(points: Iterable[int]) -> tuple[Any, ...]:
        return tuple(names[point] for point in points)

    means, rest = (origin + in_units(each) for each in (contents.means, contents.rest))
    differences, spreads, nearest = contents.differences(), in_units(contents.spreads()), contents.nearest()
    found = []
    for i, points in enumerate(contents.by_distance() if contents.values else []):
        largest = np.argsort(-np.abs(differences[i]), kind="stable")[:n_features]
        features = [
            Feature(columns[j], float(differences[i, j]), float(means[i, j]), float(rest[i, j]))
            for j in largest.tolist()
            if abs(differences[i, j]) >= LEAST
        ]
        other = int(nearest[i])
        between = np.linalg.norm(contents.means[i] - contents.means[other]) if other >= 0 else np.nan
        found.append(
            ClusterSummary(
                label=contents.values[i],
                size=len(points),
                share=len(points) / len(contents.labels),
                spread=float(spreads[i]),
                medoid=names[int(points[0])],
                exemplars=named(contents.exemplars(points, n_exemplars)),
                features=tuple(features),
                nearest=contents.values[other] if other >= 0 else None,
                distance=float(in_units(between)),
                outliers=named(contents.outliers(points).tolist()),
            )
        )
    noise = int(np.count_nonzero(contents.code == NOISE))
    return Summary(tuple(found), contents.labels, noise, means, differences, columns)
