"""scikit-learn's example of an image of coins: regions of pixels that are connected."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from sklearn import cluster
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.metrics import adjusted_rand_score

import chamfer


def coins() -> np.ndarray:
    """The image of the example, or one of the same size with as many coins, made smaller as there."""
    try:
        from skimage.data import coins as picture

        image = picture().astype(np.float64)
    except ImportError:
        draw = np.random.default_rng(0)
        rows, columns = np.mgrid[:303, :384]
        image = 30 + 0.1 * columns + draw.normal(0, 8, (303, 384))
        for i in range(24):
            coin = (rows - 40 - 74 * (i // 6)) ** 2 + (columns - 40 - 61 * (i % 6)) ** 2 < draw.uniform(15, 28) ** 2
            image[coin] += draw.uniform(60, 120)
    return np.asarray(ndimage.zoom(ndimage.gaussian_filter(image, 2), 0.2, order=1))


@pytest.mark.parametrize("method", ["ward", "single"])
def test_regions_are_those_of_scikit_learn(method):
    image = coins()
    X, graph = image.reshape(-1, 1), grid_to_graph(*image.shape)
    theirs = cluster.AgglomerativeClustering(27, linkage=method, connectivity=graph).fit_predict(X)
    Z = chamfer.linkage(X, method, connectivity=graph)
    assert adjusted_rand_score(chamfer.cut(Z, 27), theirs) == 1


@pytest.mark.parametrize("method", chamfer.METHODS)
def test_regions_are_connected(method):
    image = coins()[:20, :30]
    X, graph = image.reshape(-1, 1), grid_to_graph(*image.shape)
    regions = chamfer.cut(chamfer.linkage(X, method, connectivity=graph), 8).reshape(image.shape)
    for region in range(8):
        assert ndimage.label(regions == region)[1] == 1
