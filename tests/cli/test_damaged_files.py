"""Files that are damaged, odd, or larger than memory: one line that names the file, and exit code 1."""

import bz2
import gzip
import io
import lzma
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest

import chamfer
from command_line import POINTS, TABLE, call, refused
from marks import slow

Z = chamfer.linkage(POINTS)


def npy(array):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of fields that are not ASCII need a later version of the format
        np.lib.format.write_array(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def claimed(shape, dtype="<f8", body=b"0123456789"):
    """An NPY file whose header says more than there is."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def npz(members, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def flipped(content, place):
    """`content` with one byte changed, `place` of the way through."""
    at = int(place * len(content))
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def marked(content, offset, value):
    """An archive with a 16-bit field of its members changed: 6 is flags, 8 the kind of compression."""
    result = bytearray(content)
    for magic, start in ((b"PK\x03\x04", offset), (b"PK\x01\x02", offset + 2)):
        at = content.find(magic)
        while at >= 0:
            result[at + start : at + start + 2] = struct.pack("<H", value)
            at = content.find(magic, at + 1)
    return bytes(result)


# What may be wrong with an array, whether it is the tree or the table.
ARRAYS = {
    "empty": b"",
    "text": b"not an array",
    "cut off in the magic": npy(Z)[:5],
    "cut off in the header": npy(Z)[:40],
    "cut off in the numbers": npy(Z)[:-9],
    "header too large": claimed((10**12, 4)),
    "header that overflows": claimed((2**62, 4)),
    "header that overflows to nothing": claimed((2**60, 16)),
    "negative header": claimed((-5, 4)),
    "many empty rows": claimed((10**12, 0)),
    "many empty columns": claimed((0, 10**12)),
    "no bytes for each value": claimed((10**6, 10**6), "<U0"),
    "shape that is none": claimed("'x'"),
    "dtype that is none": claimed((5, 4), "nonsense"),
    "header of another kind": claimed((5, 4)).replace(b"{", b"["),
    "later version": b"\x93NUMPY\x09" + npy(Z)[7:],
    "header of 4 GB": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100),
    "objects": npy(Z.astype(object)),
    "structured": npy(np.zeros((5, 4), [("a", "f8"), ("b", "i4")])),
    "named fields in UTF-8": npy(np.zeros((5, 4), [("ä日", "f8")])),
    "void": npy(np.zeros((5, 4), "V8")),
    "complex": npy(Z.astype(complex)),
    "dates": npy(np.zeros((5, 4), "M8[D]")),
    "dates of an odd unit": npy(np.zeros((5, 4), "M8[25s]")),
    "durations": npy(np.zeros((5, 4), "m8[s]")),
    "words": npy(np.full((5, 4), "word")),
    "digits as text": npy(Z.astype(str)),
    "bytes": npy(np.full((5, 4), b"1")),
    "booleans": npy(np.ones((5, 4), bool)),
    "no dimension": npy(1.0),
    "one dimension": npy(np.ones(4)),
    "three dimensions": npy(np.ones((5, 4, 1))),
    "not finite": npy(np.where(Z[0, 2] == Z, np.nan, Z)),
    "beyond double precision": npy(np.full((5, 4), np.longdouble("1e4000"))),
}
ARCHIVE = {"{}.npy": npy(Z), "names.npy": npy(np.array(list("abcdef"))), "linkage.npy": npy("ward")}
# What may be wrong with an archive, "{}" being the name of the array that is looked for.
ARCHIVES = {
    "cut in half": lambda whole: whole[: len(whole) // 2],
    "without its end": lambda whole: whole[:-30],
    "a flipped byte": lambda whole: flipped(whole, 0.1),
    "another flipped byte": lambda whole: flipped(whole, 0.2),
    "encrypted": lambda whole: marked(whole, 6, 1),
    "compressed in an unknown way": lambda whole: marked(whole, 8, 97),
    "compressed in another way than said": lambda whole: marked(whole, 8, 12),
    "no archive": lambda whole: b"PK\x03\x04",
    "an empty archive": lambda whole: npz({}),
    "members of no array": lambda whole: npz({"{}": b"x", "Z": b"x", ".npy": npy(0), "a/": b"", "b\n.npy": npy(0)}),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refuse_tree(name):
    for line in ("cut {} -k 2 -o o.csv", "export {} -o o.nwk", "plot {} -o o.png"):
        refused(call(line.format(name)), name)


def refuse_table(name, labels="0"):
    for line in ("cluster {} -k 1 -o o.csv", "explore {} -o o.html", f"compare {{}} --labels {labels} --plot o.png"):
        refused(call(line.format(name)), name)


class TestTrees:
    @pytest.mark.parametrize("case", ARRAYS)
    def test_bad_arrays(self, folder, case):
        (folder / "t.npy").write_bytes(ARRAYS[case])
        (folder / "t.npz").write_bytes(npz({"Z.npy": ARRAYS[case]}))
        refuse_tree("t.npy")
        refuse_tree("t.npz")
        assert not list(folder.glob("o.*"))

    @pytest.mark.parametrize("case", ARCHIVES)
    def test_bad_archives(self, folder, case):
        whole = npz({name.format("Z"): content for name, content in ARCHIVE.items()})
        (folder / "t.npz").write_bytes(ARCHIVES[case](whole))
        refuse_tree("t.npz")

    @pytest.mark.parametrize("case", ["objects", "structured", "complex", "header too large", "no dimension"])
    @pytest.mark.parametrize("member", ["names", "linkage", "id_name"])
    def test_bad_members(self, folder, member, case):
        (folder / "t.npz").write_bytes(npz({"Z.npy": npy(Z), f"{member}.npy": ARRAYS[case]}))
        refuse_tree("t.npz")

    @pytest.mark.parametrize("dtype", [">f8", "<f4", ">i8", "u2", "f2", np.longdouble])
    def test_numbers_of_other_kinds_are_a_tree(self, folder, dtype):
        np.save("t.npy", np.array([[0, 1, 2, 2], [2, 3, 4, 3]], dtype))
        assert call("cut t.npy -k 2").out == "label\n0\n0\n1\n"

    def test_a_folder_is_not_a_tree(self, folder):
        (folder / "t.npz").mkdir()
        refuse_tree("t.npz")


class TestTables:
    @pytest.mark.parametrize("case", ARRAYS)
    def test_bad_arrays(self, folder, case):
        (folder / "x.npy").write_bytes(ARRAYS[case])
        (folder / "x.npz").write_bytes(npz({"X.npy": ARRAYS[case]}))
        refuse_table("x.npy")
        refuse_table("x.npz")
        assert not list(folder.glob("o.*"))

    @pytest.mark.parametrize("case", ARCHIVES)
    def test_bad_archives(self, folder, case):
        whole = npz({name.format("X"): content for name, content in ARCHIVE.items()})
        (folder / "x.npz").write_bytes(ARCHIVES[case](whole))
        refuse_table("x.npz")

    @pytest.mark.parametrize("dtype", [">f8", "f2", ">i8", "u1", np.longdouble])
    def test_numbers_of_other_kinds_are_a_table(self, folder, dtype):
        np.save("x.npy", np.array([[0, 1], [1, 1], [9, 8]], dtype))
        assert call("cluster x.npy -k 2").out == "label\n0\n0\n1\n"

    @pytest.mark.parametrize("dtype", ["O", [("a", "i4")], "V3"])
    def test_arrays_aside_that_cannot_be_read_are_named(self, folder, dtype):
        members = {"X.npy": npy(POINTS), "y.npy": npy(np.zeros(6, dtype)), "kind.npy": npy([0, 0, 1, 1, 2, 2])}
        (folder / "x.npz").write_bytes(npz(members))
        done = call("compare x.npz --labels kind --linkages ward")
        assert done.code == 0
        assert "note: x.npz: skipped columns that are neither numbers nor text: 'y'\n" in done.err
        refused(call("compare x.npz --labels y"), "x.npz", "there is no column 'y'")

    @pytest.mark.parametrize("write", [pd.DataFrame.to_parquet, pd.DataFrame.to_feather])
    @pytest.mark.parametrize("place", [0.0, 0.02, 0.3, 0.5, 0.9, 1.0])
    def test_bad_arrow_files(self, folder, write, place):
        name = "x.parquet" if write is pd.DataFrame.to_parquet else "x.feather"
        write(pd.DataFrame(POINTS, columns=["0", "1"]), name)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: int(place * (len(whole) - 1))])
        refuse_table(name)
        (folder / name).write_bytes(whole)
        assert call(f"cluster {name} -k 2").code == 0

    @pytest.mark.parametrize(
        ("ending", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
    )
    def test_bad_compressed_text(self, folder, monkeypatch, ending, compress):
        whole = compress(TABLE.encode())
        for content in (whole[:-3], whole[:20], flipped(whole, 0.5), flipped(whole, 0.95), whole[:8]):
            (folder / f"x.csv.{ending}").write_bytes(content)
            refuse_table(f"x.csv.{ending}", "kind")
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
            refused(call("cluster - -k 2"), "standard input")

    def test_a_folder_is_not_a_table(self, folder):
        for name in ("x.csv", "x.npy", "x.npz", "x.parquet", "x.feather"):
            (folder / name).mkdir()
            refuse_table(name)

    def test_columns_of_one_name(self, folder):
        (folder / "x.csv").write_text("a, a\n1,2\n3,4\n")
        refuse_table("x.csv", "a")
        refused(call("cluster x.csv -k 1"), "x.csv", "has several columns called 'a'")

    def test_control_characters_stay_on_one_line(self, folder):
        (folder / "x.npz").write_bytes(npz({"a\nb\x1b[31m.npy": npy(0), "c.npy": npy(0)}))
        assert "a b\\x1b[31m" in refused(call("cluster x.npz -k 1"), "x.npz")

    @pytest.mark.parametrize("names", ['a"b\nc', "x" * 200_000])
    def test_names_of_columns_that_cannot_be_split(self, folder, names):
        (folder / "x.csv").write_text(TABLE)
        done = call("cluster x.csv -k 1 --columns", names)
        assert done.code in (1, 2)
        assert "Traceback" not in done.err


class TestIntegersBeyond64Bits:
    TEXT = "name,x\n123456789012345678901234567890,1\n123456789012345678901234567891,2\n-999999999999999999999,3\n"

    def test_are_numbers_to_cluster_by(self, folder):
        (folder / "x.csv").write_text(self.TEXT)
        assert call("cluster x.csv -k 2").out == "label\n0\n0\n1\n"

    def test_keep_all_digits_as_names(self, folder):
        (folder / "x.csv").write_text(self.TEXT)
        names = [row.split(",")[0] for row in call("cluster x.csv -k 3 --id-column name").out.splitlines()]
        assert names == [row.split(",")[0] for row in self.TEXT.splitlines()]

    def test_decimals_are_numbers_and_digits_as_text_are_not(self, folder):
        import decimal

        frame = pd.DataFrame({"x": [decimal.Decimal(i) for i in (1, 2, 9)], "code": ["01", "02", "03"]})
        frame.to_parquet("x.parquet")
        done = call("cluster x.parquet -k 2")
        assert done.out == "label\n0\n0\n1\n"
        assert "'code' (such as '01')" in done.err


class TestMemory:
    """With a megabyte to spare, files that would take thirty are refused before they are read."""

    @pytest.fixture
    def little(self, folder, monkeypatch):
        monkeypatch.setattr("chamfer.memory.available_memory", lambda: 1_000_000)
        call("info")  # imports
        tracemalloc.start()
        yield
        tracemalloc.stop()

    def refuse(self, line, name, message="30 MB"):
        tracemalloc.reset_peak()
        refused(call(line), name, message)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000 + tracemalloc.get_traced_memory()[0]

    def test_arrays(self, little, folder):
        content = npy(np.zeros((937_500, 4)))
        (folder / "x.npy").write_bytes(content)
        (folder / "x.npz").write_bytes(npz({"X.npy": content}))
        (folder / "t.npz").write_bytes(npz({"Z.npy": content}))
        (folder / "n.npz").write_bytes(npz({"Z.npy": npy(Z), "names.npy": npy(np.zeros(6, "U1250000"))}))
        (folder / "a.npz").write_bytes(npz({"X.npy": npy(POINTS), "y.npy": npy(np.zeros(6, "U1250000"))}))
        del content
        for name in ("x.npy", "x.npz", "a.npz"):
            self.refuse(f"cluster {name} -k 2", name)
        for name in ("x.npy", "t.npz", "n.npz"):
            self.refuse(f"cut {name} -k 2", name)

    @pytest.mark.parametrize("compress", [gzip.compress, *slow(bz2.compress, lzma.compress), bytes])
    def test_text(self, little, folder, monkeypatch, compress):
        (folder / "x.csv").write_bytes(compress(b"a,b\n" + b"1,2\n" * 7_500_000))
        self.refuse("cluster x.csv -k 2", "x.csv", "more than 500 kB")
        with open("x.csv", "rb") as file:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
            self.refuse("cluster - -k 2", "standard input", "more than 500 kB")

    def test_short_rows_of_a_wide_table(self, little, folder):
        (folder / "x.csv").write_text(",".join(f"c{i}" for i in range(1000)) + "\n" + "1\n" * 3749)
        self.refuse("cluster x.csv -k 2", "x.csv")

    def test_parquet(self, little, folder):
        pd.DataFrame({"x": np.zeros(3_750_000)}).to_parquet("x.parquet")
        self.refuse("cluster x.parquet -k 2", "x.parquet")
