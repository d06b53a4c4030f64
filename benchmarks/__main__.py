"""The command line: measures sets of cases, or hands over to another command."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import chamfer
from benchmarks import clusters, many, neighbours, trees
from benchmarks.cases import SETS
from benchmarks.compare import as_ours, print_ratios
from benchmarks.libraries import LIBRARIES
from benchmarks.measure import AGAINST, CallError, Session
from benchmarks.rows import Row, write

COMMANDS = {
    "compare": "ratios of two result files, case by case",
    "tables": "write the tables of README and docs from the committed results",
    "choices": "whether auto takes the fastest engine, on data of every kind",
    "inputs": "documents as sparse rows, and metrics that are no function of the Euclidean one",
    "pixels": "merges along a graph beside scikit-learn, chains, and copies",
    "cuts": "one cut beside the loop that users write for k large clusters",
    "numbers": "whether the suggested number of clusters is the true one, beside other ways",
    "costs": "measure the numbers of chamfer.tuning again",
    "predict": "time and price of large runs on a cluster",
}
# What is not a call of a method with points: functions of the data directory and of --quick.
OTHERS: dict[str, Callable[[Path | None, bool], Iterable[Row]]] = {
    "neighbours": neighbours.measure,
    "trees": trees.measure,
    "clusters": clusters.measure,
    "many": many.measure,
}
NAMES = (*SETS, "imports", *OTHERS)
Step = tuple[str, Callable[[], Iterable[Row]]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; give its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in COMMANDS:
        run: Callable[[list[str]], int] = import_module(f"benchmarks.{words[0]}").main
        return run(words[1:])
    parser = _parser()
    options = parser.parse_args(words)
    if options.list:
        print("\n".join(_listing()))
        return 0
    if not options.cases:
        parser.error(f"name at least one of {', '.join(NAMES)}")
    rows: list[Row] = []
    try:
        return _run(options, rows)
    except (CallError, OSError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        kept = f"; {len(rows)} rows are in {options.csv}" if options.csv else ""
        print(f"interrupted{kept}", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure chamfer beside other libraries, on the same data.",
        epilog="commands: " + "; ".join(f"{name}: {text}" for name, text in COMMANDS.items()),
    )
    parser.add_argument("cases", nargs="*", type=_choices(NAMES), metavar="CASE", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--list", action="store_true", help="say what the cases are")
    parser.add_argument("--data", type=Path, metavar="DIR", help="mnist.npz and covtype.npz; otherwise made-up points")
    parser.add_argument(
        "--libraries", type=_choices(LIBRARIES), default=tuple(LIBRARIES), metavar="A,B", help="all by default"
    )
    parser.add_argument("--methods", type=_choices(chamfer.METHODS), metavar="A,B", help="linkages; all by default")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all results here")
    parser.add_argument("--repeats", type=int, metavar="N", help="rounds of every case, unless it is slow")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    parser.add_argument(
        "--against",
        type=shlex.split,
        metavar="PYTHON",
        help="another interpreter, whose chamfer makes the same calls in turns with this one; without PYTHONPATH",
    )
    return parser


def _choices(known: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        chosen = tuple(part.strip() for part in text.split(","))
        for part in chosen:
            if part not in known:
                raise argparse.ArgumentTypeError(f"{part!r} is not one of {', '.join(known)}")
        return chosen

    return parse


def _listing() -> list[str]:
    texts = {name: make.__doc__ for name, make in (SETS | OTHERS).items()} | {"imports": Session.import_seconds.__doc__}
    return [f"{name:12} {(texts[name] or '').splitlines()[0]}" for name in NAMES]


def _run(options: argparse.Namespace, rows: list[Row]) -> int:
    """Measure everything that is asked for; 1 if anything failed."""
    if not options.quick:
        subprocess.run([sys.executable, "-m", "chamfer", "info"], check=False)
    failed = 0
    with Session(options.data, options.libraries, options.against) as session:
        for name in session.missing:
            print(f"{name} is not installed and left out", file=sys.stderr)
        steps = [step for names in options.cases for name in names for step in _steps(name, options, session)]
        for number, (text, measure) in enumerate(steps, 1):
            print(f"[{number}/{len(steps)}] {text}", flush=True)
            ours = None
            try:
                for row in measure():
                    ours = row if row.library == "chamfer" else ours
                    rows.append(row)
                    print(_line(row, ours), flush=True)
            except CallError as error:
                failed += 1
                print(f"  failed: {error}", flush=True)
            if options.csv:
                write(rows, options.csv)  # an interrupted run keeps what it measured
    if options.against:
        print_ratios([as_ours(row) for row in rows if row.library == AGAINST], rows)
    return 1 if failed else 0


def _steps(name: str, options: argparse.Namespace, session: Session) -> list[Step]:
    if name == "imports":
        return [(name, partial(session.import_seconds, 1 if options.quick else 9))]
    if name in OTHERS:
        return [(name, partial(OTHERS[name], options.data, options.quick))]
    cases = [case for case in SETS[name]() if not options.methods or case.method in options.methods]
    if options.quick:  # each case that is alone has to start a process
        cases = [case.shrunk() for case in (cases[:2] if cases and cases[0].alone else cases)]
    if options.repeats:
        cases = [replace(case, repeats=options.repeats) for case in cases]
    return [(str(case), partial(session.measure, case)) for case in cases]


def _line(row: Row, ours: Row | None) -> str:
    """Give a result in a line, with its ratio to ours."""
    text = f"  {row.library:18} {row.dtype:8} {row.seconds:10.4g} s, median {row.median:.4g} of {row.runs}"
    if row.bytes is not None:
        text += f", {row.bytes / 1e6:,.0f} MB"
    if ours is not None and row is not ours:
        text += f", {(row.seconds or 0) / (ours.seconds or 1):.2f} times chamfer"
    quality = " ".join(word for word in row.quality.split() if not word.startswith("digest="))
    return f"{text}, {quality}" if quality else text


if __name__ == "__main__":
    raise SystemExit(main())
