"""Tables that commands read: every format, and bad content named with its place."""

import bz2
import gzip
import lzma
import sys

import numpy as np
import pandas as pd
import pytest

import chamfer
from command_line import IRIS, labels_of

X = IRIS.data.to_numpy()


def labels(command, name, options=""):
    code, out, err = command(f"cluster {name} -k 3 {options}")
    assert code == 0, err
    return labels_of(out)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x.csv", lambda frame, name: frame.to_csv(name, index=False)),
        ("x.tsv", lambda frame, name: frame.to_csv(name, index=False, sep="\t")),
        ("x.txt", lambda frame, name: frame.to_csv(name, index=False, sep=";")),
        ("marked.csv", lambda frame, name: frame.to_csv(name, index=False, encoding="utf-8-sig")),
        ("x.parquet", lambda frame, name: frame.to_parquet(name)),
        ("x.feather", lambda frame, name: frame.to_feather(name)),
        ("x.npy", lambda frame, name: np.save(name, frame.to_numpy())),
        (
            "x.npz",
            lambda frame, name: np.savez(name, X=frame.to_numpy(), y=np.arange(150), other=np.eye(2)),
        ),
        ("single.npz", lambda frame, name: np.savez(name, table=frame.to_numpy(), y=np.arange(150))),
    ],
)
def test_formats(iris, command, name, write):
    write(IRIS.data, name)
    np.testing.assert_array_equal(labels(command, name), chamfer.cut(chamfer.linkage(X), n_clusters=3))


@pytest.mark.parametrize(("ending", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compressed_text(iris, command, tmp_path, ending, compress):
    (tmp_path / f"x.csv.{ending}").write_bytes(compress((tmp_path / "iris.csv").read_bytes()))
    np.testing.assert_array_equal(labels(command, f"x.csv.{ending}"), labels(command, "iris.csv"))


def test_arrow_streams(iris, command, tmp_path):
    import pyarrow as pa

    table = pa.Table.from_pandas(IRIS.data)
    with (
        pa.OSFile(str(tmp_path / "x.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as stream,
    ):
        stream.write_table(table)
    np.testing.assert_array_equal(labels(command, "x.arrow"), labels(command, "iris.csv"))


def test_float32_stays_float32(iris, command):
    np.save("x.npy", X.astype(np.float32))
    wanted = chamfer.cut(chamfer.linkage(X.astype(np.float32)), n_clusters=3)
    np.testing.assert_array_equal(labels(command, "x.npy"), wanted)


def test_a_file_without_header_loses_no_row(iris, command):
    IRIS.data.to_csv("x.csv", index=False, header=False)
    assert len(labels(command, "x.csv", "--columns 1,2,4")) == 150
    assert "x.csv has no header, its columns are called 1 to 4" in command("cluster x.csv -k 2")[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3,\n5,6\n,8\n", "line 3, column 'b': the value is missing (2 such values in all)"),
        ("a,b\n1,2\n3,4\n5,inf\n", "line 4, column 'b': the value is infinite"),
        ("a,b\n1,2\n3,x4\n5,6\n", "line 3, column 'b': 'x4' is not a number"),
        ("a,b\nx,y\n", "has no column of numbers"),
        ("a,b\nTrue,2020-01-01\nFalse,2020-01-02\n", "has no column of numbers"),
        ("a,b\n1,2,3\n1,2,3,4\n", "cannot be read"),
        ("a,b\n1,2,3\n4,5,6\n", "cannot be read"),
        ("", "is empty"),
        ("a,b\n", "has no rows"),
    ],
)
def test_bad_content_is_named_with_its_place(command, tmp_path, content, message):
    (tmp_path / "x.csv").write_text(content)
    code, out, err = command("cluster -k 1", tmp_path / "x.csv")
    assert (code, out) == (1, "")
    assert message in err
    assert "x.csv: " in err


def test_missing_values_of_nullable_columns(command, tmp_path):
    pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}).to_parquet(tmp_path / "x.parquet")
    code, _, err = command("cluster -k 1", tmp_path / "x.parquet")
    assert code == 1
    assert "row 2, column 'a': the value is missing" in err


def test_text_that_is_not_utf_8(command, tmp_path):
    (tmp_path / "x.csv").write_bytes("a,b\n1,ä\n".encode("latin-1"))
    assert "is not UTF-8 text" in command("cluster -k 1", tmp_path / "x.csv")[2]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.npy", np.arange(3.0), "must hold an array of two dimensions, got shape (3,)"),
        ("x.npz", {"a": np.eye(2), "b": np.eye(3)}, "it holds a (2, 2), b (3, 3)"),
        ("x.npy", np.array([[object()]]), "cannot be read"),
    ],
)
def test_wrong_arrays(command, tmp_path, name, content, message):
    path = tmp_path / name
    np.savez(path, **content) if isinstance(content, dict) else np.save(path, content, allow_pickle=True)
    code, _, err = command("cluster -k 1", path)
    assert code == 1
    assert message in err


@pytest.mark.parametrize("name", ["x.parquet", "x.feather", "x.npz", "x.npy"])
def test_files_that_are_not_what_their_ending_says(command, tmp_path, name):
    (tmp_path / name).write_text("a,b\n1,2\n")
    code, _, err = command("cluster -k 1", tmp_path / name)
    assert code == 1
    assert "cannot be read" in err


def text_table(path, separator=",", decimal=".", **options):
    IRIS.data.to_csv(path, index=False, sep=separator, decimal=decimal, **options)
    return path


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ({"separator": ";", "decimal": ","}, "--decimal ,"),
        ({"separator": "|"}, "--delimiter |"),
        ({"separator": "\t"}, "--delimiter tab"),
        ({"encoding": "utf-16"}, "--encoding utf-16"),
    ],
)
def test_text_of_other_countries(command, tmp_path, how, options):
    path = text_table(tmp_path / "x.csv", **how)
    np.testing.assert_array_equal(labels(command, path, options), chamfer.cut(chamfer.linkage(X), n_clusters=3))


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--encoding klingon", 1, "--encoding: Python knows no encoding 'klingon'"),
        ("--encoding utf-16", 1, "is not utf-16 text"),
        ("--delimiter ,,", 2, "must be one ASCII character"),
    ],
)
def test_wrong_formats_of_text(command, tmp_path, options, code, message):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4")
    found, _, err = command(f"cluster -k 1 {options}", tmp_path / "x.csv")
    assert (found, message in err) == (code, True), err


@pytest.mark.parametrize(("name", "lines"), [("x.json", False), ("x.jsonl", True)])
def test_json(command, tmp_path, name, lines):
    IRIS.data.to_json(tmp_path / name, orient="records", lines=lines, double_precision=15)
    np.testing.assert_array_equal(labels(command, tmp_path / name), chamfer.cut(chamfer.linkage(X), n_clusters=3))


def test_a_spreadsheet_needs_a_reader_or_is_read(command, tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        IRIS.data.to_excel(book, index=False)
        IRIS.data.to_excel(book, index=False, sheet_name="more")
    code, out, err = command("cluster -k 3", tmp_path / "x.xlsx")
    assert code == 0
    assert "read the first sheet, skipped 'more'" in err
    np.testing.assert_array_equal(labels_of(out), chamfer.cut(chamfer.linkage(X), n_clusters=3))


def test_a_spreadsheet_without_a_reader_is_refused(command, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlrd", None)
    (tmp_path / "x.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    code, _, err = command("cluster -k 3", tmp_path / "x.xls")
    assert code == 1
    assert "save the sheet as CSV, or install its reader: pip install xlrd" in err


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("a,b\n1,2\n3,\n", "line 3"),
        ("1,2\n3,\n", "line 2"),
        ("a,b\n\n1,2\n3,\n", "row 2"),  # lines and rows differ: pandas skips empty lines
        ('a,b,c\n1,2,"x\ny"\n3,,z\n', "row 2"),
    ],
)
def test_lines_count_as_in_an_editor(command, tmp_path, content, place):
    (tmp_path / "x.csv").write_text(content)
    assert f"x.csv: {place}, column" in command("cluster -k 1", tmp_path / "x.csv")[2]


class TestDoubts:
    """Notes on what may be a mistake."""

    def notes(self, command, frame, options=""):
        frame.to_csv("x.csv", index=False)
        code, _, err = command(f"cluster x.csv -k 2 {options}")
        assert code == 0, err
        return err

    @pytest.fixture
    def frame(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        return IRIS.data.set_axis(list("abcd"), axis=1)

    def test_columns_are_named(self, command, frame):
        assert "note: clustering by 4 columns: 'a', 'b', 'c', 'd'\n" in self.notes(command, frame)
        assert "note: clustering by 1 column: 'b'\n" in self.notes(command, frame, "--columns b")

    def test_row_numbers(self, command, frame):
        frame.insert(0, "number", range(100, 250))
        hint = "if it only numbers the rows, add --id-column number"
        assert hint in self.notes(command, frame)
        assert hint not in self.notes(command, frame, "--id-column number")
        assert hint not in self.notes(command, frame, "--columns number,a")
        assert hint not in self.notes(command, frame.sample(frac=1, random_state=0))

    def test_row_numbers_where_there_are_no_names(self, command, frame):
        frame.insert(0, "number", range(150))
        frame.to_csv("x.csv", index=False)
        assert "add --drop number" in command("choose x.csv")[2]

    def test_names(self, command, frame):
        frame["name"] = [f"flower {i}" for i in range(150)]
        assert "add --id-column name" in self.notes(command, frame)
        assert "add --id-column" not in self.notes(command, frame, "--id-column name")
        frame["name"] = "flower"
        assert "add --id-column" not in self.notes(command, frame)

    def test_units(self, command, frame):
        hint = "column 'a' spreads"
        assert hint not in self.notes(command, frame)
        frame["a"] *= 1000
        assert hint in self.notes(command, frame)
        assert hint not in self.notes(command, frame, "--standardize")


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_examples_need_no_file(command, name):
    code, out, err = command(f"cluster --example {name} -k 3 --linkage ward")
    assert code == 0
    assert len(np.unique(labels_of(out))) == 3
    assert "note: skipped non-numeric columns: " in err


@pytest.mark.parametrize("line", ["cluster -k 3", "cluster x.csv --example iris"])
def test_a_file_or_an_example(command, line):
    code, _, err = command(line)
    assert code == 2
    assert "give a file (DATA) or --example" in err
