"""The condensed tree, excess of mass and leaves: HDBSCAN's results, and definitions on trees of every kind."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs, make_moons

import chamfer
from cases import gaussian
from forest import every_tree

SETS = {
    "blobs": make_blobs(300, centers=5, cluster_std=[0.4, 0.8, 0.5, 1.2, 0.6], random_state=0)[0],
    "moons": make_moons(300, noise=0.07, random_state=1)[0],
    "noise": np.concatenate([make_blobs(200, centers=3, random_state=2)[0], 10 * gaussian(3, 80, 2)]),
    "ten coordinates": make_blobs(250, n_features=10, centers=6, cluster_std=2.0, random_state=4)[0],
}


def same_as_hdbscan(found, theirs):
    np.testing.assert_array_equal(found.labels == -1, theirs.labels_ == -1)
    pairs = set(zip(found.labels.tolist(), theirs.labels_.tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    np.testing.assert_allclose(found.strengths, theirs.probabilities_, atol=1e-9)


every_selection = pytest.mark.parametrize(("selection", "method"), [("mass", "eom"), ("leaf", "leaf")])
every_set = pytest.mark.parametrize("X", SETS.values(), ids=SETS)


@every_selection
@every_set
@pytest.mark.parametrize("min_size", [3, 5, 15])
def test_it_is_hdbscan_on_single_linkage(X, min_size, selection, method):
    # With one sample, reachability is distance, and no two distances tie.
    theirs = HDBSCAN(min_size, min_samples=1, cluster_selection_method=method, copy=True).fit(X)
    same_as_hdbscan(chamfer.condense(chamfer.linkage(X, "single"), min_size).select(selection), theirs)


@every_selection
@every_set
@pytest.mark.parametrize("min_size", [5, 15])
def test_it_is_hdbscan_on_its_tree_of_mutual_reachability(X, min_size, selection, method):
    # Distances of mutual reachability tie, so that there are many trees; theirs is taken.
    theirs = HDBSCAN(min_size, min_samples=5, cluster_selection_method=method, copy=True).fit(X)
    Z = np.array([list(merge) for merge in theirs._single_linkage_tree_], dtype=float)
    same_as_hdbscan(chamfer.condense(Z, min_size).select(selection), theirs)


@every_tree
@pytest.mark.parametrize("min_size", [2, 4])
@pytest.mark.parametrize("heights", ["max", "cumulative"])
def test_the_condensed_tree_by_its_definition(Z, min_size, heights):
    n = len(Z) + 1
    level = chamfer.monotone(Z, heights)  # renumbered: walk this tree instead
    found = chamfer.condense(level, min_size)
    sets = [[point] for point in range(n)]
    for a, b in level[:, :2].astype(int):
        sets.append(sets[a] + sets[b])
    members = {0: set(range(n))}
    stability = [0.0] * len(found)
    lam = 1 / level[:, 2]
    clusters = {2 * n - 2: 0}
    made = 1
    for i in range(n - 2, -1, -1):
        parts = level[i, :2].astype(int)
        own = clusters.get(n + i)
        if own is None:
            continue
        large = [len(sets[part]) >= min_size for part in parts]
        for part, enough in zip(parts, large, strict=True):
            lasted = len(sets[part]) * (lam[i] - found.birth[own])
            if all(large):
                clusters[part], members[made] = made, set(sets[part])
                assert (found.parent[made], found.birth[made]) == (own, lam[i])
                made += 1
                stability[own] += lasted
            elif enough:
                clusters[part] = own
            else:
                stability[own] += lasted
                for point in sets[part]:
                    assert (found.cluster_of[point], found.leaving[point]) == (own, lam[i])
    assert made == len(found)
    assert [len(members[c]) for c in range(made)] == found.size.tolist()
    np.testing.assert_allclose(found.stability, stability, rtol=1e-9, atol=1e-12)


@every_tree
def test_selected_clusters_do_not_overlap_and_are_the_best(Z):
    tree = chamfer.condense(Z, 3)
    found = tree.select()

    def best(cluster):
        parts = np.flatnonzero(tree.parent == cluster)
        within = sum(best(part) for part in parts)
        return within if cluster == 0 else max(tree.stability[cluster], within)

    assert tree.stability[found.clusters].sum() == pytest.approx(best(0))
    leaf = tree.select("leaf").clusters
    assert set(leaf) == set(range(1, len(tree))) - set(tree.parent)
    for cut in (found, tree.select("leaf")):
        assert ((cut.labels == -1) == (cut.strengths == 0)).all()
        assert cut.strengths.max(initial=0) <= 1


def test_one_cluster_if_allowed():
    tree = chamfer.condense(chamfer.linkage(gaussian(0, 60, 2), "single"), 20)
    assert (tree.select(allow_single=True).labels >= 0).any()
    alone = chamfer.condense(chamfer.linkage(gaussian(0, 10, 2)), 20)
    assert (alone.select().labels == -1).all()
    assert (alone.select(allow_single=True).labels == 0).all()


def test_equal_points():
    X = np.repeat([[0.0], [5.0], [9.0]], 10, axis=0)
    for selection in ("mass", "leaf"):
        labels = chamfer.condense(chamfer.linkage(X, "single"), 5).select(selection).labels
        np.testing.assert_array_equal(labels, np.repeat([0, 1, 2], 10))


@pytest.mark.parametrize("exponent", [-1040, -600, 600])
def test_the_scale_of_heights_does_not_matter(exponent):
    Z = chamfer.linkage(np.vstack([gaussian(0, 40, 2), gaussian(1, 40, 2) + 9]), "single")
    Z[:, 2] = np.round(Z[:, 2], 2)
    expected = chamfer.condense(Z, 8).select()
    Z[:, 2] = np.ldexp(Z[:, 2], exponent)
    found = chamfer.condense(Z, 8).select()
    np.testing.assert_array_equal(found.labels, expected.labels)
    # Of the lowest heights, denormal numbers keep few digits.
    np.testing.assert_allclose(found.strengths, expected.strengths, rtol=1e-3 if exponent == -1040 else 1e-12)


def test_one_point():
    assert chamfer.condense(np.empty((0, 4)), 2).select().labels.tolist() == [-1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Z: chamfer.condense(Z, 1), "min_size must be at least 2, got 1"),
        (lambda Z: chamfer.condense(Z, heights="own"), "heights must be one of max, cumulative, got 'own'"),
        (lambda Z: chamfer.condense(Z).select("eom"), "method must be one of mass, leaf, got 'eom'"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call(chamfer.linkage(gaussian(0, 30, 2)))
