"""The compiled core, in the version for the best instruction set that this machine knows."""

from importlib import import_module, util

from chamfer import _core_base

level = _core_base.instruction_set()
if level == "base" or util.find_spec(f"chamfer._core_{level}") is None:
    _best = _core_base
    level = "base"
else:
    _best = import_module(f"chamfer._core_{level}")

globals().update({name: value for name, value in vars(_best).items() if not name.startswith("__")})
