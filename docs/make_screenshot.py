"""Makes the picture of the explorer: 5,000 handwritten digits in Chromium.

    python docs/make_screenshot.py DIR

The directory holds ``mnist.npz`` with X of shape (n, 784) and y; Chromium and the extra ``browser`` are needed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import chamfer

OUTPUT = Path(__file__).parent / "images" / "explorer.png"
POINTS = 5_000


def write_page(directory: Path, output: Path) -> Path:
    """Cluster some of the digits and write their explorer."""
    data = np.load(directory / "mnist.npz")
    chosen = np.random.default_rng(0).permutation(len(data["X"]))[:POINTS]
    X, y = data["X"][chosen].astype(np.float32), data["y"][chosen]
    names = [f"a {digit}, number {number}" for digit, number in zip(y.tolist(), chosen.tolist(), strict=True)]
    Z = chamfer.linkage(X, progress=True)
    title = f"MNIST, {POINTS:,} digits, Chamfer linkage"
    page = chamfer.explore(
        Z, X, labels=names, title=title, coordinates="tsne", columns={"digit": y}, images=X, choice=True
    )
    return page.save(output)


def main(directory: str) -> int:
    """Open the page, choose a cluster, take the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        page = write_page(Path(directory), Path(folder) / "mnist.html")
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1400, "height": 1010})
        view.goto(page.as_uri())
        view.locator("#table tbody tr").nth(3).get_by_role("button").click()
        view.mouse.move(0, 0)
        view.wait_for_timeout(500)
        view.screenshot(path=OUTPUT)
        browser.close()
    print(OUTPUT)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
