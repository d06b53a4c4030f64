"""Settings for every test, and what several of them share."""

import sys
from contextlib import ExitStack

import pytest
from hypothesis import settings

from chamfer import tuning

# The same examples every time: whoever runs the tests sees the same answer. No deadline, machines differ.
settings.register_profile("chamfer", deadline=None, derandomize=True)
settings.load_profile("chamfer")


@pytest.fixture(autouse=True)
def close_figures():
    """No test draws into what another has left open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def tuned():
    """A function that replaces measured numbers until the test ends."""
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(tuning.using(**changes))


@pytest.fixture
def short_lists(tuned):
    """Lists so short that they have to be refreshed all the time."""
    tuned(first_list=3, next_list=2, batch=4, near_part=10**9)


@pytest.fixture
def path(tmp_path):
    """Where a checkpoint may be written."""
    return tmp_path / "run.checkpoint"
