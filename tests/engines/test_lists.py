"""The lists engine gives the tree of the definition, whatever its source, its lists and its threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_wine

import chamfer
import reference
from cases import assert_same_tree, distances, duplicated, gaussian, grid
from chamfer import sources, tuning
from chamfer.inputs import check_input
from chamfer.sources.graph import nearest_first
from marks import slow

SOURCES = ("blas", "tree", "cdist")
METHODS = ("chamfer", "chamfer_normalized")


@pytest.fixture(params=[(10**9, 1 << 23), (5, 1 << 23), (5, 4)], ids=["far", "near", "searched"])
def short_lists(tuned, request):
    """Lists so short that they have to be refreshed all the time, or candidates compared with or searched."""
    part, pairs = request.param
    tuned(first_list=2, next_list=2, batch=3, near_part=part, near_pairs=pairs)


def rtol(dtype):
    return 1e-9 if dtype == np.float64 else 1e-5


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 400),
    d=st.integers(1, 40),
    k=st.integers(2, 9),
    near=st.sampled_from([1, 5, 10**9]),
    pairs=st.sampled_from([1, 100, 1 << 23]),
    dtype=st.sampled_from([np.float32, np.float64]),
    metric=st.sampled_from(["euclidean", "sqeuclidean", "cosine"]),
    method=st.sampled_from(METHODS),
    threads=st.sampled_from([1, 2]),
)
def test_same_tree_as_dense(seed, n, d, k, near, pairs, dtype, metric, method, threads):
    X = gaussian(seed, n, d, dtype)
    if metric == "cosine" and d == 1:
        X = np.column_stack([X, np.ones(n, dtype)])
    expected = chamfer.linkage(X, method, metric, engine="dense")
    with tuning.using(first_list=k, next_list=k, batch=1 + n // 10, near_part=near, near_pairs=pairs):
        for source in SOURCES[:2]:
            Z = chamfer.linkage(X, method, metric, source=source, n_jobs=threads)
            assert_same_tree(Z, expected, rtol(dtype))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.usefixtures("short_lists")
def test_definition(method, source):
    X = gaussian(3, 60, 5)
    assert_same_tree(chamfer.linkage(X, method, source=source), reference.linkage(distances(X), method))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("short_lists")
def test_precomputed_and_other_metrics(method):
    X = gaussian(4, 70, 3)
    expected = reference.linkage(distances(X, "cityblock"), method)
    for Z in (
        chamfer.linkage(distances(X, "cityblock"), method, "precomputed", engine="lists"),
        chamfer.linkage(X, method, "cityblock", engine="lists"),
    ):
        assert_same_tree(Z, expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("data", [grid(1, 60, 2), *slow(grid(2, 60, 3), duplicated(3, 60, 3)), np.full((30, 2), 0.1)])
@pytest.mark.usefixtures("short_lists")
def test_replay_of_ties(method, source, data):
    reference.replay(chamfer.linkage(data, method, source=source), distances(data), method)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 45),
    d=st.integers(1, 20),
    n_neighbors=st.integers(1, 12),
    apart=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    source=st.sampled_from(SOURCES),
)
def test_capped_is_its_definition(seed, n, d, n_neighbors, apart, dtype, source):
    X = gaussian(seed, n, d, dtype)
    if apart:  # parts that are closed in the neighbour graph
        X[: n // 2] += 50
    Z = chamfer.linkage(X, "chamfer_capped", n_neighbors=n_neighbors, source=source)
    assert_same_tree(Z, reference.linkage(distances(X), "chamfer_capped", n_neighbors), rtol(dtype))


@pytest.mark.parametrize("data", [grid(1, 50, 2), duplicated(3, 50, 3), np.repeat(gaussian(0, 6, 2), 8, axis=0)])
def test_capped_ties(data):
    # The last: more duplicates of each point than neighbours, so that every cap is zero.
    Z = chamfer.linkage(data, "chamfer_capped", n_neighbors=5)
    reference.replay(Z, distances(data), "chamfer_capped", n_neighbors=5)


def test_capped_with_more_neighbours_than_points_is_chamfer():
    X = gaussian(5, 20, 3)
    assert_same_tree(chamfer.linkage(X, "chamfer_capped", n_neighbors=30), chamfer.linkage(X))


class TestEpsilon:
    @settings(max_examples=60, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        n=st.integers(2, 50),
        d=st.integers(1, 6),
        k=st.integers(1, 9),
        near=st.sampled_from([1, 5, 10**9]),
        make=st.sampled_from([gaussian, grid, duplicated]),
        dtype=st.sampled_from([np.float32, np.float64]),
        metric=st.sampled_from(["euclidean", "sqeuclidean"]),
        method=st.sampled_from(METHODS),
        source=st.sampled_from(SOURCES),
        epsilon=st.sampled_from([1e-9, 0.01, 0.1, 0.5, 3.0]),
    )
    def test_every_merge_is_within_the_factor(self, seed, n, d, k, near, make, dtype, metric, method, source, epsilon):
        X = make(seed, n, d).astype(dtype)
        with tuning.using(first_list=k, next_list=k, batch=1 + n // 10, near_part=near):
            Z = chamfer.linkage(X, method, metric, source=source, epsilon=epsilon)
        reference.replay_within(Z, distances(X, metric), method, epsilon, rtol(dtype))

    @pytest.mark.parametrize("method", ["chamfer", *slow("chamfer_normalized")])
    @pytest.mark.usefixtures("short_lists")
    def test_none_is_exact_and_much_is_not(self, method):
        X = gaussian(1, 120, 3)
        D, exact = distances(X), chamfer.linkage(X, method, engine="lists", epsilon=0)
        assert reference.replay_within(exact, D, method, 0) == pytest.approx(1)
        np.testing.assert_array_equal(chamfer.linkage(X, method, epsilon=1e-13), exact)
        assert reference.replay_within(chamfer.linkage(X, method, epsilon=0.5), D, method, 0.5) > 1.1

    @pytest.mark.parametrize("method", METHODS)
    def test_fewer_lists_are_made_anew(self, method):
        exact, rough = chamfer.Info(), chamfer.Info()
        for epsilon, info in ((0, exact), (1, rough)):
            chamfer.linkage(load_digits().data, method, engine="lists", epsilon=epsilon, info=info)
        assert rough.refreshed < exact.refreshed

    def test_threads_do_not_matter(self):
        X = load_digits().data.astype(np.float32)
        one, two = (chamfer.linkage(X, epsilon=0.2, n_jobs=threads) for threads in (1, 2))
        np.testing.assert_array_equal(one, two)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"method": "chamfer_capped"}, "epsilon must be 0 unless .*'chamfer_capped'"),
            ({"method": "chamfer_symmetric"}, "epsilon must be 0 unless .*'chamfer_symmetric'"),
            ({"engine": "dense"}, "engine must be 'lists' or 'points' for epsilon, got 'dense'"),
            ({"t": 3}, "engine must be 'tradeoff' for t"),
        ],
    )
    def test_refusals(self, options, words):
        with pytest.raises(ValueError, match=words):
            chamfer.linkage(gaussian(0, 30, 2), epsilon=0.1, **options)


@pytest.mark.parametrize("method", ["chamfer", *slow("chamfer_normalized"), "chamfer_capped"])
def test_threads_and_sources_do_not_matter(method):
    X = load_digits().data.astype(np.float32) + gaussian(0, 1797, 64, np.float32) / 1000
    first = chamfer.linkage(X, method, source="blas", n_jobs=1)
    for source, threads in (("blas", 2), ("tree", 1), ("tree", 2)):
        np.testing.assert_array_equal(chamfer.linkage(X, method, source=source, n_jobs=threads), first)
    if method != "chamfer_capped":
        assert_same_tree(first, chamfer.linkage(X, method, engine="dense"), 1e-5)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 160),
    d=st.integers(1, 8),
    make=st.sampled_from([gaussian, grid, duplicated]),
    dtype=st.sampled_from([np.float32, np.float64]),
    method=st.sampled_from([*METHODS, "chamfer_capped"]),
    source=st.sampled_from(["auto", "tree", "blas"]),
)
def test_sorted_points_make_the_same_tree(seed, n, d, make, dtype, method, source):
    X = make(seed, n, d).astype(dtype)
    expected = chamfer.linkage(X, method, source=source, engine="lists")
    with tuning.using(sorted_points=2):
        Z = chamfer.linkage(X, method, source=source, engine="lists")
    if make is gaussian or method == "chamfer_capped":
        np.testing.assert_array_equal(Z, expected)
    else:
        reference.replay(Z, distances(X), method, rtol=rtol(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_norms_and_small_distances(dtype):
    # Columns of very different scale, as in real tables: lengths dwarf the distances of neighbours.
    generator = np.random.default_rng(0)
    X = (generator.normal(size=(700, 30)) * np.logspace(3, -1, 30) + 5000).astype(dtype)
    for source in SOURCES[:2]:
        Z = chamfer.linkage(X, metric="sqeuclidean", source=source)
        assert_same_tree(Z, chamfer.linkage(X, metric="sqeuclidean", engine="dense"), rtol(dtype))


@pytest.mark.slow
def test_filter_is_used_and_exact_on_correlated_data():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(3000, 8)) @ generator.normal(size=(8, 300)) + generator.normal(size=(3000, 300)) / 50
    points = sources.Points(X, "euclidean")
    source = sources.BlasSource(points)
    assert source.n_coordinates < 50
    everything = np.arange(3000, dtype=np.int32)
    answer = source.nearest(everything, everything, 10, 2)
    expected = np.sort(distances(X) + np.diag(np.full(3000, np.inf)), axis=1)[:, :10]
    np.testing.assert_allclose(np.sort(answer.distances, axis=1), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", [sources.BlasSource, sources.TreeSource])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
@pytest.mark.parametrize("apart_by", [1, 4_000_000], ids=["", "labels beyond n"])
def test_few_large_clusters(kind, metric, apart_by):
    """The block search sorts points by clusters, which stays right when they have merged or are others."""
    generator = np.random.default_rng(6)
    X = generator.normal(size=(5000, 20)) * np.logspace(1, -1, 20)
    source = kind(sources.Points(X, metric))
    asked = generator.permutation(5000)[:300].astype(np.int32)
    apart = cdist(X[asked], X, metric)
    four = generator.integers(0, 4, 5000).astype(np.int32)
    for labels in (four, four // 2, np.arange(5000, dtype=np.int32) // 2500, np.arange(5000, dtype=np.int32) % 500):
        nearest = np.column_stack([apart[:, labels == c].min(axis=1) for c in range(labels.max() + 1)])
        nearest[np.arange(300), labels[asked]] = np.inf
        k = min(7, nearest.shape[1] - 1)
        answer = source.nearest(asked, labels * apart_by, k, 2)
        found = np.take_along_axis(nearest, answer.clusters // apart_by, axis=1)
        np.testing.assert_allclose(found, answer.distances, rtol=1e-12)
        np.testing.assert_allclose(np.sort(answer.distances), np.sort(nearest)[:, :k], rtol=1e-12)
        np.testing.assert_array_equal(answer.bounds, answer.distances.max(axis=1))


def test_isotropic_data_multiplies_all_coordinates():
    assert sources.BlasSource(sources.Points(gaussian(0, 2000, 40), "euclidean")).n_coordinates == 40


def test_a_filter_that_leaves_too_many_is_given_up():
    # Few coordinates tell which group a point is in, and nothing of the distances to other groups.
    random = np.random.default_rng(0)
    group = random.integers(20, size=3000)
    X = 3 * random.normal(size=(20, 400))[group] + random.normal(size=(3000, 400))
    points = sources.Points(X, "euclidean")
    source, other = sources.BlasSource(points), sources.BlasSource(points)
    assert source.n_coordinates < 400
    some, labels = np.arange(500, dtype=np.int32), group.astype(np.int32)
    source.nearest(some, labels, 3, 2)
    assert source.n_coordinates == 400
    answers = [nearest_first(each.nearest(some[:9], labels, 3, 2)) for each in (source, other)]
    for one, two in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, two)
    assert other.n_coordinates < 400  # nine points say too little


def test_your_own_source():
    X, calls = gaussian(7, 200, 2), []

    class Counted(sources.TreeSource):
        def nearest(self, points, labels, k, threads, tick=None):
            calls.append(len(points))
            return super().nearest(points, labels, k, threads, tick)

    Z = chamfer.linkage(X, source=Counted(sources.Points(X, "euclidean")))
    assert_same_tree(Z, chamfer.linkage(X, engine="dense"))
    assert calls[0] == 200


def test_info():
    info = chamfer.Info()
    chamfer.linkage(load_wine().data, engine="lists", source="blas", info=info)
    assert info.source == "BlasSource"
    assert info.entries >= 178 * 32
    assert set(info.seconds) == {"first", "refresh", "merge"}
    assert sum(info.seconds.values()) > 0


def test_auto_takes_lists_when_a_matrix_does_not_fit():
    X, info = gaussian(8, 3000, 4), chamfer.Info()
    chamfer.linkage(X, memory_limit="30MB", info=info)
    assert info.source


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "ward", "engine": "lists"}, "engine 'lists'"),
        ({"source": "nowhere"}, "source"),
        ({"source": "blas", "metric": "cityblock"}, "source"),
        ({"method": "chamfer_capped", "engine": "dense"}, "engine"),
        ({"method": "chamfer_capped", "n_neighbors": 0}, "n_neighbors"),
        ({"engine": "lists", "memory_limit": 1000}, "needs"),
    ],
)
def test_refusals(options, words):
    with pytest.raises((ValueError, MemoryError), match=words):
        chamfer.linkage(gaussian(0, 30, 2), **options)


@pytest.mark.parametrize("scale", [*slow(2.0**-39, 1.0), 2.0**42])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [sources.BlasSource, *slow(sources.TreeSource)])
def test_points_made_by_hand(scale, dtype, kind):
    X = gaussian(3, 2500, 20, dtype) * gaussian(4, 20, 1, dtype)[:, 0]
    Z = chamfer.linkage((X * scale).astype(dtype), source=kind(sources.Points((X * scale).astype(dtype), "euclidean")))
    np.testing.assert_array_equal(Z, chamfer.linkage(X, source=kind.__name__[:4].lower()) * [1, 1, scale, 1])


@pytest.mark.parametrize("scale", [2.0**-84, 2.0**80, np.nan])
def test_points_made_by_hand_whose_squares_may_not_hold(scale):
    with pytest.raises(ValueError, match="X must"):
        sources.Points(gaussian(3, 30, 2) * scale, "euclidean")
    assert sources.Points(gaussian(3, 30, 2), "cosine").X.shape == (30, 2)


def test_a_source_in_another_unit_than_its_points():
    source = sources.TreeSource(check_input(gaussian(0, 20, 2), "euclidean"))
    assert source.height_exponent != 0
    source.height_exponent = 0
    with pytest.raises(ValueError, match=r"source.height_exponent must be that of source.points, -\d+, got 0"):
        chamfer.linkage(gaussian(0, 20, 2), source=source)


def test_source_of_another_size_is_refused():
    other = sources.TreeSource(sources.Points(gaussian(0, 20, 2), "euclidean"))
    with pytest.raises(ValueError, match="as many points as X"):
        chamfer.linkage(gaussian(0, 30, 2), source=other)
