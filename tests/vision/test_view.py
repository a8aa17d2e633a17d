"""The ground image: where it shows things that stand on the board."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_table import PLACES, VIEW

from vision.appearance import DiscLook
from vision.colour import Colour
from vision.disc_masks import circles


@pytest.mark.parametrize("view", [VIEW, VIEW.coarse], ids=["fine", "coarse"])
@pytest.mark.parametrize("height_mm", [0.0, 8.0, 16.0])
def test_points_above_the_board_appear_where_the_camera_shows_them(view, height_mm: float) -> None:
    shown = view.camera.project(np.column_stack([PLACES, np.full(len(PLACES), height_mm)]))
    on_surface = view.camera.to_plane(shown)
    expected = (on_surface - view.origin_mm) * view.scale
    assert np.allclose(view.to_ground(PLACES, height_mm), expected, atol=1e-3)


def test_a_disc_rim_at_any_height_is_a_circle() -> None:
    rim = circles(VIEW, PLACES, 16.0)
    turn = np.linspace(0, 2 * np.pi, 20)
    for centre, middle, radius in zip(PLACES, rim.centres, rim.radii, strict=True):
        edge = centre + 15.0 * np.column_stack([np.cos(turn), np.sin(turn)])
        away = np.linalg.norm(VIEW.to_ground(edge, 16.0) - middle, axis=1)
        assert np.allclose(away, radius, atol=1e-6)


def test_each_ground_pixel_knows_its_pixel_of_the_picture() -> None:
    columns, rows = VIEW.ground_pixels
    point = np.array([123.0, 77.0])
    x, y = np.rint(VIEW.to_ground(point)[0]).astype(int)
    mm = VIEW.origin_mm + np.array([x, y]) / VIEW.scale
    assert np.allclose([columns[y, x], rows[y, x]], VIEW.camera.project([(*mm, 0.0)])[0], atol=1e-2)


def test_reference_squares_are_the_32_that_are_never_occupied() -> None:
    squares = VIEW.reference_squares
    assert len(squares) == 32
    middles = (squares[:, :2] + squares[:, 2:] / 2) / VIEW.scale + VIEW.origin_mm
    away = np.linalg.norm(middles[:, None] - PLACES[None, :32], axis=2).min(axis=1)
    assert np.allclose(away, VIEW.square_mm, atol=1.0)


def test_the_light_on_discs_is_spread_from_where_it_was_seen() -> None:
    colour = Colour(np.full(3, 0.5), np.eye(3) * 0.01)
    tones, weights = np.zeros(64), np.zeros(64)
    tones[:12], tones[20:32] = 0.2, -0.2
    weights[:12] = weights[20:32] = 1.0
    field = DiscLook(colour, colour, tones, weights).field(VIEW)
    x, y = np.rint(VIEW.to_ground(PLACES)).astype(int).T
    assert (field[y[:4], x[:4]] > 1.1).all()
    assert (field[y[28:32], x[28:32]] < 0.9).all()
    assert field.shape == VIEW.ground_size[::-1]
