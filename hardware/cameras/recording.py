"""Cameras that are not there: a video file, a picture, or a folder of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from hardware.cameras.checked_frame import FrameCheck
from hardware.cameras.video_source import PICTURE_SUFFIXES, Size, SourceKind, open_source
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame, Pixels


class RecordedCamera:
    """A `Camera` that gives the frames of a video, or pictures, one after the other, and then CameraError."""

    def __init__(self, source: str, kind: SourceKind, size: Size | None, clock: Clock) -> None:
        """CameraError if there is nothing that can be read."""
        self._source = source
        self._clock = clock
        self._check = FrameCheck(source, size)
        self._video = open_source(source, kind, size) if kind is SourceKind.RECORDING else None
        self._pictures = iter(()) if self._video is not None else _pictures(source)

    def frame(self) -> Frame:
        """The next frame."""
        pixels = next(self._pictures, None) if self._video is None else self._next_of(self._video)
        if pixels is None:
            raise CameraError(f"The recording {self._source} has ended: give one with more frames.")
        return self._check.checked(pixels, self._clock.now())

    def close(self) -> None:
        """Let go of the file."""
        if self._video is not None:
            self._video.release()
        self._video, self._pictures = None, iter(())

    @staticmethod
    def _next_of(video: cv2.VideoCapture) -> Pixels | None:
        good, pixels = video.read()
        return np.asarray(pixels, dtype=np.uint8) if good and pixels is not None else None


def _pictures(source: str) -> Iterator[Pixels]:
    """The pictures of a folder by their names, numbers counted as numbers; or one. CameraError if there are none."""
    path = Path(source)
    files = sorted(path.iterdir(), key=_by_number) if path.is_dir() else [path]
    pictures = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES]
    if not pictures:
        raise CameraError(f"The folder {source} holds no pictures: give one that does, or a camera's device.")
    return map(_picture, pictures)


def _picture(file: Path) -> Pixels:
    pixels = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if pixels is None:
        raise CameraError(f"{file} is no picture that can be read: take it out of the folder.")
    return np.asarray(pixels, dtype=np.uint8)


def _by_number(file: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", file.name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
