"""The report as one HTML page that needs nothing else: tables, figures and style are all in it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from paper import plots
from paper.differences import CLOSE, by_reason
from paper.markdown import INTRODUCTION, NOTES, agreeing, data_rows, describe, summary
from paper.store import Results
from paper.table import Entry, Row, Table

TITLE = "The paper’s tables, reproduced"
LEGEND = (
    '<p class="legend">Ours above, the paper’s below:'
    f'<i class="near"></i>equal (scores to {CLOSE})'
    f'<i class="off"></i>scores up to {20 * CLOSE:g} off, or another height'
    '<i class="far"></i>more. Bold is the best of ours in a row; a star marks data that is not the paper’s.'
    "</p>"
)


@dataclass(frozen=True)
class Section:
    """A part of the page, and its link at the top if it has one."""

    anchor: str
    link: str
    title: str
    caption: str
    content: str

    def html(self) -> str:
        """Give the section."""
        caption = f'<p class="caption">{escape(self.caption)}</p>' if self.caption else ""
        return f'<section id="{self.anchor}"><h2>{escape(self.title)}</h2>{caption}{self.content}</section>'


def write_page(results: Results, tables: list[Table], command: str) -> str:
    """Give the whole page."""
    sections = [*_figures(results, tables), *map(_table_section, tables), *_endings(results)]
    body = "".join(each.html() for each in sections)
    links = "".join(f'<a href="#{each.anchor}">{escape(each.link)}</a>' for each in sections if each.link)
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{style}</style></head><body>"
        f"<header><div><h1>{TITLE}</h1><p>{_introduction(command)}</p>{_cards(results)}</div></header>"
        f"<nav><div>{links}</div></nav><main>{body}</main></body></html>\n"
    )


def _introduction(command: str) -> str:
    text = escape(INTRODUCTION.replace("`{command}`", "{command}"), quote=False)
    text = text.replace("*Chamfer", "<em>Chamfer").replace("Clustering*", "Clustering</em>")
    return text.format(command=f"<code>{escape(command)}</code>")


def _cards(results: Results) -> str:
    about = results.environment
    cards = [
        (f"{len(results.datasets)}", "data sets"),
        ("{} / {}".format(*agreeing(results, "ari", "nmi", "fmi")), "ARI, NMI, FMI equal to the paper’s"),
        ("{} / {}".format(*agreeing(results, "ami")), "AMI equal to the paper’s"),
        ("{} / {}".format(*agreeing(results, "height")), "tree heights equal"),
        (f"{about['threads']} threads", about["processor"]),
    ]
    inside = "".join(f'<div class="card"><b>{escape(a)}</b><span>{escape(b)}</span></div>' for a, b in cards)
    return f'<div class="cards">{inside}</div>'


def _figures(results: Results, tables: list[Table]) -> list[Section]:
    if not plots.available():
        reason = "They need matplotlib, which is not installed."
        return [Section("figures", "Figures", "No figures", reason, "")]
    maps = [
        f'<h3>{escape(table.title)}</h3><div class="wide">{plots.heat_map(table)}</div>'
        for table in tables
        if table.name in ("best-ari", "best-nmi", "true-ari")
    ]
    curves = [
        f'<h3>{escape(name)}</h3><div class="wide">{plots.score_curves(results, name)}</div>'
        for name in results.datasets
    ]
    return [
        Section(
            "maps",
            "Heat maps",
            "How far from the best",
            "For every data set, the best column and how much the others score below it.",
            "".join(maps),
        ),
        Section(
            "curves",
            "Curves",
            "Scores over the number of clusters",
            "The better of the merge orders at each number of clusters, squared Euclidean distances. A "
            "line that stays high for long forgives a wrong number of clusters.",
            "".join(curves),
        ),
    ]


def _table_section(table: Table) -> Section:
    marks = [' class="first"' if i in table.groups else "" for i in range(len(table.columns))]
    head = "".join(f"<th{mark}>{escape(name)}</th>" for name, mark in zip(table.columns, marks, strict=True))
    body = "".join(_row(table, row) for row in table.rows)
    many = ' class="many"' if len(table.columns) > 12 else ""
    content = (
        f'<div class="wide"><table{many}><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{LEGEND if table.compared else ''}"
    )
    return Section(table.name, table.link, table.title, table.caption, content)


def _row(table: Table, row: Row) -> str:
    entries = "".join(_entry(row, each, i in table.groups) for i, each in enumerate(row.entries))
    mark = ' class="summary"' if row.summary else ""
    return f"<tr{mark}><th>{escape(row.label)}</th>{entries}</tr>"


def _entry(row: Row, entry: Entry, first: bool) -> str:
    ours, theirs, difference = row.show(entry.ours), row.show(entry.paper), row.show_difference(entry)
    classes = ["first" if first else "", row.agreement(entry) or ("" if ours else "none")]
    text = f"<b>{ours}</b>" if entry.best else ours or entry.note or ("" if theirs else "–")
    below = f"<small>{theirs} {difference}</small>" if theirs else ""
    return f'<td class="{" ".join(filter(None, classes))}">{text}{below}</td>'


def _endings(results: Results) -> list[Section]:
    lines = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(text)}</td>' for text in rest)}</tr>"
        for name, *rest in data_rows(results)
    )
    head = "<th></th><th>points</th><th>columns</th><th>classes</th><th></th>"
    data = f'<table class="text"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    differences = []
    for reason, found in by_reason(results):
        items = "".join(f"<li>{escape(describe(each))}</li>" for each in found)
        count = f"{len(found)} cell{'s' if len(found) > 1 else ''}"
        opened = " open" if len(found) < 10 else ""
        differences.append(
            f"<h3>{escape(reason)}</h3><details{opened}><summary>{count}</summary><ul>{items}</ul></details>"
        )
    notes = "".join(f"<li>{escape(note)}</li>" for note in NOTES)
    return [
        Section("differences", "Differences", "What differs, and why", summary(results), "".join(differences)),
        Section("data", "Data", "Data", "What was run, and what was missing.", f'<div class="wide">{data}</div>'),
        Section("notes", "Notes", "How to read this", "", f"<ul>{notes}</ul>"),
    ]
