"""Whatever holds numbers can be clustered, and gives the tree of the same numbers in NumPy."""

import numpy as np
import pytest

import chamfer
from cases import gaussian

X = gaussian(0, 40, 3)


class Exported:
    """An array of a library that offers DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnDevice:
    """An array as CuPy's: NumPy cannot read it, and `get` copies it."""

    __cuda_array_interface__ = {}

    def __init__(self, array):
        self._array = array

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def get(self):
        return self._array


def frame(library, columns):
    """Columns as a table of a library, if that is installed."""
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
class TestTables:
    def test_numbers(self, library):
        columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}
        np.testing.assert_array_equal(chamfer.linkage(frame(library, columns)), chamfer.linkage(X))
        whole = {"a": [1, 5, 2], "b": [True, False, True]}
        expected = chamfer.linkage([[1.0, 1], [5, 0], [2, 1]])
        np.testing.assert_array_equal(chamfer.linkage(frame(library, whole)), expected)

    def test_a_missing_value_is_named(self, library):
        for values in ([1.5, None, 2.0], [1, None, 2]):
            with pytest.raises(ValueError, match="got NaN in row 1, column 'b'"):
                chamfer.linkage(frame(library, {"a": [1, 2, 3], "b": values}))

    def test_a_text_is_named(self, library):
        with pytest.raises(ValueError, match="column 'b' holds"):
            chamfer.linkage(frame(library, {"a": [1, 2, 3], "b": ["x", "y", "z"]}))

    def test_missing_values_can_be_clustered(self, library):
        values = frame(library, {"a": [1.0, None, 3.0, 9.0], "b": [1.0, 2.0, 3.0, 4.0]})
        expected = np.array([[1, 1], [np.nan, 2], [3, 3], [9, 4]])
        found = chamfer.linkage(values, "average", "nan_euclidean")
        np.testing.assert_array_equal(found, chamfer.linkage(expected, "average", "nan_euclidean"))


@pytest.mark.parametrize("make", [Exported, OnDevice])
def test_arrays_of_other_libraries(make):
    np.testing.assert_array_equal(chamfer.linkage(make(X)), chamfer.linkage(X))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "uint8", "bool"])
def test_tensors(dtype):
    torch = pytest.importorskip("torch")
    array = (10 * np.abs(X)).astype(dtype)
    np.testing.assert_array_equal(chamfer.linkage(torch.from_numpy(array)), chamfer.linkage(array))
    tensor = torch.from_numpy(X).requires_grad_()
    np.testing.assert_array_equal(chamfer.linkage(tensor), chamfer.linkage(X))


@pytest.mark.parametrize("dtype", ["float16", "int8", "uint64", "bool"])
def test_other_numbers_are_taken_as_float64(dtype):
    array = (10 * np.abs(X)).astype(dtype)
    np.testing.assert_array_equal(chamfer.linkage(array), chamfer.linkage(array.astype(np.float64)))


def test_memory_maps(tmp_path):
    mapped = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, X.shape)
    mapped[:] = X
    np.testing.assert_array_equal(chamfer.linkage(mapped), chamfer.linkage(X))
