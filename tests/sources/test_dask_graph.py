"""Approximate neighbours of points on a Dask cluster are those of one machine, whatever happens to the workers."""

import os
import signal
import time

import numpy as np
import pytest

import chamfer
from cases import gaussian, grid
from chamfer.inputs import check_input
from chamfer.sources.blocks import Blocks
from chamfer.sources.graph import build_graph
from chamfer.sources.local_rows import LocalRows
from marks import slow

da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")
from chamfer.sources.dask_rows import DaskRows  # noqa: E402


@pytest.fixture(scope="module")
def threads():
    """A cluster of two threads."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "set_as_default": False}
    with dask_distributed.Client(processes=False, **options) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """Two worker processes, which are started again when they die."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "set_as_default": False}
    with dask_distributed.Client(**options) as client:
        yield client


@pytest.fixture(autouse=True)
def small(tuned):
    """Several rounds, blocks and batches of a few thousand points."""
    tuned(graph_exact=64, graph_leaf=64, graph_sample=128, graph_batch=700, graph_leaders=40, block_rows=100)


def mixture(n, d, dtype=np.float64):
    random = np.random.default_rng(n)
    return (random.normal(size=(20, d))[random.integers(0, 20, n)] + random.normal(size=(n, d))).astype(dtype)


def low_rank(n, d, rank):
    random = np.random.default_rng(3)
    return random.normal(size=(n, rank)) @ random.normal(size=(rank, d)) + 0.1 * random.normal(size=(n, d))


def copies(n, times, d):
    return np.random.default_rng(0).permutation(np.repeat(gaussian(1, n, d), times, axis=0))


def spread(X, rows=(300, 1, 149)):
    return da.from_array(X, chunks=((*rows, len(X) - sum(rows)), X.shape[1]))


def same_graph(X, client, k=8, recall=0.95, rng=3, metric="euclidean", chunks=(300, 1, 149)):
    here = build_graph(LocalRows(check_input(X, metric), 2), k, recall, rng)
    with chamfer.DaskSource(spread(X, chunks), metric, client=client) as source:
        there = build_graph(DaskRows(source, 2), k, recall, rng)
    assert here.recall == there.recall
    for ours, theirs in zip(here.answer, there.answer, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    return here


@pytest.mark.parametrize(
    ("X", "metric"),
    [
        (mixture(900, 8, np.float32), "euclidean"),
        *slow(
            (mixture(2000, 20), "sqeuclidean"),
            (mixture(1200, 10), "cosine"),
            (low_rank(1500, 150, 5), "euclidean"),
            (low_rank(1500, 150, 60).astype(np.float32), "euclidean"),
            (grid(4, 2500, 3), "euclidean"),
            (np.eye(800), "euclidean"),
            (mixture(1500, 6) * 1e-9 + np.repeat(gaussian(8, 5, 6), 300, axis=0), "euclidean"),
        ),
        (copies(300, 3, 4), "euclidean"),
        (gaussian(2, 900, 2)[:60].repeat(15, axis=0), "euclidean"),
    ],
    ids=["mixture", "square", "cosine", "few", "not few", "ties", "equally far", "float64", "copies", "exact"],
)
def test_the_same_graph(threads, X, metric):
    same_graph(X, threads, metric=metric, recall=0.05 if X.shape[1] == 800 else 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [200, 10**6])
def test_batches_and_blocks_change_nothing(threads, tuned, batch):
    tuned(graph_exact=64, graph_leaf=64, graph_sample=128, graph_batch=batch, block_rows=50)
    same_graph(mixture(1100, 12), threads, chunks=(999, 1) if batch == 200 else (100, 900))


@pytest.mark.slow
def test_balls_that_no_worker_could_hold_are_split_here(threads, tuned, monkeypatch):
    from chamfer.sources import dask_rows

    monkeypatch.setattr(dask_rows, "_BATCHES", 10**9)
    tuned(graph_exact=64, graph_leaf=16, graph_sample=128, graph_batch=120, block_rows=50)
    X = np.vstack([mixture(600, 6), gaussian(5, 10, 6) * 1e4])  # most points have the same few leaders
    same_graph(X, threads, k=3, recall=0.5, chunks=(300, 1, 49))
    same_graph(np.vstack([np.eye(150), 2 * np.eye(150)]), threads, k=3, recall=0.01, chunks=(100, 9))


@pytest.mark.parametrize("method", ["chamfer_capped", *slow("chamfer")])
def test_the_same_tree(threads, method, tuned):
    tuned(graph_exact=64, graph_leaf=64, graph_sample=128, graph_batch=700, block_rows=100, first_list=12)
    X, info, here = mixture(700, 10, np.float32), chamfer.Info(), chamfer.Info()
    with threads.as_current():
        Z = chamfer.linkage(spread(X), method, source="ann", recall=0.9, info=info)
    np.testing.assert_array_equal(Z, chamfer.linkage(X, method, source="ann", recall=0.9, info=here))
    assert info.recall == here.recall >= 0.9
    assert info.source == "DaskIndexSource"


@pytest.mark.parametrize("points", [*slow(10**6), 1000], ids=["all", "sample"])
def test_refreshes(threads, tuned, points):
    # Far apart, so that neighbours end at the borders of clusters, and others are searched for.
    tuned(graph_exact=64, graph_leaf=64, graph_sample=128, block_rows=100, sampled_points=points, sampled_members=20,
          sampled_least=10, sampled_all=200)  # fmt: skip
    X = gaussian(4, 1200, 8) + 50 * np.repeat(gaussian(5, 12, 8), 100, axis=0)
    info = chamfer.Info()
    Z = chamfer.linkage(spread(X), "chamfer_capped", source="ann", client=threads, info=info)
    assert info.refreshes > 0
    np.testing.assert_array_equal(Z, chamfer.linkage(X, "chamfer_capped", source="ann"))


def test_an_array_that_is_here(threads):
    X = mixture(900, 6)
    Z = chamfer.linkage(X, "chamfer_capped", source="ann", client=threads)
    np.testing.assert_array_equal(Z, chamfer.linkage(X, "chamfer_capped", source="ann"))


def test_metrics_that_the_graph_does_not_know(threads):
    with pytest.raises(ValueError, match="source must be 'auto' for metric 'cityblock' on a cluster, got 'ann'"):
        chamfer.linkage(spread(mixture(900, 3)), "chamfer_capped", "cityblock", source="ann", client=threads)


def victim(monkeypatch, client):
    """Kill a worker that joins points; gives what it was at."""
    pids, killed, results = client.run(os.getpid), {}, Blocks.results

    def results_and_kill(self, asks):
        for result in results(self, asks):
            deadline = time.monotonic() + 0.5
            while not killed and time.monotonic() < deadline:
                for address, keys in client.processing().items():
                    busy = [key for key in keys if key.startswith("join-")]
                    if busy:
                        os.kill(pids[address], signal.SIGKILL)
                        killed.update(pid=pids[address], busy=busy)
                        break
            yield result

    monkeypatch.setattr(Blocks, "results", results_and_kill)
    return killed


@pytest.mark.slow
def test_a_worker_dies(processes, monkeypatch, tuned):
    tuned(graph_exact=64, graph_leaf=256, graph_sample=128, graph_batch=2000, block_rows=1000)
    X = mixture(8000, 16, np.float32)
    here = build_graph(LocalRows(check_input(X, "euclidean"), 2), 10, 0.9, 0)
    processes.wait_for_workers(2)
    killed = victim(monkeypatch, processes)
    with chamfer.DaskSource(spread(X, (2000, 3000)), client=processes) as source:
        there = build_graph(DaskRows(source, 2), 10, 0.9, 0)
    assert killed["busy"]
    for ours, theirs in zip(here.answer, there.answer, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    processes.wait_for_workers(2)
    assert killed["pid"] not in processes.run(os.getpid).values()


@pytest.mark.parametrize(
    ("X", "options"),
    [
        (mixture(900, 12, np.float32), {"source": "ann", "recall": 0.9, "rng": 5}),
        (mixture(700, 9) * 1e30, {}),
        (copies(200, 3, 4), {"metric": "cosine"}),
        (grid(3, 400, 2), {"metric": "cityblock"}),
        (mixture(300, 5), {"metric": "correlation"}),
    ],
    ids=["ann", "unit", "cosine", "cityblock", "correlation"],
)
def test_neighbours(processes, tmp_path, X, options):
    here, there = (
        chamfer.neighbors(X, 7, **options),
        chamfer.neighbors(spread(X, (100, 1)), 7, client=processes, **options),
    )
    there.save(tmp_path / "near.npz")
    for found in (there, chamfer.Neighbors.load(tmp_path / "near.npz")):
        np.testing.assert_array_equal(found.indices, here.indices)
        np.testing.assert_array_equal(found.distances, here.distances)
        assert found.distances.dtype == here.distances.dtype
        assert (found.recall, found.metric) == (here.recall, here.metric)


def test_neighbours_without_a_client(threads):
    X = mixture(400, 9)
    here = chamfer.neighbors(X, 5)
    with threads.as_current():
        near = chamfer.neighbors(spread(X), 5)
    for there in (near, chamfer.neighbors(X, 5, client=threads)):
        np.testing.assert_array_equal(there.indices, here.indices)
    with pytest.raises(ValueError, match="update needs points in memory"):
        near.update(X)
    with pytest.raises(
        ValueError, match="source must be 'auto', 'ann' or a source for points on a cluster, got 'tree'"
    ):
        chamfer.neighbors(spread(X), 5, source="tree", client=threads)
