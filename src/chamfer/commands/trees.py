"""Trees in files: NPZ with ``Z``, the names of points and how it was made; or NPY with ``Z`` alone."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chamfer.commands.console import CommandError
from chamfer.dendrogram import Dendrogram
from chamfer.files import write_file
from chamfer.validation import Array

_FACTS = ("linkage", "metric", "id_name")


@dataclass(frozen=True)
class Tree:
    """A dendrogram, the names of its points if they have any, and how it was made."""

    Z: Array
    names: list[Any] | None = None
    facts: dict[str, str] = field(default_factory=dict)


def save_tree(path: str, tree: Tree) -> None:
    """Write a tree as NPZ."""
    content: dict[str, Any] = {"Z": tree.Z, **tree.facts}
    if tree.names is not None:
        # Text, because an array of objects could only be read back by running code from the file.
        content["names"] = np.array([str(name) for name in tree.names])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **content)
    write_file(path, buffer.getvalue())


def load_tree(path: str) -> Tree:
    """Read a tree, and check that it is one."""
    if not Path(path).exists():
        raise CommandError(f"{path}: there is no such file")
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return Tree(Dendrogram(content).Z)
        with content:
            if "Z" not in content.files:
                raise CommandError(f"{path}: holds no tree; 'chamfer cluster --save-tree' makes one")
            names = content["names"].tolist() if "names" in content.files else None
            facts = {name: str(content[name]) for name in _FACTS if name in content.files}
            return Tree(Dendrogram(content["Z"]).Z, names, facts)
    except (ValueError, OSError, EOFError) as error:
        raise CommandError(f"{path}: cannot be read as a tree: {error}") from error
