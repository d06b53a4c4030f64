"""The fuzz driver catches what it is for, and its own calls pass."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from marks import slow

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are stopped by signals")
RUN = Path(__file__).parent / "fuzz" / "run.py"
# Faults of all kinds; every second call of each kind fails, the others pass.
PLANTED = """
import os, time
import numpy as np
from fuzz.kinds import Kind

def planted(fault):
    def call(draw):
        draw.say("about to fail")
        if draw.number() < 0.5:
            fault()
    return call

def leak():
    [].pop()

def unnamed():
    raise ValueError("something is wrong")

def refuse():
    raise ValueError("X must be something else")

def wrong():
    from fuzz.truth import check_tree  # takes a second
    check_tree(np.array([[0, 1, 1.0, 2], [1, 3, 2.0, 3]]), 3)

def warn():
    np.array([1e308]) * 10

faults = {"crash": os.abort, "exit": lambda: os._exit(3), "hang": lambda: time.sleep(100), "leak": leak,
          "unnamed": unnamed, "refuse": refuse, "wrong": wrong, "warn": warn}
KINDS = {name: Kind(planted(fault), 1, r"\\bX\\b") for name, fault in faults.items()}
"""


@pytest.fixture
def planted(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text(PLANTED)
    return str(path)


def run(*options):
    done = subprocess.run([sys.executable, RUN, *options], capture_output=True, text=True, timeout=120)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("kind", "outcome", "words"),
    [
        *slow(
            ("crash", "crash", "ended by SIGABRT"),
            ("exit", "crash", "ended with exit code 3"),
            ("hang", "hang", "no answer after 1 s"),
        ),
        ("leak", "leak", "IndexError: pop from empty list"),
        *slow(
            ("unnamed", "leak", "ValueError: something is wrong"),
            ("wrong", "wrong", "Z is no tree: .*merge 0 joins a cluster twice"),
            ("warn", "leak", "RuntimeWarning: overflow"),
        ),
    ],
)
def test_planted_faults_are_found_and_can_be_made_again(planted, kind, outcome, words):
    options = "--modules", planted, "--limit", "1" if kind == "hang" else "30"
    code, out = run("--only", kind, "--calls", "6", "--seed", "1", *options)
    assert code == 1
    failed = int(re.search(rf"^(\d+) x {outcome} in {kind}: {words}", out, re.MULTILINE)[1])
    assert 1 <= failed < 6
    assert out.splitlines()[-1] == f"{6 - failed} passed, {failed} failed"
    command = re.search(rf"python tests/fuzz/run.py (--only {kind} --replay \d+) --modules {re.escape(planted)}", out)
    code, again = run(*command[1].split(), *options)
    assert code == 1
    assert re.search(rf"^1 x {outcome} in {kind}: {words}", again, re.MULTILINE)
    assert "about to fail" in again
    assert again.splitlines()[-1] == "0 passed, 1 failed"


def test_refusals_pass(planted):
    code, out = run("--only", "refuse", "--calls", "6", "--seed", "1", "--modules", planted)
    assert code == 0
    assert "refused by refuse: ValueError" in out
    assert out.splitlines()[-1] == "6 passed, 0 failed"


@pytest.mark.slow
def test_all_kinds_of_faults_together(planted):
    code, out = run("--calls", "20", "--limit", "5", "--modules", planted)
    assert code == 1
    assert {"crash", "hang", "leak", "wrong"} <= set(re.findall(r"^\d+ x (\w+)", out, re.MULTILINE))
    passed, failed = map(int, out.splitlines()[-1].replace(" passed,", "").replace(" failed", "").split())
    assert passed + failed == 20, "a call was lost with its worker"


@pytest.mark.slow
def test_calls_of_the_library():
    code, out = run("--calls", "300", "--only", "linkage", "tree", "estimator")
    assert "300 calls in" in out
    assert code == 0, out


def test_unknown_kind(planted):
    done = subprocess.run([sys.executable, RUN, "--only", "x", "--modules", planted], capture_output=True, text=True)
    assert done.returncode == 1
    assert "--only must be among crash, exit" in done.stderr
