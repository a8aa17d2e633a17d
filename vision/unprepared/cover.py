"""Which squares of a board in a single picture something covers that is neither board nor disc: a hand, a machine.

Nothing is known but the board's grid. What the two kinds of square look like is learnt from the places that no disc
reaches: around the corners where four squares meet. Something covers the board where these corners are gone, or the
colours foreign, over more than a disc is wide.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder import FoundBoard

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

SQUARES = 8
SQUARE_PX = 20
"""Side of a square in the flat picture that is looked at."""
MARGIN_PX = 20
"""How much of what is around the board it shows."""
CORNER_PX = 3
"""Around a corner, each square shows itself within so many pixels: no disc reaches there."""
SEEN = 0.6
"""Likeness (correlation) with four squares that meet from which a corner is seen."""
GONE = 0.35
"""And below which it is not: something lies there."""
LEAST_CONTRAST = 0.12
"""Contrast of the squares (natural logarithm) from which corners tell anything."""
BURNT_OUT = 245
"""Grey level of all channels from which it is glare, which hides but is no thing."""
TOLERANCE, DEVIATIONS = 0.13, 4.0
"""How far a board's colour (log of a channel over their mean) may be off, or so many times what it usually is."""
BRIGHTER, DARKER = 0.4, 1.6
"""How much brighter or darker (natural logarithm) than its surroundings a part of the board may be."""
WIDEST_DISC = 1.25
"""In squares: what holds no circle so wide may be a disc, or one that leans."""
ABOUT_CORNER = 0.75
SEEN_AROUND = 0.3
"""Where a corner is gone the thing reaches about so far, in squares; it does not come so near to one that is seen."""
REACH = 1.1
"""How far from corners that have gone a thing is believed to reach, in squares."""
FRINGE = 0.5
"""How far, in squares, its narrower parts reach out from where it is that wide: fingers."""
HIDDEN_SHARE = 0.3
"""A square is covered if so much of a disc on it would be."""
GLARING = 0.1
"""How much brighter (natural logarithm) than light squares glare makes a corner, at least."""
FEWEST_GONE, FEWEST_AT_RIM = 4, 3
"""Corners that must have gone under a thing; and if it reaches in over the board's rim."""
FEWEST_SEEN = 12
"""Corners that must be seen to know the board's colours."""


def covered_squares(pixels: NDArray[np.uint8], board: FoundBoard) -> NDArray[np.bool_]:
    """(64,) row by row from the top left as seen: squares that something other than a disc covers.

    pixels: (height, width, 3) BGR, in which `board` was found. Where too little is seen of the board to judge by,
    nothing is called covered.
    """
    flat = _flat(pixels, board)
    image = np.log(flat.astype(np.float32) + 4)
    corners = _corners(image, board.dark_parity)
    seen = corners > SEEN
    if seen.sum() < FEWEST_SEEN:
        return np.zeros(SQUARES * SQUARES, dtype=np.bool_)
    foreign = _foreign(image, seen, board.dark_parity)
    gone = (corners < GONE) & ~_too_bright(image, seen)
    thing = foreign | _around(gone, ABOUT_CORNER)
    thing &= ~_around(seen, SEEN_AROUND)
    thing &= flat.min(axis=2) < BURNT_OUT
    thing = _closed(np.asarray(thing), SQUARE_PX // 5)
    wide = _opened(thing, round(WIDEST_DISC * SQUARE_PX))
    under = _together(gone & _at_corners(wide))
    near = cv2.dilate(wide.astype(np.uint8), _disc(2 * round(FRINGE * SQUARE_PX) + 1)) > 0
    return _hidden(np.asarray((wide | (near & thing)) & _around(under, REACH)))


def _flat(pixels: NDArray[np.uint8], board: FoundBoard) -> NDArray[np.uint8]:
    """The board seen from straight above, with a margin."""
    lines = MARGIN_PX + SQUARE_PX * np.arange(SQUARES + 1, dtype=np.float64)
    columns, rows = np.meshgrid(lines, lines)
    flat = np.stack([columns, rows], axis=-1).reshape(-1, 2)
    side = 2 * MARGIN_PX + SQUARES * SQUARE_PX
    grid = np.asarray(board.grid, dtype=np.float64).reshape(-1, 2)
    shrink = max(1.0, float(np.sqrt(np.prod(np.ptp(grid, axis=0)))) / (SQUARES * SQUARE_PX) / 2)
    if shrink > 1:
        pixels = np.asarray(
            cv2.resize(pixels, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8
        )
        grid = (grid + 0.5) / shrink - 0.5
    matrix, _ = cv2.findHomography(flat, grid)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpPerspective(pixels, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(warped, (0, 0), 0.8), dtype=np.uint8)


def _quadrants(image: Floats) -> Floats:
    """(7, 7, 2, 2, channels) the mean of what is seen of each of the four squares around each inner corner."""
    sums = cv2.blur(image, (CORNER_PX, CORNER_PX))
    inner = MARGIN_PX + SQUARE_PX * np.arange(1, SQUARES)
    half = CORNER_PX // 2
    # Blurred, pixel i shows the pixels from i - half to i + half: none of the line between the squares.
    at = np.stack([inner - half - 1, inner + half + 1], axis=1)
    return np.asarray(sums[at[:, None, :, None], at[None, :, None, :]], dtype=np.float32)


def _corners(image: Floats, dark_parity: int) -> Floats:
    """(7, 7) how much each inner corner looks like dark and light squares that meet: 1 wholly, NaN if it can't."""
    quadrants = _quadrants(image).mean(axis=-1)
    sign = np.where((np.add.outer(np.arange(2), np.arange(2)) + dark_parity) % 2 == 0, -1.0, 1.0)
    turn = np.where(np.add.outer(np.arange(SQUARES - 1), np.arange(SQUARES - 1)) % 2 == 0, 1.0, -1.0)
    signs = turn[..., None, None] * sign
    level = quadrants - quadrants.mean(axis=(2, 3), keepdims=True)
    step = (level * signs).mean(axis=(2, 3))
    spread = np.sqrt((level**2).mean(axis=(2, 3)))
    usual = float(np.median(step))
    if usual < LEAST_CONTRAST / 2:
        return np.full(step.shape, np.nan, dtype=np.float32)
    # A step much smaller than usual is no corner, however clean; nor is one of which the rest is larger.
    return np.asarray(step / np.maximum(spread, 0.5 * usual), dtype=np.float32)


def _too_bright(image: Floats, seen: Flags) -> Flags:
    """(7, 7) corners that are brighter than light squares are: there is glare on them."""
    quadrants = _quadrants(image).mean(axis=-1)
    lightest = float(np.median(quadrants[seen].max(axis=(1, 2))))
    return np.asarray(quadrants.mean(axis=(2, 3)) > lightest + GLARING)


def _foreign(image: Floats, seen: Flags, dark_parity: int) -> Flags:
    """Where the colour is none that the board has there, nor a shadow on it or more light."""
    quadrants = _quadrants(image)
    rows, columns = np.indices((SQUARES - 1, SQUARES - 1))
    kinds = (rows[..., None, None] + columns[..., None, None] + np.add.outer(np.arange(2), np.arange(2))) % 2
    side = image.shape[0]
    lines = np.clip((np.arange(side) - MARGIN_PX) // SQUARE_PX, 0, SQUARES - 1)
    parity = np.add.outer(lines, lines) % 2
    expected = np.empty_like(image)
    spreads = []
    for kind in (0, 1):
        # Two of each corner's four squares are of one kind.
        here = quadrants[kinds == kind].reshape(SQUARES - 1, SQUARES - 1, 2, 3).mean(axis=2)
        field = _spread_out(here, seen)
        spreads.append(np.abs(_hue(here[seen]) - _hue(field[seen])).max(axis=-1))
        whole = cv2.resize(field, (SQUARE_PX * (SQUARES - 1),) * 2, interpolation=cv2.INTER_LINEAR)
        pad = MARGIN_PX + SQUARE_PX // 2
        whole = cv2.copyMakeBorder(whole, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
        expected[parity == kind] = whole[parity == kind]
    tolerance = max(TOLERANCE, DEVIATIONS * float(np.median(np.concatenate(spreads))))
    brightness = (image - expected).mean(axis=-1)
    hue = np.abs(_hue(image) - _hue(expected)).max(axis=-1)
    return np.asarray((hue > tolerance) | (brightness > BRIGHTER) | (brightness < -DARKER))


def _hue(image: Floats) -> Floats:
    return np.asarray(image - image.mean(axis=-1, keepdims=True), dtype=np.float32)


def _spread_out(values: Floats, known: Flags) -> Floats:
    """(7, 7, channels) a smooth field through the known values."""
    weight = known.astype(np.float32)
    sums = cv2.GaussianBlur(values * weight[..., None], (0, 0), 1.0) + 1e-3 * values[known].mean(axis=0)
    return np.asarray(sums / (cv2.GaussianBlur(weight, (0, 0), 1.0) + 1e-3)[..., None], dtype=np.float32)


def _around(corners: Flags, squares: float) -> Flags:
    """The flat picture's pixels within so many squares of some inner corners."""
    side = 2 * MARGIN_PX + SQUARES * SQUARE_PX
    mask = np.zeros((side, side), np.uint8)
    for row, column in np.argwhere(corners):
        centre = (int(MARGIN_PX + SQUARE_PX * (column + 1)), int(MARGIN_PX + SQUARE_PX * (row + 1)))
        cv2.circle(mask, centre, round(squares * SQUARE_PX), 1, -1)
    return np.asarray(mask > 0)


def _disc(width: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)), dtype=np.uint8)


def _closed(mask: Flags, width: int) -> Flags:
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, _disc(width | 1)) > 0)


def _opened(mask: Flags, width: int) -> Flags:
    """What of the board is at least so wide; beyond the board's edge it is thought to go on, mirrored."""
    board = slice(MARGIN_PX, -MARGIN_PX)
    inner = mask[board, board].astype(np.uint8)
    around = cv2.copyMakeBorder(inner, width, width, width, width, cv2.BORDER_REFLECT)
    opened = cv2.morphologyEx(around, cv2.MORPH_OPEN, _disc(width | 1))[width:-width, width:-width]
    whole = np.zeros_like(mask)
    whole[board, board] = opened > 0
    return whole


def _at_corners(mask: Flags) -> Flags:
    """(7, 7) what a mask of the flat picture says of the inner corners."""
    at = MARGIN_PX + SQUARE_PX * np.arange(1, SQUARES)
    return np.asarray(mask[np.ix_(at, at)])


def _together(gone: Flags) -> Flags:
    """Those corners of which so many lie side by side as no disc hides."""
    _, labels = cv2.connectedComponents(gone.astype(np.uint8), connectivity=8)
    counts = np.bincount(labels.ravel())
    needed = np.full(len(counts), FEWEST_GONE)
    needed[np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))] = FEWEST_AT_RIM
    kept = counts >= needed
    kept[0] = False
    return np.asarray(kept[labels])


def _hidden(thing: Flags) -> NDArray[np.bool_]:
    """(64,) squares of which a disc's width is covered."""
    radius = round(0.35 * SQUARE_PX)
    share = cv2.filter2D(thing.astype(np.float32), -1, _disc(2 * radius + 1).astype(np.float32))
    centres = MARGIN_PX + SQUARE_PX // 2 + SQUARE_PX * np.arange(SQUARES)
    return np.asarray(share[np.ix_(centres, centres)] > HIDDEN_SHARE * _disc(2 * radius + 1).sum()).ravel()
