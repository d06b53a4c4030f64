"""Engines without all distances give the trees of the dense engine: the paper's trade-off, centres, spanning trees."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import chamfer
import reference
from cases import assert_same_tree, distances, duplicated, gaussian, grid, task
from chamfer.distances.filter import Principal
from chamfer.engines import points as centres
from chamfer.engines.tradeoff import TradeoffEngine
from chamfer.sources import BlasSource, TreeSource
from marks import slow

CHAMFER = ["chamfer", "chamfer_normalized"]
FROM_POINTS = [
    ("single", "euclidean"),
    ("single", "cosine"),
    ("average", "sqeuclidean"),
    ("average", "cosine"),
    ("ward", "euclidean"),
    ("centroid", "euclidean"),
    ("median", "euclidean"),
]


@pytest.fixture
def lists(tuned):
    """Lists also for few points, which otherwise are compared one by one."""
    tuned(**dict.fromkeys(("few_points", "few_rounds", "few_closer"), ((1 << 62, 0),)))


def few_and_many(n):
    return sorted({min(t, n) for t in (1, 2, 3, 10, n)})


class TestFewPoints:
    """Centres that are compared one by one, after a look at them in float."""

    @pytest.mark.parametrize("method", ["ward", "centroid", "median"])
    @pytest.mark.parametrize("apart", [1e3, 1e6, 1e9])
    @pytest.mark.parametrize("d", [1, 3, 40])
    def test_points_that_float_cannot_tell_apart(self, method, apart, d):
        X = gaussian(d, 300, d)
        X[::2] += apart
        expected = chamfer.linkage(X, method, engine="dense")
        # Centres that far from zero have no more digits than this.
        assert_same_tree(chamfer.linkage(X, method, engine="points"), expected, rtol=max(1e-9, 1e-13 * apart))

    @pytest.mark.parametrize("method", ["ward", "centroid", "median"])
    def test_one_far_outlier(self, method):
        X = gaussian(7, 300, 5)
        X[123] = 1e12
        assert_same_tree(chamfer.linkage(X, method, engine="points"), chamfer.linkage(X, method, engine="dense"))


class TestTradeoff:
    @pytest.mark.parametrize("method", CHAMFER)
    @pytest.mark.parametrize("seed", range(30))
    def test_every_t_gives_the_same_tree(self, method, seed):
        n, d = [2, 3, 4, 7, 12, 20, 33, 50, 80, 120][seed % 10], 1 + seed % 20
        metric = ["euclidean", "sqeuclidean", "cosine"][seed % 3 if d > 1 else 0]
        X = gaussian(seed, n, d)
        expected = chamfer.linkage(X, method, metric, engine="dense")
        for t in few_and_many(n):
            assert_same_tree(chamfer.linkage(X, method, metric, t=t), expected)

    @pytest.mark.parametrize("method", CHAMFER)
    @pytest.mark.parametrize("make", [grid, duplicated])
    @pytest.mark.parametrize("t", [1, 2, 3, 10, 40])
    def test_tied_data(self, method, make, t):
        X = make(t, 40, 2)
        reference.replay(chamfer.linkage(X, method, t=t), distances(X), method)

    @pytest.mark.parametrize("t", [1, 3, 50])
    def test_float32(self, t):
        X = gaussian(1, 50, 30, np.float32)
        reference.replay(chamfer.linkage(X, t=t), distances(X), "chamfer", rtol=1e-6, atol=1e-6)

    def test_number_of_threads(self):
        X = gaussian(2, 700, 60, np.float32)
        expected = chamfer.linkage(X, t=5, n_jobs=1)
        np.testing.assert_array_equal(chamfer.linkage(X, t=5, n_jobs=2), expected)

    def test_the_smallest_t_that_fits_is_taken(self):
        X = gaussian(3, 300, 2)
        for t in (1, 2, 7, 101):
            need = TradeoffEngine().memory(task(X, t=t)) + X.nbytes
            assert TradeoffEngine().describe(task(X, limit=need)).endswith(f"t = {t}")
            assert chamfer.linkage(X, engine="tradeoff", memory_limit=need).shape == (299, 4)

    def test_memory_falls_with_t(self):
        X, need = gaussian(3, 5000, 2), TradeoffEngine().memory
        large = [need(task(X, t=t)) - need(task(X, t=5001)) for t in (1, 2, 5, 10)]
        np.testing.assert_allclose(np.divide(large[0], large), [1, 2, 5, 10])

    def test_too_little_memory(self):
        with pytest.raises(MemoryError, match=r"'tradeoff' with 100 points and t = 100 needs .*take fewer points"):
            chamfer.linkage(gaussian(4, 100, 2), engine="tradeoff", memory_limit=1000)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"t": 0}, ValueError, "t must be between 1 and 20"),
            ({"t": 21}, ValueError, "t must be between 1 and 20"),
            ({"t": 2.0}, TypeError, "t must be an integer"),
            ({"t": 2, "engine": "dense"}, ValueError, "engine must be 'tradeoff' for t, got 'dense'"),
            ({"t": 2, "method": "ward"}, ValueError, "engine 'tradeoff' takes .*'ward'"),
            ({"t": 2, "method": "chamfer_symmetric"}, ValueError, "engine 'tradeoff' takes"),
            ({"t": 2, "method": "chamfer_capped"}, ValueError, "engine"),
            ({"t": 2, "metric": "cityblock"}, ValueError, "engine 'tradeoff' takes"),
            ({"t": 2, "source": "blas"}, ValueError, "engine must be 'tradeoff' for t, got 'lists'"),
        ],
    )
    def test_what_it_cannot_do(self, arguments, error, message):
        with pytest.raises(error, match=message):
            chamfer.linkage(gaussian(5, 20, 2), **arguments)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(("method", "metric"), FROM_POINTS)
class TestFromPoints:
    @pytest.mark.parametrize("seed", [*range(10), *slow(*range(10, 100))])
    def test_random_points(self, method, metric, seed):
        n, d = [2, 3, 5, 9, 16, 17, 18, 30, 60, 130][seed % 10], [2, 3, 4, 8, 17, 40][seed % 6]
        X = gaussian(seed, n, d)
        expected = chamfer.linkage(X, method, metric, engine="dense")
        assert_same_tree(chamfer.linkage(X, method, metric, engine="points"), expected, 1e-8)

    @pytest.mark.parametrize("make", [grid, duplicated])
    @pytest.mark.parametrize("seed", [0, *slow(*range(1, 5))])
    def test_tied_points(self, method, metric, make, seed):
        X = make(seed, 60, 2) + (10 if metric == "cosine" else 0)
        Z = chamfer.linkage(X, method, metric, engine="points")
        reference.replay(Z, distances(X, metric), method, atol=1e-12)

    # Lists that are shorter than the data has clusters, and searches of either kind in few principal coordinates.
    @pytest.mark.parametrize("kind", [BlasSource, *slow(TreeSource)])
    @pytest.mark.parametrize("dtype", [np.float64, *slow(np.float32)])
    def test_searches_in_principal_coordinates(self, method, metric, kind, dtype, monkeypatch):
        X = (gaussian(1, 3000, 6) @ gaussian(2, 6, 30) + 0.1 * gaussian(3, 3000, 30)).astype(dtype)
        monkeypatch.setattr(centres, "choose_source", lambda points, *_, **__: kind(points, Principal(points.X)))
        expected = chamfer.linkage(X, method, metric, engine="dense")
        Z = chamfer.linkage(X, method, metric, engine="points")
        if dtype == np.float64:
            assert_same_tree(Z, expected, 1e-8)
        else:
            np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(expected[:, 2]), rtol=1e-3)

    def test_coordinates_of_different_scales(self, method, metric):
        X = gaussian(4, 400, 5) * np.array([1e-3, 1, 1e3, 1, 1]) + 1e4
        expected = chamfer.linkage(X, method, metric, engine="dense")
        assert_same_tree(chamfer.linkage(X, method, metric, engine="points"), expected, 1e-4)

    def test_a_chain_that_grows_point_by_point(self, method, metric):
        X = np.column_stack([1.02 ** np.arange(600), np.ones(600)])
        expected = chamfer.linkage(X, method, metric, engine="dense")
        assert_same_tree(chamfer.linkage(X, method, metric, engine="points"), expected, 1e-6)

    @pytest.mark.parametrize("X", [gaussian(5, 3000, 3), *slow(duplicated(6, 2500, 2), grid(7, 2500, 20))])
    def test_number_of_threads(self, method, metric, X):
        X = X + 1
        expected = chamfer.linkage(X, method, metric, engine="points", n_jobs=1)
        np.testing.assert_array_equal(chamfer.linkage(X, method, metric, engine="points", n_jobs=3), expected)

    def test_many_copies_of_few_points(self, method, metric):
        X = np.repeat(gaussian(8, 5, 3), 100, axis=0)
        Z = chamfer.linkage(X, method, metric, engine="points")
        assert np.sum(Z[:, 2] < 1e-7) == 495
        expected = chamfer.linkage(gaussian(8, 5, 3), method, metric, engine="dense")
        if method not in ("ward", "median"):
            np.testing.assert_allclose(Z[495:, 2], expected[:, 2], rtol=1e-9)


@pytest.mark.usefixtures("lists")
def test_groups_far_apart():
    # All points of a group have to look beyond it.
    X = np.concatenate([gaussian(i, 500, 2) + 1000 * i for i in range(4)])
    for method in ("single", "ward"):
        assert_same_tree(chamfer.linkage(X, method, engine="points"), chamfer.linkage(X, method, engine="dense"), 1e-8)


def test_single_gives_a_filter_up_that_leaves_too_many(monkeypatch):
    # Few coordinates tell which group a point is in, and nothing of the distances to other groups.
    random = np.random.default_rng(0)
    X = 3 * random.normal(size=(20, 400))[random.integers(20, size=3000)] + random.normal(size=(3000, 400))
    found = []

    def forest(*arguments, **options):
        found.append((core(*arguments, **options), options["coordinates"].shape[1]))
        return found[-1][0]

    core = chamfer._core.spanning_forest
    monkeypatch.setattr(chamfer._core, "spanning_forest", forest)
    Z = chamfer.linkage(X, "single", engine="points")
    (nothing, few), (tree, every) = found
    assert nothing is None
    assert tree is not None
    assert few < every == 400
    dense = chamfer.linkage(X, "single", engine="dense")
    np.testing.assert_array_equal(Z[:, [0, 1, 3]], dense[:, [0, 1, 3]])
    np.testing.assert_allclose(Z[:, 2], dense[:, 2], rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_average_from_points_needs_squared_distances(metric):
    with pytest.raises(ValueError, match="engine 'points' takes"):
        chamfer.linkage(gaussian(1, 20, 2), "average", metric, engine="points")


class TestAuto:
    """Which engine is taken shows in the stages of the progress bars."""

    def stages(self, capsys, *arguments, **options):
        chamfer.linkage(*arguments, progress=True, **options)
        return capsys.readouterr().err

    @pytest.mark.parametrize(("method", "metric"), FROM_POINTS)
    def test_points_if_the_matrix_does_not_fit(self, capsys, method, metric):
        X = gaussian(1, 1000, 80)  # the matrix takes 4 MB
        assert "distances" in self.stages(capsys, X, method, metric)
        assert "distances" not in self.stages(capsys, X, method, metric, memory_limit="3.5MB")

    @pytest.mark.parametrize("method", ["single", "ward", "centroid", "median"])
    def test_points_if_coordinates_are_few(self, capsys, method):
        assert "distances" not in self.stages(capsys, gaussian(1, 700, 3), method)

    def test_average_of_squares_from_points_if_there_are_many(self, capsys):
        assert "distances" in self.stages(capsys, gaussian(1, 300, 3), "average", "sqeuclidean")
        assert "distances" not in self.stages(capsys, gaussian(1, 6500, 3), "average", "sqeuclidean")


def assert_within(Z, X, factor):
    """Replay: every merge was within the factor of the smallest squared distance at its time."""
    n = len(X)
    clusters = {i: (x, 1) for i, x in enumerate(X)}
    for i, (a, b, height, size) in enumerate(Z):
        squared = pdist(np.array([centre for centre, _ in clusters.values()]), "sqeuclidean")
        (x, p), (y, q) = clusters.pop(int(a)), clusters.pop(int(b))
        np.testing.assert_allclose(height, np.linalg.norm(x - y), rtol=1e-9, atol=1e-12)
        assert height**2 <= factor * squared.min() * (1 + 1e-9) + 1e-12
        assert size == p + q
        clusters[n + i] = ((p * x + q * y) / (p + q), p + q)


class TestCentroidWithEpsilon:
    @pytest.mark.parametrize("make", [gaussian, grid, duplicated])
    def test_within_the_factor(self, make):
        X = make(1, 60, 2)
        assert_within(chamfer.linkage(X, "centroid", epsilon=0.1), X, 1.1)

    def test_is_exact(self):
        X = gaussian(3, 3000, 30)
        np.testing.assert_array_equal(
            chamfer.linkage(X, "centroid", epsilon=0.1), chamfer.linkage(X, "centroid", engine="points")
        )

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_few_points(self, n):
        X = gaussian(n, n, 2)
        assert_within(chamfer.linkage(X, "centroid", epsilon=0.1), X, 1.1)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"epsilon": -1}, ValueError, "epsilon must be a number of at least 0"),
            ({"epsilon": "0.1"}, TypeError, "epsilon must be a number"),
            ({"epsilon": 0.1, "method": "ward"}, ValueError, "epsilon must be 0 unless .*'ward'"),
            (
                {"epsilon": 0.1, "engine": "dense"},
                ValueError,
                "engine must be 'lists' or 'points' for epsilon, got 'dense'",
            ),
        ],
    )
    def test_what_it_cannot_do(self, arguments, error, message):
        with pytest.raises(error, match=message):
            chamfer.linkage(gaussian(5, 20, 2), **({"method": "centroid"} | arguments))

    def test_distances_are_not_points(self):
        with pytest.raises(ValueError, match="engine 'points' takes observations and one of"):
            chamfer.linkage(squareform(pdist(gaussian(5, 20, 2))), "centroid", "precomputed", epsilon=0.1)


@pytest.mark.parametrize("method", ["average", "complete", "weighted"])
def test_float32_of_the_dense_engine_takes_half(method):
    # 70,000 points: 9.8 GB in float32, 19.6 GB in float64. Of up to 16 coordinates it is less: pairs merge first.
    x = np.arange(70_000)[:, None] * np.ones(17)
    for dtype, size in ((np.float32, r"9\.82 GB"), (np.float64, r"19\.6 GB")):
        with pytest.raises(MemoryError, match=f"needs {size}"):
            chamfer.linkage(x.astype(dtype), method, memory_limit="1GB")
