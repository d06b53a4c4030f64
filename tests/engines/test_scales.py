"""Exact at every scale: a power of two changes no digit of the data, so the right tree is exactly the scaled one."""

from functools import cache

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

import chamfer
import reference
from cases import apart, assert_same_tree, distances, engines, gaussian
from marks import slow

FILTERED = 2_200  # points: sources filter from 2,049 on
METHODS = sorted(chamfer.METHODS)
SOURCES = ("blas", "tree", "cdist")


def runs(method):
    """Every way to run a method on points: engine and source."""
    for engine in engines(method)[1:] if method != "chamfer_capped" else ("lists",):
        for source in SOURCES if engine == "lists" else ("auto",):
            yield {"engine": engine, "source": source}


RUNS = [
    pytest.param(method, how, id=f"{method}-{'-'.join(how.values())}") for method in METHODS for how in runs(method)
]


def times(Z, exponent, metric="euclidean"):
    """Z with heights in another unit."""
    scaled = Z.copy()
    scaled[:, 2] = np.ldexp(Z[:, 2], exponent * (2 if metric == "sqeuclidean" else 1))
    return scaled


class TestOneFarRow:
    """A row whose squares overflow in float32, and which no sample of rows has seen."""

    @pytest.mark.parametrize(
        ("n", "d", "far", "arguments"),
        [
            (3_000, 30, 1e20, "'ward', engine='points'"),
            *slow(
                (3_000, 30, 1e20, "'centroid', engine='points'"),
                (3_000, 30, 1e20, "'single', engine='points'"),
                (3_000, 30, 1e20, "engine='lists', source='blas'"),
                (12_000, 40, 1e21, ""),
                (20_000, 30, 1e20, "'ward'"),
            ),
        ],
    )
    def test_it_ends_and_only_the_last_merge_knows(self, n, d, far, arguments):
        code = f"""
n, d, far = {n}, {d}, {far}
missed = np.setdiff1d(np.arange(n), np.random.default_rng(0).choice(n, 2048, replace=False))[0]
X = np.random.default_rng(1).normal(size=(n, d))
Z = chamfer.linkage(np.delete(X, missed, axis=0), {arguments})
X[missed] = far
with_far = chamfer.linkage(X, {arguments})
np.testing.assert_allclose(with_far[:-1, 2:], Z[:, 2:], rtol=1e-12)
assert missed in with_far[-1, :2]
"""
        apart(code)

    @pytest.mark.parametrize("value", [1e20, *slow(-9999.0)])
    @pytest.mark.parametrize("dtype", [np.float32, *slow(np.float64)])
    def test_sentinels(self, value, dtype):
        X = gaussian(2, 42, 5, dtype)
        X[::7] = value
        for method in METHODS:
            Z = chamfer.linkage(X, method) if method == "chamfer_capped" else chamfer.linkage(X, method, engine="dense")
            reference.replay(Z, distances(X), method, rtol=1e-5, atol=1e-6 if dtype == np.float32 else 1e-13)


class TestPowersOfTwo:
    @pytest.mark.parametrize("exponent", [-84, -70])
    def test_small_numbers_pass_the_filter(self, exponent):
        X = gaussian(3, 3_000, 30)
        Z = chamfer.linkage(X, "ward", engine="points")
        np.testing.assert_array_equal(chamfer.linkage(X * 2.0**exponent, "ward", engine="points"), times(Z, exponent))

    @pytest.mark.parametrize("d", [2, *slow(20)])
    @pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
    @pytest.mark.parametrize(
        ("dtype", "exponents"),
        [(np.float64, (-1000, -500, -300, -84, 84, 300, 500, 1000)), (np.float32, (-100, -60, 60, 120))],
    )
    def test_every_engine_gives_the_scaled_tree(self, dtype, exponents, metric, d):
        X = gaussian(4, 60, d, dtype)
        seen = 0
        for method in METHODS:
            if metric != "euclidean" and method in reference.CENTRES:
                continue
            for how in runs(method):
                if how["engine"] == "points" and method == "average" and metric == "euclidean":
                    continue
                Z = chamfer.linkage(X, method, metric, **how)
                for exponent in exponents:
                    power = {"euclidean": 1, "sqeuclidean": 2, "cosine": 0}[metric]
                    if exponent * power > 900:
                        continue
                    scaled = chamfer.linkage(np.ldexp(X, exponent), method, metric, **how)
                    np.testing.assert_array_equal(scaled, times(Z, power and exponent, metric), f"{method} {how}")
                    seen += 1
        assert seen > 20

    @pytest.mark.parametrize("method", reference.CENTRES)
    @pytest.mark.parametrize("exponent", [-1000, -550, -84, 84, 500, 900])
    def test_condensed_distances_too(self, method, exponent):
        y = pdist(gaussian(5, 40, 3))
        np.testing.assert_array_equal(
            chamfer.linkage(np.ldexp(y, exponent), method), times(chamfer.linkage(y, method), exponent)
        )

    @pytest.mark.parametrize("method", reference.CHAMFER)
    @pytest.mark.parametrize("exponent", [-139, 125])
    def test_float32_distances_at_the_ends_of_their_range(self, method, exponent):
        # Of more points than become float64. Sums of a few distances are beyond the largest float.
        y = np.random.default_rng(7).integers(1 << 10, 1 << 13, size=600 * 599 // 2).astype(np.float32)
        y = np.ldexp(y, -10)
        scaled = chamfer.linkage(np.ldexp(y, exponent), method)
        np.testing.assert_array_equal(scaled, times(chamfer.linkage(y, method), exponent))

    @pytest.mark.parametrize(("method", "how"), RUNS)
    def test_denormals(self, method, how):
        # Whole multiples of the smallest number there is; the heights are rounded to such multiples, the tree is not.
        X = np.random.default_rng(6).integers(0, 1 << 40, size=(40, 3)).astype(np.float64)
        Z = chamfer.linkage(X, method, **{**how, "source": "tree" if how["source"] != "auto" else "auto"})
        tiny = chamfer.linkage(np.ldexp(X, -1074), method, **how)
        np.testing.assert_array_equal(tiny[:, [0, 1, 3]], Z[:, [0, 1, 3]])
        np.testing.assert_allclose(tiny[:, 2], np.ldexp(Z[:, 2], -1074), atol=1e-323, rtol=1e-9)


class TestRangeOfHeights:
    """What is refused is what no double can hold, and every engine says the same."""

    WAYS = [
        ("chamfer", {"engine": "dense"}),
        ("chamfer", {"engine": "lists"}),
        ("chamfer", {"engine": "lists", "source": "tree"}),
        ("chamfer", {"engine": "tradeoff"}),
        ("chamfer_capped", {}),
        ("average", {"engine": "dense"}),
        ("average", {"engine": "points"}),
    ]

    @pytest.mark.parametrize(("method", "how"), WAYS)
    def test_squares_that_no_double_can_hold(self, method, how):
        with pytest.raises(ValueError, match="X spans too wide a range"):
            chamfer.linkage(gaussian(7, 50, 2) * 1e200, method, "sqeuclidean", **how)

    def test_a_graph_looks_at_the_range_too(self):
        from sklearn.neighbors import kneighbors_graph

        X = gaussian(7, 50, 2)
        graph = kneighbors_graph(X, 40)
        with pytest.raises(ValueError, match="X spans too wide a range"):
            chamfer.linkage(X * 1e200, "chamfer", "sqeuclidean", source=graph)
        np.testing.assert_array_equal(
            chamfer.linkage(np.ldexp(X, 600), source=graph), times(chamfer.linkage(X, source=graph), 600)
        )

    def test_float32_has_heights_in_double(self):
        X = gaussian(8, 50, 2, np.float32)
        for method, how in self.WAYS:
            Z = chamfer.linkage(X, method, "sqeuclidean", **how)
            np.testing.assert_array_equal(
                chamfer.linkage(np.ldexp(X, 64), method, "sqeuclidean", **how), times(Z, 64, "sqeuclidean")
            )

    @pytest.mark.slow
    def test_sums_of_distances_that_no_double_can_hold(self):
        methods = [method for method in METHODS if method not in (*reference.CENTRES, "single", "complete")]
        apart(
            f"""
for method in {methods}:
    for metric in ("chebyshev", "cityblock"):
        for scale in (8e307, 4e307):
            try:
                chamfer.linkage(np.random.default_rng(0).random((5, 2)) * scale, method, metric)
            except ValueError as error:
                assert "metric" in str(error) and "sums" in str(error), error
            else:
                raise AssertionError(f"{{method}} was not refused")
"""
        )


class TestSmallNumbers:
    @pytest.mark.slow
    def test_it_returns(self):
        apart("chamfer.linkage(np.random.default_rng(12).normal(size=(12, 2)) * 1e-162, 'ward')")

    @pytest.mark.parametrize("method", reference.CENTRES)
    @pytest.mark.parametrize("scale", [1e-25, 1e-22])
    def test_float32_as_scipy(self, method, scale):
        X = gaussian(9, 40, 30, np.float32) * np.float32(scale)
        expected = hierarchy.linkage(X.astype(np.float64), method)
        for engine in ("dense", "points"):
            np.testing.assert_allclose(chamfer.linkage(X, method, engine=engine)[:, 2], expected[:, 2], rtol=1e-5)

    @pytest.mark.parametrize("method", reference.CENTRES)
    @pytest.mark.parametrize("n", [50, 2_500])
    def test_an_offset_costs_no_digits(self, method, n):
        # Multiples of 2^-20 stay what they are at this offset.
        X = np.round(gaussian(10, n, 40) * 2**20) / 2**20
        expected = chamfer.linkage(X, method, engine="points")
        assert_same_tree(chamfer.linkage(X + 2.0**27, method, engine="points"), expected, rtol=1e-12)


class TestColumnsOfDifferentScale:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize(("method", "how"), RUNS)
    def test_a_small_column_decides_where_the_large_one_agrees(self, method, how, dtype):
        small = gaussian(11, 40, 1, dtype) * dtype(1e-30)
        large = np.repeat([[-1e30], [1e30]], 20, axis=0).astype(dtype)
        Z = chamfer.linkage(np.hstack([small, large]), method, **how)
        halves = [chamfer.linkage(half, method, **how)[:, 2] for half in (small[:20], small[20:])]
        np.testing.assert_allclose(np.sort(Z[:-1, 2]), np.sort(np.concatenate(halves)), rtol=1e-6)
        assert Z[-1, 2] > 1e30

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize(("method", "how"), RUNS)
    def test_a_small_column_is_no_matter_where_the_large_one_differs(self, method, how, dtype):
        X = gaussian(12, 40, 2, dtype)
        Z = chamfer.linkage(X[:, :1], method, **how)
        X[:, 1] *= dtype(1e-30)
        assert_same_tree(chamfer.linkage(np.ldexp(X, 50), method, **how), times(Z, 50), rtol=1e-6)


@cache
def clusters(dtype):
    """Clusters of all sizes; whole multiples of 2^-10 below 2^7, so that sums with an offset are exact."""
    generator = np.random.default_rng(13)
    centres = generator.normal(size=(30, 24)) * 6
    X = centres[generator.integers(0, 30, FILTERED)] + generator.normal(size=(FILTERED, 24)) * np.geomspace(1, 0.1, 24)
    return (np.round(X * 2**10) / 2**10).astype(dtype)


@cache
def tree(method, dtype, **how):
    return chamfer.linkage(clusters(dtype), method, **how)


class TestManyPoints:
    """Enough of them for the filter to work: what must not change the tree does not."""

    CASES = [
        pytest.param(method, how, dtype, id=f"{method}-{'-'.join(how.values())}-{dtype.__name__}", marks=marks)
        for method in METHODS
        for how in runs(method)
        if how["engine"] != "tradeoff" and how["source"] != "cdist"
        for dtype in (np.float32, np.float64)
        for marks in [() if dtype == np.float32 and how["source"] != "tree" else pytest.mark.slow]
    ]

    @pytest.mark.parametrize(("method", "how", "dtype"), CASES)
    def test_scale(self, method, how, dtype):
        Z = tree(method, dtype, **how)
        for exponent in (-60, 60) if dtype == np.float32 else (-500, -84, 500):
            scaled = chamfer.linkage(np.ldexp(clusters(dtype), exponent), method, **how)
            np.testing.assert_array_equal(scaled, times(Z, exponent))

    @pytest.mark.parametrize(("method", "how", "dtype"), CASES)
    def test_the_dense_engine_agrees(self, method, how, dtype):
        if method == "chamfer_capped":
            pytest.skip("has one engine only")
        Z, dense = (
            tree(method, dtype, **how),
            tree(method, dtype, engine="dense", source="auto"),
        )
        assert_same_tree(Z, dense, rtol=1e-6 if dtype == np.float32 else 1e-12)

    @pytest.mark.slow
    @pytest.mark.parametrize(("method", "how", "dtype"), CASES)
    def test_order_of_rows(self, method, how, dtype):
        order = np.random.default_rng(14).permutation(FILTERED)
        Z = tree(method, dtype, **how)
        shuffled = chamfer.linkage(clusters(dtype)[order], method, **how)
        np.testing.assert_allclose(shuffled[:, 2], Z[:, 2], rtol=1e-6 if dtype == np.float32 else 1e-12)
        expected = chamfer.cut(Z, 30)[order]
        np.testing.assert_array_equal(
            chamfer.cut(shuffled, 30), np.unique(expected, return_index=True)[1].argsort().argsort()[expected]
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(("method", "how", "dtype"), CASES)
    def test_translation(self, method, how, dtype):
        moved = chamfer.linkage(clusters(dtype) + dtype(2.0**12), method, **how)
        assert_same_tree(moved, tree(method, dtype, **how), rtol=1e-6 if dtype == np.float32 else 1e-12)

    @pytest.mark.slow
    @pytest.mark.parametrize("far", [1e6, 1e20])
    @pytest.mark.parametrize(("method", "how", "dtype"), CASES)
    def test_a_far_row(self, method, how, dtype, far):
        if method == "chamfer_capped":
            pytest.skip("the far row is a candidate to join its neighbours before plain Chamfer linkage finishes")
        Z = tree(method, dtype, **how)
        X = np.vstack([clusters(dtype), np.full((1, 24), far, dtype)])
        with_far = chamfer.linkage(X, method, **how)
        np.testing.assert_allclose(with_far[:-1, 2], Z[:, 2], rtol=1e-6 if dtype == np.float32 else 1e-12)
        np.testing.assert_array_equal(with_far[:-1, 3], Z[:, 3])
        assert FILTERED in with_far[-1, :2]
