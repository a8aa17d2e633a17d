"""The milestones of seeing: camera, board, discs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import reference_build
from calibration.camera_pose import Lens, PlaneView, camera_of_board, lens_of_views
from calibration.disc_finding import DiscNotFoundError, colour_at, measure_diameter, new_discs
from calibration.draft import Draft, SavedLens
from calibration.errors import CalibrationError
from calibration.king_sight import king_sight
from calibration.parking import parking_place
from calibration.sheet import check_size, find_sheet, squares_by_sheet
from controller.calibrating.helper import Helper, Wish
from controller.calibrating.plan import CalibrationOrder, Found
from controller.calibrating.still import still_frame
from hardware.clock import Clock
from hardware.frame import Camera, Frame
from vision.disc_size import DiscSize
from vision.errors import BoardNotFoundError
from vision.finder import FoundBoard, find_board
from vision.finder.by_hand import board_from_corners

TILTS = (
    "Hold the sheet some 10 cm over the board, its far edge lifted",
    "now its near edge lifted",
    "now its left edge lifted",
    "now its right edge lifted",
    "now turned by half a quarter, one corner lifted",
    "and the opposite corner lifted",
)
SHEET_TRIES = 3
DARKEST, BRIGHTEST, MOST_CLIPPED = 45.0, 225.0, 0.08
"""Mean grey level of the board between which a picture is well exposed, and the part of it that may be white."""
FLICKER = 0.06
BARE_MM = 25.0
"""How far around the playing area discs are looked for that were put on it."""
LEAST_CONTRAST = 22.0
SMALLEST, LARGEST = 0.5, 0.95
"""A disc's diameter in squares."""


def camera_step(order: CalibrationOrder, draft: Draft, camera: Camera, clock: Clock, helper: Helper) -> Found:
    """Exposure, the lens, and whether kings can be told; with a sheet the squares' size, too.

    Raises CalibrationError, or what finding the board raises.
    """
    first = still_frame(camera, clock)
    board = found_board(order, first)
    size = _size(first)
    words = [f"the camera gives pictures of {size[0]} × {size[1]} px"]
    words += _exposure(first, still_frame(camera, clock), board)
    figures: dict[str, float] = {}
    draft = replace(draft, lens=None, lens_from="the board", scale_from="the size that was stated")
    if order.sheet:
        lens, flat = _lens_by_sheet(camera, clock, helper, size)
        square = squares_by_sheet(flat, board, lens, size)
        scale_from, by_sheet = "the printed sheet", square
        if order.square_mm is not None:
            check_size(square, order.square_mm)
            square, scale_from = order.square_mm, "the size that was stated, and the printed sheet agrees"
        saved = SavedLens(lens.matrix, lens.distortion, lens.rms_px, lens.views)
        draft = replace(draft, lens=saved, lens_from="the printed sheet", scale_from=scale_from, square_mm=square)
        figures |= {"lens_rms_px": lens.rms_px, "sheet_views": lens.views, "square_by_sheet_mm": by_sheet}
        words.append(f"the lens is known from {lens.views} views of the sheet, to {lens.rms_px:.2f} px")
        words.append(f"the board's squares are {by_sheet:.2f} mm by the sheet")
    else:
        draft = replace(draft, square_mm=order.believed_square_mm)
        words.append("the lens is known from the board alone: exact on the board, less so over the trays")
    draft = _posed(order, draft, board, size)
    sight = king_sight(draft.provisional())
    figures |= {"camera_rms_px": draft.camera_rms_px or 0.0, "king_shift_px": min(sight.shifts_px)}
    if not sight.too_small:
        words.append("kings can be told by their height on all 32 squares")
    else:
        squares = ", ".join(str(number) for number in sight.too_small)
        mend = (
            f"move the camera {sight.further_mm:.0f} mm farther from the board, to the robot's side"
            if sight.further_mm is not None
            else "mount the camera nearer, or use one with more pixels"
        )
        words.append(f"kings cannot be told from men for sure on {squares}: {mend}")
    return Found(draft, tuple(words), figures, _with_grid(first, board))


def board_step(order: CalibrationOrder, draft: Draft, frame: Frame) -> Found:
    """Where the board is in the picture, which way round it lies, how large it is, and where the trays are."""
    board = found_board(order, frame)
    if order.square_mm is not None and draft.lens is None:
        draft = replace(draft, square_mm=order.square_mm, scale_from="the size that was stated")
    elif order.square_mm is None and draft.lens is None:
        draft = replace(draft, scale_from="the reference build's size, as none was stated")
    draft = _posed(order, draft, board, _size(frame))
    square = draft.square_mm or order.believed_square_mm
    draft = replace(draft, tray_mm=reference_build.tray_places(square), arm_parts=reference_build.ARM_PARTS)
    words = [
        f"the board is found, with {board.score:.0%} of its inner corners, to {draft.camera_rms_px or 0.0:.2f} px",
        f"the human sits at the {order.human.name.lower()} of the picture; the square at the human's left is dark",
        f"the squares are {square:.2f} mm, by {draft.scale_from}",
        "the trays are the two columns beside each edge: the human's colour on the human's left, the robot's on the "
        "right",
    ]
    unseen = _unseen_places(draft)
    if unseen:
        words.append(f"the camera does not see the tray's places {', '.join(f'T{place}' for place in unseen)}")
    figures = {"camera_rms_px": draft.camera_rms_px or 0.0, "square_mm": square, "corners_seen": board.score}
    return Found(draft, tuple(words), figures, _with_grid(frame, board))


def discs_step(order: CalibrationOrder, draft: Draft, clear_frame: Callable[[], Frame], helper: Helper) -> Found:
    """The discs' diameter, and how the two colours look. `clear_frame` waits until nobody's hand is in the way."""
    helper.please(Wish.CLEAR_BOARD, "Take everything off the board; discs may lie in the trays.")
    bare = clear_frame()
    helper.please(
        Wish.TWO_DISCS, "Put one dark and one light disc on two dark squares near the middle, not side by side."
    )
    frame = clear_frame()
    calibration = replace(draft.provisional(), disc=order.disc)
    side = 8 * calibration.square_mm + BARE_MM
    near = new_discs(bare.pixels, frame.pixels, calibration.camera, order.disc, (-BARE_MM, -BARE_MM, side, side))
    if len(near) != 2:
        seen = ("no disc is", "one disc is")[len(near)] if len(near) < 2 else f"{len(near)} discs are"
        raise DiscNotFoundError(
            f"{seen} to be seen where a dark and a light one should be: put one of each colour on two dark squares, "
            "in good light, and nothing else"
        )
    colours = [colour_at(frame.pixels, calibration.camera, order.disc, one.centre) for one in near]
    levels = [sum(colour) / 3 for colour in colours]
    light = int(levels[1] > levels[0])
    contrast = levels[light] - levels[1 - light]
    if contrast < LEAST_CONTRAST:
        raise CalibrationError(
            "the two discs are nearly as bright as each other: put a dark and a light one down, or use more light"
        )
    # The light one stands out from the dark squares, and from its shadow.
    measured = measure_diameter(bare.pixels, frame.pixels, calibration.camera, order.disc, near[light].centre)
    diameter = round(measured, 1)
    if not SMALLEST <= diameter / calibration.square_mm <= LARGEST:
        raise CalibrationError(
            f"the disc seems to be {diameter:.0f} mm across, which does not go with squares of "
            f"{calibration.square_mm:.0f} mm: put single discs down, in good light, or state --square-mm"
        )
    draft = replace(draft, disc=DiscSize(diameter, order.disc.height_mm))
    words = (
        f"the discs are {diameter:.1f} mm across; how high they are is known when the arm touches one",
        f"the light ones look {_named(colours[light])}, the dark ones {_named(colours[1 - light])}: "
        f"{contrast:.0f} grey levels apart",
    )
    helper.please(Wish.CLEAR_BOARD, "Take both discs off the board again.")
    clear_frame()
    figures = {"disc_diameter_mm": diameter}
    for name, colour in (("light", colours[light]), ("dark", colours[1 - light])):
        figures |= {
            f"{name}_{channel}": level for channel, level in zip(("blue", "green", "red"), colour, strict=True)
        }
    return Found(draft, words, figures, frame.pixels)


def found_board(order: CalibrationOrder, frame: Frame) -> FoundBoard:
    """The board in a frame, by the corners that a person has given if there are any.

    Raises CalibrationError if it is not found.
    """
    if order.corners is not None:
        return board_from_corners(frame.pixels, order.corners)
    try:
        return find_board(frame.pixels)
    except BoardNotFoundError as error:
        raise CalibrationError(
            f"{error}; or say with --corners where its four outer corners are in the picture"
        ) from error


def parked(draft: Draft, travel_mm: tuple[float, float, float]) -> Draft:
    """The draft with the place where the arm hides nothing from the camera."""
    return replace(draft, park_mm=parking_place(draft.provisional(), travel_mm))


def _size(frame: Frame) -> tuple[int, int]:
    return frame.pixels.shape[1], frame.pixels.shape[0]


def _posed(order: CalibrationOrder, draft: Draft, board: FoundBoard, size: tuple[int, int]) -> Draft:
    saved = draft.lens
    lens = None if saved is None else Lens(saved.matrix, saved.distortion, saved.rms_px, saved.views)
    pose = camera_of_board(board, size, draft.square_mm or order.believed_square_mm, order.human, lens)
    return replace(draft, camera=pose.camera, camera_rms_px=pose.rms_px)


def _lens_by_sheet(camera: Camera, clock: Clock, helper: Helper, size: tuple[int, int]) -> tuple[Lens, PlaneView]:
    helper.please(Wish.LAY_SHEET, "Lay the printed sheet flat on the middle of the board.")
    flat = _sheet_seen(camera, clock, helper, Wish.LAY_SHEET)
    views = [flat]
    for sentence in TILTS:
        helper.please(Wish.TILT_SHEET, f"{sentence}, and keep it still.")
        views.append(_sheet_seen(camera, clock, helper, Wish.TILT_SHEET))
    helper.please(Wish.TAKE_SHEET_AWAY, "Take the sheet away.")
    return lens_of_views(views, size), flat


def _sheet_seen(camera: Camera, clock: Clock, helper: Helper, wish: Wish) -> PlaneView:
    for attempt in range(SHEET_TRIES):
        # What a person holds is never quite still; what the corners miss by tells whether it was still enough.
        frame = camera.frame() if wish is Wish.TILT_SHEET else still_frame(camera, clock)
        view = find_sheet(frame.pixels)
        if view is not None:
            return view
        if attempt + 1 < SHEET_TRIES:
            helper.please(
                wish, "The pattern is not to be seen: hold it so that the camera sees most of it, in good light."
            )
    raise CalibrationError(
        "the printed sheet is not to be seen: print it with 'crownhead calibrate sheet' on white paper, or calibrate "
        "with --no-sheet"
    )


def _exposure(first: Frame, second: Frame, board: FoundBoard) -> list[str]:
    levels = []
    for frame in (first, second):
        mask = np.zeros(frame.pixels.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(board.corners).astype(np.int32), 1)
        levels.append(cv2.cvtColor(frame.pixels, cv2.COLOR_BGR2GRAY)[mask > 0])
    mean = float(levels[0].mean())
    if mean < DARKEST:
        return ["the picture is dark: more light would make readings surer"]
    if mean > BRIGHTEST or float((levels[0] >= 254).mean()) > MOST_CLIPPED:
        return ["parts of the picture are white: less light, or no lamp mirrored on the board, would be better"]
    if abs(float(levels[1].mean()) / mean - 1) > FLICKER:
        return ["the picture's brightness changes by itself: switch camera.lock on in the settings"]
    return ["exposure and white balance are good and stay as they are"]


def _with_grid(frame: Frame, board: FoundBoard) -> NDArray[np.uint8]:
    """The picture with the corners of all squares that were found."""
    drawn = frame.pixels.copy()
    for x, y in board.grid.reshape(-1, 2):
        cv2.circle(drawn, (round(float(x)), round(float(y))), 4, (0, 220, 255), 2, cv2.LINE_AA)
    cv2.polylines(drawn, [np.rint(board.corners).astype(np.int32)], True, (0, 220, 255), 2, cv2.LINE_AA)
    return drawn


def _named(colour: tuple[float, float, float]) -> str:
    """A blue-green-red colour as pages write it."""
    return "#" + "".join(f"{round(level):02x}" for level in reversed(colour))


def _unseen_places(draft: Draft) -> list[int]:
    calibration = draft.provisional()
    places = np.array(calibration.tray_mm)
    pixels = calibration.camera.project(np.column_stack([places, np.zeros(len(places))]))
    outside = (pixels < 0).any(axis=1) | (pixels >= calibration.camera.size).any(axis=1)
    return [int(place) + 1 for place in np.flatnonzero(outside)]
