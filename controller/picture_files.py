"""Pictures in order from files, a folder, a video or a live camera."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.errors import ControllerError
from hardware.cameras.open_camera import open_camera
from hardware.cameras.video_source import SourceKind, kind_of, open_source
from hardware.clock import RealClock
from vision.errors import NotAnImageError
from vision.image_files import read_image

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
VIDEOS = frozenset(
    {".avi", ".m4v", ".mjpeg", ".mjpg", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm", ".wmv"}
)


class SourceName(Enum):
    """What pictures come from."""

    FILES = "files"
    VIDEO = "a video"
    CAMERA = "a live camera"


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture: its number from 0 and what people call it. `pixels` is None where `trouble` says why."""

    number: int
    name: str
    pixels: NDArray[np.uint8] | None
    trouble: str = ""


def source_of(names: Sequence[str]) -> SourceName:
    """What these names are: one folder or any number of pictures, one video, or one camera (device or URL)."""
    if len(names) == 1 and not Path(names[0]).is_dir() and Path(names[0]).suffix.lower() not in PICTURES:
        kind = kind_of(names[0])
        if kind in (SourceKind.STREAM, SourceKind.RIBBON) or (kind is SourceKind.DEVICE and _is_device(names[0])):
            return SourceName.CAMERA
        if Path(names[0]).suffix.lower() in VIDEOS:
            return SourceName.VIDEO
    return SourceName.FILES


def shots(names: Sequence[str]) -> Iterator[Shot]:
    """The pictures, in order. A file that is no picture gives a shot with its trouble, and the next ones go on.

    Raises ControllerError for a folder without pictures, CameraError for a video or camera that gives none.
    """
    source = source_of(names)
    if source is SourceName.VIDEO:
        yield from _of_video(names[0])
    elif source is SourceName.CAMERA:
        yield from _of_camera(names[0])
    else:
        for number, path in enumerate(_files(names)):
            try:
                yield Shot(number, str(path), read_image(path))
            except NotAnImageError as error:
                yield Shot(number, str(path), None, str(error))


def _is_device(name: str) -> bool:
    return name.isdecimal() or Path(name).is_char_device()


def _files(names: Sequence[str]) -> Iterator[Path]:
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield path
            continue
        found = sorted((one for one in path.iterdir() if one.suffix.lower() in PICTURES), key=_as_counted)
        if not found:
            raise ControllerError(f"the folder {path} holds no pictures: name one with JPEG or PNG files")
        yield from found


def _as_counted(path: Path) -> list[tuple[int, str]]:
    """A sort key by which frame2 comes before frame10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", path.name)]


def _of_video(name: str) -> Iterator[Shot]:
    if not Path(name).is_file():
        raise ControllerError(f"there is no video {name}: check the name")
    capture = open_source(name, SourceKind.RECORDING, None)
    try:
        number = 0
        while True:
            good, pixels = capture.read()
            if not good:
                break
            yield Shot(number, f"{name}, frame {number}", _in_colour(np.asarray(pixels, dtype=np.uint8)))
            number += 1
    finally:
        capture.release()
    if not number:
        raise ControllerError(f"the video {name} holds no pictures that can be read: use another file")


def _of_camera(name: str) -> Iterator[Shot]:
    camera = open_camera(name, None, RealClock())
    try:
        number = 0
        while True:
            yield Shot(number, f"{name}, frame {number}", camera.frame().pixels)
            number += 1
    finally:
        camera.close()


def _in_colour(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return pixels if pixels.ndim == 3 else np.asarray(cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
