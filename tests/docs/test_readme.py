"""What the README says is true: its snippets run, its commands and its links are there."""

import re
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_snippets_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) >= 3
    names = {}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"README snippet {number}", "exec"), names)
    assert (tmp_path / "digits.png").stat().st_size > 10_000
    assert capsys.readouterr().out.startswith("0.838")


def test_the_example_has_ten_lines_of_code():
    lines = [line for line in SNIPPETS[0].splitlines() if line.strip()]
    assert len(lines) == 9 or len(lines) == 10


@pytest.mark.parametrize("command", ["pip install '.[plot]' && chamfer demo", "pip install '.[test]' && pytest"])
def test_both_commands_are_there(command):
    assert f"$ {command}\n" in README


def test_links_and_pictures_exist():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert any(target.endswith(".png") for target in targets)
    missing = [target for target in targets if not target.startswith("http") and not (ROOT / target).exists()]
    assert not missing


def test_the_table_of_linkages_names_every_method():
    import chamfer

    missing = [method for method in chamfer.METHODS if f"| `{method}` |" not in README]
    assert not missing


def test_scores_are_those_of_the_demo():
    from sklearn.datasets import load_digits
    from sklearn.metrics import adjusted_rand_score

    import chamfer

    X, y = load_digits(return_X_y=True)
    for method, off in (("chamfer", 0.001), ("ward", 0.001), ("average", 0.02), ("complete", 0.06)):  # ties
        score = adjusted_rand_score(y, chamfer.cut(chamfer.linkage(X, method), n_clusters=10))
        (shown,) = re.findall(rf"\| \**`{method}`\** \| \**([\d.]+)\** \|", README)
        assert float(shown) == pytest.approx(score, abs=off)
