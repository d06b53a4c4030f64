"""The widget: its traits, and the messages between the page in its frame and the notebook."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

import chamfer
from chamfer.explorer import notebook
from chamfer.explorer.page import widget_script

X = load_iris().data
Z = chamfer.linkage(X)
# What anywidget gives to a module: values, and a call when one changes.
MODEL = """
const values = %s, listeners = {};
window.model = {
  get: (key) => values[key],
  set(key, value) {
    const same = JSON.stringify(values[key]) === JSON.stringify(value);
    values[key] = value;
    if (!same) (listeners[`change:${key}`] ?? []).forEach((each) => each());
  },
  on: (event, each) => (listeners[event] = [...(listeners[event] ?? []), each]),
  off: (event, each) => (listeners[event] = listeners[event].filter((other) => other !== each)),
  save_changes: () => (window.saved = (window.saved ?? 0) + 1),
};
"""


class TestWidget:
    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("anywidget", reason="pip install 'chamfer[notebook]' for these tests")

    def test_what_the_page_changes_is_read(self):
        page = chamfer.explore(Z, X)
        page.widget.n_clusters = 3  # as the frame would
        page.widget.selection = [4, 5]
        assert page.n_clusters == 3
        assert page.selection.tolist() == [4, 5]
        np.testing.assert_array_equal(page.labels, chamfer.cut(Z, n_clusters=3))

    def test_what_is_set_goes_to_the_page(self):
        page = chamfer.explore(Z, X)
        page.n_clusters = 4  # before there is a widget
        assert page.widget.n_clusters == 4
        page.selection = [2]
        page.labels = np.repeat([-1, 0, 1], 50)
        assert page.widget.selection == [2]
        assert page.widget.given_labels[49:51] == [-1, 0]
        assert page.labels.tolist() == page.widget.given_labels

    def test_a_kernel_gets_the_widget_and_readers_without_one_the_page(self, monkeypatch):
        monkeypatch.setattr(notebook, "_has_kernel", lambda: True)
        bundle = chamfer.explore(Z, X)._repr_mimebundle_()
        assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(bundle)
        monkeypatch.setattr(notebook, "_MOST_BYTES", 1000)  # a page that is too large to be stored twice
        assert "text/html" not in chamfer.explore(Z, X)._repr_mimebundle_()


def test_without_anywidget_the_page_is_html(monkeypatch):
    monkeypatch.setattr(notebook, "_has_kernel", lambda: True)
    monkeypatch.setattr(notebook, "_widget_class", lambda: None)
    page = chamfer.explore(Z, X)
    assert set(page._repr_mimebundle_()) == {"text/plain", "text/html"}
    with pytest.raises(ImportError, match=r"pip install 'chamfer\[notebook\]'"):
        _ = page.widget


@pytest.mark.slow
def test_messages_go_both_ways(browser, tmp_path):
    page = chamfer.explore(Z, X, n_clusters=6)
    values = {
        "page": page._page(notebook=True),
        "height": 800,
        "n_clusters": 6,
        "order": "merge",
        "selection": [],
        "given_labels": [],
    }
    script = MODEL % json.dumps(values).replace("<", "\\u003c") + widget_script().replace(
        "export default", "const made ="
    )
    script += "\nwindow.clean = made.render({ model, el: document.body });"
    (tmp_path / "host.html").write_text(f"<!doctype html><body><script type=module>{script}</script>")
    host = browser.new_page(viewport={"width": 1200, "height": 900})
    problems = []
    host.on("pageerror", lambda error: problems.append(str(error)))
    host.goto((tmp_path / "host.html").as_uri())
    frame = host.frame_locator("iframe")
    frame.get_by_text("150 points in 6 clusters").wait_for()
    host.evaluate("model.set('n_clusters', 3)")
    frame.get_by_text("150 points in 3 clusters").wait_for()
    frame.get_by_role("button", name="Members of cluster 1").click()
    members = np.flatnonzero(chamfer.cut(Z, n_clusters=3) == 1).tolist()
    host.wait_for_function(f"model.get('selection').length === {len(members)}")
    assert host.evaluate("model.get('selection')") == members
    host.evaluate("model.set('selection', [5, 7])")
    frame.get_by_text("Selection: 2 points").wait_for()
    frame.get_by_label("Number of clusters").fill("4")
    frame.get_by_label("Number of clusters").press("Enter")
    host.wait_for_function("model.get('n_clusters') === 4 && window.saved > 0")
    host.evaluate(f"model.set('given_labels', {np.repeat([-1, 0, 1], 50).tolist()})")
    frame.locator("#legend").get_by_text("1", exact=True).wait_for()
    host.evaluate("clean()")
    host.close()
    assert problems == []
