"""Equal rows are clustered once, and the tree is that of all rows."""

import numpy as np
import pytest

import chamfer
import reference
from cases import distances, gaussian, grid
from marks import slow
from rules import WEIGHED, places


@pytest.fixture(autouse=True)
def always(tuned):
    """Fold few rows, and few equal ones."""
    tuned(folded_points=2, folded_share=1.0)


def copies_of(seed, make):
    """Rows of which many are equal, and the place of each."""
    draw = np.random.default_rng(seed)
    P = np.unique(make(seed, int(draw.integers(1, 20)), 2), axis=0)
    place = draw.integers(0, len(P), int(draw.integers(2, 50)))
    return P[place], place


def folded(X, method, **options):
    """Z, and how many rows were folded."""
    info = chamfer.Info()
    return chamfer.linkage(X, method, info=info, **options), info.folded


def unfolded(X, method, **options):
    with chamfer.tuning.using(folded_points=1 << 60):
        Z, count = folded(X, method, **options)
    assert count == 0
    return Z


@pytest.mark.parametrize(("method", "engine"), WEIGHED)
@pytest.mark.parametrize("cases", [range(3), *slow(range(60))], ids=len)
def test_the_same_tree_as_unfolded(method, engine, cases):
    for seed in cases:
        X, place = copies_of(seed, gaussian)
        options = {"engine": engine, "n_neighbors": 1 + seed % 12}
        Z, count = folded(X, method, **options)
        assert count == len(X) - len(np.unique(place))
        assert (Z[:count, 2] == 0).all()
        assert (Z[count:, 2] > 0).all()
        expected = places(unfolded(X, method, **options), place)
        assert [made for made, _ in places(Z, place)] == [made for made, _ in expected]
        np.testing.assert_allclose(Z[count:, 2], [height for _, height in expected], rtol=1e-9)
        np.testing.assert_array_equal(chamfer.linkage(X, method, **options), Z)


@pytest.mark.parametrize(("method", "engine"), [each for each in WEIGHED if each[0] != "chamfer_capped"])
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 6))])
def test_each_merge_is_a_smallest_one_where_values_tie(method, engine, seed):
    X, _ = copies_of(seed, grid)
    reference.replay(folded(X, method, engine=engine)[0], distances(X), method, rtol=1e-7)


@pytest.mark.parametrize("method", ["chamfer", "chamfer_normalized"])
def test_lists_give_the_same_bits(method):
    for seed in range(10):
        X, place = copies_of(seed, gaussian)
        expected = places(unfolded(X, method, engine="lists"), place)
        assert places(folded(X, method, engine="lists")[0], place) == expected


def test_capped_neighbours_that_tie_are_not_folded():
    X = grid(3, 60, 2)  # few copies, and of equally near places some are neighbours
    Z, count = folded(X, "chamfer_capped", n_neighbors=6)
    assert count == 0
    np.testing.assert_array_equal(Z, unfolded(X, "chamfer_capped", n_neighbors=6))


def test_copies_are_merged_by_the_tie_rule():
    Z = chamfer.linkage([[0.0], [1.0], [0.0], [1.0], [0.0], [0.0], [1.0], [5.0]], "ward")
    np.testing.assert_array_equal(Z[:5, :2], [[0, 2], [1, 3], [4, 5], [6, 9], [8, 10]])
    np.testing.assert_array_equal(Z[:, 3], [2, 2, 2, 3, 4, 7, 8])


@pytest.mark.parametrize("method", ["chamfer", "ward", "average", "single"])
def test_weights_of_equal_rows_add_up(method):
    X, place = copies_of(5, gaussian)
    weights = np.random.default_rng(5).uniform(1, 3, len(X))
    Z, count = folded(X, method, sample_weight=weights)
    assert count > 0
    expected = places(unfolded(X, method, sample_weight=weights), place)
    assert [made for made, _ in places(Z, place)] == [made for made, _ in expected]
    np.testing.assert_allclose(Z[count:, 2], [height for _, height in expected], rtol=1e-9)


@pytest.mark.parametrize("method", chamfer.METHODS)
def test_all_rows_are_equal(method):
    Z, count = folded(np.full((9, 3), 0.1), method)
    assert count == 8
    np.testing.assert_array_equal(Z[:, 2], 0)
    np.testing.assert_array_equal(Z[-1], [14, 15, 0, 9])


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "correlation", "cityblock", "hamming"])
def test_metrics(metric):
    X, place = copies_of(7, lambda seed, n, d: gaussian(seed, n, 4))
    Z, count = folded(X, "average", metric=metric)
    assert count == len(X) - len(np.unique(place))
    reference.replay(Z, distances(X, metric), "average", rtol=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "tradeoff", "t": 2},
        {"optimal_ordering": True},
        {"connectivity": "chain"},
        {"max_size": 100},
        {"must_link": [(0, 1)]},
        {"metric": "canberra"},
        {"metric": lambda a, b: 1 + abs(a - b).sum()},
    ],
)
def test_what_is_not_folded(options):
    X, _ = copies_of(7, gaussian)
    assert folded(X, "chamfer", **options)[1] == 0


def test_few_copies_are_left_alone(tuned):
    tuned(folded_share=0.5)
    X = gaussian(0, 40, 2)
    assert folded(np.repeat(X, 2, axis=0), "ward")[1] == 40
    assert folded(np.concatenate([X, X[:39]]), "ward")[1] == 0


def test_equal_hashes_of_other_rows_are_noticed(monkeypatch):
    from chamfer import _core

    X = gaussian(0, 40, 2)
    expected = chamfer.linkage(X, "ward", engine="points")
    monkeypatch.setattr(_core, "row_hashes", lambda X, threads: np.arange(len(X), dtype=np.uint64) // 4)
    Z, count = folded(X, "ward", engine="points")
    assert count == 0
    np.testing.assert_array_equal(Z, expected)
