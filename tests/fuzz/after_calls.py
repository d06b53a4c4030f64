"""What comes after a tree: contents of clusters, dynamic cuts, comparisons, resampling; of odd points and odd trees."""

from __future__ import annotations

from typing import Any

import numpy as np

import chamfer
from fuzz.arrays import points, spoil
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.tree_calls import odd_labels, odd_tree, tree

NAMES = (
    r"\b(Z|X|y|clusters|first|second|n_clusters|height|order|min_size|deep_split|leftovers|names|feature_names|n_exemplars|"
    r"n_features|max_clusters|n_references|n_samples|resample|reference|rng|method|metric)\b"
)


def given(draw: Draw, n: int) -> Any:
    """Points, mostly n of them, mostly finite."""
    X = points(draw, n if draw.chance(0.97) else n + 1)
    return spoil(draw, X) if draw.chance(0.03) else X


def do_summarize(draw: Draw, Z: Any, n: int) -> None:
    """Describe clusters of a cut or of any labels."""
    X = given(draw, n)
    clusters = Z if draw.chance(0.5) else odd_labels(draw, n)
    if draw.chance(0.1):
        clusters = draw.rng.integers(-1, 3, size=n)
    summary = chamfer.summarize(clusters, X)
    if sum(each.size for each in summary.clusters) + summary.n_noise != len(summary.labels):
        raise Wrong(f"sizes do not add up: {summary!r}")
    if not np.isfinite(summary.differences).all():
        raise Wrong("a difference is not finite")
    summary._repr_html_()


def do_dynamic(draw: Draw, Z: Any, n: int) -> None:
    """Cut by shape."""
    least = draw.integer(2, 6) if draw.chance(0.9) else draw.one((0, -1, "x", None, 10**30))
    labels = chamfer.dynamic_cut(Z, given(draw, n), least, deep_split=draw.integer(0, 4))
    found = set(labels.tolist()) - {-1}
    if labels.shape != (n,) or found != set(range(len(found))):
        raise Wrong(f"labels are {labels!r}")


def do_agreement(draw: Draw, Z: Any, n: int) -> None:
    """Compare two trees."""
    other = chamfer.linkage(draw.rng.normal(size=(n, 2))) if draw.chance(0.9) else tree(draw)
    found = chamfer.agreement(Z, other, order=draw.one(("merge", "least", "cumulative")))
    for name in ("ari", "nmi", "fmi"):
        values = getattr(found, name)
        if not (np.isfinite(values).all() and values.min() >= -1 and values.max() <= 1 + 1e-9):
            raise Wrong(f"{name} is {values}")


def do_resampling(draw: Draw, Z: Any, n: int) -> None:
    """Make trees of samples and of random points."""
    X, method = given(draw, n), draw.one(("chamfer", "ward", "single"))
    do = draw.integer(0, 2)
    if do == 2:
        shares = chamfer.support(X, method, resample=draw.one(("features", "rows")), n_samples=2)
        if shares.shape != (len(X) - 1,) or np.nanmax(shares, initial=0) > 1:
            raise Wrong(f"support is {shares}")
        return
    found = chamfer.gap_statistic(X, method, n_references=2) if do else chamfer.stability(X, method, n_samples=2)
    if not 1 <= found.n_clusters <= max(n, 1):
        raise Wrong(f"{found!r} of {n} points")


def call_after(draw: Draw) -> None:
    """Do something with a tree and points."""
    Z = odd_tree(draw)
    do = draw.one((do_summarize, do_dynamic, do_agreement, do_resampling))
    draw.say(do.__name__, Z=Z)
    do(draw, Z, len(Z) + 1 if hasattr(Z, "__len__") else 1)


KINDS = {"after": Kind(call_after, 15, NAMES)}
