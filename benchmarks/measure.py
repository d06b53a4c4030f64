"""Time, and peak memory of a child process."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

SLOW = 30.0  # seconds; what takes longer is measured once


def keep_memory() -> None:
    """Let freed memory stay with this process (with glibc; elsewhere nothing changes).

    Otherwise every run asks the system for its pages anew, and a virtual machine may have given them back to
    its host in the meantime: large sizes then measure how fast the host hands out memory.
    """
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX in malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(trim_threshold, -1)
    mallopt(mmap_max, 0)


def seconds(function: Callable[[], Any], repeats: int) -> tuple[float, int]:
    """Best time of several runs, and how many there were; slow functions run once."""
    best, done = float("inf"), 0
    while done < repeats:
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
        done += 1
        if best > SLOW:
            break
    return best, done


_CHILD = """
import json, resource, sys
import numpy as np
import chamfer

n, d, dtype, method = json.loads(sys.argv[1])

def status(field):
    try:
        lines = open("/proc/self/status").read().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in lines if line.startswith(field))

X = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
chamfer.linkage(X[:50], method)  # libraries and thread pools are not the method's memory
try:
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
except OSError:
    pass
before = status("VmRSS")
chamfer.linkage(X, method)
print(json.dumps((status("VmHWM") - before) * 1024))
"""


def peak_memory(n: int, d: int, dtype: str, method: str) -> int:
    """Most bytes that `chamfer.linkage` takes beyond its input, in a process of its own."""
    arguments = json.dumps([n, d, dtype, method])
    done = subprocess.run([sys.executable, "-c", _CHILD, arguments], check=True, capture_output=True, text=True)
    return int(json.loads(done.stdout))


_IMPORT = """
import time
import numpy, scipy.cluster.hierarchy, scipy.spatial.distance, sklearn.base
start = time.perf_counter()
import chamfer
print(time.perf_counter() - start)
"""


def import_seconds(repeats: int) -> float:
    """Best time that ``import chamfer`` adds to NumPy, SciPy's clustering and scikit-learn's base."""
    times = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", _IMPORT], check=True, capture_output=True, text=True)
        times.append(float(done.stdout))
    return min(times)
