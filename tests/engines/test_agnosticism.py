"""The answer depends on the numbers alone: not on threads, memory layout or container; and the caller's data stays."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from cases import FAST_METRICS, engines, gaussian, grid
from marks import slow

X = np.round(gaussian(0, 60, 6), 3)
WHOLE = grid(1, 60, 3)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "list": lambda x: x.tolist(),
    "tuple of arrays": tuple,
    "Fortran order": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "transposed": lambda x: x.T.copy().T,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "read only": read_only,
    "object dtype": lambda x: x.astype(object),
    "data frame": pd.DataFrame,
    "data frame with names": lambda x: pd.DataFrame(x, columns=list("abcdef"), index=np.arange(60) * 3),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
def test_layout_of_points(layout, method):
    expected = chamfer.linkage(X, method)
    np.testing.assert_array_equal(chamfer.linkage(LAYOUTS[layout](X), method), expected)


@pytest.mark.parametrize(
    "layout", ["Fortran order", "every second row", "every second column", "read only", "transposed"]
)
@pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
def test_layout_of_float32_points(layout, method):
    x = X.astype(np.float32)
    np.testing.assert_array_equal(chamfer.linkage(LAYOUTS[layout](x), method), chamfer.linkage(x, method))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.uint32, np.float16, np.longdouble])
def test_other_dtypes_are_taken_as_float64(dtype):
    x = WHOLE > 1 if dtype is bool else WHOLE.astype(dtype)
    np.testing.assert_array_equal(chamfer.linkage(x), chamfer.linkage(x.astype(np.float64)))


def test_float32_is_kept():
    # Heights show it: single linkage has the distances themselves as heights.
    Z = chamfer.linkage(X.astype(np.float32), "single", engine="dense")
    np.testing.assert_array_equal(Z[:, 2], Z[:, 2].astype(np.float32))
    assert not np.array_equal(Z[:, 2], chamfer.linkage(X, "single", engine="dense")[:, 2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", reference.LINKAGES)
def test_memory_map(tmp_path, dtype, method):
    x = X.astype(dtype)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", pdist(x).astype(dtype))
    np.save(tmp_path / "square.npy", squareform(pdist(x).astype(dtype)))
    for name, metric in (("x", "euclidean"), ("y", "euclidean"), ("square", "precomputed")):
        mapped = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
        expected = chamfer.linkage(np.array(mapped), method, metric)
        np.testing.assert_array_equal(chamfer.linkage(mapped, method, metric), expected)


@pytest.mark.parametrize("form", [list, read_only, pd.Series, lambda y: np.repeat(y, 2)[::2]])
@pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
def test_layout_of_condensed_distances(form, method):
    y = pdist(X)
    np.testing.assert_array_equal(chamfer.linkage(form(y), method), chamfer.linkage(y, method))


@pytest.mark.parametrize("form", [np.ndarray.tolist, np.asfortranarray, read_only, pd.DataFrame])
@pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
def test_layout_of_square_distances(form, method):
    square = squareform(pdist(X))
    expected = chamfer.linkage(square, method, "precomputed")
    np.testing.assert_array_equal(chamfer.linkage(form(square), method, "precomputed"), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", reference.LINKAGES)
def test_the_callers_arrays_stay_as_they_are(method, dtype):
    x = X.astype(dtype)
    y = pdist(x).astype(dtype)
    square = squareform(y)
    before = x.copy(), y.copy(), square.copy()
    for engine in engines(method):
        chamfer.linkage(x, method, engine=engine)
    if method not in reference.CENTRES:
        for metric in (*FAST_METRICS, "cityblock"):
            chamfer.linkage(x, method, metric)
    chamfer.linkage(y, method, optimal_ordering=True)
    chamfer.linkage(square, method, "precomputed")
    for now, then in zip((x, y, square), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_what_is_returned_is_the_callers_own():
    Z = chamfer.linkage(X)
    again = Z.copy()
    Z[:] = -1
    np.testing.assert_array_equal(chamfer.linkage(X), again)


# Rows are long enough here to be shared among threads.
@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("dtype", [*slow(np.float64), np.float32])
def test_number_of_threads(method, dtype):
    x = gaussian(2, 2100, 20, dtype)
    expected = chamfer.linkage(x, method, engine="dense", n_jobs=1)
    np.testing.assert_array_equal(chamfer.linkage(x, method, engine="dense", n_jobs=2), expected)


def test_number_of_threads_for_longer_rows():
    x = gaussian(3, 4200, 3, np.float32)
    expected = chamfer.linkage(x, "single", engine="dense", n_jobs=1)
    np.testing.assert_array_equal(chamfer.linkage(x, "single", engine="dense", n_jobs=2), expected)


@pytest.mark.slow
def test_number_of_threads_for_the_longest_rows():
    x = gaussian(3, 8300, 20, np.float32)
    expected = chamfer.linkage(x, "chamfer_symmetric", n_jobs=1)
    np.testing.assert_array_equal(chamfer.linkage(x, "chamfer_symmetric", n_jobs=2), expected)


@pytest.mark.parametrize("method", ["single", "centroid"])
def test_number_of_threads_of_the_points_engine(method):
    x = gaussian(4, 1100, 128)
    expected = chamfer.linkage(x, method, engine="points", n_jobs=1)
    np.testing.assert_array_equal(chamfer.linkage(x, method, engine="points", n_jobs=2), expected)


@pytest.mark.parametrize("n_jobs", [None, -1, -2, -1000, 3, 10**6, 2**70, np.int64(2)])
def test_every_way_to_ask_for_threads(n_jobs):
    np.testing.assert_array_equal(chamfer.linkage(X, n_jobs=n_jobs), chamfer.linkage(X, n_jobs=1))
