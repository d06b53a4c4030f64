"""The tables of README and docs that are made from the committed results.

A page holds a table between ``<!-- table: NAME -->`` and ``<!-- end -->``; `TABLES` has a function for each name. Where
something was measured more than once, the best time counts.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.libraries import STAND_IN
from benchmarks.rows import Row, read_results

ROOT = Path(__file__).parent.parent
MARKED = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
NAMES = {
    "mnist": "MNIST",
    "covtype": "Covertype",
    "normal": "Gaussian",
    "plane": "200 Gaussians and noise in the plane",
    "mixture": "100 overlapping classes",
    "overlapping": "100 classes that overlap in all directions",
    "text": "like embeddings of texts",
}
Rows = list[Row]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the tables, or check them; 1 if one is not up to date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks tables", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a table is not up to date")
    options = parser.parse_args(argv)
    rows, stale = read_results(), 0
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        new = MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]](rows)}\n{found[3]}", text)
        if new != text:
            stale += 1
            print(f"{'not up to date' if options.check else 'written'}: {page.relative_to(ROOT)}")
            if not options.check:
                page.write_text(new, encoding="utf-8")
    return 1 if stale and options.check else 0


def table(head: list[str], lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))


def listing(rows: Rows, **columns: Callable[[Row], str]) -> str:
    """Give a table with a line for each row; leading cells that repeat the line above are left empty."""
    titles = [TITLES.get(name, name.replace("_", " ")) for name in columns]
    lines = [[show(row) for show in columns.values()] for row in rows]
    kept = [
        [cell if line[: i + 1] != above[: i + 1] else "" for i, cell in enumerate(line)]
        for above, line in pairwise([[], *lines])
    ]
    return table(titles, kept)


def of(rows: Rows, case: str) -> Rows:
    """Give our rows of a case."""
    return [row for row in rows if (row.case, row.library) == (case, "chamfer")]


def best(rows: Rows, **wanted: object) -> Row | None:
    """Give the fastest of the rows with these values."""
    found = [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]
    return min(found, key=lambda row: row.seconds or 0, default=None)


def seconds(row: Row | None) -> str:
    """Show a time to three digits, at most to hundredths."""
    if row is None or row.seconds is None:
        return "–"
    return f"{round(row.seconds, 2 if row.seconds < 10 else 1 if row.seconds < 100 else 0):,g} s"


def times(slow: Row | None, fast: Row | None) -> str:
    """Show how many times as long the first takes."""
    if slow is None or fast is None or not (slow.seconds and fast.seconds):
        return ""
    ratio = slow.seconds / fast.seconds
    return f"{ratio:.{0 if ratio >= 10 else 1 if ratio >= 1 else 2}f}"


def megabytes(row: Row) -> str:
    return "" if row.bytes is None else f"{row.bytes / 1e6:,.0f}"


def gigabytes(row: Row) -> str:
    return "" if row.bytes is None else f"{row.bytes / 1e9:.1f} GB"


def method(row: Row) -> str:
    return f"`{row.method}`" + (f" of `{row.option('metric')}`" if row.option("metric") else "")


def shape(row: Row) -> str:
    return f"{NAMES[row.data]}, {row.n:,} × {row.d}, {row.dtype}"


def points(row: Row) -> str:
    return f"{row.n:,}"


def score(name: str, digits: int = 3) -> Callable[[Row], str]:
    def show(row: Row) -> str:
        value = row.score(name)
        return "" if value is None else f"{value:,.{digits}f}"

    return show


height, best_ari = score("height", 0), score("best_ari")


def digits(rows: Rows) -> str:
    rows = sorted(of(rows, "digits"), key=lambda row: -(row.score("ari") or 0))
    return listing(rows, linkage=method, adjusted_Rand_index=score("ari"), tree_height=height)


def beside_fastcluster(case: str, rows: Rows) -> str:
    """Show our time in each type, and the better time of fastcluster's functions."""
    ours = of(rows, case)
    dtypes = list(dict.fromkeys(row.dtype for row in ours))
    peers = [row for row in rows if row.case == case and row.library.startswith("fastcluster")]
    lines = []
    for name in dict.fromkeys(row.method for row in ours):
        own = [best(ours, method=name, dtype=dtype) for dtype in dtypes]
        peer = best(peers, method=STAND_IN if name.startswith("chamfer") else name)
        shown = seconds(peer) + (f" (`{peer.method}`)" if peer and peer.method != name else "")
        lines.append([f"`{name}`", *map(seconds, own), shown, ", ".join(times(peer, each) for each in own)])
    return table(["linkage", *(dtypes if len(dtypes) > 1 else ["chamfer"]), "fastcluster", "times faster"], lines)


def levels(rows: Rows) -> str:
    """Show our times by instruction set, and the better time of fastcluster's functions."""
    ours = of(rows, "levels")
    peers = [row for row in rows if row.case == "levels" and row.library.startswith("fastcluster")]
    lines = []
    keys = dict.fromkeys((row.data, row.dtype, row.method) for row in ours)
    for data, dtype, name in sorted(keys, key=lambda key: key[:2]):
        own = [best(ours, data=data, dtype=dtype, method=name, level=level) for level in ("v3", "v4")]
        peer = best(peers, data=data, method=STAND_IN if name.startswith("chamfer") else name)
        ratios = ", ".join(times(peer, each) for each in own)
        first = next(row for row in own if row)
        shown = seconds(peer) + (f" (`{peer.method}`)" if peer and peer.method != name else "")
        lines.append([shape(first), f"`{name}`", *map(seconds, own), shown, ratios])
    for above, line in reversed(list(pairwise(lines))):
        line[0] = "" if line[0] == above[0] else line[0]
    return table(["data", "linkage", "AVX2", "AVX-512", "fastcluster", "times faster"], lines)


def large(rows: Rows) -> str:
    shown = [row for row in of(rows, "large") if not row.options and row.n != 20_000]
    shown += [row for row in of(rows, "lists") if row.n == 1_000_000]
    return listing(shown, data=shape, linkage=method, time=seconds, memory_beyond_the_data=gigabytes)


def multiplication(rows: Rows) -> str:
    """Show times beside that of one multiplication of all rows by all."""

    def product(row: Row) -> Row | None:
        return best(rows, library="numpy", data=row.data, n=row.n, d=row.d)

    return listing(
        [row for row in of(rows, "large") if product(row)],
        data=shape,
        linkage=method,
        time=seconds,
        times_the_multiplication=lambda row: times(row, product(row)),
        MB_beyond_the_data=megabytes,
        tree_height=height,
        best_ARI=best_ari,
    )


def growth(rows: Rows) -> str:
    ours = of(rows, "growth")
    sizes = sorted({row.n or 0 for row in ours})
    lines = []
    for name, dtype in dict.fromkeys((row.method, row.dtype) for row in ours):
        own = [best(ours, method=name, dtype=dtype, n=n) for n in sizes]
        doublings = ", ".join(f"{times(after, before)}×" for before, after in pairwise(own))
        lines.append([f"`{name}`", dtype, *map(seconds, own), doublings])
    return table(["linkage", "dtype", *(f"{n:,}" for n in sizes), "each doubling"], lines)


def lists(data: str, rows: Rows) -> str:
    ours = [row for row in of(rows, "lists") if row.data == data]
    lines = []
    for name in dict.fromkeys(row.method for row in ours):
        own = [row for row in ours if row.method == name]
        law = np.polyfit(np.log([row.n or 1 for row in own]), np.log([row.seconds or 1 for row in own]), 1)[0]
        lines.append([f"`{name}`", *(f"{seconds(row)}, {megabytes(row)} MB" for row in own), f"n^{law:.2f}"])
    return table(["linkage", *dict.fromkeys(map(points, ours)), "time grows with"], lines)


def fastcluster(rows: Rows) -> str:
    def peer(library: str, row: Row) -> str:
        found = best(rows, case="fastcluster", library=library, method=row.method, n=row.n)
        return f"{seconds(found)} ({times(found, row)}×)" if found else "–"

    return listing(
        of(rows, "fastcluster"),
        linkage=method,
        points=points,
        chamfer=seconds,
        scan=partial(peer, "fastcluster"),
        vector=partial(peer, "fastcluster-vector"),
        MB_beyond_the_data=megabytes,
    )


def tradeoff(rows: Rows) -> str:
    def engine(row: Row) -> str:
        return f"t = {row.option('t')}" if row.option("t") else f"`{row.option('engine')}`"

    return listing(of(rows, "tradeoff"), engine=engine, time=seconds, MB_beyond_the_data=megabytes)


def centroid(rows: Rows) -> str:
    def merges(row: Row) -> str:
        exact = f"`epsilon={row.option('epsilon')}`" if row.option("epsilon") else "exact"
        return f"the paper, {exact}, {row.threads} cores" if row.library == "paper" else exact

    shown = [row for row in rows if row.case == "centroid"]
    return listing(shown, merges=merges, points=points, time=seconds, tree_height=height, best_ARI=best_ari)


def epsilon(rows: Rows) -> str:
    return listing(
        of(rows, "epsilon"),
        points=points,
        metric=lambda row: f"`{row.option('metric')}`",
        epsilon=lambda row: row.option("epsilon"),
        searches=score("searches", 0),
        points_searched_for=score("searched", 0),
        time=seconds,
        tree_height=height,
        ARI_of_ten_clusters=score("ari"),
        best_ARI=best_ari,
    )


def approximate(rows: Rows) -> str:
    return listing(
        of(rows, "approximate"),
        data=shape,
        source=lambda row: f'`"{row.option("source")}"`',
        time=seconds,
        memory=gigabytes,
        ARI_at_the_true_number=score("ari"),
        recall=score("recall"),
    )


def neighbours(rows: Rows) -> str:
    return listing(
        [row for row in rows if row.case == "neighbours"],
        data=shape,
        library=lambda row: f"{row.library} {row.options}".strip(),
        time=seconds,
        memory=gigabytes,
        recall=score("recall"),
    )


def trees(rows: Rows) -> str:
    """Seconds of each library on each kind of data."""
    rows = [row for row in rows if row.case == "trees"]
    calls = list(dict.fromkeys((row.method, row.library) for row in rows))
    data = dict.fromkeys((row.data, row.n, row.d) for row in rows)
    head = ["points", *(f"{library}, {'spanning tree' if what == 'single' else what}" for what, library in calls)]
    lines = [
        [f"{kind}, {n:,} × {d}"]
        + [seconds(best(rows, data=kind, n=n, d=d, method=what, library=library)) for what, library in calls]
        for kind, n, d in data
    ]
    return table(head, lines)


TITLES = {"epsilon": "ε", "scan": "`linkage`", "vector": "`linkage_vector`"}
TABLES: dict[str, Callable[[Rows], str]] = {
    **{each.__name__: each for each in (digits, large, multiplication, growth, fastcluster, tradeoff, centroid)},
    **{each.__name__: each for each in (levels, epsilon, approximate, neighbours, trees)},
    **{case: partial(beside_fastcluster, case) for case in ("images", "gaussians")},
    **{f"lists-{data}": partial(lists, data) for data in ("mnist", "plane")},
}
