"""Arrays as text that a page can hold, and pictures as one PNG."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.inputs import check_images

_MOST_PIXELS = 32_000_000  # of an atlas: more would make pages that browsers open slowly
_MOST_SIDE = 64  # pixels of one picture


def packed(values: Any, dtype: Any) -> str:
    """The bytes of an array, lowest first, as base64."""
    little = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode()


def make_atlas(images: Any, n: int) -> dict[str, Any]:
    """Pictures side by side in one, made smaller if they are many or large."""
    pictures = check_images(images, n)
    pictures = _bytes(pictures[..., None] if pictures.ndim == 3 else pictures[..., :3])
    pictures = _smaller(pictures, max(1, _factor(pictures.shape)))
    _, high, wide, channels = pictures.shape
    across = int(np.ceil(np.sqrt(n)))
    rows = -(-n // across)
    sheet = np.zeros((rows * across, high, wide, channels), dtype=np.uint8)
    sheet[:n] = pictures
    sheet = sheet.reshape(rows, across, high, wide, channels).transpose(0, 2, 1, 3, 4)
    picture = base64.b64encode(_png(sheet.reshape(rows * high, across * wide, channels))).decode()
    return {"atlas": picture, "wide": wide, "high": high, "across": across, "rows": rows}


def _bytes(pictures: Array) -> Array:
    """Values from 0 to 255; others than bytes are stretched from the lowest to the highest of all pictures."""
    if pictures.dtype == np.uint8:
        return pictures
    low, high = np.nanmin(pictures), np.nanmax(pictures)
    if not np.isfinite([low, high]).all():
        raise ValueError("images must be finite")
    share = (pictures - low) * (255.0 / (high - low)) if high > low else np.zeros(pictures.shape)
    return np.rint(np.nan_to_num(share)).astype(np.uint8)


def _factor(shape: tuple[int, ...]) -> int:
    n, high, wide, _ = shape
    by_side = -(-max(high, wide) // _MOST_SIDE)
    return max(by_side, int(np.ceil(np.sqrt(n * high * wide / _MOST_PIXELS))))


def _smaller(pictures: Array, factor: int) -> Array:
    """Means of blocks of `factor` times `factor` pixels; what is left over at the edges is dropped."""
    n, high, wide, channels = pictures.shape
    down, across = min(factor, high), min(factor, wide)
    if down == across == 1:
        return pictures
    high, wide = high // down, wide // across
    blocks = pictures[:, : high * down, : wide * across].reshape(n, high, down, wide, across, channels)
    return np.asarray(blocks.mean(axis=(2, 4), dtype=np.float32).round().astype(np.uint8))


def _png(pixels: Array) -> bytes:
    """A picture of bytes, grey or in colour, as PNG: the header, the rows without filter, the end."""
    high, wide, channels = pixels.shape
    rows = np.zeros((high, 1 + wide * channels), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(high, -1)
    header = struct.pack(">IIBBBBB", wide, high, 8, 0 if channels == 1 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
