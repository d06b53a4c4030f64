"""Reading files that may be damaged, odd, or larger than memory.

An array says in its header how large it is, so one that does not fit is refused before it is read. Text is read, and
decompressed, in pieces until it is too much.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from chamfer import memory
from chamfer._types import Array
from chamfer.cli.console import CommandError

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_LONGEST_HEADER = 1 << 14  # NumPy refuses headers of more than 10,000 characters
_PIECE = 1 << 20
_UNPACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
ADVICE = "take a part of it, or free some memory"


@contextmanager
def reading(source: str, failure: str = "cannot be read") -> Iterator[None]:
    """Turn whatever a damaged file makes its reader raise into one line that names the file.

    Any exception will do: NumPy, pandas, Arrow, archives and compressors raise more than a dozen kinds, and few of them
    are documented.
    """
    try:
        yield
    except CommandError:
        raise
    except Exception as error:
        lines = str(getattr(error, "strerror", None) or error).strip().splitlines()
        raise CommandError(f"{source}: {failure}: {lines[0] if lines else type(error).__name__}") from error


def read_all(stream: IO[bytes]) -> bytes:
    """All bytes of a stream, decompressed if they are compressed."""
    content = _bounded(stream)
    for magic, unpack in _UNPACKERS.items():
        if content.startswith(magic):
            with unpack(io.BytesIO(content)) as unpacked:
                return _bounded(unpacked)
    return content


def _bounded(stream: IO[bytes]) -> bytes:
    limit = memory.available_memory() // 2  # the other half is for the numbers in the text
    content = bytearray()
    while piece := stream.read(_PIECE):
        content += piece
        if len(content) > limit:
            raise MemoryError(f"holds more than {memory.human(limit)} of text, half of the memory there is; {ADVICE}")
    return bytes(content)


@dataclass(frozen=True)
class StoredArray:
    """An array in a file, of which only the header was read.

    What always holds: the file has as many bytes as the header claims, unless they are Python objects.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return math.prod(self.shape) * self.dtype.itemsize


@contextmanager
def open_arrays(path: str) -> Iterator[dict[str, StoredArray]]:
    """Give the arrays of an NPZ file by their names; that of an NPY file is called ``""``."""
    with open(path, "rb") as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX:

            def rewind() -> AbstractContextManager[IO[bytes]]:
                file.seek(0)
                return nullcontext(file)

            yield {"": _stored(rewind, os.fstat(file.fileno()).st_size)}
        elif zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
                yield {each.filename[:-4]: _member(archive, each) for each in members}
        else:
            raise ValueError("is neither an NPY file nor a whole NPZ file")


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> StoredArray:
    return _stored(lambda: archive.open(member), member.file_size)


def _stored(opened: Callable[[], AbstractContextManager[IO[bytes]]], size: int) -> StoredArray:
    """Read the header of an array, and see whether it agrees with the `size` of the file."""
    with opened() as file:
        beginning = io.BytesIO(file.read(_LONGEST_HEADER))
    version = np.lib.format.read_magic(beginning)
    if version not in _HEADERS:
        raise ValueError(f"holds an array in version {version[0]}.{version[1]} of the NPY format, which is not read")
    shape, _, dtype = _HEADERS[version](beginning)
    array = StoredArray(shape, dtype, opened)
    if min(shape, default=0) < 0 or dtype.itemsize == 0:
        raise ValueError(f"holds an array of impossible shape {shape} or dtype {dtype}")
    there = size - beginning.tell()
    if array.nbytes > there and not dtype.hasobject:
        need = memory.human(array.nbytes)
        raise ValueError(f"is cut off: an array of shape {shape} takes {need}, {memory.human(there)} are there")
    return array


def load_arrays(arrays: Sequence[StoredArray]) -> list[Array]:
    """Read arrays, if there is memory for all of them."""
    shapes = " and ".join(str(each.shape) for each in arrays)
    memory.require_memory(sum(each.nbytes for each in arrays), f"an array of shape {shapes}", ADVICE)
    loaded = []
    for each in arrays:
        if each.dtype.hasobject:
            raise ValueError("holds Python objects, which could only be read by running code from the file")
        with each.open() as file:
            loaded.append(np.lib.format.read_array(file, allow_pickle=False))
    return loaded
