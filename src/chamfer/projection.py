"""Places of points in the plane, for maps: principal components, a neighbour embedding, or coordinates of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_choice

PROJECTIONS = {"pca": "first two principal components", "tsne": "t-SNE", "umap": "UMAP"}


def place_points(X: Array | None, coordinates: Any, n: int) -> tuple[Array, str] | None:
    """Coordinates of shape (n, 2) and what they are; None if there is nothing to compute them from."""
    if coordinates is not None and not isinstance(coordinates, str):
        return _check_coordinates(coordinates, n), "given coordinates"
    kind = check_choice("coordinates", "pca" if coordinates is None else coordinates, PROJECTIONS)
    if X is None:
        if coordinates is not None:
            raise ValueError(f"coordinates={coordinates!r} are computed from X, which is missing")
        return None
    return _COMPUTE[kind](X), PROJECTIONS[kind]


def _check_coordinates(coordinates: Any, n: int) -> Array:
    places = np.asarray(coordinates)
    if places.shape != (n, 2):
        raise ValueError(f"coordinates must have shape ({n}, 2), got {places.shape}")
    if places.dtype.kind not in "iuf":
        raise TypeError(f"coordinates must hold real numbers, got {places.dtype}")
    places = places.astype(np.float64)
    if not np.isfinite(places).all():
        raise ValueError("coordinates must be finite")
    return places


def _principal(X: Array) -> Array:
    from sklearn.decomposition import PCA

    dimensions = min(2, *X.shape)
    flat = np.zeros((len(X), 2))
    if np.ptp(X, axis=0).max() > 0:
        flat[:, :dimensions] = PCA(dimensions, random_state=0).fit_transform(X)
    return flat


def _tsne(X: Array) -> Array:
    from sklearn.manifold import TSNE

    if len(X) < 4:  # there is no neighbourhood to keep
        return _principal(X)
    perplexity = min(30.0, (len(X) - 1) / 3)
    return np.asarray(TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(_reduced(X)))


def _umap(X: Array) -> Array:
    try:
        from umap import UMAP
    except ImportError as error:
        raise ImportError("coordinates='umap' needs umap-learn; install it with: pip install umap-learn") from error
    if len(X) < 4:
        return _principal(X)
    return np.asarray(UMAP(n_neighbors=min(15, len(X) - 1), random_state=0).fit_transform(X))


def _reduced(X: Array, most: int = 50) -> Array:
    """At most 50 principal components: more take longer and change little, as the authors of t-SNE advise."""
    if min(X.shape) <= most:
        return X
    from sklearn.decomposition import PCA

    return np.asarray(PCA(most, random_state=0).fit_transform(X))


_COMPUTE = {"pca": _principal, "tsne": _tsne, "umap": _umap}
