"""How a case is measured.

Libraries take turns on the same data, round by round, so that a slow minute of the machine hits all of them, and each
has as many runs as the others. A call that takes microseconds is repeated within a run, and its mean counts.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.libraries import LIBRARIES, PEERS
from benchmarks.rows import Row, join

ROOT = Path(__file__).parent.parent
SLOW = 60.0  # seconds; a case that has taken longer has no more rounds
SHORT = 0.02  # seconds; shorter runs are made of several calls
AGAINST = "against"  # the library name of chamfer in the other interpreter


@dataclass(frozen=True)
class Case:
    """What to measure: calls of one method with the same data, by one library or several."""

    name: str
    data: str
    n: int
    method: str
    d: int = 0
    dtypes: tuple[str, ...] = ("float64",)
    options: dict[str, Any] = field(default_factory=dict)
    libraries: tuple[str, ...] = ("chamfer",)
    repeats: int = 3
    alone: bool = False  # one call, in a process of its own, whose memory is measured
    scored: bool = False

    def shrunk(self) -> Case:
        """Give the same case at a size that takes no time."""
        options = {**self.options, "t": min(self.options["t"], 4)} if "t" in self.options else self.options
        return replace(self, n=min(self.n, 100), d=min(self.d, 40), options=options, repeats=1)

    def __str__(self) -> str:
        return f"{self.name} {self.method} {self.data} n={self.n:,} {join(self.options)}".rstrip()


class Entry(NamedTuple):
    """Who makes the calls of a case, and in which type; `side` is empty in this interpreter."""

    library: str
    dtype: str
    side: str


class CallError(RuntimeError):
    """A call failed; the others may go on."""


class Worker:
    """A process that makes calls when it is asked to."""

    def __init__(self, command: list[str], keep: bool, *, own: bool = True) -> None:
        environment = dict(os.environ)
        if not own:
            environment.pop("PYTHONPATH", None)  # it shall find the chamfer that is installed there
        self._process = subprocess.Popen(
            [*command, "-m", "benchmarks.worker", *(["keep"] if keep else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        try:
            self.about = self._answer()
        except BaseException:
            self.close()
            raise

    def ask(self, **request: Any) -> dict[str, Any]:
        """Have a call made; give the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CallError(f"the worker ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise CallError(answer["error"])
        return answer


class Session:
    """Workers for a run of several cases; close it when done."""

    def __init__(self, data: Path | None, libraries: tuple[str, ...], against: list[str] | None) -> None:
        self.data = str(data.resolve()) if data else None
        self._libraries = libraries
        self._commands = {"": [sys.executable]} | ({AGAINST: against} if against else {})
        self._stack, self._shared = ExitStack(), dict[str, Worker]()

    def __enter__(self) -> Session:
        with ExitStack() as stack:  # if one does not start, the others are ended
            self._shared = {side: stack.enter_context(self._start(side, keep=True)) for side in self._commands}
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def missing(self) -> list[str]:
        """Libraries that were asked for and are not installed."""
        return [name for name in self._libraries if not self._shared[""].about["versions"][name]]

    def measure(self, case: Case) -> list[Row]:
        """Measure a case, by every library that there is."""
        entries = [
            Entry(library, dtype, side)
            for library in case.libraries
            if library in self._libraries and library not in self.missing and LIBRARIES[library].method(case.method)
            for dtype in (case.dtypes if library not in PEERS else ("float64",))
            for side in (self._commands if library == "chamfer" else ("",))
        ]
        return self._alone(case, entries) if case.alone else self._in_turns(case, entries)

    def import_seconds(self, repeats: int) -> Iterator[Row]:
        """Measure what importing chamfer takes beyond the libraries that it needs, in fresh processes."""
        times: dict[str, list[float]] = {side: [] for side in self._commands}
        for _ in range(repeats):
            for side, found in times.items():
                with self._start(side, keep=False) as worker:
                    found.append(worker.about["import"])
        for side, found in times.items():
            facts = _facts(self._shared[side].about, "chamfer")
            yield Row("imports", side or "chamfer", method="import", **facts, **_summary(found))

    def _start(self, side: str, keep: bool) -> Worker:
        return Worker(self._commands[side], keep, own=not side)

    def _alone(self, case: Case, entries: list[Entry]) -> list[Row]:
        rows = []
        for entry in entries:
            with self._start(entry.side, keep=False) as worker:
                answer = worker.ask(**self._request(case, entry), alone=True, score=case.scored)
            rows.append(_row(case, entry, [answer], worker.about))
        return rows

    def _in_turns(self, case: Case, entries: list[Entry]) -> list[Row]:
        answers: dict[Entry, list[dict[str, Any]]] = {entry: [] for entry in entries}
        loops = self._loops(case, entries[0]) if entries and case.repeats > 1 else 1
        started = time.perf_counter()
        for turn in range(case.repeats):
            for entry in entries if turn % 2 == 0 else reversed(entries):
                score = case.scored and turn == 0
                request = self._request(case, entry)
                answers[entry].append(self._shared[entry.side].ask(**request, loops=loops, score=score))
            if time.perf_counter() - started > SLOW:
                break
        return [_row(case, entry, found, self._shared[entry.side].about) for entry, found in answers.items()]

    def _loops(self, case: Case, entry: Entry) -> int:
        """Count the calls that make a run, so that it can be timed."""
        seconds = self._shared[entry.side].ask(**self._request(case, entry))["seconds"]
        return math.ceil(SHORT / max(float(seconds), 1e-6))

    def _request(self, case: Case, entry: Entry) -> dict[str, Any]:
        return {
            "data": (case.data, case.n, case.d, self.data),
            "dtype": entry.dtype,
            "library": entry.library,
            "method": LIBRARIES[entry.library].method(case.method),
            "options": case.options if entry.library == "chamfer" else {},
        }


def _row(case: Case, entry: Entry, answers: list[dict[str, Any]], about: dict[str, Any]) -> Row:
    first, times = answers[0], [answer["seconds"] for answer in answers]
    n, d = first["shape"]
    ours = entry.library == "chamfer"
    return Row(
        case.name,
        entry.side or entry.library,
        method=LIBRARIES[entry.library].method(case.method) or "",
        options=join(case.options) if ours else "",
        data=first["data"],
        n=n,
        d=d,
        dtype=entry.dtype,
        **_facts(about, entry.library),
        **_summary(times),
        bytes=first.get("bytes"),
        quality=join({**first["quality"], "digest": first["digest"]} if ours else first["quality"]),
    )


def _summary(times: list[float]) -> dict[str, Any]:
    seconds, middle = (float(f"{value:.5g}") for value in (min(times), median(times)))
    return {"seconds": seconds, "median": middle, "runs": len(times)}


def _facts(about: dict[str, Any], library: str) -> dict[str, Any]:
    return {"version": about["versions"][library], "threads": about["threads"], "level": about["level"]}
