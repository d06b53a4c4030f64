"""The report as Markdown, and all its numbers as CSV."""

from __future__ import annotations

import csv
import io

from chamfer.datasets import PAPER
from paper import printed
from paper.differences import CLOSE, Difference, all_differences, by_reason, compared
from paper.store import Results
from paper.table import Entry, Row, Table

INTRODUCTION = (
    "Linkages on data sets: the numbers printed in the paper *Chamfer-Linkage for Hierarchical "
    "Agglomerative Clustering* beside ours, as written by `{command}`. In every entry ours comes first "
    f"and the paper's second, with the difference where it is more than {CLOSE}. The best of ours in a row "
    "is bold. A star marks data that is not the paper's, though it may stand in for it; it is not "
    "compared."
)
NOTES = (
    "The paper does not say which distances it uses. Squared Euclidean distances of raw features "
    "reproduce its tables, so they are used here, and centroid's and Ward's heights are squared likewise.",
    "Merge order and least-available-merge-first are the same order for an exact linkage, since the "
    "linkage value of two clusters does not change while other clusters merge. They are compared for the "
    "sake of trees from elsewhere.",
    "The paper computes AMI on a geometric schedule of thresholds, and does not say which. Thresholds that "
    "double from the lowest merge upwards, along its second and third order, give its numbers, so its table "
    "is made with these. A table of its own has AMI at all cuts.",
    "In the printed ARI and NMI of Ch_S and Ch_NS the geometric means do not follow from the rows, but the "
    "product of the two columns' means does: in some rows the two have changed places, it seems. AMI above "
    "NMI, which cannot be, points to the same.",
    "Centroid 0.1 merges centres that are within a factor of 1.1 of the nearest, in squared distance. Many trees "
    "satisfy that, so its entries are not counted among those that agree or differ, and its heights are left out of "
    "the geometric means of heights, ours and the paper's.",
    "Times are from the machine named above; the paper's are from 96 cores with 1.5 TB of memory.",
)


def write_markdown(results: Results, tables: list[Table], command: str) -> str:
    """Give the whole report."""
    parts = ["# The paper's tables, reproduced", INTRODUCTION.format(command=command)]
    parts += [summary(results), _environment(results), "## Data", _data(results)]
    for table in tables:
        parts += [f"## {table.title}", table.caption, markdown_table(table)]
    parts += ["## What differs, and why", *_differences(results)]
    parts += ["## How to read this", "\n".join(f"- {note}" for note in NOTES)]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(results: Results) -> str:
    """Say in a sentence how many cells agree."""
    if not any(compared(results)):
        return "No cell can be compared with the paper: none of the data is the paper's."
    groups = (("ARI, NMI and FMI", ("ari", "nmi", "fmi")), ("AMI", ("ami",)), ("tree heights", ("height",)))
    counts = [f"{' of '.join(map(str, agreeing(results, *names)))} {title}" for title, names in groups]
    return f"Equal to the paper's (scores to {CLOSE}): {', '.join(counts)}. The rest is listed with reasons."


def agreeing(results: Results, *names: str) -> tuple[int, int]:
    """Count the cells of some scores that are equal to the paper's, and all that can be compared."""
    every = sum(what in names for _, _, what in compared(results))
    return every - sum(each.what in names for each in all_differences(results)), every


def describe(each: Difference) -> str:
    """Give one difference in a line."""
    row = Row("", [], "height" if each.what == "height" else "score")
    entry = Entry(each.ours, each.paper)
    what = "tree height" if each.what == "height" else each.what.upper()
    values = f"{row.show(each.ours)}, the paper {row.show(each.paper)} ({row.show_difference(entry)})"
    return f"{each.dataset}, {printed.SHORT[each.method]}, {what}: {values}"


def markdown_table(table: Table) -> str:
    """Give one table."""
    lines = [f"| | {' | '.join(map(_escape, table.columns))} |", "|---" * (len(table.columns) + 1) + "|"]
    for row in table.rows:
        name = f"*{_escape(row.label)}*" if row.summary else _escape(row.label)
        lines.append(f"| {name} | {' | '.join(_markdown_entry(row, each) for each in row.entries)} |")
    return "\n".join(lines)


def write_csv(tables: list[Table]) -> str:
    """Give every entry of every table as a line."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["table", "row", "column", "ours", "paper", "difference", "note"])
    for table in tables:
        for row in table.rows:
            for column, each in zip(table.columns, row.entries, strict=True):
                values = [each.ours, each.paper, each.difference]
                shown = ["" if value is None else f"{value:.6g}" for value in values]
                if any(shown) or each.note:
                    lines.writerow([table.name, row.label, column, *shown, each.note])
    return out.getvalue()


def data_rows(results: Results) -> list[tuple[str, str, str, str, str]]:
    """List all data sets: name, points, columns, classes, and whether it was there."""
    rows = []
    for name, about in results.datasets.items():
        state = "; ".join(about["differences"]) or "as in the paper"
        star = "*" if about["differences"] else ""
        shape = (str(about["n"]), str(about["d"]), str(about["classes"]))
        rows.append((name + star, *shape, f"{state}; run in {about['dtype']}"))
    for name, reason in results.missing.items():
        known = PAPER.get(name)
        shape = (str(known.n), str(known.d), str(known.n_classes)) if known else ("", "", "")
        rows.append((name, *shape, f"missing: {reason}"))
    return rows


def _data(results: Results) -> str:
    lines = ["| | points | columns | classes | |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_escape(text) for text in row)} |" for row in data_rows(results)]
    return "\n".join(lines)


def _differences(results: Results) -> list[str]:
    parts = []
    for reason, found in by_reason(results):
        parts.append(f"**{reason}** ({len(found)})")
        parts.append("\n".join(f"- {_escape(describe(each))}" for each in found))
    return parts or ["Nothing, in the cells that can be compared."]


def _environment(results: Results) -> str:
    about = results.environment
    return (
        f"Run on {about['threads']} threads of {about['processor']}; {about['python']}, NumPy {about['numpy']}, "
        f"chamfer {about['chamfer']}."
    )


def _markdown_entry(row: Row, entry: Entry) -> str:
    ours, theirs, difference = row.show(entry.ours), row.show(entry.paper), row.show_difference(entry)
    text = f"**{ours}**" if entry.best else ours or entry.note or ("" if theirs else "–")
    text = f"{text} / {theirs}" if theirs else text
    return f"{text} ({difference})" if difference else text


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
