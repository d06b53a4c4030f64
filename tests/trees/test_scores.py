"""Scores over all cuts: scikit-learn at every cut, the definition of purity, labels of every kind."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import chamfer
from chamfer.trees.dendrogram import ORDERS
from chamfer.trees.scores import SCORES

SKLEARN = {
    "ari": metrics.adjusted_rand_score,
    "nmi": metrics.normalized_mutual_info_score,
    "ami": metrics.adjusted_mutual_info_score,
    "fmi": metrics.fowlkes_mallows_score,
}


def random_tree(n, rng, chained=0.0):
    """Random merges at heights that also fall; `chained` is how often the newest cluster merges again."""
    active, sizes, Z = list(range(n)), [1] * n, []
    for i in range(n - 1):
        newest = len(active) - 1
        first = active.pop(newest if rng.random() < chained else rng.integers(newest + 1))
        second = active.pop(rng.integers(len(active)))
        sizes.append(sizes[first] + sizes[second])
        Z.append((min(first, second), max(first, second), rng.integers(1, 50) / 4, sizes[-1]))
        active.append(n + i)
    return np.array(Z, dtype=float).reshape(-1, 4)


@st.composite
def trees_with_classes(draw):
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    classes = rng.integers(draw(st.integers(1, n)), size=n)
    return random_tree(n, rng, draw(st.sampled_from([0.0, 0.7, 1.0]))), classes


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(trees_with_classes(), st.sampled_from(ORDERS))
def test_every_cut_agrees_with_scikit_learn(data, order):
    Z, y = data
    path = chamfer.score_path(Z, y, order)
    assert path.n_clusters.tolist() == list(range(len(y), 0, -1))
    for i, n_clusters in enumerate(path.n_clusters):
        labels = chamfer.cut(Z, n_clusters=int(n_clusters), order=order)
        for name, score in SKLEARN.items():
            assert getattr(path, name)[i] == pytest.approx(score(y, labels), abs=1e-9), (name, n_clusters)


@pytest.mark.slow
@pytest.mark.parametrize("chained", [0.0, 1.0])
def test_large_trees_lose_no_digits(chained):
    n = 30_000
    rng = np.random.default_rng(1)
    Z, y = random_tree(n, rng, chained), rng.choice(8, size=n, p=[0.4, 0.2, 0.2, 0.1, 0.06, 0.02, 0.01, 0.01])
    path = chamfer.score_path(Z, y, "cumulative")
    for n_clusters in (1, 2, 5, 60, 4000, n - 1, n):
        labels = chamfer.cut(Z, n_clusters=n_clusters, order="cumulative")
        for name, score in SKLEARN.items():
            value = getattr(path, name)[n - n_clusters]
            # scikit-learn's sum of expected information takes differences of large logarithms of factorials.
            assert value == pytest.approx(score(y, labels), abs=1e-8), (name, n_clusters)


@pytest.mark.parametrize("name", SCORES)
def test_best_cut_is_the_best_of_all_orders(name):
    rng = np.random.default_rng(2)
    winners = set()
    for _ in range(20):
        Z = random_tree(30, rng)
        y = chamfer.cut(Z, n_clusters=4, order=rng.choice(ORDERS)) + 4 * (rng.random(30) < 0.1)
        best = chamfer.best_cut(Z, y, score=name)
        everything = [
            (getattr(path, name)[30 - k], order, k)
            for order in ORDERS
            for path in [chamfer.score_path(Z, y, order)]
            for k in range(1, 31)
        ]
        assert best.score == max(value for value, _, _ in everything)
        assert (best.score, best.order, best.n_clusters) in everything
        assert best.score == pytest.approx(SKLEARN[name](y, best.labels), abs=1e-9)
        assert len(np.unique(best.labels)) == best.n_clusters
        assert np.array_equal(best.labels, chamfer.cut(Z, n_clusters=best.n_clusters, order=best.order))
        winners.add(best.order)
    assert winners == set(ORDERS)


def test_of_equal_scores_the_one_with_fewer_clusters_wins():
    Z = [[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 3.0, 4]]
    best = chamfer.best_cut(Z, ["one"] * 4, "nmi")
    assert (best.score, best.n_clusters, best.order) == (1.0, 1, "merge")
    # Four classes of one point: no pair of points is of one class, so no cut has any.
    best = chamfer.best_cut(Z, list("abcd"), "fmi")
    assert (best.score, best.n_clusters) == (0.0, 1)


def test_perfect_cut_scores_one_in_every_score():
    X = np.concatenate([np.random.default_rng(0).normal(c, 0.1, (20, 2)) for c in (0, 5, 10)])
    Z = chamfer.linkage(X)
    for name in SCORES:
        best = chamfer.best_cut(Z, np.repeat(["a", "b", "c"], 20), name)
        assert best.score == pytest.approx(1.0, abs=1e-12)
        assert best.n_clusters == 3
    assert chamfer.dendrogram_purity(Z, np.repeat([2, 5, 8], 20)) == 1.0


@pytest.mark.parametrize(
    "convert",
    [
        lambda y: [["zero", "one", "two"][c] for c in y],
        lambda y: y.astype(np.float32) - 7.5,
        lambda y: y.astype(np.uint8).reshape(-1, 1),
        lambda y: [[None, "one", 2][c] for c in y],
        lambda y: pd.Series(y).map({0: "x", 1: "y", 2: "z"}).astype("category"),
        lambda y: np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")[y],
    ],
    ids=["text", "float", "column", "mixed", "category", "dates"],
)
def test_labels_of_any_kind(convert):
    rng = np.random.default_rng(3)
    Z, y = random_tree(50, rng), rng.integers(3, size=50)
    assert chamfer.best_cut(Z, convert(y)).score == chamfer.best_cut(Z, y).score
    assert chamfer.best_cut(Z, y == 1).score == chamfer.best_cut(Z, np.where(y == 1, "yes", "no")).score


def test_purity_is_what_it_is_defined_to_be():
    rng = np.random.default_rng(4)
    for chained in (0.0, 0.8, 1.0):
        n = 25
        Z, y = random_tree(n, rng, chained), rng.integers(4, size=n)
        members = [{i} for i in range(n)]
        for a, b in Z[:, :2].astype(int):
            members.append(members[a] | members[b])
        shares = [
            np.mean([y[p] == y[i] for p in min((m for m in members if {i, j} <= m), key=len)])
            for i in range(n)
            for j in range(i)
            if y[i] == y[j]
        ]
        assert chamfer.dendrogram_purity(Z, y) == pytest.approx(np.mean(shares), abs=1e-12)


def test_purity_without_pairs_is_one():
    assert chamfer.dendrogram_purity(random_tree(5, np.random.default_rng(0)), list("abcde")) == 1.0


def test_one_point():
    best = chamfer.best_cut(np.empty((0, 4)), ["only"])
    assert (best.score, best.n_clusters, best.labels.tolist()) == (1.0, 1, [0])


def test_errors_name_the_argument():
    Z = random_tree(4, np.random.default_rng(0))
    with pytest.raises(ValueError, match="score must be one of ari, nmi, ami, fmi, got 'rand'"):
        chamfer.best_cut(Z, [0, 0, 1, 1], "rand")
    with pytest.raises(ValueError, match=r"y must hold one label for each of 4 points, got shape \(3,\)"):
        chamfer.best_cut(Z, [0, 0, 1])
    with pytest.raises(ValueError, match="y must not hold missing values"):
        chamfer.best_cut(Z, [0, 0, 1, np.nan])
    for missing in (np.nan, pd.NA, pd.NaT):
        with pytest.raises(ValueError, match="y must not hold missing values"):
            chamfer.best_cut(Z, pd.Series(["a", "b", missing, "a"], dtype=object))
    with pytest.raises(TypeError, match="y must hold labels that can be compared"):
        chamfer.best_cut(Z, np.array([{}, {}, {}, {}], dtype=object))
    with pytest.raises(ValueError, match="order must be one of merge, least, cumulative, got 'height'"):
        chamfer.score_path(Z, [0, 0, 1, 1], "height")
    with pytest.raises(ValueError, match="Z is not a dendrogram"):
        chamfer.dendrogram_purity([[0, 0, 1.0, 2]], [0, 1])


def test_arguments_are_left_alone():
    Z, y = random_tree(10, np.random.default_rng(0)), np.arange(10)
    before = Z.copy(), y.copy()
    chamfer.best_cut(Z, y)
    assert np.array_equal(Z, before[0])
    assert np.array_equal(y, before[1])
