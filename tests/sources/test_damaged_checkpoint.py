"""Checkpoints that were cut, changed or forged, and disks that do not take them."""

import os
import struct

import numpy as np
import pytest

import chamfer
from cases import gaussian, grid
from fuzz.checkpoint_calls import HEAD, NAME, full_disk, records, written

X = grid(2, 50, 2) + gaussian(0, 50, 2) * 1e-3


pytestmark = pytest.mark.usefixtures("short_lists")


@pytest.fixture
def run(path):
    """A run that was written down, its tree and its file."""
    Z = chamfer.linkage(X, checkpoint=path)
    return Z, path.read_bytes()


def offsets(content):
    size = len(content)
    return sorted({*range(64), *np.random.default_rng(0).integers(0, size, 150).tolist(), size - 1})


@pytest.mark.slow
def test_file_cut_anywhere_goes_on_without_a_word(run, path):
    Z, whole = run
    for length in offsets(whole):
        path.write_bytes(whole[:length])
        np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), Z)
        assert path.read_bytes() == whole
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.slow
def test_bits_changed_anywhere_keep_the_old_file(run, path):
    Z, whole = run
    aside = path.with_name(path.name + ".damaged")
    for offset in offsets(whole):
        changed = whole[:offset] + bytes([whole[offset] ^ 0x40]) + whole[offset + 1 :]
        path.write_bytes(changed)
        if offset < len(NAME):
            with pytest.raises(ValueError, match="checkpoint"):
                chamfer.linkage(X, checkpoint=path)
            assert path.read_bytes() == changed
            continue
        with pytest.warns(UserWarning, match=r"checkpoint .* is damaged .* kept as .*\.damaged"):
            np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), Z)
        assert path.read_bytes() == whole
        assert aside.read_bytes() == changed
        aside.unlink()


def test_something_appended(run, path):
    Z, whole = run
    path.write_bytes(whole + b"x" * 100)
    np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), Z)


def spoil(content, number, field):
    """Records from `number` on have other lengths, or are zeros."""
    start = len(NAME) + sum(HEAD.size + len(answer) for _, answer in records(content)[:number])
    if field == "zeros":
        return content[:start] + bytes(len(content) - start)
    length = struct.pack("<Q", {"absurd": 2**63, "rest": len(content) - start - HEAD.size, "none": 0}[field])
    return content[:start] + content[start : start + 16] + length + content[start + 24 :]


@pytest.mark.parametrize("number", [0, 1, 2, 20])
@pytest.mark.parametrize("field", ["absurd", "rest", "none", "zeros"])
def test_records_of_another_length(run, path, number, field):
    Z, whole = run
    path.write_bytes(spoil(whole, number, field))
    with pytest.warns(UserWarning, match="checkpoint .* is damaged at byte"):
        np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), Z)
    assert path.read_bytes() == whole


def test_no_file_that_was_kept_is_replaced(run, path):
    _, whole = run
    for number in (2, 3, 4):
        path.write_bytes(spoil(whole, number, "none"))
        with pytest.warns(UserWarning, match="is damaged"):
            chamfer.linkage(X, checkpoint=path)
    names = ["", ".damaged", ".damaged-2", ".damaged-3"]
    assert sorted(os.listdir(path.parent)) == [path.name + name for name in names]
    assert path.with_name(path.name + ".damaged-2").read_bytes() == spoil(whole, 3, "none")


def forge(run, path, number, change):
    """Write the file of a run with one answer replaced, and a digest that fits."""
    kept = records(run[1])
    kept[number] = kept[number][0], change(kept[number][1])
    path.write_bytes(written(kept))
    return path.read_bytes()


FACTS = [b"", b"null", b"[]", b"3", b"\xff\xfe", b"{", b"[" * 100_000, b'{"a":', b"9" * 5000]
ANSWERS = {
    "nothing": lambda answer: b"",
    "a byte less": lambda answer: answer[:-1],
    "a byte more": lambda answer: answer + b"x",
    "bounds only": lambda answer: answer[: len(answer) // 37 * 8],
    "twice": lambda answer: answer + answer,
}


class TestForged:
    def refused(self, path, content, words):
        with pytest.raises(ValueError, match=f"checkpoint .*run.checkpoint .*{words}"):
            chamfer.linkage(X, checkpoint=path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize("facts", FACTS, ids=lambda facts: str(facts[:9]))
    def test_description_that_is_none(self, run, path, facts):
        self.refused(path, forge(run, path, 0, lambda _: facts), "holds no description of a run")

    @pytest.mark.parametrize("name", [b"", b"\xff", b"tree", b"CdistSource", b"DaskSource", b"os", b"x" * 10**6])
    def test_source_that_cannot_be(self, run, path, name):
        self.refused(path, forge(run, path, 1, lambda _: name), r"holds the source .{3,210} instead of TreeSource")

    @pytest.mark.parametrize("change", ANSWERS.values(), ids=ANSWERS)
    @pytest.mark.parametrize("number", [2, 10, 20])
    def test_answers_that_are_no_lists(self, run, path, number, change):
        self.refused(
            path, forge(run, path, number, change), "holds an answer of .* bytes, which are no lists of .* points"
        )

    def test_parts_of_different_widths(self, run, path):
        def narrower(answer):  # 4 points: 3 clusters and 3 distances each, and a bound
            count = len(answer) // (3 * 12 + 8)
            clusters, distances, bounds = np.split(np.frombuffer(answer, np.uint8), np.cumsum([12, 24]) * count)
            parts = clusters.reshape(count, -1)[:, :8], distances.reshape(count, -1)[:, :16], bounds
            return b"".join(part.tobytes() for part in parts)

        self.refused(path, forge(run, path, 3, narrower), "holds answers of different widths")


def test_long_values_are_not_shown_in_full(run, path):
    forge(run, path, 0, lambda facts: facts.replace(b'"chamfer"', b'"' + b"x" * 10**6 + b'"'))
    with pytest.raises(ValueError, match=r"method 'x+") as caught:
        chamfer.linkage(X, checkpoint=path)
    assert len(str(caught.value)) < 1000


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
class TestDisk:
    @pytest.mark.parametrize("size", [0, 10, 21, 100, 300, 1000, 5000])
    def test_full(self, run, path, size):
        Z, whole = run
        path.unlink()
        with full_disk(size), pytest.raises(OSError, match="checkpoint cannot be written: File too large"):
            chamfer.linkage(X, checkpoint=path)
        assert whole.startswith(path.read_bytes())
        np.testing.assert_array_equal(chamfer.linkage(X, checkpoint=path), Z)
        assert path.read_bytes() == whole

    def test_no_room_to_keep_a_damaged_file(self, run, path):
        _, whole = run
        path.write_bytes(spoil(whole, 3, "none"))
        with full_disk(len(whole) // 2), pytest.raises(OSError, match="checkpoint cannot be written"):
            chamfer.linkage(X, checkpoint=path)
        assert path.read_bytes() == spoil(whole, 3, "none")
        assert os.listdir(path.parent) == [path.name]

    def test_pipe(self, path):
        os.mkfifo(path)
        with pytest.raises(ValueError, match="checkpoint must be a file to make or one made before"):
            chamfer.linkage(X, checkpoint=path)

    @pytest.mark.parametrize("device", ["/dev/null", "/dev/full", "/dev/zero"])
    def test_device(self, device):
        with pytest.raises(ValueError, match=f"checkpoint must be a file .*, {device} is something else"):
            chamfer.linkage(X, checkpoint=device)

    @pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is read-only for root")
    def test_read_only(self, run, path):
        path.chmod(0o444)
        with pytest.raises(PermissionError, match="checkpoint cannot be written"):
            chamfer.linkage(X, checkpoint=path)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that cannot be read")
def test_file_that_cannot_be_read():
    with pytest.raises(OSError, match="checkpoint cannot be read"):
        chamfer.linkage(X, checkpoint="/proc/self/mem")


def test_name_that_no_file_can_have():
    with pytest.raises(ValueError, match="checkpoint must be the name of a file"):
        chamfer.linkage(X, checkpoint="a\0b")
