"""The printed sheet: a ChArUco pattern whose size is known, drawn at true size, and found in pictures.

A ChArUco pattern is a chessboard with a marker in each light square, so that a part of it is enough (OpenCV,
"Detection of ChArUco Boards").
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera_pose import Lens, PlaneView, pose_of_view
from calibration.errors import CalibrationError
from vision.camera_model import CameraModel
from vision.finder import FoundBoard

COLUMNS, ROWS = 7, 10
MODULES, MARKER_MODULES = 10, 6
"""A square, and the marker in it, are so many modules wide: four bits and a border, two modules from the corners."""
MODULE_MM = 2.5
SQUARE_MM = MODULES * MODULE_MM
WIDTH_MM, HEIGHT_MM = COLUMNS * SQUARE_MM, ROWS * SQUARE_MM
BAR_MM = 100.0
PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
POINTS_PER_MM = 72 / 25.4
FEWEST_CORNERS = 12
SAME_SIZE = 0.015
"""The squares' size by the sheet and as stated may differ by this part."""


@cache
def _board() -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), float(SQUARE_MM), float(MARKER_MODULES * MODULE_MM), dictionary)


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(_board())


def pattern() -> NDArray[np.uint8]:
    """The pattern with one pixel a module, 0 for black and 255 for white: (ROWS, COLUMNS) × MODULES."""
    return np.asarray(_board().generateImage((COLUMNS * MODULES, ROWS * MODULES)), dtype=np.uint8)


def sheet_pdf(paper: str = "a4") -> bytes:
    """The sheet as a PDF of one page, at true size if it is printed without scaling. ValueError for another paper."""
    if paper not in PAPERS:
        raise ValueError(f"the paper must be one of {', '.join(PAPERS)}, not {paper!r}")
    width, height = PAPERS[paper]
    left, top = (width - WIDTH_MM) / 2, height - 6.0
    lines = ["0 g"]
    dark = pattern() < 128
    for row, cells in enumerate(dark):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], cells.astype(np.int8), [0]])))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            lines.append(
                _rectangle(
                    left + start * MODULE_MM, top - (row + 1) * MODULE_MM, (end - start) * MODULE_MM, MODULE_MM
                )
            )
    below = top - HEIGHT_MM
    lines += [_rectangle(left, below - 6.0, BAR_MM, 1.0), _rectangle(left, below - 7.5, 0.3, 4.0)]
    lines.append(_rectangle(left + BAR_MM - 0.3, below - 7.5, 0.3, 4.0))
    words = f"Crownhead: print at 100 % (actual size). This bar is {BAR_MM:.0f} mm long."
    x, y = left * POINTS_PER_MM, (below - 11.5) * POINTS_PER_MM
    lines.append(f"BT /F1 9 Tf {x:.2f} {y:.2f} Td ({words.replace('(', '[').replace(')', ']')}) Tj ET")
    return _pdf("\n".join(lines).encode("latin-1"), width * POINTS_PER_MM, height * POINTS_PER_MM)


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    numbers = " ".join(f"{value * POINTS_PER_MM:.4f}" for value in (x, y, width, height))
    return f"{numbers} re f"


def _pdf(content: bytes, width: float, height: float) -> bytes:
    """A PDF file of one page with this content (ISO 32000-1, 7.5)."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}] /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>"
        ).encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    file = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        file += b"%010d 00000 n \n" % offset
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(file)


def find_sheet(pixels: NDArray[np.uint8]) -> PlaneView | None:
    """The sheet's corners in a BGR picture, if enough of it is seen; mm from its pattern's corner, true size."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    corners, numbers, *_ = _detector().detectBoard(grey)
    if corners is None or numbers is None or len(numbers) < FEWEST_CORNERS:
        return None
    points = np.asarray(_board().getChessboardCorners(), dtype=np.float64).reshape(-1, 3)[:, :2]
    seen = points[np.asarray(numbers).ravel()]
    if min(len(np.unique(seen[:, axis])) for axis in range(2)) < 3:
        return None
    return PlaneView(seen, _refined(grey, np.asarray(corners, dtype=np.float32).reshape(-1, 1, 2)))


def _refined(grey: NDArray[np.uint8] | cv2.typing.MatLike, corners: NDArray[np.float32]) -> NDArray[np.float64]:
    """Corners of squares, to a tenth of a pixel; markers are a fifth of a square away."""
    gaps = np.linalg.norm(corners.reshape(-1, 1, 2) - corners.reshape(1, -1, 2), axis=2)
    np.fill_diagonal(gaps, np.inf)
    reach = int(np.clip(np.median(gaps.min(axis=1)) / 7, 2, 9))
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 0.005)
    refined = cv2.cornerSubPix(grey, corners.copy(), (reach, reach), (-1, -1), criteria)
    return np.asarray(refined, dtype=np.float64).reshape(-1, 2)


def squares_by_sheet(
    sheet: PlaneView, board: FoundBoard, lens: Lens, size: tuple[int, int], thickness_mm: float = 0.2
) -> float:
    """The size (mm) of the board's squares, when the sheet lies flat on the board in the same place of the camera.

    `board` may have been found in another picture. Raises CalibrationError if the sheet does not lie on the board.
    """
    camera: CameraModel = pose_of_view(sheet, lens, size)
    # The sheet's plane is the camera's z = 0; the pattern's y runs down the sheet, so that up is negative.
    up = float(np.sign(camera.position_mm[2]))
    inner = board.grid[1:8, 1:8].reshape(-1, 2)
    corners = camera.to_plane(inner, -up * thickness_mm).reshape(7, 7, 2)
    sides = np.concatenate([np.linalg.norm(np.diff(corners, axis=axis), axis=2).ravel() for axis in range(2)])
    if sides.std() > 0.02 * sides.mean():
        raise CalibrationError("the sheet does not lie flat on the board: lay it down, smooth it, and try again")
    return float(sides.mean())


def check_size(by_sheet_mm: float, stated_mm: float) -> None:
    """Raise CalibrationError if the squares' size by the sheet is not what was stated."""
    if abs(by_sheet_mm / stated_mm - 1) > SAME_SIZE:
        printed = stated_mm / by_sheet_mm
        raise CalibrationError(
            f"by the sheet the squares are {by_sheet_mm:.1f} mm and {stated_mm:g} mm was stated: measure the bar "
            f"on the sheet; if it is not {BAR_MM:.0f} mm long (but {BAR_MM * printed:.0f}) print it again at 100 %, "
            f"else state --square-mm {by_sheet_mm:.1f}"
        )
