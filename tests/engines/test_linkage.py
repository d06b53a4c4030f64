"""`linkage` gives the tree of the definition: every method, both dtypes, any number of threads, every engine."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from cases import assert_same_tree, distances, engines, gaussian
from chamfer import _core
from marks import slow


def n_pairs(n):
    return n * (n - 1) // 2


def test_every_method_is_in_the_reference():
    assert set(chamfer.METHODS) == {*reference.LINKAGES, "chamfer_capped"}


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("threads", [*slow(1), 2])
def test_every_method_in_float64(method, threads):
    X = gaussian(1, 50, 4)
    expected = reference.linkage(distances(X), method)
    for engine in engines(method):
        assert_same_tree(chamfer.linkage(X, method, engine=engine, n_jobs=threads), expected)


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("threads", [*slow(1), 2])
def test_every_method_in_float32(method, threads):
    X = gaussian(2, 50, 4, np.float32)
    D = distances(X)
    for engine in engines(method):
        # Distances are rounded to float32, so near ties may go either way.
        reference.replay(chamfer.linkage(X, method, engine=engine, n_jobs=threads), D, method, rtol=1e-6, atol=1e-6)


def test_chamfer_is_the_default():
    X = gaussian(2, 20, 2)
    np.testing.assert_array_equal(chamfer.linkage(X), chamfer.linkage(X, "chamfer", "euclidean"))


@pytest.mark.parametrize("method", reference.CLASSICAL)
@pytest.mark.parametrize("seed", range(16))
def test_classical_linkages_are_scipys(method, seed):
    n, d = [2, 3, 4, 5, 7, 10, 17, 33, 65, 100, 128, 200, 257, 333, 450, 500][seed], [1, 2, 3, 8, 16, 17, 40][seed % 7]
    X = gaussian(seed, n, d)
    expected = hierarchy.linkage(X, method)
    for engine in engines(method):
        assert_same_tree(chamfer.linkage(X, method, engine=engine), expected)
    assert_same_tree(chamfer.linkage(pdist(X), method), expected)


@pytest.mark.parametrize("method", [method for method in reference.CLASSICAL if method not in reference.CENTRES])
@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
def test_classical_linkages_are_scipys_for_other_fast_metrics(method, metric):
    X = gaussian(3, 150, 5)
    for engine in engines(method):
        assert_same_tree(chamfer.linkage(X, method, metric, engine=engine), hierarchy.linkage(X, method, metric))


@pytest.mark.parametrize("method", reference.CHAMFER)
@pytest.mark.parametrize("seed", [*range(21), *slow(*range(21, 26))])
def test_chamfer_linkages_are_the_definitions(method, seed):
    n, d = [*range(2, 40, 2), 45, 50, 60, 70, 80, 100, 120][seed], 1 + seed % 9
    metric = ["euclidean", "sqeuclidean", "cosine"][seed % 3 if d > 1 else 0]
    X = gaussian(100 + seed, n, d)
    assert_same_tree(chamfer.linkage(X, method, metric), reference.linkage(distances(X, metric), method))


@pytest.mark.parametrize("method", reference.CHAMFER)
@pytest.mark.parametrize("seed", range(10))
def test_chamfer_linkages_of_distances_that_are_no_metric(method, seed):
    # Without a triangle inequality heights often fall and nearest clusters are often lost: the hard case for an engine.
    y = np.random.default_rng(seed).uniform(0.1, 1, size=n_pairs(20 + seed))
    assert_same_tree(chamfer.linkage(y, method), reference.linkage(squareform(y), method))


@pytest.mark.parametrize("method", reference.LINKAGES)
def test_clusters_of_different_sizes_and_widths(method):
    X = np.concatenate([gaussian(0, 40, 2), gaussian(1, 10, 2) / 20 + 4, gaussian(2, 3, 2) * 3 - 9])
    expected = reference.linkage(distances(X), method)
    for engine in engines(method):
        assert_same_tree(chamfer.linkage(X, method, engine=engine), expected)


@pytest.mark.parametrize("method", reference.CHAMFER)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chamfer_linkages_of_longer_rows(method, dtype):
    # Too many for the definition. With weights another engine runs, which keeps all values between clusters.
    groups = [gaussian(0, 300, 3), gaussian(1, 200, 3) * 1e-3 + 2, gaussian(2, 30, 3) * 50, gaussian(3, 70, 3) + 9]
    X = np.concatenate(groups)[np.random.default_rng(4).permutation(600)].astype(dtype)
    expected = chamfer.linkage(X, method, sample_weight=np.full(600, 2.0))
    expected[:, 2] /= 1 if "normalized" in method else 2
    assert_same_tree(chamfer.linkage(X, method, engine="dense"), expected)


def test_chamfer_heights_may_fall():
    # 0 and 1 are close, 2 and 3 far apart; but 0 is near 3 and 1 near 2, so the two pairs are closer than 2 and 3.
    Z = chamfer.linkage([1, 22, 4, 2, 19, 12], "chamfer_symmetric")
    np.testing.assert_array_equal(Z, [[0, 1, 2, 2], [2, 3, 24, 2], [4, 5, (4 + 2) + (2 + 4), 4]])


@pytest.mark.parametrize("method", reference.LINKAGES)
class TestFewPoints:
    def test_one_point_has_no_merge(self, method):
        for Z in (chamfer.linkage([[1.0, 2.0]], method), chamfer.linkage([[0.0]], method, "precomputed")):
            assert Z.shape == (0, 4)
            assert Z.dtype == np.float64

    @pytest.mark.parametrize("n", [2, 3])
    def test_two_and_three_points(self, method, n):
        X = gaussian(n, n, 2)
        expected = reference.linkage(distances(X), method)
        for engine in engines(method):
            assert_same_tree(chamfer.linkage(X, method, engine=engine), expected)

    def test_points_on_a_line(self, method):
        X = gaussian(7, 40, 1)
        expected = reference.linkage(distances(X), method)
        for engine in engines(method):
            assert_same_tree(chamfer.linkage(X, method, engine=engine), expected)


@pytest.mark.parametrize("method", reference.LINKAGES)
def test_optimal_ordering_turns_branches_as_scipy_does(method):
    X = gaussian(4, 40, 3)
    plain, ordered = chamfer.linkage(X, method), chamfer.linkage(X, method, optimal_ordering=True)
    np.testing.assert_array_equal(np.sort(ordered[:, :2], axis=1), plain[:, :2])
    np.testing.assert_array_equal(ordered, hierarchy.optimal_leaf_ordering(plain, pdist(X)))


def test_chamfer_symmetric_of_equal_distances():
    # Bounds tell nothing of them, so it starts again with sums.
    D = np.ones((600, 600), np.float32) - np.eye(600, dtype=np.float32)
    assert _core.dense_lazy(D.copy(), symmetric=True, threads=1) is None
    Z = chamfer.linkage(D, "chamfer_symmetric", "precomputed")
    sizes = np.r_[np.ones(600), Z[:, 3]]
    # Each merge of A and B costs |A| + |B|, so the two smallest clusters are next.
    np.testing.assert_array_equal(Z[:, 2], sizes[Z[:, :2].astype(int)].sum(axis=1))
    assert (np.diff(Z[:, 2]) >= 0).all()
