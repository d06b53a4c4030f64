"""What the system does to a process: memory ends, another thread writes into X, a run is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import chamfer
from chamfer.engines.lists import ListsEngine
from chamfer.methods import METHODS
from fuzz.draw import Draw
from fuzz.kinds import Crashed, Hung, Kind, Leaked, Skipped, Wrong
from fuzz.linkage_calls import NAMES
from fuzz.truth import check_tree

PATIENCE = 50  # seconds for a process that a call starts

# The room above what the process has grows until a call gets all it wants. The first call has room: what fails on the
# way of an import would be the import's error.
LIMITED = """
import resource, sys, warnings
import numpy as np
import chamfer
n, d, method, options = eval(sys.argv[1])
X = np.random.default_rng(0).normal(size=(n, d))
chamfer.linkage(X, method, **options)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
with open("/proc/self/statm") as file:
    pages = int(file.read().split()[0])
for room in eval(sys.argv[2]):
    print(room, flush=True)
    resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + room, hard))
    try:
        chamfer.linkage(X, method, **options)
    except MemoryError:
        pass
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
"""

KILLED = """
import sys, time
import numpy as np
import chamfer
from dataclasses import replace
from chamfer import sources, tuning
tuning.current = replace(tuning.current, first_list=3, next_list=2, batch=4, near_part=10**9)
class Slow(sources.TreeSource):
    def nearest(self, *question):
        time.sleep(0.001)
        return super().nearest(*question)
X = np.random.default_rng(int(sys.argv[1])).normal(size=(150, 2))
print("ready", flush=True)
Z = chamfer.linkage(X, sys.argv[2], source=Slow(sources.Points(X, "euclidean")), checkpoint=sys.argv[3])
np.save(sys.argv[4], Z)
"""


def _settle(done: subprocess.CompletedProcess[str]) -> None:
    """Raise what became of a process, if it is not well."""
    if done.returncode < 0:
        raise Crashed(f"{signal.Signals(-done.returncode).name} after {done.stdout[-20:]!r}: {_last(done.stderr)}")
    if done.returncode:
        raise Leaked(_last(done.stderr))


def _last(text: str) -> str:
    return " ".join(text.partition("\nExtension modules:")[0].splitlines()[-3:])[-300:]


def _python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler", "-c", script, *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        raise Hung(f"no end after {PATIENCE} s, {(late.stdout or b'')[-20:]!r}") from late


def call_limits(draw: Draw) -> None:
    """Cluster in more and more memory: MemoryError or a tree."""
    if not Path("/proc/self/statm").exists():
        raise Skipped("the system does not tell how much memory a process has")
    method, n, d = draw.one(list(METHODS)), draw.integer(100, 2500), draw.one((2, 5, 20, 40))
    # Where OpenBLAS gets no buffer for a thread it asks for one again, for ever; a single thread has one already.
    options = {"n_jobs": draw.integer(1, 2) if d == 2 else 1}
    if ListsEngine().knows(METHODS[method]) and draw.chance(0.6):
        options |= {"engine": "lists"} if draw.chance(0.7) else {"source": draw.one(("tree", "cdist", "ann"))}
    elif "euclidean" in METHODS[method].from_points and draw.chance(0.5):
        options["engine"] = "points"
    rooms = sorted(int(2 ** (12 + 15 * draw.number())) for _ in range(12))
    draw.say("linkage in little memory", n=n, d=d, method=method, rooms=rooms, **options)
    _settle(_python(LIMITED, repr((n, d, method, options)), repr(rooms)))


def call_threads(draw: Draw) -> None:
    """Cluster points that another thread writes to: any tree or refusal, but an end."""
    X = draw.rng.normal(size=(draw.integer(50, 600), draw.one((2, 5, 30))))
    method, chosen = draw.one(list(METHODS)), {}
    if ListsEngine().knows(METHODS[method]) and draw.chance(0.5):
        chosen["engine"] = "lists"
    odd = draw.one((np.nan, np.inf, 1e300, 0.0, -1e308, 5.0))
    draw.say("linkage of points that change", method=method, odd=odd, shape=X.shape, **chosen)
    stop, rng = threading.Event(), draw.rng

    def write() -> None:
        while not stop.is_set():
            X.flat[rng.integers(X.size)] = odd if rng.random() < 0.3 else rng.normal()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with np.errstate(all="ignore"):
            Z = chamfer.linkage(X, method, n_jobs=2, **chosen)
    finally:
        stop.set()
        writer.join()
    if Z.shape != (len(X) - 1, 4):
        raise Wrong(f"Z has shape {Z.shape} for {len(X)} points")


def call_kill(draw: Draw) -> None:
    """Kill a run that keeps a checkpoint, at any time, twice; repeated to its end it gives the same tree."""
    seed, method = str(draw.integer(0, 10**6)), draw.one(("chamfer", "chamfer_normalized", "chamfer_capped"))
    with tempfile.TemporaryDirectory() as folder:
        path, out = str(Path(folder, "run.checkpoint")), str(Path(folder, "Z.npy"))
        draw.say("linkage that is killed", seed=seed, method=method)
        for _ in range(2):
            command = [sys.executable, "-c", KILLED, seed, method, path, out]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                child.stdout.readline()
                time.sleep(draw.number() * 0.3)
                child.kill()
        _settle(_python(KILLED, seed, method, path, out))
        Z = np.load(out)
        Path(path).unlink()
        _settle(_python(KILLED, seed, method, path, out))
        check_tree(Z, 150)
        if not np.array_equal(Z, np.load(out)):
            raise Wrong("another tree after two kills")


KINDS = {
    "threads": Kind(call_threads, 0.1, NAMES),
    "limits": Kind(call_limits, 0.01, NAMES),
    "kill": Kind(call_kill, 0.005, NAMES),
}
