"""``chamfer reproduce``: the paper's tables, ours beside the paper's."""

from __future__ import annotations

from chamfer.reproduction.command import DESCRIPTION, add_arguments, reproduce

EPILOG = ""
add_to, run = add_arguments, reproduce

__all__ = ["DESCRIPTION", "EPILOG", "add_to", "run"]
