"""``chamfer info``: what a bug report should say about versions and machine."""

from __future__ import annotations

import argparse
import json
import platform
from importlib import metadata
from pathlib import Path

from chamfer import _core
from chamfer.cli.console import emphasize
from chamfer.distances.blas import blas
from chamfer.memory import available_memory, human
from chamfer.threads import available_threads

_PACKAGES = ("numpy", "scipy", "scikit-learn", "tqdm", "matplotlib", "pandas", "pyarrow")


DESCRIPTION = "Show what chamfer runs on. Please add the output to bug reports."
EPILOG = ""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="write JSON for machines")


def run(arguments: argparse.Namespace) -> int:
    """Print the facts."""
    facts = gather()
    if arguments.json:
        print(json.dumps(facts, indent=2))
        return 0
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{emphasize(name.ljust(width))}  {value}")
    return 0


def gather() -> dict[str, str]:
    """Collect facts about the program and the machine."""
    facts = {
        "chamfer": _version("chamfer"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "processor": _processor(),
        "instruction set": instruction_set(),
        "threads": str(available_threads()),
        "memory available": human(available_memory()),
        "BLAS": _blas(),
    }
    return facts | {name: _version(name) for name in _PACKAGES}


def instruction_set() -> str:
    """Name the version of the compiled loops that runs here."""
    known = {"v4": "AVX-512 (x86-64-v4)", "v3": "AVX2 (x86-64-v3)"}
    return known.get(_core.level, f"baseline of {platform.machine() or 'this machine'}")


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _cpuinfo(field: str) -> str:
    """First value of a field of Linux's description of processors; empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(field) and ":" in line), "")


def _blas() -> str:
    from threadpoolctl import threadpool_info

    blas()  # so that SciPy's library is loaded and seen
    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    texts = [
        f"{each['internal_api']} {each['version']} "
        f"({each.get('architecture', 'unknown')}, {each['num_threads']} threads)"
        for each in found
    ]
    return "; ".join(sorted(set(texts))) or "unknown"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
