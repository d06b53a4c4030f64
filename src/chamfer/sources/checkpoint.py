"""Checkpoints: the answers of a source in a file, so that a run that was killed goes on where it was.

The lists engine is a function of what its source answers, so the answers are all there is to keep. When a run is
repeated they are read instead of computed, and the engine does the same as before. The file is a name and records:

    digest of the question (16 bytes) · length of the answer (8) · digest of these and the answer (16) · the answer

The first record holds all that decides the tree, so that a file is not taken for one of another run. Records are only
ever added, so a run that is killed leaves whole records and at most the beginning of one more. A record whose digest
does not fit ends the file: it is asked for again, and so is everything after it. What is lost by that is known once the
record is made anew:

- the file ends within it, and as much of its head as there is names this question and an answer of this length: it was
  not written to its end, nothing else is lost, and it is replaced without a word;
- anything else (a changed bit in an answer, in a length or in a digest; zeros; a part that is missing) is damage: the
  old file is copied to PATH.damaged first, and a warning says so.

The digests find accidents. They are no signatures: whoever can write the file can make one that fits, so what is read
is checked as if it came from a stranger, here for its form and in `lists` for what it says.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import chain, count
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse

from chamfer._types import Array, Condensed, Metric, MetricWith, Points
from chamfer.progress import Tick
from chamfer.sources.base import Answer, Source

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
        self._file = self._open()
        try:
            self._lock()
            self._check_name()
            self._check_facts(facts)
        except BaseException:
            with suppress(OSError):  # of bytes that could not be written before either
                self._file.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError) if any(error) else self._named_errors("written"):
            self._file.close()

    def recall(self, question: bytes, ask: Callable[[], bytes]) -> bytes:
        """The next answer in the file, if there is one; otherwise what `ask` gives, which is kept."""
        start, asked = self._file.tell(), _digest(question)
        with self._named_errors("read"):
            head, answer = self._read()
        if answer is None:
            answer = ask()
            due = _HEAD.pack(asked, len(answer), _seal(asked, answer))
            with self._named_errors("written"):
                self._replace(start, head, due, answer)
        elif head[: len(asked)] != asked:
            raise ValueError(
                f"checkpoint {self._path} does not go on as this run does: it is of another version of chamfer, "
                "or its source does not give the same answer twice"
            )
        elif question == b"source" and not _may_be(answer, ask()):
            self.refuse(f"the source {_short(answer)} instead of {ask().decode()}")
        return answer

    def refuse(self, what: str) -> NoReturn:
        """Refuse what no run can have written, though its digest fits."""
        raise ValueError(f"checkpoint {self._path} holds {what}: chamfer did not write this; give another file")

    def _open(self) -> Any:
        if os.path.exists(self._path) and not (os.path.isfile(self._path) or os.path.isdir(self._path)):
            self._refuse_file()  # reading from a pipe or a device may never end
        try:
            with self._named_errors("written"):
                return os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b")
        except ValueError:
            raise ValueError(f"checkpoint must be the name of a file, got {self._path!r}") from None

    @contextmanager
    def _named_errors(self, done: str) -> Iterator[None]:
        """Errors of the system that name the argument."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, f"checkpoint cannot be {done}: {error.strerror}", self._path) from error

    def _read(self) -> tuple[bytes, bytes | None]:
        """The next head, or what is there of it, and its answer if that is whole and fits."""
        head = self._file.read(_HEAD.size)
        if len(head) == _HEAD.size:
            asked, length, seal = _HEAD.unpack(head)
            if length <= os.fstat(self._file.fileno()).st_size - self._file.tell():
                answer = self._file.read(length)
                if seal == _seal(asked, answer):
                    return head, answer
        return head, None

    def _replace(self, start: int, head: bytes, due: bytes, answer: bytes) -> None:
        """Write a record where the file could not be read any further."""
        size = os.fstat(self._file.fileno()).st_size
        told = _HEAD.size - 16  # the digest of a source that never answers twice alike is another one
        torn = size - start < len(due) + len(answer) and due[:told].startswith(head[:told])
        if not torn:
            self._keep_aside(start, size)
        self._file.seek(start)
        self._file.truncate()
        self._file.write(due)
        self._file.write(answer)
        self._file.flush()  # enough if the process is killed; the disk has to know in case the machine fails
        if time.monotonic() > self._synced + 1:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _keep_aside(self, start: int, size: int) -> None:
        """Copy the file before what cannot be used of it is lost."""
        names = chain([f"{self._path}.damaged"], (f"{self._path}.damaged-{number}" for number in count(2)))
        path = next(name for name in names if not os.path.lexists(name))
        try:
            shutil.copyfile(self._path, path)
        except OSError:
            with suppress(OSError):
                os.unlink(path)  # half a copy helps nobody
            raise
        warnings.warn(
            f"checkpoint {self._path} is damaged at byte {start} of {size}: what it holds from there on is computed "
            f"again; the old file is kept as {path}",
            UserWarning,
            stacklevel=2,
        )

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
        with self._named_errors("read"):
            found = self._file.read(len(_NAME + _FORMAT))
        if (_NAME + _FORMAT).startswith(found):  # empty, or not written to its end, or whole
            with self._named_errors("written"):
                self._file.seek(0)
                self._file.write(_NAME + _FORMAT)
                self._file.flush()
        elif found.startswith(_NAME):
            raise ValueError(f"checkpoint {self._path} was written by another version of chamfer, give another file")
        else:
            self._refuse_file()

    def _refuse_file(self) -> NoReturn:
        raise ValueError(f"checkpoint must be a file to make or one made before, {self._path} is something else")

    def _check_facts(self, facts: dict[str, Any]) -> None:
        own = json.dumps(facts).encode()
        kept = self.recall(b"facts", lambda: own)
        try:
            found = json.loads(kept)
        except (ValueError, RecursionError):  # no text, no JSON, or deeper than anyone would write
            found = None
        if not isinstance(found, dict):
            self.refuse("no description of a run")
        for name, expected in json.loads(own).items():
            if found.get(name) != expected:
                what = "other data" if name == "X" else f"{name} {_short(found.get(name))}, not {_short(expected)}"
                raise ValueError(f"checkpoint {self._path} is of a run with {what}; give another file or delete it")


class RememberedSource(Source):
    """A source whose answers are kept in a checkpoint."""

    def __init__(self, source: Source, checkpoint: Checkpoint) -> None:
        self.n, self.dtype, self.points = source.n, source.dtype, source.points
        self.near, self.height_exponent = source.near, source.height_exponent
        self._source = source
        self._checkpoint = checkpoint

    @property
    def name(self) -> str:
        """Of the source that answers."""
        return self._source.name

    def nearest(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None = None) -> Answer:
        """Find the k nearest clusters of each of `points`; if it is all of them, a part at a time."""
        whole = len(points) < self.n or self._source.whole
        answers, done = [], 0
        for part in np.array_split(points, 1 if whole else min(_PARTS, self.n)):
            move = None if tick is None else lambda more, done=done: tick(done + more)
            answers.append(self._recall(part, labels, k, threads, move))
            done += len(part)
            if tick is not None:
                tick(done)
        if len({each.clusters.shape[1] for each in answers}) > 1:
            self._checkpoint.refuse("answers of different widths to one question")
        return Answer(*(np.concatenate(each) for each in zip(*answers, strict=True)))

    def _recall(self, points: Array, labels: Array, k: int, threads: int, tick: Tick | None) -> Answer:
        def ask() -> bytes:
            clusters, *others = self._source.nearest(points, labels, k, threads, tick)
            return clusters.astype(np.int32).tobytes() + b"".join(each.astype(self.dtype).tobytes() for each in others)

        question = points.tobytes() + labels.tobytes() + str(k).encode()
        numbers = np.frombuffer(self._checkpoint.recall(question, ask), np.uint8)
        count, size = len(points), self.dtype.itemsize
        width, rest = divmod(len(numbers) - count * size, count * (4 + size))  # clusters and distances, and a bound
        if width < 1 or rest:
            self._checkpoint.refuse(f"an answer of {len(numbers)} bytes, which are no lists of {count} points")
        clusters, distances, bounds = np.split(numbers, np.cumsum([4, size]) * count * width)
        return Answer(
            clusters.view(np.int32).reshape(count, width),
            distances.view(self.dtype).reshape(count, width),
            bounds.view(self.dtype),
        )


def describe(data: Points | Condensed, weights: Array | None) -> dict[str, Any]:
    """What tells these points or distances from others; a metric that is a function is known by its name only."""
    values: Any = data.values if isinstance(data, Condensed) else data.X
    metric = "precomputed" if isinstance(data, Condensed) else data.metric
    return {
        "metric": _metric_name(metric),
        "X.shape": values.shape,
        "X.dtype": str(values.dtype),
        "X.exponent": 0 if isinstance(data, Condensed) else data.exponent,
        # Dask names an array by what it is made of.
        "X": values.name if data.remote else _digest(*_parts(values)).hex(),
        "sample_weight": None if weights is None else _digest(weights).hex(),
    }


def _parts(values: Any) -> tuple[Array, ...]:
    """The arrays in which an array or a sparse matrix lies."""
    return (values.data, values.indices, values.indptr) if issparse(values) else (values.reshape(-1),)


def _metric_name(metric: Metric) -> str:
    if isinstance(metric, MetricWith):
        return repr((metric.name, sorted((key, np.asarray(value).tolist()) for key, value in metric.params.items())))
    return metric if isinstance(metric, str) else getattr(metric, "__qualname__", type(metric).__qualname__)


def _may_be(name: bytes, own: bytes) -> bool:
    """Whether a run whose source is `own` may have had the source `name`: the clock chooses between two."""
    return name == own or {name, own} == {b"BlasSource", b"TreeSource"}


def _short(value: object) -> str:
    """A value for a message, however long it is."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _seal(question: bytes, answer: bytes) -> bytes:
    return _digest(question, struct.pack("<Q", len(answer)), answer)


def _digest(*parts: Any) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.digest()
