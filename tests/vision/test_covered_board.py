"""Things of any colour that lie over squares, seen by the squares' edges that are gone; and what is none of them."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest
from drawn_table import CALIBRATION, GEOMETRY, PLACES, VIEW, Truth, draw, lay, random_contents
from test_obstruction import DISCS, NARROWEST_PX, REGION, moved

from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene
from vision.obstruction import Obstruction, find_obstruction, hidden_places, structure_of
from vision.structure import square_edges

EDGES = square_edges(VIEW)
TABLES = [("walnut", "dim"), ("black-on-black", "window"), ("red-black", "evening"), ("pine", "lamp-off")]
SHEETS = {"white": (215, 220, 222), "grey": (118, 120, 122), "black": (30, 30, 32), "red": (50, 50, 190)}


@lru_cache(maxsize=8)
def table(style: str, light: str) -> tuple[Picture, Truth, np.ndarray, np.ndarray]:
    """What draws it, how it lies, the reference, and a picture after discs have moved."""
    random = np.random.default_rng(8)
    picture = Picture(GEOMETRY, STYLES[style], ILLUMINATIONS[light], seed=3)
    before = lay(random_contents(random), random, 6.0, 2.0)
    after = moved(before, random)
    return picture, after, draw(picture, before), draw(picture, after)


def find(now: np.ndarray, reference: np.ndarray) -> Obstruction:
    return find_obstruction(now, reference, NARROWEST_PX, region=REGION, disc_area=DISCS, edges=EDGES)


def over_the_board(half_mm: float) -> np.ndarray:
    """(height, width) a sheet that lies wholly on the squares."""
    corners = [(160 + half_mm * a, 160 + half_mm * b, 1.0) for a, b in ((-1, -0.7), (1, -1), (0.8, 1), (-1, 0.9))]
    mask = np.zeros((720, 1280), np.uint8)
    cv2.fillConvexPoly(mask, np.rint(VIEW.camera.project(corners)).astype(np.int32), 1)
    return mask > 0


@pytest.mark.parametrize(("style", "light"), TABLES)
def test_moved_discs_cover_no_edges(style: str, light: str) -> None:
    _, _, reference, now = table(style, light)
    assert not find(now, reference).present
    assert not find(np.clip(now * 1.12, 0, 255).astype(np.uint8), reference).present


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(("style", "light"), TABLES)
def test_a_sheet_on_the_squares_is_seen_whatever_its_colour(style: str, light: str, sheet: str) -> None:
    _, _, reference, now = table(style, light)
    under = over_the_board(85.0)
    covered = now.copy()
    tone = np.array(SHEETS[sheet]) * ILLUMINATIONS[light].gain
    noise = np.random.default_rng(2).normal(0, 2, (*under.shape, 3))
    covered[under] = np.clip(tone + noise, 0, 255).astype(np.uint8)[under]
    found = find(covered, reference)
    assert found.present
    inner = (np.abs(PLACES - 160) < 45).all(axis=1)
    assert hidden_places(found, VIEW)[inner].all()


@pytest.mark.parametrize(("style", "light"), TABLES)
def test_all_squares_under_a_hand_are_hidden(style: str, light: str) -> None:
    picture, truth, reference, _ = table(style, light)
    for reach in range(3):
        hand = HandPose((100.0 + 60 * reach, 150.0, 20.0), 0.0, (), reach)
        hidden = hidden_places(find(draw(picture, truth, hand=hand), reference), VIEW)
        under = np.hypot(*(PLACES - (100.0 + 60 * reach, 100.0)).T) < 30
        assert hidden[under].all()


def test_a_disc_between_squares_or_beside_the_board_is_no_hand() -> None:
    picture, truth, reference, _ = table("walnut", "dim")
    for x, y in ((160.0, 160.0), (-35.0, -30.0), (355.0, 160.0)):
        free = tuple(disc for disc in truth.discs if np.hypot(disc.x - x, disc.y - y) > 31)
        now = picture.draw(Scene((*free, Disc(500, DiscColour.LIGHT, x, y, 0.0))))
        assert not find(now, reference).present, (x, y)


def test_the_gantry_where_nobody_expects_it_is_seen_and_hides_squares() -> None:
    picture, truth, reference, _ = table("black-on-black", "window")
    found = find(draw(picture, truth, tip_mm=(150.0, 200.0, 30.0)), reference)
    assert found.present
    assert hidden_places(found, VIEW)[:32].any()


def test_edges_stay_shown_in_shadow_and_glare_and_are_lost_under_a_sheet() -> None:
    _, _, reference, now = table("walnut", "dim")
    columns = np.linspace(-1, 1, 1280)[None, :, None]
    shaded = (now * np.where(columns > 0, 0.35, 1.0)).astype(np.uint8)
    veiled = np.clip(now * 0.6 + 90 * np.exp(-4 * columns**2), 0, 255).astype(np.uint8)
    for light in (shaded, veiled):
        seen = structure_of(light, reference, NARROWEST_PX, EDGES, REGION)
        assert seen.shown.sum() > 20 * seen.lost.sum()
    sheet = over_the_board(85.0)
    covered = now.copy()
    covered[sheet] = 100
    seen = structure_of(covered, reference, NARROWEST_PX, EDGES, REGION)
    middle = cv2.erode(sheet.astype(np.uint8), np.ones((61, 61)))[::4, ::4] > 0
    assert not (seen.shown & middle).any()
    assert (seen.lost & middle).sum() > 0.5 * middle.sum()


def test_edges_are_looked_for_where_no_disc_lies() -> None:
    centres = VIEW.camera.project(np.column_stack([PLACES[:32], np.zeros(32)]))
    columns, rows = np.rint(centres).astype(int).T
    assert not EDGES[rows, columns].any()
    inner = [(40.0 * column, 40.0 * row, 0.0) for row in range(1, 8) for column in range(1, 8)]
    columns, rows = np.rint(CALIBRATION.camera.project(inner)).astype(int).T
    near = cv2.dilate(EDGES.astype(np.uint8), np.ones((15, 15)))
    assert near[rows, columns].mean() > 0.9


def test_a_finger_from_outside_is_seen_and_not_taken_for_a_disc() -> None:
    picture, truth, reference, _ = table("walnut", "dim")
    hand = HandPose((160.0, -20.0, 5.0), 0.0)
    assert find(draw(picture, truth, hand=hand), reference).present
