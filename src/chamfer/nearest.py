"""`neighbors`: the nearest neighbours of all points, exactly or nearly, and `Neighbors`, what it gives."""

from __future__ import annotations

import io
import os
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Metric, Points, is_distributed
from chamfer.arrays import check_numbers
from chamfer.inputs import check_choice, check_input, check_integer, check_metric, check_path, check_share
from chamfer.progress import Progress
from chamfer.sources.base import Answer
from chamfer.sources.choose import choose_source
from chamfer.sources.graph import all_nearest, nearest_first
from chamfer.sources.make import RECALL, SOURCES, make_source, refuse_source
from chamfer.sources.visit import visit
from chamfer.threads import check_threads
from chamfer.trees.files import write_file

_FORMAT = 1  # of files


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest neighbours of all points, as made by `chamfer.neighbors`.

    Pass it to `chamfer.linkage` as ``source=``.

    Attributes
    ----------
    indices : ndarray of shape (n, n_neighbors)
        For each point its nearest other points, nearest first; int32.
    distances : ndarray of shape (n, n_neighbors)
        Their distances.
    recall : float
        The share of the true nearest neighbours that were found: 1 for an exact search, otherwise measured on a sample.
    metric : str or callable
        The distance.

    Examples
    --------
    >>> import chamfer
    >>> near = chamfer.neighbors([[0.0], [1.0], [5.0], [6.5]], 1)
    >>> near.with_self()[0]
    array([[0, 1],
           [1, 0],
           [2, 3],
           [3, 2]], dtype=int32)
    >>> near.recall
    1.0
    """

    indices: Array
    distances: Array
    recall: float
    metric: Metric
    fingerprint: str | None = None  # of the points

    def graph(self, include_self: bool = False) -> csr_array:
        """Give the distances as a sparse matrix, as scikit-learn's ``kneighbors_graph(mode="distance")`` does.

        Parameters
        ----------
        include_self : bool, default=False
            Each row starts with the point itself, at distance 0.

        Returns
        -------
        scipy.sparse.csr_array of shape (n, n)
            Rows have their entries nearest first.
        """
        return as_graph(*(self.with_self() if include_self else (self.indices, self.distances)), len(self.indices))

    def with_self(self) -> tuple[Array, Array]:
        """Give indices and distances with each point as its own first neighbour.

        This is what UMAP takes as ``precomputed_knn``.

        Returns
        -------
        tuple of ndarray of shape (n, n_neighbors + 1)
            Indices and distances.
        """
        n = len(self.indices)
        own = np.arange(n, dtype=self.indices.dtype)[:, None]
        return np.hstack([own, self.indices]), np.hstack([np.zeros((n, 1), self.distances.dtype), self.distances])

    def update(self, X: Any, *, n_jobs: int | None = None, progress: bool = False) -> Neighbors:
        """Add rows: search for the neighbours of the new ones, and see whose neighbours they are.

        All distances between new rows and all rows are considered, so lists that were exact stay exact.

        Parameters
        ----------
        X : array-like of shape (m, d)
            All rows: those that were given before, unchanged, and the new ones after them.
        n_jobs : int, optional
            Number of threads, as in `chamfer.linkage`.
        progress : bool, default=False
            Show progress bars.

        Returns
        -------
        Neighbors
            Of all m rows, with as many neighbours for each as before.

        Examples
        --------
        >>> import chamfer
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> chamfer.neighbors(X[:3], 1).update(X).indices.ravel()
        array([1, 0, 3, 2], dtype=int32)
        """
        threads = check_threads(n_jobs)
        if self.fingerprint is None or self.metric not in FAST_METRICS or is_distributed(X):
            able = ", ".join(FAST_METRICS)
            raise ValueError(
                f"update needs points in memory and one of the metrics {able}, got metric {self.metric!r} and "
                f"{type(X).__name__}; call chamfer.neighbors for all points"
            )
        points = check_input(X, self.metric)
        old, k = self.indices.shape
        if not isinstance(points, Points) or points.n < old or _fingerprint(X, old, threads) != self.fingerprint:
            raise ValueError(f"X must hold the {old} rows that the neighbours were made of, and new ones after them")
        if points.n == old:
            return self
        distances = np.ldexp(self.distances.astype(points.dtype), -points.height_exponent)
        before = Answer(self.indices.copy(), distances, distances[:, -1].copy())
        shown, new = Progress(progress), slice(old, points.n)
        with shown.stage("neighbours of new rows", points.n - old, "point") as tick:
            everyone = np.arange(points.n, dtype=np.int32)
            after = choose_source(points, k, threads).nearest(everyone[new], everyone, k, threads, tick)
        with shown.stage("new neighbours", old, "point") as tick:
            visit(points, new, slice(0, old), before, threads, tick)
        answer = nearest_first(Answer(*(np.concatenate(each) for each in zip(before, after, strict=True))))
        distances = in_callers_unit(answer.distances, points.height_exponent)
        return Neighbors(answer.clusters, distances, self.recall, self.metric, _fingerprint(X, points.n, threads))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the neighbours to a file, without the points; `load` reads it.

        Parameters
        ----------
        path : str or path-like
            A file; NumPy's ``.npz`` format.
        """
        if not isinstance(self.metric, str):
            raise ValueError(f"metric must be a name for the neighbours to be saved, got {self.metric!r}")
        content = io.BytesIO()
        np.savez(
            content,
            format=_FORMAT,
            indices=self.indices,
            distances=self.distances,
            recall=self.recall,
            metric=self.metric,
            fingerprint=self.fingerprint or "",
        )
        write_file(check_path("path", path), content.getvalue())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Neighbors:
        """Read what `save` has written.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Neighbors
            The neighbours.
        """
        name = check_path("path", path)
        try:
            with np.load(name, allow_pickle=False) as file:
                if int(file["format"]) != _FORMAT:
                    raise ValueError(f"format {file['format']}")
                indices, distances = file["indices"], file["distances"]
                facts = float(file["recall"]), str(file["metric"]), str(file["fingerprint"]) or None
        except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"path must be a file of chamfer.Neighbors, got {name}: {error}") from error
        n = len(indices)
        right = indices.ndim == 2 and indices.shape == distances.shape and indices.dtype == np.int32
        if not (right and indices.size and indices.min() >= 0 and indices.max() < n and np.all(distances >= 0)):
            raise ValueError(f"path must be a file of chamfer.Neighbors, got {name}, which lists no neighbours")
        return Neighbors(indices, distances, *facts)


def neighbors(
    X: Any,
    n_neighbors: int = 15,
    *,
    metric: Metric = "euclidean",
    source: str = "auto",
    recall: float = RECALL,
    rng: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    client: Any = None,
    progress: bool = False,
) -> Neighbors:
    """Find the nearest neighbours of all points: exactly, or with ``source="ann"`` nearly all of them and faster.

    Parameters
    ----------
    X : array-like
        Observations of shape (n, d), or distances, as in `chamfer.linkage`. A Dask array stays with its workers, which
        search with ``source="auto"`` or ``"ann"``; the neighbours are the same as those of an array in memory.
    n_neighbors : int, default=15
        Neighbours of each point, itself not counted.
    metric : str or callable, default="euclidean"
        As in `chamfer.linkage`.
    source : {"auto", "blas", "tree", "cdist", "ann"}, default="auto"
        How neighbours are found, as in `chamfer.linkage`; all are exact but ``"ann"``.
    recall : float, default=0.98
        With ``source="ann"``: the share of the nearest neighbours to find. It is checked on a sample of the points by
        exact search. The search goes on until it holds; a warning says if it does not.
    rng : int or numpy.random.Generator, optional
        With ``source="ann"``: where random numbers come from. The default is the same numbers in each call. The result
        does not depend on the number of threads.
    n_jobs : int, optional
        Number of threads, as in `chamfer.linkage`.
    client : distributed.Client, optional
        A Dask cluster that searches, also for an array in memory. A Dask array needs none: the current client is taken,
        or threads of this process.
    progress : bool, default=False
        Show progress bars.

    Returns
    -------
    Neighbors
        Indices and distances, nearest first, and the recall. Distances are exact, whatever the source.

    Examples
    --------
    >>> import chamfer
    >>> found = chamfer.neighbors([[0.0], [1.0], [5.0], [6.5]], 2)
    >>> found.indices
    array([[1, 2],
           [0, 2],
           [3, 1],
           [2, 1]], dtype=int32)
    >>> found.distances[0]
    array([1., 5.])
    """
    threads, recall = check_threads(n_jobs), check_share("recall", recall)
    check_choice("source", source, SOURCES)
    seed = _seed(rng)
    metric = check_metric(metric)
    data = check_input(X, metric)
    if data.n == 1:
        raise ValueError("X must hold at least two points to have neighbours, got one")
    k = check_integer("n_neighbors", n_neighbors, 1, data.n - 1)
    on_cluster = client is not None or (isinstance(data, Points) and data.remote)
    if refusal := refuse_source(source, data, on_cluster):
        raise ValueError(refusal)
    with ExitStack() as stack:
        chosen: Any = make_source(source, data, k, threads, client, recall, seed)
        if on_cluster:
            stack.callback(chosen.close)
        with Progress(progress).stage("nearest neighbours", data.n, "point") as tick:
            answer = all_nearest(chosen, k, threads, tick)
        recall = chosen.recall if source == "ann" else 1.0
    # What `update` can go on from.
    known = isinstance(data, Points) and data.in_core and not data.remote and data.metric == metric
    fingerprint = _fingerprint(X, data.n, threads) if known else None
    return Neighbors(
        answer.clusters, in_callers_unit(answer.distances, chosen.height_exponent), recall, metric, fingerprint
    )


def in_callers_unit(distances: Array, exponent: int) -> Array:
    """Distances times two to a power; in float64 if float32 cannot hold them."""
    if exponent == 0:
        return distances
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(distances, exponent)
        same = np.array_equal(np.ldexp(scaled, -exponent), distances)
    return scaled if same else np.asarray(np.ldexp(distances.astype(np.float64), exponent))


def as_graph(indices: Array, values: Array, columns: int) -> csr_array:
    """Rows of neighbours as a sparse matrix."""
    n, k = indices.shape
    starts = np.arange(0, n * k + 1, k)
    return csr_array((values.ravel(), indices.ravel(), starts), shape=(n, columns))


def _seed(rng: object) -> int:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(1 << 62))
    return 0 if rng is None else check_integer("rng", rng, 0)


def _fingerprint(X: Any, rows: int, threads: int) -> str:
    """Of the first rows, as numbers."""
    array = np.ascontiguousarray(check_numbers(X, copy=False)[:rows])
    hashes = _core.row_hashes(array, threads=threads)
    return f"{array.dtype}-{array.shape[1]}-{blake2b(hashes.tobytes(), digest_size=16).hexdigest()}"
