"""What the explorer shows beside the cut, in a real browser: the map, colours, search, pictures, its address."""

import csv
import re
import struct

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

import chamfer

IRIS = load_iris(as_frame=True)
X = IRIS.data
Z = chamfer.linkage(X)
SPECIES = np.array(IRIS.target_names)[IRIS.target]
NAMES = [f"{species} {i}" for i, species in enumerate(SPECIES)]
EVIL = "</script><script>window.evil=1</script><img src=x onerror='window.evil=1'>"
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
SQUARE_Z = chamfer.linkage(SQUARE)


def drawn(page):
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def members(page):
    return page.locator("#members .name").all_inner_texts()


def on_page(page, point):
    """Where a point of the map is in the window."""
    box = page.locator("#map").bounding_box()
    x, y = page.evaluate(f"explorer.onScreen({point})")
    return box["x"] + x, box["y"] + y


def color_at(page, point):
    """Red, green and blue of the map where a point is."""
    page.evaluate("explorer.setClusters(explorer.state.k)")
    drawn(page)
    shown = page.evaluate(
        """async (point) => {
          const picture = await createImageBitmap(await mapAsPng());
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          const context = canvas.getContext("2d");
          context.drawImage(picture, 0, 0);
          return [...context.getImageData(...explorer.onScreen(point).map(Math.round), 1, 1).data];
        }""",
        point,
    )
    return shown[:3]


def near(color, hex_color):
    return np.abs(np.array(color) - [int(hex_color[i : i + 2], 16) for i in (1, 3, 5)]).max() < 40


class TestSearch:
    def test_by_name(self, open_page):
        page = open_page(Z, X, labels=NAMES, columns={"species": SPECIES})
        page.get_by_label("Search").fill("VIRGINICA 14")
        page.get_by_text("10 matches").wait_for()
        assert members(page) == [f"virginica {i}" for i in range(140, 150)]
        assert page.locator("#members-title").inner_text() == "Matches of “VIRGINICA 14”: 10 points"
        page.keyboard.press("Enter")  # the first is shown on the map
        page.locator("#tip").get_by_text("virginica 140").wait_for()
        page.keyboard.press("Escape")
        assert page.get_by_label("Search").input_value() == ""
        assert "Choose a cluster" in page.locator("#members-title").inner_text()

    @pytest.mark.slow
    def test_in_texts_and_numbers(self, open_page):
        page = open_page(Z, X, texts=["one", "two"] * 75)
        page.get_by_label("Search").fill("two")
        page.get_by_text("75 matches").wait_for()
        page.get_by_label("Search").fill("149")
        page.get_by_text("1 match", exact=True).wait_for()
        assert members(page) == ["149"]

    @pytest.mark.slow
    def test_a_list_grows_as_it_is_scrolled(self, open_page):
        points = np.arange(900.0)[:, None]
        page = open_page(chamfer.linkage(points), points, n_clusters=1)
        page.get_by_role("button", name="Members of cluster 0").click()
        assert page.locator("#members li").count() == 200
        page.locator("#members").evaluate("list => list.scrollTo(0, list.scrollHeight)")
        page.locator("#members li").nth(399).wait_for()


class TestColour:
    @pytest.mark.slow
    def test_by_class(self, open_page):
        page = open_page(Z, X, columns={"species": SPECIES}, n_clusters=3)
        page.get_by_label("Colour by").select_option("species")
        assert page.locator("#legend").inner_text().split() == ["setosa", "versicolor", "virginica"]
        shown = [row.locator("td.column").inner_text() for row in page.locator("#table tbody tr").all()]
        found = chamfer.cut(Z, n_clusters=3)
        wanted = []
        for label in range(3):
            counts = pd.Series(SPECIES[found == label]).value_counts()
            wanted.append(f"{counts.index[0]} ({round(100 * counts.iloc[0] / counts.sum())}%)")
        assert sorted(shown) == sorted(wanted)
        colors = chamfer.trees.colors.cluster_colors(3)
        extremes = X["petal length (cm)"].to_numpy().argsort()[[0, -1]]  # a setosa and a virginica, both at the edge
        assert near(color_at(page, int(extremes[0])), colors[0])
        assert near(color_at(page, int(extremes[1])), colors[2])

    @pytest.mark.slow
    def test_columns_of_a_data_frame(self, open_page):
        frame = X.assign(species=SPECIES, name=NAMES)
        page = open_page(Z, frame, color="species")
        options = page.locator("#color option").all_inner_texts()
        assert options == ["cluster", *X.columns, "species", "name"]
        page.get_by_label("Colour by").select_option("petal length (cm)")
        low, high = X["petal length (cm)"].quantile([0.02, 0.98])
        assert page.locator("#legend").inner_text().split() == [f"{low:.4g}", f"{high:.4g}"]
        assert "mean" in page.locator("td.column").first.inner_text()

    @pytest.mark.slow
    def test_missing_values_and_many_classes(self, open_page):
        page = open_page(
            Z,
            X,
            columns={
                "rank": [None if i % 50 == 0 else f"class {i % 30}" for i in range(150)],
                "weight": [np.nan] * 150,
            },
        )
        page.get_by_label("Colour by").select_option("rank")
        assert page.locator("#legend .entry").count() == 21
        assert page.locator("#legend .entry").last.inner_text() == "10 more"
        page.get_by_label("Colour by").select_option("weight")
        assert page.locator("td.column").first.inner_text() == "–"


class TestMap:
    def test_zoom_keeps_what_is_under_the_pointer(self, open_page):
        page = open_page(Z, X)
        before = on_page(page, 7)
        page.mouse.move(*before)
        for _ in range(3):
            page.mouse.wheel(0, -100)
        page.wait_for_function("explorer.view.zoom > 2")
        np.testing.assert_allclose(on_page(page, 7), before, atol=0.5)
        page.get_by_role("button", name="Whole map").click()
        assert page.evaluate("explorer.view") == {"x": 0, "y": 0, "zoom": 1}

    @pytest.mark.slow
    def test_drag_moves_and_does_not_choose(self, open_page):
        page = open_page(Z, X)
        box = page.locator("#map").bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 200)
        before = on_page(page, 7)
        page.mouse.down()
        page.mouse.move(box["x"] + 260, box["y"] + 170, steps=4)
        page.mouse.up()
        moved = np.subtract(on_page(page, 7), before)
        assert np.abs(moved - [60, -30]).max() < 6
        assert page.evaluate("explorer.state.chosen") is None

    @pytest.mark.slow
    def test_a_click_takes_the_point_of_the_tip(self, open_page):
        page = open_page(SQUARE_Z, SQUARE, labels=["a", "b", "c", "d"], n_clusters=4)
        x, y = on_page(page, 1)
        page.mouse.move(x - 6, y - 6)
        tip = page.locator("#tip").inner_text()
        assert tip.startswith("b")
        page.mouse.click(x - 6, y - 6)
        assert members(page) == ["b"]
        assert page.locator("#members-title").inner_text().startswith("Cluster 1")

    @pytest.mark.slow
    def test_the_keyboard(self, open_page):
        page = open_page(Z, X)
        page.locator("#map").focus()
        page.keyboard.press("+")
        page.keyboard.press("ArrowRight")
        view = page.evaluate("explorer.view")
        assert view["zoom"] == 1.5
        assert view["x"] > 0
        page.keyboard.press("0")
        assert page.evaluate("explorer.view.zoom") == 1

    @pytest.mark.slow
    @pytest.mark.parametrize("renderer", ["webgl", "canvas"])
    def test_both_renderers_draw_points_in_their_colours(self, open_page, renderer):
        page = open_page(SQUARE_Z, SQUARE, n_clusters=4, at=f"?renderer={renderer}")
        if page.evaluate("explorer.renderer()") != renderer:
            pytest.skip("no WebGL here")
        colors = page.evaluate("cut.clusters.map(({ color }) => color)")
        for point in range(4):
            assert near(color_at(page, point), colors[point])

    @pytest.mark.slow
    def test_coordinates_of_ones_own(self, open_page):
        page = open_page(SQUARE_Z, coordinates=1e9 + SQUARE @ [[0, 1], [1, 0]])
        assert page.locator("#map-title").inner_text() == "Map given coordinates"
        places = np.array([on_page(page, point) for point in range(4)])
        assert places[1, 1] < places[0, 1]  # the first coordinate is now the height
        assert abs(places[1, 0] - places[0, 0]) < 0.5
        assert places[2, 0] > places[0, 0]

    @pytest.mark.slow
    def test_a_tip_stays_within_the_map(self, open_page):
        page = open_page(Z, X, labels=["a long name " * 4] * 150, texts=["word " * 60] * 150, size=(360, 740))
        outer = page.locator("#map-box").bounding_box()
        for point in (int(X["petal length (cm)"].argmax()), int(X["petal length (cm)"].argmin())):
            page.evaluate(f"showTip({point})")
            inner = page.locator("#tip").bounding_box()
            assert outer["x"] <= inner["x"]
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
            assert inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1


class TestAddress:
    @pytest.mark.slow
    def test_a_link_opens_the_page_as_it_was(self, open_page):
        page = open_page(Z, X, labels=NAMES, columns={"species": SPECIES})
        page.get_by_label("Order of merges").select_option("cumulative")
        page.get_by_label("Number of clusters").fill("5")
        page.get_by_label("Number of clusters").press("Enter")
        page.get_by_label("Colour by").select_option("species")
        page.get_by_label("Heights").select_option("log")
        page.locator("#tree g[aria-label*='look into it']").nth(3).press("Enter")
        page.get_by_role("button", name="Zoom in").click()
        page.get_by_role("button", name="Members of cluster 2").click()
        page.wait_for_function("location.hash.includes('cluster=2')")
        address = page.evaluate("location.hash")
        for part in ("k=5", "order=cumulative", "color=species", "scale=log", "part=", "map=0%2C0%2C1.6"):
            assert part in address
        state = (
            "['k', 'order', 'color', 'scale', 'root', 'chosen'].map((key) => explorer.state[key]).concat(explorer.view)"
        )
        before = page.evaluate(state)
        again = open_page(Z, X, labels=NAMES, columns={"species": SPECIES}, at=address)
        assert again.evaluate(state) == before
        assert again.evaluate("explorer.labels()") == chamfer.cut(Z, n_clusters=5, order="cumulative").tolist()

    @pytest.mark.slow
    def test_a_search_in_a_link(self, open_page):
        page = open_page(Z, X, labels=NAMES, at="#find=setosa+4")
        page.get_by_text("11 matches").wait_for()

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "address", ["#k=0&part=3&cluster=99&map=1,2", "#k=x&order=up&color=no&scale=cube", "#%%%", "#k=1e9"]
    )
    def test_a_link_that_makes_no_sense(self, open_page, address):
        page = open_page(Z, X, at=address)
        assert page.evaluate("explorer.labels()") == chamfer.cut(Z, n_clusters=10).tolist()
        assert page.evaluate("[explorer.state.order, explorer.state.chosen]") == ["merge", None]


class TestShown:
    def test_on_a_phone_nothing_is_cut_off(self, open_page):
        page = open_page(
            Z,
            X,
            labels=NAMES,
            columns={"species": SPECIES},
            title="A long title of a page " * 3,
            size=(360, 740),
            touch=True,
        )
        page.get_by_role("button", name="Members of cluster 1").click()
        page.locator("#menu summary").click()
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        wide = page.evaluate(
            """[...document.querySelectorAll("button, input, select, canvas, svg, h1, h2, label, td, summary")]
              .filter((each) => each.offsetParent !== null || each instanceof SVGElement)
              .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
              .map((each) => each.outerHTML.slice(0, 80))"""
        )
        assert wide == []
        page.locator("#menu summary").click()
        page.locator("#map").scroll_into_view_if_needed()
        page.touchscreen.tap(*on_page(page, 100))
        assert page.evaluate("explorer.state.chosen") is not None

    @pytest.mark.slow
    def test_thumbnails_are_the_pictures_of_their_points(self, open_page):
        pictures, digits = load_digits(return_X_y=True)
        pictures = pictures[:100]
        page = open_page(
            chamfer.linkage(pictures), pictures, images=pictures, columns={"digit": digits[:100]}, n_clusters=1
        )
        page.get_by_role("button", name="Members of cluster 0").click()
        assert page.locator("#members .thumbnail").count() == 100
        found = page.evaluate(
            """async () => {
              const picture = await createImageBitmap(await (await fetch(atlas)).blob());
              const { wide, high, across } = data.images;
              const canvas = new OffscreenCanvas(picture.width, picture.height);
              const context = canvas.getContext("2d");
              context.drawImage(picture, 0, 0);
              const at = [(37 % across) * wide, Math.floor(37 / across) * high];
              return [...context.getImageData(...at, wide, high).data].filter((_, i) => i % 4 === 0);
            }"""
        )
        assert np.abs(np.array(found) - pictures[37] * 255 / 16).max() <= 1

    @pytest.mark.slow
    def test_what_distinguishes_a_cluster(self, open_page):
        page = open_page(Z, X, n_clusters=3)
        page.get_by_role("button", name="Members of cluster 0").click()
        wanted = chamfer.summarize(Z, X, 3, n_features=4)[0].features
        shown = page.locator("#striking li").all()
        assert [each.locator(".feature").inner_text() for each in shown] == [each.name for each in wanted]
        numbers = [float(each.locator(".number").inner_text().replace("−", "-")) for each in shown]
        np.testing.assert_allclose(numbers, [each.difference for each in wanted], atol=0.051)

    @pytest.mark.slow
    def test_suggested_numbers(self, open_page):
        choice = chamfer.choose(Z, X.to_numpy())
        page = open_page(Z, X, choice=choice)
        chips = page.locator("#suggestions .chip").all_inner_texts()
        assert {int(chip.split()[0]) for chip in chips} >= {each.n_clusters for each in choice.suggestions}
        page.locator("#suggestions .chip", has_text="separation").click()
        assert page.evaluate("explorer.state.k") == choice.n_clusters
        assert page.locator("#curves path:not(.here)").count() == len(choice.suggestions)
        page.get_by_label("Order of merges").select_option("least")  # of which the curves know nothing
        drawn(page)
        assert page.locator("#curves").is_hidden()

    @pytest.mark.slow
    @pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
    def test_an_axis_of_heights(self, open_page, scale):
        page = open_page(Z, X)
        page.get_by_label("Heights").select_option(scale)
        texts = page.locator("#tree .axis text").all_text_contents()
        values = [float(text.replace("K", "e3")) for text in texts]
        places = [float(each.get_attribute("y")) for each in page.locator("#tree .axis text").all()]
        to = {"linear": lambda h: h, "sqrt": np.sqrt, "log": np.log}[scale]
        assert len(values) >= 3
        assert max(values) <= Z[:, 2].max()
        slope = np.polyfit(to(np.array(values)), places, 1)  # heights and places are on one line
        np.testing.assert_allclose(np.polyval(slope, to(np.array(values))), places, atol=0.5)

    @pytest.mark.slow
    def test_names_and_texts_cannot_run(self, open_page):
        frame = pd.DataFrame({EVIL: np.arange(4.0), "a": [EVIL, "b", EVIL, "b"]})
        page = open_page(
            SQUARE_Z,
            frame,
            labels=[EVIL] * 4,
            texts=[EVIL] * 4,
            title=EVIL,
            columns={f"2{EVIL}": [EVIL] * 4},
            color="a",
            n_clusters=1,
        )
        page.get_by_role("button", name="Members of cluster 0").click()
        page.evaluate("showTip(0)")
        page.get_by_label("Search").fill("script")
        page.get_by_text("4 matches").wait_for()
        assert page.evaluate("window.evil") is None
        assert members(page) == [EVIL] * 4

    @pytest.mark.slow
    def test_pictures_can_be_saved(self, open_page):
        page = open_page(Z, X, n_clusters=3)
        page.locator("#menu summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download tree").click()
        text = download.value.path().read_text()
        assert text.startswith("<svg")
        assert "var(" not in text
        assert len(re.findall("<path", text)) > 49
        with page.expect_download() as download:
            page.get_by_role("button", name="Download map").click()
        content = download.value.path().read_bytes()
        wide, high = struct.unpack(">II", content[16:24])
        assert content.startswith(b"\x89PNG")
        assert wide > 300
        assert high > 300

    @pytest.mark.slow
    def test_the_matches_of_a_search_can_be_saved(self, open_page):
        page = open_page(Z, X, labels=NAMES)
        page.get_by_label("Search").fill("setosa 4")
        page.get_by_text("11 matches").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        with open(download.value.path(), newline="") as file:
            assert [row[0] for row in csv.reader(file)][1:3] == ["setosa 4", "setosa 40"]
