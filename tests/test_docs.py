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

ROOT = Path(__file__).parent.parent
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


def test_recorded_commands_print_what_is_shown(tmp_path):
    (setup,) = blocks(DOCS / "command-line.md", "python")
    subprocess.run([sys.executable, "-c", setup], cwd=tmp_path, check=True)
    ours = f"{shlex.quote(sys.executable)} -m chamfer"
    count = 0
    for command, output in recorded():
        line = re.sub(r"^chamfer\b", ours, command)
        done = subprocess.run(
            ["bash", "-c", f"{{ {line}; }} 2>&1"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "MPLBACKEND": "Agg"},
            timeout=120,
        )
        shown, found = (SECONDS.sub("#", text).strip() for text in (output, done.stdout))
        assert found == shown, command
        count += command.startswith("chamfer")
    assert count >= 5


def test_commands_are_all_listed():
    from chamfer.cli import COMMANDS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    names = [add.__name__.removeprefix("add_").removesuffix("_command") for add in COMMANDS]
    assert [name for name in names if f"| `chamfer {name}` |" not in text] == []


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
