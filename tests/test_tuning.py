"""The measured numbers: a command measures each, and none of them changes a tree."""

import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import chamfer
from cases import gaussian
from chamfer import tuning

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import costs


def test_every_number_can_be_measured(capsys):
    assert costs.main(["engines", "--quick"]) == 0
    measured = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert measured.isdisjoint(costs.SWEEPS)
    assert measured | set(costs.SWEEPS) == {each.name for each in fields(tuning.Tuning)}


def test_a_number_is_timed_at_several_values(capsys):
    assert costs.main(["centre_list", "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    values, calls = costs.SWEEPS["centre_list"]
    assert len(lines) == len(values) * len(calls)
    assert all(line.endswith(" s") for line in lines)


def test_other_numbers_last_as_long_as_their_block():
    before = tuning.current
    with tuning.using(first_list=3):
        assert tuning.current.first_list == 3
    assert tuning.current is before
    with pytest.raises(TypeError), tuning.using(no_such_number=3):
        pass


@pytest.mark.parametrize(
    "change",
    [{"first_list": 2}, {"near_part": 10**9}, {"near_pairs": 9}, {"unfiltered": 50}, {"tree_coordinates": 9}],
    ids=str,
)
def test_no_number_changes_the_tree(change):
    X = gaussian(3, 300, 8)
    expected = chamfer.linkage(X, engine="lists")
    with tuning.using(**change):
        np.testing.assert_array_equal(chamfer.linkage(X, engine="lists"), expected)
