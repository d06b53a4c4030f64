"""Memory maps that are too large for a copy stay on disk, and give the trees of the same numbers in memory."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import chamfer
from cases import gaussian, grid
from chamfer import assignment
from chamfer.mapped import check_mapped
from chamfer.sources.visit import nearest_rows

LIMIT = 9_000_000  # bytes: lists fit, a copy of the points would take a third of it


def rows(dtype=np.float64, scale=1.0, shift=0.0, n=2100, d=180):
    """Points near a plane, so that few coordinates tell most of their distances."""
    flat = gaussian(1, n, 3) @ gaussian(2, 3, d) + 0.05 * gaussian(3, n, d)
    return (scale * flat + shift).astype(dtype)


def mapped(path, X):
    np.save(path, X)
    return np.load(path, mmap_mode="r")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "points.npy"


def same_tree(path, X, method="chamfer_capped", metric="euclidean"):
    on_disk = mapped(path, X)
    points = check_mapped(on_disk, metric, LIMIT)
    assert points is not None
    assert points.mapped
    assert not points.X.flags.writeable
    found = chamfer.linkage(on_disk, method, metric, memory_limit=LIMIT)
    np.testing.assert_array_equal(found, chamfer.linkage(X, method, metric, engine="lists"))
    return points


class TestTrees:
    def test_a_map_is_used_where_it_is(self, file):
        X = rows()
        points = same_tree(file, X)
        assert points.exponent == 0
        assert points.X.base is not None
        np.testing.assert_array_equal(points.X, X)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("options", "metric"),
        [
            ({"dtype": np.float32, "d": 360}, "sqeuclidean"),
            ({}, "cosine"),
            ({"dtype": np.float32, "d": 360}, "correlation"),
            ({"scale": 1e200}, "euclidean"),
            ({"scale": 1e-200}, "euclidean"),
            ({"dtype": np.float32, "d": 360, "scale": 1e30}, "euclidean"),
            ({"shift": 1e6}, "euclidean"),
            ({"dtype": np.int64, "scale": 1000.0}, "euclidean"),
            ({"dtype": np.dtype(">f8")}, "euclidean"),
        ],
    )
    def test_others_go_through_a_temporary_file(self, file, options, metric):
        same_tree(file, rows(**options), metric=metric)

    @pytest.mark.slow
    def test_columns_in_turn(self, file):
        same_tree(file, np.asfortranarray(rows()))

    def test_rows_of_zeros_have_a_direction_of_their_own(self, file):
        X = rows(np.float32, d=400)
        X[[5, 2000]] = 0
        assert same_tree(file, X, metric="cosine").X.shape[1] == 401

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized", "single"])
    def test_other_linkages(self, file, method):
        X = rows()
        found = chamfer.linkage(mapped(file, X), method, memory_limit=LIMIT)
        engine = "points" if method == "single" else "lists"
        np.testing.assert_array_equal(found, chamfer.linkage(X, method, engine=engine))

    @pytest.mark.slow
    def test_the_estimator(self, file):
        X = rows()
        options = {"linkage": "chamfer_capped", "memory_limit": LIMIT}
        model = chamfer.AgglomerativeClustering(5, **options).fit(mapped(file, X))
        np.testing.assert_array_equal(model.linkage_matrix_, chamfer.linkage(X, "chamfer_capped", engine="lists"))


class TestWhatStaysOnDisk:
    def test_only_large_maps(self, file):
        on_disk = mapped(file, rows())
        assert check_mapped(on_disk, "euclidean", 20_000_000) is None
        assert check_mapped(on_disk[:2000], "euclidean", LIMIT // 10) is None  # few rows
        assert check_mapped(on_disk[:, :64], "euclidean", LIMIT // 10) is None  # lists take more
        assert check_mapped(np.array(on_disk), "euclidean", LIMIT) is None
        assert check_mapped(on_disk.copy(), "euclidean", LIMIT) is None
        assert check_mapped(on_disk, "cityblock", LIMIT) is None
        assert check_mapped(np.asarray(on_disk)[50:], "euclidean", LIMIT) is not None

    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    def test_bad_numbers_are_named(self, file, metric):
        X = rows()
        X[2071, 8] = np.nan
        with pytest.raises(ValueError, match="got NaN in row 2071, column 8"):
            chamfer.linkage(mapped(file, X), "chamfer_capped", metric, memory_limit=LIMIT)

    def test_constant_rows_have_no_correlation(self, file):
        X = rows()
        X[2071] = 3
        with pytest.raises(ValueError, match="got row 2071"):
            chamfer.linkage(mapped(file, X), "chamfer_capped", "correlation", memory_limit=LIMIT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits on writable memory are of Linux")
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_memory_stays_far_below_the_data(file, metric):
    """200 MB of points in a process that may take 160 MB more than it has; a copy of them ends in a MemoryError."""
    mapped(file, rows(np.float32, n=20_000, d=2500))
    script = textwrap.dedent(f"""
        import resource, sys
        import numpy as np
        import chamfer

        X = np.load({str(file)!r}, mmap_mode="r")
        few = np.random.default_rng(0).normal(size=(5000, 100))
        chamfer.linkage(few, "chamfer_capped", n_jobs=2)  # imports, threads and buffers of BLAS
        with open("/proc/self/status") as status:
            taken = next(int(line.split()[1]) for line in status if line.startswith("VmData"))
        limit = taken * 1024 + 160_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        Z = chamfer.linkage(X, "chamfer_capped", {metric!r}, memory_limit="160MB", n_jobs=2)
        assert len(Z) == len(X) - 1
        try:
            np.array(X)
        except MemoryError:
            sys.exit(0)
        sys.exit("a copy was possible")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("make", [gaussian, grid])
def test_predict_reads_training_and_new_rows_in_parts(file, monkeypatch, metric, make):
    X, new = make(0, 500, 3), make(1, 130, 3)
    monkeypatch.setattr(assignment, "_PART", 24 * 70)
    seen = []
    monkeypatch.setattr(assignment, "nearest_rows", lambda *args: seen.append(len(args[0])) or nearest_rows(*args))
    found = assignment.nearest_points(mapped(file.with_name("new.npy"), new), mapped(file, X), metric, 1)
    assert seen == 2 * [*7 * [70], 10]
    np.testing.assert_array_equal(found, assignment.nearest_points(new, X, metric, 1))  # of equally near ones the first
    model = chamfer.AgglomerativeClustering(5, metric=metric).fit(np.load(file, mmap_mode="r"))
    seen.clear()
    np.testing.assert_array_equal(model.predict(new), model.labels_[found])
    assert seen == [*7 * [70], 10]  # the model has not copied its rows
