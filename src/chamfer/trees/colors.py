"""Colours of clusters, the same in pictures and in the explorer.

The first ten are those of M. A. Petroff, Accessible color sequences for data visualization (2021): they can be told
apart with all common kinds of colour blindness, and were rated by people for looks.
"""

from __future__ import annotations

import colorsys

# His greys come last here: grey is also what has no cluster.
PETROFF = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#92dadd",
    "#717581",
    "#94a4a2",
)


def cluster_colors(count: int) -> list[str]:
    """`count` colours as ``#rrggbb``, at least the first ten; further ones by steps of the golden angle."""
    return [*PETROFF, *(_further(i) for i in range(len(PETROFF), count))]


def _further(index: int) -> str:
    # Neighbours in number are far apart in hue, and differ in lightness for those who see no hue.
    hue, lightness, strength = index * 0.381966 % 1, 0.36 + 0.09 * (index % 4), 0.5 + 0.15 * (index % 2)
    return "#" + "".join(f"{round(255 * each):02x}" for each in colorsys.hls_to_rgb(hue, lightness, strength))
