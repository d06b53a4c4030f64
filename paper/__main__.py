"""``python -m paper``: run linkages on data sets and write the tables of the Chamfer paper, ours beside the paper's."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from chamfer.datasets import PAPER
from paper.markdown import summary, write_csv, write_markdown
from paper.page import write_page
from paper.run import LINKAGES, Plan, run
from paper.store import Results
from paper.tables import all_tables

DESCRIPTION = (
    "Run linkages on data sets and write the tables of the Chamfer paper, ours beside the paper's, as "
    "reproduction.md, reproduction.csv and reproduction.html. Finished cells are kept in results.json and "
    "not run again, so an interrupted run resumes. Missing data sets are listed and skipped."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing and write the report; 0 if all went well."""
    parser = _parser()
    try:
        return _reproduce(parser.parse_args(argv))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; finished cells are kept", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m paper", description=DESCRIPTION)
    parser.add_argument(
        "datasets",
        nargs="*",
        metavar="DATASET",
        help=f"of {', '.join(PAPER)}, or names of files in --data; all of the paper's by default",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory with NAME.npz (arrays X and y) or NAME.npy")
    parser.add_argument("--out", type=Path, default=Path("reproduction"), metavar="DIR", help="where to write")
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=LINKAGES,
        default=list(LINKAGES),
        metavar="METHOD",
        help=f"of {', '.join(LINKAGES)}",
    )
    parser.add_argument("--download", action="store_true", help="let scikit-learn fetch what is missing")
    parser.add_argument(
        "--dtype",
        choices=("auto", "float32", "float64"),
        default="auto",
        help="auto: float32 for more than 20,000 points",
    )
    parser.add_argument(
        "--peer-points",
        type=int,
        default=10_000,
        metavar="N",
        help="time other libraries, which keep all distances, on data sets of up to N points (default: %(default)s)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _reproduce(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    plan = Plan(
        datasets=tuple(arguments.datasets) or tuple(PAPER),
        methods=tuple(arguments.methods),
        directory=arguments.data,
        download=arguments.download,
        dtype=arguments.dtype,
        peer_points=arguments.peer_points,
        progress=not arguments.quiet,
    )
    out.mkdir(parents=True, exist_ok=True)
    results = Results(out / "results.json")
    run(plan, results)
    for name, reason in results.missing.items():
        print(f"skipped: {reason if name in reason else f'{name}: {reason}'}", file=sys.stderr)
    if not results.datasets:
        print("nothing to report: no data set could be loaded", file=sys.stderr)
        return 1
    _write_report(results, out, _command(arguments))
    print(f"{summary(results)}\nwritten: {out / 'reproduction.md'}, .csv and .html")
    return 0


def _write_report(results: Results, out: Path, command: str) -> None:
    """Write the tables as Markdown, CSV and an HTML page."""
    tables = all_tables(results)
    (out / "reproduction.md").write_text(write_markdown(results, tables, command), encoding="utf-8")
    (out / "reproduction.csv").write_text(write_csv(tables), encoding="utf-8")
    (out / "reproduction.html").write_text(write_page(results, tables, command), encoding="utf-8")


def _command(arguments: argparse.Namespace) -> str:
    words = ["python", "-m", "paper", *arguments.datasets]
    if arguments.data is not None:
        words += ["--data", "DIR"]
    if tuple(arguments.methods) != LINKAGES:
        words += ["--methods", *arguments.methods]
    words += ["--download"] if arguments.download else []
    words += ["--dtype", arguments.dtype] if arguments.dtype != "auto" else []
    return shlex.join(words)


if __name__ == "__main__":
    raise SystemExit(main())
