"""Reading pictures from files."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import NotAnImageError

_JPEG_START, _JPEG_END, _JPEG_SCAN = b"\xff\xd8", b"\xff\xd9", 0xDA
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"


def read_image(path: Path) -> NDArray[np.uint8]:
    """The picture in a file, (height, width, 3) BGR, turned upright as its EXIF orientation says.

    Raises NotAnImageError when the file is missing, unreadable, empty, cut short, or holds no picture.
    """
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
    try:
        pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
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
    position = 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:
            position += 1
            continue
        if marker == _JPEG_SCAN:
            return _JPEG_END in data[position:]
        length = int.from_bytes(data[position + 2 : position + 4], "big")
        position += 2 + length
    return False
