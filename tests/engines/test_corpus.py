"""The same trees as ever, bit for bit: see corpus.py."""

import json

import pytest

import corpus

RECORD = json.loads(corpus.RECORD.read_text())
CASES = [
    pytest.param(case, id=case.name, marks=pytest.mark.slow if len(corpus.make(case.data)) > 1000 else ())
    for case in corpus.cases()
]


def test_every_case_is_on_record():
    assert [case.name for case in corpus.cases()] == list(RECORD)


@pytest.mark.parametrize("case", CASES)
def test_the_tree_is_the_one_on_record(case):
    assert corpus.hashes(corpus.run(case)) == RECORD[case.name]
