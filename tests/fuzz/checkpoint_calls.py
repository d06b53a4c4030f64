"""Checkpoints that are damaged, forged or of another run, and disks that are full."""

from __future__ import annotations

import os
import resource
import struct
import tempfile
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import chamfer
from chamfer.sources import checkpoint
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.source_calls import short_lists
from fuzz.truth import check_tree

NAMES = r"\b(checkpoint|source)\b"
NAME = checkpoint._NAME + checkpoint._FORMAT
HEAD = struct.Struct("<16sQ16s")


def records(content: bytes) -> list[tuple[bytes, bytes]]:
    """Question and answer of each whole record."""
    found, start = [], len(NAME)
    while start + HEAD.size <= len(content):
        question, length, _ = HEAD.unpack_from(content, start)
        start += HEAD.size + length
        found.append((question, content[start - length : start]))
    return found


def written(kept: list[tuple[bytes, bytes]]) -> bytes:
    """A file of records, each with the seal that fits it."""
    parts = [NAME]
    for question, answer in kept:
        seal = blake2b(question + struct.pack("<Q", len(answer)) + answer, digest_size=16).digest()
        parts += [HEAD.pack(question, len(answer), seal), answer]
    return b"".join(parts)


def damage(draw: Draw, content: bytes) -> bytes:
    """What a disk, or another program, may do to a file."""
    place = draw.integer(0, len(content) - 1)
    how = draw.integer(0, 6)
    if how == 0:
        return content[:place]
    if how == 1:
        return content + draw.rng.bytes(draw.integer(1, 300))
    if how == 2:
        return content[:place] + bytes([content[place] ^ (1 << draw.integer(0, 7))]) + content[place + 1 :]
    if how == 3:
        return content[:place] + bytes(min(len(content) - place, draw.integer(1, 500))) + content[place + 500 :]
    if how == 4:
        return content[:place] + content[draw.integer(0, len(content) - 1) :]
    if how == 5:
        return draw.rng.bytes(draw.integer(0, 200))
    return content[:place] + draw.rng.bytes(draw.integer(1, 50)) + content[place:]


def forge(draw: Draw, content: bytes) -> bytes:
    """Records that no run wrote, though their seals fit."""
    kept = records(content)
    which = draw.integer(0, len(kept) - 1)
    question, answer = kept[which]
    how = draw.integer(0, 5)
    if how == 0:
        other = draw.integer(0, len(kept) - 1)
        kept[which], kept[other] = (question, kept[other][1]), (kept[other][0], answer)
    elif how == 1:
        kept.pop(which)
    elif how == 2 and answer:
        place = draw.integer(0, len(answer) - 1)
        kept[which] = question, answer[:place] + draw.rng.bytes(min(4, len(answer) - place)) + answer[place + 4 :]
    elif how == 3:
        kept[which] = question, answer[: draw.integer(0, len(answer))]
    elif how == 4:
        kept[which] = (
            question,
            draw.one((b"", b"null", b"[]", b"3", b'{"a": 1}', b"\xff\xfe", b"BlasSource", b"{" * 5000)),
        )
    else:
        kept[which] = question, answer + draw.rng.bytes(draw.integer(1, 100))
    return written(kept)


def setting(draw: Draw) -> dict[str, Any]:
    """Points and options of a run that keeps a checkpoint."""
    n = draw.integer(3, 25)
    X = draw.rng.normal(size=(n, 2)).astype(np.float32 if draw.chance(0.3) else np.float64)
    chosen = {"X": X, "method": draw.one(("chamfer", "chamfer_normalized", "chamfer_capped")), "n_jobs": 1}
    if draw.chance(0.5):
        chosen["source"] = draw.one(("blas", "tree", "cdist"))
    return chosen


def call_checkpoint(draw: Draw) -> None:
    """Damage a checkpoint and run again: the same tree or a refusal; a forged one may give any tree."""
    chosen, forged = setting(draw), draw.chance(0.4)
    draw.say("linkage with a checkpoint", forged=forged, **chosen)
    with tempfile.TemporaryDirectory() as folder, short_lists():
        path = Path(folder, "run.checkpoint")
        Z = chamfer.linkage(**chosen, checkpoint=path)
        content = path.read_bytes()
        if written(records(content)) != content:
            raise Wrong("the file is not what its format says")
        path.write_bytes((forge if forged else damage)(draw, content))
        again = chamfer.linkage(**chosen, checkpoint=path)
        if not forged and not np.array_equal(again, Z):
            raise Wrong("another tree from a damaged checkpoint")
        check_tree(again, len(chosen["X"]))


@contextmanager
def full_disk(size: int) -> Any:
    """Let files grow to this size only."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def call_disk(draw: Draw) -> None:
    """Run out of space in the middle of a checkpoint: an error that says so, and a file to go on from."""
    chosen = setting(draw)
    with tempfile.TemporaryDirectory() as folder, short_lists():
        expected = chamfer.linkage(**chosen, engine="lists")
        path = os.path.join(folder, "run.checkpoint")
        chamfer.linkage(**chosen, checkpoint=path)
        size = draw.integer(0, os.path.getsize(path) - 1)
        os.remove(path)
        draw.say("linkage on a full disk", size=size, **chosen)
        try:
            with full_disk(size):
                chamfer.linkage(**chosen, checkpoint=path)
        except OSError as error:
            if not np.array_equal(chamfer.linkage(**chosen, checkpoint=path), expected):
                raise Wrong("another tree after a full disk") from error
            raise
        raise Wrong(f"a checkpoint of more than {size} bytes was written to a disk of so many")


KINDS = {"checkpoint": Kind(call_checkpoint, 3, NAMES), "disk": Kind(call_disk, 0.5, NAMES)}
