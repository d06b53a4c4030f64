"""The compiled core, in the version for the best instruction set that this machine knows."""

from importlib import import_module
from typing import Any

_base: Any = import_module("chamfer._core_base")
level: str = _base.instruction_set()
try:
    _best: Any = _base if level == "base" else import_module(f"chamfer._core_{level}")
except ImportError:  # the package was compiled without this level
    level, _best = "base", _base


def __getattr__(name: str) -> Any:
    return getattr(_best, name)
