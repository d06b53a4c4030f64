"""The benchmark runner runs. What it measures is nobody's business here."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parent.parent / "benchmarks" / "run.py"


def run(*arguments):
    command = [sys.executable, RUNNER, "--quick", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_every_case_at_tiny_sizes(tmp_path):
    done = run("--output", tmp_path, "--methods", "chamfer,single", "--sizes", "60,120")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["case"] for row in rows} == {
        "images", "gaussians", "overhead", "imports", "memory", "growth", "scaling"
    }  # fmt: skip
    assert all(float(row["value"]) >= 0 for row in rows)
    assert {"chamfer", "scipy", "scikit-learn"} <= {row["library"] for row in rows}
    assert (tmp_path / "scaling.png").read_bytes().startswith(b"\x89PNG")
    assert "over ours" in done.stdout
    assert "average linkage, for want of Chamfer linkage" in done.stdout
    assert "threads" in done.stdout


@pytest.mark.parametrize("option", ["--cases", "--methods", "--libraries", "--dtypes"])
def test_a_wrong_choice_is_named(option, tmp_path):
    done = run(option, "nonsense", "--output", tmp_path)
    assert done.returncode == 2
    assert f"argument {option}: 'nonsense' is not one of" in done.stderr
