"""Reading picture files, good and bad."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.errors import NotAnImageError
from vision.image_files import read_image, read_reduced_image

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


def large_jpeg(path, progressive=0):
    columns, rows = np.meshgrid(np.linspace(0, 250, 640), np.linspace(0, 250, 400))
    pixels = np.dstack([columns, rows, columns]).astype(np.uint8)
    data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_PROGRESSIVE, progressive])[1].tobytes()
    path.write_bytes(data)
    return pixels


@pytest.mark.parametrize("progressive", [0, 1])
@pytest.mark.parametrize(
    ("enough", "reduction"), [(1000, 1), (400, 1), (320, 2), (160, 4), (100, 4), (80, 8), (1, 8)]
)
def test_large_jpegs_are_read_reduced(tmp_path, progressive, enough, reduction):
    path = tmp_path / "large.jpg"
    whole = large_jpeg(path, progressive)
    image = read_reduced_image(path, enough)
    assert image.reduction == reduction
    assert image.pixels.shape == (400 // reduction, 640 // reduction, 3)
    middle = image.pixels[200 // reduction, 320 // reduction].astype(int)
    assert np.abs(middle - whole[200, 320]).max() < 6


def test_a_reduced_jpeg_is_turned_as_its_exif_orientation_says(tmp_path):
    path = tmp_path / "turned.jpg"
    path.write_bytes(turned_jpeg())
    assert read_reduced_image(path, 30).pixels.shape == (30, 20, 3)


def test_other_pictures_are_read_whole_and_bad_ones_refused(tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(encoded(".png"))
    assert read_reduced_image(path, 10).reduction == 1
    path.write_bytes(encoded(".jpg")[:-300])
    with pytest.raises(NotAnImageError, match="cut short"):
        read_reduced_image(path, 10)


@pytest.mark.parametrize(
    "data", [b"\xff\xd8", b"\xff\xd8\xff\xc0", b"\xff\xd8\xff\xc0\x00\x02\xff\xda\x00\x02\xff\xd9"]
)
def test_broken_headers_are_refused(tmp_path, data):
    path = tmp_path / "bad.jpg"
    path.write_bytes(data)
    with pytest.raises(NotAnImageError):
        read_reduced_image(path, 10)
