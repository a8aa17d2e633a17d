"""The camera's picture: exact to a part of a pixel, noise fresh on every frame, the same from the same seed."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.clock import VirtualClock
from hardware.simulated.camera import SimulatedCameraDevice
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.gantry_drawing import place_part
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene

GEOMETRY = TableGeometry()
QUIET = replace(Style(), noise=0.0, flicker=0.0, shadow=0.0)
RADIUS, HEIGHT = GEOMETRY.disc_diameter_mm / 2, GEOMETRY.disc_height_mm
SMALL = replace(GEOMETRY, camera=replace(GEOMETRY.camera, size=(640, 360), focal_px=540.0))
"""The same table at half the resolution, where only pictures are compared with one another."""


BLACK = (0.0, 0.0, 0.0)
BARE = replace(
    QUIET,
    light_squares=BLACK,
    dark_squares=BLACK,
    frame=BLACK,
    frame_line=BLACK,
    table=BLACK,
    tray=BLACK,
    dark_discs=(200.0, 200.0, 200.0),
    light_discs=(200.0, 200.0, 200.0),
    gradient=(0.0, 0.0),
    vignetting=0.0,
)
"""Bright discs on nothing: what is not black is a disc."""


@pytest.fixture(scope="module")
def quiet() -> Picture:
    return Picture(GEOMETRY, QUIET, seed=3)


@pytest.fixture(scope="module")
def bare() -> Picture:
    return Picture(GEOMETRY, BARE, seed=3)


def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
    camera = GEOMETRY.camera
    rotation, _ = cv2.Rodrigues(camera.rotation)
    distortion = np.asarray(camera.distortion)
    pixels, _ = cv2.projectPoints(
        points.reshape(-1, 1, 3), rotation, camera.translation_mm, camera.matrix, distortion
    )
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)


def circle(x: float, y: float, z: float, radius: float = RADIUS) -> NDArray[np.float64]:
    turns = np.linspace(0, 2 * np.pi, 721)[:-1]
    return np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns), np.full_like(turns, z)], axis=1)


def outline(disc: Disc) -> NDArray[np.float64]:
    """The outline (N, 2) of the cylinder's image, px."""
    both = np.concatenate([circle(disc.x, disc.y, disc.z), circle(disc.x, disc.y, disc.z + HEIGHT)])
    return cv2.convexHull(project(both).astype(np.float32)).reshape(-1, 2)


def test_every_pixels_ray_goes_through_that_pixel() -> None:
    view = View(GEOMETRY.camera)
    rows, columns = (part.ravel() for part in np.mgrid[0:720:89, 0:1280:91])
    ground = np.stack([view.ground_x[rows, columns], view.ground_y[rows, columns], np.zeros(len(rows))], axis=1)
    assert np.abs(project(ground) - np.stack([columns, rows], axis=1)).max() < 0.01


def changed(picture: Picture, scene: Scene, base: Scene, least: float) -> NDArray[np.bool_]:
    """The pixels whose three channels together differ by more than `least` grey levels."""
    difference = picture.draw(scene).astype(float) - picture.draw(base).astype(float)
    return np.asarray(np.abs(difference).sum(axis=2) > least)


@pytest.mark.parametrize(("x", "y"), [*product((20.0, 163.0, 300.0), (20.0, 300.0)), (-90.0, 20.0), (410.0, 300.0)])
def test_a_disc_appears_where_the_projection_says(bare: Picture, x: float, y: float) -> None:
    disc = Disc(0, DiscColour.DARK, x, y, 0.0)
    rows, columns = np.nonzero(changed(bare, Scene((disc,)), Scene(()), least=100.0))
    moments = cv2.moments(outline(disc))
    expected = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    assert (columns.mean(), rows.mean()) == pytest.approx(expected, abs=0.2)
    assert len(rows) == pytest.approx(moments["m00"], rel=0.05)


def far_edge(picture: Picture, scene: Scene, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far (px) above each of these points the picture turns from black to a disc, at half its brightness."""
    grey = picture.draw(scene).astype(np.float32).mean(axis=2)
    ups = np.arange(-2.0, 4.0, 0.02)
    columns = np.repeat(points[:, :1], len(ups), axis=1).astype(np.float32)
    rows = (points[:, 1:] - ups[None, :]).astype(np.float32)
    profile = cv2.remap(grey, columns, rows, cv2.INTER_LINEAR)
    half = profile[:, :50].mean(axis=1, keepdims=True) / 2
    return np.asarray(ups[(profile > half).sum(axis=1) - 1])


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize(("x", "y"), [(60.0, 60.0), (300.0, 60.0), (20.0, 300.0), (180.0, 180.0), (-90.0, 300.0)])
def test_the_far_edge_of_a_top_face_is_exact_to_a_fifth_of_a_pixel(
    bare: Picture, x: float, y: float, levels: int
) -> None:
    discs = tuple(Disc(level, DiscColour.LIGHT, x, y, level * HEIGHT) for level in range(levels))
    rim = project(circle(x, y, levels * HEIGHT))
    middle = rim.mean(axis=0)
    away = rim - middle
    far = rim[(away[:, 1] < 0) & (np.abs(away[:, 0]) < 6)]
    errors = far_edge(bare, Scene(discs), far)
    assert abs(float(errors.mean())) < 0.2
    assert float(np.abs(errors).max()) < 0.4


def test_a_kings_top_is_shifted_against_a_mans_by_the_projected_amount(bare: Picture) -> None:
    x, y = 100.0, 260.0
    man, upper = (Disc(level, DiscColour.LIGHT, x, y, level * HEIGHT) for level in range(2))
    tops = project(np.array([[x, y - RADIUS, HEIGHT], [x, y - RADIUS, 2 * HEIGHT]]))
    expected = tops[0, 1] - tops[1, 1]
    assert expected > 3
    edges = [
        far_edge(bare, scene, tops[level][None])[0]
        for level, scene in enumerate((Scene((man,)), Scene((man, upper))))
    ]
    assert edges[1] - edges[0] == pytest.approx(0, abs=0.2)


def test_the_boards_squares_lie_where_the_projection_says(quiet: Picture) -> None:
    grey = quiet.draw(Scene(())).mean(axis=2)
    corners = np.array([(40.0 * a, 40.0 * b, 0.0) for a in range(1, 8) for b in range(1, 8)])
    expected = project(corners).astype(np.float32)
    found = cv2.cornerSubPix(
        grey.astype(np.uint8),
        expected.reshape(-1, 1, 2).copy(),
        (7, 7),
        (-1, -1),
        (cv2.TERM_CRITERIA_COUNT, 40, 0.001),
    ).reshape(-1, 2)
    errors = np.linalg.norm(found - expected, axis=1)
    assert np.median(errors) < 0.3
    assert np.abs(np.mean(found - expected, axis=0)).max() < 0.15


def test_the_gantry_covers_its_boxes_and_nothing_else(quiet: Picture) -> None:
    tip = (140.0, 150.0, 40.0)
    seen = changed(quiet, Scene((), tip), Scene(()), least=6.0)
    expected = np.zeros(seen.shape, np.uint8)
    for part in GEOMETRY.arm_parts:
        lower, upper = place_part(part, tip)
        along = np.linspace(lower[0], upper[0], 80)  # The lens bends the beam: draw it in pieces.
        for left, right in pairwise(along):
            corners = np.array(list(product((left, right), *zip(lower[1:], upper[1:], strict=True))))
            hull = cv2.convexHull(project(corners).astype(np.float32))
            cv2.fillConvexPoly(expected, np.rint(hull).astype(np.int32), 255)
    around = cv2.dilate(expected, np.ones((5, 5), np.uint8)) > 0
    assert not seen[~around].any()
    assert seen[cv2.erode(expected, np.ones((5, 5), np.uint8)) > 0].mean() > 0.9


def test_the_parked_gantry_does_not_show(quiet: Picture) -> None:
    assert not changed(quiet, Scene((), GEOMETRY.park_mm), Scene(()), least=0).any()


def test_the_hand_reaches_in_from_the_humans_side_with_what_it_holds(quiet: Picture) -> None:
    held = Disc(0, DiscColour.LIGHT, 160.0, 160.0, 30.0)
    seen = changed(quiet, Scene((), None, (), HandPose((160.0, 160.0, 33.0), 0.0, (held,))), Scene(()), least=20.0)
    tip = project(np.array([[160.0, 160.0, 33.0]]))[0]
    rows, _ = np.nonzero(seen)
    assert rows.min() == 0
    assert tip[1] - 60 < rows.max() < tip[1] + 60
    assert seen.sum() > 20_000


def test_the_hands_tone_is_the_seeds() -> None:
    scene = Scene((), None, (), HandPose((160.0, 160.0, 33.0), 0.0))
    pictures = [Picture(SMALL, replace(QUIET), seed).draw(scene) for seed in (1, 2, 3)]
    wrist = [picture[40:60, 315:325].reshape(-1, 3).mean(axis=0) for picture in pictures]
    assert max(float(np.abs(one - wrist[0]).max()) for one in wrist) > 10


def test_every_frame_has_fresh_noise_of_the_styles_strength() -> None:
    style = replace(Style(), flicker=0.0)
    picture = Picture(SMALL, style, seed=1)
    frames = [picture.draw(Scene(())).astype(float) for _ in range(4)]
    for one, other in pairwise(frames):
        assert (one - other).std() == pytest.approx(math.sqrt(2) * style.noise, rel=0.1)
    stack = np.stack(frames)
    assert (stack - stack.mean(axis=0)).std() == pytest.approx(style.noise * math.sqrt(3 / 4), rel=0.1)


def test_brightness_flickers_by_less_than_half_a_percent() -> None:
    picture = Picture(SMALL, Style(), seed=1)
    means = np.array([picture.draw(Scene(())).mean() for _ in range(40)])
    assert 0.0004 < means.std() / means.mean() < 0.004
    assert np.abs(means / means.mean() - 1).max() < 0.0065


def test_the_same_seed_draws_the_same_pictures_and_another_seed_others() -> None:
    scene = Scene((Disc(0, DiscColour.DARK, 100.0, 100.0, 0.0),), (60.0, 60.0, 50.0))
    one, two, other = (Picture(SMALL, seed=seed) for seed in (5, 5, 6))
    for _ in range(2):
        first = one.draw(scene)
        assert np.array_equal(first, two.draw(scene))
        assert not np.array_equal(first, other.draw(scene))


def test_movers_leave_no_trace(quiet: Picture) -> None:
    still = Scene((Disc(0, DiscColour.DARK, 100.0, 100.0, 0.0),))
    before = quiet.draw(still)
    carried = (Disc(1, DiscColour.LIGHT, 60.0, 60.0, 42.0),)
    quiet.draw(Scene(still.discs, (60.0, 60.0, 50.0), carried, HandPose((200.0, 200.0, 40.0), 10.0)))
    assert np.array_equal(quiet.draw(still), before)


def test_the_camera_counts_and_times_its_frames() -> None:
    clock = VirtualClock()
    camera = SimulatedCameraDevice(clock, Picture(SMALL, seed=1), lambda: Scene(()))
    first = camera.frame()
    clock.sleep(0.5)
    second = camera.frame()
    assert (first.number, second.number) == (1, 2)
    assert (first.time_s, second.time_s) == (0.0, 0.5)
    assert first.pixels.shape == (360, 640, 3)
    assert first.pixels.dtype == np.uint8
