"""Weights and constraints: trees of the definition, for every linkage and every engine that takes them."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist

import chamfer
import reference
from cases import assert_same_tree, distances, gaussian, grid
from marks import slow
from rules import arguments, random_rules

GRAPH = {"single": "euclidean", "ward": "euclidean", "centroid": "euclidean", "median": "euclidean"}
GRAPH["average"] = "sqeuclidean"  # linkages of the graph engine, and a metric of each
CHAMFER = [name for name in chamfer.METHODS if chamfer.METHODS[name].family == "chamfer"]
EXACT = ("single", "complete", "weighted")  # whose values are not rounded if distances are small integers
EDGES = [name for name in reference.LINKAGES if chamfer.METHODS[name].from_edges]


def linkage(X, method, **options):
    """Z, whatever the constraints leave."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return chamfer.linkage(X, method, **options)


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("seed", [3, 11, *slow(*range(3), *range(4, 11), *range(12, 60))])
def test_trees_are_the_definitions(method, seed):
    n = [2, 3, 5, 8, 12, 20][seed % 6]
    X, rules = gaussian(seed, n, 3), random_rules(seed, n)
    D = distances(X)
    expected = reference.linkage(D, method, rules=rules)
    Z = linkage(X, method, engine="dense", **arguments(rules))
    assert_same_tree(Z, expected, 1e-7)
    reference.replay(Z, D, method, rules=rules)
    assert_same_tree(linkage(pdist(X), method, engine="dense", **arguments(rules)), expected, 1e-7)


@pytest.mark.parametrize("method", GRAPH)
@pytest.mark.parametrize("seed", [3, 10, *slow(*range(3), *range(4, 10), *range(11, 100))])
@pytest.mark.parametrize("make", [gaussian, grid])
def test_the_graph_engine_follows_the_definition(method, seed, make):
    n, metric = [2, 3, 5, 8, 14, 20][seed % 6], GRAPH[method]
    X, rules = make(seed, n, 3), random_rules(seed, n)
    if rules.edges is None:
        chain = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1
        rules = replace(rules, edges=chain)
    D = distances(X, metric)
    Z = linkage(X, method, metric=metric, engine="graph", **arguments(rules))
    reference.replay(Z, D, method, rules=rules)
    if make is gaussian:
        assert_same_tree(Z, reference.linkage(D, method, rules=rules), 1e-7)


@pytest.mark.parametrize("method", CHAMFER)
@pytest.mark.parametrize("seed", [3, 8, *slow(*range(3), *range(4, 8), *range(9, 40))])
@pytest.mark.parametrize("make", [gaussian, grid])
def test_chamfer_linkages_along_edges_follow_the_definition(method, seed, make):
    n, k = [2, 3, 5, 8, 14, 20][seed % 6], 1 + seed % 4
    X, rules = make(seed, n, 3), random_rules(seed, n)
    if method == "chamfer_capped":  # whose weights are at least 1
        weights = None if rules.weights is None else np.maximum(rules.weights, 1)
        rules = replace(rules, weights=weights, max_size=np.ceil(rules.max_size * 2))
    if rules.edges is None:
        rules = replace(rules, edges=np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1)
    Z = linkage(X, method, engine="graph", n_neighbors=k, **arguments(rules))
    expected = reference.linkage(distances(X), method, n_neighbors=k, rules=rules)
    assert_same_tree(Z, expected, 1e-7)  # also where values tie


@pytest.mark.parametrize("method", [name for name in CHAMFER if name != "chamfer_capped"])
@pytest.mark.parametrize(("metric", "d"), [("euclidean", 1), ("euclidean", 3), ("sqeuclidean", 20), ("cosine", 4)])
@pytest.mark.parametrize("dtype", [np.float64, *slow(np.float32)])
def test_chamfer_along_a_grid_is_that_of_the_dense_engine(method, metric, d, dtype):
    """So many points that lists of them fill blocks, of clusters as large as each other and of one that takes all."""
    X = np.repeat(gaussian(0, 12, d), 50, axis=0) + 0.3 * gaussian(1, 600, d)
    graph = sparse.diags([np.ones(599), np.ones(570)], [1, 30], shape=(600, 600))
    weights = np.random.default_rng(2).uniform(0.5, 2, 600) if d == 3 else None
    for rules in ({}, {"max_size": 80, "forest": True}):
        options = {"metric": metric, "connectivity": graph, "sample_weight": weights, **rules}
        dense, Z = (linkage(X.astype(dtype), method, engine=name, **options) for name in ("dense", "graph"))
        if dtype == np.float64:
            assert_same_tree(Z, dense, 1e-9)
        else:
            np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(dense[:, 2]), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("d", [2, *slow(20)])
def test_capped_linkage_along_the_edges_of_neighbours_is_that_without_edges(d):
    X = np.repeat(gaussian(0, 5, d), 50, axis=0) + 0.3 * gaussian(1, 250, d)
    expected = chamfer.linkage(X, "chamfer_capped", n_neighbors=4)
    for graph in (chamfer.neighbors(X, 4).graph(), np.ones((250, 250))):
        Z = linkage(X, "chamfer_capped", n_neighbors=4, connectivity=graph)
        assert_same_tree(Z, expected)


def test_chamfer_linkages_follow_edges_without_a_matrix():
    X = gaussian(0, 3_000, 2)  # the matrix takes 72 MB
    for method in CHAMFER:
        Z = chamfer.linkage(X, method, connectivity="chain", memory_limit="12MB")
        sizes = np.abs(np.diff(chamfer.cut(Z, 9)))
        assert np.count_nonzero(sizes) == 8  # each cluster is a run of the chain


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_pairs_that_do_not_count(method, seed):
    """With default=nan a union takes the value of the half that has one."""
    draw, n = np.random.default_rng(seed), [2, 5, 12, 30][seed % 4]
    known = {frozenset(pair): draw.random() for pair in combinations(range(n), 2) if draw.random() < 0.3}
    X = sparse.lil_array((n, n))
    for (a, b), value in ((sorted(pair), value) for pair, value in known.items()):
        X[a, b] = value
    Z = chamfer.linkage(X, method, "precomputed", default=[np.nan, np.float32("nan")][seed % 2], forest=True)
    sizes = dict.fromkeys(range(n), 1)
    for i, (a, b, height, _) in enumerate(Z):
        if not known:
            assert np.isinf(Z[i:, 2]).all()
            break
        closest = min(known, key=known.__getitem__)
        assert closest == {a, b}
        assert height == pytest.approx(known.pop(closest))
        one, two = sizes.pop(a), sizes.pop(b)
        for x in sizes:
            values = [known.pop(frozenset((each, x)), None) for each in (a, b)]
            if None not in values:
                means = {"average": np.average(values, weights=[one, two]), "weighted": np.mean(values)}
                known[frozenset((n + i, x))] = {"single": min(values), "complete": max(values), **means}[method]
            elif values != [None, None]:
                known[frozenset((n + i, x))] = next(each for each in values if each is not None)
        sizes[n + i] = one + two


@pytest.mark.parametrize("method", EDGES)
@pytest.mark.parametrize("default", [1.0, 1.5, np.inf])
@pytest.mark.parametrize("seed", [2, 3, *slow(0, 1, *range(4, 40))])
def test_sparse_distances(method, default, seed):
    draw, n = np.random.default_rng(seed), [2, 5, 9, 16][seed % 4]
    given = np.triu(draw.random((n, n)) < draw.choice([2.0, 5.0]) / n, 1)
    D = np.where(given, draw.uniform(0, 1, (n, n)), np.inf)
    X = sparse.coo_array((D[given], np.nonzero(given)), shape=(n, n))
    D = np.minimum(np.minimum(D, D.T), default)
    np.fill_diagonal(D, 0)
    weights = draw.uniform(1, 3, n) if seed % 2 else None
    Z = linkage(X.tocsr(), method, metric="precomputed", default=default, sample_weight=weights)
    expected = reference.linkage(D, method, rules=reference.Rules(weights=weights))
    finite = expected[:, 2] < min(default, 1e300) * (1 - 1e-9)
    assert_same_tree(Z[finite], expected[finite])
    np.testing.assert_allclose(Z[~finite, 2], default, rtol=1e-9)
    both = chamfer.linkage(X + X.T, method, metric="precomputed", default=default, sample_weight=weights, forest=True)
    np.testing.assert_array_equal(both, Z)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.bsr_array])
@pytest.mark.parametrize(("part", "value"), [("indices", 9), ("indices", -1), ("indptr", 10**6), ("indptr", -1)])
def test_a_damaged_matrix_is_refused(make, part, value):
    X = make(np.ones((4, 4)) - np.eye(4))
    place = 1 if part == "indptr" else 0
    getattr(X, part)[place] = value
    with pytest.raises(ValueError, match="X must be a sparse matrix with entries that are there"):
        chamfer.linkage(X, "single", metric="precomputed")
    with pytest.raises(ValueError, match="connectivity must be a sparse matrix with entries that are there"):
        chamfer.linkage(gaussian(0, 4, 2), "single", connectivity=X)
    assert getattr(X, part)[place] == value  # it was not changed


def test_a_damaged_matrix_without_entries_is_refused():
    X = sparse.csr_array((3, 3))
    X.indptr[1] = 10**6
    with pytest.raises(ValueError, match="connectivity must be a sparse matrix with entries that are there"):
        chamfer.linkage(gaussian(0, 3, 2), "single", connectivity=X)


def test_distances_of_zero_that_a_sparse_matrix_holds():
    X = sparse.coo_array((np.array([0.0, 2.0]), ([0, 1], [1, 2])), shape=(3, 3))
    Z = chamfer.linkage(X, "average", metric="precomputed", default=4.0)
    np.testing.assert_array_equal(Z, [[0, 1, 0, 2], [2, 3, 3, 3]])


@pytest.mark.parametrize(
    ("entries", "options", "message"),
    [
        ([-1.0, 1.0], {}, r"X must hold distances of at least 0, got X\[0, 1\] = -1.0"),
        ([np.nan, 1.0], {}, r"X must hold distances of at least 0, got X\[0, 1\] = nan"),
        ([3.0, 1.0], {"default": 2.0}, "default must be at least 3.0, the largest distance of X, got 2.0"),
        ([3.0, 1.0], {"default": 5.0, "max_size": 2}, "default must be infinite with max_size, got 5.0"),
        ([3.0, 1.0], {"connectivity": "chain"}, "connectivity must be None for sparse distances"),
        ([3.0, 1.0], {"engine": "dense"}, "engine must be 'graph' for sparse distances, got 'dense'"),
        ([3.0, 1.0], {"method": "ward"}, "method must be one of single, .* for sparse distances, got 'ward'"),
        ([3.0, 1.0], {"optimal_ordering": True}, "optimal_ordering must be False with sparse distances"),
    ],
)
def test_refusals_of_sparse_distances(entries, options, message):
    X = sparse.coo_array((np.array(entries), ([0, 1], [1, 2])), shape=(3, 3))
    with pytest.raises((ValueError, TypeError), match=message):
        chamfer.linkage(X, **{"method": "average", "metric": "precomputed", **options})


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 20))])
def test_each_merge_is_a_smallest_one_where_values_tie(method, seed):
    X, rules = grid(seed, 14, 2), random_rules(100 + seed, 14)
    Z = linkage(X, method, engine="dense", **arguments(rules))
    reference.replay(Z, distances(X), method, rtol=1e-7, rules=rules)


@pytest.mark.parametrize("method", ["chamfer", "chamfer_symmetric", *EXACT])
@pytest.mark.parametrize("seed", [4, *slow(*range(4), *range(5, 60))])
def test_equal_values_are_merged_by_the_tie_rule(method, seed):
    """Integers on a line, where values are exact: of equal ones the definition takes the lowest numbers.

    Points that must be together are merged group by group. Single linkage along edges compares edges, not clusters.
    """
    n, rules = 20, random_rules(seed, 20)
    X = np.random.default_rng(seed).integers(0, 6, (n, 1)).astype(float)
    weights = None if rules.weights is None else np.ceil(rules.weights)
    most = rules.max_size if rules.edges is not None else min(rules.max_size, 1000)  # at least one constraint
    rules = replace(rules, weights=weights, max_size=np.ceil(most * 2), together=())
    expected = reference.linkage(distances(X), method, rules=rules)
    np.testing.assert_array_equal(linkage(X, method, engine="dense", **arguments(rules)), expected)
    if rules.edges is not None and method not in EXACT:
        np.testing.assert_array_equal(linkage(X, method, engine="graph", **arguments(rules)), expected)


def without_zeros(Z, n):
    """The clusters of all merges above 0, as sets of points, and their heights."""
    sets = [frozenset([p]) for p in range(n)]
    for a, b in Z[:, :2].astype(int):
        sets.append(sets[a] | sets[b])
    return [(made, height) for made, height in zip(sets[n:], Z[:, 2], strict=True) if height > 0]


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 200))])
def test_weights_are_repeated_points(method, seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 20))
    X, weights = gaussian(seed, n, 2), draw.integers(1, 5, n)
    copies = np.repeat(np.arange(n), weights)
    weighted = without_zeros(linkage(X, method, sample_weight=weights), n)
    repeated = without_zeros(chamfer.linkage(X[copies], method), len(copies))
    assert len(weighted) == len(repeated)
    for (few, height), (many, same) in zip(weighted, repeated, strict=True):
        assert few == {copies[p] for p in many}
        assert height == pytest.approx(same, rel=1e-9)


@pytest.mark.parametrize("method", ["ward", "centroid", "median", "single", "average"])
@pytest.mark.parametrize("few", [True, *slow(False)])
@pytest.mark.parametrize("scale", [1.0, *slow(1e-60)])
def test_the_points_engine_takes_weights(method, few, scale):
    metric = GRAPH[method]
    for n, d in ((300, 2), (300, 12)):
        X, weights = gaussian(n, n, d), scale * np.random.default_rng(0).uniform(0.01, 300, n)
        expected = chamfer.linkage(X, method, metric, engine="dense", sample_weight=weights)
        with chamfer.tuning.using(
            **({} if few else dict.fromkeys(("few_points", "few_rounds", "few_closer"), ((1 << 62, 0),)))
        ):
            Z = chamfer.linkage(X, method, metric, engine="points", sample_weight=weights)
        assert_same_tree(Z, expected, 1e-8)


@pytest.mark.parametrize("method", reference.LINKAGES)
@pytest.mark.parametrize("n", [30, *slow(1500)])
def test_both_ways_of_the_dense_engine_agree(method, n):
    X, weights = gaussian(0, n, 3), np.random.default_rng(0).uniform(0.1, 30, n)
    plain = chamfer.linkage(X, method, sample_weight=weights, engine="dense")
    # A size that is never reached takes the way of constraints.
    assert_same_tree(plain, chamfer.linkage(X, method, sample_weight=weights, max_size=1e9, engine="dense"), 1e-7)


def test_column_four_counts_points():
    Z = chamfer.linkage([[0.0], [1.0], [5.0]], sample_weight=[2.0, 3.0, 0.5])
    np.testing.assert_array_equal(Z, [[0, 1, 2, 2], [2, 3, 2, 3]])  # Ch({5}, ...) = 0.5 · 4


@pytest.mark.parametrize("method", reference.LINKAGES)
def test_equal_weights_of_one_change_nothing(method):
    X = gaussian(3, 30, 3)
    np.testing.assert_array_equal(chamfer.linkage(X, method, sample_weight=np.ones(30)), chamfer.linkage(X, method))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "cityblock"])
@pytest.mark.parametrize("scale", [1e-150, 1, 1e150])
def test_metrics_dtypes_and_scales(metric, dtype, scale):
    X, rules = gaussian(5, 16, 3, dtype), random_rules(11, 16)
    if metric == "cityblock" or dtype == np.float32:
        scale = 1
    Z = linkage(X * dtype(scale), "average", metric=metric, **arguments(rules))
    exact = 1 if metric == "cosine" else scale**2 if metric == "sqeuclidean" and scale == 1 else scale
    if metric == "sqeuclidean" and scale != 1:
        return
    Z[:, 2] /= exact
    reference.replay(Z, distances(X, metric), "average", rtol=1e-5, rules=rules)


class TestForests:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])

    def test_components_are_merged_last_with_a_warning(self):
        edges = sparse.coo_array((np.ones(3), ([0, 0, 3], [1, 2, 4])), shape=(6, 6))
        with pytest.warns(UserWarning, match="connectivity leaves 3 components, .* pass forest=True"):
            Z = chamfer.linkage(self.X, "single", connectivity=edges)
        np.testing.assert_array_equal(Z[:, 2], [1, 1, 2, 8, 19])

    def test_a_forest_joins_at_infinity(self):
        edges = sparse.coo_array((np.ones(3), ([0, 0, 3], [1, 2, 4])), shape=(6, 6))
        Z = chamfer.linkage(self.X, "single", connectivity=edges, forest=True)
        np.testing.assert_array_equal(Z[:, 2], [1, 1, 2, np.inf, np.inf])
        np.testing.assert_array_equal(chamfer.cut(Z, 3), [0, 0, 0, 1, 1, 2])
        np.testing.assert_array_equal(chamfer.cut(Z, height=1e300), [0, 0, 0, 1, 1, 2])
        for k in (1, 2):
            with pytest.raises(ValueError, match=f"n_clusters must be at least 3, the number of trees .*, got {k}"):
                chamfer.cut(Z, k)

    def test_info_counts_trees(self):
        info = chamfer.Info()
        for max_size, trees in ((1, 6), (3, 2), (6, 1)):
            chamfer.linkage(self.X, "average", max_size=max_size, forest=True, info=info)
            assert info.trees == trees

    def test_a_largest_size_leaves_trees_and_says_so(self):
        with pytest.warns(UserWarning, match="max_size leaves 2 trees, which are joined at height infinity"):
            Z = chamfer.linkage(self.X, "average", max_size=4)
        assert np.bincount(chamfer.cut(Z, 2)).max() <= 4

    def test_what_needs_one_tree_refuses_a_forest(self):
        Z = chamfer.linkage(self.X, "average", max_size=4, forest=True)
        for refuses in (chamfer.to_json, chamfer.to_newick, chamfer.condense, chamfer.layers, chamfer.choose):
            with pytest.raises(ValueError, match="Z must be one tree here, got a forest of 2 trees; replace"):
                refuses(Z)
        assert np.isinf(chamfer.monotone(Z)[:, 2]).sum() == 1
        assert chamfer.cut(Z, 2, order="cumulative").max() == 1
        assert np.bincount(chamfer.cut(Z, max_size=6)).max() <= 4
        Z[-2, 2] = np.inf
        Z[-1, 2] = 100
        with pytest.raises(ValueError, match="merge 4 follows one of infinite height"):
            chamfer.cut(Z, 2)

    def test_group_labels(self):
        Z = chamfer.linkage(self.X, must_link=[0, -1, -1, 7, -1, 0], cannot_link=[-1, 2, 2, 2, -1, -1], forest=True)
        assert tuple(Z[0]) == (0, 5, 0, 2)
        labels = chamfer.cut(Z, 3)
        assert len(set(labels[1:4])) == 3
        assert labels[0] == labels[5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": [1, 2]}, "sample_weight must hold a number for each of 4 points, got shape"),
        ({"sample_weight": [1, 2, 0, 1]}, "sample_weight must be above zero, .*, got 0.0 for point 2"),
        ({"sample_weight": [1, 2, np.nan, 1]}, "sample_weight must be above zero, .*, got nan for point 2"),
        ({"sample_weight": "abcd"}, "sample_weight must hold a number"),
        ({"connectivity": "ring"}, "connectivity must be a square matrix, a function of X or 'chain', got 'ring'"),
        ({"connectivity": np.ones((3, 3))}, r"connectivity must have shape \(4, 4\), got \(3, 3\)"),
        ({"connectivity": lambda X: X}, r"connectivity must have shape \(4, 4\), got \(4, 1\)"),
        ({"must_link": [(0, 4)]}, r"must_link must hold points between 0 and 3, got \(0, 4\)"),
        ({"must_link": [0, 1, 1]}, "must_link must hold pairs of points, .* got shape"),
        ({"must_link": [0.0, 1.0, 1.0, 1.0]}, "must_link must hold integer labels"),
        ({"cannot_link": [(1.0, 2.0)]}, "cannot_link must hold pairs of integers"),
        ({"cannot_link": [(1, 1)]}, r"cannot_link must hold pairs of different points, got \(1, 1\)"),
        ({"must_link": [(0, 1), (1, 3)], "cannot_link": [(0, 3)]}, r"must not conflict, got the pair \(0, 3\) in both"),
        ({"must_link": [(0, 1), (1, 3)], "max_size": 2}, "max_size must be at least 3, .* group of point 0, got 2"),
        ({"max_size": 0}, "max_size must be at least 1, got 0"),
        ({"max_size": 2.5}, "max_size must be an integer at least 1, got 2.5"),
        ({"max_size": 1, "sample_weight": [1, 1, 1, 3]}, "max_size must be at least 3.0, the sample_weight of point 3"),
        ({"forest": "yes"}, "forest must be True or False, got 'yes'"),
        ({"must_link": [(0, 1)], "engine": "points"}, "engine must be 'dense' or 'graph' for must_link, got 'points'"),
        ({"must_link": [(0, 1)], "engine": "graph"}, "engine 'graph' needs connectivity, or sparse distances; got"),
        (
            {"connectivity": "chain", "engine": "graph", "method": "complete"},
            "engine 'graph' takes observations and one of chamfer, chamfer_normalized, .*, single .*'complete'",
        ),
        ({"must_link": [(0, 1)], "engine": "graph", "method": "ward"}, "engine 'graph' needs connectivity, or sparse"),
        ({"default": 1.0}, "default must be None unless X is a sparse matrix of distances, got 1.0"),
        (
            {"max_size": 2, "method": "chamfer_capped"},
            "'chamfer_capped' with max_size needs .* connectivity, for example",
        ),
        (
            {"connectivity": "chain", "method": "chamfer_capped", "sample_weight": [1, 1, 1, 0.5]},
            "sample_weight must be at least 1 for method 'chamfer_capped', got 0.5 for point 3; multiply",
        ),
        (
            {"sample_weight": [1e-9, 1, 1, 1], "method": "ward", "engine": "points"},
            r"sample_weight must sum up to at most 2\^24 times the smallest weight",
        ),
        ({"max_size": 2, "optimal_ordering": True}, "optimal_ordering must be False with max_size"),
    ],
)
def test_refusals_name_the_argument(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        chamfer.linkage([[0.0], [1.0], [5.0], [6.5]], **options)


@pytest.mark.parametrize("method", ["single", "ward"])
def test_components_of_large_values_are_joined(method):
    X = gaussian(5, 40, 2)
    graph = [[int(i // 20 == j // 20 and abs(i - j) == 1) for j in range(40)] for i in range(40)]
    with pytest.warns(UserWarning, match="components"):
        Z, far = (chamfer.linkage(X * scale, method, connectivity=graph) for scale in (1.0, 2.0**820))
    np.testing.assert_array_equal(far[:, :2], Z[:, :2])
    np.testing.assert_array_equal(far[:, 2], Z[:, 2] * 2.0**820)
