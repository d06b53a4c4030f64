"""Where our numbers differ from the printed ones, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chamfer.reproduction import paper
from chamfer.reproduction.store import Cell, Results
from chamfer.trees.scores import SCORES

CLOSE = 0.001  # printed numbers have three decimals

TIES = (
    "The data has equal distances. Breaking ties in another way gives the printed value: it was found among "
    "trees of the same points moved by a hundred-millionth of their spread."
)
TIED = "The data has equal distances, and the value depends on how ties are broken."
IMPOSSIBLE = (
    "The printed values cannot be right: AMI is at most NMI at every cut, so the best AMI is at most the "
    "best NMI. Perhaps columns were swapped."
)
UNEXPLAINED = "Not explained."


@dataclass(frozen=True)
class Difference:
    """A cell that differs from the printed one by more than its last digit."""

    dataset: str
    method: str
    what: str
    ours: float
    paper: float
    reason: str


def best(cell: Cell, score: str) -> float:
    """Give the best score of a tree over all orders and cuts."""
    return float(max(value for value, _ in cell["best"][score].values()))


def as_in_paper(cell: Cell, what: str) -> float:
    """Give a tree's height or best score in the way of the paper, which does not try all cuts for AMI."""
    if what in ("height", "seconds"):
        return float(cell[what])
    return float(cell["ami_on_schedule"]) if what == "ami" else best(cell, what)


def printed(dataset: str, method: str, what: str) -> float | None:
    """Give the paper's value of a score or height, if it has one."""
    if dataset in paper.LARGE:
        return paper.LARGE[dataset].get(method, {}).get(what)
    table = paper.HEIGHTS if what == "height" else paper.SCORES[what]
    return table.get(dataset, {}).get(method)


def compare_tree(results: Results, dataset: str, method: str) -> list[Difference]:
    """List how one tree differs from the paper's; nothing if the data is not the paper's."""
    cell = results.get(dataset, "tree", method, "sqeuclidean")
    if cell is None or results.datasets[dataset]["differences"]:
        return []
    found = []
    for what in ("height", *SCORES):
        theirs = printed(dataset, method, what)
        ours = as_in_paper(cell, what)
        if theirs is not None and abs(ours - theirs) > (0 if what == "height" else CLOSE):
            reason = _reason(results, dataset, method, what, theirs)
            found.append(Difference(dataset, method, what, ours, theirs, reason))
    return found


def all_differences(results: Results) -> list[Difference]:
    """List all differences."""
    return [
        difference
        for dataset in results.datasets
        for method in paper.METHODS
        for difference in compare_tree(results, dataset, method)
    ]


def by_reason(results: Results) -> list[tuple[str, list[Difference]]]:
    """Group all differences by their reason, the most frequent first."""
    groups: dict[str, list[Difference]] = {}
    for each in all_differences(results):
        groups.setdefault(each.reason, []).append(each)
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def compared(results: Results) -> Iterator[tuple[str, str, str]]:
    """List all cells for which there is a printed value."""
    for dataset, about in results.datasets.items():
        for method in paper.METHODS:
            if not about["differences"] and results.get(dataset, "tree", method, "sqeuclidean"):
                yield from (
                    (dataset, method, what)
                    for what in ("height", *SCORES)
                    if printed(dataset, method, what) is not None
                )


def _reason(results: Results, dataset: str, method: str, what: str, theirs: float) -> str:
    if (dataset, method, what) in paper.MISPRINTS:
        return paper.MISPRINTS[dataset, method, what]
    ami, nmi = (printed(dataset, method, score) for score in ("ami", "nmi"))
    if what in ("ami", "nmi") and ami is not None and nmi is not None and ami > nmi + CLOSE:
        return IMPOSSIBLE
    draws = (results.get(dataset, "ties", method) or {}).get(what, [])
    if any(abs(value - theirs) <= (0 if what == "height" else CLOSE) for value in draws):
        return TIES
    return TIED if len(draws) > 1 else UNEXPLAINED
