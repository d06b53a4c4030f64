"""A tree as a small SVG, for notebooks: it needs no other library, and takes its dark lines from the page around it."""

from __future__ import annotations

import numpy as np

from chamfer._types import Array
from chamfer.trees.colors import cluster_colors
from chamfer.trees.layout import Layout, Tree, arrange, brackets, merge_labels

LEAVES = 60  # clusters at the lower ends
_WIDTH, _HEIGHT = 640, 180


def sketch(tree: Tree, collapsed: Array, applied: Array | None = None, points: Array | None = None) -> str:
    """Draw the merges that are not `collapsed`, at the square roots of their heights.

    With `applied`, the merges below a cut, and `points`, the labels of the points, clusters are in colour.
    """
    n = tree.n_points
    layout = arrange(tree, collapsed)
    labels = None if applied is None or points is None else merge_labels(tree, applied, points)
    colors = [] if points is None else cluster_colors(int(points.max()) + 1)
    level = np.sqrt(tree.heights)
    finite = level[np.isfinite(level)]
    level = np.minimum(level, 1.2 * finite.max(initial=0) or 1.0)  # a forest is joined above its trees
    corners = _place(brackets(tree, layout, level), len(layout.leaves), float(level.max(initial=0)))
    lines: dict[str, list[str]] = {}
    for merge, ends in zip(layout.merges.tolist(), corners.tolist(), strict=True):
        label = -1 if labels is None else int(labels[n + merge])
        path = f"M{ends[0][0]:g} {ends[0][1]:g}V{ends[1][1]:g}H{ends[2][0]:g}V{ends[3][1]:g}"
        lines.setdefault("currentColor" if label < 0 else colors[label], []).append(path)
    _add_stems(lines, layout, n, labels, colors, level)
    paths = "".join(f'<path d="{"".join(each)}" stroke="{color}"/>' for color, each in lines.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'style="max-width: 100%" role="img" aria-label="Dendrogram of {n:,} points" fill="none" stroke-width="1.4">'
        f"{paths}</svg>"
    )


def _place(corners: Array, leaves: int, top: float) -> Array:
    x = 4 + (corners[..., 0] + 0.5) * (_WIDTH - 8) / leaves
    y = _HEIGHT - 4 - corners[..., 1] * (_HEIGHT - 8) / (top or 1.0)
    return np.asarray(np.stack([x, y], axis=-1).round(1))


def _add_stems(
    lines: dict[str, list[str]], layout: Layout, n: int, labels: Array | None, colors: list[str], level: Array
) -> None:
    """Clusters that stand for several points reach down to the ground by a thick line."""
    clusters = layout.leaves[layout.leaves >= n]
    tops = np.stack([layout.place[clusters], level[clusters - n]], axis=1)
    for cluster, (x, y) in zip(
        clusters.tolist(), _place(tops, len(layout.leaves), float(level.max(initial=0))).tolist(), strict=True
    ):
        label = -1 if labels is None else int(labels[cluster])
        path = f"M{x:g} {y:g}V{_HEIGHT - 4}M{x - 1:g} {y:g}V{_HEIGHT - 4}M{x + 1:g} {y:g}V{_HEIGHT - 4}"
        lines.setdefault("currentColor" if label < 0 else colors[label], []).append(path)
