"""Compare chamfer with fastcluster, SciPy and scikit-learn, in one process, on the same data.

    python benchmarks/run.py --data DIR              everything, for the record
    python benchmarks/run.py --quick                 tiny sizes, to see that it works
    python benchmarks/run.py --cases images,memory   some of it

DIR may hold mnist.npz with an array X of shape (70000, 784); without it similar points are made up, and the
tables say so.
Tables of ratios are printed; all numbers go to results.csv and the plot to scaling.png in the output folder.
Times are the best of several runs, those above 30 seconds are measured once. Freed memory stays with the process
from run to run.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from measure import SLOW, keep_memory
from peers import LIBRARIES, METHODS
from report import print_tables, write_csv, write_plot

from cases import CASES, Result, Settings


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    settings = Settings(
        data=arguments.data,
        quick=arguments.quick,
        methods=arguments.methods,
        libraries=_installed(arguments.libraries),
        dtypes=arguments.dtypes,
        repeats=1 if arguments.quick else arguments.repeats,
        peer_limit=arguments.peer_limit,
        sizes=dict.fromkeys(CASES, arguments.sizes) if arguments.sizes else {},
    )
    keep_memory()
    _print_machine()
    arguments.output.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for case in arguments.cases:
        for result in CASES[case](settings):
            results.append(result)
            _log(result)
            write_csv(results, arguments.output / "results.csv")  # an interrupted run keeps what it measured
    print_tables(results)
    print(f"\nnumbers: {arguments.output / 'results.csv'}")
    if write_plot(results, arguments.output / "scaling.png"):
        print(f"plot: {arguments.output / 'scaling.png'}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="benchmarks/run.py"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with mnist.npz")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one run each")
    parser.add_argument("--cases", type=_choices(CASES), default=tuple(CASES), help=f"of {','.join(CASES)}")
    parser.add_argument("--methods", type=_choices(_all_methods()), default=METHODS, help="linkages")
    parser.add_argument(
        "--libraries", type=_choices(LIBRARIES), default=tuple(LIBRARIES), help=f"of {','.join(LIBRARIES)}"
    )
    parser.add_argument("--dtypes", type=_choices(("float32", "float64")), default=("float32", "float64"))
    parser.add_argument("--sizes", type=_numbers, metavar="N,N,...", help="numbers of points instead of the usual")
    parser.add_argument("--repeats", type=int, default=3, help=f"runs of what takes under {SLOW:g} s")
    parser.add_argument(
        "--peer-limit",
        type=float,
        default=120,
        metavar="SECONDS",
        help="in the plot, stop peers slower than this",
    )
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"), metavar="DIR")
    return parser


def _all_methods() -> tuple[str, ...]:
    import chamfer

    return tuple(chamfer.METHODS)


def _choices(known: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        chosen = tuple(part.strip() for part in text.split(","))
        unknown = [part for part in chosen if part not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(known)}")
        return chosen

    return parse


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part.replace("_", "")) for part in text.split(","))


def _installed(libraries: tuple[str, ...]) -> tuple[str, ...]:
    try:
        import fastcluster  # noqa: F401
    except ImportError:
        print("fastcluster is not installed and left out", file=sys.stderr)
        return tuple(each for each in libraries if not each.startswith("fastcluster"))
    return libraries


def _print_machine() -> None:
    import scipy.linalg  # noqa: F401  loads SciPy's BLAS, which threadpoolctl then sees
    from threadpoolctl import threadpool_info

    from chamfer.cli.commands.info import gather

    facts = gather()
    print(f"{facts['processor']}, {facts['instruction set']}, {facts['threads']} threads; {platform.platform()}")
    print(", ".join(f"{name} {facts[name]}" for name in ("chamfer", "numpy", "scipy", "scikit-learn")))
    for pool in threadpool_info():
        version = pool["version"] or ""
        print(f"{pool['user_api']}: {pool['internal_api']} {version}, {pool['num_threads']} threads")
    print("command: python " + " ".join(sys.argv))


def _log(result: Result) -> None:
    unit = "s" if result.quantity == "seconds" else "bytes"
    what = " ".join(str(part) for part in (result.method, result.dtype, f"n={result.n:,}") if part)
    print(f"{result.case}: {result.library} {what}: {result.value:.4g} {unit}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
