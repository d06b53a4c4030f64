"""Settings for every test, and what several of them share."""

import pytest
from hypothesis import settings

from chamfer.engines import lists

# The same examples every time: whoever runs the tests sees the same answer. No deadline, machines differ.
settings.register_profile("chamfer", deadline=None, derandomize=True)
settings.load_profile("chamfer")


@pytest.fixture
def short_lists(monkeypatch):
    """Lists so short that they have to be refreshed all the time."""
    for name, value in {"FIRST": 3, "AGAIN": 2, "BATCH": 4, "NEAR": 10**9}.items():
        monkeypatch.setattr(lists, name, value)


@pytest.fixture
def path(tmp_path):
    """Where a checkpoint may be written."""
    return tmp_path / "run.checkpoint"
