"""Every example in a docstring gives what it says, and everything public has one."""

import doctest
import importlib
import inspect
import pkgutil

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
