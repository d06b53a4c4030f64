"""Measures how long the explorer takes from a move of its slider to the picture, with 50,000 points in Chromium.

    python docs/measure_slider.py

Chromium and the extra ``browser`` are needed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import chamfer

POINTS = 50_000
# A message that is sent while a frame is prepared arrives when that frame has been drawn.
MOVE = """async () => {
  const slider = document.getElementById("clusters");
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
  }));
  const times = [];
  for (let value = 0; value <= 1000; value += 20) {
    const start = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    await drawn();
    times.push(performance.now() - start);
  }
  return times;
}"""


def write_page(output: Path) -> Path:
    """Cluster points of twelve groups and write their explorer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(POINTS, 3)) * 0.6 + rng.normal(size=(12, 3))[rng.integers(12, size=POINTS)] * 3
    return chamfer.explore(chamfer.linkage(X, progress=True), X, output)


def main() -> int:
    """Move the slider from one cluster to 500, and print the times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        page = write_page(Path(folder) / "points.html")
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1400, "height": 1000})
        view.goto(page.as_uri())
        view.wait_for_function("window.explorer")
        times = view.evaluate(MOVE)
        browser.close()
    print(f"{POINTS:,} points: median {np.median(times):.0f} ms, slowest of {len(times)} moves {max(times):.0f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
