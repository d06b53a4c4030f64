"""How time and memory of the lists engine grow with the number of points, from what ``low_memory.py`` has measured.

The cases to measure are those that ``low_memory.py --list`` calls growth. Then
``python benchmarks/growth.py low_memory.csv growth.png`` prints a table and draws a picture.
"""

from __future__ import annotations

import csv
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TITLES = {"mnist": "MNIST, 784 coordinates, float32", "plane": "mixture in the plane, float64"}


def main(source: str, picture: str) -> None:
    with open(source, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["case"].startswith("growth-")]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    print("| data | linkage | points | seconds | MB | seconds ~ n^ | MB ~ n^ |")
    print("|---|---|---|---|---|---|---|")
    for data, title in TITLES.items():
        for method in ("chamfer", "chamfer_capped"):
            # The last measurement of each size counts.
            found = {int(row["points"]): row for row in rows if row["case"].startswith(f"growth-{method}-{data}-")}
            n = np.array(sorted(found))
            if len(n) < 2:
                continue
            measured = {
                name: np.array([float(found[size][name]) for size in n.tolist()]) for name in ("seconds", "megabytes")
            }
            slopes = [np.polyfit(np.log(n), np.log(np.maximum(values, 1e-3)), 1)[0] for values in measured.values()]
            for i, size in enumerate(n):
                last = f"{slopes[0]:.2f} | {slopes[1]:.2f}" if i == len(n) - 1 else " | "
                print(
                    f"| {data} | `{method}` | {size:,} | {measured['seconds'][i]:.2f} | "
                    f"{measured['megabytes'][i]:.0f} | {last} |"
                )
            style = "o-" if data == "mnist" else "s--"
            for axis, values in zip(axes, measured.values(), strict=True):
                axis.loglog(n, values, style, markersize=4, label=f"{method}, {title}")
    for axis, label in zip(axes, ("seconds", "MB beyond the data"), strict=True):
        axis.set(xlabel="points", ylabel=label)
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main(*sys.argv[1:])
