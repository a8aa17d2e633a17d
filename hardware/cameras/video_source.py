"""What OpenCV's VideoCapture can be opened on: a device, a network stream, or a recording."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TypeAlias

import cv2

from hardware.errors import CameraError

Size: TypeAlias = tuple[int, int]

RIBBON_NAME = "picamera"
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")
_LOG_SILENT = 0
_OPEN_TIMEOUT_MS = 5000
_READ_TIMEOUT_MS = 2000
"""A stream that gives nothing for so long has to be opened anew: OpenCV reads no more of it."""


class SourceKind(Enum):
    """What a source's name says it is."""

    DEVICE = "device"
    RIBBON = "ribbon"
    """A camera on the Raspberry Pi's own connector."""
    STREAM = "stream"
    RECORDING = "recording"
    PICTURES = "pictures"
    """A picture file, or a folder of them."""


def kind_of(source: str) -> SourceKind:
    """Tell a number or device path from a URL from a file; `picamera` and `picamera:1` are the Raspberry Pi's own."""
    if "://" in source:
        return SourceKind.STREAM
    if source.partition(":")[0] == RIBBON_NAME:
        return SourceKind.RIBBON
    if source.isdecimal() or Path(source).is_char_device():
        return SourceKind.DEVICE
    if Path(source).is_dir() or (Path(source).is_file() and Path(source).suffix.lower() in PICTURE_SUFFIXES):
        return SourceKind.PICTURES
    if Path(source).is_file():
        return SourceKind.RECORDING
    return SourceKind.DEVICE


def open_source(source: str, kind: SourceKind, size: Size | None) -> cv2.VideoCapture:
    """Open `source`, asking a device for frames of `size` (width, height); may take seconds.

    Raises CameraError with one sentence that says what is wrong with the source and what to do.
    """
    _keep_opencv_quiet()
    if kind is SourceKind.DEVICE:
        capture = _open_device(source, size)
    elif kind is SourceKind.STREAM:
        limits = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            _OPEN_TIMEOUT_MS,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            _READ_TIMEOUT_MS,
        ]
        capture = cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
    else:
        capture = cv2.VideoCapture(source, cv2.CAP_ANY)
    if not capture.isOpened():
        capture.release()
        raise CameraError(_why_not_opened(source, kind))
    return capture


def _open_device(source: str, size: Size | None) -> cv2.VideoCapture:
    path = device_path(source)
    if not path.exists():
        raise CameraError(f"No camera at {path}: {_devices_there()}.")
    capture = cv2.VideoCapture(int(source) if source.isdecimal() else source, cv2.CAP_V4L2)
    if capture.isOpened():
        # Uncompressed frames of this size are slow over USB.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        if size is not None:
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture


def device_path(source: str) -> Path:
    """The path of a device that is given by it or by its number."""
    return Path(f"/dev/video{int(source)}" if source.isdecimal() else source)


def _why_not_opened(source: str, kind: SourceKind) -> str:
    if kind is SourceKind.STREAM:
        return f"No camera answers at {source}: check the address and that the stream is running."
    if kind is SourceKind.RECORDING:
        return f"{source} is no video that OpenCV can read: give a camera's device, a URL or a video file."
    path = device_path(source)
    if not os.access(path, os.R_OK | os.W_OK):
        return f"You are not allowed to use {path}: run 'sudo usermod -aG video $USER', then log out and in again."
    return f"No camera at {path}: it gives no pictures, or another program is using it ('fuser -v {path}' names it)."


def _devices_there() -> str:
    found = sorted(str(path) for path in Path("/dev").glob("video*"))
    return f"connected are {', '.join(found)}" if found else "no camera is connected"


def _keep_opencv_quiet() -> None:
    """Keep OpenCV and FFmpeg, also while frames are read, from writing to stderr what we say in one sentence."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    # OpenCV 5 has moved it.
    set_log_level = getattr(cv2, "setLogLevel", None) or cv2.utils.logging.setLogLevel
    set_log_level(_LOG_SILENT)
