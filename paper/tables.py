"""Ours beside the paper's: every table of the report as data, from which text, page and CSV are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from paper import peers, printed
from paper.differences import as_in_paper, best, printed_value
from paper.run import LINKAGES, SAME_FOR_BOTH
from paper.store import Cell, Results
from paper.summaries import geometric_means, height_scores
from paper.table import Entry, Row, Table

SCORE_NAMES = {
    "ari": "Adjusted Rand index (ARI)",
    "nmi": "Normalised mutual information (NMI)",
    "ami": "Adjusted mutual information (AMI)",
    "fmi": "Fowlkes-Mallows index (FMI)",
}


def all_tables(results: Results) -> list[Table]:
    """Make every table for which there are results."""
    makers: list[Callable[[Results], Table]] = [
        *(partial(quality, score=score) for score in ("ari", "nmi", "fmi", "ami")),
        ami_of_all_cuts,
        heights,
        times,
        large,
        *(partial(at_true_number, score=score) for score in printed.SCORES),
        purity,
    ]
    tables = [table for make in makers if (table := make(results)).rows]
    captions = [table.caption for table in tables]
    return [
        # What has just been said is not said again.
        replace(table.marked(), caption="") if table.caption == before else table.marked()
        for table, before in zip(tables, ["", *captions], strict=False)
    ]


def quality(results: Results, score: str) -> Table:
    """Make the table of the best scores, as in the paper."""
    rows = _tree_rows(results, _of_usual_size(results), score, partial(as_in_paper, what=score))
    cuts = "all cuts along the three merge orders"
    if score == "ami":
        cuts = "cuts at thresholds that double from the lowest height, along the last two merge orders"
    return _tree_table(
        results,
        f"best-{score}",
        score.upper(),
        f"{SCORE_NAMES[score]}, best of {'some' if score == 'ami' else 'all'} cuts",
        f"The best score over {cuts}, on squared Euclidean distances. Geometric means are over the data "
        "sets for which every linkage has a value, the paper's over the same.",
        rows + geometric_means(rows),
    )


def ami_of_all_cuts(results: Results) -> Table:
    """Make the table of the best adjusted mutual information over all cuts, which the paper does not have."""
    rows = _tree_rows(results, _of_usual_size(results), "", partial(best, score="ami"))
    return _tree_table(
        results,
        "all-ami",
        "AMI, all cuts",
        f"{SCORE_NAMES['ami']}, best of all cuts",
        "As the table before, but with no cut left out: what the schedule of cuts misses.",
        rows + geometric_means(rows),
    )


def heights(results: Results) -> Table:
    """Make the table of tree heights."""
    rows = _tree_rows(results, _of_usual_size(results), "height", lambda cell: cell["height"], "height")
    return _tree_table(
        results,
        "heights",
        "Heights",
        "Tree heights",
        "Edges on the longest way from the root to a point. Score is the mean ratio to the geometric mean "
        "of the paper's nine linkages, over the data sets for which all nine have a value; the paper's "
        "Score is computed again from its heights for the same linkages and data sets.",
        rows + height_scores(used_methods(results), rows),
        lowest=True,
    )


def times(results: Results) -> Table:
    """Make the table of running times, with other libraries and the paper's machine below ours."""
    methods = used_methods(results)
    rows = []
    for name in results.datasets:
        whose = {"chamfer": _tree_entries(results, name, "", lambda cell: cell["seconds"])}
        for library in peers.LIBRARIES:
            whose[library] = [_entry(results, name, ("time", library, m), _seconds) for m in methods]
        for library, seconds in _printed_seconds(results, name).items():
            whose[library] = [Entry(paper=seconds.get(method)) for method in methods]
        rows += [
            Row(f"{label(results, name)}: {library}", entries, "seconds")
            for library, entries in whose.items()
            if any(each != Entry() for each in entries)
        ]
    return _tree_table(
        results,
        "seconds",
        "Time",
        "Running time in seconds",
        "From points to the tree, distances included, and the same tree from all: squared Euclidean "
        "distances for Average, Complete and the Chamfer variants. The paper's times are from 96 cores.",
        rows,
    )


def large(results: Results) -> Table:
    """Make the table of the data sets that no method in quadratic space could cluster in the paper."""
    rows = []
    for name in (name for name in results.datasets if name in printed.LARGE):
        for what in (*printed.SCORES, "seconds"):
            entries = _tree_entries(results, name, what, partial(as_in_paper, what=what))
            kind, shown = ("seconds", what) if what == "seconds" else ("score", what.upper())
            rows.append(Row(f"{label(results, name)}: {shown}", entries, kind))
    return _tree_table(
        results,
        "large",
        "Large data",
        "Large data",
        "Best scores as in the tables above, and seconds. The paper's Ch is its algorithm in little space "
        "(t = 10), and Centroid 0.1 the approximate centroid linkage it is compared with, both on 96 "
        "cores.",
        rows,
    )


def at_true_number(results: Results, score: str) -> Table:
    """Make the table of scores when asked for the true number of clusters."""
    columns = [
        (method, metric)
        for method in used_methods(results)
        for metric in (("euclidean",) if method in SAME_FOR_BOTH else ("euclidean", "sqeuclidean"))
    ]
    keys: list[tuple[str, ...]] = [tree_key(method, metric) for method, metric in columns]
    keys += [("clustering", name) for name in peers.CLUSTERINGS]
    rows = [
        Row(
            label(results, name),
            [_entry(results, name, key, lambda cell: cell["true"][score]) for key in keys],
        )
        for name in results.datasets
    ]
    names = [printed.SHORT[method] + ("²" if metric == "sqeuclidean" else "") for method, metric in columns]
    return Table(
        f"true-{score}",
        "At the true number" if score == "ari" else "",
        f"{SCORE_NAMES[score]} at the true number of clusters",
        "What a user gets who asks for as many clusters as there are classes, and looks at the classes no "
        "further: the cut by merge order, from Euclidean and from squared (²) distances. Linkages that "
        "give the same clusters from both stand once. k-means: best of ten starts. HDBSCAN chooses its "
        "number of clusters itself; its least cluster size was set so that the number comes nearest, and "
        "noise counts as one cluster.",
        [*names, *peers.CLUSTERINGS],
        rows + geometric_means(rows),
        groups=[*_groups([method for method, _ in columns]), len(columns)],
    )


def purity(results: Results) -> Table:
    """Make the table of dendrogram purity."""
    rows = _tree_rows(results, list(results.datasets), "", lambda cell: cell["purity"])
    return _tree_table(
        results,
        "purity",
        "Purity",
        "Dendrogram purity",
        "A score of whole trees, without a cut: for two random points of one class, the mean share of "
        "their class in the smallest cluster that holds both. Squared Euclidean distances.",
        rows + geometric_means(rows),
    )


def used_methods(results: Results) -> list[str]:
    """List the linkages that have any cell, in the paper's order."""
    names = {key.split("/")[2] for key in results.cells if "/tree/" in key}
    return [method for method in LINKAGES if method in names]


def label(results: Results, name: str) -> str:
    """Give a data set's name, with a star if it is not the paper's data."""
    return f"{name}*" if results.datasets[name]["differences"] else name


def tree_key(method: str, metric: str) -> tuple[str, str, str]:
    """Name the cell of a tree; one that squaring does not change serves for both metrics."""
    return "tree", method, "sqeuclidean" if method in SAME_FOR_BOTH else metric


def _tree_table(
    results: Results, name: str, link: str, title: str, caption: str, rows: list[Row], lowest: bool = False
) -> Table:
    """Make a table with a column for each linkage."""
    methods = used_methods(results)
    columns = [printed.SHORT[method] for method in methods]
    return Table(name, link, title, caption, columns, rows, lowest, _groups(methods))


def _tree_rows(
    results: Results, names: list[str], what: str, value: Callable[[Cell], float], kind: str = "score"
) -> list[Row]:
    return [Row(label(results, name), _tree_entries(results, name, what, value), kind) for name in names]


def _groups(methods: list[str]) -> list[int]:
    """Give the column where the Chamfer variants begin."""
    first = next((i for i, method in enumerate(methods) if method not in printed.CLASSICAL), 0)
    return [first] if first else []


def _of_usual_size(results: Results) -> list[str]:
    return [name for name in results.datasets if name not in printed.LARGE]


def _printed_seconds(results: Results, name: str) -> dict[str, dict[str, float | None]]:
    if results.datasets[name]["differences"] or name not in printed.SECONDS:
        return {}
    return {
        "the paper" if whose == "paper" else f"{whose} in the paper": dict(zip(printed.METHODS, seconds, strict=False))
        for whose, seconds in printed.SECONDS[name].items()
    }


def _tree_entries(results: Results, name: str, what: str, value: Callable[[Cell], float]) -> list[Entry]:
    """Make the entries of all linkages on squared distances, beside what the paper prints for `what`."""
    own = what and not results.datasets[name]["differences"]
    return [
        _entry(
            results,
            name,
            ("tree", method, "sqeuclidean"),
            value,
            printed_value(name, method, what) if own else None,
        )
        for method in used_methods(results)
    ]


def _entry(
    results: Results,
    name: str,
    key: tuple[str, ...],
    value: Callable[[Cell], float],
    theirs: float | None = None,
) -> Entry:
    cell = results.get(name, *key)
    if cell is None:
        return Entry(paper=theirs, note="memory" if results.failure(name, *key) else "")
    return Entry(ours=float(value(cell)), paper=theirs)


def _seconds(cell: Cell) -> float:
    return float(cell["seconds"])
