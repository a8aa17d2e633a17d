"""Reading picture files, good and bad."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.errors import NotAnImageError
from vision.image_files import read_image

PICTURE = np.dstack([np.tile(np.arange(60, dtype=np.uint8) * 4, (40, 1))] * 3)


def encoded(ending: str) -> bytes:
    return cv2.imencode(ending, PICTURE)[1].tobytes()


def turned_jpeg() -> bytes:
    """A JPEG whose EXIF block says that it must be turned by a quarter turn (orientation 6)."""
    tiff = (
        b"II*\x00\x08\x00\x00\x00" + b"\x01\x00" + b"\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00" + b"\x00" * 4
    )
    block = b"Exif\x00\x00" + tiff
    data = encoded(".jpg")
    return data[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + data[2:]


@pytest.mark.parametrize("ending", [".png", ".jpg", ".bmp"])
def test_pictures_are_read(tmp_path, ending):
    path = tmp_path / f"picture{ending}"
    path.write_bytes(encoded(ending))
    pixels = read_image(path)
    assert pixels.shape == PICTURE.shape
    assert np.abs(pixels.astype(int) - PICTURE).mean() < 3


def test_exif_rotation_is_applied(tmp_path):
    path = tmp_path / "turned.jpg"
    path.write_bytes(turned_jpeg())
    assert read_image(path).shape == (60, 40, 3)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "no file"),
        (b"", "empty"),
        (b"this is a letter, not a picture\n" * 20, "no picture"),
        (encoded(".jpg")[:-300], "cut short"),
        (turned_jpeg()[:120], "cut short"),
        (encoded(".png")[:-40], "cut short"),
        (b"\xff\xd8\xff\xd9", "cut short"),
    ],
)
def test_bad_files_are_refused_with_a_sentence(tmp_path, content, word):
    path = tmp_path / "bad.jpg"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NotAnImageError, match=word) as caught:
        read_image(path)
    assert "\n" not in str(caught.value)
    assert "bad.jpg" in str(caught.value)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(NotAnImageError, match="folder"):
        read_image(tmp_path)


def test_an_end_marker_in_a_preview_does_not_make_a_cut_picture_whole(tmp_path):
    preview = b"Exif\x00\x00" + encoded(".jpg")
    data = encoded(".jpg")
    path = tmp_path / "bad.jpg"
    path.write_bytes((data[:2] + b"\xff\xe1" + (len(preview) + 2).to_bytes(2, "big") + preview + data[2:])[:-200])
    with pytest.raises(NotAnImageError, match="cut short"):
        read_image(path)
