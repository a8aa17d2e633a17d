"""The printed sheet: at true size on paper, and found in pictures."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from calibration.camera_pose import Lens
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from calibration.sheet import (
    BAR_MM,
    COLUMNS,
    HEIGHT_MM,
    MODULE_MM,
    PAPERS,
    ROWS,
    SQUARE_MM,
    WIDTH_MM,
    check_size,
    find_sheet,
    pattern,
    sheet_pdf,
    squares_by_sheet,
)
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.sheet import PaperSheet, SheetPose
from vision.finder.board import board_of_camera

CAMERA = TableGeometry().camera
MODEL = calibration_of(TableGeometry(), VirtualClock().date()).camera
LENS = Lens(MODEL.matrix, MODEL.distortion, 0.0, 1)
GREY = np.full((720, 1280, 3), 120, np.uint8)


def sheet(printed: float = 1.0) -> PaperSheet:
    return PaperSheet(pattern(), MODULE_MM * printed, CAMERA, seed=1)


def rectangles(pdf: bytes) -> np.ndarray:
    """x, y, width and height in mm of all that is filled."""
    found = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re f", pdf)
    return np.array([[float(value) for value in one] for one in found]) * 25.4 / 72


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_the_pdf_has_the_pattern_at_true_size_within_the_paper(paper: str) -> None:
    drawn = rectangles(sheet_pdf(paper))
    width, height = PAPERS[paper]
    assert (drawn[:, :2] > 4.0).all()
    assert (drawn[:, 0] + drawn[:, 2] < width - 4.0).all()
    assert (drawn[:, 1] + drawn[:, 3] < height - 4.0).all()
    modules = drawn[:-3]
    assert np.allclose(modules[:, 3], MODULE_MM, atol=0.01)
    area = float((modules[:, 2] * modules[:, 3]).sum())
    assert area == pytest.approx(float((pattern() < 128).sum()) * MODULE_MM**2, rel=1e-3)
    left, right = modules[:, 0].min(), (modules[:, 0] + modules[:, 2]).max()
    assert right - left == pytest.approx(WIDTH_MM, abs=0.05)
    assert np.isclose(drawn[-3:, 2], BAR_MM, atol=0.01).any()


def test_the_pdf_is_whole() -> None:
    pdf = sheet_pdf()
    assert pdf.startswith(b"%PDF-1.4")
    start = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    assert pdf[start:].startswith(b"xref")
    offsets = [int(line[:10]) for line in pdf[start:].split(b"\n")[3:8]]
    assert [pdf[offset:].split(b" ", 1)[0] for offset in offsets] == [b"1", b"2", b"3", b"4", b"5"]


def test_there_is_no_other_paper() -> None:
    with pytest.raises(ValueError, match="a4, letter"):
        sheet_pdf("a0")


@pytest.mark.parametrize(
    "pose", [SheetPose((160.0, 160.0, 0.2)), SheetPose((150.0, 150.0, 80.0), (25.0, 10.0), 40.0)]
)
def test_it_is_found_to_a_tenth_of_a_pixel(pose: SheetPose) -> None:
    view = find_sheet(sheet().over(GREY, pose))
    assert view is not None
    assert len(view.points_mm) > 0.6 * (COLUMNS - 1) * (ROWS - 1)
    tilt, _ = cv2.Rodrigues(np.radians((*pose.tilt_deg, 0.0)))
    turn, _ = cv2.Rodrigues(np.radians((0.0, 0.0, pose.turn_deg)))
    axes = np.asarray(tilt) @ np.asarray(turn)
    offset = view.points_mm - (WIDTH_MM / 2, HEIGHT_MM / 2)
    there = np.array(pose.middle_mm) + offset[:, :1] * axes[:, 0] - offset[:, 1:] * axes[:, 1]
    assert np.abs(view.pixels - MODEL.project(there)).max() < 0.25
    assert set(np.round(np.unique(view.points_mm % SQUARE_MM), 6)) <= {0.0, round(SQUARE_MM, 6)}


def test_a_bare_table_shows_no_sheet() -> None:
    assert find_sheet(GREY) is None


@pytest.mark.parametrize(("printed", "square"), [(1.0, 40.0), (0.94, 42.55), (1.05, 38.1)])
def test_the_squares_size_is_as_true_as_the_print(printed: float, square: float) -> None:
    view = find_sheet(sheet(printed).over(GREY, SheetPose((160.0, 160.0, 0.2))))
    assert view is not None
    board = board_of_camera(GREY, MODEL, 40.0)
    assert squares_by_sheet(view, board, LENS, MODEL.size) == pytest.approx(square, abs=0.15)


def test_a_sheet_held_up_does_not_tell_the_squares_size() -> None:
    view = find_sheet(sheet().over(GREY, SheetPose((160.0, 160.0, 60.0), (25.0, 0.0))))
    assert view is not None
    with pytest.raises(CalibrationError, match="does not lie flat"):
        squares_by_sheet(view, board_of_camera(GREY, MODEL, 40.0), LENS, MODEL.size)


def test_a_sheet_printed_at_the_wrong_scale_is_said() -> None:
    check_size(40.3, 40.0)
    with pytest.raises(CalibrationError, match=r"42\.6 mm and 40 mm was stated: .* 100 mm long \(but 94\)"):
        check_size(42.6, 40.0)
