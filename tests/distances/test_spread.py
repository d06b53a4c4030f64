"""How points spread around each other."""

import numpy as np
import pytest

from cases import gaussian
from chamfer.distances.spread import Spread, spread


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_of_flat_points_in_many_coordinates(rank, scale):
    X = gaussian(0, 3_000, rank) @ gaussian(1, rank, 50) * scale
    assert spread(X).dimension == pytest.approx(rank, rel=0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_outlier_and_copies_of_rows_change_little(dtype):
    X = (gaussian(0, 3_000, 1) @ gaussian(1, 1, 50)).astype(dtype)
    X[7] = 1e6
    X[100:400] = X[99]
    assert spread(X).dimension == pytest.approx(1, rel=0.25)


def test_many_dimensions():
    assert spread(gaussian(0, 3_000, 50)).dimension > 20


def test_not_known_of_few_rows_and_of_equal_ones():
    assert spread(gaussian(0, 1_000, 1)) == Spread()
    assert spread(np.ones((5_000, 30))).dimension == np.inf


@pytest.mark.parametrize("d", [8, 50, 300])
def test_the_crowd_is_the_group(d):
    X = gaussian(0, 4_000, d)
    assert spread(X).crowd > 0.95
    for groups in (2, 4, 16):
        centres = 20 * gaussian(1, groups, d)
        assert spread(X + centres[np.arange(4_000) * 7 % groups]).crowd == pytest.approx(1 / groups, rel=0.1)


def test_how_even_points_lie():
    random = np.random.default_rng(0)
    even, normal = spread(random.random((4_000, 8))), spread(gaussian(0, 4_000, 8))
    heavy = spread(random.standard_t(2, size=(4_000, 8)))
    assert 1 < even.unevenness < 1.2 < normal.unevenness < 1.6 < heavy.unevenness
    groups = spread(gaussian(0, 4_000, 8) + 20 * gaussian(1, 50, 8)[random.integers(50, size=4_000)])
    assert 1.1 < groups.unevenness < 1.6
