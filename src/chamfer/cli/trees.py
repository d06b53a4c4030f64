"""Trees in files: NPZ with ``Z``, the names of points and how it was made; or NPY with ``Z`` alone."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.cli.console import CommandError
from chamfer.cli.reading import StoredArray, load_arrays, open_arrays, reading
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.files import write_file

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
    with reading(path, "cannot be read as a tree"), open_arrays(path) as arrays:
        if list(arrays) == [""]:
            return Tree(Dendrogram(load_arrays([arrays[""]])[0]).Z)
        if "Z" not in arrays:
            raise CommandError(f"{path}: holds no tree; 'chamfer cluster --save-tree' makes one")
        _check_members(arrays)
        wanted = [name for name in ("Z", "names", *_FACTS) if name in arrays]
        found = dict(zip(wanted, load_arrays([arrays[name] for name in wanted]), strict=True))
        facts = {name: str(found[name]) for name in _FACTS if name in found}
        return Tree(Dendrogram(found["Z"]).Z, _texts(found["names"]) if "names" in found else None, facts)


def _check_members(arrays: dict[str, StoredArray]) -> None:
    """Refuse names and facts that do not belong to the tree, before they are read."""
    for name in _FACTS:
        if name in arrays and (arrays[name].shape != () or arrays[name].dtype.kind != "U"):
            raise ValueError(f"{name} must be a text, got shape {arrays[name].shape} of {arrays[name].dtype}")
    if "names" not in arrays or arrays["Z"].shape == ():
        return
    names, points = arrays["names"], arrays["Z"].shape[0] + 1
    if names.dtype.kind not in "USbiuf" or len(names.shape) != 1:
        raise ValueError(f"names must be a list of texts or numbers, got shape {names.shape} of {names.dtype}")
    if names.shape[0] != points:
        raise ValueError(f"names must name all {points} points, got {names.shape[0]}")


def _texts(names: Array) -> list[Any]:
    return list((names.astype(str) if names.dtype.kind == "S" else names).tolist())
