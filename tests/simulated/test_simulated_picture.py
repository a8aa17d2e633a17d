"""The camera's picture: exact to a part of a pixel, noise fresh on every frame, the same from the same seed."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import pairwise, product

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.clock import VirtualClock
from hardware.simulated.camera import SimulatedCameraDevice
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing import hand_drawing
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.cylinder import Attitude, see_leaning_cylinder
from hardware.simulated.drawing.disc_drawing import DiscPainter
from hardware.simulated.drawing.gantry_drawing import place_part
from hardware.simulated.drawing.hand_relief import arm_sheet
from hardware.simulated.drawing.illumination import ILLUMINATIONS, Illumination
from hardware.simulated.drawing.people import CHILD, SKINS, SLEEVES, Person, person_of
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import CAMERAS, SimulatedCamera, TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene

GEOMETRY = TableGeometry()
QUIET = Illumination(noise=0.0, flicker=0.0, shadow=0.0)
RADIUS, HEIGHT = GEOMETRY.disc_diameter_mm / 2, GEOMETRY.disc_height_mm
SMALL = replace(GEOMETRY, camera=replace(GEOMETRY.camera, size=(640, 360), focal_px=540.0))
"""The same table at half the resolution, where only pictures are compared with one another."""


BLACK = (0.0, 0.0, 0.0)
BARE = Style(
    light_squares=BLACK,
    dark_squares=BLACK,
    frame=BLACK,
    frame_line=BLACK,
    table=BLACK,
    tray=BLACK,
    dark_discs=(200.0, 200.0, 200.0),
    light_discs=(200.0, 200.0, 200.0),
)
"""Bright discs on nothing: what is not black is a disc."""


@pytest.fixture(scope="module")
def quiet() -> Picture:
    return Picture(GEOMETRY, illumination=QUIET, seed=3)


@pytest.fixture(scope="module")
def bare() -> Picture:
    return Picture(GEOMETRY, BARE, replace(QUIET, gradient=(0.0, 0.0), vignetting=0.0), seed=3)


def project(points: NDArray[np.float64], camera: SimulatedCamera = GEOMETRY.camera) -> NDArray[np.float64]:
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
    pictures = [Picture(SMALL, illumination=QUIET, seed=seed).draw(scene) for seed in (1, 2, 3)]
    wrist = [picture[40:60, 315:325].reshape(-1, 3).mean(axis=0) for picture in pictures]
    assert max(float(np.abs(one - wrist[0]).max()) for one in wrist) > 10


def test_every_frame_has_fresh_noise_of_the_lights_strength() -> None:
    light = Illumination(flicker=0.0)
    picture = Picture(SMALL, illumination=light, seed=1)
    frames = [picture.draw(Scene(())).astype(float) for _ in range(4)]
    for one, other in pairwise(frames):
        assert (one - other).std() == pytest.approx(math.sqrt(2) * light.noise, rel=0.1)
    stack = np.stack(frames)
    assert (stack - stack.mean(axis=0)).std() == pytest.approx(light.noise * math.sqrt(3 / 4), rel=0.1)


def test_brightness_flickers_by_less_than_half_a_percent() -> None:
    picture = Picture(SMALL, seed=1)
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


# Discs that lean.


@pytest.mark.parametrize("degrees", [3.0, 20.0, 55.0, 80.0, 89.9])
@pytest.mark.parametrize("direction", [0.0, 70.0, 160.0, 250.0])
@pytest.mark.parametrize("camera", ["mast", "low"])
def test_a_leaning_discs_outline_is_the_projected_cylinders(degrees: float, direction: float, camera: str) -> None:
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    lean = (sine * math.cos(math.radians(direction)), sine * math.sin(math.radians(direction)))
    disc = Disc(0, DiscColour.LIGHT, 120.0, 190.0, RADIUS * sine, lean)
    seen = cover(disc, CAMERAS[camera])
    axis = np.array([*lean, cosine])
    across = np.cross(axis, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    along = np.cross(axis, across)
    middle = np.array([disc.x, disc.y, disc.z + cosine * HEIGHT / 2])
    turns = np.linspace(0, 2 * np.pi, 361)[:-1, None]
    rims = [
        middle + side * HEIGHT / 2 * axis + RADIUS * (np.cos(turns) * across + np.sin(turns) * along)
        for side in (-1, 1)
    ]
    hull = cv2.convexHull(project(np.concatenate(rims), CAMERAS[camera]).astype(np.float32)).reshape(-1, 2)
    moments = cv2.moments(hull)
    rows, columns = np.mgrid[0 : seen.shape[0], 0 : seen.shape[1]]
    assert seen.sum() == pytest.approx(moments["m00"], rel=0.02)
    centre = (seen * columns).sum() / seen.sum(), (seen * rows).sum() / seen.sum()
    assert centre == pytest.approx((moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]), abs=0.15)
    solid = np.zeros(seen.shape, np.uint8)
    cv2.fillConvexPoly(solid, np.rint(hull).astype(np.int32), 255)
    assert not seen[cv2.dilate(solid, np.ones((5, 5), np.uint8)) == 0].any()
    assert seen[cv2.erode(solid, np.ones((5, 5), np.uint8)) > 0].min() > 0.99


def cover(disc: Disc, camera: SimulatedCamera) -> NDArray[np.float64]:
    """(height, width) how much of each pixel a disc covers."""
    width, height = camera.size
    light = np.ones((height, width, 3), np.float32)
    painter = DiscPainter(View(camera), BARE, QUIET, light, 2 * RADIUS, HEIGHT)
    canvas = Canvas(np.full((height, width, 3), 1000.0, np.float32))
    painter.draw_body(canvas, disc)
    # What the disc leaves uncovered is known from drawing it on two grounds.
    other = Canvas(np.zeros((height, width, 3), np.float32))
    painter.draw_body(other, disc)
    return np.asarray(1 - (canvas.pixels - other.pixels).mean(axis=2) / 1000, dtype=np.float64)


def test_a_disc_that_hardly_leans_looks_like_an_upright_one() -> None:
    upright = Disc(3, DiscColour.LIGHT, 120.0, 190.0, 8.0)
    picture = Picture(SMALL, illumination=replace(QUIET, shadow=0.5), seed=3)
    level, leaning = (
        picture.draw(Scene((disc,))).astype(float) for disc in (upright, replace(upright, lean=(0.004, 0.002)))
    )
    assert np.abs(level - leaning).max() < 8
    assert np.abs(level - leaning).mean() < 0.02


def test_the_underside_shows_when_a_disc_leans_over() -> None:
    sine, cosine = math.sin(math.radians(88)), math.cos(math.radians(88))
    towards, away = (Disc(1, DiscColour.LIGHT, 160.0, 160.0, RADIUS * sine, (0.0, sign * sine)) for sign in (1, -1))
    faces = []
    for disc in (towards, away):
        attitude = Attitude((disc.x, disc.y - HEIGHT / 2 * disc.lean[1], disc.z), disc.lean)
        seen = see_leaning_cylinder(View(GEOMETRY.camera), attitude, RADIUS, HEIGHT)
        assert seen is not None
        faces.append(seen[1])
        assert seen[0].top.max() == 1
    assert faces == [True, False]
    assert cosine < 0.04


# Where the camera is.


@pytest.mark.parametrize("name", CAMERAS)
def test_every_placement_has_board_and_trays_in_view_beside_the_parked_gantry(name: str) -> None:
    camera = CAMERAS[name]
    places = np.array(
        [(x, y) for x, y in GEOMETRY.tray_mm] + [(20.0, 20.0), (20.0, 300.0), (300.0, 20.0), (300.0, 300.0)]
    )
    reach = np.array([(a, b, z) for a in (-22.0, 22.0) for b in (-22.0, 22.0) for z in (0.0, 16.0)])
    points = (np.column_stack([places, np.zeros(len(places))])[:, None] + reach[None]).reshape(-1, 3)
    pixels = project(points, camera)
    assert pixels.min() > 0
    assert (pixels < np.array(camera.size)).all()
    parked = np.zeros(camera.size[::-1], np.uint8)
    for part in GEOMETRY.arm_parts:
        lower, upper = place_part(part, GEOMETRY.park_mm)
        for left, right in pairwise(np.linspace(lower[0], upper[0], 40)):
            corners = np.array(list(product((left, right), *zip(lower[1:], upper[1:], strict=True))))
            hull = cv2.convexHull(project(corners, camera).astype(np.float32))
            cv2.fillConvexPoly(parked, np.rint(hull).astype(np.int32), 1)
    columns, rows = np.rint(pixels).astype(int).T
    assert not parked[rows, columns].any()


@pytest.mark.parametrize("name", CAMERAS)
def test_the_rays_of_every_camera_go_through_their_pixels(name: str) -> None:
    view = View(CAMERAS[name])
    rows, columns = (part.ravel() for part in np.mgrid[0 : view.camera.size[1] : 89, 0 : view.camera.size[0] : 91])
    ground = np.stack([view.ground_x[rows, columns], view.ground_y[rows, columns], np.zeros(len(rows))], axis=1)
    assert np.abs(project(ground, view.camera) - np.stack([columns, rows], axis=1)).max() < 0.02


def test_a_camera_turns_about_its_own_axes() -> None:
    camera = SimulatedCamera()
    point = np.array([[160.0, 150.0, 0.0]])
    (at,) = project(point, camera)
    per_degree = math.radians(1.0) * camera.focal_px
    pitched, panned, rolled = (
        project(point, camera.nudged((0.0, 0.0, 0.0), turn))[0] - at
        for turn in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    )
    assert pitched == pytest.approx((0.0, per_degree), abs=0.5)
    assert panned == pytest.approx((-per_degree, 0.0), abs=0.5)
    assert rolled == pytest.approx((0.0, 0.0), abs=0.5)
    aside = point + (100.0, 0.0, 0.0)
    before, after = project(aside, camera)[0], project(aside, camera.nudged((0, 0, 0), (0.0, 0.0, 1.0)))[0]
    assert abs(after[1] - before[1]) == pytest.approx(math.radians(1.0) * abs(before[0] - 640), rel=0.1)


def test_a_shaking_camera_shifts_the_whole_picture(quiet: Picture) -> None:
    scene = Scene((Disc(0, DiscColour.DARK, 100.0, 100.0, 0.0),))
    still, shaken = quiet.draw(scene).astype(int), quiet.draw(scene, shift_px=(5.0, -3.0)).astype(int)
    assert np.array_equal(shaken[10:-10, 15:-10], still[13:-7, 10:-15])
    assert np.array_equal(quiet.draw(scene), still)


# The hand.


def test_hands_differ_from_seed_to_seed_and_sometimes_from_reach_to_reach() -> None:
    people = {person_of(seed, 1) for seed in range(60)}
    assert len({person.skin for person in people}) >= 5
    assert len({person.sleeve for person in people}) >= 6
    assert len({person.sleeve_mm for person in people}) == 3
    assert {person.left for person in people} == {True, False}
    assert len({person.size for person in people}) == 3
    assert {person.stripe is None for person in people} == {True, False}
    for seed in range(5):
        reaches = [person_of(seed, reach) for reach in range(80)]
        assert 2 <= len(set(reaches)) <= 3
        assert max(reaches.count(person) for person in set(reaches)) > 45


def test_a_left_hand_is_a_right_one_in_a_mirror() -> None:
    light = replace(Illumination(), light=(0.0, 0.2, 0.9))
    right = Person(SKINS[1], SLEEVES[0])
    one, other = (arm_sheet(person, light) for person in (right, replace(right, left=True)))
    assert not np.array_equal(one, other)
    assert np.abs(one.astype(int) - other[:, ::-1].astype(int)).mean() < 4
    assert np.abs(one[..., 3].astype(int) - other[:, ::-1, 3].astype(int)).mean() < 2


def test_a_childs_hand_is_smaller(quiet: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene((), None, (), HandPose((160.0, 160.0, 33.0), 0.0))
    person = Person(SKINS[1], SLEEVES[0])
    widths = []
    for size in (1.0, CHILD):
        monkeypatch.setattr(hand_drawing, "person_of", lambda seed, reach, size=size: replace(person, size=size))
        seen = changed(quiet, scene, Scene(()), least=15.0)
        columns = np.flatnonzero(seen.any(axis=0))
        widths.append(columns[-1] - columns[0])
    assert widths[1] / widths[0] == pytest.approx(CHILD, abs=0.08)


# What it costs.


def test_a_frame_with_arm_and_hand_costs_a_few_tens_of_still_ones() -> None:
    picture = Picture(GEOMETRY, illumination=ILLUMINATIONS["lamp-off"], seed=1)
    discs = tuple(Disc(n, DiscColour.DARK, 20.0 + 80 * (n % 4), 20.0 + 40 * (n // 4), 0.0) for n in range(24))
    busy = Scene(
        discs,
        (250.0, 250.0, 45.0),
        (Disc(90, DiscColour.LIGHT, 250.0, 250.0, 37.0),),
        HandPose((100.0, 140.0, 30.0), 5.0, (Disc(91, DiscColour.LIGHT, 100.0, 140.0, 22.0),)),
    )
    costs = []
    for scene in (Scene(discs), busy):
        picture.draw(scene)
        taken = []
        for _ in range(12):
            start = time.process_time()
            picture.draw(scene)
            taken.append(time.process_time() - start)
        costs.append(min(taken))
    assert costs[1] < 45 * costs[0]
