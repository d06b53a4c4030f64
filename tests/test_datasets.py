"""Data sets by name: those of the paper's table, files of every accepted form, and what errors advise."""

import re

import numpy as np
import pytest
import sklearn.datasets

from chamfer import datasets
from chamfer.datasets import PAPER, DatasetUnavailableError


@pytest.mark.parametrize("name", [name for name, paper in PAPER.items() if paper.embedded])
def test_embedded_sets_are_the_papers(name):
    data = datasets.load(name, download=False)
    assert data.name == name
    assert data.X.shape == (PAPER[name].n, PAPER[name].d)
    assert data.n_classes == PAPER[name].n_classes
    assert data.differences == []


def test_the_papers_table_is_complete():
    assert len(PAPER) == 20
    sums = np.sum([(paper.n, paper.d, paper.n_classes) for paper in PAPER.values()], axis=0)
    assert sums.tolist() == [1_688_077, 87_733, 1_091]  # of the printed table's columns
    assert {paper.kind for paper in PAPER.values()} == {
        "Tabular",
        "Raw Images",
        "Image Embeddings",
        "Text Embeddings",
    }


def test_npz_is_found_whatever_its_spelling(tmp_path):
    X, y = np.arange(12, dtype=np.uint8).reshape(4, 3), np.array(["a", "b", "b", "a"])
    np.savez(tmp_path / "Fashion_MNIST.npz", X=X, y=y)
    np.savez(tmp_path / "mine.npz", X=X, y=y)
    data = datasets.load("fashion-mnist", tmp_path)
    assert data.name == "fashion-mnist"
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)
    assert data.differences == [
        "4 points, the paper 70000",
        "3 columns, the paper 512",
        "2 classes, the paper 10",
    ]
    mine = datasets.load("Mine", str(tmp_path))
    assert mine.name == "mine"
    assert mine.differences == ["not one of the paper's data sets"]


def test_aliases_and_directory_come_first(tmp_path):
    np.savez(tmp_path / "olivetti.npz", X=np.zeros((2, 2)), y=np.zeros(2))
    np.savez(tmp_path / "iris.npz", X=np.ones((2, 2)), y=np.zeros(2))
    assert datasets.load("faces", tmp_path).X.shape == (2, 2)
    assert datasets.load("Olivetti-Faces", tmp_path).name == "faces"
    assert datasets.load("iris", tmp_path).X.tolist() == [[1, 1], [1, 1]]
    assert datasets.load("wine", tmp_path).X.shape == (178, 13)


@pytest.mark.parametrize("ending", ["npy", "txt"])
def test_npy_with_labels(tmp_path, ending):
    np.save(tmp_path / "points.npy", np.eye(3, dtype=np.float32))
    if ending == "npy":
        np.save(tmp_path / "points_labels.npy", np.array(["x", "y y", "x"]))
    else:
        (tmp_path / "points_labels.txt").write_text("x\ny y\nx\n")
    data = datasets.load("points", tmp_path)
    assert data.X.dtype == np.float32
    assert data.y.tolist() == ["x", "y y", "x"]


def test_what_cannot_be_had_is_explained(tmp_path):
    with pytest.raises(
        DatasetUnavailableError,
        match=r"birds cannot be fetched: .*ConvNeXt; put birds.npz with arrays X and y",
    ):
        datasets.load("birds")
    with pytest.raises(
        DatasetUnavailableError,
        match=r"mnist is not embedded in scikit-learn: allow downloads, or put mnist.npz",
    ):
        datasets.load("mnist", tmp_path, download=False)
    with pytest.raises(
        DatasetUnavailableError,
        match=r"name must be one of iris, .*covertype; pass a directory to read another, got 'x'",
    ):
        datasets.load("x")
    with pytest.raises(DatasetUnavailableError, match=re.escape(f"or a file in {tmp_path}, got 'x'")):
        datasets.load("x", tmp_path)
    with pytest.raises(DatasetUnavailableError, match="directory must be an existing directory"):
        datasets.load("iris", tmp_path / "nowhere")


def test_failed_download_is_explained(monkeypatch):
    def offline(*args, **kwargs):
        raise OSError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", offline)
    for name in ("usps", "covertype"):
        with pytest.raises(
            DatasetUnavailableError, match=rf"{name} could not be fetched \(no network\); put {name}.npz"
        ):
            datasets.load(name)


def test_downloads_ask_for_the_right_data(monkeypatch):
    asked = []

    def fetch(**options):
        asked.append(options["data_id"])
        return np.zeros((3, 2)), np.array(["0", "1", "1"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    for name in ("mnist", "usps", "fashion-mnist"):
        assert datasets.load(name).y.tolist() == ["0", "1", "1"]
    assert asked == [554, 41082, 40996]


@pytest.mark.slow
def test_newsgroups_become_dense(monkeypatch):
    from scipy.sparse import random

    words = random(200, 300, density=0.1, format="csr", rng=np.random.default_rng(0))
    monkeypatch.setattr(
        sklearn.datasets, "fetch_20newsgroups_vectorized", lambda **options: (words, np.arange(200) % 20)
    )
    data = datasets.load("news")
    assert data.X.shape == (200, 128)
    assert "128 columns, the paper 4096" in data.differences


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros(3)}, "cannot be used: it must hold arrays X and y, got a"),
        ({"X": np.zeros((3, 2, 2)), "y": np.zeros(3)}, r"must hold numbers of shape \(n, d\) as X"),
        ({"X": np.array([["a"]]), "y": np.zeros(1)}, r"must hold numbers of shape \(n, d\) as X, got <U1"),
        (
            {"X": np.zeros((3, 2)), "y": np.zeros(2)},
            r"must hold one label for each of 3 points, got shape \(2,\)",
        ),
    ],
)
def test_unusable_files_are_named(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=rf"bad\.npz {message}"):
        datasets.load("bad", tmp_path)


def test_damaged_files_are_named(tmp_path):
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match=r"bad\.npz cannot be used"):
        datasets.load("bad", tmp_path)


def test_missing_labels_are_named(tmp_path):
    np.save(tmp_path / "points.npy", np.eye(3))
    with pytest.raises(ValueError, match=r"its labels are missing: points_labels\.npy or points_labels\.txt"):
        datasets.load("points", tmp_path)
