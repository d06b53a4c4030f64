"""`DaskSource`: nearest clusters of points that are spread over a Dask cluster.

The points stay with the workers, in blocks of rows; what the lists engine keeps stays here. A question goes out as
tasks:

- the rows that ask are picked from their blocks and put together, a group of them at a time;
- a group visits block after block, with its k nearest clusters so far, so that each search reaches no farther than it
  must; if groups are few, several lanes of blocks are visited side by side;
- what the lanes have found is combined and sent back, k clusters and distances a row.

All searches compute distances by the same compiled function from the same rows as those of one machine, so answers are
the same to the last bit, whatever the blocks. Every task can be run again from what the scheduler knows: a worker that
dies costs time and nothing else.
"""

from __future__ import annotations

import copy
from contextlib import closing
from typing import Any

import numpy as np

from chamfer import tuning
from chamfer._types import FAST_METRICS, Array, Condensed, Metric, MetricWith, Points, check_heights
from chamfer.distances.filter import Principal
from chamfer.inputs import check_input, check_metric
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source
from chamfer.sources.blocks import Blocks
from chamfer.sources.workers import (
    Plan,
    Summary,
    arrange,
    combine,
    gather,
    make_block,
    nothing,
    same,
    summarise,
    visit,
)
from chamfer.threads import check_threads
from chamfer.units import choose_unit

_FAN = 8  # answers combined at a time
_WHOLE = ("seuclidean", "mahalanobis")  # metrics that depend on all of the data


class DaskSource(Source):
    """Nearest clusters of points that are spread over a Dask cluster.

    Parameters
    ----------
    X : dask.array.Array, dask.dataframe.DataFrame or array-like of shape (n, d)
        The points. A Dask array, chunked by rows, stays with the workers. Other arrays are sent to them, and the engine
        makes use of having the points here as well.
    metric : str or callable, default="euclidean"
        As in `chamfer.linkage`, less ``"seuclidean"`` and ``"mahalanobis"``, which need all of the data in one place.
    client : distributed.Client, optional
        The cluster; the current client by default. If there is none, a cluster of threads is started in this process
        and ended by `close`, or at the end of a ``with`` block.
    n_jobs : int, optional
        Number of threads of that cluster, as in `chamfer.linkage`.

    Examples
    --------
    >>> import chamfer
    >>> with chamfer.DaskSource([[0.0], [1.0], [5.0], [6.5]]) as source:
    ...     chamfer.linkage([[0.0], [1.0], [5.0], [6.5]], source=source)
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 1.5, 2. ],
           [4. , 5. , 9. , 4. ]])
    """

    def __init__(self, X: Any, metric: Metric = "euclidean", *, client: Any = None, n_jobs: int | None = None) -> None:
        metric = check_metric(metric)
        if isinstance(metric, MetricWith):
            raise ValueError(f"metric_params must be None for points on a cluster, got metric {metric!r}")
        if metric == "precomputed" or metric in _WHOLE:
            raise ValueError(f"metric must not be {metric!r} for points on a cluster: it needs all of the data at once")
        if not isinstance(X, Points):
            X = check_input(X, metric)
        if isinstance(X, Condensed):
            raise ValueError("X must hold points as rows to go to a cluster, got distances")
        self._own, self._client = _client(client, check_threads(n_jobs))
        try:
            self._start(X.X if X.remote else X, X.metric)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> DaskSource:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what the workers hold, and end the cluster if it was started for this source."""
        self.blocks, self._shared_plan = Blocks(self._client, np.zeros(1, int)), None
        if self._own:
            self._client.close()

    def _start(self, X: Any, metric: Metric) -> None:
        here = isinstance(X, Points)
        self.n, self.d = (X.X if here else X).shape
        chunks = self._send(X) if here else self._keep(X)
        plan = self._plan(chunks, metric, np.dtype(np.float32 if X.dtype == np.float32 else np.float64), here)
        self.height_exponent = (X if here else Points(X, metric, exponent=plan.exponent)).height_exponent
        if here and plan.search != "cdist":
            self.points = X
        if plan.search == "tree":
            self.near = tuning.current.tree_near
        self._use(plan)
        submit, ranges = self.blocks.submit, self.blocks.ranges()
        self.blocks.futures = [
            submit(make_block, chunk, first, self._shared_plan)
            for chunk, (first, _) in zip(chunks, ranges, strict=True)
        ]

    def _use(self, plan: Plan) -> None:
        self.plan, self.dtype = plan, plan.dtype
        self._shared_plan = self.blocks.submit(same, plan)

    def _send(self, points: Points) -> list[Any]:
        """Blocks of an array that is here, kept by the scheduler, so that they survive their workers."""
        threads = Blocks(self._client, np.zeros(1, int)).threads()
        rows = max(tuning.current.block_rows, -(-self.n // (2 * threads)))
        self.blocks = Blocks(self._client, np.append(np.arange(0, self.n, rows), self.n))
        return [self.blocks.submit(same, np.asarray(points.X[first:last])) for first, last in self.blocks.ranges()]

    def _keep(self, X: Any) -> list[Any]:
        """Blocks of a Dask array, computed where the workers are."""
        rows = _join(X.chunks[0])
        X = self._client.persist(X.rechunk((tuple(rows), (X.shape[1],))))
        self.blocks = Blocks(self._client, np.append(0, np.cumsum(rows)))
        futures: list[Any] = self._client.compute(X.to_delayed().ravel().tolist())
        return futures

    def _plan(self, chunks: list[Any], metric: Metric, dtype: Any, ready: bool) -> Plan:
        """Choose how to search, from a sample; refuse what cannot be clustered. `ready`: rows are in their unit."""
        share = tuning.current.sample / self.n
        summaries: list[Summary] = [
            future.result() for future in [self.blocks.submit(summarise, chunk, dtype, share) for chunk in chunks]
        ]
        for summary, (first, last) in zip(summaries, self.blocks.ranges(), strict=True):
            if not summary.finite:
                raise ValueError(
                    f"X must be an array of finite real numbers, got NaN or infinity in rows {first} to {last - 1}"
                )
        plan = Plan(metric, dtype, self.n, "cdist")
        if metric not in FAST_METRICS:
            return plan
        if not ready:
            plan = _with_unit(plan, summaries)
        sample = np.concatenate([summary.sample for summary in summaries]).astype(plan.dtype)
        X = plan.prepare(sample)
        d = X.shape[1]
        if d <= tuning.current.tree_coordinates:
            return plan._replace(search="tree")
        principal = Principal(X, self.n)
        axes = None if principal.best == d else np.ascontiguousarray(principal.axes[:, : principal.best])
        return plan._replace(search="blas", mean=principal.mean, axes=axes, filter_dtype=principal.filter_dtype)

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`; `threads` is for the workers to decide."""
        answer, blocks = nothing(len(points), k, self.dtype), self.blocks
        workers, largest, done = blocks.threads(), int(np.diff(blocks.starts).max()), 0
        count = max(-(-len(points) * largest // tuning.current.group_pairs), -(-workers // len(blocks.futures)))
        groups = np.array_split(np.argsort(points, kind="stable"), min(len(points), count))
        parts: list[Any] = [labels[first:last] for first, last in blocks.ranges()]
        if len(groups) > 1:
            parts = [blocks.submit(same, part) for part in parts]
        lanes = min(len(parts), -(-workers // len(groups)))
        asks = ((self._ask(points[group], labels, parts, k, lanes), group) for group in groups)
        with closing(blocks.results(asks)) as results:
            for found, places in results:
                for whole, some in zip(answer, found, strict=True):
                    whole[places] = some
                done += len(places)
                if tick is not None:
                    tick(done)
        return answer

    def _ask(self, points: Array, labels: Array, parts: list[Any], k: int, lanes: int) -> Any:
        """Send a group of points, in ascending order, on its way; a future of its answer."""
        submit, blocks = self.blocks.submit, self.blocks.futures
        visitors = send_visitors(self, points, labels)
        # What is near is likely to be where the points come from, so that later searches reach less far.
        home = int(np.searchsorted(self.blocks.starts, points[len(points) // 2], side="right")) - 1
        turn = np.roll(np.arange(len(blocks)), -home)
        answers = []
        for lane in range(lanes):
            answer: Any = None
            for i in turn[lane::lanes]:
                answer = submit(visit, blocks[i], visitors, parts[i], answer, k)
            answers.append(answer)
        while len(answers) > _FAN:
            answers = [submit(combine, answers[i : i + _FAN]) for i in range(0, len(answers), _FAN)]
        return submit(arrange, visitors, answers)


def send_visitors(source: DaskSource, points: Array, labels: Array) -> Any:
    """A future of some points, in ascending order, ready to visit blocks."""
    blocks = source.blocks
    return blocks.submit(gather, blocks.picked(points), points, labels[points], source._shared_plan)


def among(source: DaskSource, blocks: Blocks, plan: Plan) -> DaskSource:
    """The same points by other blocks, which are searched by a plan of their own."""
    other = copy.copy(source)
    other.blocks = blocks
    other._use(plan)
    return other


def _with_unit(plan: Plan, summaries: list[Summary]) -> Plan:
    """The plan with the unit that one machine would choose for all of the points."""
    if plan.metric == "cosine":
        return plan._replace(zeros=any(summary.zeros for summary in summaries))
    unit = choose_unit(
        np.min([summary.low for summary in summaries], axis=0), np.max([summary.high for summary in summaries], axis=0)
    )
    least = min(summary.least for summary in summaries)
    unit.check(least)
    check_heights(plan.n, unit, plan.metric)
    return plan._replace(unit=unit, dtype=unit.dtype(plan.dtype, least))


def _join(chunks: tuple[int, ...]) -> list[int]:
    """Rows of blocks made of whole chunks, none too small but the only one."""
    blocks = [0]
    for rows in chunks:
        if blocks[-1] >= tuning.current.block_rows:
            blocks.append(0)
        blocks[-1] += rows
    if len(blocks) > 1 and blocks[-1] < tuning.current.block_rows:
        last = blocks.pop()
        blocks[-1] += last
    return blocks


def _client(given: Any, threads: int) -> tuple[bool, Any]:
    """Whether a cluster was started here, and its client."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError("points on a cluster need Dask: pip install 'chamfer[dask]'") from error
    if given is not None:
        if not isinstance(given, distributed.Client):
            raise TypeError(f"client must be a distributed.Client, got {given!r}")
        return False, given
    try:
        return False, distributed.default_client()
    except ValueError:
        pass
    started = distributed.Client(
        processes=False, n_workers=1, threads_per_worker=threads, dashboard_address="127.0.0.1:0", set_as_default=False
    )
    return True, started
