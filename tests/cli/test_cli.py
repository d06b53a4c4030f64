"""The command line as users meet it: real processes, real files."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import chamfer
from chamfer import cli
from chamfer.cli.console import CommandError, bar, table
from command_line import call
from marks import slow


def run(*arguments, cwd=None, stdin=None, **environment):
    command = [sys.executable, "-m", "chamfer", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg", **environment},
    )


@pytest.mark.slow
def test_demo_prints_every_linkage_and_saves_a_picture(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\w+) +(-?\d\.\d{3}) .* (\d+) +(\d+\.\d+)$", done.stdout, re.MULTILINE)
    assert [row[0] for row in rows] == list(chamfer.METHODS)
    assert {row[0]: row[1] for row in rows}["chamfer"] == "0.838"
    picture = tmp_path / "chamfer-demo.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture.resolve()) in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
def test_demo_saves_where_it_is_told(tmp_path):
    done = run("demo", "--output", tmp_path / "tree.svg")
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "tree.svg").read_text()


@pytest.mark.slow
def test_demo_without_matplotlib_says_how_to_get_the_picture(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('hidden')")
    done = run("demo", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "pip install 'chamfer[plot]'" in done.stdout
    assert "ward" in done.stdout


@pytest.mark.slow
def test_demo_that_cannot_save_fails_with_one_line(tmp_path):
    done = run("demo", "--output", tmp_path / "nowhere" / "tree.png")
    assert done.returncode == 1
    assert done.stderr.startswith("chamfer: error:")
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"chamfer {chamfer.__version__}\n")


def test_version_waits_for_nobody():
    code = "import sys; from chamfer.cli import main\ntry: main(['--version'])\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert not {"numpy", "scipy", "sklearn", "pandas"}.intersection(done.stdout.split())


def test_no_command_shows_the_commands():
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "cluster the rows of a table" in done.stderr


@pytest.mark.slow
def test_info_for_people_and_machines():
    text = run("info").stdout
    facts = json.loads(run("info", "--json").stdout)
    assert facts["chamfer"] == chamfer.__version__
    assert int(facts["threads"]) >= 1
    assert facts["instruction set"]
    assert facts["BLAS"]
    for name in ("python", "numpy", "scipy", "scikit-learn", "instruction set", "threads", "BLAS"):
        assert re.search(rf"^{name} +{re.escape(facts[name])}$", text, re.MULTILINE)


@pytest.mark.parametrize("arguments", slow((("nonsense",),), ((),), (("demo", "--nonsense"),)))
def test_a_wrong_command_line_exits_with_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage: chamfer" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("clutser d.csv", "did you mean 'cluster'?"),
        ("cluster d.csv -k 2 --linkge ward", "did you mean '--linkage'?"),
        ("cluster d.csv -k 2 --linkge=ward", "did you mean '--linkage'?"),
        ("compare d.csv --labls kind", "did you mean '--labels'?"),
        ("--verison", "did you mean '--version'?"),
        ("cluster d.csv -k 2 --linkage wards", "did you mean 'ward'?"),
        ("cluster d.csv -k 2 --linkage Ward", "did you mean 'ward'?"),
        ("cluster d.csv -k 2 --metric euclidian", "did you mean 'euclidean'?"),
        ("explore d.csv --metric manhatten", "did you mean 'manhattan'?"),
        ("cut t.npz -k 2 --order mrege", "did you mean 'merge'?"),
        ("plot t.npz -o t.png --heights cummulative", "did you mean 'cumulative'?"),
        ("completion bsh", "did you mean 'bash'?"),
    ],
)
def test_words_that_are_nearly_right_get_a_hint(line, hint):
    done = call(line)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].endswith(f"; {hint}")


@pytest.mark.parametrize("line", ["nonsense", "cluster d.csv -k 2 --nonsense", "cluster d.csv -k 2 --linkage xyz"])
def test_words_that_are_nowhere_near_get_none(line):
    done = call(line)
    assert done.code == 2
    assert "did you mean" not in done.err


def test_help_names_every_command():
    text = run("--help").stdout
    for command in ("demo", "info"):
        assert re.search(rf"^ +{command} ", text, re.MULTILINE)


def test_colours_only_where_they_are_wanted(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in table(["a"], [["b"]], "<")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in table(["a"], [["b"]], "<")


@pytest.mark.parametrize(
    ("share", "text"), [(0, "    "), (1, "████"), (0.5, "██  "), (0.28, "█▏  "), (-3, "    "), (7, "████")]
)
def test_bars(share, text):
    assert bar(share, 4) == text


def test_table_lines_up():
    lines = table(["name", "n"], [["a", "1"], ["日本", "100"]], "<>").splitlines()
    assert lines == ["name    n", "─────────", "a       1", "日本  100"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CommandError("no such column"), 1),
        (ValueError("n_clusters must be"), 1),
        (MemoryError("needs more"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_become_exit_codes(monkeypatch, capsys, error, code):
    def fail(arguments):
        raise error

    module = SimpleNamespace(DESCRIPTION="", EPILOG="", add_to=lambda parser: None, run=fail)
    monkeypatch.setitem(sys.modules, "chamfer.cli.commands.fail", module)
    monkeypatch.setattr(cli, "COMMANDS", {"fail": "never works"})
    assert cli.main(["fail"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("chamfer: ")
    assert str(error) in shown.err


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m chamfer info | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() in ("0", "141")
    assert done.stderr == ""
