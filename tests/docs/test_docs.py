"""The documentation: every snippet runs, every recorded command does what is shown, and the site builds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import matplotlib
import pytest

from marks import slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
LONG = ("how-many.md",)  # pages whose snippets take seconds
# The system's; None is Playwright's own, if it was downloaded.
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BLOCK = r"^```{}\n(.*?)^```$"
SECONDS = re.compile(r"\d+\.\d\d(?= s\)|$)", re.MULTILINE)  # at the end of a summary or of a table's row


def blocks(page, language):
    return re.findall(BLOCK.format(language), page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page",
    [case for page in PAGES if blocks(page, "python") for case in (slow(page) if page.name in LONG else [page])],
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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built with warnings as errors; every example of the gallery runs."""
    for name in ("sphinx", "numpydoc", "myst_parser", "furo", "sphinx_gallery"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    for name in ("docs", "examples"):  # pages are generated beside the others
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("_build", "api", "gallery"))
    done = subprocess.run(
        [*command, folder / "docs", folder / "html"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_site_has_the_api_and_the_gallery(site):
    assert "plot_dendrogram" in (site / "api.html").read_text(encoding="utf-8")
    gallery = (site / "gallery" / "index.html").read_text(encoding="utf-8")
    assert [each.stem for each in (ROOT / "examples").glob("plot_*.py") if each.stem not in gallery] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("silhouette", "how-many.html"),
        ("noise", "faq.html"),
        ("embedding", "faq.html"),
        ("how many clusters", "how-many.html"),
        ("memory", "faq.html"),
    ],
)
def test_a_search_finds_the_right_page(site, words, page):
    driver = pytest.importorskip("playwright.sync_api")
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, driver.sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        except driver.Error as error:
            pytest.skip(f"no browser: {error}")
        tab = browser.new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/search.html?q={words.replace(' ', '+')}")
        tab.wait_for_selector("ul.search li a")
        found = tab.locator("ul.search li > a").evaluate_all("links => links.map(each => each.href)")
        browser.close()
        server.shutdown()
    assert page in [address.split("/")[-1].split("?")[0].split("#")[0] for address in found[:5]]
