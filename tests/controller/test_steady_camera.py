"""A camera that is nudged is followed, one that is pushed far away is not trusted, and a pushed board neither."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from scene import Scene, set_scene

from calibration.known_geometry import calibration_of
from controller.draughts import Position
from controller.events import EventKind
from controller.simulated_layout import starting_stacks
from controller.steady_camera import ASTRAY, Standing, SteadyCamera, SteadyPermit
from hardware.clock import VirtualClock
from hardware.frame import Frame, Pixels
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.scene import HandPose
from hardware.simulated.scene import Scene as SimulatedScene
from hardware.simulated.table import SimulatedTable, TableSetup
from vision.silhouette import Box, silhouette

Point = tuple[float, float, float]
NOT_TURNED = (0.0, 0.0, 0.0)


class Bench:
    """A steady camera over the simulated table's, with what it has told."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        geometry = TableGeometry()
        self.calibration = calibration_of(geometry, self.clock.date())
        stacks = starting_stacks(Position.start(), self.calibration)
        self.table = SimulatedTable(self.clock, TableSetup(geometry, 3), stacks)
        self.camera = SteadyCamera(self.table.camera, self.calibration)
        self.told: list[str] = []
        self.camera.on_nudge = self.told.append
        self.straight = self.camera.frame()
        self.camera.remember(self.straight)

    def frames(self, count: int) -> Frame:
        """The last of so many frames, half a second apart."""
        for _ in range(count):
            self.clock.sleep(0.5)
            frame = self.camera.frame()
        return frame


@pytest.fixture
def bench() -> Bench:
    return Bench()


def corners(pixels: Pixels, bench: Bench) -> np.ndarray:
    """(49, 2) where a picture shows the inner corners of squares, sought where the calibration has them."""
    points = np.array([(40.0 * a, 40.0 * b, 0.0) for a in range(1, 8) for b in range(1, 8)])
    expected = bench.calibration.camera.project(points).astype(np.float32).reshape(-1, 1, 2)
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    stop = (cv2.TERM_CRITERIA_COUNT, 40, 0.001)
    return cv2.cornerSubPix(grey, expected, (4, 4), (-1, -1), stop).reshape(-1, 2)


@pytest.mark.parametrize(
    ("shift", "turn"),
    [((3.0, -2.0, 1.0), (0.3, 0.2, -0.4)), ((0.0, 0.0, 0.0), (0.0, 0.0, 1.5)), ((8.0, 8.0, 6.0), NOT_TURNED)],
)
def test_a_nudge_is_followed_within_two_frames_and_told_once(bench: Bench, shift: Point, turn: Point) -> None:
    before = corners(bench.straight.pixels, bench)
    bench.table.nudge_camera(shift, turn)
    frame = bench.frames(2)
    assert bench.camera.standing is Standing.FOLLOWED
    assert bench.camera.trouble is None
    gaps = np.linalg.norm(corners(frame.pixels, bench) - before, axis=1)
    assert np.median(gaps) < 0.6
    bench.frames(3)
    assert len(bench.told) == 1
    assert bench.told[0].startswith("the camera has been nudged")
    bench.table.straighten_camera()
    frame = bench.frames(2)
    assert bench.camera.standing is Standing.AS_CALIBRATED
    assert np.abs(corners(frame.pixels, bench) - before).max() < 1.0


def test_nothing_is_told_of_hands_of_another_light_and_of_a_mast_that_swings(bench: Bench) -> None:
    for light in ("evening", "lamp"):
        bench.table.set_light(light)
        bench.frames(2)
    bench.table.shake_camera(0.4)
    bench.frames(2)
    hand = HandPose((150.0, 120.0, 20.0), 10.0)
    covered = bench.table.camera.picture.draw(SimulatedScene(bench.table.world.discs, hand=hand))
    bench.table.camera.frame = lambda: Frame(covered, bench.clock.now(), 9)  # type: ignore[method-assign]
    bench.frames(3)
    assert bench.camera.standing is Standing.AS_CALIBRATED
    assert bench.told == []


def test_a_camera_pushed_far_away_is_astray_until_it_is_back(bench: Bench) -> None:
    bench.table.nudge_camera((60.0, 50.0, 0.0), (6.0, 0.0, 0.0))
    bench.frames(6)
    assert (bench.camera.standing, bench.camera.trouble) == (Standing.ASTRAY, ASTRAY)
    permit = SteadyPermit(bench.camera, _Willing())
    assert permit.refusal() == ASTRAY
    bench.table.straighten_camera()
    bench.frames(2)
    assert bench.camera.standing is Standing.AS_CALIBRATED
    assert permit.refusal() is None


def test_a_pushed_board_is_no_nudged_camera(bench: Bench) -> None:
    take = bench.table.camera.frame
    side = 8 * bench.calibration.square_mm
    board = silhouette(bench.calibration.camera, [Box((-25.0, -25.0, 0.0), (side + 25, side + 25, 0.0))])

    def pushed() -> Frame:
        frame = take()
        moved = np.roll(frame.pixels, (5, 8), axis=(0, 1))
        return Frame(np.where(board[..., None], moved, frame.pixels), frame.time_s, frame.number)

    bench.table.camera.frame = pushed  # type: ignore[method-assign]
    bench.frames(2)
    assert bench.camera.standing is Standing.ASTRAY
    assert bench.camera.trouble is not None
    assert bench.camera.trouble.startswith("the board has been pushed by about")
    assert bench.told == []


def test_a_game_goes_on_with_a_nudged_camera_which_is_said_once(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, Position.start(), ["22-18"])
    nudge_at(scene, 4.0, (4.0, -3.0, 2.0), (0.4, 0.3, -0.4))
    scene.human_does(scene.carry(11, 15))
    scene.act()
    assert [str(move) for move in scene.game.moves] == ["11-15", "22-18"]
    assert scene.board_agrees()
    assert scene.heard(EventKind.ASKED) == []
    assert sum(said.startswith("the camera has been nudged") for said in scene.heard(EventKind.SAID)) == 1


def nudge_at(scene: Scene, time_s: float, shift: Point, turn: Point) -> None:
    done: list[float] = []

    def nudge(now: float) -> None:
        if now > time_s and not done:
            done.append(now)
            scene.simulated.nudge_camera(shift, turn)

    scene.clock.attach(nudge)


class _Willing:
    """A permit that is always given."""

    def refusal(self) -> str | None:
        return None
