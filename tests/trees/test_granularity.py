"""Layers: the levels of nested clusters are found, and nothing where there are none."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import chamfer
from cases import gaussian
from forest import every_order, every_tree


def nested(seed, counts, points=20, scales=(100, 10, 1)):
    """Clusters in clusters in clusters: points, and labels of each level, coarse ones first."""
    rng = np.random.default_rng(seed)
    centres, levels = np.zeros((1, 2)), []
    for count, scale in zip(counts, scales, strict=False):
        moved = []
        for centre in centres:
            around = []
            while len(around) < count:
                new = rng.normal(size=2)
                new *= scale * rng.uniform(0.6, 1) / np.linalg.norm(new)
                if all(np.linalg.norm(new - other) > 0.6 * scale for other in around):
                    around.append(new)
            moved += [centre + each for each in around]
        levels = [np.repeat(level, count) for level in levels] + [np.arange(len(moved))]
        centres = np.array(moved)
    noise = 0.05 * scales[len(counts) - 1] * rng.normal(size=(len(centres) * points, 2))
    X = np.repeat(centres, points, axis=0) + noise
    return X, [np.repeat(level, points) for level in levels]


@pytest.mark.parametrize("method", ["chamfer", "chamfer_capped", "ward"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("counts", [(3, 4, 5), (4, 6), (2, 3, 3)])
def test_every_level_is_recovered(counts, seed, method):
    X, levels = nested(seed, counts)
    found = chamfer.layers(chamfer.linkage(X, method))
    for level in levels:
        number = level.max() + 1
        if number > 2:  # a gap above two clusters has to be wide to be told from chance
            assert number in found.n_clusters
            labels = found.labels[:, found.n_clusters.index(number)]
            assert adjusted_rand_score(level, labels) > 0.99
    assert len(found) <= len(levels) + 1  # a gap may be wide by chance


@every_tree
@every_order
def test_layers_are_nested_cuts(Z, order):
    found = chamfer.layers(Z, order=order, max_clusters=len(Z) + 1)
    assert list(found.n_clusters) == sorted(found.n_clusters)
    assert found.labels.shape == (len(Z) + 1, len(found))
    for labels, k in zip(found.labels.T, found.n_clusters, strict=True):
        np.testing.assert_array_equal(labels, chamfer.cut(Z, k, order=order))
    for coarse, fine in zip(found.labels.T, found.labels.T[1:], strict=False):
        assert len(set(zip(coarse, fine, strict=True))) == fine.max() + 1


@pytest.mark.parametrize("method", ["chamfer", "ward"])
def test_hardly_any_layers_in_one_cloud(method):
    found = [len(chamfer.layers(chamfer.linkage(gaussian(seed, 400, 2), method))) for seed in range(20)]
    assert sum(found) <= 2


def test_scale_changes_nothing():
    X, _ = nested(0, (3, 4, 5))
    one, other = (chamfer.layers(chamfer.linkage(X * factor)) for factor in (1.0, 2.0**200))
    assert one.n_clusters == other.n_clusters
    assert one.prominence == other.prominence


def test_few_and_equal_points():
    for X in (np.zeros((1, 2)), np.zeros((2, 3)), np.zeros((30, 2)), np.repeat([[0.0], [9.0]], 10, axis=0)):
        found = chamfer.layers(chamfer.linkage(X))
        assert found.labels.shape == (len(X), len(found))


def test_the_largest_number():
    X, _ = nested(0, (3, 4, 5))
    Z = chamfer.linkage(X)
    assert max(chamfer.layers(Z, max_clusters=20).n_clusters) == 12
    with pytest.raises(ValueError, match="max_clusters must be at least 1, got 0"):
        chamfer.layers(Z, max_clusters=0)
