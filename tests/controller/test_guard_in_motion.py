"""The guard while the arm moves, on virtual time: how many pictures pass before the hold byte is on the line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position
from controller.hand_guard import HAND, HandGuard
from controller.settings import Settings
from controller.simulated_layout import starting_stacks
from controller.table import open_simulated_table
from hardware.cameras.capture import smaller
from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.frame import Frame, Pixels
from hardware.gantry import Gantry
from hardware.gantry_limits import GantryLimits
from hardware.grbl.driver import GrblMotion
from hardware.machine_speeds import paced
from hardware.simulated.scene import HandPose, Scene
from hardware.simulated.table import SimulatedTable, TableSetup
from tests.guard_latency import visits_of
from tests.guarding.stage import Event

FRAME_S = 1 / 30
SETTLE_S = 1.0
HANDS = (HandPose((150.0, 40.0, 30.0), 0.0), HandPose((290.0, 100.0, 20.0), 20.0))


class Clip:
    """A camera that shows drawn pictures at 30 a second and can be glimpsed at, as it is told."""

    def __init__(self, clock: VirtualClock, table: SimulatedTable) -> None:
        self._clock = clock
        draw = table.camera.picture.draw
        self._views = [[draw(Scene(table.world.discs, None, (), hand)) for _ in range(2)] for hand in (None, *HANDS)]
        self._small = [[smaller(view) for view in views] for views in self._views]
        self._seen = -1
        self.hand = 0
        self.dead = False
        self.frames = self.glimpses = 0

    def frame(self) -> Frame:
        if self.dead:
            raise CameraError("The camera gives no more frames.")
        self.frames += 1
        return Frame(self._views[self.hand][self.frames % 2], self._clock.now(), self.frames)

    def glimpse(self) -> Frame | None:
        number = int(self._clock.now() / FRAME_S)
        if self.dead or number == self._seen:
            return None
        self._seen = number
        self.glimpses += 1
        small: Pixels | None = self._small[self.hand][number % 2]
        assert small is not None
        return Frame(small, number * FRAME_S, number)

    def close(self) -> None: ...


class Stage:
    """The simulated machine under the guard with that camera; what is written to it is kept with its time."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        setup = TableSetup()
        calibration = calibration_of(setup.geometry, self.clock.date())
        table = SimulatedTable(self.clock, setup, starting_stacks(Position.start(), calibration, Colour.BLACK))
        self.clip = Clip(self.clock, table)
        self.guard = HandGuard(self.clip, self.clock, calibration, 0.2, 0.5)
        self.guard.set_reference(self.clip.frame())
        self.written: list[tuple[float, bytes]] = []
        write = table.line.write

        def noted(data: bytes) -> None:
            self.written.append((self.clock.now(), data))
            write(data)

        table.line.write = noted  # type: ignore[method-assign]
        motion = GrblMotion(lambda: table.line, self.clock)
        self.gantry = Gantry(motion, self.guard, self.clock, GantryLimits(settle_s=SETTLE_S))
        self.gantry.connect()
        self.gantry.home()
        self.written.clear()
        self.table = table

    def show(self, hand: int, begin_s: float, for_s: float) -> None:
        """Show a hand from so long after now."""
        begins = self.clock.now() + begin_s

        def follow(now: float) -> None:
            if begins <= now < begins + for_s:
                self.clip.hand = hand
            elif now >= begins + for_s and self.clip.hand == hand:
                self.clip.hand = 0

        self.clock.attach(follow)

    def times(self, byte: bytes) -> list[float]:
        return [time for time, data in self.written if data == byte]


@pytest.fixture(scope="module")
def shared() -> Iterator[Stage]:
    yield Stage()


@pytest.fixture
def stage(shared: Stage) -> Stage:
    """The stage with the arm at its right end, nobody there, and nothing written yet."""
    shared.clip.hand, shared.clip.dead = 0, False
    shared.gantry.move_to(x=-20.0)
    shared.written.clear()
    shared.clip.frames = 0
    return shared


@pytest.mark.parametrize("hand", [1, 2])
@pytest.mark.parametrize("begin_s", [0.41, 0.55, 0.63])
def test_the_hold_is_written_with_the_next_picture_and_motion_goes_on_a_second_after(
    stage: Stage, hand: int, begin_s: float
) -> None:
    began = stage.clock.now()
    stage.show(hand, begin_s, 0.6)
    stage.gantry.move_to(x=-600.0)
    (hold,), (resume,) = stage.times(b"!"), stage.times(b"~")
    assert 0 <= hold - (began + begin_s) <= FRAME_S + 0.012, "one picture, and a look at the firmware"
    gone = began + begin_s + 0.6
    assert SETTLE_S <= resume - gone <= SETTLE_S + 0.35
    assert stage.gantry.position[0] == pytest.approx(-600.0)


def test_with_nobody_there_every_picture_is_seen_and_nothing_holds_the_arm(stage: Stage) -> None:
    began = stage.clock.now()
    stage.gantry.move_to(x=-600.0)
    assert stage.times(b"!") == []
    assert stage.clip.frames <= 1, "no whole frame is waited for while it moves"
    assert stage.clip.glimpses >= 0.9 * (stage.clock.now() - began) / FRAME_S


def test_no_motion_begins_while_a_hand_is_there(stage: Stage) -> None:
    stage.show(1, 0.0, 2.0)
    began = stage.clock.now()
    stage.clock.sleep(FRAME_S + 0.01)
    stage.gantry.move_to(x=-300.0)
    moves = [time for time, data in stage.written if b"G53" in data]
    assert moves[0] >= began + 2.0 + SETTLE_S


def test_a_camera_that_dies_in_mid_move_holds_the_arm(stage: Stage) -> None:
    began = stage.clock.now()
    died, back = began + 0.5, began + 3.0

    def die(now: float) -> None:
        stage.clip.dead = died <= now < back

    stage.clock.attach(die)
    stage.gantry.move_to(x=-600.0)
    (hold,) = stage.times(b"!")
    assert 0 < hold - died <= 0.3
    assert stage.times(b"~")[0] >= back + SETTLE_S


def test_only_a_hand_makes_the_arm_slow_for_a_while() -> None:
    clock = VirtualClock()
    calibration = calibration_of(TableSetup().geometry, clock.date())
    stacks = starting_stacks(Position.start(), calibration, Colour.BLACK)
    simulated, table = open_simulated_table(Settings(), clock, TableSetup(), stacks)
    table.guard.set_reference(table.camera.frame())
    table.gantry.home()

    def seconds(x: float) -> float:
        began = clock.now()
        table.gantry.move_to(x=x)
        return clock.now() - began

    seconds(-20.0)
    usual = seconds(-420.0)
    assert table.gantry.pace() == 1.0
    table.guard.hand_at_s = clock.now()
    slow = seconds(-20.0)
    assert slow == pytest.approx(400 / 200 + 0.1, abs=0.15)
    assert slow > usual * 1.5
    clock.sleep(30.0)
    assert seconds(-420.0) == pytest.approx(usual, abs=0.1)
    assert simulated.world.knocked == 0


def test_a_refusal_for_a_hand_is_what_makes_it_slow(stage: Stage) -> None:
    stage.guard.hand_at_s = -np.inf
    stage.show(1, 0.3, 0.4)
    stage.gantry.move_to(x=-600.0)
    assert stage.clock.now() - stage.guard.hand_at_s < 5
    assert HAND == "a hand is over the table"


@pytest.mark.parametrize(
    ("speed", "share", "end", "expected"),
    [
        (None, 1.0, (-100.0, 0.0, 0.0), None),
        (50.0, 1.0, (-100.0, 0.0, 0.0), 50.0),
        (None, 0.5, (-100.0, 0.0, 0.0), 200.0),
        (None, 0.5, (-100.0, -100.0, 0.0), 200.0 * 2**0.5),
        (None, 0.5, (0.0, 0.0, -10.0), 50.0),
        (100.0, 0.5, (-100.0, 0.0, 0.0), 50.0),
        (None, 0.5, (0.0, 0.0, 0.0), None),
    ],
)
def test_a_share_of_the_speed_is_one_of_what_the_line_allows(
    speed: float | None, share: float, end: tuple[float, float, float], expected: float | None
) -> None:
    found = paced(speed, share, (0.0, 0.0, 0.0), end, (400.0, 400.0, 100.0))
    assert found == (None if expected is None else pytest.approx(expected))


def test_the_measurement_counts_holds_by_the_hands_that_they_are_for() -> None:
    whats = [
        (0.0, "hold"), (1.0, "hand"), (1.04, "hold"), (1.5, "gone"), (2.6, "resume"),
        (3.0, "hand"), (3.5, "gone"), (5.0, "hand"), (5.1, "hold"), (5.5, "gone"), (6.7, "resume"),
    ]  # fmt: skip
    visits, false_holds = visits_of([Event(time, what) for time, what in whats])
    assert [visit.held_s for visit in visits] == [pytest.approx(0.04), None, pytest.approx(0.1)]
    assert false_holds == 1
    assert all(a.on_again_s != b.on_again_s for a, b in pairwise(visits))
