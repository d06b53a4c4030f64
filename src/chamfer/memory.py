"""How much memory there is, and a refusal that says what to do when it is not enough."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def available_memory() -> int:
    """Bytes that can be used without swapping, as far as the system tells."""
    machine = _fields("/proc/meminfo").get("MemAvailable:")
    found = [None if machine is None else machine * 1024, *(_left(*group) for group in set(_control_groups()))]
    limits = [limit for limit in found if limit is not None]
    if not limits and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=1 << 62)


def _control_groups() -> Iterator[tuple[str, str, str, str]]:
    """Folders of the control groups of this process and of those above them, and the names of the files in them.

    A container, a service or a job of a batch system is given less than the machine has (version 2 and 1).
    """
    for line in ["0::/", "0:memory:/", *_lines("/proc/self/cgroup")]:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers == "":
            top, names = "/sys/fs/cgroup", ("memory.max", "memory.current", "")
        elif "memory" in controllers.split(","):
            top, names = "/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):
            yield "/".join([top, *parts[:depth]]), *names


def _left(folder: str, most: str, used: str, cache: str) -> int | None:
    """Bytes that a control group may still use; None if it has no limit."""
    ends = [text.strip() for name in (most, used) for text in _lines(f"{folder}/{name}")[:1]]
    if len(ends) < 2 or not all(text.isdigit() for text in ends):
        return None
    # Files that were read are kept in memory until someone needs it, and counted as used.
    stat = _fields(f"{folder}/memory.stat")
    files = stat.get(f"{cache}inactive_file", 0) + stat.get(f"{cache}active_file", 0)
    return max(0, int(ends[0]) - int(ends[1]) + files)


def human(size: float) -> str:
    """`size` in bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def require_memory(need: int, purpose: str, advice: str) -> None:
    """Raise `MemoryError` if `need` bytes are more than there are."""
    there_is = available_memory()
    if need > there_is:
        raise too_little(need, there_is, False, purpose, advice)


def too_little(need: int, there_is: int, limited: bool, purpose: str, advice: str) -> MemoryError:
    """The error that says what needs how much, what there is or is allowed, and what to do."""
    whose = "are allowed by memory_limit" if limited else "are available"
    return MemoryError(f"{purpose} needs {human(need)}, {human(there_is)} {whose}; {advice}")


def _fields(name: str) -> dict[str, int]:
    """The numbers of a file whose lines start with a name and a number."""
    words = [line.split() for line in _lines(name)]
    return {word[0]: int(word[1]) for word in words if len(word) > 1 and word[1].isdigit()}


def _lines(name: str) -> list[str]:
    try:
        return Path(name).read_text().splitlines()
    except OSError:
        return []
