"""The picture for people shows what was read, where it was seen."""

from __future__ import annotations

import cv2
import numpy as np
from drawn_table import PLACES, VIEW

from vision.overlay import draw_reading
from vision.reading import Content, Reading

GREY = np.full((720, 1280, 3), 100, np.uint8)


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
    labelled = draw_reading(GREY, VIEW, reading(), labels=[str(index + 1) for index in range(64)])
    assert changes(sure, doubtful)[near(10, 60)].sum() > 20
    assert changes(hidden, draw_reading(GREY, VIEW, reading()))[near(10, 60)].sum() > 60
    assert all(
        changes(labelled, draw_reading(GREY, VIEW, reading()))[near(place, 25)].any() for place in (0, 17, 31, 32, 63)
    )
