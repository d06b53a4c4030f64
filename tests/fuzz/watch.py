"""The parent's side: workers, their time limits, and what became of every call.

A worker is sent a batch of calls and answers with one line for each, in order. So the call that is being made is the
first without an answer: if the worker dies it crashed, if no answer comes within the limit it hangs.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

MOST, SPELL = 256, 0.3  # calls that are sent at a time, and about how many seconds they should take
TAIL = 4000  # characters of what a worker said last
BAD = ("crash", "hang", "leak", "wrong")


@dataclass(frozen=True)
class Failure:
    """A call that went wrong."""

    kind: str
    seed: int
    outcome: str
    text: str
    cause: str
    log: str = ""


@dataclass
class Tally:
    """What became of the calls."""

    counts: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    refusals: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    failures: list[Failure] = field(default_factory=list)
    skipped: Counter = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        """Number of calls that were made."""
        return sum(sum(each.values()) for each in self.counts.values())

    def add(self, kind: str, seed: int, outcome: str, text: str, cause: str, log: str = "") -> None:
        """Count one call."""
        self.counts[kind][outcome] += 1
        if outcome == "refused":
            self.refusals[kind][text] += 1
        elif outcome == "skipped":
            self.skipped[f"{kind}: {text}"] += 1
        elif outcome in BAD:
            self.failures.append(Failure(kind, seed, outcome, text, f"{kind} {outcome} {cause}", log))


class Worker:
    """A child process, and the calls that it has not answered."""

    def __init__(self, command: list[str], folder: str) -> None:
        self._log = tempfile.NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115  # open as long as the worker
        environment = {**os.environ, "TMPDIR": folder, "PYTHONUNBUFFERED": "1"}
        with open(self._log.name, "ab") as log:  # appending, so that the worker can empty it
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment
            )
        self.calls: list[tuple[str, int]] = []
        self.ready, self.since, self._rest = False, time.monotonic(), b""
        self._sent, self._size = self.since, 1

    def send(self, calls: list[tuple[str, int]]) -> None:
        """Send a batch of calls."""
        self.calls, self.since = list(calls), time.monotonic()
        self._sent, self._size = self.since, len(calls)
        with contextlib.suppress(BrokenPipeError):  # then it is dead, which the next answer tells
            self.process.stdin.write(json.dumps(calls).encode() + b"\n")
            self.process.stdin.flush()

    def appetite(self) -> int:
        """How many calls to send next."""
        took = time.monotonic() - self._sent
        return max(1, min(2 * self._size, MOST, int(self._size * SPELL / took)))

    def answers(self) -> list[list[str]] | None:
        """Answers that have come; None if no more can come."""
        received = os.read(self.process.stdout.fileno(), 1 << 16)
        *lines, self._rest = (self._rest + received).split(b"\n")
        self.since = time.monotonic()
        return [json.loads(line) for line in lines] if received else None

    def log(self) -> str:
        """What it said last."""
        return Path(self._log.name).read_text(errors="replace").partition("\nExtension modules:")[0][-TAIL:]

    def stop(self) -> int:
        """End the process, and tell what it ended with."""
        if self.process.poll() is None and self.calls:
            self.process.send_signal(signal.SIGUSR1)  # has it write down where it is
            time.sleep(0.3)
            self.process.kill()
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        self._log.close()
        return code


@dataclass
class Watch:
    """Makes calls by a number of workers until there are no more."""

    command: list[str]
    calls: Iterator[tuple[str, int]]
    jobs: int
    limit: float
    deadline: float
    tally: Tally = field(default_factory=Tally)

    def run(self) -> Tally:
        """Make all calls."""
        start = time.monotonic()
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # files in memory: thousands are made
        folder, waiting = tempfile.TemporaryDirectory(prefix="fuzz-", dir=shared), selectors.DefaultSelector()
        with folder as self._folder, waiting as self._waiting:
            try:
                for _ in range(self.jobs):
                    self._start([])
                while self._waiting.get_map():
                    for key, _ in self._waiting.select(timeout=0.2):
                        self._receive(key.data)
                    self._kill_late()
            finally:  # interrupted
                for key in list(self._waiting.get_map().values()):
                    key.data.process.kill()
                    key.data.stop()
        self.tally.seconds = time.monotonic() - start
        return self.tally

    def _start(self, left: list[tuple[str, int]]) -> None:
        worker = Worker(self.command, self._folder)
        worker.calls = left
        self._waiting.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def _receive(self, worker: Worker) -> None:
        answers = worker.answers()
        if answers is None:
            self._ended(worker)
            return
        for outcome, text, cause in answers:
            if outcome == "ready":
                worker.ready = True
                if worker.calls:
                    worker.send(worker.calls)
                    return
                continue
            kind, seed = worker.calls.pop(0)
            self.tally.add(kind, seed, outcome, text, cause, worker.log() if outcome in BAD else "")
        if worker.ready and not worker.calls:
            self._next(worker)

    def _next(self, worker: Worker) -> None:
        batch = list(islice(self.calls, worker.appetite() if time.monotonic() < self.deadline else 0))
        if batch:
            worker.send(batch)
        else:
            self._waiting.unregister(worker.process.stdout)
            worker.stop()

    def _ended(self, worker: Worker, hung: bool = False) -> None:
        """A worker is gone: the first call without an answer is to blame, another worker makes the rest."""
        self._waiting.unregister(worker.process.stdout)
        if not worker.ready:
            raise SystemExit(f"a worker could not start:\n{worker.log()}")
        code = worker.stop()
        (kind, seed), *left = worker.calls
        text = f"no answer after {self.limit:g} s" if hung else _end(code)
        self.tally.add(kind, seed, "hang" if hung else "crash", text, _cause(worker.log()) or text, worker.log())
        self._start(left if time.monotonic() < self.deadline else [])

    def _kill_late(self) -> None:
        late = time.monotonic() - self.limit
        for key in list(self._waiting.get_map().values()):
            if key.data.ready and key.data.calls and key.data.since < late:
                self._ended(key.data, hung=True)


def _end(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _cause(log: str) -> str:
    """The part of the library in which a process died or hung, by what its interpreter wrote then."""
    said = re.findall(r"^(?:terminate called.*|  what\(\).*|SUMMARY: .*)", log, re.MULTILINE)
    frames = re.findall(r'File ".*?/chamfer/([\w/]+\.py)", line \d+ in (\w+)', log)
    below = [f"{file}:{name}" for file, name in frames if file != "hac.py"]
    return " ".join(below[-1:] + said[:2])


def calls_from(seed: int, weights: dict[str, float], most: int | None) -> Iterator[tuple[str, int]]:
    """Calls of all kinds, by their weights, numbered from a seed on."""
    kinds, shares = list(weights), list(weights.values())
    for number in range(seed, seed + (1 << 62 if most is None else most)):
        yield random.Random(number).choices(kinds, shares)[0], number


def worker_command(modules: list[str], memory: int, aloud: bool) -> list[str]:
    """The command that starts a worker."""
    script = Path(__file__).with_name("worker.py")
    return [sys.executable, str(script), ":".join(modules), str(memory), "aloud" if aloud else "quiet"]
