"""The command line with odd files and options, in this process."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

import numpy as np

from chamfer.cli import main
from fuzz.arrays import points
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.tree_calls import odd_tree

CELLS = ("1", "-2.5", "1e400", "", "NaN", "inf", "x", "=1+1", '"a,b"', "é", "1_000", "0x10", " 3 ", "\0", "9" * 400)
OPTIONS = (
    ["-k", "2"],
    ["-k", "0"],
    ["-k", "99999999999999999999"],
    ["-k", "x"],
    ["--height", "nan"],
    ["--height", "1e400"],
    ["--linkage", "ward"],
    ["--metric", "x"],
    ["--metric", "cosine"],
    ["--columns", "a,b"],
    ["--drop", "a"],
    ["--columns", ""],
    ["--id-column", "a"],
    ["--standardize"],
    ["--float32"],
    ["--json"],
    ["--order", "cumulative"],
    ["--jobs", "0"],
    ["--quiet"],
)
FREE = r""  # messages of the command line name files and options of many kinds


def table(draw: Draw) -> bytes:
    """A table as text, with odd cells in it."""
    rows, columns = draw.integer(0, 8), draw.integer(0, 4)
    separator = draw.one((",", "\t", ";", ","))
    odd = draw.one((0.0, 0.0, 0.1, 1.0))
    lines = [separator.join("abcd"[:columns])] if draw.chance(0.7) else []
    for _ in range(rows):
        width = columns if draw.chance(0.97) else columns + 1
        cells = [draw.one(CELLS) if draw.chance(odd) else repr(draw.number()) for _ in range(width)]
        lines.append(separator.join(cells))
    return draw.one(("\n", "\r\n", "\n")).join(lines).encode(draw.one(("utf-8", "utf-8", "utf-16", "utf-8-sig")))


def array_file(draw: Draw) -> bytes:
    """An array or a tree as NumPy writes them."""
    made = odd_tree(draw) if draw.chance(0.5) else points(draw, draw.integer(1, 12))
    made = np.zeros(3) if not isinstance(made, np.ndarray) or made.dtype.hasobject else made
    file = io.BytesIO()
    if draw.chance(0.5):
        np.savez(file, **{draw.one(("Z", "X", "data")): made})
    else:
        np.save(file, made)
    return file.getvalue()


def file(draw: Draw, folder: str) -> str:
    """A file that may hold anything."""
    content = table(draw) if draw.chance(0.6) else array_file(draw)
    if draw.chance(0.15) and content:
        place = draw.integer(0, len(content) - 1)
        content = content[:place] + draw.rng.bytes(draw.integer(0, 9)) + content[place + draw.integer(0, 9) :]
    ending = ".npz" if content[:2] == b"PK" else ".npy" if content[1:6] == b"NUMPY" else ".csv"
    if draw.chance(0.1):
        ending = draw.one(
            (".csv", ".tsv", ".npy", ".npz", ".parquet", ".feather", ".gz", ".csv.gz", ".xz", ".json", "")
        )
    path = Path(folder, "file" + ending)
    path.write_bytes(content)
    return str(path)


def call_cli(draw: Draw) -> None:
    """Run a command: it ends with an exit code, and never with a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        command = draw.one(("cluster", "cluster", "cut", "export", "compare"))
        arguments = [command, file(draw, folder) if draw.chance(0.98) else folder]
        for _ in range(draw.integer(0, 3)):
            arguments += draw.one(OPTIONS)
        if draw.chance(0.2):
            ending = draw.one((".csv", ".npy", ".nwk", ".json", ".x", "/"))
            arguments += ["-o", str(Path(folder, draw.one(("out", "no/out")) + ending))]
        draw.say(
            "chamfer " + " ".join(arguments), content=Path(arguments[1]).read_bytes() if "file" in arguments[1] else ""
        )
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(arguments)
            except SystemExit as end:
                code = end.code
        if code not in (0, 1, 2) or (code and not err.getvalue().strip()):
            raise Wrong(f"exit code {code} and {err.getvalue()[:200]!r}")
        if "Traceback" in err.getvalue():
            raise Wrong(f"a traceback: {err.getvalue()[-200:]}")


KINDS = {"cli": Kind(call_cli, 1, FREE)}
