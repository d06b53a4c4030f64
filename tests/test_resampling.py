"""The gap statistic, the stability of halves and the support of branches, by their definitions."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import chamfer
from cases import gaussian
from marks import slow

X, _ = make_blobs(90, centers=4, cluster_std=0.5, random_state=1)


class Recorded:
    """Calls of `linkage`, with the points of each."""

    def __init__(self, monkeypatch, module):
        self.points = []

        def linkage(points, *arguments, **options):
            self.points.append(np.array(points))
            return chamfer.linkage(points, *arguments, **options)

        monkeypatch.setattr(f"chamfer.resampling.{module}.linkage", linkage)


def log_within(points, method, k):
    labels = chamfer.cut(chamfer.linkage(points, method), k)
    return np.log(sum(((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum() for c in range(k)))


class TestGapStatistic:
    @pytest.mark.parametrize("method", ["ward", *slow("chamfer", "average")])
    @pytest.mark.parametrize("reference", ["axes", "box"])
    def test_definition(self, monkeypatch, method, reference):
        made = Recorded(monkeypatch, "gap")
        found = chamfer.gap_statistic(X, method, n_references=5, max_clusters=6, reference=reference)
        own, *references = made.points
        assert len(references) == 5
        for k in range(1, 8):
            logs = [log_within(each, method, k) for each in references]
            assert found.values[k - 1] == pytest.approx(np.mean(logs) - log_within(own, method, k))
            assert found.errors[k - 1] == pytest.approx(np.std(logs) * np.sqrt(1 + 1 / 5))
        good = [k for k in range(1, 7) if found.values[k - 1] >= found.values[k] - found.errors[k]]
        assert found.n_clusters == good[0]

    def test_references_fill_the_box_of_the_points(self, monkeypatch):
        made = Recorded(monkeypatch, "gap")
        turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
        points = np.random.default_rng(0).uniform(size=(400, 2)) * [10, 1] @ turn
        chamfer.gap_statistic(points, n_references=2)
        chamfer.gap_statistic(points, n_references=2, reference="box")
        own, turned, _, _, straight, _ = made.points
        for each, other in ((own @ turn.T, turned @ turn.T), (own, straight)):
            size = np.ptp(each, axis=0)
            np.testing.assert_allclose(other.min(axis=0), each.min(axis=0), atol=0.05 * size.max())
            np.testing.assert_allclose(other.max(axis=0), each.max(axis=0), atol=0.05 * size.max())
        assert np.ptp(turned @ turn.T, axis=0)[1] < 0.2 * np.ptp(turned @ turn.T, axis=0)[0]

    def test_what_it_suggests(self):
        assert chamfer.gap_statistic(X).n_clusters == 4
        assert chamfer.gap_statistic(gaussian(0, 60, 2)).n_clusters == 1

    def test_equal_points(self):
        found = chamfer.gap_statistic(np.repeat([[0.0, 0], [1, 5], [9, 2]], 6, axis=0), max_clusters=5)
        assert found.n_clusters == 3
        assert found.values[2] == np.inf


class TestStability:
    @pytest.mark.parametrize("metric", ["euclidean", "cosine", *slow("cityblock")])
    def test_definition(self, monkeypatch, metric):
        made = Recorded(monkeypatch, "stability")
        found = chamfer.stability(X, "average", metric, n_samples=4, max_clusters=6)
        scores = []
        for first, second in zip(made.points[::2], made.points[1::2], strict=True):
            assert len(first) == len(second) == 45
            trees = [chamfer.linkage(each, "average", metric) for each in (first, second)]
            nearest = cdist(second, first, metric).argmin(axis=1)
            cuts = ([chamfer.cut(tree, k) for tree in trees] for k in range(1, 7))
            scores.append([adjusted_rand_score(a[nearest], b) for a, b in cuts])
        assert np.isnan(found.values[0])
        np.testing.assert_allclose(found.values[1:], np.mean(scores, axis=0)[1:], atol=1e-9)
        np.testing.assert_allclose(found.errors, np.std(scores, axis=0) / 2, atol=1e-9)

    def test_what_it_suggests(self):
        assert chamfer.stability(X).n_clusters == 4
        assert chamfer.stability(gaussian(0, 60, 2)).n_clusters == 1

    def test_few_points(self):
        with pytest.raises(ValueError, match="X must hold at least 4 points to be divided into halves, got 3"):
            chamfer.stability(X[:3])


@pytest.mark.parametrize("criterion", [chamfer.gap_statistic, chamfer.stability])
class TestCriteria:
    def test_in_a_choice(self, criterion):
        found = criterion(X, "ward", max_clusters=9)
        Z = chamfer.linkage(X, "ward")
        choice = chamfer.choose(Z, X, criteria=[found])
        assert choice.suggestions[:-1] == chamfer.choose(Z, X).suggestions
        assert choice.suggestions[-1].n_clusters == 4
        np.testing.assert_array_equal(choice.curves[found.name][: len(found.values)], found.values)
        assert np.isnan(choice.curves[found.name][len(found.values) :]).all()
        assert chamfer.choose(Z, X, criteria=[found], min_clusters=5, max_clusters=7).suggestions[-1].n_clusters >= 5

    def test_the_seed_decides(self, criterion):
        one, other, third = (criterion(X, max_clusters=5, rng=rng) for rng in (3, np.random.default_rng(3), 4))
        np.testing.assert_array_equal(one.values, other.values)
        assert not np.array_equal(one.values, third.values, equal_nan=True)

    def test_scale_and_threads_change_nothing(self, criterion):
        one = criterion(X, "ward", max_clusters=5, n_jobs=1)
        np.testing.assert_array_equal(one.values, criterion(X * 2.0**300, "ward", max_clusters=5, n_jobs=3).values)

    def test_it_prints_and_becomes_a_frame(self, criterion):
        found = criterion(X, max_clusters=6)
        assert repr(found).startswith(f"{found.name} of 1 to ")
        assert "4 clusters: " in repr(found)
        assert found.to_frame()[found.name].tolist()[1:] == found.values.tolist()[1:]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"rng": "seed"}, "rng must be a seed or a numpy.random.Generator, got 'seed'"),
            ({"X": np.ones(6)}, "X must hold points as rows, got distances"),
            ({"metric": "precomputed"}, "X must hold points as rows, got distances"),
            ({"max_clusters": 0}, "max_clusters must be at least 1, got 0"),
            ({"method": "wart"}, "did you mean 'ward'"),
        ],
    )
    def test_errors_name_the_argument(self, criterion, arguments, message):
        with pytest.raises((ValueError, TypeError), match=message):
            criterion(**{"X": X, **arguments})


def test_other_criteria_are_refused():
    with pytest.raises(TypeError, match="criteria must be what gap_statistic and stability give, got str"):
        chamfer.choose(chamfer.linkage(X), X, criteria=["gap"])


def clusters(Z, rows):
    """The clusters of a tree as sets of rows, in the order of merges."""
    sets = [frozenset([row]) for row in rows]
    for a, b in Z[:, :2].astype(int):
        sets.append(sets[a] | sets[b])
    return sets[len(rows) :]


class TestSupport:
    @pytest.mark.parametrize("resample", ["features", "rows"])
    @pytest.mark.parametrize("method", ["average", *slow("chamfer", "single")])
    def test_definition(self, monkeypatch, method, resample):
        made = Recorded(monkeypatch, "support")
        points = gaussian(0, 25, 6) + np.repeat([[0.0], [3.0], [9.0], [9.0], [20.0]], 5, axis=0)
        found = chamfer.support(points, method, resample=resample, n_samples=12)
        own, *samples = made.points
        assert len(samples) == 12
        shares = [[] for _ in range(24)]
        for sample in samples:
            rows = list(range(25))
            if resample == "rows":
                rows = [int(np.flatnonzero((own == row).all(axis=1))[0]) for row in sample]
                assert len(set(rows)) == len(rows) < 25
            else:
                assert sample.shape == own.shape
                assert all((column == own.T).all(axis=1).any() for column in sample.T)
            there = set(clusters(chamfer.linkage(sample, method), rows))
            for share, cluster in zip(shares, clusters(chamfer.linkage(points, method), range(25)), strict=True):
                left = cluster & set(rows)
                if len(left) >= 2 and (resample == "features" or len(left) < len(rows)):
                    share.append(left in there)
        wanted = [np.mean(share) if share else np.nan for share in shares]
        wanted[-1] = 1.0
        np.testing.assert_allclose(found, wanted)
        assert np.nanmin(found) < 1

    def test_one_and_two_points(self):
        assert chamfer.support([[1.0, 2.0]]).tolist() == []
        for resample in ("features", "rows"):
            assert chamfer.support([[1.0, 2.0], [3.0, 4.0]], resample=resample, n_samples=3).tolist() == [1]

    def test_the_seed_decides(self):
        one, other, third = (chamfer.support(X, rng=rng, resample="rows", n_samples=9) for rng in (3, 3, 4))
        np.testing.assert_array_equal(one, other)
        assert not np.array_equal(one, third, equal_nan=True)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"resample": "columns"}, "resample must be one of features, rows, got 'columns'"),
            ({"n_samples": 0}, "n_samples must be at least 1, got 0"),
            ({"metric": "precomputed"}, "X must hold points as rows, got distances"),
        ],
    )
    def test_errors_name_the_argument(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            chamfer.support(X, **arguments)


def test_equal_points_are_one_cluster():
    assert chamfer.gap_statistic(np.ones((20, 3))).n_clusters == 1
