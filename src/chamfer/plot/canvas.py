"""matplotlib, imported when something is drawn and not before; and the colours of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chamfer.trees.colors import cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = {"linear": "", "sqrt": " (square root scale)", "log": " (log scale)"}


def pyplot() -> Any:
    """``matplotlib.pyplot``, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib; install it with: pip install 'chamfer[plot]'") from error
    return plt


def current_axes(ax: Axes | None) -> Axes:
    """`ax`, or the axes that matplotlib draws on now; a new figure makes room for long names."""
    plt = pyplot()
    if ax is None and not plt.get_fignums():
        plt.figure(layout="constrained")
    return plt.gca() if ax is None else ax


def palette(count: int) -> list[Any]:
    """Choose colours of clusters 0, 1, …: those of the style in use if it has its own and enough, otherwise ours."""
    plt = pyplot()
    cycle = plt.rcParams["axes.prop_cycle"]
    own = cycle.by_key().get("color", [])
    if cycle == plt.rcParamsDefault["axes.prop_cycle"] or count > len(own):
        return cluster_colors(count)
    return list(own)


def neutral(ax: Axes) -> Any:
    """Colour of what belongs to no cluster: that of text, so that dark styles show it, a little towards the ground."""
    from matplotlib.colors import to_rgba

    ground = to_rgba(ax.get_facecolor())
    if ground[3] == 0:
        ground = to_rgba(ax.figure.get_facecolor())
    text = to_rgba(pyplot().rcParams["text.color"])
    return tuple(0.8 * a + 0.2 * b for a, b in zip(text[:3], ground[:3], strict=True))


def ink_on(color: Any) -> str:
    """Black or white, whichever is read better on a colour."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(color)
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.55 else "white"


def write_number(ax: Axes, place: tuple[float, float], label: int, color: Any) -> None:
    """Write the label of a cluster on a chip of its colour."""
    chip = {"boxstyle": "round,pad=0.28,rounding_size=0.7", "facecolor": color, "edgecolor": ax.get_facecolor()}
    ax.text(
        *place,
        str(label),
        ha="center",
        va="center",
        fontsize=8,
        zorder=5,
        color=ink_on(color),
        bbox=chip,
        weight="bold",
    )


def set_scale(ax: Axes, scale: str, flip: bool = False) -> None:
    """Give the axis of heights a scale."""
    from matplotlib.ticker import MaxNLocator

    set_it = ax.set_xscale if flip else ax.set_yscale
    if scale == "sqrt":
        set_it("function", functions=(lambda h: np.sqrt(np.maximum(h, 0)), np.square))
        (ax.xaxis if flip else ax.yaxis).set_major_locator(MaxNLocator(5))  # high ones come close to each other
    elif scale == "log":
        set_it("log")


def count_axis(ax: Axes) -> None:
    """Dress axes whose x is a number of clusters: logarithmic, with plain numbers, a legend and no frame."""
    from matplotlib.ticker import LogLocator

    ax.set_xscale("log")
    ax.set_xlabel("number of clusters")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:,.0f}")  # 20 instead of a power of ten
    ax.xaxis.set_minor_formatter("")
    ax.legend(frameon=False, fontsize="small")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
