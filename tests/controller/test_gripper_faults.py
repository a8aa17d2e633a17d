"""What becomes of a game when the gripper takes nothing, a disc sticks to it, or its magnet gets too warm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from scene import SETTINGS, Scene, set_scene

from controller.draughts import Position
from controller.events import EventKind
from controller.hardware_settings import GripperSettings
from controller.settings import Settings
from hardware.grippers.switch import FirmwareSwitch
from hardware.grippers.vacuum import VacuumGripper


class WorldContact:
    """A vacuum switch at the simulated gripper."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.stuck = False

    @property
    def feels(self) -> bool:
        return self.stuck or bool(self._scene.simulated.world.carried)

    def close(self) -> None: ...


def scene_at(folder: Path, settings: Settings = SETTINGS) -> Scene:
    """The human moves 11-15 and the robot is going to answer 22-18; the human is patient."""
    scene = set_scene(folder, Position.start(), ["22-18"], settings=settings)
    scene.waits_s = 200.0
    scene.human_does(scene.carry(11, 15))
    return scene


def sensing(scene: Scene) -> WorldContact:
    """Give the scene's gripper a sensor."""
    contact = WorldContact(scene)
    gantry = scene.table.gantry
    gantry._gripper = VacuumGripper(FirmwareSwitch(gantry._motion), contact=contact)
    return contact


def later(scene: Scene, seconds: float, then: Callable[[], None]) -> None:
    due = scene.clock.now() + seconds
    waiting = [True]

    def look(now: float) -> None:
        if waiting and now >= due:
            waiting.clear()
            then()

    scene.clock.attach(look)


def said(scene: Scene, words: str) -> bool:
    return any(words in text for text in scene.heard(EventKind.SAID))


def test_a_grip_that_has_taken_nothing_is_noticed_there_and_mended(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    sensing(scene)
    scene.simulated.gripper_play.fail_next_grip()
    scene.act()
    assert said(scene, "The gripper's sensor feels no disc")
    assert scene.heard(EventKind.ASKED) == []
    assert [str(move) for move in scene.game.moves] == ["11-15", "22-18"]
    assert scene.board_agrees()
    assert scene.simulated.world.mishaps == []


def test_a_disc_that_sticks_to_the_gripper_is_given_to_a_person(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    contact = sensing(scene)

    def freed(event_kind: EventKind) -> None:
        if event_kind is EventKind.ASKED:
            later(scene, 5.0, lambda: setattr(contact, "stuck", False))
            later(scene, 6.0, scene.simulated.panel.press_turn)

    scene.session.announcer.listen(lambda event: freed(event.kind))
    release = scene.table.gantry.release

    def released() -> None:
        release()
        contact.stuck = not scene.heard(EventKind.ASKED)

    scene.table.gantry.release = released  # type: ignore[method-assign]
    scene.act()
    assert scene.heard(EventKind.ASKED) == [
        "A disc sticks to the gripper: please take it off and put it where it belongs. Then press the turn button."
    ]
    assert scene.board_agrees()


def test_a_magnet_that_is_stopped_for_too_long_lets_go_and_the_game_goes_on(tmp_path: Path) -> None:
    magnet = replace(SETTINGS, gripper=GripperSettings(kind="magnet", longest_on_s=15.0, duty=0.5))
    scene = scene_at(tmp_path, magnet)
    held: list[bool] = []

    def look(now: float) -> None:
        if not held and scene.table.gantry.holding_disc and scene.table.arm.tip_mm[2] > 11:
            held.append(True)
            scene.simulated.panel.press_stop()
            later(scene, 10.0, lambda: held.append(scene.simulated.firmware.gripper_on))
            later(scene, 20.0, lambda: held.append(scene.simulated.firmware.gripper_on))
            later(scene, 40.0, scene.simulated.panel.press_turn)

    scene.clock.attach(look)
    scene.act()
    assert held == [True, True, False]
    assert said(scene, "The gripper had to hold for too long and has let go")
    assert scene.heard(EventKind.ASKED)[0].startswith("I was stopped while I carried a disc from 22 to 18")
    assert [str(move) for move in scene.game.moves] == ["11-15", "22-18"]
    assert not scene.simulated.firmware.gripper_on
