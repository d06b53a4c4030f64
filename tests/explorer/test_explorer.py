"""The explorer, in a real browser: what it shows is what `chamfer.cut` says."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import chamfer
from chamfer import cli

X = load_iris().data
Z = chamfer.linkage(X)
NAMES = [f"flower {i}, </script><b>'\"&" if i % 50 == 0 else f"flower {i}" for i in range(150)]
FORMULAS = ["=1+1", "+A1", "-A1", "@x", "\tx", "\rx", "-inf", "-5", "+1.5", "-.5e-3", "a=b", "", '=a,"b"']
SAFE = ["'" + name for name in FORMULAS[:7]] + FORMULAS[7:12] + ["'" + FORMULAS[12]]
NODE = shutil.which("node")


class TestFile:
    def test_it_needs_nothing_else(self, tmp_path):
        page = chamfer.explore(Z, X, tmp_path / "x.html", labels=NAMES, title="Iris & <friends>").path.read_text()
        assert "<title>Iris &amp; &lt;friends&gt;</title>" in page
        assert not re.search(r"(src|href)=[\"']?(http|//|\w+\.(js|css))", page)
        assert page.count("</script>") == 2

    def test_marks_in_titles_and_names_stay_as_they_are(self, tmp_path):
        names = ["/*script*/", *map(str, range(149))]
        page = chamfer.explore(Z, X, tmp_path / "x.html", labels=names, title="/*data*/").path.read_text()
        assert "<title>/*data*/</title>" in page
        assert '"/*script*/"' in page

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_small_trees(self, tmp_path, n):
        points = np.arange(2.0 * n).reshape(n, 2)
        assert chamfer.explore(chamfer.linkage(points), points, tmp_path / "x.html").path.exists()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"X": X[:5]}, r"X must have a row for each of the 150 points of Z, got shape \(5, 4\)"),
            ({"X": np.full((150, 2), np.nan)}, "X must be finite"),
            ({"labels": ["a"]}, "labels must name all 150 points, got 1"),
            ({"n_clusters": 151}, "n_clusters must be between 1 and 150, got 151"),
        ],
    )
    def test_wrong_arguments_are_named(self, tmp_path, options, message):
        with pytest.raises(ValueError, match=message):
            chamfer.explore(Z, output=tmp_path / "x.html", **options)
        assert not (tmp_path / "x.html").exists()

    def test_the_command(self, tmp_path, capsys):
        np.savez(tmp_path / "x.npz", X=X, name=np.array(NAMES))
        arguments = [
            "explore",
            str(tmp_path / "x.npz"),
            "--id-column",
            "name",
            "-k",
            "4",
            "--linkage",
            "ward",
        ]
        assert cli.main([*arguments, "-o", str(tmp_path / "x.html")]) == 0
        assert "<title>x.npz, ward linkage</title>" in (tmp_path / "x.html").read_text()
        assert f"open {tmp_path / 'x.html'} in a browser" in capsys.readouterr().err

    def test_half_characters_in_names(self, tmp_path):
        path = chamfer.explore([[0, 1, 1.0, 2]], output=tmp_path / "x.html", labels=["a\ud800", "b"], title="\udcff")
        assert '"names": ["a\\ud800", "b"]' in path.path.read_text(encoding="utf-8")

    @pytest.mark.skipif(NODE is None, reason="needs Node.js")
    def test_names_in_saved_labels_do_not_become_formulas(self):
        """What a browser would do, of which this machine may have none."""
        script = (Path(chamfer.__file__).parent / "explorer" / "scripts" / "export.js").read_text(encoding="utf-8")
        start, end = script.index("function quote("), script.index("function save(")
        known = f"const data = {{names: {json.dumps(FORMULAS)}}}, name = (p) => data.names[p];"
        cut = f"const cut = {{labels: {[0] * len(FORMULAS)}}};"
        end_line = "process.stdout.write(labelsAsCsv([...data.names.keys()]))"
        code = "\n".join([known, cut, script[start:end], end_line])
        done = subprocess.run([NODE, "-e", code], capture_output=True, check=True)
        rows = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
        assert rows == [["name", "label"], *([name, "0"] for name in SAFE)]


def labels(page):
    return page.evaluate("explorer.labels()")


class TestBrowser:
    def test_the_slider_cuts_as_the_library_does(self, open_page):
        page = open_page(Z, X, labels=NAMES)
        assert labels(page) == chamfer.cut(Z, n_clusters=10).tolist()
        slider = page.get_by_role("slider", name="Clusters")
        for value in (0, 250, 600, 1000):
            slider.fill(str(value))
            count = int(page.get_by_label("Number of clusters").input_value())
            assert labels(page) == chamfer.cut(Z, n_clusters=count).tolist()
        assert count == 150
        slider.fill("0")
        assert page.get_by_role("status").inner_text() == "150 points in 1 cluster, the largest of 150"

    @pytest.mark.parametrize("order", ["merge", "least", "cumulative"])
    def test_every_order_and_number(self, open_page, order):
        page = open_page(Z, X)
        page.get_by_label("Order of merges").select_option(order)
        for count in (1, 2, 3, 5, 17, 80, 150):
            page.get_by_label("Number of clusters").fill(str(count))
            page.get_by_label("Number of clusters").press("Enter")
            assert labels(page) == chamfer.cut(Z, n_clusters=count, order=order).tolist()

    def test_the_keyboard_alone(self, open_page):
        page = open_page(Z, X, n_clusters=3)
        page.get_by_role("slider", name="Clusters").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert labels(page) == chamfer.cut(Z, n_clusters=5).tolist()
        page.keyboard.press("ArrowLeft")
        assert labels(page) == chamfer.cut(Z, n_clusters=4).tolist()
        page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        merges = page.locator("#tree g[aria-label*='look into it']")
        merges.first.focus()  # of the picture for four clusters: one that is about to be drawn anew would lose it
        page.keyboard.press("Enter")
        assert "of 150 points" in page.locator("#part").inner_text()
        page.keyboard.press("Escape")
        while page.locator("#part").inner_text():
            page.keyboard.press("Escape")

    def test_a_click_beside_a_merge_will_do(self, open_page):
        page = open_page(Z, X)
        merge = page.locator("#tree g[aria-label*='look into it']").first
        box = merge.bounding_box()
        line = merge.locator("path").last.evaluate("path => path.getPointAtLength(path.getTotalLength() / 2).y")
        top = page.locator("#tree").bounding_box()["y"]
        page.mouse.click(box["x"] + box["width"] / 2, top + line - 4)
        assert "of 150 points" in page.locator("#part").inner_text()

    def test_the_table_describes_clusters(self, open_page):
        page = open_page(Z, X, labels=NAMES, n_clusters=3)
        found = chamfer.cut(Z, n_clusters=3)
        rows = page.locator("#table tbody tr")
        assert rows.count() == 3
        shown_heights = []
        for row in rows.all():
            label, size, height, spread, central = (cell.inner_text() for cell in row.locator("td").all()[:5])
            members = X[found == int(label)]
            assert int(size) == len(members)
            away = np.linalg.norm(members - members.mean(axis=0), axis=1)
            assert float(spread) == pytest.approx(np.sqrt(np.mean(away**2)), rel=1e-3)
            nearest = np.flatnonzero(found == int(label))[away.argmin()]
            assert central == NAMES[nearest]
            shown_heights.append(float(height))
        joined = Z[-2:, :2].astype(int).ravel()
        wanted = [Z[cluster - 150, 2] for cluster in joined if cluster != 150 + 147]
        np.testing.assert_allclose(sorted(shown_heights), sorted(wanted), rtol=1e-3)
        page.get_by_role("button", name="Label", exact=True).click()
        assert [row.locator("td").first.inner_text() for row in rows.all()] == ["0", "1", "2"]

    def test_hundreds_of_rows_come_when_the_slider_rests(self, open_page):
        page = open_page(Z, X)
        page.get_by_role("slider", name="Clusters").fill("1000")
        page.locator("#table tbody tr").nth(149).wait_for()
        assert page.locator("#table tbody tr").count() == 150

    def test_members_can_be_seen_and_saved(self, open_page):
        page = open_page(Z, X, labels=NAMES, n_clusters=3)
        page.get_by_role("button", name="Members of cluster 1").click()
        members = np.flatnonzero(chamfer.cut(Z, n_clusters=3) == 1)
        assert page.locator("#members .name").all_inner_texts() == [NAMES[i] for i in members]
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        with open(download.value.path(), newline="") as file:
            rows = list(csv.reader(file))
        assert rows == [["name", "label"]] + [[NAMES[i], "1"] for i in members]
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("button", name="Copied").wait_for()

    def test_saved_names_do_not_become_formulas(self, open_page):
        page = open_page(chamfer.linkage(X[: len(FORMULAS)]), labels=FORMULAS, n_clusters=1)
        with page.expect_download() as download:
            page.locator("#menu summary").click()
            page.get_by_role("button", name="Download labels").click()
        with open(download.value.path(), newline="") as file:
            assert [row[0] for row in csv.reader(file)] == ["name", *SAFE]

    def test_all_labels_can_be_saved(self, open_page):
        page = open_page(Z, X, n_clusters=6)
        with page.expect_download() as download:
            page.locator("#menu summary").click()
            page.get_by_role("button", name="Download labels").click()
        saved = np.loadtxt(download.value.path(), delimiter=",", skiprows=1, dtype=int)
        np.testing.assert_array_equal(saved[:, 1], chamfer.cut(Z, n_clusters=6))

    def test_pointing_at_the_map_names_the_point(self, open_page):
        page = open_page(np.array([[0, 1, 1.0, 2]]), np.array([[0.0, 0.0], [1.0, 1.0]]), labels=["a", "b"])
        box = page.locator("#map").bounding_box()
        page.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2)
        assert re.fullmatch("[ab] · cluster [01]", page.locator("#tip").inner_text())
        page.get_by_role("slider", name="Clusters").fill("0")  # another cut, of which the tip knows nothing
        assert page.locator("#tip").is_hidden()

    def test_without_points_there_is_no_map(self, open_page):
        page = open_page(Z)
        assert page.locator("#map-panel").is_hidden()
        assert page.locator("#table tbody tr").count() == 10

    @pytest.mark.parametrize("n", [1, 2])
    def test_the_smallest_trees(self, open_page, n):
        points = np.arange(2.0 * n).reshape(n, 2)
        assert labels(open_page(chamfer.linkage(points), points)) == list(range(n))

    def test_a_chain_of_50_000_points(self, open_page):
        n = 50_000
        steps = np.arange(n - 1)
        chain = np.column_stack([np.where(steps == 0, 0, n + steps - 1), steps + 1, steps + 1.0, steps + 2.0])
        page = open_page(chain, np.random.default_rng(0).normal(size=(n, 2)))
        page.get_by_role("slider", name="Clusters").fill("800")
        count = page.evaluate("explorer.state.k")
        assert labels(page) == chamfer.cut(chain, n_clusters=count).tolist()
