"""A table of the report as data: entries of ours and the paper's, in rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from paper.differences import CLOSE


@dataclass(frozen=True)
class Entry:
    """One cell of a table: our value, the paper's, and why there is none of ours."""

    ours: float | None = None
    paper: float | None = None
    note: str = ""
    best: bool = False

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, where there are both."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Its `kind` is "score" (three decimals, equal if near enough), "height" (whole numbers, equal or not) or
    "seconds" (which nobody expects to be equal). A `summary` stands below a line.
    """

    label: str
    entries: list[Entry]
    kind: str = "score"
    summary: bool = False

    def show(self, value: float | None) -> str:
        """Give a value as text; nothing if there is none."""
        if value is None:
            return ""
        if self.kind == "score":
            return f"{value:.3f}"
        return f"{value:.0f}" if self.kind == "height" or value >= 1000 else f"{value:.3g}"

    def agreement(self, entry: Entry) -> str:
        """Say if ours is "near" the paper's, "off" or "far" from it; nothing if they are not compared."""
        if entry.difference is None or self.kind == "seconds":
            return ""
        off = abs(entry.difference)
        if self.kind == "height":
            return "near" if off == 0 else "off"
        return "near" if off <= CLOSE else "off" if off <= 20 * CLOSE else "far"

    def show_difference(self, entry: Entry) -> str:
        """Give the difference as text; nothing where there is none worth mentioning."""
        if self.agreement(entry) not in ("off", "far") or entry.difference is None:
            return ""
        return f"{entry.difference:+.{3 if self.kind == 'score' else 0}f}"

    def marked(self, lowest: bool) -> Row:
        """Give the row with its best entries marked, as far as they can be told apart by what is shown."""
        if self.kind == "seconds":
            return self
        values = [float(self.show(each.ours)) for each in self.entries if each.ours is not None]
        top = (min if lowest else max)(values) if len(values) > 1 else None
        entries = [
            replace(each, best=each.ours is not None and float(self.show(each.ours)) == top) for each in self.entries
        ]
        return replace(self, entries=entries)


@dataclass(frozen=True)
class Table:
    """A table of the report. In each row the highest entry is the best, unless `lowest`."""

    name: str
    link: str  # its title in a list of contents; empty if it is not in the list
    title: str
    caption: str
    columns: list[str]
    rows: list[Row]
    lowest: bool = False
    groups: list[int] = field(default_factory=list)  # columns before which a line is drawn

    def marked(self) -> Table:
        """Give the table with the best entries of every row marked."""
        return replace(self, rows=[row.marked(self.lowest) for row in self.rows])

    @property
    def compared(self) -> bool:
        """Whether any entry is compared with the paper's."""
        return any(row.agreement(each) for row in self.rows for each in row.entries)
