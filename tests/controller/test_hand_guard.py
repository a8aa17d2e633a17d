"""The hand guard: hands, things left lying, light that changes, and a person's word that nothing is there."""

from __future__ import annotations

import pytest

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position
from controller.hand_guard import LONG_S, SOMETHING_HIDES_IT, HandGuard
from controller.simulated_layout import starting_stacks
from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.camera import CameraState
from hardware.simulated.errand import Errand, Hover
from hardware.simulated.scene import HandPose, Scene
from hardware.simulated.table import SimulatedTable, TableSetup

OVER_THE_BOARD = (150.0, 120.0)


class Guarded:
    """A simulated table with the starting position, its guard, and looks every half second."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        setup = TableSetup()
        self.calibration = calibration_of(setup.geometry, self.clock.date())
        stacks = starting_stacks(Position.start(), self.calibration, Colour.BLACK)
        self.table = SimulatedTable(self.clock, setup, stacks)
        self.guard = HandGuard(self.table.camera, self.clock, self.calibration, interval_s=0.2, max_age_s=0.5)
        self.guard.set_reference(self.table.camera.frame())

    def refusals(self, seconds: float) -> list[str | None]:
        found = []
        for _ in range(round(seconds / 0.5)):
            self.clock.sleep(0.5)
            found.append(self.guard.refusal())
        return found


def test_a_hand_is_refused_as_long_as_it_is_there() -> None:
    scene = Guarded()
    assert scene.refusals(1) == [None, None]
    scene.table.hand.do(Errand((Hover(OVER_THE_BOARD, 8.0),)))
    during = scene.refusals(8)
    assert during[4:] == ["a hand is over the table"] * (len(during) - 4)
    assert scene.refusals(6)[-1] is None


@pytest.mark.parametrize("light", ["lamp", "lamp-off", "overcast", "glare", "drifting"])
def test_a_lamp_that_is_switched_does_not_stop_the_arm_for_long(light: str) -> None:
    scene = Guarded()
    scene.table.set_light(light)
    assert scene.refusals(6)[-1] is None


@pytest.mark.parametrize("light", ["lamp", "lamp-off", "evening", "dim", "glare"])
def test_a_hand_is_never_taken_for_another_light_however_still_it_is(light: str) -> None:
    scene = Guarded()
    scene.table.hand.do(Errand((Hover(OVER_THE_BOARD, 60.0),)))
    scene.refusals(3)
    scene.table.set_light(light)
    assert None not in scene.refusals(20)


def test_after_a_change_of_light_a_hand_is_seen_as_before() -> None:
    scene = Guarded()
    scene.table.set_light("lamp-off")
    scene.refusals(6)
    scene.table.hand.do(Errand((Hover(OVER_THE_BOARD, 8.0),)))
    assert scene.refusals(8)[-1] == "a hand is over the table"


class Still:
    """A camera before which something is left lying."""

    def __init__(self, table: SimulatedTable, clock: VirtualClock) -> None:
        self._picture, self._clock = table.camera.picture, clock
        self.scene = Scene(table.world.discs)

    def frame(self) -> Frame:
        return Frame(self._picture.draw(self.scene), self._clock.now(), 1)

    def close(self) -> None: ...


def test_what_is_left_lying_is_asked_about_and_a_person_may_say_that_nothing_is_there() -> None:
    scene = Guarded()
    camera = Still(scene.table, scene.clock)
    guard = HandGuard(camera, scene.clock, scene.calibration, interval_s=0.2, max_age_s=0.5)
    scene.guard = guard
    guard.set_reference(camera.frame())
    camera.scene = Scene(scene.table.world.discs, hand=HandPose((*OVER_THE_BOARD, 40.0), 0.0))
    assert scene.refusals(LONG_S - 2)[-1] == "a hand is over the table"
    assert scene.refusals(4)[-1] == SOMETHING_HIDES_IT
    guard.confirmed = lambda: True
    assert scene.refusals(1)[-1] is None
    guard.confirmed = lambda: False
    assert set(scene.refusals(5)) == {None}


@pytest.mark.parametrize("light", ["lamp", "evening", "window"])
def test_the_gantrys_own_shadow_is_no_hand_and_a_hand_beside_it_is(light: str) -> None:
    scene = Guarded()
    table, guard = scene.table, scene.guard
    table.set_light(light)
    guard.set_reference(table.camera.frame())
    tips = [(60.0, 260.0, 30.0), (200.0, 220.0, 40.0), (300.0, 280.0, 12.0), (120.0, 200.0, 60.0)]
    hand = HandPose((170.0, 60.0, 30.0), 0.0)
    for number, tip in enumerate(tips):
        guard.follow(lambda _, tip=tip: (tip,))  # type: ignore[misc]
        for held, seen in ((None, False), (hand, True)):
            for _ in range(3):  # The arm stands still before it is thought about what a shadow is.
                scene.clock.sleep(0.4)
                pixels = table.camera.picture.draw(Scene(table.world.discs, tip, (), held))
                found = guard.look(Frame(pixels, scene.clock.now(), number))
            assert found.present is seen, (tip, held)


def test_under_a_lamp_that_is_switched_on_while_it_works_the_arm_goes_on_and_a_hand_still_stops_it() -> None:
    scene = Guarded()
    table, guard = scene.table, scene.guard
    tip, hand = (200.0, 220.0, 40.0), HandPose((150.0, 60.0, 30.0), 0.0)
    guard.follow(lambda _: (tip,))
    guard.expect_work_at([tip[:2]])

    def look(held: HandPose | None) -> bool:
        scene.clock.sleep(0.5)
        pixels = table.camera.picture.draw(Scene(table.world.discs, tip, (), held), scene.clock.now())
        return guard.look(Frame(pixels, scene.clock.now(), 1)).present

    table.set_light("evening")
    assert look(None)
    seen = [look(None) for _ in range(7)]
    assert not seen[-1]
    assert all(look(hand) for _ in range(9))
    assert not look(None)


def test_what_is_dark_is_refused_at_once_where_no_shadow_has_been_seen_yet() -> None:
    scene = Guarded()
    table, guard = scene.table, scene.guard
    table.set_light("lamp")
    guard.set_reference(table.camera.frame())
    tip = (200.0, 220.0, 40.0)
    guard.follow(lambda _: (tip,))
    found = guard.look(Frame(table.camera.picture.draw(Scene(table.world.discs, tip)), scene.clock.now(), 1))
    assert found.present


def test_the_parked_arm_throws_no_new_shadow() -> None:
    scene = Guarded()
    table, guard = scene.table, scene.guard
    tip = (440.0, 440.0, 80.0)
    guard.follow(lambda _: (tip,))
    guard.set_reference(table.camera.frame())
    pixels = table.camera.frame().pixels.copy()
    pixels[150:330, 500:700] //= 4
    for number in range(4):
        scene.clock.sleep(0.4)
        assert guard.look(Frame(pixels, scene.clock.now(), number)).present


def test_without_fresh_frames_there_is_no_permit() -> None:
    scene = Guarded()
    scene.table.camera.state = CameraState.FROZEN
    assert all(text is not None and "stands still" in text for text in scene.refusals(3)[1:])
    scene.table.camera.state = CameraState.DEAD
    assert all(text is not None and "no more frames" in text for text in scene.refusals(2))
    scene.table.camera.state = CameraState.WORKING
    assert scene.refusals(1)[-1] is None


def test_an_old_frame_is_an_error_of_the_camera() -> None:
    scene = Guarded()
    frame = scene.table.camera.frame()
    scene.guard.check_age(frame)
    scene.clock.sleep(0.6)
    with pytest.raises(CameraError, match="stands still"):
        scene.guard.check_age(frame)
