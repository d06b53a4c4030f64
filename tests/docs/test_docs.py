"""The documentation: every snippet runs, every recorded command does what is shown, and the site builds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
BLOCK = r"^```{}\n(.*?)^```$"
SECONDS = re.compile(r"\d+\.\d\d(?= s\)|$)", re.MULTILINE)  # at the end of a summary or of a table's row


def blocks(page, language):
    return re.findall(BLOCK.format(language), page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page, "python")],
    ids=lambda page: page.relative_to(DOCS).as_posix(),
)
def test_snippets_run_one_after_the_other(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, snippet in enumerate(blocks(page, "python")):
        exec(compile(snippet, f"{page.name} snippet {number}", "exec"), names)
    matplotlib.pyplot.close("all")


def recorded():
    """Commands of the page on the command line, each with what it printed."""
    for block in blocks(DOCS / "command-line.md", "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each command prints, all run in a folder with the page's files; some need what others wrote."""
    folder = tmp_path_factory.mktemp("recording")
    setup = "\n".join(blocks(DOCS / "command-line.md", "python"))
    subprocess.run([sys.executable, "-c", setup], cwd=folder, check=True)
    ours = f"{shlex.quote(sys.executable)} -m chamfer"
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}
    options = {"cwd": folder, "capture_output": True, "encoding": "utf-8", "env": environment, "timeout": 120}
    lines = {command: re.sub(r"(^|\| )chamfer\b", rf"\1{ours}", command) for command, _ in recorded()}
    return {
        command: subprocess.run(["bash", "-c", f"{{ {line}; }} 2>&1"], **options).stdout
        for command, line in lines.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("command", "output"), [pytest.param(*pair, id=pair[0]) for pair in recorded()])
def test_a_recorded_command_prints_what_is_shown(printed, command, output):
    shown, found = (SECONDS.sub("#", text).strip() for text in (output, printed[command]))
    assert found == shown


def test_the_recording_has_good_and_bad_commands():
    commands = [output for command, output in recorded() if "chamfer" in command]
    assert sum("chamfer: error: " in output for output in commands) >= 5
    assert sum("chamfer: error: " not in output for output in commands) >= 5


def test_commands_are_all_listed():
    from chamfer.cli import COMMANDS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"| `chamfer {name}` |" not in text] == []


def test_pictures_exist():
    for page in PAGES:
        for target in re.findall(r"{image} (\S+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)


def test_the_site_builds_without_warnings(tmp_path):
    for name in ("sphinx", "numpydoc", "myst_parser", "furo"):
        pytest.importorskip(name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    shutil.copytree(DOCS, tmp_path / "docs")  # pages of the API are generated beside the others
    done = subprocess.run(
        [*command, tmp_path / "docs", tmp_path / "html"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "plot_dendrogram" in (tmp_path / "html" / "api.html").read_text(encoding="utf-8")
