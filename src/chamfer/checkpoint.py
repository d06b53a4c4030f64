"""Checkpoints: the answers of a source in a file, so that a run that was killed goes on where it was.

The lists engine is a function of what its source answers, so the answers are all there is to keep. When a run is
repeated they are read instead of computed, and the engine does the same as before. The file is a name and records:

    digest of the question (16 bytes) · length of the answer (8) · digest of these and the answer (16) · the answer

The first record holds all that decides the tree, so that a file is not taken for one of another run. Records are only
ever added. One that was not written to its end, or was changed since, ends the file: it is asked for again, and so is
everything after it.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

from chamfer.answers import Answer
from chamfer.progress import Tick
from chamfer.sources import Source
from chamfer.validation import Array, Condensed, Points, is_distributed

_NAME, _FORMAT = b"chamfer checkpoint ", b"2\n"
_HEAD = struct.Struct("<16sQ16s")
_PARTS = 16  # in which lists of all points are asked for


class Checkpoint:
    """A file of answers, for a ``with`` statement; one process at a time may use it.

    Parameters
    ----------
    path : str
        The file, made if it is not there.
    facts : dict of str to object
        All that decides the tree; a file with other facts is refused.
    """

    def __init__(self, path: str, facts: dict[str, Any]) -> None:
        self._path, self._synced = path, -math.inf
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise OSError(error.errno, f"checkpoint cannot be written: {error.strerror}", path) from error
        self._file = os.fdopen(descriptor, "r+b")
        try:
            self._lock()
            self._check_name()
            self._check_facts(facts)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def recall(self, question: bytes, ask: Callable[[], bytes]) -> bytes:
        """The next answer in the file, if there is one; otherwise what `ask` gives, which is kept."""
        question = _digest(question)
        answer = self._read(question)
        if answer is None:
            answer = ask()
            self._file.write(_HEAD.pack(question, len(answer), _seal(question, answer)))
            self._file.write(answer)
            self._file.flush()  # enough if the process is killed; the disk has to know in case the machine fails
            if time.monotonic() > self._synced + 1:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        return answer

    def _read(self, question: bytes) -> bytes | None:
        """The next answer; if there is none, or not a whole one, the file ends here."""
        start = self._file.tell()
        left = os.fstat(self._file.fileno()).st_size - start - _HEAD.size
        if left >= 0:
            asked, length, seal = _HEAD.unpack(self._file.read(_HEAD.size))
            answer = self._file.read(min(length, left))
            if len(answer) == length and seal == _seal(asked, answer):
                if asked == question:
                    return answer
                raise ValueError(
                    f"checkpoint {self._path} does not go on as this run does: it is of another version of chamfer, "
                    "or its source does not give the same answer twice"
                )
        self._file.seek(start)
        self._file.truncate()
        return None

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"checkpoint {self._path} is in use by another run") from None
        except OSError:
            pass  # some file systems have no locks

    def _check_name(self) -> None:
        found = self._file.read(len(_NAME + _FORMAT))
        if (_NAME + _FORMAT).startswith(found):  # empty, or not written to its end, or whole
            self._file.seek(0)
            self._file.write(_NAME + _FORMAT)
        elif found.startswith(_NAME):
            raise ValueError(f"checkpoint {self._path} was written by another version of chamfer, give another file")
        else:
            raise ValueError(f"checkpoint must be a file to make or one made before, {self._path} is something else")

    def _check_facts(self, facts: dict[str, Any]) -> None:
        own = json.dumps(facts).encode()
        found, facts = json.loads(self.recall(b"facts", lambda: own)), json.loads(own)
        for name in facts:
            if found.get(name) != facts[name]:
                what = "other data" if name == "X" else f"{name} {found.get(name)!r}, not {facts[name]!r}"
                raise ValueError(f"checkpoint {self._path} is of a run with {what}; give another file or delete it")


class Remembered:
    """A source whose answers are kept in a checkpoint."""

    def __init__(self, source: Source, checkpoint: Checkpoint) -> None:
        self.n, self.dtype = source.n, source.dtype
        self.points = getattr(source, "points", None)
        self.near = getattr(source, "near", source.n)
        self.height_exponent = getattr(source, "height_exponent", 0)
        self.remembered = source
        self._checkpoint = checkpoint

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`; if it is all of them, a part at a time."""
        whole = len(points) < self.n or getattr(self.remembered, "whole", False)
        answers, done = [], 0
        for part in np.array_split(points, 1 if whole else min(_PARTS, self.n)):
            move = None if tick is None else lambda more, done=done: tick(done + more)
            answers.append(self._recall(part, labels, k, threads, move))
            done += len(part)
            if tick is not None:
                tick(done)
        return Answer(*(np.concatenate(each) for each in zip(*answers, strict=True)))

    def _recall(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None) -> Answer:
        def ask() -> bytes:
            clusters, *others = self.remembered.nearest(points, labels, k, threads, tick)
            return clusters.astype(np.int32).tobytes() + b"".join(each.astype(self.dtype).tobytes() for each in others)

        question = points.tobytes() + labels.tobytes() + str(k).encode()
        numbers = np.frombuffer(self._checkpoint.recall(question, ask), np.uint8)
        count, size = len(points), self.dtype.itemsize
        width = (len(numbers) // count - size) // (4 + size)  # clusters and distances, and a bound
        clusters, distances, bounds = np.split(numbers, np.cumsum([4, size]) * count * width)
        return Answer(
            clusters.view(np.int32).reshape(count, width),
            distances.view(self.dtype).reshape(count, width),
            bounds.view(self.dtype),
        )


def describe(data: Points | Condensed) -> dict[str, Any]:
    """What tells these points or distances from others; a metric that is a function is known by its name only."""
    values: Any = data.values if isinstance(data, Condensed) else data.X
    metric = "precomputed" if isinstance(data, Condensed) else data.metric
    return {
        "metric": metric if isinstance(metric, str) else getattr(metric, "__qualname__", type(metric).__qualname__),
        "X.shape": values.shape,
        "X.dtype": str(values.dtype),
        "X.exponent": 0 if isinstance(data, Condensed) else data.exponent,
        # Dask names an array by what it is made of.
        "X": values.name if is_distributed(values) else _digest(values.reshape(-1)).hex(),
    }


def _seal(question: bytes, answer: bytes) -> bytes:
    return _digest(question, struct.pack("<Q", len(answer)), answer)


def _digest(*parts: Any) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.digest()
