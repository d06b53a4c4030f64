"""What holds for any input, tried on many small ones that hypothesis makes up."""

from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import squareform

import chamfer
import reference
from cases import distances, engines

linkage = partial(chamfer.linkage, n_jobs=1)  # so few points gain nothing from threads
methods = st.sampled_from(sorted(reference.LINKAGES))
shapes = st.tuples(st.integers(2, 12), st.integers(1, 4))
# Whole numbers and halves: many ties, duplicates and rows of zeros, and no rounding.
coordinates = st.integers(-8, 8).map(lambda k: k / 2)
points = arrays(np.float64, shapes, elements=coordinates)
# Distances that need not be a metric.
condensed = st.integers(2, 10).flatmap(
    lambda n: arrays(np.float64, n * (n - 1) // 2, elements=st.integers(0, 20).map(float))
)


@given(points, methods)
def test_each_merge_is_a_smallest(X, method):
    D = distances(X)
    for engine in engines(method):
        reference.replay(linkage(X, method, engine=engine), D, method)


@given(points.map(np.float32), methods)
def test_each_merge_is_a_smallest_in_float32(X, method):
    D = distances(X)
    for engine in engines(method):
        reference.replay(linkage(X, method, engine=engine), D, method, rtol=1e-6, atol=1e-6)


@given(condensed, st.sampled_from(sorted(set(reference.LINKAGES) - set(reference.CENTRES))))
def test_each_merge_is_a_smallest_of_any_distances(y, method):
    reference.replay(linkage(y, method), squareform(y), method)


@given(points, methods, st.sampled_from(["euclidean", "sqeuclidean", "cosine", "cityblock"]))
def test_the_tree_is_valid(X, method, metric):
    Z = linkage(X, method, "euclidean" if method in reference.CENTRES else metric)
    assert Z.shape == (len(X) - 1, 4)
    assert hierarchy.is_valid_linkage(Z, throw=True)
    assert (Z[:, 0] < Z[:, 1]).all()
    chamfer.Dendrogram(Z)
    if method in ("single", "complete", "average", "weighted", "ward"):
        assert hierarchy.is_monotonic(Z)


@given(points, methods, st.integers(-60, 60))
def test_scaling_scales_heights(X, method, exponent):
    # Powers of two change no digit, so not even a tie is broken in another way.
    for engine in engines(method):
        Z = linkage(X, method, engine=engine)
        scaled = linkage(X * 2.0**exponent, method, engine=engine)
        np.testing.assert_array_equal(scaled, Z * [1, 1, 2.0**exponent, 1])


@given(points, methods, st.integers(-1000, 1000))
def test_moving_changes_nothing(X, method, offset):
    # Differences of these numbers are exact. The points engine computes centres, whose rounding does move.
    Z = linkage(X, method, engine="dense")
    np.testing.assert_array_equal(linkage(X + offset, method, engine="dense"), Z)


@given(arrays(np.float64, shapes, elements=st.floats(-1, 1), unique=True), methods, st.randoms(use_true_random=False))
def test_the_order_of_points_does_not_matter(X, method, random):
    D = distances(X)
    values = D[np.triu_indices(len(X), 1)]
    order = list(range(len(X)))
    random.shuffle(order)
    Z, shuffled = linkage(X, method), linkage(X[order], method)
    # With ties there is more than one right tree, but each has to be right.
    reference.replay(shuffled, D[np.ix_(order, order)], method, atol=1e-12)
    if len(np.unique(np.round(values, 6))) == len(values) and tie_free(Z):
        np.testing.assert_allclose(shuffled[:, 2], Z[:, 2], rtol=1e-6)


def tie_free(Z):
    return (np.diff(np.sort(Z[:, 2])) > 1e-6).all()


@given(points)
def test_single_linkage_is_the_minimum_spanning_tree(X):
    D = distances(X)
    # Zeros would be missing edges to SciPy.
    edges = minimum_spanning_tree(D + 1).data - 1
    np.testing.assert_allclose(linkage(X, "single")[:, 2], np.sort(edges), atol=1e-12)


@given(points, methods, st.data())
def test_a_cut_has_the_clusters_asked_for(X, method, data):
    Z = linkage(X, method)
    n_clusters = data.draw(st.integers(1, len(X)))
    order = data.draw(st.sampled_from(["merge", "least", "cumulative"]))
    labels = chamfer.cut(Z, n_clusters, order=order)
    appearances = [int(np.flatnonzero(labels == label)[0]) for label in range(n_clusters)]
    assert labels.min() == 0
    assert labels.max() == n_clusters - 1
    assert appearances == sorted(appearances)


# Any numbers at all, but few of them.
wild = st.floats(allow_nan=True, allow_infinity=True)
nearly_ids = st.integers(0, 9).map(float)


def result_or_refusal(function, *arguments):
    try:
        return function(*arguments), ""
    except (ValueError, UserWarning) as error:
        return None, str(error)


@given(arrays(np.float64, st.tuples(st.integers(0, 6), st.integers(0, 3)), elements=wild), methods)
def test_any_matrix_gives_a_valid_tree_or_a_refusal_that_names_it(X, method):
    Z, refusal = result_or_refusal(linkage, X, method)
    assert "X" in refusal or chamfer.Dendrogram(Z).n_points == len(X)


@given(arrays(np.float64, st.integers(0, 15), elements=wild), methods)
def test_any_vector_gives_a_valid_tree_or_a_refusal_that_names_it(y, method):
    Z, refusal = result_or_refusal(linkage, y, method)
    assert "X" in refusal or chamfer.Dendrogram(Z).n_points ** 2 > y.size


@given(arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(3, 5)), elements=wild | nearly_ids))
def test_any_array_is_a_dendrogram_or_refused(Z):
    tree, refusal = result_or_refusal(chamfer.Dendrogram, Z)
    assert "Z" in refusal or tree.n_points == 1 or hierarchy.is_valid_linkage(tree.Z)
