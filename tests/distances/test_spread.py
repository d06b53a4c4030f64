"""In how many dimensions neighbours spread."""

import numpy as np
import pytest

from cases import gaussian
from chamfer.distances.spread import local_dimension


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_of_flat_points_in_many_coordinates(rank, scale):
    X = gaussian(0, 3_000, rank) @ gaussian(1, rank, 50) * scale
    assert local_dimension(X) == pytest.approx(rank, rel=0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_outlier_and_copies_of_rows_change_little(dtype):
    X = (gaussian(0, 3_000, 1) @ gaussian(1, 1, 50)).astype(dtype)
    X[7] = 1e6
    X[100:400] = X[99]
    assert local_dimension(X) == pytest.approx(1, rel=0.25)


def test_many_dimensions():
    assert local_dimension(gaussian(0, 3_000, 50)) > 20


def test_not_known_of_few_rows_and_of_equal_ones():
    assert local_dimension(gaussian(0, 1_000, 1)) == np.inf
    assert local_dimension(np.ones((5_000, 30))) == np.inf
