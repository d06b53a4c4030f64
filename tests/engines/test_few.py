"""Few points take a short way through the core. It comes to the same tree as the long one, or leaves the task to it."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import pdist, squareform

import chamfer
from chamfer import _core

PLAIN = [method for method in chamfer.METHODS if method != "chamfer_capped"]
CLASSICAL = [method for method in PLAIN if not method.startswith("chamfer")]


def points(n, d, dtype="float64", seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(dtype)


def short(X, method):
    """The tree by the short way, which has to be taken."""
    Z = _core.few(X, method, "euclidean", 1, np.empty)
    assert Z is not None
    assert np.array_equal(Z, chamfer.linkage(X, method))
    return Z


def long(X, method, **options):
    """The tree by the long way, which any option asks for."""
    return chamfer.linkage(X, method, n_jobs=1, **options)


@pytest.mark.parametrize("method", PLAIN)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("n", "d"), [(2, 3), (10, 4), (33, 1), (64, 17), (150, 16), (130, 200), (512, 20)])
def test_both_ways_come_to_the_same(method, dtype, n, d):
    X = points(n, d, dtype, n)
    assert np.array_equal(short(X, method), long(X, method))


def test_both_ways_have_the_same_defaults():
    plain = inspect.signature(chamfer.linkage, follow_wrapped=False).parameters
    full = inspect.signature(chamfer.linkage).parameters
    assert [str(each) for each in plain.values()][:-1] == [str(each) for each in full.values()][: len(plain) - 1]


def test_options_are_checked():
    X = points(10, 2)
    with pytest.raises(ValueError, match="epsilon must be"):
        chamfer.linkage(X, epsilon=-1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        chamfer.linkage(X, colour="red")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'X'"):
        chamfer.linkage()


@pytest.mark.parametrize("method", [method for method in PLAIN if chamfer.METHODS[method].metrics is None])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
def test_other_metrics(method, dtype, metric):
    for X in (points(60, 5, dtype) * 1e-3, points(90, 40, dtype) + 2):
        Z = _core.few(X, method, metric, 1, np.empty)
        assert np.array_equal(Z, chamfer.linkage(X, method, metric))
        assert np.array_equal(Z, chamfer.linkage(X, method, metric, n_jobs=1))


def test_rows_of_zeros_have_no_direction():
    X = points(30, 5)
    X[4] = X[9] = 0
    assert _core.few(X, "average", "cosine", 1, np.empty) is None
    assert np.array_equal(chamfer.linkage(X, "average", "cosine"), long(X, "average", metric="cosine"))


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2, 9, 100, 301])
def test_both_ways_from_distances(method, dtype, n):
    D = pdist(points(n, 5)).astype(dtype)
    before = D.copy()
    assert np.array_equal(short(D, method), long(D, method))
    assert np.array_equal(D, before)


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("n", [513, 1000, 1024])
def test_there_may_be_more_distances(method, n):
    for X in (points(n, 3), np.random.default_rng(n).integers(0, 9, size=(n, 3))):
        D = pdist(X)
        assert np.array_equal(short(D, method), long(D, method))
        D = D.astype("float32")  # of which the long way keeps values in float
        assert (_core.few(D, method, "euclidean", 1, np.empty) is None) == (method != "single")
        assert np.array_equal(chamfer.linkage(D, method), long(D, method))
    assert _core.few(pdist(points(1025, 3)), method, "euclidean", 1, np.empty) is None


@pytest.mark.parametrize("method", PLAIN)
def test_ties_and_duplicates(method):
    X = np.random.default_rng(1).integers(0, 4, size=(120, 2)).astype(float)
    assert np.array_equal(short(X, method), long(X, method))


@pytest.mark.parametrize("exponent", [-900, -100, -3, 3, 40])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize("method", ["chamfer", "average", "ward"])
def test_any_unit(method, exponent, offset):
    X = points(80, 20) + offset
    scaled = short(np.ldexp(X, exponent), method)
    assert np.array_equal(scaled[:, [0, 1, 3]], short(X, method)[:, [0, 1, 3]])
    assert np.array_equal(scaled[:, 2], np.ldexp(short(X, method)[:, 2], exponent))
    assert np.array_equal(scaled, long(np.ldexp(X, exponent), method))


@pytest.mark.parametrize(
    "X",
    [
        np.asfortranarray(points(20, 5)),
        points(40, 5)[::2],
        points(20, 5)[:, ::-1],
        points(20, 5).astype(">f8"),
        points(20, 5).astype(np.float16),
        points(20, 20),  # perhaps distances, which is worth a warning
        points(513, 3),
        points(20, 5) * 2.0**100,  # to be made smaller, which may lose digits
        points(1, 5),
        points(20, 5)[0],  # no number of pairs
        np.array(5.0),
    ],
    ids=lambda X: f"{X.dtype}-{X.shape}-{X.strides}",
)
def test_what_takes_more_thought(X):
    assert _core.few(X, "average", "euclidean", 1, np.empty) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", [0, 37, 99])
def test_numbers_that_are_not_finite(value, dtype, place):
    X = points(25, 4, dtype)
    X.flat[place] = value
    with pytest.raises(ValueError, match=f"in row {place // 4}, column {place % 4}"):
        chamfer.linkage(X)
    D = pdist(points(25, 4)).astype(dtype)
    D[place] = value
    with pytest.raises(ValueError, match=f"at {place}"):
        chamfer.linkage(D)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_range_of_values(dtype):
    for n in range(1, 70):  # any number of whole vectors, and of what they leave
        values = points(n, 1, dtype, n)[:, 0]
        assert _core.value_range(values) == (values.min(), values.max(), True)
        for place in range(n):
            spoiled = values.copy()
            spoiled[place] = (np.nan, np.inf, -np.inf)[place % 3]
            assert not _core.value_range(spoiled)[2]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances_of_more_points(dtype):
    D = pdist(points(520, 3)).astype(dtype)
    for value, message in [(np.nan, "got NaN at 77"), (np.inf, "got infinity at 77"), (-1.0, "at least 0, got -1")]:
        spoiled = D.copy()
        spoiled[77] = value
        with pytest.raises(ValueError, match=message):
            chamfer.linkage(spoiled, "ward")
    zero, rounded = D.copy(), D.copy()
    zero[77], rounded[77] = 0, -1e-13 * D.max()
    assert np.array_equal(chamfer.linkage(rounded, "single"), chamfer.linkage(zero, "single"))


@pytest.mark.parametrize("X", [np.array(5.0), np.empty((0, 3)), np.empty((3, 0)), np.empty(0), np.zeros((2, 2, 2))])
def test_shapes_that_hold_no_points(X):
    with pytest.raises(ValueError, match="X must"):
        chamfer.linkage(X)


def test_distances_below_zero():
    D = pdist(points(25, 4))
    D[3] = -1
    with pytest.raises(ValueError, match="at least 0, got -1"):
        chamfer.linkage(D, "average")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "no"}, ValueError),
        ({"method": ["ward"]}, ValueError),
        ({"n_neighbors": 0}, ValueError),
        ({"n_neighbors": True}, TypeError),
        ({"epsilon": np.array([0.0, 0.0])}, TypeError),
        ({"epsilon": 0.5, "method": "single"}, ValueError),
        ({"engine": "none"}, ValueError),
        ({"info": 3}, TypeError),
    ],
)
def test_options_are_checked_all_the_same(options, error):
    with pytest.raises(error):
        chamfer.linkage(points(10, 3), **options)


@pytest.mark.parametrize("d", [17, 100, 129, 500])
def test_distances_by_products_of_floats(d):
    """Two groups far apart: products cancel within each, where distances are computed again."""
    X = points(60, d, "float32", d)
    X[::2] += 300
    Z = chamfer.linkage(X, "single")
    heights = np.sort(_edges(pdist(X.astype(np.float64))))
    assert np.allclose(np.sort(Z[:, 2]), heights, rtol=1e-6, atol=0)
    Z = chamfer.linkage(X.astype(np.float64), "single")
    assert np.allclose(np.sort(Z[:, 2]), heights, rtol=1e-9, atol=0)


def _edges(D):
    """Lengths of the minimum spanning tree, by Prim's algorithm."""
    D = squareform(D)
    best, edges = D[0].copy(), []
    best[0] = np.inf
    joined = np.zeros(len(D), bool)
    joined[0] = True
    for _ in range(len(D) - 1):
        p = int(np.argmin(np.where(joined, np.inf, best)))
        edges.append(best[p])
        joined[p] = True
        best = np.minimum(best, D[p])
    return edges


@pytest.mark.parametrize("method", ["complete", "average", "weighted", "ward", "centroid", "median"])
def test_against_scipy(method):
    from scipy.cluster.hierarchy import linkage

    X = points(200, 30)
    assert np.allclose(cophenet(short(X, method)), cophenet(linkage(X, method)), rtol=1e-9)


@pytest.mark.parametrize("method", ["single", "average", "centroid", "median"])
def test_any_number_of_points(method):
    """Any number of whole vectors, and of what they leave; centroid and median heights often fall here."""
    from scipy.cluster.hierarchy import linkage

    for n in range(2, 70):
        D = pdist(points(n, 30, seed=n))
        Z = short(D, method)
        assert _core.is_tree(Z)
        assert np.allclose(cophenet(Z), cophenet(linkage(D, method)), rtol=1e-9)


@pytest.mark.parametrize("method", ["centroid", "median"])
@pytest.mark.parametrize(
    ("n", "dtype"), [(640, "float64"), (1280, "float64"), (1281, "float64"), (700, "float32"), (1281, "float32")]
)
def test_merges_between_centres_of_more_points(method, n, dtype):
    """In a square or in a triangle: every merge is of two centres that were nearest, to a float's precision."""
    D = pdist(points(n, 3)).astype(dtype)
    squares = squareform(D.astype(np.float64)) ** 2 + np.diag(np.full(n, np.inf))
    slot, size = np.arange(2 * n - 1), np.ones(n)
    for i, (a, b, height, _) in enumerate(chamfer.linkage(D, method)):
        p, q = sorted((slot[int(a)], slot[int(b)]))
        apart = squares[p, q]
        assert apart <= squares.min() * (1 + 1e-4)
        assert np.isclose(height**2, apart, rtol=1e-4)
        share = size[p] / (size[p] + size[q]) if method == "centroid" else 0.5
        row = share * squares[p] + (1 - share) * squares[q] - share * (1 - share) * apart
        row[p], squares[q], squares[:, q] = np.inf, np.inf, np.inf
        row[np.isinf(squares[p])] = np.inf
        squares[p], squares[:, p] = row, row
        size[p] += size[q]
        slot[n + i] = p


def test_many_callers_at_once():
    problems = [points(60 + i, 20, seed=i) for i in range(40)]
    expected = [chamfer.linkage(X, "ward") for X in problems]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda X: chamfer.linkage(X, "ward"), problems * 5))
    for Z, wanted in zip(found, expected * 5, strict=True):
        assert np.array_equal(Z, wanted)


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("exponent", [-140, -83, -20, 40, 100])
@pytest.mark.parametrize("offset", [0, 16])
@pytest.mark.parametrize("d", [3, 20, 70])
def test_floats_need_no_unit_unless_they_are_shifted(method, exponent, offset, d):
    """Powers of two change no bits, from the smallest floats to the largest."""
    X = np.random.default_rng(d).integers(-8, 8, size=(40, d)).astype(np.float32) + np.float32(offset)
    Z, scaled = chamfer.linkage(X, method), chamfer.linkage(np.ldexp(X, exponent), method)
    assert np.array_equal(scaled[:, [0, 1, 3]], Z[:, [0, 1, 3]])
    assert np.array_equal(scaled[:, 2], np.ldexp(Z[:, 2], exponent))


@pytest.mark.parametrize("share", [1e-4, 1e-8, 1e-12, 0])
def test_heights_that_agree_in_their_leading_digits(share):
    """Merges are sorted by height whatever digit tells them apart, and equal ones stay in their order."""
    X = 1 + share * np.random.default_rng(0).random(200 * 199 // 2)
    heights = short(X, "complete")[:, 2]
    assert np.array_equal(heights, np.sort(heights))
    assert np.array_equal(short(X, "complete"), long(X, "complete"))
    assert np.allclose(heights, long(X, "complete", engine="dense")[:, 2], rtol=1e-15)
