"""Light on the simulated table: shadows, mirrored lamps, noise, and an exposure that drifts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.disc_drawing import DiscPainter
from hardware.simulated.drawing.exposure import ExposureControl
from hardware.simulated.drawing.glare import Glare
from hardware.simulated.drawing.illumination import ILLUMINATIONS, AutoExposure, Illumination
from hardware.simulated.drawing.light_map import light_map
from hardware.simulated.drawing.sensor import FINE, Sensor
from hardware.simulated.drawing.style import MATT, POLISH, SATIN, VARNISH, DiscFace, Finish, Style, Surface
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import CAMERAS, SimulatedCamera, TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene

GEOMETRY = TableGeometry()
SMALL = replace(GEOMETRY, camera=replace(GEOMETRY.camera, size=(640, 360), focal_px=540.0))
VIEW = View(SMALL.camera)
EVEN = Illumination(noise=0.0, flicker=0.0, gradient=(0.0, 0.0), vignetting=0.0)
LAMP = replace(EVEN, light=(-0.2, -0.45, 0.87), lamp_mm=1200.0, lamp_half=(0.05, 0.05), glare=2000.0)
MIDDLE = np.array([160.0, 160.0, 0.0])


def mirror_point(camera: SimulatedCamera, light: Illumination, height_mm: float = 0.0) -> NDArray[np.float64]:
    """Where (board mm) a level mirror at that height shows the lamp's middle."""
    eye, up = np.asarray(camera.position_mm), np.array([0.0, 0.0, height_mm])
    towards = np.asarray(light.light) / np.linalg.norm(light.light)
    if light.lamp_mm is None:
        return np.asarray((eye + towards * (eye[2] - height_mm) / towards[2] * (1, 1, -1))[:2])
    lamp = MIDDLE + light.lamp_mm * towards
    below = lamp * (1, 1, -1) + 2 * up  # The mirror image.
    part = (eye[2] - height_mm) / (eye[2] - below[2])
    return np.asarray((eye + part * (below - eye))[:2])


def mirrored(light: Illumination, finish: Finish, camera: SimulatedCamera = SMALL.camera) -> NDArray[np.float32]:
    view = VIEW if camera is SMALL.camera else View(camera)
    return Glare(view.position, light).mirrored(view.ground_x, view.ground_y, 0.0, 0.0, 0.0, finish)


def weighted_middle(levels: NDArray[np.float32], view: View = VIEW) -> tuple[float, float]:
    total = float(levels.sum())
    return float((levels * view.ground_x).sum()) / total, float((levels * view.ground_y).sum()) / total


# The lamp's mirror image.


@pytest.mark.parametrize("light", [LAMP, replace(LAMP, light=(0.1, -0.5, 0.9)), replace(LAMP, lamp_mm=None)])
@pytest.mark.parametrize("name", ["mast", "side", "overhead"])
def test_the_lamp_is_mirrored_where_the_mirror_direction_says(light: Illumination, name: str) -> None:
    camera = CAMERAS[name]
    camera = replace(camera, size=(640, 360), focal_px=camera.focal_px / 2)
    view = View(camera)
    levels = Glare(view.position, light).mirrored(view.ground_x, view.ground_y, 0.0, 0.0, 0.0, POLISH)
    expected = mirror_point(camera, light)
    (column, row) = view.project([(*expected, 0.0)])[0]
    if not (40 < column < 600 and 40 < row < 320):
        assert levels[2:-2, 2:-2].max() < levels.max() + 1
        return
    brightest = np.unravel_index(int(levels.argmax()), levels.shape)
    assert levels.max() > 80
    assert math.dist((brightest[1], brightest[0]), (column, row)) < 25
    around = levels > levels.max() / 2
    rows, columns = np.nonzero(around)
    assert (columns.mean(), rows.mean()) == pytest.approx((column, row), abs=3.0)


def test_a_window_that_faces_away_is_not_mirrored() -> None:
    assert mirrored(Illumination(glare=2000.0), POLISH).max() < 1.0


def test_a_rougher_surface_spreads_the_image_and_makes_it_fainter() -> None:
    even = [replace(finish, reflectance=0.05) for finish in (POLISH, VARNISH, SATIN, MATT)]
    images = [mirrored(LAMP, finish) for finish in even]
    brightest = [float(image.max()) for image in images]
    sizes = [int((image > image.max() / 2).sum()) for image in images]
    assert brightest == sorted(brightest, reverse=True)
    assert sizes == sorted(sizes)
    assert brightest[3] < brightest[0] / 5


def test_bars_divide_the_window() -> None:
    light = replace(LAMP, lamp_half=(0.1, 0.1), panes=(2, 1))
    whole, barred = mirrored(replace(light, panes=(1, 1)), POLISH), mirrored(light, POLISH)
    x, y = mirror_point(SMALL.camera, light)
    column, row = np.rint(VIEW.project([(x, y, 0.0)])[0]).astype(int)
    assert barred[row, column] < 0.8 * whole[row, column]
    assert barred.max() > 0.9 * whole.max()


def test_board_and_disc_mirror_the_lamp_and_felt_does_not() -> None:
    dark = (20.0, 20.0, 20.0)
    style = Style(
        light_squares=dark, dark_squares=dark, squares=Surface.PLAIN, board_finish=POLISH, tray=dark,
        disc_face=DiscFace.FLAT, disc_grain=(0.0, 0.0), light_discs=dark, disc_finish=VARNISH,
    )  # fmt: skip
    x, y = mirror_point(SMALL.camera, LAMP)
    assert 20 < x < 300
    assert 20 < y < 300
    tops = mirror_point(SMALL.camera, LAMP, 8.0)
    discs = (Disc(1, DiscColour.LIGHT, float(tops[0]), float(tops[1]), 0.0),)
    over_tray = replace(LAMP, light=(-0.7, -0.4, 0.87), lamp_mm=700.0)
    assert -100 < mirror_point(SMALL.camera, over_tray)[0] < -40
    cases = [(LAMP, (), 40.0), (LAMP, discs, 40.0), (over_tray, (), 0.0)]
    for light, lying, at_least in cases:
        lit, unlit = (Picture(SMALL, style, one, seed=1) for one in (light, replace(light, glare=0.0)))
        change = lit.draw(Scene(lying)).astype(float) - unlit.draw(Scene(lying)).astype(float)
        height = 8.0 if lying else 0.0
        column, row = np.rint(VIEW.project([(*mirror_point(SMALL.camera, light, height), height)])[0]).astype(int)
        there = change[row - 2 : row + 3, column - 2 : column + 3].mean()
        if at_least > 0:
            assert there > at_least
            far = change[np.hypot(*np.ogrid[-row : 360 - row, -column : 640 - column]) > 150]
            assert np.abs(far).mean() < 3
        else:
            assert abs(there) < 1


# Shadows.


def shaded(light: Illumination, discs: tuple[Disc, ...]) -> NDArray[np.float32]:
    """(360, 640) what is left of a white surface's brightness beside discs, which are as white."""
    white = (200.0, 200.0, 200.0)
    painter = DiscPainter(VIEW, Style(light_discs=white), light, np.ones((360, 640, 3), np.float32), 30.0, 8.0)
    canvas = Canvas(np.full((360, 640, 3), 200.0, np.float32))
    for disc in discs:
        painter.draw_shadow(canvas, disc)
    return np.asarray(canvas.pixels.mean(axis=2) / 200)


@pytest.mark.parametrize("name", ILLUMINATIONS)
@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.2, -0.1)])
def test_a_discs_shadow_falls_away_from_the_lamp(name: str, lean: tuple[float, float]) -> None:
    light = ILLUMINATIONS[name]
    x, y, z = 140.0, 180.0, 60.0
    lost = 1 - shaded(light, (Disc(1, DiscColour.LIGHT, x, y, z, lean),))
    lost[lost < 0.3 * lost.max()] = 0
    towards = light.towards(x, y, z + 4)
    expected = [at - part / towards[2] * (z + 4) for at, part in zip((x, y), towards, strict=False)]
    assert weighted_middle(lost) == pytest.approx(expected, abs=6.0)


def edge_width(light: Illumination) -> float:
    """How many mm the shadow of a disc 60 mm above the table takes from dark to light."""
    lost = 1 - shaded(light, (Disc(1, DiscColour.LIGHT, 160.0, 160.0, 60.0),))
    part = lost / lost.max()
    row = int(np.argmax(lost.max(axis=1)))
    line = part[row]
    between = (line > 0.15) & (line < 0.85)
    return float(between.sum()) / 2 / VIEW.px_per_mm


def test_a_lamps_shadow_is_harder_and_darker_than_a_windows_and_that_than_a_cloudy_skys() -> None:
    widths = [edge_width(ILLUMINATIONS[name]) for name in ("lamp", "window", "overcast")]
    assert widths[0] < 0.4 * widths[1]
    assert widths[1] < 0.8 * widths[2]
    disc = (Disc(1, DiscColour.LIGHT, 160.0, 160.0, 20.0),)
    darkest = [float(shaded(ILLUMINATIONS[name], disc).min()) for name in ("lamp", "window", "overcast", "lamp-off")]
    assert darkest == sorted(darkest)
    assert darkest[0] < 0.5
    assert darkest[3] > 0.85


def test_a_near_lamps_shadows_spread_out() -> None:
    near = replace(EVEN, light=(0.0, 0.0, 1.0), lamp_mm=600.0)
    for x in (40.0, 160.0, 280.0):
        assert near.cast((x, 160.0, 100.0))[0] - x == pytest.approx((x - 160) / 5)
        far_away = near.cast((x, 160.0, 100.0)), replace(near, lamp_mm=None).cast((x, 160.0, 100.0))
        assert far_away[1] == pytest.approx((x, 160.0))


def test_a_low_lamps_shadow_falls_on_the_next_disc() -> None:
    light = ILLUMINATIONS["evening"]
    x, y, _ = light.towards(160.0, 160.0, 0.0)
    away = 32.0 / math.hypot(x, y)
    caster = [Disc(level, DiscColour.LIGHT, 160.0, 160.0, 8.0 * level) for level in range(3)]
    behind = Disc(5, DiscColour.LIGHT, 160.0 - away * x, 160.0 - away * y, 0.0)
    before = replace(behind, x=160.0 + away * x, y=160.0 + away * y)
    brightness = []
    for disc in (behind, before):
        alone, together = (drawn_discs(light, discs, disc) for discs in ((disc,), (*caster, disc)))
        brightness.append(together / alone)
    assert brightness[0] < 0.8
    assert brightness[1] == pytest.approx(1.0)


def drawn_discs(light: Illumination, discs: tuple[Disc, ...], of: Disc) -> float:
    """The mean brightness of a disc's face among others."""
    painter = DiscPainter(VIEW, Style(), light, np.ones((360, 640, 3), np.float32), 30.0, 8.0)
    canvas = Canvas(np.full((360, 640, 3), 200.0, np.float32))
    painter.draw(canvas, discs)
    column, row = np.rint(VIEW.project([(of.x, of.y, of.z + 8.0)])[0]).astype(int)
    return float(canvas.pixels[row - 4 : row + 5, column - 5 : column + 6].mean())


def test_hand_and_gantry_darken_what_is_on_the_lamps_far_side() -> None:
    picture = Picture(SMALL, Style(), replace(ILLUMINATIONS["lamp"], noise=0.0, flicker=0.0), seed=1)
    bare = picture.draw(Scene(())).astype(float).mean(axis=2)
    tip = (160.0, 160.0, 60.0)
    shade = picture.draw(Scene((), tip)).astype(float).mean(axis=2) / bare
    spot = ILLUMINATIONS["lamp"].cast((160.0, 160.0, 130.0))
    column, row = np.rint(VIEW.project([(*spot, 0.0)])[0]).astype(int)
    assert shade[row - 2 : row + 3, column - 2 : column + 3].mean() < 0.7
    column, row = np.rint(VIEW.project([(60.0, 20.0, 0.0)])[0]).astype(int)  # The lamp's side, beside the gantry.
    assert shade[row - 2 : row + 3, column - 2 : column + 3].mean() > 0.95


# Brightness, colour and noise.


def test_a_near_lamps_light_falls_off_with_distance() -> None:
    light = replace(EVEN, light=(0.0, 0.0, 1.0), lamp_mm=500.0, shadow=0.8)
    lit = light_map(VIEW, light, 320.0)[..., 0]
    column, row = np.rint(VIEW.project([(160.0, 160.0, 0.0)])[0]).astype(int)
    assert lit[row, column] == pytest.approx(1.0, abs=0.002)
    column, row = np.rint(VIEW.project([(410.0, 160.0, 0.0)])[0]).astype(int)
    falls_to = (500 / math.hypot(500, VIEW.ground_x[row, column] - 160, VIEW.ground_y[row, column] - 160)) ** 3
    assert lit[row, column] == pytest.approx(0.2 + 0.8 * falls_to, abs=0.002)


def test_strength_and_tint_reach_table_discs_hand_and_gantry() -> None:
    warm = replace(EVEN, brightness=0.5, tint=(0.6, 1.0, 1.2))
    scene = Scene(
        (Disc(1, DiscColour.LIGHT, 60.0, 60.0, 0.0),), (250.0, 250.0, 60.0), (), HandPose((100.0, 150.0, 20.0), 0.0)
    )
    white, tinted = (Picture(SMALL, Style(), light, seed=1).draw(scene).astype(float) for light in (EVEN, warm))
    bright = (white.min(axis=2) > 60) & (white.max(axis=2) < 200)
    assert bright.sum() > 50_000
    ratios = (tinted[bright] / white[bright]).reshape(-1, 3)
    assert np.median(ratios, axis=0) == pytest.approx((0.3, 0.5, 0.6), abs=0.01)
    assert (np.abs(ratios - (0.3, 0.5, 0.6)).max(axis=1) < 0.04).mean() > 0.97


def test_no_two_frames_are_equal_in_any_light() -> None:
    fine = np.full((90, 160, 3), 100 * FINE, dtype=np.int16)
    for name, light in ILLUMINATIONS.items():
        sensors = [Sensor((160, 90), light, seed=1, take=take) for take in (0, 1)]
        frames = [sensor.expose(fine, 0.0).tobytes() for sensor in sensors for _ in range(20)]
        assert len(set(frames)) == len(frames), name


def test_noise_is_as_strong_as_the_light_says_and_the_dark_is_noisy() -> None:
    fine = np.full((200, 300, 3), 100 * FINE, dtype=np.int16)
    measured = {
        name: float(Sensor((300, 200), replace(light, exposure=None), seed=2).expose(fine).std())
        for name, light in ILLUMINATIONS.items()
    }
    for name, light in ILLUMINATIONS.items():
        assert measured[name] == pytest.approx(light.noise, rel=0.08)
    assert measured["dim"] > 2 * measured["window"]
    assert measured["lamp-off"] > 1.8 * measured["window"]


def test_patches_of_noise_hang_together_and_differ_in_colour_more_than_in_brightness() -> None:
    fine = np.full((200, 300, 3), 100 * FINE, dtype=np.int16)
    plain, blotchy = (
        Sensor((300, 200), Illumination(noise=6.0, flicker=0.0, blotches=part), seed=3).expose(fine).astype(float)
        - 100
        for part in (0.0, 0.8)
    )

    def neighbours(noise: NDArray[np.float64]) -> float:
        return float((noise[:, 3:] * noise[:, :-3]).mean() / noise.var())

    assert neighbours(plain) < 0.05
    assert neighbours(blotchy) > 0.3
    assert blotchy.mean(axis=2).std() < 0.8 * plain.mean(axis=2).std()


def test_the_lamp_switched_off_leaves_a_darker_bluer_softer_picture() -> None:
    on, off = (
        Picture(SMALL, Style(), replace(ILLUMINATIONS[name], noise=0.0, flicker=0.0), seed=1).draw(Scene(()))
        for name in ("lamp", "lamp-off")
    )
    assert off.mean() < 0.65 * on.mean()
    blue, red = (
        float((off[..., channel].mean() / off.mean()) / (on[..., channel].mean() / on.mean())) for channel in (0, 2)
    )
    assert blue > 1.1
    assert red < 0.95
    assert off.mean() > 15


# Exposure.


def test_the_exposure_goes_slowly_to_what_the_content_asks_for() -> None:
    exposure = ExposureControl(AutoExposure(level=100.0, share=0.5, seconds=4.0, clouds=0.0), seed=1)
    assert exposure.factor(0.0, 100.0) == pytest.approx(1.0)
    ideal = (100 / 160) ** 0.5
    gains = [exposure.factor(time, 160.0) for time in (0.5, 1.0, 4.0, 60.0)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 1 - (1 - ideal) * 0.2
    assert gains[3] == pytest.approx(ideal, abs=1e-3)


def test_time_that_does_not_go_on_changes_nothing() -> None:
    exposure = ExposureControl(AutoExposure(clouds=0.0), seed=1)
    first = exposure.factor(5.0, 80.0)
    assert exposure.factor(5.0, 200.0) == first
    assert exposure.factor(4.0, 200.0) == first


def test_clouds_wax_and_wane_slowly_and_differ_from_seed_to_seed() -> None:
    settings = AutoExposure(share=0.0, clouds=0.1, clouds_s=40.0)
    one, other = ([ExposureControl(settings, seed).factor(time, 100.0) for time in range(200)] for seed in (1, 2))
    assert np.abs(np.diff(one)).max() < 0.03
    assert 0.05 < np.std(one) < 0.1
    assert np.ptp(one) < 0.21
    assert np.abs(np.array(one) - other).max() > 0.02


def test_drifting_pictures_change_their_brightness_slowly() -> None:
    picture = Picture(SMALL, Style(), ILLUMINATIONS["drifting"], seed=1)
    means = np.array([picture.draw(Scene(()), time_s=0.5 * index).mean() for index in range(60)])
    assert np.abs(np.diff(means)).max() / means.mean() < 0.02
    assert np.ptp(means) / means.mean() > 0.03
    fixed = Picture(SMALL, Style(), Illumination(), seed=1)
    assert np.ptp([fixed.draw(Scene(()), time_s=10.0 * index).mean() for index in range(8)]) < 0.012 * means.mean()
