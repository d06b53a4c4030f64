"""Ours beside the paper's: every table of the report as data, from which text, page and CSV are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from chamfer.reproduction import paper, peers
from chamfer.reproduction.differences import as_in_paper, best, printed
from chamfer.reproduction.run import LINKAGES, SAME_FOR_BOTH
from chamfer.reproduction.store import Cell, Results
from chamfer.reproduction.table import Entry, Row, Table
from chamfer.trees.scores import SCORES, height_score

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
        *(partial(at_true_number, score=score) for score in SCORES),
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
    rows = [
        Row(label(results, name), _tree_entries(results, name, score, partial(as_in_paper, what=score)))
        for name in _of_usual_size(results)
    ]
    cuts = "all cuts along the three merge orders"
    if score == "ami":
        cuts = "cuts at thresholds that double from the lowest height, along the last two merge orders"
    return Table(
        f"best-{score}",
        score.upper(),
        f"{SCORE_NAMES[score]}, best of {'some' if score == 'ami' else 'all'} cuts",
        f"The best score over {cuts}, on squared Euclidean distances. Geometric means are over the data "
        "sets for which every linkage has a value, the paper's over the same.",
        _columns(results),
        rows + _geometric_means(rows),
        groups=_groups(used_methods(results)),
    )


def ami_of_all_cuts(results: Results) -> Table:
    """Make the table of the best adjusted mutual information over all cuts, which the paper does not have."""
    rows = [
        Row(label(results, name), _tree_entries(results, name, "", partial(best, score="ami")))
        for name in _of_usual_size(results)
    ]
    return Table(
        "all-ami",
        "AMI, all cuts",
        f"{SCORE_NAMES['ami']}, best of all cuts",
        "As the table before, but with no cut left out: what the schedule of cuts misses.",
        _columns(results),
        rows + _geometric_means(rows),
        groups=_groups(used_methods(results)),
    )


def heights(results: Results) -> Table:
    """Make the table of tree heights."""
    rows = [
        Row(
            label(results, name),
            _tree_entries(results, name, "height", lambda cell: cell["height"]),
            "height",
        )
        for name in _of_usual_size(results)
    ]
    return Table(
        "heights",
        "Heights",
        "Tree heights",
        "Edges on the longest way from the root to a point. Score is the mean ratio to the geometric mean "
        "of the paper's nine linkages, over the data sets for which all nine have a value; the paper's "
        "Score is computed again from its heights for the same linkages and data sets.",
        _columns(results),
        rows + _height_scores(used_methods(results), rows),
        lowest=True,
        groups=_groups(used_methods(results)),
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
    return Table(
        "seconds",
        "Time",
        "Running time in seconds",
        "From points to the tree, distances included, and the same tree from all: squared Euclidean "
        "distances for Average, Complete and the Chamfer variants. The paper's times are from 96 cores.",
        _columns(results),
        rows,
        groups=_groups(methods),
    )


def large(results: Results) -> Table:
    """Make the table of the data sets that no method in quadratic space could cluster in the paper."""
    rows = []
    for name in (name for name in results.datasets if name in paper.LARGE):
        own = not results.datasets[name]["differences"]
        for what in (*SCORES, "seconds"):
            value = partial(as_in_paper, what=what)
            entries = [
                _entry(
                    results,
                    name,
                    ("tree", method, "sqeuclidean"),
                    value,
                    paper.LARGE[name].get(method, {}).get(what) if own else None,
                )
                for method in used_methods(results)
            ]
            kind = "seconds" if what == "seconds" else "score"
            shown = what if what == "seconds" else what.upper()
            rows.append(Row(f"{label(results, name)}: {shown}", entries, kind))
    return Table(
        "large",
        "Large data",
        "Large data",
        "Best scores as in the tables above, and seconds. The paper's Ch is its algorithm in little space "
        "(t = 10), and Centroid 0.1 the approximate centroid linkage it is compared with, both on 96 "
        "cores.",
        _columns(results),
        rows,
        groups=_groups(used_methods(results)),
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
    names = [paper.SHORT[method] + ("²" if metric == "sqeuclidean" else "") for method, metric in columns]
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
        rows + _geometric_means(rows),
        groups=[*_groups([method for method, _ in columns]), len(columns)],
    )


def purity(results: Results) -> Table:
    """Make the table of dendrogram purity."""
    rows = [
        Row(label(results, name), _tree_entries(results, name, "", lambda cell: cell["purity"]))
        for name in results.datasets
    ]
    return Table(
        "purity",
        "Purity",
        "Dendrogram purity",
        "A score of whole trees, without a cut: for two random points of one class, the mean share of "
        "their class in the smallest cluster that holds both. Squared Euclidean distances.",
        _columns(results),
        rows + _geometric_means(rows),
        groups=_groups(used_methods(results)),
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


def _columns(results: Results) -> list[str]:
    return [paper.SHORT[method] for method in used_methods(results)]


def _groups(methods: list[str]) -> list[int]:
    """Give the column where the Chamfer variants begin."""
    first = next((i for i, method in enumerate(methods) if method not in paper.CLASSICAL), 0)
    return [first] if first else []


def _of_usual_size(results: Results) -> list[str]:
    return [name for name in results.datasets if name not in paper.LARGE]


def _printed_seconds(results: Results, name: str) -> dict[str, dict[str, float | None]]:
    if results.datasets[name]["differences"] or name not in paper.SECONDS:
        return {}
    return {
        "the paper" if whose == "paper" else f"{whose} in the paper": dict(zip(paper.METHODS, seconds, strict=False))
        for whose, seconds in paper.SECONDS[name].items()
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
            printed(name, method, what) if own else None,
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


def _geometric_means(rows: list[Row]) -> list[Row]:
    """Make a row of means over the rows in which every column has a value, so that columns can be compared.

    If any of these rows are of the paper's data, the mean is over them alone, and the paper's over the same.
    """
    complete = [row for row in rows if all(each.ours is not None for each in row.entries)]
    basis = [row for row in complete if any(each.paper is not None for each in row.entries)] or complete
    if len(basis) < 2:
        return []
    entries = [
        Entry(_geometric_mean([each.ours for each in column]), _geometric_mean([each.paper for each in column]))
        for column in zip(*(row.entries for row in basis), strict=True)
    ]
    return [Row(f"geometric mean of {len(basis)}", entries, summary=True)]


def _geometric_mean(values: Sequence[float | None]) -> float | None:
    if any(value is None for value in values):
        return None
    return float(np.exp(np.log(np.maximum(np.array(values, dtype=float), 1e-12)).mean()))


def _height_scores(methods: list[str], rows: list[Row]) -> list[Row]:
    nine = [i for i, method in enumerate(methods) if method in paper.METHODS]
    complete = [row for row in rows if all(row.entries[i].ours is not None for i in nine)]
    basis = [row for row in complete if any(each.paper is not None for each in row.entries)] or complete
    if not basis or len(nine) < len(paper.METHODS):
        return []
    ours = height_score([[row.entries[i].ours for i in nine] for row in basis])
    printed_too = all(row.entries[i].paper is not None for row in basis for i in nine)
    theirs = height_score([[row.entries[i].paper for i in nine] for row in basis]) if printed_too else None
    entries = [Entry() for _ in methods]
    for place, i in enumerate(nine):
        entries[i] = Entry(float(ours[place]), None if theirs is None else float(theirs[place]))
    return [Row(f"Score over {len(basis)}", entries, summary=True)]
