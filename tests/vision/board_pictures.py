"""Pictures of boards, drawn for tests: squares, a frame, and discs with faces and walls, seen by a pinhole camera."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel

SQUARE_MM = 40.0
SIDE_MM = 8 * SQUARE_MM
SIZE = (960, 720)
RADIUS_MM, HEIGHT_MM = 15.0, 8.0
_PX_PER_MM = 3.0
_MARGIN_MM = 400.0


@dataclass(frozen=True)
class Style:
    """BGR colours; a frame of 0 mm is none."""

    dark: tuple[int, int, int] = (40, 60, 90)
    light: tuple[int, int, int] = (170, 200, 220)
    frame: tuple[int, int, int] = (30, 40, 60)
    frame_mm: float = 0.0
    table: tuple[int, int, int] = (120, 110, 100)
    dark_disc: tuple[int, int, int] = (30, 25, 25)
    light_disc: tuple[int, int, int] = (200, 230, 240)
    squares: int = 8


def camera(
    turn_deg: float = 0.0, tilt_deg: float = 0.0, distance_mm: float = 640.0, focal: float = 900.0
) -> CameraModel:
    """A camera that looks at the board's centre, `tilt_deg` from straight above, turned about the board's normal."""
    turn, tilt = np.radians(turn_deg), np.radians(tilt_deg)
    backward = np.array([np.sin(tilt) * np.sin(turn), -np.sin(tilt) * np.cos(turn), np.cos(tilt)])
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    rotation = np.stack([right, -np.cross(backward, right), -backward])
    position = np.array([SIDE_MM / 2, SIDE_MM / 2, 0.0]) + distance_mm * backward
    x, y, z = (float(value) for value in -rotation @ position)
    return CameraModel(
        matrix=((focal, 0.0, (SIZE[0] - 1) / 2), (0.0, focal, (SIZE[1] - 1) / 2), (0.0, 0.0, 1.0)),
        distortion=(0.0, 0.0, 0.0, 0.0, 0.0),
        rotation=tuple(tuple(float(value) for value in row) for row in rotation),
        translation_mm=(x, y, z),
        size=SIZE,
    )


def corners_mm() -> NDArray[np.float64]:
    """The playing area's corners in the board frame: far left, far right, near right, near left."""
    return np.array([[0, SIDE_MM, 0], [SIDE_MM, SIDE_MM, 0], [SIDE_MM, 0, 0], [0, 0, 0]], dtype=np.float64)


def picture(
    view: CameraModel, rows: list[str] | None = None, style: Style = Style(), seed: int = 0
) -> NDArray[np.uint8]:
    """What the camera sees; rows: eight strings of eight, far row first: '.', 'd', 'l', kings 'D', 'L'."""
    random = np.random.default_rng(seed)
    width = round((SIDE_MM + 2 * _MARGIN_MM) * _PX_PER_MM)
    plane = np.full((width, width, 3), style.table, np.float32)
    start, end = _MARGIN_MM * _PX_PER_MM, (_MARGIN_MM + SIDE_MM) * _PX_PER_MM
    rim = style.frame_mm * _PX_PER_MM
    plane[round(start - rim) : round(end + rim), round(start - rim) : round(end + rim)] = style.frame
    step = (end - start) / style.squares
    for row in range(style.squares):
        for column in range(style.squares):
            top, left = round(start + row * step), round(start + column * step)
            colour = style.dark if (row + column) % 2 else style.light
            shade = 1 + random.normal(0, 0.03)
            plane[top : round(start + (row + 1) * step), left : round(start + (column + 1) * step)] = colour
            plane[top : round(start + (row + 1) * step), left : round(start + (column + 1) * step)] *= shade
    shown = view.project(corners_mm()).astype(np.float32)
    drawn = np.array([[start, start], [end, start], [end, end], [start, end]], dtype=np.float32) - 0.5
    plane = cv2.GaussianBlur(plane, (0, 0), 1.2)
    seen = cv2.warpPerspective(
        plane, cv2.getPerspectiveTransform(drawn, shown), SIZE, flags=cv2.INTER_LINEAR, borderValue=style.table
    )
    # OpenCV draws smooth edges on whole numbers only.
    seen = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
    for row, line in enumerate(rows or []):
        for column, letter in enumerate(line):
            if letter != ".":
                x, y = (column + 0.5) * SQUARE_MM, (7.5 - row) * SQUARE_MM
                _stand(seen, view, (x, y) + random.uniform(-3, 3, 2), letter, style)
    noisy = np.asarray(seen, dtype=np.float32) + random.normal(0, 2.5, seen.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


CHESSMEN_MM = {
    "p": ((0, 13), (5, 13), (8, 8), (22, 5), (26, 8), (34, 8), (40, 2)),
    "r": ((0, 15), (6, 15), (10, 10), (34, 9), (38, 12), (46, 12)),
    "n": ((0, 15), (6, 15), (10, 10), (30, 12), (46, 8), (52, 4)),
    "b": ((0, 15), (6, 15), (10, 9), (38, 6), (44, 9), (56, 5), (60, 1)),
    "q": ((0, 17), (7, 17), (12, 10), (52, 7), (60, 11), (66, 9), (70, 2)),
    "k": ((0, 17), (7, 17), (12, 10), (58, 7), (66, 11), (72, 9), (80, 3)),
}
"""Turned profiles from the foot up: heights and radii."""
CHESS = ["rnbqkbnr", "pppppppp", "........", "........", "........", "........", "PPPPPPPP", "RNBQKBNR"]


def chess_picture(view: CameraModel, style: Style = Style(), seed: int = 0) -> NDArray[np.uint8]:
    """A chess set at the start of a game, far pieces first so that near ones hide them."""
    random = np.random.default_rng(seed)
    seen = picture(view, style=style, seed=seed)
    camera_mm = np.array(view.position_mm)
    men = [
        (np.array([(column + 0.5) * SQUARE_MM, (7.5 - row) * SQUARE_MM]) + random.uniform(-3, 3, 2), letter)
        for row, line in enumerate(CHESS)
        for column, letter in enumerate(line)
        if letter != "."
    ]
    for centre, letter in sorted(men, key=lambda man: -float(np.hypot(*(man[0] - camera_mm[:2])))):
        colour = np.array(style.dark_disc if letter.islower() else style.light_disc, dtype=np.float64)
        profile = CHESSMEN_MM[letter.lower()]
        for (low, wide), (high, narrow) in pairwise(profile):
            outline = np.concatenate([_ring(view, centre, low, wide), _ring(view, centre, high, narrow)])
            _fill(seen, cv2.convexHull(outline.astype(np.float32)).reshape(-1, 2), colour * (0.55 + 0.45 * high / 80))
        _fill(seen, _ring(view, centre, *profile[-1]), colour)
    return seen


def _stand(
    seen: NDArray[np.uint8], view: CameraModel, centre: NDArray[np.float64], letter: str, style: Style
) -> None:
    """Draw a disc, or a stack of two, as the camera sees it: each a wall in half the light, a face and its groove."""
    colour = np.array(style.dark_disc if letter in "dD" else style.light_disc, dtype=np.float64)
    for level in range(2 if letter.isupper() else 1):
        low, high = level * HEIGHT_MM, (level + 1) * HEIGHT_MM
        outline = np.concatenate([_ring(view, centre, low, RADIUS_MM), _ring(view, centre, high, RADIUS_MM)])
        hull = cv2.convexHull(outline.astype(np.float32)).reshape(-1, 2)
        _fill(seen, hull, 0.5 * colour)
        _fill(seen, _ring(view, centre, high, RADIUS_MM), colour)
        _fill(seen, _ring(view, centre, high, 0.8 * RADIUS_MM), 0.8 * colour)
        _fill(seen, _ring(view, centre, high, 0.75 * RADIUS_MM), colour)


def _ring(view: CameraModel, centre: NDArray[np.float64], height: float, radius: float) -> NDArray[np.float64]:
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    x, y = centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn)
    return view.project(np.column_stack([x, y, np.full(60, height)]))


def _fill(seen: NDArray[np.uint8], outline: NDArray[np.float64], colour: NDArray[np.float64]) -> None:
    points = np.rint(outline * 16).astype(np.int32).reshape(-1, 1, 2)
    blue, green, red = (float(value) for value in colour)
    cv2.fillPoly(seen, [points], (blue, green, red), cv2.LINE_AA, 4)
