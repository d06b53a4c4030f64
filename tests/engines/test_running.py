"""While it runs: progress bars, Ctrl-C, the interpreter lock, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from threadpoolctl import threadpool_info

import chamfer
from cases import gaussian


class TestProgress:
    @pytest.mark.parametrize("method", ["chamfer", "average", "centroid"])
    def test_bars_for_distances_and_merges(self, method, capsys):
        chamfer.linkage(gaussian(0, 50, 2), method, engine="dense", progress=True)
        out, err = capsys.readouterr()
        assert out == ""
        for stage in ("distances", "merges"):
            assert f"{stage}: 100%" in err
        assert err.index("distances") < err.index("merges")

    @pytest.mark.parametrize("metric", ["cityblock", "euclidean"])
    def test_bar_of_other_ways_to_the_tree(self, metric, capsys):
        chamfer.linkage(gaussian(0, 50, 2), "single", metric, progress=True)
        assert "merges: 100%" in capsys.readouterr().err

    @pytest.mark.parametrize("metric", ["cityblock", "euclidean"])
    def test_silence_otherwise(self, metric, capsys):
        chamfer.linkage(gaussian(0, 50, 2), "average", metric)
        assert capsys.readouterr() == ("", "")

    def test_the_tree_is_the_same(self):
        X = gaussian(1, 600, 20)
        np.testing.assert_array_equal(chamfer.linkage(X, progress=True), chamfer.linkage(X))

    def test_bars_move_while_they_run(self, capsys):
        # As many points as it takes for several looks at the clock.
        for n in (12_000, 24_000, 48_000, 96_000):
            chamfer.linkage(gaussian(2, n, 8), "ward", engine="points", n_jobs=1, progress=True)
            shown = {part.split("|")[0] for part in capsys.readouterr().err.split("\r")}
            if shown - {"", "merges:   0%", "merges: 100%"}:
                return
        pytest.fail("no bar moved")


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import chamfer

signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests run in the background do without

n, d = {shape}
X = np.random.default_rng(0).random((n, d), dtype=np.float32)
try:
    chamfer.linkage(X, {arguments}, n_jobs=2, progress=True)
except KeyboardInterrupt:
    print(time.time())
time.sleep(0.3)
before = time.process_time()
time.sleep(0.5)
print([type(thread).__name__ for thread in threading.enumerate()])
print(time.process_time() - before)
print(chamfer.linkage([[0.0], [1.0]]).tolist())
"""


@pytest.mark.parametrize(
    ("stage", "shape", "arguments"),
    [
        pytest.param("distances", (12_000, 4_000), "'average'", id="by products", marks=pytest.mark.slow),
        pytest.param("distances", (12_000, 50), "'average', 'canberra'", id="by SciPy", marks=pytest.mark.slow),
        pytest.param(
            "distances",
            (8_000, 4),
            "'average', lambda x, y: np.abs(x - y).sum()",
            id="distances by a function",
            marks=pytest.mark.slow,
        ),
        pytest.param("merges", (100_000, 8), "'ward', engine='points'", id="lists of centres", marks=pytest.mark.slow),
        pytest.param(
            "merges", (100_000, 8), "'centroid', engine='points'", id="centres that come closer", marks=pytest.mark.slow
        ),
        pytest.param(
            "nearest neighbours",
            (100_000, 64),
            "'single', engine='points'",
            id="nearest neighbours",
            marks=pytest.mark.slow,
        ),
        pytest.param("merges", (20_000, 100), "t=50", id="trade-off", marks=pytest.mark.slow),
        pytest.param("merges", (80_000, 8), "'centroid', epsilon=0.1", id="approximate", marks=pytest.mark.slow),
        pytest.param(
            "nearest neighbours",
            (100_000, 32),
            "'chamfer_capped', source='ann'",
            id="index",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "merges", (100_000, 8), "'chamfer_symmetric', engine='points'", id="symmetric", marks=pytest.mark.slow
        ),
        pytest.param("merges", (10_000, 8), "'chamfer_normalized_symmetric', engine='dense'", id="chamfer"),
    ],
)
def test_ctrl_c(stage, shape, arguments):
    script = INTERRUPTED.format(shape=shape, arguments=arguments)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        seen = ""
        while f"{stage}:" not in seen:
            character = child.stderr.read(1)
            assert character, f"it ended before {stage}: {seen}"
            seen += character
        time.sleep(0.3)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    lines = out.splitlines()
    assert len(lines) == 4, f"it was not interrupted: {out}"
    interrupted, threads, busy, after = lines
    assert float(interrupted) - sent < 3, "it took long to stop"
    assert threads in ("['_MainThread']", "['_MainThread', 'TMonitor']"), "a thread is left, and not tqdm's own"
    assert float(busy) < 0.25, "something is still computing"
    assert after == "[[0.0, 1.0, 1.0, 2.0]]"


@pytest.mark.parametrize(
    ("shape", "arguments"),
    [((3_000, 400), {"method": "average"}), ((8_000, 8), {"method": "ward", "engine": "points"})],
    ids=["distances", "merges"],
)
def test_other_threads_run_meanwhile(shape, arguments):
    X = gaussian(0, *shape, np.float32)
    turns, stop = [], threading.Event()

    def work():
        while not stop.wait(0.001):
            turns.append(time.perf_counter())

    other = threading.Thread(target=work)
    other.start()
    start = time.perf_counter()
    chamfer.linkage(X, **arguments)
    end = time.perf_counter()
    stop.set()
    other.join()
    # With the lock kept there would be none at all.
    during = sum(start < turn < end for turn in turns)
    assert during > 10 * (end - start)


FORKED = """
import os, signal
import numpy as np
import chamfer

X = np.random.default_rng(0).normal(size=(700, 20))
expected = chamfer.linkage(X, "average", n_jobs=2)
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if np.array_equal(chamfer.linkage(X, "average", n_jobs=2), expected) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_does_not_wait_for_the_threads_of_its_parent():
    run = run_python(FORKED)
    assert run.stdout == "0\n", run.stderr


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )


EVERY_WIDTH = """
import numpy as np
from chamfer import _core
from chamfer._types import Points
from chamfer.sources.products import BlasSource

def by_definition(x, y):
    strands = np.zeros((-(-len(x) // 32), 32))
    strands.flat[:len(x)] = np.subtract(x, y, dtype=np.float64) ** 2
    sums = np.add.accumulate(strands)[-1]
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return np.sqrt(sums[0])

everything = np.arange(8, dtype=np.int32)
for dtype in ("f4", "f8"):
    for d in range(17, 131):
        X = np.random.default_rng(d).normal(size=(8, d)).astype(dtype)
        answer = BlasSource(Points(X, "euclidean")).nearest(everything, everything, 5, 1)
        distances = np.array([[by_definition(x, y) for y in X] for x in X]).astype(dtype)
        np.testing.assert_array_equal(distances[everything[:, None], answer.clusters], answer.distances)
        np.testing.assert_array_equal(np.sort(distances)[:, 1:6], np.sort(answer.distances))
print(_core.level)
"""


class TestLevels:
    @pytest.mark.parametrize("level", ["base", "v3", "v4"])
    def test_distances_have_the_same_bits(self, level):
        run = run_python(EVERY_WIDTH, CHAMFER_LEVEL=level)
        if "a level that this machine knows" in run.stderr:
            pytest.skip(f"the machine does not know {level}")
        assert run.stdout == f"{level}\n", run.stderr

    def test_the_baseline_is_everywhere(self):
        run = run_python("from chamfer import _core; print(_core.level)", CHAMFER_LEVEL="base")
        assert run.stdout == "base\n", run.stderr

    @pytest.mark.slow
    def test_a_level_that_the_machine_does_not_know(self):
        run = run_python("from chamfer import _core", CHAMFER_LEVEL="v99")
        assert "CHAMFER_LEVEL must be a level that this machine knows" in run.stderr


MANY_CALLERS = """
import os, threading, time
import numpy as np
import chamfer

X = np.random.default_rng(0).normal(size=(2000, 3))
chamfer.linkage(X, "complete", n_jobs=1)  # which imports what it needs
before = len(os.listdir("/proc/self/task"))
callers = [threading.Thread(target=chamfer.linkage, args=(X, "complete"), kwargs={"n_jobs": 2}) for _ in range(8)]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
time.sleep(1)  # callers that have just ended may still be counted
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="counts threads as Linux does")
def test_many_callers_share_one_pool_of_threads():
    run = run_python(MANY_CALLERS, OPENBLAS_NUM_THREADS="1")
    assert run.stdout == "1\n", run.stderr


def blas_threads():
    return [(library["filepath"], library["num_threads"]) for library in threadpool_info()]


class TestNothingIsLeftBehind:
    def test_blas_keeps_its_threads(self):
        before = blas_threads()
        chamfer.linkage(gaussian(3, 600, 20), "average")
        assert blas_threads() == before

    def test_no_python_thread_is_left(self):
        before = threading.active_count()
        chamfer.linkage(gaussian(4, 300, 2), "average", "cityblock", n_jobs=2)
        assert threading.active_count() == before

    def test_calls_from_several_threads(self):
        X = gaussian(5, 600, 20)
        expected = chamfer.linkage(pdist(X), "average")
        before, trees = blas_threads(), []
        callers = [
            threading.Thread(target=lambda: trees.extend(chamfer.linkage(X, "average", n_jobs=2) for _ in range(5)))
            for _ in range(4)
        ]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert len(trees) == 20
        for Z in trees:
            np.testing.assert_allclose(Z, expected, rtol=1e-9)
        assert blas_threads() == before
