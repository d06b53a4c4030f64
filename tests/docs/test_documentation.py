"""Every example in a docstring gives what it says, and everything public has one."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import chamfer

FOUND = [name for _, name, _ in pkgutil.walk_packages(chamfer.__path__, "chamfer.")]
MODULES = [name for name in FOUND if "._core" not in name and not name.endswith("__main__")]


def test_the_modules_are_found():
    assert {"chamfer.hac", "chamfer.trees.dendrogram", "chamfer.estimator"} <= set(MODULES)


@pytest.mark.parametrize("name", ["chamfer", *MODULES])
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0, f"{results.failed} of {results.attempted} examples in {name}; see the output"


@pytest.mark.parametrize("name", [name for name in chamfer.__all__ if callable(getattr(chamfer, name))])
def test_everything_public_has_an_example(name):
    documentation = inspect.getdoc(getattr(chamfer, name))
    assert documentation
    assert ">>>" in documentation


def test_all_names_are_there():
    for name in chamfer.__all__:
        assert hasattr(chamfer, name)


def test_tables_of_linkages_and_engines_are_those_of_the_code():
    script = Path(__file__).parents[2] / "docs" / "make_tables.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"out of date: {done.stdout}{done.stderr}; run python docs/make_tables.py"


def test_the_mathematics_names_every_chamfer_linkage():
    text = (Path(__file__).parents[2] / "docs" / "mathematics.md").read_text(encoding="utf-8")
    assert [
        name for name, each in chamfer.METHODS.items() if each.family == "chamfer" and f"| `{name}` |" not in text
    ] == []
