"""Makes the picture of the explorer: 20,000 handwritten digits in Chromium.

    python docs/make_screenshot.py mnist.npz

The file holds X of shape (n, 784) and y; Chromium and the extra ``browser`` are needed.
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
POINTS = 20_000


def main(path: str) -> int:
    """Cluster, open the page, take the picture."""
    data = np.load(path)
    chosen = np.random.default_rng(0).permutation(len(data["X"]))[:POINTS]
    X, y = data["X"][chosen].astype(np.float32), data["y"][chosen]
    names = [f"a {digit}, number {number}" for digit, number in zip(y.tolist(), chosen.tolist(), strict=True)]
    page = Path(tempfile.mkdtemp()) / "mnist.html"
    chamfer.explore(chamfer.linkage(X, progress=True), X, page, labels=names, title="MNIST, Chamfer linkage")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1400, "height": 1030})
        view.goto(page.as_uri())
        view.get_by_role("button", name="Members of cluster 1", exact=True).click()
        view.get_by_role("button", name="Close").click()
        view.wait_for_timeout(500)
        view.screenshot(path=OUTPUT)
        browser.close()
    print(OUTPUT)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
