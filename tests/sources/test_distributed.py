"""Points on a Dask cluster give the tree that they give here, to the last bit, whatever happens to the workers."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import chamfer
import reference
from cases import distances, duplicated, gaussian, grid
from chamfer import tuning
from chamfer.inputs import check_input
from chamfer.sources import BlasSource
from marks import slow

da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")
from chamfer.sources import dask as distributed  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes, which are started again when they die."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "set_as_default": False}
    with dask_distributed.Client(**options) as client:
        yield client


@pytest.fixture
def client(cluster):
    """The same as the current client."""
    with cluster.as_current():
        yield cluster


@pytest.fixture
def small(tuned):
    """Blocks and groups of few points, and lists that have to be refreshed."""
    tuned(block_rows=40, group_pairs=5000, first_list=12)


def spread(X, rows=(90, 1, 49, 110)):
    """X as a Dask array of uneven chunks, made of these numbers of rows and the rest."""
    return da.from_array(X, chunks=((*rows, len(X) - sum(rows)), X.shape[1]))


def same_here(X, method="chamfer", metric="euclidean"):
    return chamfer.linkage(X, method, metric, engine="lists")


@pytest.mark.parametrize("method", ["chamfer", *slow("chamfer_normalized"), "chamfer_capped"])
@pytest.mark.parametrize(
    ("d", "metric", "dtype"),
    [*slow((2, "euclidean", np.float64)), (20, "sqeuclidean", np.float32)],
)
@pytest.mark.usefixtures("client", "small")
def test_the_same_tree(method, d, metric, dtype):
    X, info = gaussian(d, 300, d, dtype), chamfer.Info()
    Z = chamfer.linkage(spread(X), method, metric, info=info)
    np.testing.assert_array_equal(Z, same_here(X, method, metric))
    assert info.source == "DaskSource"
    assert info.refreshes > 0 or method == "chamfer_capped"


@pytest.mark.parametrize(
    ("method", "data"),
    [
        *slow(("chamfer", grid(1, 260, 3))),
        *slow(("chamfer", np.full((260, 5), 0.1))),
        *slow(("chamfer_normalized", duplicated(3, 260, 6))),
        ("chamfer_capped", np.repeat(gaussian(0, 26, 5), 10, axis=0)),
    ],
)
@pytest.mark.usefixtures("small")
def test_ties(client, method, data, tuned):
    options = {"method": method, "n_neighbors": 5}
    np.testing.assert_array_equal(
        chamfer.linkage(data, client=client, **options), chamfer.linkage(data, engine="lists", **options)
    )
    # Which of equal values is seen first depends on what the engine computes by itself, for which it needs the points.
    tuned(near_part=10**9)
    np.testing.assert_array_equal(
        chamfer.linkage(spread(data), **options), chamfer.linkage(data, engine="lists", **options)
    )


@pytest.mark.usefixtures("client", "small")
def test_ties_by_the_definition():
    X = grid(2, 120, 2)
    reference.replay(chamfer.linkage(spread(X, (50, 30))), distances(X), "chamfer")


@pytest.mark.parametrize(("d", "dtype"), [(16, np.float64), *slow((300, np.float32))])
@pytest.mark.usefixtures("client", "small")
def test_cosine_with_rows_of_zeros_in_some_blocks(d, dtype):
    X = gaussian(1, 300, d, dtype)
    X[[95, 299]] = 0
    Z = chamfer.linkage(spread(X), "chamfer_capped", "cosine")
    np.testing.assert_array_equal(Z, same_here(X, "chamfer_capped", "cosine"))


def own_metric():
    def longest_side(x, y):  # inside, so that it is sent whole: workers do not find the tests
        return np.abs(x - y).max()

    return longest_side


@pytest.mark.parametrize("metric", ["cityblock", *slow("correlation", own_metric())])
@pytest.mark.usefixtures("client", "small")
def test_other_metrics(metric):
    X = gaussian(2, 300, 6, np.float32)
    np.testing.assert_array_equal(
        chamfer.linkage(spread(X), "chamfer_capped", metric), same_here(X, "chamfer_capped", metric)
    )


@pytest.mark.parametrize("scale", [*slow(1e-200, 1e-20), 1e17, *slow(1e200)])
@pytest.mark.usefixtures("client", "small")
def test_a_block_far_from_the_others(scale):
    # Multiplied in float32, the lengths of the last block would overflow, and its points be lost.
    X = gaussian(4, 300, 6) * scale
    X[250:] += 1e3 * scale
    np.testing.assert_array_equal(chamfer.linkage(spread(X), "chamfer_capped"), same_here(X, "chamfer_capped"))


@pytest.mark.usefixtures("client", "small")
def test_sums_of_distances_that_overflow():
    X = np.random.default_rng(0).random((300, 2)) * 8e307
    with pytest.raises(ValueError, match=r"'chebyshev' gave distances .* sums overflow"):
        chamfer.linkage(spread(X), "chamfer_capped", "chebyshev")


@pytest.mark.usefixtures("small")
def test_nearest_is_that_of_one_machine(client):
    X, generator = gaussian(5, 500, 30), np.random.default_rng(0)
    labels = generator.integers(0, 60, size=500).astype(np.int32)
    asked = generator.choice(500, 200, replace=False).astype(np.int32)
    with chamfer.DaskSource(spread(X), client=client) as source:
        found = source.nearest(asked, labels, 20, 1)
    expected = BlasSource(check_input(X, "euclidean")).nearest(asked, labels, 20, 1)
    np.testing.assert_array_equal(np.sort(found.clusters), np.sort(expected.clusters))
    np.testing.assert_array_equal(np.sort(found.distances), np.sort(expected.distances))
    np.testing.assert_array_equal(found.bounds, expected.bounds)


@pytest.mark.usefixtures("small")
def test_more_clusters_asked_for_than_there_are(client):
    X = gaussian(6, 300, 5)
    labels = (np.arange(300) % 3).astype(np.int32)
    with chamfer.DaskSource(spread(X), client=client) as source:
        found = source.nearest(np.arange(300, dtype=np.int32), labels, 5, 1)
    assert ((found.clusters >= 0).sum(axis=1) == 2).all()
    np.testing.assert_array_equal(found.bounds, found.distances[:, :2].max(axis=1))


@pytest.mark.usefixtures("small")
def test_an_array_that_is_here_goes_to_the_cluster(cluster, tmp_path):
    X = gaussian(7, 300, 6, np.float32)
    file = np.memmap(tmp_path / "points", np.float32, "w+", shape=X.shape)
    file[:] = X
    for points in (X, file):
        Z = chamfer.linkage(points, "chamfer_capped", client=cluster)
        np.testing.assert_array_equal(Z, same_here(X, "chamfer_capped"))
    with chamfer.DaskSource(X, client=cluster) as source:
        assert source.points.n == 300


@pytest.mark.usefixtures("small")
def test_points_stay_with_the_workers(client):
    here = os.getpid()

    def make(block_id=None):
        if os.getpid() == here:
            raise AssertionError("computed by the driver")
        return np.random.default_rng(block_id).normal(size=(100, 5))

    X = da.map_blocks(make, chunks=((100,) * 4, (5,)), dtype=float, meta=np.empty((0, 0)))
    with chamfer.DaskSource(X, client=client) as source:
        assert source.points is None
        Z = chamfer.linkage(X, "chamfer_capped", source=source)
    expected = np.concatenate([np.random.default_rng((i, 0)).normal(size=(100, 5)) for i in range(4)])
    np.testing.assert_array_equal(Z, same_here(expected, "chamfer_capped"))


@pytest.mark.usefixtures("small")
def test_without_a_cluster_threads_do_it():
    X = gaussian(8, 300, 6)
    with pytest.raises(ValueError, match="No clients found"):
        dask_distributed.default_client()
    before = threading.active_count()
    Z = chamfer.linkage(spread(X), "chamfer_capped", n_jobs=2)
    np.testing.assert_array_equal(Z, same_here(X, "chamfer_capped"))
    deadline = time.monotonic() + 10
    while threading.active_count() > before + 4:  # pools that Dask keeps
        assert time.monotonic() < deadline, threading.enumerate()
        time.sleep(0.05)


@pytest.mark.usefixtures("client", "small")
def test_integers_and_columns_in_chunks():
    X = np.random.default_rng(0).integers(0, 1000, size=(300, 6))
    Z = chamfer.linkage(da.from_array(X, chunks=(100, 4)), "chamfer_capped")
    np.testing.assert_array_equal(Z, same_here(X, "chamfer_capped"))


@pytest.mark.slow
@pytest.mark.usefixtures("client", "small")
def test_tables():
    frames = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X = gaussian(9, 300, 5)
    Z = chamfer.linkage(frames.from_pandas(pd.DataFrame(X), npartitions=3), "chamfer_capped")
    np.testing.assert_array_equal(Z, same_here(X, "chamfer_capped"))


@pytest.mark.usefixtures("client", "small")
def test_estimator():
    X = gaussian(10, 300, 5)
    model = chamfer.AgglomerativeClustering(n_clusters=4, linkage="chamfer_capped").fit(spread(X))
    expected = chamfer.AgglomerativeClustering(n_clusters=4, linkage="chamfer_capped").fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match="predict"):
        model.predict(X)


def test_small_chunks_are_joined():
    least = tuning.current.block_rows
    assert distributed._join((least, least)) == [least, least]
    assert distributed._join((1,) * (2 * least + 5)) == [least, least + 5]
    assert distributed._join((3, 4)) == [7]
    assert distributed._join((5, 0, least, 2 * least, 9)) == [least + 5, 2 * least + 9]


def victim_during(monkeypatch, client, call):
    """Kill a worker in the midst of the given call for nearest clusters; gives who died and what was under way."""
    pids, calls, killed = client.run(os.getpid), [], {}
    nearest, ask = chamfer.DaskSource.nearest, chamfer.DaskSource._ask

    def counted(self, *arguments):
        calls.append(0)
        return nearest(self, *arguments)

    def ask_and_kill(self, *arguments):
        future = ask(self, *arguments)
        calls[-1] += 1
        if len(calls) == call and not killed:
            deadline = time.monotonic() + 10
            while not killed and time.monotonic() < deadline:
                for address, keys in client.processing().items():
                    busy = [key for key in keys if key.startswith("visit")]
                    if busy:
                        os.kill(pids[address], signal.SIGKILL)
                        killed.update(pid=pids[address], busy=busy)
                        break
        return future

    monkeypatch.setattr(chamfer.DaskSource, "nearest", counted)
    monkeypatch.setattr(chamfer.DaskSource, "_ask", ask_and_kill)
    return killed


@pytest.mark.slow
@pytest.mark.parametrize("call", [1, 2], ids=["first pass", "refresh"])
@pytest.mark.usefixtures("small")
def test_a_worker_dies(client, monkeypatch, call):
    # Slow enough to be caught at work, by a metric that the compiled searches do not know.
    X, metric = gaussian(11, 300, 5), own_metric()
    expected = same_here(X, metric=metric)
    client.wait_for_workers(2)
    killed = victim_during(monkeypatch, client, call)
    info = chamfer.Info()
    Z = chamfer.linkage(spread(X), metric=metric, info=info)
    assert killed["busy"]
    assert info.refreshes > 0
    np.testing.assert_array_equal(Z, expected)
    client.wait_for_workers(2)
    assert killed["pid"] not in client.run(os.getpid).values()


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_ctrl_c_cancels_what_is_under_way(client, monkeypatch):
    def slow(x, y):
        time.sleep(1e-4)
        return np.abs(x - y).max()

    X, begun = gaussian(12, 300, 5), []
    ask = chamfer.DaskSource._ask

    def ask_and_interrupt(self, *arguments):
        if not begun:
            begun.append(time.monotonic())
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        return ask(self, *arguments)

    monkeypatch.setattr(chamfer.DaskSource, "_ask", ask_and_interrupt)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # none if tests run in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            chamfer.linkage(spread(X), metric=slow)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert time.monotonic() - begun[0] < 3  # all of it takes several times as long
    deadline = time.monotonic() + 10
    while any(client.processing().values()):
        assert time.monotonic() < deadline, client.processing()
        time.sleep(0.05)
    monkeypatch.undo()
    np.testing.assert_array_equal(chamfer.linkage(spread(X), "chamfer_capped"), same_here(X, "chamfer_capped"))


def with_nan():
    X = gaussian(0, 300, 5)
    X[120, 3] = np.nan
    return spread(X)


@pytest.mark.parametrize(
    ("X", "options", "words"),
    [
        (with_nan(), {}, "X must be an array of finite real numbers, got NaN or infinity in rows 90 to 139"),
        (spread(gaussian(0, 300, 5) * 1e200), {"metric": "sqeuclidean"}, "X spans too wide a range"),
        (spread(gaussian(0, 300, 5))[:, 0], {}, "X must have two dimensions"),
        (spread(gaussian(0, 300, 5))[spread(gaussian(0, 300, 5))[:, 0] > 0], {}, "X must have chunks of known sizes"),
        (spread(gaussian(0, 300, 5)).astype(complex), {}, "X must be an array of finite real numbers, got dtype"),
        (spread(gaussian(0, 300, 5))[:0], {}, "X must hold points as rows"),
        (
            spread(gaussian(0, 300, 5)),
            {"method": "ward"},
            "engine 'lists' takes one of chamfer, .* for points on a cluster",
        ),
        (spread(gaussian(0, 300, 5)), {"engine": "dense"}, "engine must be 'lists'"),
        (spread(gaussian(0, 300, 5)), {"source": "blas"}, "source must be 'auto'"),
        (spread(gaussian(0, 300, 5)), {"metric": "mahalanobis"}, "metric must not be 'mahalanobis'"),
        (spread(gaussian(0, 300, 5)), {"metric": "precomputed"}, "metric must not be 'precomputed'"),
        (spread(gaussian(0, 300, 5)), {"t": 3}, "engine must be 'tradeoff' for t, got 'lists'"),
        (
            spread(gaussian(0, 300, 5)),
            {"optimal_ordering": True},
            "optimal_ordering must be False for points on a cluster",
        ),
        (spread(gaussian(0, 300, 5)), {"client": "there"}, "client must be a distributed.Client"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("client", "small")
def test_refusals(X, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        chamfer.linkage(X, **options)


def test_distances_do_not_go_to_a_cluster(client):
    with pytest.raises(ValueError, match="X must hold points as rows"):
        chamfer.linkage(np.arange(1.0, 4.0), client=client)


def test_one_point():
    assert chamfer.linkage(da.ones((1, 3))).shape == (0, 4)


def test_dask_is_imported_only_when_needed():
    code = "import sys, chamfer; sys.exit(any(name in sys.modules for name in ('dask', 'distributed')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
