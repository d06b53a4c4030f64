"""Results as tables of ratios, a CSV file and a plot."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from peers import LIBRARIES

from cases import Result


def print_tables(results: list[Result]) -> None:
    """Print one table for each case."""
    for case in dict.fromkeys(result.case for result in results):
        chosen = [result for result in results if result.case == case]
        if case == "memory":
            _print_memory(chosen)
        elif case == "growth":
            _print_growth(chosen)
        elif case == "imports":
            print(f"\nimport chamfer adds {1000 * chosen[0].value:.1f} ms (best of {chosen[0].runs})")
        else:
            _print_ratios(chosen)


def _print_ratios(results: list[Result]) -> None:
    """Print seconds of each library, and how many times ours the peers' take."""
    for data, n, d in dict.fromkeys((each.data, each.n, each.d) for each in results):
        print(f"\n{results[0].case}: {data} {n:,} x {d}")
        here = {(each.method, each.library, each.dtype): each for each in results if (each.data, each.n) == (data, n)}
        rows = [["linkage", "dtype", *LIBRARIES, "over ours (fastcluster, best peer)"]]
        for method, library, dtype in here:
            if library != "chamfer":
                continue
            ours = here[method, library, dtype].value
            peers = {name: here.get((method, name, "float64")) for name in LIBRARIES if name != "chamfer"}
            times = {name: each.value for name, each in peers.items() if each is not None}
            mark = "*" if any(each and each.peer_method for each in peers.values()) else ""
            ratios = [times["fastcluster"] / ours] if "fastcluster" in times else []
            ratios += [min(times.values()) / ours] if times else []
            rows.append(
                [method, dtype, f"{ours:.4g} s"]
                + [f"{times[name]:.4g} s{mark}" if name in times else "-" for name in peers]
                + [", ".join(f"{ratio:.2f}x" for ratio in ratios) or "-"]
            )
        _print_rows(rows)
        if any("*" in cell for row in rows for cell in row):
            print("* average linkage, for want of Chamfer linkage")


def _print_memory(results: list[Result]) -> None:
    print("\nmemory: peak beyond the input, over n (n - 1) / 2 distances of the dtype")
    rows = [["linkage", "dtype", "n", "MB", "ratio"]]
    for each in results:
        itemsize = 4 if each.dtype == "float32" else 8
        ratio = each.value / (each.n * (each.n - 1) / 2 * itemsize)
        rows.append([each.method, each.dtype, f"{each.n:,}", f"{each.value / 1e6:.0f}", f"{ratio:.2f}"])
    _print_rows(rows)


def _print_growth(results: list[Result]) -> None:
    print("\ngrowth: seconds, and how many times as long twice the points take")
    sizes = sorted({each.n for each in results})
    rows = [["linkage", "dtype", *(f"n = {n:,}" for n in sizes), "each doubling"]]
    for method, dtype in dict.fromkeys((each.method, each.dtype) for each in results):
        times = [each.value for each in results if (each.method, each.dtype) == (method, dtype)]
        ratios = ", ".join(f"{after / before:.2f}x" for before, after in pairwise(times))
        rows.append([method, dtype, *(f"{value:.3g} s" for value in times), ratios])
    _print_rows(rows)


def _print_rows(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def write_csv(results: Iterable[Result], path: Path) -> None:
    """Write all results, one a line."""
    rows = [asdict(each) for each in results]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def write_plot(results: list[Result], path: Path) -> bool:
    """Draw time over n on logarithmic axes, one panel for each linkage; False if there is nothing to draw."""
    chosen = [each for each in results if each.case == "scaling"]
    methods = list(dict.fromkeys(each.method for each in chosen))
    if not methods:
        return False
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(3, len(methods))
    rows = -(-len(methods) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(4 * columns, 3.4 * rows),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, method in zip(axes.flat, methods, strict=False):
        for number, library in enumerate(LIBRARIES):
            line = [(each.n, each.value) for each in chosen if (each.method, each.library) == (method, library)]
            if line:
                style = {"lw": 2.4, "zorder": 3} if library == "chamfer" else {"lw": 1.2}
                ax.loglog(*zip(*line, strict=True), marker="o", ms=4, color=f"C{number}", label=library, **style)
        ax.set_title(method)
        sizes = sorted({each.n for each in chosen})
        ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
        ax.minorticks_off()
        ax.grid(True, which="major", color="0.9")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes.flat[len(methods) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("seconds")
    for ax in axes[-1]:
        ax.set_xlabel("points")
    handles = {label: handle for ax in axes.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=len(handles), frameon=False)
    data, d = chosen[0].data, chosen[0].d
    figure.suptitle(f"Hierarchical clustering of {data}, {d} coordinates")
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return True
