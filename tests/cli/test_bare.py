"""Without pandas, as after a bare installation: text, JSON and arrays are read all the same."""

import subprocess
import sys

import numpy as np
import pytest

from chamfer.cli import tables
from chamfer.cli.console import CommandError
from chamfer.cli.console import table as layout
from command_line import IRIS, TABLE, call, labels_of

WITHOUT = """
import sys

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "pyarrow", "matplotlib"):
            raise ModuleNotFoundError(f"no module {name}", name=name)

sys.meta_path.insert(0, Hide())
from chamfer.cli import main
codes = [main(line.split()) for line in sys.argv[1:]]
assert not any(codes), codes
"""


@pytest.mark.slow
def test_commands(tmp_path):
    (tmp_path / "x.csv").write_text(TABLE)
    lines = [
        "cluster x.csv -k 3 --id-column name -o labels.csv",
        "cluster --example iris -k 3 --save-tree tree.npz",
        "cut tree.npz -k 4 --json",
        "choose x.csv",
        "compare x.csv --labels kind --id-column name --linkages ward,chamfer",
        "explore --example wine --standardize -o x.html",
    ]
    done = subprocess.run([sys.executable, "-c", WITHOUT, *lines], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "labels.csv").read_text().startswith("name,label\npoint 0,0\n")


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A folder, and no pandas for readers of tables."""

    def missing():
        raise CommandError("pandas is hidden")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "pandas", missing)
    return tmp_path


def test_labels_are_the_same(bare, monkeypatch):
    IRIS.data.to_csv("iris.csv", index=False)
    without = call("cluster iris.csv -k 3")
    monkeypatch.undo()
    np.testing.assert_array_equal(labels_of(without.out), labels_of(call(f"cluster {bare / 'iris.csv'} -k 3").out))


def test_other_formats_say_what_is_missing(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pandas", None)
    done = call(f"cluster {tmp_path / 'x.parquet'} -k 2")
    assert done.code == 1
    assert "pip install 'chamfer[cli]'" in done.err


CONTENTS = [
    "a,b\n1,2\n3,4\n",
    "a,b\n1.5,x\n-2e3,y\n",
    "a,b\n1,\n,4\n",
    "a,b\nNA,x\n3,null\n",
    'a,b\n"1","x, y"\n"2","z ""quoted"""\n',
    'a,b\n1,"two\nlines"\n2,z\n',
    "a,b\nTrue,1\nFalse,2\n",
    "a,b\n1,2\n3\n",
    "a,b\n\n1,2\n\n",
    "a,b\r\n1,2\r\n3,4\r\n",
    "a,b\n99999999999999999999,1\n2,3\n",
    "a,b\n9223372036854775808,1\n2,3\n",
    "a,b\ninf,1\n-inf,2\n",
    "a,b\n 1,2 \n 3,4 \n",
    "\ufeffa,b\n1,é\n2,ü\n",
    "a\n0.1\n0.2\n",
]


@pytest.mark.parametrize("content", CONTENTS)
def test_both_readers_of_text_agree(content):
    ways = [split(content.encode(), ",", ".", False) for split in (tables._split_by_pandas, tables._split_by_csv)]
    assert [name for name, _ in ways[0]] == [name for name, _ in ways[1]]
    for (_, one), (_, other) in zip(*ways, strict=True):
        assert one.dtype.kind == other.dtype.kind
        assert list(map(str, one.tolist())) == list(map(str, other.tolist()))


def test_a_row_that_is_too_long_is_refused(bare):
    (bare / "long.csv").write_text("a,b\n1,2\n3,4,5\n")
    done = call("cluster long.csv -k 2")
    assert "long.csv: cannot be read: expected 2 fields, saw 3" in done.err


def test_a_narrow_terminal_gets_fewer_columns(monkeypatch):
    head, rows = ["linkage", "score", "", "seconds"], [["chamfer", "0.9", "█████████", "0.01"]]
    wide = layout(head, rows, "<><>")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "25")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "█" in wide
    assert layout(head, rows, "<><>").splitlines()[2].split() == ["chamfer", "0.9", "0.01"]
    monkeypatch.setenv("COLUMNS", "15")
    assert layout(head, rows, "<><>").splitlines()[2].split() == ["chamfer", "0.9"]
