"""Files that commands write: never one that is read, never half of one."""

import csv
import io
import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import chamfer
from chamfer.cli.commands import demo
from command_line import POINTS, TABLE, call, refused
from marks import slow

resource = pytest.importorskip("resource", reason="limits of processes are POSIX")
OLD = b"what was there before"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, a tree in three forms, and links to them; commands run in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(TABLE)
    np.savez("x.npz", X=POINTS)
    np.save("Z.npy", chamfer.linkage(POINTS))
    np.savez("t.npz", Z=chamfer.linkage(POINTS))
    for link, target in [("soft.csv", "d.csv"), ("soft.png", "d.csv"), ("tree.png", "t.npz"), ("later.npz", "o.csv")]:
        os.symlink(target, link)
    os.link("d.csv", "hard.csv")
    os.mkdir("below")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class TestOneFileForTwoThings:
    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("cluster d.csv -k 2 -o d.csv", "--output: d.csv is the same file as the input d.csv"),
            ("cluster d.csv -k 2 -o below/../d.csv", "--output: below/../d.csv is the same file"),
            ("cluster d.csv -k 2 -o soft.csv", "--output: soft.csv is the same file as the input d.csv"),
            ("cluster soft.csv -k 2 -o d.csv", "--output: d.csv is the same file as the input soft.csv"),
            ("cluster d.csv -k 2 -o hard.csv", "--output: hard.csv is the same file as the input d.csv"),
            ("cluster x.npz --save-tree x.npz", "--save-tree: x.npz is the same file as the input x.npz"),
            ("cluster d.csv -k 2 --checkpoint d.csv", "--checkpoint: d.csv is the same file as the input"),
            (
                "cluster d.csv -k 2 -o o.csv --save-tree later.npz",
                "--save-tree: later.npz is the same file as --output",
            ),
            (
                "cluster d.csv -k 2 -o new --checkpoint below/../new",
                "--checkpoint: below/../new is the same file as --out",
            ),
            ("cut Z.npy -k 2 -o Z.npy", "--output: Z.npy is the same file as the input Z.npy"),
            ("export t.npz --format json -o t.npz", "--output: t.npz is the same file as the input t.npz"),
            ("plot t.npz -o tree.png", "--output: tree.png is the same file as the input t.npz"),
            ("compare d.csv --labels kind --linkages ward --plot soft.png", "--plot: soft.png is the same file"),
            ("explore d.csv -o soft.csv", "--output: soft.csv is the same file as the input d.csv"),
        ],
    )
    def test_is_refused_before_anything_is_written(self, folder, line, message):
        before = contents(folder)
        done = call(line)
        assert (done.code, done.out) == (1, "")
        assert message in done.err
        assert contents(folder) == before

    @pytest.mark.parametrize("line", slow("cluster - -k 2 -o d.csv < d.csv", "cluster d.csv -k 2 >> d.csv"))
    def test_is_refused_through_redirections(self, folder, line):
        done = subprocess.run(["bash", "-c", f"{sys.executable} -m chamfer {line}"], capture_output=True, text=True)
        assert done.returncode == 1
        assert "is the same file as the input" in done.stderr
        assert (folder / "d.csv").read_text() == TABLE

    def test_a_device_may_be_written_to_twice(self, folder):
        os.symlink("/dev/null", "null.npz")
        assert call("cluster d.csv -k 2 -o /dev/null --save-tree null.npz").code == 0


# Every command that writes a file, and the file.
WRITERS = [
    ("cluster d.csv -k 2 -o", "o.csv"),
    ("cluster d.csv -k 2 -o", "o.tsv"),
    ("cluster d.csv -k 2 -o", "o.npy"),
    ("cluster d.csv -k 2 --id-column name -o", "o.parquet"),
    ("cluster d.csv --save-tree", "o.npz"),
    ("cut t.npz -k 2 -o", "o.csv"),
    ("plot t.npz -o", "o.svg"),
    ("plot t.npz -o", "o.png"),
    ("compare d.csv --labels kind --linkages ward --plot", "o.png"),
    ("export t.npz -o", "o.nwk"),
    ("export t.npz -o", "o.json"),
    ("explore d.csv -o", "o.html"),
    ("demo -o", "o.png"),
]


@pytest.fixture
def quick_demo(monkeypatch):
    monkeypatch.setattr(demo, "METHODS", ("chamfer",))


@pytest.mark.usefixtures("quick_demo")
class TestWholeFiles:
    @pytest.mark.parametrize(("line", "name"), WRITERS)
    def test_a_full_disk_leaves_the_old_file(self, folder, line, name):
        assert call(line, name).code == 0  # imports what it needs while files may still grow
        (folder / name).write_bytes(OLD)
        before = contents(folder)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        try:
            done = call(line, name)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        refused(done, name, "File too large")
        assert contents(folder) == before

    @pytest.mark.parametrize(("line", "name"), WRITERS)
    def test_an_interrupted_command_leaves_the_old_file(self, folder, line, name, monkeypatch):
        def interrupt(*arguments):
            raise KeyboardInterrupt

        (folder / name).write_bytes(OLD)
        before = contents(folder)
        monkeypatch.setattr(os, "replace", interrupt)
        assert call(line, name).code == 130
        assert contents(folder) == before

    @pytest.mark.parametrize(("line", "name"), WRITERS)
    def test_a_new_file_takes_the_place_of_the_old_one(self, folder, line, name):
        (folder / name).write_bytes(OLD)
        old = os.open(name, os.O_RDONLY)  # someone still reads it
        assert call(line, name).code == 0
        assert os.read(old, 100) == OLD
        os.close(old)
        assert (folder / name).read_bytes() != OLD
        assert not list(folder.glob(".*"))

    def test_python_writes_pages_the_same_way(self, folder, monkeypatch):
        def fail(*arguments):
            raise OSError(28, "No space left on device")

        (folder / "o.html").write_bytes(OLD)
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match=r"No space left on device: 'o\.html'"):
            chamfer.explore(chamfer.linkage(POINTS), output="o.html")
        assert (folder / "o.html").read_bytes() == OLD
        assert not list(folder.glob(".*"))


class TestKindsOfFiles:
    def test_links_stay_links(self, folder):
        (folder / "below" / "labels.csv").write_bytes(OLD)
        os.symlink("below/labels.csv", "o.csv")
        os.symlink("below/new.csv", "dangling.csv")
        for name in ("o.csv", "dangling.csv"):
            assert call("cut t.npz -k 2 -o", name).code == 0
            assert os.path.islink(name)
            assert len(pd.read_csv(name)) == 6
        assert sorted(os.listdir("below")) == ["labels.csv", "new.csv"]

    def test_permissions(self, folder):
        (folder / "o.csv").write_bytes(OLD)
        os.chmod("o.csv", 0o640)
        before = os.umask(0o027)
        try:
            for name in ("o.csv", "new.csv"):
                assert call("cut t.npz -k 2 -o", name).code == 0
        finally:
            os.umask(before)
        assert [stat.S_IMODE(os.stat(name).st_mode) for name in ("o.csv", "new.csv")] == [0o640, 0o640]

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
    def test_what_may_not_be_written_is_refused(self, folder):
        (folder / "o.csv").write_bytes(OLD)
        os.chmod("o.csv", 0o444)
        refused(call("cut t.npz -k 2 -o o.csv"), "o.csv", "Permission denied")
        assert (folder / "o.csv").read_bytes() == OLD

    def test_folders_are_refused_before_the_work(self, folder):
        done = call("cluster d.csv -k 2 -o below")
        assert (done.code, done.err) == (1, "chamfer: error: --output: below is a folder\n")

    def test_a_named_pipe(self, folder):
        os.mkfifo("pipe")
        found = []
        reader = threading.Thread(target=lambda: found.append((folder / "pipe").read_text()))
        reader.start()
        assert call("cut t.npz -k 2 -o pipe").code == 0
        reader.join(10)
        assert len(pd.read_csv(io.StringIO(found[0]))) == 6
        assert stat.S_ISFIFO(os.stat("pipe").st_mode)

    @pytest.mark.slow
    def test_standard_output_as_a_file(self, folder):
        command = f"{sys.executable} -m chamfer cut t.npz -k 2 -q -o /dev/stdout"
        for line in (f"{command} | cat", f"{command} > o.csv; cat o.csv"):
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (call("cut t.npz -k 2").out, "")

    def test_a_full_device(self, folder):
        refused(call("cut t.npz -k 2 -o /dev/full"), "/dev/full", "No space left on device")

    @pytest.mark.slow
    def test_a_full_standard_output(self, folder):
        line = f"{sys.executable} -m chamfer cut t.npz -k 2 -q > /dev/full"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr == "chamfer: error: standard output: No space left on device\n"

    @pytest.mark.slow
    def test_closed_streams(self, folder):
        for redirection, line in [("<&-", "cluster - -k 2"), (">&-", "cut t.npz -k 2"), ("2>&-", "cut none.npz -k 2")]:
            command = f"{sys.executable} -m chamfer {line} {redirection}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
            assert done.returncode == 1
            assert "Traceback" not in done.stderr
            assert done.stdout == ""


class TestNames:
    def test_a_column_of_names_called_label(self, folder):
        (folder / "d.csv").write_text(TABLE.replace("name", "label"))
        wanted = chamfer.cut(chamfer.linkage(POINTS), n_clusters=2).tolist()
        done = call("cluster d.csv --drop kind -k 2 --id-column label --save-tree o.npz")
        for text in (done.out, call("cut o.npz -k 2").out):
            rows = list(csv.reader(io.StringIO(text)))
            assert rows[0] == ["label", "cluster"]
            assert rows[1:] == [[f"point {i}", str(label)] for i, label in enumerate(wanted)]
        assert "note: the clusters are in column 'cluster', because the names are in column 'label'" in done.err

    @pytest.mark.parametrize("count", [0, 5, 7])
    def test_names_of_another_number_than_points(self, folder, count):
        np.savez("t.npz", Z=chamfer.linkage(POINTS), names=np.array(["a"] * count, dtype=str))
        for line in ("cut t.npz -k 2 -o o.csv", "export t.npz -o o.nwk", "plot t.npz -o o.png"):
            refused(call(line), "t.npz", f"must name all 6 points, got {count}")
            assert not list(folder.glob("o.*"))

    FORMULAS = ["=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "\rx", "-inf", "+", "=", "-5 apples"]
    PLAIN = ["-5", "+1.5", "-.5e-3", "+7e9", "a=b", "", "'quoted"]

    def test_names_do_not_become_formulas(self, folder):
        names = [*self.FORMULAS, *self.PLAIN]
        n = len(names)
        np.savez("x.npz", X=np.arange(2.0 * n).reshape(n, 2), **{"=name": np.array(names)})
        call("cluster x.npz --id-column =name --save-tree o.npz")
        safe = ["'" + name for name in self.FORMULAS] + self.PLAIN
        for line in ("cluster x.npz --id-column =name -k 2", "cut o.npz -k 2"):
            for ending, separator in ((".csv", ","), (".tsv", "\t")):
                assert self.written(f"{line} -o o{ending}", separator) == [["'=name", "label"], *safe]
                assert self.written(f"{line} --raw-names -o o{ending}", separator) == [["=name", "label"], *names]

    def written(self, line, separator):
        """The header of a file of labels, and the names in it."""
        assert call(line).code == 0
        with open(line.split()[-1], newline="") as file:
            head, *rows = csv.reader(file, delimiter=separator)
        return [head, *(row[0] for row in rows)]

    def test_other_formats_keep_names_as_they_are(self, folder):
        np.savez("x.npz", X=POINTS, name=np.array(["=1"] * 6))
        call("cluster x.npz --id-column name -k 2 -o o.parquet")
        assert pd.read_parquet("o.parquet")["name"].tolist() == ["=1"] * 6
        assert '"ids": ["=1"' in call("cluster x.npz --id-column name -k 2 --json").out

    def test_names_that_parquet_has_no_type_for(self, folder):
        (folder / "d.csv").write_text(f"x,name\n1,{10**30}\n2,{-(10**30)}\n")
        assert call("cluster d.csv -k 2 --id-column name -o o.parquet").code == 0
        assert pd.read_parquet("o.parquet")["name"].tolist() == [str(10**30), str(-(10**30))]

    def test_dates_stay_dates(self, folder):
        dates = pd.Series(pd.date_range("2020-01-01", periods=3))
        for unit in ("ns", "us"):
            pd.DataFrame({"x": [1.0, 2.0, 9.0], "day": dates.dt.as_unit(unit)}).to_parquet("x.parquet")
            done = call("cluster x.parquet -k 2 --id-column day")
            assert done.out == "day,label\n2020-01-01,0\n2020-01-02,0\n2020-01-03,1\n"
