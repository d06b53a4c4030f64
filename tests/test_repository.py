"""The version is written once; files that must repeat it agree."""

import re
from pathlib import Path

import pytest

import chamfer

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("CITATION.cff", r"^version: (\S+)$"),
        ("CHANGELOG.md", r"^## (\S+)"),  # the newest is the first
    ],
)
def test_a_file_names_the_version(name, pattern):
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{name} names no version"
    assert found[1] == chamfer.__version__
