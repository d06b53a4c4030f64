"""The figures of the report, as SVG for the page: scores over the number of clusters, and heat maps."""

from __future__ import annotations

import io
import re
from html import escape
from importlib.util import find_spec
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.reproduction import paper
from chamfer.reproduction.store import Results
from chamfer.reproduction.table import Table
from chamfer.reproduction.tables import used_methods

# Classical linkages in muted colours, so that the Chamfer variants can be told apart first.
COLOURS = {
    "average": "#7fa8d1",
    "centroid": "#c9ab74",
    "complete": "#8fbf8f",
    "single": "#d79bbd",
    "ward": "#5b5f66",
    "chamfer": "#d1495b",
    "chamfer_normalized": "#edae49",
    "chamfer_symmetric": "#00798c",
    "chamfer_normalized_symmetric": "#6a4c93",
    "chamfer_capped": "#1b1b1e",
    paper.APPROXIMATE: "#e3d3b4",
}
STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e8e8e8",
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "chamfer",
}


def available() -> bool:
    """Whether there is a library to draw with."""
    return find_spec("matplotlib") is not None


def score_curves(results: Results, name: str) -> str:
    """Draw scores over the number of clusters, a line for each linkage."""
    with _style():
        figure, axes = _figure(1, 2, 10.8, 3.4)
        for axis, score in zip(axes, ("ari", "nmi"), strict=True):
            for method in used_methods(results):
                cell = results.get(name, "tree", method, "sqeuclidean")
                if cell is not None:
                    _draw_curve(axis, method, cell["path"]["n_clusters"], cell["path"][score])
            classes = results.datasets[name]["classes"]
            axis.axvline(classes, color="#888", linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
            place = axis.get_xaxis_transform()
            axis.text(classes, 1.02, f"{classes} classes", transform=place, ha="center", color="#666")
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter("{x:g}")
            axis.set(xlabel="number of clusters", ylabel=score.upper(), ylim=(-0.02, None))
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
        return _svg(figure, f"ARI and NMI of {name} over the number of clusters")


def heat_map(table: Table) -> str:
    """Draw how far every column is from the best of its row, ours and the paper's."""
    rows = [row for row in table.rows if not row.summary]
    ours = np.array([[each.ours for each in row.entries] for row in rows], dtype=float)
    theirs = np.array([[each.paper for each in row.entries] for row in rows], dtype=float)
    panels = {"ours": ours, "the paper": theirs} if np.isfinite(theirs).any() else {"": ours}
    with _style():
        width = 1.6 + len(panels) * (0.62 * len(table.columns) + 0.4)
        figure, axes = _figure(1, len(panels), width, 1.3 + 0.34 * len(rows))
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            names = [row.label for row in rows] if axis is axes[0] else [""] * len(rows)
            _draw_map(axis, values, table.columns, names)
            axis.set_title(title, fontsize=10, loc="left", color="#555")
        return _svg(figure, f"{table.title}: difference to the best of each row")


def _draw_curve(axis: Any, method: str, x: list[int], y: list[float]) -> None:
    chamfer = method not in (*paper.CLASSICAL, paper.APPROXIMATE)
    width, order = (2.0, 3) if chamfer else (1.3, 2)
    axis.plot(x, y, color=COLOURS[method], linewidth=width, label=paper.SHORT[method], zorder=order)


def _draw_map(axis: Any, values: Array, columns: list[str], rows: list[str]) -> None:
    seen = np.isfinite(values).any(axis=1)
    lost = np.full_like(values, np.nan)
    lost[seen] = values[seen] - np.nanmax(values[seen], axis=1, keepdims=True)
    edges = [np.arange(size + 1) - 0.5 for size in lost.shape[::-1]]
    axis.pcolormesh(*edges, lost, cmap="RdYlGn", vmin=-0.3, vmax=0, edgecolors="white", linewidth=1.5)
    axis.invert_yaxis()
    for (i, j), value in np.ndenumerate(lost):
        if np.isfinite(value):
            best = value > -0.0005
            text, weight = ("best", "bold") if best else (f"{value:.2f}".replace("-0.", "−."), "normal")
            dark = value < -0.24 or value > -0.055  # the ends of the colour scale
            colour = "white" if dark else "#222"
            axis.text(j, i, text, ha="center", va="center", fontsize=8.5, fontweight=weight, color=colour)
    axis.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(rows)), rows)
    axis.tick_params(length=0)
    axis.grid(False)
    axis.spines[:].set_visible(False)


def _style() -> Any:
    import matplotlib as mpl

    return mpl.rc_context(STYLE)


def _figure(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # without pyplot nothing opens a window or is kept for later

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, np.ravel(figure.subplots(rows, columns))


def _svg(figure: Any, title: str) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = out.getvalue()
    # Coordinates to a hundredth of a point: nobody sees more, and the page is half the size.
    text = re.sub(r"(\d+\.\d{2})\d+", r"\1", text[text.index("<svg") :])
    text = re.sub(r'<g id="[^"]*"', "<g", text)  # the same in every figure, and nothing refers to them
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)
