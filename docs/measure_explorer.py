"""Measures how long the explorer takes to open, to move its slider and to move its map, in Chromium.

    python docs/measure_explorer.py [POINTS]

Chromium and the extra ``browser`` are needed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import chamfer

# A message that is sent while a frame is prepared arrives when that frame has been drawn.
MEASURE = """async (move) => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
  }));
  const slider = document.getElementById("clusters");
  const box = document.getElementById("map").getBoundingClientRect();
  const moves = {
    slider(i) {
      slider.value = 20 * i;
      slider.dispatchEvent(new Event("input"));
    },
    map(i) {
      const event = { deltaY: i % 20 < 10 ? -60 : 60, clientX: box.x + box.width / 3, clientY: box.y + box.height / 2 };
      document.getElementById("map").dispatchEvent(new WheelEvent("wheel", event));
    },
    pointer(i) {
      const event = { clientX: box.x + (box.width * i) / 51, clientY: box.y + box.height / 2 };
      document.getElementById("map").dispatchEvent(new PointerEvent("pointermove", event));
    },
  };
  const times = [];
  for (let i = 0; i <= 50; i++) {
    const start = performance.now();
    moves[move](i);
    await drawn();
    times.push(performance.now() - start);
  }
  return times;
}"""


def write_page(points: int, output: Path) -> Path:
    """Cluster points of twelve groups and write their explorer."""
    rng = np.random.default_rng(0)
    group = rng.integers(12, size=points)
    X = rng.normal(size=(points, 3)) * 0.6 + rng.normal(size=(12, 3))[group] * 3
    names = [f"point {i}" for i in range(points)]
    Z = chamfer.linkage(X, progress=True)
    start = time.perf_counter()
    path = chamfer.explore(Z, X, labels=names, columns={"group": group}).save(output)
    print(f"{points:,} points: {path.stat().st_size / 1e6:.1f} MB written in {time.perf_counter() - start:.1f} s")
    return path


def main(points: int) -> int:
    """Open the page, move what can be moved, and print the times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        page = write_page(points, Path(folder) / "points.html")
        # Without a graphics card the page sets pixels. WebGL, if asked for, is then imitated by the processor.
        arguments = ["--no-sandbox", "--enable-unsafe-swiftshader"]
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for query in ("", "?renderer=webgl"):
            view = browser.new_page(viewport={"width": 1400, "height": 1000})
            start = time.perf_counter()
            view.goto(page.as_uri() + query)
            view.wait_for_function("window.explorer && explorer.renderer()")
            print(f"{view.evaluate('explorer.renderer()')}: opened in {time.perf_counter() - start:.1f} s")
            for move in ("slider", "map", "pointer"):
                times = view.evaluate(MEASURE, move)
                print(f"  {move}: median {np.median(times):.0f} ms, slowest of {len(times)} moves {max(times):.0f} ms")
            view.close()
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000))
