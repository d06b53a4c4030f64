"""matplotlib, imported when something is drawn and not before; and the colours of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pyplot() -> Any:
    """``matplotlib.pyplot``, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib; install it with: pip install 'chamfer[plot]'") from error
    return plt


def current_axes(ax: Axes | None) -> Axes:
    """`ax`, or the axes that matplotlib draws on now."""
    plt = pyplot()
    return plt.gca() if ax is None else ax


def palette(count: int) -> list[Any]:
    """Choose colours of clusters 0, 1, …: matplotlib's cycle if it reaches, otherwise `count` others."""
    plt = pyplot()
    cycle = plt.rcParams["axes.prop_cycle"].by_key().get("color", ["C0"])
    if count <= len(cycle):
        return [f"C{i}" for i in range(len(cycle))]
    if count <= 20:
        pairs = plt.get_cmap("tab20").colors
        return [*pairs[::2], *pairs[1::2]]
    # Golden steps keep clusters that are close in number apart in colour; a little black makes them quieter.
    return list(plt.get_cmap("turbo")(0.04 + 0.92 * (np.arange(count) * 0.6180339887 % 1)) * [0.86, 0.86, 0.86, 1])


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
