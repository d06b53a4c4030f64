"""A plugin of pytest: puts our functions into modules of tests, and writes how each test ended to a file.

It runs in a process of its own, ``pytest -p peers.plugin``, with the library's settings instead of ours.
"""

import importlib
import json
import os


def pytest_collection_modifyitems(items):
    """Replace, in every module that has tests, each name that its driver replaces."""
    replacements = importlib.import_module(os.environ["PEERS_DRIVER"]).replacements()
    replaced = {}  # theirs, by what takes their place
    for module in {item.module for item in items}:
        for name in replacements.keys() & vars(module).keys():
            replaced[id(getattr(module, name))] = replacements[name]
            setattr(module, name, replacements[name])
    for item in items:  # some are parameters of tests
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        parameters.update({key: replaced[id(value)] for key, value in parameters.items() if id(value) in replaced})


def pytest_runtest_logreport(report):
    if report.outcome != "passed" or report.when == "call":
        crash = getattr(report.longrepr, "reprcrash", None)
        text = report.longreprtext[-2000:] if crash is None else str(crash)
        line = {"test": report.nodeid.split("tests/")[-1], "outcome": report.outcome, "text": text}
        with open(os.environ["PEERS_OUTCOMES"], "a", encoding="utf-8") as file:
            print(json.dumps(line), file=file)
