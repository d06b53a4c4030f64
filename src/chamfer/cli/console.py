"""What commands write to a terminal: tables, bars, colours where they are seen, notes on standard error."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

OUTPUT = "standard output"
_EIGHTHS = " ▏▎▍▌▋▊▉"


class CommandError(Exception):
    """A problem that the user can solve; its text is all that is shown."""


_quiet = ContextVar("quiet", default=False)


@contextmanager
def notes(shown: bool) -> Iterator[None]:
    """Show notes, or not, for as long as the context lasts."""
    token = _quiet.set(not shown)
    try:
        yield
    finally:
        _quiet.reset(token)


def note(text: str) -> None:
    """Tell the user something that is not part of the result, unless there is a wish for quiet."""
    if not _quiet.get():
        complain(text)


def complain(text: str) -> None:
    """Tell the user something that must be read: one line, whatever files and columns are called."""
    if sys.stderr is not None:  # print would take standard output instead
        print("".join(_visible(each) for each in text), file=sys.stderr)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else repr(character)[1:-1]


def show(text: str) -> None:
    """Write to standard output, at once, so that an error is known to be of it."""
    if sys.stdout is None:
        if text:
            raise CommandError(f"{OUTPUT}: is closed")
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, OUTPUT) from error


def colored() -> bool:
    """Whether standard output is a terminal whose user has not asked for plain text."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def emphasize(text: str, code: str = "1") -> str:
    """Make `text` bold, or whatever the terminal's `code` says, if colours are seen."""
    return f"\x1b[{code}m{text}\x1b[0m" if colored() else text


def bar(share: float, width: int = 12) -> str:
    """Draw a bar of `share` times `width` characters, to an eighth of one."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[part] if part else "")).ljust(width)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str, strong: int | None = None) -> str:
    """Lay out a table.

    `align` holds ``<`` or ``>`` for each column; row `strong` is emphasized. A terminal that is too narrow gets fewer
    columns: first bars, whose head is empty, are left out, then the last ones.
    """
    head, rows, align = _fit(head, rows, align)
    widths = [max(_width(each[i]) for each in [head, *rows]) for i in range(len(head))]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [emphasize(_line(head, widths, align)), emphasize(rule, "2")]
    for number, row in enumerate(rows):
        text = _line(row, widths, align)
        lines.append(emphasize(text, "1;32") if number == strong else text)
    return "\n".join(lines)


def _fit(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str
) -> tuple[Sequence[str], Sequence[Sequence[str]], str]:
    """Leave out columns until the table is as wide as the terminal; nothing if standard output is none."""
    if not sys.stdout.isatty():
        return head, rows, align
    kept = list(range(len(head)))
    widths = [max(_width(each[i]) for each in [head, *rows]) + 2 for i in kept]
    while len(kept) > 2 and sum(widths[i] for i in kept) - 2 > shutil.get_terminal_size().columns:
        kept.remove(next((i for i in kept if not head[i]), kept[-1]))
    return [head[i] for i in kept], [[row[i] for i in kept] for row in rows], "".join(align[i] for i in kept)


def _line(cells: Sequence[str], widths: Sequence[int], align: str) -> str:
    padded = []
    for cell, width, side in zip(cells, widths, align, strict=True):
        space = " " * (width - _width(cell))
        padded.append(cell + space if side == "<" else space + cell)
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Columns that `text` takes in a terminal; characters of East Asia take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
