"""How much memory there is, and a refusal that says what to do when it is not enough."""

from __future__ import annotations

import os
from pathlib import Path

SMALL = 1 << 26  # bytes: to ask the system about less takes longer than to cluster


def available_memory() -> int:
    """Bytes that can be used without swapping, as far as the system tells."""
    limits = []
    machine = _fields("/proc/meminfo").get("MemAvailable:")
    if machine is not None:
        limits.append(machine * 1024)
    # A container may be given less than the machine has (control groups, version 2 and 1).
    for folder, most, used, cache in (
        ("/sys/fs/cgroup", "memory.max", "memory.current", ""),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    ):
        ends = [text.strip() for name in (most, used) for text in _lines(f"{folder}/{name}")[:1]]
        if len(ends) == 2 and all(text.isdigit() for text in ends):
            # Files that were read are kept in memory until someone needs it, and counted as used.
            stat = _fields(f"{folder}/memory.stat")
            files = stat.get(f"{cache}inactive_file", 0) + stat.get(f"{cache}active_file", 0)
            limits.append(max(0, int(ends[0]) - int(ends[1]) + files))
    if not limits and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=1 << 62)


def human(size: float) -> str:
    """`size` in bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def require_memory(need: int, limit: int | None, purpose: str, advice: str) -> None:
    """Raise `MemoryError` if `need` bytes are more than `limit`, or than there are."""
    if limit is None and need <= SMALL:
        return
    there_is = available_memory() if limit is None else limit
    if need > there_is:
        whose = "are available" if limit is None else "are allowed by memory_limit"
        raise MemoryError(f"{purpose} needs {human(need)}, {human(there_is)} {whose}; {advice}")


def _fields(name: str) -> dict[str, int]:
    """The numbers of a file whose lines start with a name and a number."""
    words = [line.split() for line in _lines(name)]
    return {word[0]: int(word[1]) for word in words if len(word) > 1 and word[1].isdigit()}


def _lines(name: str) -> list[str]:
    try:
        return Path(name).read_text().splitlines()
    except OSError:
        return []
