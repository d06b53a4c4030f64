"""Marks for some of the cases of a test."""

import pytest


def slow(*cases):
    """Mark cases that the quick run leaves out; a tuple holds the values of several arguments."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]
