"""A run that is killed goes on from its checkpoint and gives the tree that it would have given."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest

import chamfer
from cases import distances, gaussian
from chamfer import hac, sources
from chamfer.sources import make


class Counted(sources.TreeSource):
    """A source that counts what it is asked, and breaks down before the question of a given number."""

    def __init__(self, X, last=10**9):
        super().__init__(sources.Points(X, "euclidean"))
        self.asked, self.last = [], last

    def nearest(self, points, labels, k, threads, tick=None):
        if len(self.asked) == self.last:
            raise KeyboardInterrupt
        self.asked.append(len(points))
        return super().nearest(points, labels, k, threads, tick)


KILLED = """
import os, random, signal, sys, time
import numpy as np
import chamfer
from dataclasses import replace
from chamfer import sources, tuning

tuning.current = replace(tuning.current, first_list=3, next_list=2, batch=4, near_part=10**9)
X = np.random.default_rng(0).normal(size=(300, 3))
path, finished = sys.argv[1], sys.argv[2]

class Slow(sources.TreeSource):
    asked = 0
    def nearest(self, *question):
        Slow.asked += 1
        time.sleep(0.002)
        return super().nearest(*question)

def size():
    return os.path.getsize(path) if os.path.exists(path) else 0

def start():
    child = os.fork()
    if not child:
        Z = chamfer.linkage(X, source=Slow(sources.Points(X, "euclidean")), checkpoint=path)
        np.savez(finished, Z=Z, asked=Slow.asked)
        os._exit(0)
    return child

def finish():
    assert os.waitpid(start(), 0)[1] == 0
    with np.load(finished) as run:
        return run["Z"], int(run["asked"])

expected, questions = finish()
whole, in_first, killed = size(), 0, 0
random.seed(0)
while killed < 20:
    os.remove(path)
    target = random.randrange(whole)
    child = start()
    while size() < target:
        time.sleep(0.0005)
    time.sleep(random.random() * 0.003)
    os.kill(child, signal.SIGKILL)
    if os.waitpid(child, 0)[1] != signal.SIGKILL:
        continue  # it was faster
    killed += 1
    Z, asked = finish()
    assert np.array_equal(Z, expected)
    assert asked < questions or target < 2000
    assert size() == whole
    in_first += asked > questions - 16
print(in_first, questions)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_twenty_times(path, tmp_path):
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "finished.npz")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    in_first_lists, questions = map(int, done.stdout.split())
    assert 2 <= in_first_lists <= 18, "kills should fall into first lists and into later ones"
    assert questions > 50


@pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized", "chamfer_capped"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.usefixtures("short_lists")
def test_interrupted_after_every_answer(method, dtype, path):
    X = gaussian(1, 60, 2, dtype)
    X[:30] += 50  # so that capped linkage asks again
    options = {"method": method, "n_neighbors": 2}
    whole = Counted(X)
    expected = chamfer.linkage(X, source=whole, **options)
    assert len(whole.asked) > 1
    Z, runs = None, 0
    while Z is None:
        runs += 1
        with contextlib.suppress(KeyboardInterrupt):
            Z = chamfer.linkage(X, source=Counted(X, last=1), checkpoint=path, **options)
    np.testing.assert_array_equal(Z, expected)
    assert runs == 16 + len(whole.asked) - 1, "first lists are asked for in 16 parts, everything once"


@pytest.mark.parametrize("source", ["blas", "tree", "cdist"])
def test_sources(source, path):
    X = gaussian(3, 200, 4)
    expected = chamfer.linkage(X, source=source)
    for _ in range(2):
        np.testing.assert_array_equal(chamfer.linkage(X, source=source, checkpoint=path), expected)


def test_distances(path):
    D = distances(gaussian(3, 100, 4), "cityblock")
    expected = chamfer.linkage(D, metric="precomputed", engine="lists")
    for _ in range(2):
        np.testing.assert_array_equal(chamfer.linkage(D, metric="precomputed", checkpoint=path), expected)


def test_source_of_your_own_without_extras(path):
    X, asked = gaussian(4, 100, 2), []

    class Plain:
        n, dtype = 100, np.dtype(np.float64)
        inner = sources.CdistSource(sources.Points(X, "euclidean"))

        def nearest(self, points, labels, k, threads, tick=None):
            asked.append(len(points))
            return self.inner.nearest(points, labels, k, threads, tick)

    expected = chamfer.linkage(X, source=Plain())
    asked.clear()
    np.testing.assert_array_equal(chamfer.linkage(X, source=Plain(), checkpoint=path), expected)
    assert asked[:16] == [7] * 4 + [6] * 12
    asked.clear()
    np.testing.assert_array_equal(chamfer.linkage(X, source=Plain(), checkpoint=path), expected)
    assert asked == []


def test_fewer_points_than_parts(path):
    X = gaussian(0, 3, 2)
    for _ in range(2):
        np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), chamfer.linkage(X))


def test_the_source_stays_what_it_was(path, monkeypatch):
    X = gaussian(5, 300, 8)
    kinds = [sources.TreeSource, sources.BlasSource]
    monkeypatch.setattr(make, "choose_source", lambda points, k, threads: kinds.pop(0)(points))
    found = []
    for _ in range(2):
        info = chamfer.Info()
        found.append(chamfer.linkage(X, checkpoint=path, info=info))
        assert info.source == "TreeSource"
    np.testing.assert_array_equal(*found)
    assert not kinds


def test_threads_and_limits_may_change(path):
    X = gaussian(6, 300, 8)
    expected = chamfer.linkage(X, checkpoint=path, n_jobs=1)
    np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path, n_jobs=2, memory_limit="1GB"), expected)


@pytest.mark.usefixtures("short_lists")
def test_progress_goes_to_the_end(path, capsys):
    X = gaussian(7, 100, 2)
    with pytest.raises(KeyboardInterrupt):
        chamfer.linkage(X, source=Counted(X, last=20), checkpoint=path)
    chamfer.linkage(X, source=Counted(X), checkpoint=path, progress=True)
    err = capsys.readouterr().err
    assert "nearest neighbours: 100%" in err
    assert "merges: 100%" in err
    assert "100/100" in err
    assert "99.0/99.0" in err


class TestRefusals:
    X = gaussian(8, 40, 2)

    @pytest.mark.parametrize(
        ("X", "options", "words"),
        [
            (X + 1e-9, {}, "other data"),
            (X[:39], {}, r"X\.shape \[40, 2\], not \[39, 2\]"),
            (X.astype(np.float32), {}, "X.dtype 'float64', not 'float32'"),
            (X, {"method": "chamfer_normalized"}, "method 'chamfer', not 'chamfer_normalized'"),
            (X, {"metric": "sqeuclidean"}, "metric 'euclidean', not 'sqeuclidean'"),
            (X, {"epsilon": 0.1}, "epsilon 0.0, not 0.1"),
            (X, {"source": "blas"}, "source 'auto', not 'blas'"),
        ],
    )
    def test_checkpoint_of_another_run(self, X, options, words, path):
        chamfer.linkage(self.X, checkpoint=path)
        before = path.read_bytes()
        with pytest.raises(ValueError, match=f"checkpoint .*{words}"):
            chamfer.linkage(X, checkpoint=path, **options)
        assert path.read_bytes() == before

    def test_other_number_of_neighbours(self, path):
        chamfer.linkage(self.X, "chamfer_capped", n_neighbors=5, checkpoint=path)
        with pytest.raises(ValueError, match="n_neighbors 5, not 6"):
            chamfer.linkage(self.X, "chamfer_capped", n_neighbors=6, checkpoint=path)

    def test_other_source_of_the_same_kind(self, path):
        for fingerprint in ("one", "one", "two"):
            source = Counted(self.X)
            source.fingerprint = fingerprint
            if fingerprint == "one":
                chamfer.linkage(self.X, source=source, checkpoint=path)
            else:
                with pytest.raises(ValueError, match=r"source .*'one'.*, not .*'two'"):
                    chamfer.linkage(self.X, source=source, checkpoint=path)

    def test_other_constants(self, path, tuned):
        chamfer.linkage(self.X, checkpoint=path)
        tuned(next_list=9)
        with pytest.raises(ValueError, match=r"checkpoint .*lists"):
            chamfer.linkage(self.X, checkpoint=path)

    @pytest.mark.usefixtures("short_lists")
    def test_run_that_asks_other_questions(self, path, tuned):
        tuned(near_part=1)
        source = Counted(self.X)
        chamfer.linkage(self.X, source=source, checkpoint=path)
        source.near = 0  # another source, though of the same name
        with pytest.raises(ValueError, match=r"checkpoint .* does not go on as this run does"):
            chamfer.linkage(self.X, source=source, checkpoint=path)

    @pytest.mark.parametrize("content", [b"x", b"SQLite format 3\0" + bytes(100), b"chamfer checkpoints"])
    def test_file_that_is_something_else(self, content, path):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="checkpoint must be a file to make or one made before"):
            chamfer.linkage(self.X, checkpoint=path)
        assert path.read_bytes() == content

    def test_another_format(self, path):
        path.write_bytes(b"chamfer checkpoint 9\n")
        with pytest.raises(ValueError, match=r"checkpoint .* another version"):
            chamfer.linkage(self.X, checkpoint=path)

    def test_two_runs_at_once(self, path):
        class Nested(Counted):
            def nearest(self, *question):
                chamfer.linkage(TestRefusals.X, checkpoint=path)

        with pytest.raises(ValueError, match=r"checkpoint .* in use by another run"):
            chamfer.linkage(self.X, source=Nested(self.X), checkpoint=path)

    def test_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="checkpoint cannot be written"):
            chamfer.linkage(self.X, checkpoint=tmp_path / "nowhere" / "file")

    def test_folder(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="checkpoint cannot be written"):
            chamfer.linkage(self.X, checkpoint=tmp_path)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"engine": "dense"}, "engine must be 'lists' for checkpoint, got 'dense'"),
            ({"engine": "points", "method": "ward"}, "engine must be 'lists' for checkpoint, got 'points'"),
            ({"engine": "tradeoff"}, "engine must be 'lists' for checkpoint, got 'tradeoff'"),
            ({"t": 2}, "engine must be 'tradeoff' for t, got 'lists'"),
            ({"method": "ward"}, "engine 'lists' takes one of chamfer, .*got method 'ward'"),
            ({"source": "cdist", "metric": "nonsense"}, "metric"),
        ],
    )
    def test_other_engines_and_arguments(self, options, words, path):
        with pytest.raises(ValueError, match=words):
            chamfer.linkage(self.X, checkpoint=path, **options)
        assert not path.exists()

    def test_not_a_path(self):
        with pytest.raises(TypeError, match="checkpoint must be the name of a file, got 3"):
            chamfer.linkage(self.X, checkpoint=3)


def test_estimator(path):
    X = gaussian(9, 60, 2)
    model = chamfer.AgglomerativeClustering(3, checkpoint=path).fit(X)
    assert path.exists()
    np.testing.assert_array_equal(model.linkage_matrix_, hac.linkage(X, engine="lists"))
