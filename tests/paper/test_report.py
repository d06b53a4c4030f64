"""`python -m paper`: resuming, what is missing or too large, what reports hold."""

import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import chamfer
from chamfer import datasets
from paper import cells, run, tables
from paper.__main__ import main
from paper.store import Results


class Page(HTMLParser):
    """What a page consists of; fails on elements that are closed in the wrong order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.ids, self.text = [], [], set(), []
        self.counts = {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [value for key, value in attrs if key in ("href", "src", "xlink:href")]
        self.ids.add(attributes.get("id"))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def reproduce(*words):
    return main(["--quiet", *map(str, words)])


def entries(out):
    with (out / "reproduction.csv").open(newline="") as file:
        return {(row["table"], row["row"], row["column"]): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "new" / "directory"
    assert reproduce("iris", "wine", "birds", "--out", out) == 0
    return out


@pytest.mark.slow
def test_report_holds_ours_beside_the_papers(report):
    found = entries(report)
    iris = found["best-ari", "iris", "Ch_N"]
    assert float(iris["ours"]) == pytest.approx(0.7752, abs=1e-4)
    assert (iris["paper"], float(iris["difference"])) == ("0.775", pytest.approx(0.0002, abs=1e-4))
    assert float(found["heights", "wine", "Single"]["ours"]) == 25
    assert float(found["best-nmi", "geometric mean of 2", "Ch"]["ours"]) == pytest.approx(
        (0.8057 * 0.4280) ** 0.5, abs=1e-3
    )
    assert float(found["best-nmi", "geometric mean of 2", "Ch"]["paper"]) == pytest.approx(
        (0.806 * 0.428) ** 0.5, abs=1e-5
    )
    score = np.mean([13 / 15.07, 12 / 13.53])  # geometric means of the nine printed heights
    assert float(found["heights", "Score over 2", "Average"]["paper"]) == pytest.approx(score, abs=0.001)
    assert float(found["seconds", "iris: scikit-learn", "Ward"]["ours"]) > 0
    assert ("seconds", "iris: scikit-learn", "Centroid") not in found
    assert float(found["all-ami", "wine", "Single"]["ours"]) > float(found["best-ami", "wine", "Single"]["ours"])
    assert 0 < float(found["purity", "iris", "Ch"]["ours"]) < 1


@pytest.mark.slow
def test_report_scores_what_users_do(report):
    found = entries(report)
    iris = datasets.load("iris")
    labels = chamfer.cut(chamfer.linkage(iris.X), n_clusters=3)
    expected = cells._SKLEARN["ari"](iris.y, labels)
    assert float(found["true-ari", "iris", "Ch"]["ours"]) == pytest.approx(expected, abs=1e-5)
    labels = chamfer.cut(chamfer.linkage(iris.X, "average", "sqeuclidean"), n_clusters=3)
    assert float(found["true-fmi", "iris", "Average²"]["ours"]) == pytest.approx(
        cells._SKLEARN["fmi"](iris.y, labels), abs=1e-5
    )
    for peer in ("k-means", "HDBSCAN", "spectral"):
        assert 0.5 < float(found["true-nmi", "iris", peer]["ours"]) < 1


@pytest.mark.slow
def test_markdown_holds_tables_differences_and_what_is_missing(report):
    text = (report / "reproduction.md").read_text(encoding="utf-8")
    assert "`python -m paper iris wine birds`" in text
    assert re.search(r"^\| iris \| 0\.611 / 0\.611 \| .*\*\*0\.775\*\* / 0\.775", text, re.MULTILINE)
    assert "- wine, Single, ARI: 0.350, the paper 0.300 (+0.050)" in text
    assert "- iris, Ch\\_N, tree height:" in text
    assert re.search(r"^\| birds \| 84635 \| 1024 \| 525 \| missing: birds cannot be fetched", text, re.MULTILINE)
    for line in text.splitlines():
        if line.startswith("|---"):
            columns = line.count("|")
        elif line.startswith("| ") and not line.startswith("| |"):
            assert line.replace("\\|", "").count("|") == columns


@pytest.mark.slow
def test_page_is_whole_and_needs_nothing_else(report):
    text = (report / "reproduction.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.counts["svg"] == 3 + 2  # heat maps, and curves of each data set
    assert page.counts["table"] == len(tables.all_tables(Results(report / "results.json"))) + 1
    assert "script" not in page.counts
    assert "img" not in page.counts
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= page.ids
    assert "url(http" not in text
    shown = " ".join(page.text)
    for expected in (
        "0.775",
        "0.300 +0.050",
        "Ch_NS",
        "k-means",
        "missing: birds",
        "3 classes",
        "Printed as 0.3",
    ):
        assert expected in shown, expected


@pytest.mark.slow
def test_second_run_runs_nothing(report, monkeypatch, capsys):
    before = (report / "results.json").read_bytes()
    page = (report / "reproduction.html").read_bytes()
    for name in ("tree", "ties", "clustering", "peer_time"):
        monkeypatch.setattr(cells, name, lambda *_: pytest.fail("a finished cell was run again"))
    assert reproduce("iris", "wine", "birds", "--out", report) == 0
    assert (report / "results.json").read_bytes() == before
    assert (report / "reproduction.html").read_bytes() == page
    told = capsys.readouterr()
    assert "skipped: birds cannot be fetched" in told.err
    assert "53 of 54 ARI, NMI and FMI" in told.out


def quick(out, *names, data=None):
    place = ("--data", data) if data else ()
    return reproduce("iris", *names, *place, "--methods", "chamfer", "ward", "--peer-points", 0, "--out", out)


@pytest.mark.slow
def test_interrupted_run_goes_on(tmp_path, monkeypatch):
    whole, seen = cells.tree, []

    def until_the_second(data, method, metric, *rest):
        if len(seen) == 1:
            raise KeyboardInterrupt
        seen.append((method, metric))
        return whole(data, method, metric, *rest)

    monkeypatch.setattr(cells, "tree", until_the_second)
    assert quick(tmp_path) == 130
    assert list(json.loads((tmp_path / "results.json").read_text())["cells"]) == ["iris/tree/chamfer/sqeuclidean"]
    monkeypatch.setattr(cells, "tree", lambda *given: seen.append(given[1:3]) or whole(*given))
    assert quick(tmp_path) == 0
    assert seen == [("chamfer", "sqeuclidean"), ("ward", "sqeuclidean"), ("chamfer", "euclidean")]
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.slow
def test_cell_that_does_not_fit_says_so_and_is_tried_again(tmp_path, monkeypatch):
    real = chamfer.linkage

    def small_machine(X, method, *rest, **options):
        if method == "ward":
            raise MemoryError("ward of 150 points needs 40 GB")
        return real(X, method, *rest, **options)

    monkeypatch.setattr(chamfer, "linkage", small_machine)
    assert quick(tmp_path) == 0
    assert entries(tmp_path)["best-ari", "iris", "Ward"]["note"] == "memory"
    assert "| memory / 0.731 |" in (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    Page((tmp_path / "reproduction.html").read_text(encoding="utf-8"))
    monkeypatch.undo()
    assert quick(tmp_path) == 0
    assert entries(tmp_path)["best-ari", "iris", "Ward"]["note"] == ""


@pytest.mark.slow
def test_changed_data_is_run_again_and_not_compared(tmp_path):
    rng = np.random.default_rng(0)
    for shift in (0.0, 3.0):
        X = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(shift, 1, (20, 2))])
        np.savez(tmp_path / "iris.npz", X=X, y=np.repeat([0, 1], 20))
        assert quick(tmp_path, data=tmp_path) == 0
        found = entries(tmp_path)["best-ari", "iris*", "Ch"]
        assert found["paper"] == ""
        assert (float(found["ours"]) > 0.5) == (shift > 0)
    text = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert "No cell can be compared with the paper" in text
    assert "40 points, the paper 150" in text
    assert str(tmp_path) not in text  # the directory is the user's business


@pytest.mark.slow
def test_own_data_beside_the_papers(tmp_path):
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "mine.npz", X=rng.normal(size=(30, 3)).astype(np.float32), y=rng.integers(3, size=30))
    assert quick(tmp_path, "mine", data=tmp_path) == 0
    found = entries(tmp_path)
    assert found["best-ari", "mine*", "Ch"]["paper"] == ""
    assert found["best-ari", "iris", "Ch"]["paper"] == "0.759"
    assert ("best-ari", "geometric mean of 2", "Ch") not in found  # one of the paper's sets makes no mean


@pytest.mark.slow
def test_nothing_to_report(tmp_path, capsys):
    assert reproduce("birds", "--out", tmp_path) == 1
    assert "no data set could be loaded" in capsys.readouterr().err
    assert not (tmp_path / "reproduction.md").exists()


@pytest.mark.slow
def test_large_data_has_its_own_table(tmp_path):
    rng = np.random.default_rng(2)
    np.savez(tmp_path / "covertype.npz", X=rng.normal(size=(60, 2)), y=np.arange(60) % 7)
    assert reproduce("covertype", "--data", tmp_path, "--out", tmp_path, "--methods", "chamfer") == 0
    found = entries(tmp_path)
    assert ("large", "covertype*: ARI", "Ch") in found
    assert ("large", "covertype*: seconds", "Ch") in found
    assert not any(table == "best-ari" for table, _, _ in found)


def test_errors_name_what_is_wrong(tmp_path, capsys):
    with pytest.raises(SystemExit):
        reproduce("iris", "--methods", "median", "--out", tmp_path)
    assert "argument --methods: invalid choice: 'median' (choose from" in capsys.readouterr().err
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(SystemExit):
        quick(tmp_path)
    assert "results.json does not hold results of an earlier run" in capsys.readouterr().err


def test_large_sets_are_run_in_single_precision():
    few = datasets.Dataset("few", np.zeros((10, 2), dtype=np.uint8), np.zeros(10))
    many = datasets.Dataset("many", np.zeros((20_001, 2)), np.zeros(20_001))
    assert run._prepare(few, "auto").dtype == np.float64
    assert run._prepare(many, "auto").dtype == np.float32
    assert run._prepare(many, "float64").dtype == np.float64


def test_schedule_of_thresholds():
    """Heights 1, 2, 4, 8 double, so every cut but that into single points is on the schedule."""
    Z = [[0, 1, 1.0, 2], [2, 5, 2.0, 3], [3, 6, 4.0, 4], [4, 7, 8.0, 5]]
    paths = cells._paths(Z, list("aabbb"))
    assert cells._ami_on_schedule(Z, paths) == pytest.approx(chamfer.best_cut(Z, list("aabbb"), "ami").score)
    # Of the thresholds 1, 2, 4, 8, ... none is between the second merge and the third, at 5 and 5 in the
    # second order and at 6 and 7.5 in the third: the best cut is not on the schedule.
    Z = [[0, 1, 1.0, 2], [2, 5, 5.0, 3], [3, 6, 1.5, 4], [4, 7, 20.0, 5]]
    paths = cells._paths(Z, list("aaabc"))
    path = paths["least"].ami
    assert path[2] == path.max() == 1.0
    assert cells._ami_on_schedule(Z, paths) < 1.0
