"""Pictures and folders of pictures as a camera."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.cameras.open_camera import open_camera
from hardware.cameras.video_source import SourceKind, kind_of
from hardware.clock import VirtualClock
from hardware.errors import CameraError


def paint(path: Path, level: int, size: tuple[int, int] = (64, 48)) -> None:
    cv2.imwrite(str(path), np.full((size[1], size[0], 3), level, np.uint8))


def test_sources_by_their_names(tmp_path: Path) -> None:
    paint(tmp_path / "a.PNG", 10)
    assert kind_of("picamera") is kind_of("picamera:1") is SourceKind.RIBBON
    assert kind_of(str(tmp_path)) is kind_of(str(tmp_path / "a.PNG")) is SourceKind.PICTURES


def test_a_folder_gives_its_pictures_by_number_and_then_ends(tmp_path: Path) -> None:
    for number, level in ((10, 200), (9, 100), (1, 20)):
        paint(tmp_path / f"frame{number}.png", level)
    (tmp_path / "notes.txt").write_text("no picture")
    clock = VirtualClock()
    camera = open_camera(str(tmp_path), (64, 48), clock)
    frames = []
    for _ in range(3):
        clock.sleep(1)
        frames.append(camera.frame())
    assert [int(frame.pixels[0, 0, 0]) for frame in frames] == [20, 100, 200]
    assert [(frame.number, frame.time_s) for frame in frames] == [(1, 1), (2, 2), (3, 3)]
    with pytest.raises(CameraError, match="has ended"):
        camera.frame()
    camera.close()


def test_one_picture_is_one_frame(tmp_path: Path) -> None:
    paint(tmp_path / "a.png", 77)
    camera = open_camera(str(tmp_path / "a.png"), None, VirtualClock())
    assert camera.frame().pixels.shape == (48, 64, 3)
    with pytest.raises(CameraError, match="has ended"):
        camera.frame()


def test_pictures_of_different_sizes_are_refused(tmp_path: Path) -> None:
    paint(tmp_path / "1.png", 20)
    paint(tmp_path / "2.png", 20, (80, 60))
    camera = open_camera(str(tmp_path), None, VirtualClock())
    camera.frame()
    with pytest.raises(CameraError, match="80×60, not 64×48"):
        camera.frame()


def test_what_holds_no_pictures_is_said(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="holds no pictures"):
        open_camera(str(tmp_path), None, VirtualClock())
    (tmp_path / "1.jpg").write_bytes(b"rubbish")
    camera = open_camera(str(tmp_path), None, VirtualClock())
    with pytest.raises(CameraError, match=r"1\.jpg is no picture"):
        camera.frame()
