"""Reading pictures from files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import NotAnImageError

_JPEG_START, _JPEG_END, _JPEG_SCAN = b"\xff\xd8", b"\xff\xd9", 0xDA
_JPEG_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_FLAGS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


@dataclass(frozen=True, eq=False)
class ReducedImage:
    """A picture read at a part of its size. pixels: (height, width, 3) BGR. reduction: 1, 2, 4 or 8."""

    pixels: NDArray[np.uint8]
    reduction: int


def read_image(path: Path) -> NDArray[np.uint8]:
    """The picture in a file, (height, width, 3) BGR, turned upright as its EXIF orientation says.

    Raises NotAnImageError when the file is missing, unreadable, empty, cut short, or holds no picture.
    """
    return _decoded(path, _contents(path), 1)


def read_reduced_image(path: Path, enough: int) -> ReducedImage:
    """The same at a half, a quarter or an eighth of its size if its longer side keeps at least `enough` pixels so.

    Only JPEG pictures are reduced: they are then read faster and into less memory. Pixel (x, y) of the picture covers
    the pixels reduction · x to reduction · x + reduction - 1 of the whole one, and so downwards. Raises
    NotAnImageError as read_image does.
    """
    data = _contents(path)
    longer = max(_jpeg_size(data))
    reduction = next((part for part in (8, 4, 2) if longer >= part * enough), 1)
    return ReducedImage(_decoded(path, data, reduction), reduction)


def _contents(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotAnImageError(f"there is no file {path}: check the name") from None
    except IsADirectoryError:
        raise NotAnImageError(f"{path} is a folder: name the pictures in it") from None
    except OSError as error:
        raise NotAnImageError(f"cannot read {path}: {error.strerror}") from error
    if not data:
        raise NotAnImageError(f"the file {path} is empty: save or copy the picture again")
    # The decoders fill what is missing of a picture with grey and say nothing.
    if _cut_short(data):
        raise NotAnImageError(f"the picture {path} is cut short: copy it again")
    return data


def _decoded(path: Path, data: bytes, reduction: int) -> NDArray[np.uint8]:
    try:
        pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), _FLAGS[reduction])
    except cv2.error:
        pixels = None
    if pixels is None:
        raise NotAnImageError(f"{path} is no picture that can be read: use a JPEG or PNG file")
    return np.asarray(pixels, dtype=np.uint8)


def _cut_short(data: bytes) -> bool:
    if data.startswith(_PNG_START):
        return _PNG_END not in data
    if data.startswith(_JPEG_START):
        return not _jpeg_is_whole(data)
    return False


def _jpeg_is_whole(data: bytes) -> bool:
    """Whether the end marker follows the image data (ISO 10918-1 B.1); that of an embedded preview does not count."""
    return any(marker == _JPEG_SCAN and _JPEG_END in data[position:] for marker, position in _jpeg_segments(data))


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height in the frame header of a JPEG picture (ISO 10918-1 B.2.2), as stored; 0 by 0 of another."""
    for marker, position in _jpeg_segments(data):
        if marker in _JPEG_FRAMES and position + 9 <= len(data):
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
    return 0, 0


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """The markers of a JPEG picture up to the first scan, and where each stands."""
    position = len(_JPEG_START)
    if not data.startswith(_JPEG_START):
        return
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:
            position += 1
            continue
        yield marker, position
        if marker == _JPEG_SCAN:
            return
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
