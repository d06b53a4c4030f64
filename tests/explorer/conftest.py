"""A real browser for the tests of the explorer."""

import shutil

import pytest

import chamfer

# The system's; None is Playwright's own, if it was downloaded.
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="package")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'chamfer[browser]' for these tests")
    with playwright.sync_playwright() as running:
        try:
            launched = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium starts: {error.message.splitlines()[0]}")
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open an explorer; at the end of the test it must have met no error."""
    problems, pages = [], []

    def opened(*arguments, size=(1300, 900), at="", touch=False, **options):
        path = chamfer.explore(*arguments, output=tmp_path / "x.html", **options).path
        viewport = {"width": size[0], "height": size[1]}
        page = browser.new_page(viewport=viewport, accept_downloads=True, has_touch=touch)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda text: problems.append(text.text) if text.type == "error" else None)
        page.on("request", lambda request: request.url.startswith("http") and problems.append(request.url))
        page.goto(path.as_uri() + at)
        page.wait_for_function("window.explorer")
        pages.append(page)
        return page

    yield opened
    for page in pages:
        page.close()
    assert not problems
