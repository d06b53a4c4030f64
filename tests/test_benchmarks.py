"""The benchmarks run at tiny sizes, keep what they measure, and made the tables of the pages."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import tables
from benchmarks.__main__ import NAMES, main
from benchmarks.cases import SETS
from benchmarks.compare import print_ratios
from benchmarks.cuts import sizes
from benchmarks.measure import Case
from benchmarks.rows import RESULTS, Row, read, read_results, write
from benchmarks.worker import Calls

ROOT = Path(__file__).parent.parent
# The chamfer of these tests, however it was found.
SAME = shlex.join(["env", f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}", sys.executable])
FAST = ("images", "approximate")


def run(*words, **environment):
    command = [sys.executable, "-m", "benchmarks", *map(str, words)]
    options = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 300}
    return subprocess.run(command, **options, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Rows of the quick cases, and what was printed."""
    path = tmp_path_factory.mktemp("benchmarks") / "rows.csv"
    done = run(*FAST, "--quick", "--methods", "chamfer,chamfer_capped,single", "--csv", path)
    assert done.returncode == 0, done.stdout + done.stderr
    return read(path), done.stdout


@pytest.mark.slow
def test_cases_run_at_tiny_sizes(measured):
    rows, printed = measured
    assert {row.case for row in rows} == set(FAST)
    assert {"chamfer", "scipy", "scikit-learn"} <= {row.library for row in rows}
    assert all(row.seconds > 0 and row.runs == 1 and row.version for row in rows)
    assert "times chamfer" in printed


@pytest.mark.slow
def test_memory_and_quality_stand_beside_time(measured):
    rows, _ = measured
    (row, *_) = [row for row in rows if row.case == "approximate" and row.option("source") == "ann"]
    assert 0.9 < row.score("recall") <= 1
    assert -1 < row.score("ari") <= row.score("best_ari") <= 1
    if sys.platform == "linux":
        assert row.bytes > 0


@pytest.mark.slow
def test_peers_run_average_linkage_where_we_run_chamfer(measured):
    rows, _ = measured
    assert {row.method for row in rows if (row.case, row.library) == ("images", "scipy")} == {"average", "single"}


@pytest.mark.slow
def test_every_other_case_runs_at_tiny_sizes(tmp_path):
    others = [name for name in NAMES if name not in (*FAST, "guard")]
    done = run(*others, "--quick", "--csv", tmp_path / "rows.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row.case for row in read(tmp_path / "rows.csv")} == set(others)


@pytest.mark.slow
def test_guard_against_another_interpreter(tmp_path):
    path = tmp_path / "rows.csv"
    done = run("guard", "--quick", "--repeats", 2, "--against", SAME, "--csv", path, CHAMFER_LEVEL="base")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = read(path)
    assert [row.library for row in rows] == ["chamfer", "against"] * (len(rows) // 2)
    assert {row.level for row in rows} == {"base"}
    assert f"{len(rows) // 2} cases, mean" in done.stdout
    assert "other result" not in done.stdout


def test_choices(tmp_path, capsys):
    path = tmp_path / "choices.csv"
    sizes = ["--least", "100", "--most", "100"]
    main(["choices", *sizes, "--data", "Gaussian", "--methods", "ward", "chamfer", "--csv", str(path)])
    assert "Gaussian 100 x 2 ward: dense" in capsys.readouterr().out
    lines = path.read_text().splitlines()
    assert lines[0] == "data,n,d,metric,method,engine,seconds,auto"
    assert {line.split(",")[5] for line in lines[1:]} >= {"dense", "points"}


@pytest.mark.slow
def test_a_call_that_fails_is_told_and_the_others_go_on(tmp_path, capfd, monkeypatch):
    wrong = Case("guard", "normal", 10, "chamfer", 2, options={"engine": "none"})
    monkeypatch.setitem(SETS, "guard", lambda: iter([wrong, Case("guard", "normal", 10, "ward", 2)]))
    assert main(["guard", "--quick", "--csv", str(tmp_path / "rows.csv")]) == 1
    assert "failed: ValueError: engine must be one of" in capfd.readouterr().out
    assert [row.method for row in read(tmp_path / "rows.csv")] == ["ward"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupted_run_keeps_what_it_measured(tmp_path):
    path = tmp_path / "rows.csv"
    command = [sys.executable, "-m", "benchmarks", "guard", "--csv", path]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background of a shell, the signal is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not path.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; " in errors
    assert "Traceback" not in errors
    assert read(path)[0].case == "guard"


@pytest.mark.parametrize("words", [["nonsense"], ["--libraries", "nonsense", "guard"], ["--methods", "nonsense"], []])
def test_a_wrong_choice_is_named(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert ("nonsense" if words else "name at least one of guard") in capsys.readouterr().err


def test_every_case_is_listed(capsys):
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(NAMES)


def test_tables_are_up_to_date(capsys):
    assert tables.main(["--check"]) == 0, capsys.readouterr().out


def test_every_table_is_on_a_page():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = [name for page in pages for _, name, _ in tables.MARKED.findall(page.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted(tables.TABLES)


def test_a_stale_table_is_found_and_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- table: tradeoff -->\nold\n<!-- end -->\nafter\n")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert tables.main(["--check"]) == 1
    assert "not up to date: README.md" in capsys.readouterr().out
    assert tables.main([]) == 0
    assert "| t = 2 | 23.7 s | 1,442 |" in page.read_text()
    assert page.read_text().startswith("before\n<!-- table: tradeoff -->\n|")
    assert page.read_text().endswith("|\n<!-- end -->\nafter\n")
    assert tables.main(["--check"]) == 0


def test_results_are_read_as_they_were_written(tmp_path):
    rows = read_results()
    assert {row.case for row in rows} <= set(NAMES)
    assert {path.stem for path in RESULTS.glob("*.csv")} == {row.case for row in rows}
    write(rows, tmp_path / "rows.csv")
    assert read(tmp_path / "rows.csv") == rows
    (tmp_path / "other.csv").write_text("case,seconds\nguard,1\n")
    with pytest.raises(ValueError, match=r"other\.csv must have the columns case, .*, got \['case', 'seconds'\]"):
        read(tmp_path / "other.csv")


def test_compare_marks_what_takes_more(capsys):
    same = {"case": "guard", "library": "chamfer", "n": 10, "d": 2}
    old = [Row(**same, method=name, seconds=2.0, median=2.0, bytes=100, quality="digest=a") for name in "abcd"]
    new = [
        Row(**same, method="a", seconds=2.0, median=2.0, bytes=100, quality="digest=a"),
        Row(**same, method="b", seconds=4.0, median=4.0, bytes=100, quality="digest=b"),
        Row(**same, method="c", seconds=4.0, median=2.0, bytes=400, quality="digest=a"),
    ]
    print_ratios(old, new)
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split("!")[1:] for line in lines[:3]] == [[], [" slower  ", " other result"], [" more memory"]]
    assert lines[1].split()[:5] == ["2", "4", "2.00", "2.00", "1.00"]
    assert lines[3].split()[:4] == ["3", "cases,", "mean", "1.59"]


def test_a_model_is_fitted_and_used(tmp_path, capsys):
    quality = "first={} refresh={} merge={} refreshes={} refreshed={}"
    rows = [
        Row("clusters", "chamfer", "", "chamfer", "rows=4096", "gaussians", n, 2, "float32", 2, bytes=1000 * n,
            quality=quality.format(n / 1e4, n / 1e4, n / 1e5, n // 1000, n))
        for n in (8192, 16384, 32768)
    ]  # fmt: skip
    write(rows, tmp_path / "rows.csv")
    assert main(["predict", str(tmp_path / "rows.csv"), "--points", "10000000"]) == 0
    printed = capsys.readouterr().out
    assert "| `chamfer` | 2 | 32,768 | 3.3, 3.3, 0.3: 6.9 s |" in printed
    assert "| `chamfer` | 2 | 10,000,000 |" in printed
    assert "| 8.7 GB |" in printed  # of the driver, by what a point takes in large runs


def test_seconds_are_those_of_one_call(monkeypatch):
    calls, request = Calls(), {"data": ("normal", 50, 3, None), "dtype": "float64", "library": "chamfer", "options": {}}
    clock = iter([1.0, 3.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    answer = calls.measure(**request, method="ward", loops=4)
    assert (answer["seconds"], answer["shape"], answer["data"]) == (0.5, (50, 3), "normal")


def test_inputs(capsys):
    assert main(["inputs", "--documents", "300", "--points", "300"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-7] for line in lines] == ["SparseSource", *4 * ["CdistSource"], "SphereSource"]  # too few


def test_pixels(capsys):
    assert main(["pixels", "--share", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 + 2 + 5 + 2 + 4
    assert all("scikit-learn" in line for line in lines[:4])


def test_cuts(capsys):
    assert main(["cuts", "--points", "600", "--repeats", "1"]) == 0
    assert capsys.readouterr().out.count("equal") == 6


def test_sizes():
    lines = sizes([0.0, 0.1], "3 cubes").splitlines()
    assert "| ward | 1.000 | 1.000 |" in lines


@pytest.mark.slow
def test_numbers(capsys):
    assert main(["numbers", "--sets", "3 cubes"]) == 0
    out = capsys.readouterr().out
    assert "| 3 cubes | 3 | **3** |" in out
    assert "| right | 100% |" in out
