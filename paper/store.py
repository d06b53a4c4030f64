"""The file that keeps finished cells, so that an interrupted run goes on where it was.

Every cell is written as soon as it is finished, to a new file that then takes the place of the old one:
whatever happens, the file holds all cells finished before.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chamfer.datasets import Dataset

Cell = dict[str, Any]
_VERSION = 1


class Results:
    """Cells by name, such as ``iris/tree/chamfer/sqeuclidean``, and what is known about their data sets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.datasets: dict[str, Cell] = {}
        self.missing: dict[str, str] = {}
        self.cells: dict[str, Cell] = {}
        self.environment: dict[str, Any] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            found = content["version"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} does not hold results of an earlier run ({error}); move it away") from error
        if found != _VERSION:
            raise ValueError(f"{self.path} was written by another version of chamfer; move it away")
        self.datasets, self.cells = content["datasets"], content["cells"]
        self.environment, self.missing = content["environment"], content["missing"]

    def save(self) -> None:
        """Write everything to the file, all or nothing."""
        content = {
            "version": _VERSION,
            "environment": self.environment,
            "datasets": self.datasets,
            "missing": self.missing,
            "cells": self.cells,
        }
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(content, indent=None, separators=(",", ":")), encoding="utf-8")
        os.replace(new, self.path)

    def describe(self, data: Dataset, X: NDArray[Any]) -> None:
        """Remember a data set, and forget its cells if it is not the one they were computed from."""
        found = {
            "n": X.shape[0],
            "d": X.shape[1],
            "classes": data.n_classes,
            "dtype": str(X.dtype),
            "differences": data.differences,
            "fingerprint": _fingerprint(X, data.y),
        }
        if self.datasets.get(data.name, found) != found:
            self.cells = {key: cell for key, cell in self.cells.items() if not key.startswith(f"{data.name}/")}
        self.datasets[data.name] = found
        self.missing.pop(data.name, None)

    def finished(self, key: str) -> bool:
        """Whether a cell need not be run; one that did not fit in memory is tried again."""
        return self.cells.get(key, {}).get("status") == "done"

    def put(self, key: str, cell: Cell) -> None:
        """Keep a cell."""
        self.cells[key] = cell
        self.save()

    def get(self, dataset: str, *names: str) -> Cell | None:
        """Give a finished cell."""
        key = "/".join((dataset, *names))
        return self.cells[key] if self.finished(key) else None

    def failure(self, dataset: str, *names: str) -> str:
        """Give the reason why a cell has no value, or nothing."""
        return str(self.cells.get("/".join((dataset, *names)), {}).get("message", ""))


def _fingerprint(X: NDArray[Any], y: NDArray[Any]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    digest.update(np.ascontiguousarray(X).data)
    digest.update(np.unique(y, return_inverse=True)[1].tobytes())
    return digest.hexdigest()
