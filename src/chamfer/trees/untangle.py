"""Turn the branches of two trees of the same points so that they can be compared side by side.

With the order of one tree fixed, the two parts of a merge of the other are drawn one before the other. How many lines
between equal leaves cross because of this merge does not depend on any other merge. So the best turn of every merge is
found by itself, and the two trees are turned by turns until no crossing is left that this removes.
"""

from __future__ import annotations

import numpy as np

from chamfer._types import Array
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.leaves import leaves
from chamfer.trees.ordering import with_second_first

_SWEEPS = 20  # at most; a few are enough


def untangle(first: Dendrogram, second: Dendrogram) -> tuple[Dendrogram, Dendrogram, int]:
    """Both trees with branches turned, and how many pairs of lines between equal leaves cross."""
    turned, fewest = [first, second], -1
    for sweep in range(_SWEEPS):
        fixed, other = turned[sweep % 2], 1 - sweep % 2
        turned[other], crossings = _turned(turned[other], fixed)
        if sweep > 1 and crossings == fewest:
            break
        fewest = crossings
    return turned[0], turned[1], fewest


def _turned(tree: Dendrogram, fixed: Dendrogram) -> tuple[Dendrogram, int]:
    """The tree with the fewest crossings beside a fixed one, and their number."""
    n = tree.n_points
    place = np.empty(n, dtype=np.int64)
    place[leaves(fixed.Z).order] = np.arange(n)
    parts: list[Array] = [place[[point]] for point in range(n)]
    swapped, crossings = np.zeros(n - 1, dtype=bool), 0
    for merge, (a, b) in enumerate(tree.children.tolist()):
        small, large = sorted((parts[a], parts[b]), key=len)
        below = int(np.searchsorted(large, small).sum())  # pairs in which the point of the large part comes first
        crossing = below if small is parts[a] else len(small) * len(large) - below
        swapped[merge] = 2 * crossing > len(small) * len(large)
        crossings += min(crossing, len(small) * len(large) - crossing)
        parts.append(np.insert(large, np.searchsorted(large, small), small))
        parts[a] = parts[b] = place[:0]
    return Dendrogram(with_second_first(tree, swapped)), crossings
