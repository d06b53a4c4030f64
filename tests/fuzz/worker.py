"""The child's side: makes the calls that it is sent, and says of each what became of it.

A line of standard input is a list of calls, each a kind and a number; a line of standard output is what became of one.
Whatever a call prints goes to standard error, which the parent keeps for the case that this process dies.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])  # where this package and the tests' reference are

from fuzz.draw import Draw  # noqa: E402
from fuzz.kinds import Kind, Outcome, load_kinds  # noqa: E402

REFUSALS = (ValueError, TypeError, MemoryError, OSError, ImportError)
FOREIGN = "incompatible function arguments"  # the compiled core was given what it cannot take


def judge(kind: Kind, error: BaseException | None, warned: list[Any]) -> list[str]:
    """What became of a call: the outcome, what was said, and what tells it from others."""
    leaks = [each for each in warned if issubclass(each.category, RuntimeWarning)]
    if isinstance(error, Outcome):
        return [error.outcome, str(error), signature(error)]
    if error is not None and not _is_refusal(kind, error):
        return ["leak", f"{type(error).__name__}: {error}", signature(error)]
    if leaks:
        where = f"{Path(leaks[0].filename).name}:{leaks[0].lineno}"
        return ["leak", f"{leaks[0].category.__name__}: {leaks[0].message} ({where})", where]
    return ["ok", "", ""] if error is None else ["refused", type(error).__name__, ""]


def _is_refusal(kind: Kind, error: BaseException) -> bool:
    text = str(error)
    if not isinstance(error, REFUSALS) or isinstance(error, UnicodeError) or FOREIGN in text:
        return False
    # Where memory ends there may be none for a message.
    return isinstance(error, MemoryError) or re.search(kind.names, text) is not None


def signature(error: BaseException) -> str:
    """Where an error comes from: its type and the last line of ours, or of the core's callers, that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "chamfer" in Path(each.filename).parts] or frames
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    words = re.sub(r"0x[0-9a-f]+|-?\d[\d.e+-]*|'[^']*'|\"[^\"]*\"|\([^)]*\)|\[[^\]]*\]", "#", str(error))
    return f"{type(error).__name__} {place} {words[:80]}"


def make_call(kind: Kind, draw: Draw) -> list[str]:
    """Make one call and judge it."""
    error = None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            kind.call(draw)
        except Exception as caught:
            error = caught
            if draw.aloud:
                traceback.print_exc()
    return judge(kind, error, warned)


def main() -> None:
    """Answer until there is nothing more to read."""
    modules, memory, aloud = sys.argv[1].split(":"), int(sys.argv[2]), sys.argv[3] == "aloud"
    results = os.dup(1)
    os.dup2(2, 1)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    if memory:  # a call that wants everything must not take the machine down
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    kinds = load_kinds(modules)
    os.write(results, b'["ready", "", ""]\n')
    for line in sys.stdin:
        os.truncate(2, 0)
        for name, seed in json.loads(line):
            outcome = make_call(kinds[name], Draw(name, seed, aloud))
            os.write(results, json.dumps(outcome).encode() + b"\n")


if __name__ == "__main__":
    main()
