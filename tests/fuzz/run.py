"""Make random calls of the library and report what crashes, hangs, leaks or is wrong.

    python tests/fuzz/run.py --seconds 120 --seed 0
    python tests/fuzz/run.py --only linkage --replay 1234

Every call follows from its kind and one number, so each failure comes with the command that makes it again. The last
line says how many calls passed and how many failed; the exit code is 1 if any did.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from fuzz.kinds import MODULES, load_kinds  # noqa: E402
from fuzz.watch import BAD, Failure, Tally, Watch, calls_from, worker_command  # noqa: E402

SPAN = 10**9  # numbers between the calls of two seeds
SHOWN = 3  # calls of each cause


def parse(argv: list[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="start no more calls after this time")
    parser.add_argument("--calls", type=int, metavar="N", help="make this many calls")
    parser.add_argument("--seed", type=int, default=0, help="other calls for every seed (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="worker processes (%(default)s)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="calls of these kinds")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="make one call again, and tell all about it")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a call hangs (%(default)s)")
    parser.add_argument("--memory", type=float, default=8, help="gigabytes for a worker, 0 for all (%(default)s)")
    parser.add_argument("--modules", nargs="+", default=list(MODULES), help="other modules of kinds, or their files")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run, report, and give the exit code."""
    options = parse(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    weights = {name: kind.weight for name, kind in load_kinds(options.modules).items()}
    if options.only is not None:
        unknown = [name for name in options.only if name not in weights]
        if unknown:
            raise SystemExit(f"--only must be among {', '.join(weights)}, got {', '.join(unknown)}")
        weights = {name: weights[name] for name in options.only}
    again = options.replay is not None
    most = 1 if again else options.calls
    seconds = options.seconds if options.seconds is not None else 60.0 if most is None else math.inf
    watch = Watch(
        worker_command(options.modules, int(options.memory * 1e9), again),
        calls_from(options.replay if again else options.seed * SPAN, weights, most),
        1 if again else options.jobs,
        options.limit,
        time.monotonic() + seconds,
    )
    tally = watch.run()
    report(tally, options)
    return 1 if tally.failures else 0


def report(tally: Tally, options: argparse.Namespace) -> None:
    """Print what became of the calls."""
    for _, group in sorted(by_cause(tally.failures).items()):
        tell(group, options)
    columns = ("ok", "refused", "skipped", *BAD)
    print(f"\n{'calls':12}", *(f"{name:>9}" for name in columns))
    for kind, counts in sorted(tally.counts.items()):
        print(f"{kind:12}", *(f"{counts[name]:>9,}" for name in columns))
    for kind, counts in sorted(tally.refusals.items()):
        print(f"refused by {kind}: " + ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    for what, count in tally.skipped.most_common():
        print(f"skipped {count:,} times: {what}")
    rate = tally.calls / tally.seconds if tally.seconds else 0
    print(f"{tally.calls:,} calls in {tally.seconds:.1f} s, {rate:,.0f} a second")
    print(f"{tally.calls - len(tally.failures)} passed, {len(tally.failures)} failed")


def by_cause(failures: list[Failure]) -> dict[str, list[Failure]]:
    """Failures that look alike, together."""
    groups = defaultdict(list)
    for each in failures:
        groups[each.cause].append(each)
    return groups


def tell(group: list[Failure], options: argparse.Namespace) -> None:
    """Print failures of one cause, and the commands that make them again."""
    first = min(group, key=lambda each: each.seed)
    print(f"\n{len(group)} x {first.outcome} in {first.kind}: {first.text}")
    if options.replay is not None or first.outcome in ("crash", "hang"):
        print("\n".join(f"    {line}" for line in first.log.splitlines()))
    modules = "" if options.modules == list(MODULES) else f" --modules {' '.join(options.modules)}"
    for each in sorted(group, key=lambda each: each.seed)[:SHOWN]:
        print(f"  python tests/fuzz/run.py --only {each.kind} --replay {each.seed}{modules}")


if __name__ == "__main__":
    raise SystemExit(main())
