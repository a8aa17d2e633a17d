"""The picture for people shows what was read, where it was seen."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_table import PLACES, VIEW

from vision.doubt import Doubt
from vision.overlay import draw_reading
from vision.reading import Content, Reading

GREY = np.full((720, 1280, 3), 100, np.uint8)
LABELS = [str(index + 1) for index in range(64)]
NO_LABELS = [""] * 64


def reading(content: int = 0, place: int = 10, sure: float = 0.999, hidden: bool = False) -> Reading:
    probabilities = np.tile([0.996, 0.001, 0.001, 0.001, 0.001], (64, 1))
    probabilities[place] = (1 - sure) / 4
    probabilities[place, content] = sure
    centres = np.full((64, 2), np.nan)
    if content:
        centres[place] = (3.0, -2.0)
    covered = np.zeros(64, dtype=np.bool_)
    covered[place] = hidden
    return Reading(probabilities, centres, centres, covered)


def changes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.abs(first.astype(int) - second).sum(axis=2) > 30


def near(place: int, radius_px: float) -> np.ndarray:
    x, y = VIEW.camera.project([(*PLACES[place], 4.0)])[0]
    rows, columns = np.mgrid[0:720, 0:1280]
    return np.hypot(columns - x, rows - y) < radius_px


def test_the_frame_itself_stays_as_it_was() -> None:
    frame = GREY.copy()
    picture = draw_reading(frame, VIEW, reading())
    assert (frame == GREY).all()
    assert picture.shape == frame.shape
    assert changes(picture, frame).any()


def test_each_content_looks_different_and_only_at_its_place() -> None:
    pictures = [draw_reading(GREY, VIEW, reading(content)) for content in Content]
    for index, first in enumerate(pictures):
        for second in pictures[index + 1 :]:
            different = changes(first, second)
            assert different.sum() > 40
            assert not different[~near(10, 60)].any()


def test_a_disc_is_ringed_where_it_was_seen() -> None:
    drawn = changes(draw_reading(GREY, VIEW, reading(Content.LIGHT_MAN)), draw_reading(GREY, VIEW, reading()))
    turn = np.linspace(0, 2 * np.pi, 40)
    centre = PLACES[10] + (3.0, -2.0)
    rim = np.column_stack([*(centre + 15 * np.column_stack([np.cos(turn), np.sin(turn)])).T, np.full(40, 8.0)])
    thick = cv2.dilate(drawn.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    x, y = np.rint(VIEW.camera.project(rim)).astype(int).T
    assert thick[y, x].mean() > 0.9


def test_doubt_hidden_places_and_labels_are_shown() -> None:
    sure = draw_reading(GREY, VIEW, reading(Content.DARK_MAN))
    doubtful = draw_reading(GREY, VIEW, reading(Content.DARK_MAN, sure=0.7))
    hidden = draw_reading(GREY, VIEW, reading(Content.EMPTY, hidden=True))
    plain, labelled = (draw_reading(GREY, VIEW, reading(), labels=labels) for labels in (NO_LABELS, LABELS))
    assert changes(sure, doubtful)[near(10, 60)].sum() > 20
    assert changes(hidden, draw_reading(GREY, VIEW, reading()))[near(10, 60)].sum() > 60
    assert all(changes(labelled, plain)[near(place, 40)].any() for place in (0, 17, 31, 32, 63))


def test_why_a_place_cannot_be_read_is_written_on_it() -> None:
    glare = [Doubt.GLARE if place == 10 else Doubt.NONE for place in range(64)]
    for one in (reading(Content.EMPTY, hidden=True), reading(Content.DARK_MAN, sure=0.7)):
        different = changes(draw_reading(GREY, VIEW, one, doubts=glare), draw_reading(GREY, VIEW, one))
        assert different[near(10, 60)].sum() > 10
        assert not different[~near(10, 60)].any()
    # What is sure needs no excuse.
    assert not changes(draw_reading(GREY, VIEW, reading(), doubts=glare), draw_reading(GREY, VIEW, reading())).any()


def test_grid_and_corners_lie_where_the_board_does() -> None:
    drawn = changes(draw_reading(GREY, VIEW, reading()), GREY)
    at = np.linspace(5, 315, 40)
    for line in ((np.full(40, 160.0), at), (at, np.full(40, 120.0)), (np.zeros(40), at), (at, np.full(40, 320.0))):
        x, y = np.rint(VIEW.camera.project(np.column_stack([*line, np.zeros(40)]))).astype(int).T
        thick = cv2.dilate(drawn.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        assert thick[y, x].mean() > 0.95


@pytest.mark.parametrize("scale", [0.375, 2.0])
@pytest.mark.parametrize("ground", [15, 245])
def test_it_can_be_seen_on_any_ground_and_scales_with_the_picture(scale: float, ground: int) -> None:
    width, height = round(1280 * scale), round(720 * scale)
    matrix = np.array(VIEW.camera.matrix)
    matrix[:2] *= scale
    camera = replace(VIEW.camera, matrix=tuple(map(tuple, matrix.tolist())), size=(width, height))
    frame = np.full((height, width, 3), ground, np.uint8)
    picture = draw_reading(frame, replace(VIEW, camera=camera), reading(Content.DARK_KING), NO_LABELS)
    drawn = changes(picture, frame)
    assert 0.01 < drawn.mean() < 0.15
    for content in (Content.DARK_MAN, Content.LIGHT_MAN):
        x, y = camera.project([(*(PLACES[10] + (3.0 + 15.0, -2.0)), 8.0)])[0].round().astype(int)
        ringed = draw_reading(frame, replace(VIEW, camera=camera), reading(content), NO_LABELS)
        assert changes(ringed, frame)[y - 2 : y + 3, x - 2 : x + 3].any()


def test_the_explanation_of_the_signs_never_lies_on_the_board() -> None:
    frame = GREY[150:640, 300:980].copy()
    matrix = np.array(VIEW.camera.matrix)
    matrix[0, 2] -= 300
    matrix[1, 2] -= 150
    camera = replace(VIEW.camera, matrix=tuple(map(tuple, matrix.tolist())), size=(680, 490))
    picture = draw_reading(frame, replace(VIEW, camera=camera), reading())
    assert picture.shape[1] == 680
    assert picture.shape[0] > 490
    assert (frame == 100).all()
