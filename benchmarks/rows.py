"""The format of results: one measurement is one row of a CSV file.

`options` and `quality` hold ``name=value`` words: arguments of the call, and what was found out about its result beside
time and memory. `seconds` is the best of `runs`, `bytes` the peak beyond the data. An empty cell was not recorded.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
_NUMBERS = {"n": int, "d": int, "threads": int, "runs": int, "bytes": int, "seconds": float, "median": float}


@dataclass(frozen=True)
class Row:
    """One measurement."""

    case: str
    library: str
    version: str = ""
    method: str = ""
    options: str = ""
    data: str = ""
    n: int | None = None
    d: int | None = None
    dtype: str = ""
    threads: int | None = None
    level: str = ""  # CHAMFER_LEVEL; empty if it was not set
    seconds: float | None = None
    median: float | None = None
    runs: int | None = None
    bytes: int | None = None
    quality: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """What was measured, whatever came out."""
        return (self.case, self.library, self.method, self.options, self.data, self.n, self.d, self.dtype)

    @property
    def name(self) -> str:
        """The same in words."""
        words = [
            self.case,
            self.library,
            self.method,
            self.data,
            f"{self.n} x {self.d}" if self.n else "",
            self.dtype,
            self.options,
        ]
        return " ".join(word for word in words if word)

    def option(self, name: str) -> str:
        """Give an argument of the call as text; nothing if it was not given."""
        return pairs(self.options).get(name, "")

    def score(self, name: str) -> float | None:
        """Give a number that describes the result, if it was recorded."""
        text = pairs(self.quality).get(name)
        return None if text is None else float(text)


COLUMNS = tuple(each.name for each in fields(Row))


def pairs(text: str) -> dict[str, str]:
    """Give the names and values of ``name=value`` words."""
    return {name: value for name, _, value in (word.partition("=") for word in text.split())}


def join(values: Mapping[str, Any]) -> str:
    """Give ``name=value`` words; numbers to four digits behind the point."""
    return " ".join(f"{name}={round(v, 4) if isinstance(v, float) else v}" for name, v in values.items())


def read(path: Path) -> list[Row]:
    """Read the rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path} must have the columns {', '.join(COLUMNS)}, got {reader.fieldnames}")
        return [Row(**{name: _parse(name, text) for name, text in line.items()}) for line in reader]


def read_results() -> list[Row]:
    """Read all committed results."""
    return [row for path in sorted(RESULTS.glob("*.csv")) for row in read(path)]


def write(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def _parse(name: str, text: str) -> Any:
    if name not in _NUMBERS:
        return text
    return _NUMBERS[name](text) if text else None
