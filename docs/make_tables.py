"""Tables of linkages and engines, written from `chamfer.methods` and `chamfer.engines` into the pages that show them.

python docs/make_tables.py           write them
python docs/make_tables.py --check   exit code 1 if a page is out of date
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from chamfer._types import FAST_METRICS
from chamfer.engines.base import Engine
from chamfer.engines.choose import ENGINES
from chamfer.methods import METHODS, Linkage

ROOT = Path(__file__).parent.parent
MARKED = r"<!-- {0} -->\n((?:.*\n)*?)<!-- end -->\n"  # in a page
RULED = r"\n(    =+  =+\n    {0}.*\n(?:.*\n)*?    =+  =+\n)"  # in a docstring, by its first cell


def engines() -> Iterator[tuple[str, str, str]]:
    """Of each engine the linkages that it knows, its name and the memory that it needs."""
    for engine in ENGINES:
        known = [each for each in METHODS.values() if engine.knows(each)]
        others = [f"`{each.name}`" for each in METHODS.values() if each not in known]
        short = len(others) < len(known) / 2
        most = f"all but {', '.join(others)}" if others else "all"
        listed = most if short else ", ".join(with_metrics(each, engine) for each in known)
        option = " with `epsilon`" if "epsilon" in engine.takes and engine.asked_by is not None else ""
        yield listed + option, engine.name, engine.space


def with_metrics(linkage: Linkage, engine: Engine) -> str:
    """A linkage, with the metrics that it needs to be computed from points if those are not all that it is for."""
    fewer = engine.name == "points" and linkage.metrics is None and linkage.from_points != FAST_METRICS
    return f"`{linkage.name}`" + (f" ({', '.join(linkage.from_points)})" if fewer else "")


def page(name: str) -> str:
    """A table in Markdown."""
    if name == "linkages":
        rows = [("method", "value for A and B"), ("---", "---")]
        rows += [(f"`{each.name}`", re.sub(r"_\{(.*?)\}", r"<sub>\1</sub>", each.formula)) for each in METHODS.values()]
    else:
        rows = [("linkages", "engine", "memory beyond the data"), ("---", "---", "---")]
        rows += [(listed, f'`"{engine}"`', space) for listed, engine, space in engines()]
    return "".join(f"| {' | '.join(each.replace('|', BAR) for each in row)} |\n" for row in rows)


def docstring(name: str) -> str:
    """A table in reStructuredText, from its upper rule to its lower one."""
    if name == "``chamfer``":
        rows = [(f"``{each.name}``", each.formula) for each in METHODS.values()]
    else:
        rows = [(f'``"{engine}"``', listed.replace("`", "``")) for listed, engine, _ in engines()]
    rows = [(left, right.replace("|", BAR)) for left, right in rows]
    # A line without a first cell goes on from the one before.
    rows = [(left if i == 0 else "", part) for left, right in rows for i, part in enumerate(wrap(right, 100))]
    width, rest = (max(len(row[i]) for row in rows) for i in (0, 1))
    rule = f"    {'=' * width}  {'=' * rest}\n"
    return rule + "".join(f"    {left:{width}}  {right}\n" for left, right in rows) + rule


BAR = "\\|"
PLACES = {
    "README.md": (MARKED, page, ("linkages",)),
    "docs/large-data.md": (MARKED, page, ("engines",)),
    "src/chamfer/hac.py": (RULED, docstring, ("``chamfer``", '``"dense"``')),
}


def main() -> int:
    """Write the tables, or check them."""
    stale = []
    for file, (pattern, make, names) in PLACES.items():
        path = ROOT / file
        old = new = path.read_text(encoding="utf-8")
        for name in names:
            found = re.search(pattern.format(re.escape(name)), new)
            if found is None:
                raise SystemExit(f"{file}: there is no table {name}")
            new = new[: found.start(1)] + make(name) + new[found.end(1) :]
        if new != old:
            stale.append(file)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    print(*stale, sep="\n", end="\n" if stale else "")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
