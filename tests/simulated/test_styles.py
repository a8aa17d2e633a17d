"""The looks of tables: every style draws what it says, and where."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from style_sheet import main

from hardware.simulated import names
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.board import PX_PER_MM, board_texture
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.disc_drawing import DiscPainter
from hardware.simulated.drawing.illumination import ILLUMINATIONS, Illumination
from hardware.simulated.drawing.style import DiscFace, Print, Style, Surface
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import CAMERAS, SimulatedCamera, TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Scene

GEOMETRY = TableGeometry()
SMALL = replace(GEOMETRY, camera=replace(GEOMETRY.camera, size=(640, 360), focal_px=540.0))
EVEN = Illumination(noise=0.0, flicker=0.0, gradient=(0.0, 0.0), vignetting=0.0)
BLACK, WHITE = (0.0, 0.0, 0.0), (220.0, 220.0, 220.0)
PAIR = (Disc(1, DiscColour.DARK, 140.0, 180.0, 0.0), Disc(2, DiscColour.LIGHT, 220.0, 180.0, 0.0))


def project(points: NDArray[np.float64], camera: SimulatedCamera) -> NDArray[np.float64]:
    rotation, _ = cv2.Rodrigues(camera.rotation)
    pixels, _ = cv2.projectPoints(
        points.reshape(-1, 1, 3), rotation, camera.translation_mm, camera.matrix, np.asarray(camera.distortion)
    )
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)


def around(picture: NDArray[np.uint8], x: float, y: float, z: float = 0.0, size: int = 3) -> NDArray[np.float64]:
    """The mean colour in a small window round a board point."""
    column, row = np.rint(project(np.array([[x, y, z]]), SMALL.camera)[0]).astype(int)
    return picture[row - size : row + size + 1, column - size : column + size + 1].reshape(-1, 3).mean(axis=0)


def brightness(colour: NDArray[np.float64]) -> float:
    return float(colour @ (0.114, 0.587, 0.299))


@pytest.fixture(scope="module", params=STYLES)
def drawn(request: pytest.FixtureRequest) -> NDArray[np.uint8]:
    """A dark and a light disc on an empty board of each style."""
    return Picture(SMALL, STYLES[request.param], EVEN, seed=2).draw(Scene(PAIR))


def test_the_names_that_the_command_line_offers_are_those_that_can_be_drawn() -> None:
    assert tuple(STYLES) == names.STYLES
    assert tuple(ILLUMINATIONS) == names.LIGHTS
    assert tuple(CAMERAS) == names.CAMERAS


def test_the_first_of_each_is_the_default() -> None:
    assert STYLES[names.STYLES[0]] == Style()
    assert ILLUMINATIONS[names.LIGHTS[0]] == Illumination()
    assert CAMERAS[names.CAMERAS[0]] == SimulatedCamera()


def test_there_are_styles_of_every_kind_and_no_two_alike() -> None:
    assert len(STYLES) >= 10
    assert all(one != other for one, other in combinations(STYLES.values(), 2))
    assert {style.disc_face for style in STYLES.values()} == set(DiscFace)
    assert {style.printing for style in STYLES.values()} == set(Print)
    assert {style.squares for style in STYLES.values()} == set(Surface) - {Surface.CLOTH}
    widths = [GEOMETRY.border_mm if style.frame_mm is None else style.frame_mm for style in STYLES.values()]
    assert min(widths) == 0
    assert max(widths) > GEOMETRY.border_mm
    assert any(style.rim_mm > 0 for style in STYLES.values())


def test_dark_discs_are_darker_than_light_ones(drawn: NDArray[np.uint8]) -> None:
    dark, light = (brightness(around(drawn, disc.x, disc.y, 8.0)) for disc in PAIR)
    assert dark < 0.75 * light


def test_the_squares_can_be_told_apart(drawn: NDArray[np.uint8]) -> None:
    played, other = around(drawn, 60.0, 140.0), around(drawn, 100.0, 140.0)
    assert np.abs(played - other).max() > 25


def test_the_board_does_not_reach_under_the_trays(drawn: NDArray[np.uint8]) -> None:
    nearest = min(x for x, _ in GEOMETRY.tray_mm if x > 160) - 320 - 0.55 * GEOMETRY.square_mm
    widths = [GEOMETRY.border_mm if style.frame_mm is None else style.frame_mm for style in STYLES.values()]
    assert max(widths) <= nearest


@pytest.mark.parametrize("rim_mm", [0.0, 5.0])
def test_the_frames_edges_lie_where_its_height_says(rim_mm: float) -> None:
    style = Style(
        light_squares=BLACK,
        dark_squares=BLACK,
        frame=WHITE,
        frame_line=WHITE,
        table=BLACK,
        tray=BLACK,
        squares=Surface.PLAIN,
        frame_surface=Surface.PLAIN,
        frame_mm=20.0,
        rim_mm=rim_mm,
    )
    light = replace(EVEN, shadow=0.0)
    white = Picture(GEOMETRY, style, light, seed=1).draw(Scene(())).mean(axis=2) > 60
    # Along the near edge the outer wall faces away from the camera: the top's own outer edge shows.
    for x in (40.0, 160.0, 280.0):
        column, row = project(np.array([[x, -20.0, rim_mm]]), GEOMETRY.camera)[0]
        seen = np.flatnonzero(white[:, round(column)])[0]
        assert seen == pytest.approx(row, abs=1.0)


def radial_changes(face: DiscFace) -> tuple[float, float]:
    """How much the brightness of a plastic disc changes outwards, and around."""
    camera = SimulatedCamera(
        position_mm=(160.0, 161.0, 260.0), looks_at_mm=(160.0, 160.0, 0.0), size=(320, 240), focal_px=1000.0
    )
    light = replace(EVEN, light=(0.3, 0.2, 0.9))
    style = Style(disc_face=face, disc_grain=(0.0, 0.0))
    painter = DiscPainter(View(camera), style, light, np.ones((240, 320, 3), np.float32), 30.0, 8.0)
    canvas = Canvas(np.zeros((240, 320, 3), np.float32))
    painter.draw(canvas, (Disc(4, DiscColour.LIGHT, 160.0, 160.0, 0.0),))
    middle, edge = project(np.array([[160.0, 160.0, 8.0], [175.0, 160.0, 8.0]]), camera)
    radius = float(np.linalg.norm(edge - middle))
    unrolled = cv2.warpPolar(
        canvas.pixels.mean(axis=2), (60, 180), tuple(middle), 0.85 * radius, cv2.WARP_POLAR_LINEAR
    )
    # The lamp's side is brighter: only changes faster than that count.
    fast = unrolled - cv2.GaussianBlur(unrolled, (0, 0), 12)
    return float(fast[45].std()), float(fast[:, 10:30].std(axis=0).mean())


def test_faces_have_their_reliefs() -> None:
    changes = {face: radial_changes(face) for face in DiscFace}
    outwards = {face: change[0] for face, change in changes.items()}
    around_it = {face: change[1] for face, change in changes.items()}
    assert min(outwards[face] for face in DiscFace if face is not DiscFace.FLAT) > 3 * outwards[DiscFace.FLAT]
    assert outwards[DiscFace.RIDGED] > 1.5 * outwards[DiscFace.GROOVED]
    assert around_it[DiscFace.CROWNED] > 1.4 * max(
        around_it[face] for face in DiscFace if face is not DiscFace.CROWNED
    )


def texture(style: Style, seed: int = 3) -> NDArray[np.float32]:
    return board_texture(np.random.default_rng(seed), GEOMETRY, style).texture


def test_numbers_are_printed_on_the_squares_that_are_played_on_and_nowhere_else() -> None:
    styles = [replace(STYLES["green-buff"], printing=kind) for kind in (Print.NUMBERS, Print.NOTHING)]
    printed, plain = (texture(style) for style in styles)
    changed = np.abs(printed - plain).sum(axis=2) > 1
    assert styles[0].frame_mm is not None
    border, side = round(styles[0].frame_mm * PX_PER_MM), round(GEOMETRY.square_mm * PX_PER_MM)
    for row in range(8):
        for column in range(8):
            top, left = border + row * side, border + column * side
            square = changed[top : top + side, left : left + side]
            assert square.any() == ((row + column) % 2 == 0)
            square[:] = False
    assert not changed.any()


def test_wear_takes_colour_off_the_squares_and_the_edges() -> None:
    new, worn, very = (texture(replace(STYLES["red-black"], wear=wear)) for wear in (0.0, 0.4, 1.0))
    border, side = round(12 * PX_PER_MM), round(GEOMETRY.square_mm * PX_PER_MM)
    black = np.s_[border + 2 * side + 30 : border + 3 * side - 30, border + 2 * side + 30 : border + 3 * side - 30]
    edge = np.s_[:4, :]
    for part in (black, edge):
        assert new[part].mean() + 1 < worn[part].mean() < very[part].mean() - 1


def test_a_board_without_frame_ends_with_its_squares() -> None:
    style = Style(light_squares=WHITE, dark_squares=WHITE, frame=WHITE, table=BLACK, tray=BLACK, frame_mm=0.0)
    picture = Picture(SMALL, style, EVEN, seed=1).draw(Scene(()))
    assert brightness(around(picture, 160.0, 317.0, size=1)) > 150
    assert brightness(around(picture, 160.0, 324.0, size=1)) < 30


def test_the_sheet_of_styles_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "sheet.jpg"
    assert main([str(file), "--styles", "walnut", "--lights", "window", "lamp"]) == 0
    drawn = cv2.imread(str(file))
    assert drawn is not None
    assert drawn.shape == (225, 800, 3)
    assert file.stat().st_size <= 400_000
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "sheet.txt")])
