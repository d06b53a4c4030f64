"""What is put into the page, and the object that a notebook shows; without a browser."""

import base64
import io
import json
import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import chamfer
from chamfer import cli
from chamfer.explorer.columns import make_columns
from chamfer.explorer.packing import make_atlas
from chamfer.projection import place_points
from marks import slow

X = load_iris().data
Z = chamfer.linkage(X)
SPECIES = np.array(["setosa", "versicolor", "virginica"]).repeat(50)


def content(page):
    """The data in a page, from a file or as text."""
    text = page if isinstance(page, str) else page.path.read_text(encoding="utf-8")
    return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def unpack(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


class TestColumns:
    @pytest.mark.parametrize(
        ("values", "codes", "classes"),
        [
            (["b", "a", "b", None], [1, 0, 1, -1], ["a", "b"]),
            ([10, 2, 10, 2], [1, 0, 1, 0], ["2", "10"]),
            ([True, False, True, True], [1, 0, 1, 1], ["False", "True"]),
            (pd.Categorical(["x", None, "x", "y"]), [0, -1, 0, 1], ["x", "y"]),
            (pd.array(["x", pd.NA, "x", "x"], dtype="string"), [0, -1, 0, 0], ["x"]),
            ([], [], []),
        ],
    )
    def test_classes(self, values, codes, classes):
        (column,) = make_columns({"name": values}, {}, len(values)) if len(values) else [None]
        if column is not None:
            assert column["name"] == "name"
            assert unpack(column["codes"], np.int32).tolist() == codes
            assert column["values"] == classes

    def test_the_most_frequent_classes_come_first_if_there_are_many(self):
        values = [f"c{i}" for i in range(40)] + ["c33"] * 5 + ["c7"] * 3
        (column,) = make_columns({"a": values}, {}, len(values))
        assert column["values"][:2] == ["c33", "c7"]

    def test_numbers(self):
        values = np.append(np.arange(99.0), np.nan)
        (column,) = make_columns(pd.Series(values, name="age"), {}, 100)
        np.testing.assert_array_equal(unpack(column["numbers"], np.float32), values.astype(np.float32))
        assert (column["name"], column["low"], column["high"]) == ("age", 98 * 0.02, 98 * 0.98)

    def test_of_a_data_frame(self, tmp_path):
        frame = pd.DataFrame(X, columns=list("abcd")).assign(species=SPECIES)
        page = content(chamfer.explore(Z, frame, tmp_path / "x.html", color="species"))
        assert [column["name"] for column in page["columns"]] == ["a", "b", "c", "d", "species"]
        assert page["features"] == ["a", "b", "c", "d"]
        assert page["color"] == "species"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"columns": ["a"]}, r"columns must have a value for each of the 150 points, got shape \(1,\) of 'class'"),
            ({"columns": {"x": SPECIES}, "color": "y"}, "color must be one of x, got 'y'"),
            ({"texts": ["a"]}, "texts must hold a text for each of 150 points, got 1"),
            ({"coordinates": X}, r"coordinates must have shape \(150, 2\), got \(150, 4\)"),
            ({"coordinates": np.full((150, 2), np.inf)}, "coordinates must be finite"),
            ({"coordinates": "tsnee", "X": X}, "did you mean 'tsne'"),
            ({"coordinates": "tsne"}, "coordinates='tsne' are computed from X, which is missing"),
            ({"images": X[:, :3]}, r"images must have shape \(150, height, width\).*got \(150, 3\)"),
            ({"images": np.full((150, 2, 2), np.inf)}, "images must be finite"),
            ({"order": "up"}, "order must be one of"),
            ({"choice": chamfer.choose([[0, 1, 1.0, 2]])}, "choice must be of the 150 points of Z, got 2"),
        ],
    )
    def test_wrong_arguments_are_named(self, options, message):
        with pytest.raises(ValueError, match=message):
            chamfer.explore(Z, **options)


class TestAtlas:
    def read(self, found):
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(base64.b64decode(found["atlas"]))))

    @pytest.mark.parametrize("shape", [(7, 5, 3), (7, 5, 3, 3), (7, 5, 3, 4), (7, 9)])
    def test_each_picture_is_at_its_place(self, shape):
        pytest.importorskip("PIL")
        pictures = np.random.default_rng(0).integers(0, 256, size=shape, dtype=np.uint8)
        found = make_atlas(pictures, 7)
        sheet = self.read(found)
        high, wide, across = found["high"], found["wide"], found["across"]
        wanted = pictures[..., :3] if len(shape) == 4 else pictures.reshape(7, high, wide)
        for i in range(7):
            row, column = divmod(i, across)
            shown = sheet[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
            np.testing.assert_array_equal(shown, wanted[i])

    def test_numbers_are_stretched_and_large_pictures_made_smaller(self):
        pytest.importorskip("PIL")
        pictures = np.zeros((2, 128, 200))
        pictures[1] = 5
        found = make_atlas(pictures, 2)
        assert (found["high"], found["wide"]) == (32, 50)
        assert np.unique(self.read(found)).tolist() == [0, 255]


class TestProjection:
    @pytest.mark.parametrize("kind", ["pca", *slow("tsne")])
    @pytest.mark.parametrize("n", [1, 3, 40])
    def test_places(self, kind, n):
        places, name = place_points(X[:n], kind, n)
        assert places.shape == (n, 2)
        assert np.isfinite(places).all()
        assert name in ("first two principal components", "t-SNE")

    def test_a_helpful_error_without_umap(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "umap", None)
        with pytest.raises(ImportError, match="pip install umap-learn"):
            place_points(X, "umap", 150)


class TestExplorer:
    def test_nothing_is_written_unless_asked(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        page = chamfer.explore(Z, X)
        assert not list(tmp_path.iterdir())
        assert page.path is None
        with pytest.raises(ValueError, match="the explorer has no file"):
            os.fspath(page)
        assert repr(page) == "Explorer: 150 points, 10 clusters"
        assert page.save("a.html").exists()
        assert os.fspath(page) == "a.html"
        assert repr(page) == "Explorer: 150 points, 10 clusters, saved as a.html"

    def test_its_state_can_be_read_and_set(self, tmp_path):
        page = chamfer.explore(Z, X, order="least")
        page.n_clusters = 4
        np.testing.assert_array_equal(page.labels, chamfer.cut(Z, n_clusters=4, order="least"))
        page.selection = [7, 3, 3]
        assert page.selection.tolist() == [3, 7]
        page.save(tmp_path / "a.html")
        assert content(page)["clusters"] == 4
        assert content(page)["selection"] == [3, 7]
        own = np.where(np.arange(150) < 5, -1, 0)
        page.labels = own
        np.testing.assert_array_equal(page.labels, own)
        page.n_clusters = 2
        assert page.labels.max() == 1

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("n_clusters", 151, "n_clusters must be between 1 and 150, got 151"),
            ("selection", [150], "selection must be numbers of points from 0 to 149"),
            ("labels", [0, 1], "labels must be 150 integers of at least -1"),
        ],
    )
    def test_wrong_values_are_named(self, name, value, message):
        with pytest.raises(ValueError, match=message):
            setattr(chamfer.explore(Z), name, value)

    def test_without_a_kernel_it_is_html(self):
        page = chamfer.explore(Z, X, title="A & B")
        bundle = page._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/html"}
        assert bundle["text/html"].startswith("<iframe srcdoc=")
        assert bundle["text/html"].count("<") == 2  # all of the page is escaped


class TestCommand:
    def test_columns_texts_and_a_map(self, tmp_path, capsys):
        frame = pd.DataFrame(X, columns=list("abcd")).assign(species=SPECIES, note=[f"note {i}" for i in range(150)])
        frame.to_csv(tmp_path / "d.csv", index=False)
        np.save(tmp_path / "map.npy", X[:, :2])
        options = ["--text-column", "note", "--color", "species", "--map", str(tmp_path / "map.npy")]
        assert cli.main(["explore", str(tmp_path / "d.csv"), *options, "-o", str(tmp_path / "o.html"), "-q"]) == 0
        page = content((tmp_path / "o.html").read_text(encoding="utf-8"))
        assert [column["name"] for column in page["columns"]] == ["species", "a", "b", "c", "d"]
        assert (page["color"], page["texts"][3], page["map"]["kind"]) == ("species", "note 3", "given coordinates")
        assert page["features"] == list("abcd")
        assert cli.main(["explore", str(tmp_path / "d.csv"), "--map", str(tmp_path / "d.csv"), "-q"]) == 1
        assert "must have 150 rows and 2 columns, got 150 and 4" in capsys.readouterr().err
