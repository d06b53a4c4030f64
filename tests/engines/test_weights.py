"""A point of weight w counts as w points, in every engine that takes weights."""

import numpy as np
import pytest

import chamfer
import reference
from cases import assert_same_tree, distances, gaussian, grid
from marks import slow
from rules import WEIGHED, places

LISTS = ("chamfer", "chamfer_normalized", "chamfer_capped")
SOURCES = ("blas", "tree", "cdist")
SHORT = {"first_list": 2, "next_list": 2, "batch": 3, "near_part": 5, "near_pairs": 4}  # lists are refreshed often


def weights_of(seed, n, method):
    """Weights of n points, some of them far from one."""
    draw = np.random.default_rng(seed)
    weights = draw.uniform(1, 4, n) * draw.choice([1, 1, 10], n)
    return weights if method == "chamfer_capped" else weights / 2


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 9))])
def test_lists_follow_the_definition(tuned, method, source, seed):
    tuned(**SHORT)
    n, n_neighbors = 12 + seed, 3 + seed % 9
    X, weights = gaussian(seed, n, 3), weights_of(seed, n, method)
    D, rules = distances(X), reference.Rules(weights)
    Z = chamfer.linkage(X, method, source=source, n_neighbors=n_neighbors, sample_weight=weights)
    reference.replay(Z, D, method, n_neighbors=n_neighbors, rules=rules)
    if method != "chamfer_capped":  # where a neighbour may be as far as the cap, so that values tie
        assert_same_tree(Z, reference.linkage(D, method, rules=rules))


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 9))])
def test_each_merge_is_a_smallest_one_where_values_tie(tuned, method, seed):
    tuned(**SHORT)
    X, weights = grid(seed, 30, 2), np.random.default_rng(seed).integers(1, 4, 30)
    Z = chamfer.linkage(X, method, engine="lists", n_neighbors=5, sample_weight=weights)
    reference.replay(Z, distances(X), method, n_neighbors=5, rules=reference.Rules(weights))


@pytest.mark.parametrize("method", LISTS[:2])
@pytest.mark.parametrize("epsilon", [0.1, *slow(0.5, 3.0)])
def test_merges_are_within_the_factor(tuned, method, epsilon):
    tuned(**SHORT)
    X, weights = gaussian(3, 40, 2), weights_of(3, 40, method)
    Z = chamfer.linkage(X, method, epsilon=epsilon, sample_weight=weights)
    reference.replay_within(Z, distances(X), method, epsilon, rules=reference.Rules(weights))


@pytest.mark.parametrize(("method", "engine"), WEIGHED)
@pytest.mark.parametrize("cases", [range(3), *slow(range(200))], ids=len)
def test_weights_are_repeated_points(method, engine, cases):
    for seed in cases:
        draw = np.random.default_rng(seed)
        n = int(draw.integers(2, 20))
        X, weights = gaussian(seed, n, 2), draw.integers(1, 5, n)
        copies = np.repeat(np.arange(n), weights)
        options = {"engine": engine, "n_neighbors": int(draw.integers(1, 12))}
        weighted = places(chamfer.linkage(X, method, sample_weight=weights, **options), np.arange(n))
        repeated = places(chamfer.linkage(X[copies], method, **options), copies)
        assert [made for made, _ in weighted] == [made for made, _ in repeated]
        np.testing.assert_allclose([height for _, height in weighted], [height for _, height in repeated], rtol=1e-9)


@pytest.mark.parametrize("method", LISTS[:2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_integer_weights_have_the_bits_of_repeated_points(method, dtype):
    draw = np.random.default_rng(1)
    X, weights = gaussian(1, 200, 3, dtype), draw.integers(1, 8, 200)
    copies = np.repeat(np.arange(200), weights)
    weighted = places(chamfer.linkage(X, method, engine="lists", sample_weight=weights), np.arange(200))
    assert weighted == places(chamfer.linkage(X[copies], method, engine="lists"), copies)


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-300, 0, 300])
def test_neither_the_order_in_memory_nor_the_unit_of_weights_matters(tuned, method, dtype, exponent):
    X, weights = gaussian(7, 300, 2, dtype), weights_of(7, 300, method)
    Z = chamfer.linkage(X, method, engine="lists", sample_weight=weights, n_jobs=1)
    tuned(sorted_points=2)
    if method != "chamfer_capped":
        weights = np.ldexp(weights, exponent)
        Z[:, 2] = np.ldexp(Z[:, 2], exponent if method == "chamfer" else 0)
    np.testing.assert_array_equal(chamfer.linkage(X, method, engine="lists", sample_weight=weights, n_jobs=2), Z)


@pytest.mark.parametrize("method", LISTS[:2])
def test_weights_of_any_range(method):
    X, weights = gaussian(8, 120, 3), 10.0 ** np.random.default_rng(8).uniform(-90, 90, 120)
    Z = chamfer.linkage(X, method, engine="lists", sample_weight=weights)
    assert_same_tree(Z, chamfer.linkage(X, method, engine="dense", sample_weight=weights))


@pytest.mark.parametrize("scale", [1e-95, 1e95])
@pytest.mark.parametrize("method", ["ward", "average", "chamfer_symmetric"])
def test_the_dense_engine_takes_any_weights_of_float32_points(method, scale):
    X, weights = gaussian(4, 40, 2, np.float32), np.random.default_rng(4).uniform(1, 9, 40)
    Z, expected = (
        chamfer.linkage(X, method, engine="dense", sample_weight=each) for each in (scale * weights, weights)
    )
    expected[:, 2] *= {"ward": scale**0.5, "average": 1, "chamfer_symmetric": scale}[method]
    assert_same_tree(Z, expected, 1e-5)


def test_heights_that_overflow_are_refused():
    X, weights = 1e300 * gaussian(0, 20, 2), np.full(20, 1e90)
    for method in ("chamfer", "ward"):
        with pytest.raises(ValueError, match="sample_weight must be smaller, heights overflow"):
            chamfer.linkage(X, method, sample_weight=weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "chamfer_capped"}, "at least 1 for method 'chamfer_capped', got 0.5 for point 2; multiply the wei"),
        ({"engine": "lists", "optimal_ordering": True}, "optimal_ordering must be False with sample_weight; pass Z to"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        chamfer.linkage(gaussian(0, 4, 2), sample_weight=[1, 2, 0.5, 3], **options)


def test_a_checkpoint_knows_the_weights(tmp_path):
    X, weights = gaussian(0, 50, 2), weights_of(0, 50, "chamfer")
    file = tmp_path / "half.checkpoint"
    Z = chamfer.linkage(X, sample_weight=weights, checkpoint=file)
    np.testing.assert_array_equal(chamfer.linkage(X, sample_weight=weights, checkpoint=file), Z)
    with pytest.raises(ValueError, match="of a run with sample_weight"):
        chamfer.linkage(X, sample_weight=weights[::-1], checkpoint=file)
    with pytest.raises(ValueError, match="of a run with sample_weight"):
        chamfer.linkage(X, checkpoint=file)
