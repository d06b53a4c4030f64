"""Two result files, case by case: how many times as long the second took."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, pairs, read

NOTABLE = 1.05  # times as much


def main(argv: Sequence[str] | None = None) -> int:
    """Print the ratios of two files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare", description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args(argv)
    try:
        print_ratios(read(options.old), read(options.new))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return 0


def print_ratios(old: Iterable[Row], new: Iterable[Row]) -> None:
    """Print a line for each case that both have, and the means; a ratio above 1 says that the new one takes more."""
    before = {row.key: row for row in old}
    both = [(before[row.key], row) for row in new if row.seconds and row.key in before and before[row.key].seconds]
    print(f"\n{'old s':>9} {'new s':>9} {'best':>6} {'median':>6} {'bytes':>6}")
    every = []
    for one, two in both:
        ratios = [_ratio(getattr(one, name), getattr(two, name)) for name in ("seconds", "median", "bytes")]
        every.append(ratios)
        print(f"{one.seconds:9.4g} {two.seconds:9.4g} {_show(ratios)}  {two.name}{_marks(one, two, *ratios)}")
    logarithms = np.log(np.array(every, dtype=float).reshape(-1, 3))
    means = [float(np.exp(column[column == column].mean())) for column in logarithms.T if (column == column).any()]
    print(f"{f'{len(both)} cases, mean':>19} {_show(means)}")


def as_ours(row: Row) -> Row:
    """Give the row under the name of our library, to be compared with ours."""
    return replace(row, library="chamfer")


def _ratio(old: float | None, new: float | None) -> float:
    return new / old if old and new else math.nan


def _show(ratios: list[float]) -> str:
    return " ".join(f"{'' if math.isnan(ratio) else f'{ratio:.2f}':>6}" for ratio in ratios)


def _marks(one: Row, two: Row, best: float, median: float, memory: float) -> str:
    """Say what a reader should look at: slower by best and by median, more memory, another result."""
    slower = best > NOTABLE and not median <= NOTABLE
    other = len({digest for row in (one, two) if (digest := pairs(row.quality).get("digest"))}) == 2
    marks = {"slower": slower, "more memory": memory > NOTABLE, "other result": other}
    return "".join(f"  ! {text}" for text, true in marks.items() if true)
