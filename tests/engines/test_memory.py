"""Memory: how much there is, and a refusal that says what is needed and what to do."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

import chamfer
from cases import apart, gaussian, task
from chamfer import memory
from chamfer.engines.dense import DenseEngine
from chamfer.inputs import check_input
from chamfer.sources.base import empty_answer
from chamfer.sources.products import product_search
from marks import slow

X = gaussian(0, 20, 3)


class TestRefusal:
    @pytest.mark.parametrize("method", ["average", "chamfer"])
    def test_too_little_memory(self, method):
        with pytest.raises(MemoryError) as caught:
            chamfer.linkage(gaussian(1, 354, 2), method, engine="dense", memory_limit="10kB")
        allowed = "10 kB are allowed by memory_limit"
        for part in (f"'{method}'", "354 points", "needs", allowed, "float32", "fewer points"):
            assert part in str(caught.value)

    def test_lists_are_taken_if_the_matrix_does_not_fit(self):
        x = gaussian(1, 1000, 2)  # the matrix takes 8 MB
        info = chamfer.Info()
        Z = chamfer.linkage(x, memory_limit="7MB", info=info)
        assert info.source
        np.testing.assert_array_equal(Z, chamfer.linkage(x, engine="lists"))
        with pytest.raises(MemoryError, match=r"1000 points with engine 'lists' needs .* 10 kB are allowed"):
            chamfer.linkage(x, memory_limit="10kB")

    def test_what_it_needs_is_enough(self):
        # 100 points have 4950 pairs of 8 bytes; the points and what is kept of each of them are less.
        for x in (gaussian(2, 100, 2), gaussian(2, 100, 2, np.float32)):
            need = DenseEngine().memory(task(x, "average")) + x.nbytes
            assert 4950 * x.itemsize < need < 4950 * x.itemsize + 24_000
            assert chamfer.linkage(x, "average", memory_limit=need).shape == (99, 4)
            with pytest.raises(MemoryError, match=f"needs {memory.human(need)}"):
                chamfer.linkage(x, "average", memory_limit=need - 1)

    def test_more_than_the_machine_has(self):
        x = np.arange(10_000_000.0)[:, None]
        with pytest.raises(MemoryError, match=r"needs 49 TB, .* are available"):
            chamfer.linkage(x, "average")

    def test_another_engine_is_named_where_there_is_one(self):
        with pytest.raises(MemoryError, match="engine='points'"):
            chamfer.linkage(gaussian(2, 1000, 3), "ward", engine="dense", memory_limit="1MB")

    def test_what_takes_hours_is_named_and_not_taken(self):
        x = gaussian(2, 10_000, 20)
        match = "805 MB, .* are allowed .* or engine='points', which takes much longer"
        with pytest.raises(MemoryError, match=match):
            chamfer.linkage(x, "chamfer_normalized_symmetric", memory_limit="200MB")

    def test_the_points_engine_needs_no_matrix(self):
        x = gaussian(2, 1000, 3)  # the matrix takes 4 MB
        assert chamfer.linkage(x, "ward", engine="points", memory_limit="1MB").shape == (999, 4)
        with pytest.raises(MemoryError, match=r"'points' needs .* 100 kB are allowed by memory_limit"):
            chamfer.linkage(x, "ward", engine="points", memory_limit="100kB")

    def test_condensed_distances_count_for_lists(self):
        y = pdist(gaussian(2, 1000, 3))
        with pytest.raises(MemoryError, match=r"'lists' .*needs .* 5 MB are allowed by memory_limit"):
            chamfer.linkage(y, engine="lists", memory_limit="5MB")
        assert chamfer.linkage(y, engine="lists", memory_limit="20MB").shape == (999, 4)

    def test_the_order_of_leaves_counts(self):
        x = gaussian(2, 200, 3)
        with pytest.raises(MemoryError, match=r"optimal_ordering of 200 points needs .* optimal_ordering=False"):
            chamfer.linkage(x, "average", optimal_ordering=True, memory_limit="1MB")
        assert chamfer.linkage(x, "average", memory_limit="1MB").shape == (199, 4)
        assert chamfer.linkage(x, "average", optimal_ordering=True, memory_limit="2MB").shape == (199, 4)

    @pytest.mark.parametrize("limit", ["70kB", "70 kb", "0.07MB", "0.00007G", " 68.4KiB ", "70000", 70_000, 70_000.0])
    def test_ways_to_write_a_limit(self, limit):
        assert chamfer.linkage(gaussian(3, 100, 2), "average", memory_limit=limit).shape == (99, 4)
        with pytest.raises(MemoryError, match="70 kB are allowed"):
            chamfer.linkage(gaussian(3, 110, 2), "average", memory_limit=limit)


ALLOWED = 24_000_000  # bytes: buffers of threads, Python's own objects
ESTIMATE = """
import sys
sys.path.insert(0, {folder!r})
from cases import task
from chamfer.engines.choose import ENGINES
from scipy.sparse import diags
from scipy.spatial.distance import pdist

def size(field):
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith(field)).split()[1])

def grid(X):  # 200 points a row
    n = X.shape[0]
    return diags([np.ones(n - 1), np.ones(n - 200)], [1, 200], shape=(n, n)).tocsr()

def make(n):
    X = np.random.default_rng(0).normal(size=(n, {d})).astype({dtype!r})
    X = grid(X) if {metric!r} == "precomputed" else pdist(X) if {given} else X
    return task(X, {method!r}, {metric!r}, rules={rules}, **{options})

def engine(task):
    return next(each for each in ENGINES if each.name == {name!r} and each.refuses(task) is None)

small, large = make(2200), make({n})
engine(small).run(small)  # what is imported later is there, and threads are started
before = size("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the largest size so far
estimate = engine(large).memory(large)
engine(large).run(large)
print(estimate, size("VmHWM") - before)
"""


def estimated_and_used(name, method, n, d, **more):
    given = {"metric": "euclidean", "dtype": "float64", "given": False, "rules": None, "options": {}} | more
    code = ESTIMATE.format(folder=str(Path(__file__).parents[1]), name=name, method=method, n=n, d=d, **given)
    estimate, used = (int(each) for each in apart(code, timeout=400).split())
    return estimate, used


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the largest size from /proc")
@pytest.mark.parametrize(
    ("name", "method", "n", "d", "more"),
    [
        ("dense", "chamfer", 5_000, 30, {"dtype": "float32"}),
        ("dense", "average", 6_000, 300, {}),
        ("dense", "average", 5_000, 30, {"metric": "cityblock", "dtype": "float32"}),
        ("dense", "average", 30_000, 8, {}),
        ("dense", "complete", 30_000, 2, {"dtype": "float32"}),
        ("dense", "weighted", 20_000, 16, {}),
        ("dense", "chamfer", 4_000, 5, {"given": True}),
        ("dense", "ward", 4_000, 5, {"given": True}),
        ("points", "single", 300_000, 2, {}),
        ("points", "ward", 100_000, 2, {}),
        ("points", "average", 100_000, 2, {"metric": "sqeuclidean"}),
        ("points", "ward", 20_000, 300, {"dtype": "float32"}),
        ("points", "centroid", 20_000, 4, {}),
        ("points", "centroid", 6_000, 400, {"options": {"epsilon": 0.5}}),
        ("points", "chamfer_symmetric", 100_000, 2, {}),
        ("points", "chamfer_symmetric", 30_000, 8, {"dtype": "float32"}),
        ("points", "chamfer_normalized_symmetric", 50_000, 2, {}),
        ("lists", "chamfer", 60_000, 2, {}),
        ("lists", "chamfer", 30_000, 100, {"dtype": "float32"}),
        ("lists", "chamfer_capped", 200_000, 2, {"dtype": "float32"}),
        ("lists", "chamfer_capped", 60_000, 20, {"options": {"source": "ann"}}),
        ("lists", "chamfer", 8_000, 5, {"metric": "cityblock"}),
        ("lists", "chamfer", 6_000, 5, {"given": True}),
        ("tradeoff", "chamfer", 5_000, 8, {"options": {"t": 1}, "dtype": "float32"}),
        ("tradeoff", "chamfer", 6_000, 8, {"options": {"t": 2}}),
        ("dense", "average", 3_000, 5, {"rules": '{"max_size": 9}', "dtype": "float32"}),
        ("dense", "chamfer", 2_500, 5, {"rules": '{"connectivity": grid}'}),
        ("graph", "ward", 200_000, 3, {"rules": '{"connectivity": grid}'}),
        ("graph", "single", 200_000, 3, {"rules": '{"connectivity": grid}'}),
        ("graph", "average", 200_000, 3, {"metric": "precomputed"}),
        ("graph", "chamfer", 40_000, 3, {"rules": '{"connectivity": grid}'}),
        ("graph", "chamfer_capped", 40_000, 3, {"rules": '{"connectivity": grid}', "dtype": "float32"}),
    ],
    ids=str,
)
def test_the_estimate_is_honest(name, method, n, d, more):
    estimate, used = estimated_and_used(name, method, n, d, **more)
    assert used <= estimate + ALLOWED
    assert estimate <= 2.5 * used + ALLOWED


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
class TestFewCoordinates:
    """Most pairs merge before any distance is written; memory is asked for when it is known for how many clusters."""

    def test_less_than_all_distances(self, method):
        x = gaussian(6, 6_000, 3)
        Z = chamfer.linkage(x, method, memory_limit=6_000 * 5_999 // 2 * 8 // 2)
        np.testing.assert_array_equal(Z, chamfer.linkage(x, method))

    def test_data_of_which_few_merge(self, method):
        chain = np.cumsum(1.01 ** np.arange(3_000))[:, None]  # each point is nearest to the one before
        with pytest.raises(MemoryError, match=r"'dense' needs 3\d.* MB, 20 MB are allowed by memory_limit"):
            chamfer.linkage(chain, method, memory_limit="20MB")
        assert len(chamfer.linkage(chain, method, memory_limit="40MB")) == 2_999


LIMITED = """
import resource

def limit(more):
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more,) * 2)

X = np.random.default_rng(0).normal(size=(4000, 30))
chamfer.linkage(X[:600])  # what is imported later is there, and threads are started
for engine, method in [("dense", "average"), ("dense", "chamfer"), ("lists", "chamfer"), ("points", "ward")]:
    chamfer.linkage(X[:2100], method, engine=engine)
limit(MORE)  # so many bytes more than there are now
for engine, method in [("dense", "average"), ("dense", "chamfer"), ("lists", "chamfer"), ("points", "ward")]:
    try:
        chamfer.linkage(X, method, engine=engine)
        print("enough")
    except MemoryError:
        print("refused")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of the address space are Linux's")
@pytest.mark.parametrize(
    "more",
    [*slow(0), 3_000_000, *slow(10_000_000, 30_000_000, 100_000_000)],
)
def test_an_allocation_that_fails_is_an_error(more):
    out = apart(LIMITED.replace("MORE", str(more)))
    assert len(out.split()) == 4
    assert more > 3_000_000 or "refused" in out


# With glibc told to ask the system for every allocation, those of threads at work fail as well.
ONE_BY_ONE = """
import resource

X = np.random.default_rng(0).normal(size=(3000, 24))
chamfer.linkage(X, "ward", engine="points", n_jobs=2)
refused = 0
for more in range(0, 3_000_000, 60_000):
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, resource.RLIM_INFINITY))
    try:
        chamfer.linkage(X, "ward", engine="points", n_jobs=2)
    except MemoryError:
        refused += 1
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(refused)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of the address space are Linux's")
def test_an_allocation_that_fails_in_a_thread_is_an_error():
    tuned = {"MALLOC_MMAP_THRESHOLD_": "64", "MALLOC_MMAP_MAX_": "1000000", "MALLOC_ARENA_MAX": "1"}
    assert int(apart(ONE_BY_ONE, **tuned)) > 5


class TestManyBlocks:
    """What all pairs of blocks, or all coordinates, would take is taken a part at a time."""

    @pytest.mark.parametrize("pairs", [1, 10, 50])
    def test_pairs_of_blocks(self, pairs):
        points = check_input(gaussian(4, 3_000, 6), "euclidean")
        search = product_search(points, points.X - points.X.mean(axis=0))
        expected, found = empty_answer(3_000, 8, np.float64), empty_answer(3_000, 8, np.float64)
        search.all_points(**expected._asdict(), threads=2)
        search.all_points(**found._asdict(), threads=2, pairs_at_once=pairs)
        np.testing.assert_array_equal(np.sort(found.clusters), np.sort(expected.clusters))
        np.testing.assert_array_equal(found.bounds, expected.bounds)

    def test_many_coordinates(self):
        X = gaussian(5, 600, 5_000)
        Z = chamfer.linkage(X, "average")
        np.testing.assert_allclose(Z[:, 2], hierarchy.linkage(X, "average")[:, 2], rtol=1e-9)

    @pytest.mark.slow
    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the largest size from /proc")
    def test_few_points_of_many_coordinates_take_little_memory(self):
        out = apart(
            """
import resource
X = np.random.default_rng(0).normal(size=(520, 30_000)).astype(np.float32)
chamfer.linkage(X[:, :100], "average")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
chamfer.linkage(X, "average", n_jobs=4)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
        )
        assert int(out) < 4 * 520 * 30_000 * 4  # 250 MB; rows in double for each thread took 1 GB


class TestAvailableMemory:
    """What the system's files say, under names and in units of its own."""

    machine = {"/proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 5000 kB\n"}
    new = {
        "/sys/fs/cgroup/memory.max": "4000000\n",
        "/sys/fs/cgroup/memory.current": "3000000\n",
        "/sys/fs/cgroup/memory.stat": "anon 5\ninactive_file 200000\nactive_file 100000\n",
    }
    old = {
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "4000000\n",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes": "2500000\n",
        "/sys/fs/cgroup/memory/memory.stat": "inactive_file 7\ntotal_inactive_file 300000\ntotal_active_file 0\n",
    }

    service = {
        "/proc/self/cgroup": "0::/system.slice/chamfer.service\n",
        "/sys/fs/cgroup/system.slice/chamfer.service/memory.max": "3000000\n",
        "/sys/fs/cgroup/system.slice/chamfer.service/memory.current": "1000000\n",
    }
    slice_above = {
        "/sys/fs/cgroup/system.slice/memory.max": "3500000\n",
        "/sys/fs/cgroup/system.slice/memory.current": "2800000\n",
    }
    job = {
        "/proc/self/cgroup": "9:cpu,cpuacct:/\n5:memory:/slurm/uid_0/job_7\n0::/\n",
        "/sys/fs/cgroup/memory/slurm/uid_0/job_7/memory.limit_in_bytes": "1000000\n",
        "/sys/fs/cgroup/memory/slurm/uid_0/job_7/memory.usage_in_bytes": "100000\n",
    }

    @pytest.mark.parametrize(
        ("files", "available"),
        [
            pytest.param(machine, 5000 * 1024, id="a machine"),
            pytest.param(machine | new, 1_300_000, id="a container"),
            pytest.param(machine | old, 1_800_000, id="an older container"),
            pytest.param(machine | new | {"/sys/fs/cgroup/memory.max": "max\n"}, 5000 * 1024, id="no limit"),
            pytest.param(new | {"/sys/fs/cgroup/memory.max": "1000\n"}, 0, id="more used than allowed"),
            pytest.param(machine | service, 2_000_000, id="a service"),
            pytest.param(machine | service | slice_above, 700_000, id="a service in a smaller slice"),
            pytest.param(machine | job, 900_000, id="a job of a batch system"),
        ],
    )
    def test_the_smallest_limit_counts(self, monkeypatch, files, available):
        monkeypatch.setattr(memory, "_lines", lambda name: files.get(name, "").splitlines())
        assert memory.available_memory() == available

    def test_systems_without_such_files(self, monkeypatch):
        monkeypatch.setattr(memory, "_lines", lambda name: [])
        assert memory.available_memory() > 10**8

    def test_here(self):
        assert 10**7 < memory.available_memory() <= 1 << 62

    @pytest.mark.parametrize(
        ("size", "text"),
        [(5, "5 B"), (999, "999 B"), (1000, "1 kB"), (39_600, "39.6 kB"), (4e14, "400 TB")],
    )
    def test_sizes_for_people(self, size, text):
        assert memory.human(size) == text
