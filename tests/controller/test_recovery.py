"""Faults in mid-game: what the robot says, that it comes back by itself, and where the discs end up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from scene import SETTINGS, Scene, ScriptEndedError, set_scene

from controller.demo.report import board_agrees
from controller.draughts import Colour, DrawRules, Game, Move, Position
from controller.errors import JournalError
from controller.events import EventKind, TurnState
from controller.handling.layout import contents_of
from controller.journal import Journal, Outcome
from controller.resuming import unfinished_game
from controller.session import prepare_session
from controller.settings import Settings
from hardware.clock import VirtualClock
from hardware.errors import CameraError, SerialError
from hardware.gantry import GantryState
from hardware.panel import Light
from hardware.simulated.camera import CameraState
from hardware.simulated.errand import Carry
from vision.errors import VisionError

START = Position.start()


def scene_at(folder: Path, settings: Settings = SETTINGS) -> Scene:
    """The human moves 11-15 and the robot is going to answer 22-18; the human is patient."""
    scene = set_scene(folder, START, ["22-18"], settings=settings)
    scene.waits_s = 200.0
    scene.human_does(scene.carry(11, 15))
    return scene


def done(scene: Scene) -> list[str]:
    return [str(move) for move in scene.game.moves]


def once(scene: Scene, when: Callable[[], bool], then: Callable[[], None]) -> None:
    """Do something the first time that `when` is true as time goes by."""
    waiting = [True]

    def look(_: float) -> None:
        if waiting and when():
            waiting.clear()
            then()

    scene.clock.attach(look)


def later(scene: Scene, seconds: float, then: Callable[[], None]) -> None:
    due = scene.clock.now() + seconds
    once(scene, lambda: scene.clock.now() >= due, then)


def carrying(scene: Scene) -> bool:
    return scene.table.gantry.holding_disc and scene.table.arm.tip_mm[2] > 11


def test_after_the_stop_button_nothing_moves_before_a_person_agrees(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    tips: list[object] = []

    def stop() -> None:
        scene.simulated.panel.press_stop()
        later(scene, 3, lambda: tips.append(scene.simulated.world.tip_mm))
        later(scene, 20, check_and_agree)

    def check_and_agree() -> None:
        tips.append(scene.simulated.world.tip_mm)
        assert scene.table.gantry.state is GantryState.STOPPED
        assert scene.simulated.world.carried
        scene.simulated.panel.press_turn()

    once(scene, lambda: carrying(scene), stop)
    scene.act()
    assert tips[0] == tips[1]
    (request,) = scene.heard(EventKind.ASKED)
    assert request == (
        "I was stopped while I carried a disc from 22 to 18 and hold still: press the turn button to let me go on"
    )
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()
    assert scene.simulated.world.mishaps == []


def test_a_turn_button_pressed_before_the_stop_is_no_leave_to_go_on(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)

    def press_both() -> None:
        scene.simulated.panel.press_turn()
        scene.simulated.panel.press_stop()
        later(scene, 30, lambda: states.append(scene.table.gantry.state))
        later(scene, 31, scene.simulated.panel.press_turn)

    states: list[GantryState] = []
    once(scene, lambda: carrying(scene), press_both)
    scene.act()
    assert states == [GantryState.STOPPED]
    assert scene.board_agrees()


@pytest.mark.parametrize("resets", [False, True])
def test_a_serial_line_that_goes_and_comes_back_in_mid_move_costs_no_game(tmp_path: Path, resets: bool) -> None:
    scene = scene_at(tmp_path)

    def plug_in() -> None:
        if resets:
            scene.simulated.firmware.power_cycle()
        scene.simulated.line.plug_in()

    def unplug() -> None:
        scene.simulated.line.unplug()
        later(scene, 8, plug_in)

    once(scene, lambda: carrying(scene), unplug)
    scene.session.announcer.listen(
        lambda event: mend(scene) if event.kind is EventKind.ASKED and event.text.startswith("I have lost") else None
    )
    scene.act()
    asked = scene.heard(EventKind.ASKED)
    assert asked[0] == (
        "The serial port simulated is gone: check the USB cable and its power. I wait up to 60 s for it."
    )
    assert "the machine answers again: I find home and look at the board" in scene.heard(EventKind.SAID)
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()
    outcomes = [record.outcome for record in scene.journal.intents(scene.session.game_number)]
    assert outcomes[0] is Outcome.STOPPED


def mend(scene: Scene) -> None:
    """Put the disc that lies nowhere where it belongs."""
    lying = scene.simulated.world.stacks()
    homes = [scene.at(number) for number in range(1, 33)] + list(scene.calibration.tray_mm)
    stray = next(s for s in lying if all(abs(s.x - x) + abs(s.y - y) > 12 for x, y in homes))
    scene.errands.clear()
    scene.human_does(Carry((stray.x, stray.y), scene.at(18)))


def test_a_machine_that_stays_away_ends_the_game_with_its_sentence_and_keeps_it(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    once(scene, lambda: carrying(scene), scene.simulated.line.unplug)
    with pytest.raises(SerialError, match="is gone"):
        scene.session.loop.run()
    assert [record.move for record in scene.journal.moves(scene.session.game_number)] == ["11-15", "22-18"]


def test_an_alarm_is_told_and_got_over(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    once(scene, lambda: scene.session.announcer.state is TurnState.MOVING, scene.simulated.firmware.power_cycle)
    scene.act()
    assert len(scene.heard(EventKind.ASKED)) == 1
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()


@pytest.mark.parametrize(
    ("state", "sentence"), [(CameraState.DEAD, "gives no more frames"), (CameraState.FROZEN, "stands still")]
)
@pytest.mark.parametrize("while_in", [TurnState.WAITING, TurnState.CHECKING])
def test_a_camera_that_goes_and_comes_back_is_said_and_waited_for(
    tmp_path: Path, state: CameraState, sentence: str, while_in: TurnState
) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])

    def go() -> None:
        scene.simulated.camera.state = state
        later(scene, 9, come_back)

    def come_back() -> None:
        scene.simulated.camera.state = CameraState.WORKING
        scene.human_does(scene.carry(11, 15))

    if while_in is not TurnState.WAITING:
        scene.human_does(scene.carry(11, 15))
    once(scene, lambda: scene.session.announcer.state is while_in, go)
    scene.act()
    (request,) = scene.heard(EventKind.ASKED)
    assert sentence in request
    assert "I see again" in scene.heard(EventKind.SAID)
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()


def test_a_camera_that_stays_away_ends_the_game_with_its_sentence(tmp_path: Path) -> None:
    impatient = replace(SETTINGS, player=replace(SETTINGS.player, fault_patience_s=5.0))
    scene = set_scene(tmp_path, START, settings=impatient)
    later(scene, 1, lambda: setattr(scene.simulated.camera, "state", CameraState.DEAD))
    with pytest.raises(CameraError, match="gives no more frames"):
        scene.session.loop.run()


def drop_once(scene: Scene, at: tuple[float, float] | None) -> None:
    """Let the gripper's air fail once while it carries a disc, which slides to `at` if that is given."""
    world = scene.simulated.world
    advance, failing, failed = world.advance, [False], [False]

    def fail(seconds: float, tip: tuple[float, float, float], gripping: bool) -> None:
        carried = world.carried
        failing[0] = gripping and (failing[0] or (not failed[0] and bool(carried) and carrying(scene)))
        advance(seconds, tip, gripping and not failing[0])
        if failing[0] and not failed[0]:
            failed[0] = True
            if at is not None:
                world.shove(carried[0].id, *at)

    world.advance = fail  # type: ignore[method-assign]


def test_a_disc_lost_where_it_can_be_read_is_fetched(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    drop_once(scene, at=scene.at(17))
    scene.act()
    assert scene.heard(EventKind.ASKED) == []
    assert any("I try again" in text for text in scene.heard(EventKind.SAID))
    assert scene.board_agrees()


def test_a_disc_lost_where_no_place_is_is_asked_for_and_no_spare_is_put_in_its_stead(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    (x, y), (far_x, _) = scene.at(18), scene.at(17)
    drop_once(scene, at=((x + far_x) / 2, y))
    scene.session.announcer.listen(lambda event: mend(scene) if event.kind is EventKind.ASKED else None)
    scene.act()
    assert scene.heard(EventKind.ASKED) == ["I have lost hold of a disc: please put a light disc on 18"]
    assert scene.board_agrees()


def test_a_game_broken_off_in_mid_move_is_gone_on_with(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    unplug = scene.simulated.line.unplug
    scene.session.announcer.listen(lambda event: unplug() if event.colour is Colour.WHITE else None)
    with pytest.raises(SerialError):
        scene.session.loop.run()
    scene.simulated.line.plug_in()
    scene.simulated.panel.show(Light.OFF)
    scene.clock.sleep(1.0)
    scene.table.gantry.connect()
    game, record = unfinished_game(scene.journal, DrawRules())
    assert [str(move) for move in game.moves] == ["11-15", "22-18"]
    heard = len(scene.events)
    session = prepare_session(
        scene.table, SETTINGS, scene.journal, game, no_more_moves, [scene.events.append], resumed=record.id
    )
    scene.waits_s = 40.0
    with pytest.raises(ScriptEndedError):
        session.loop.run()
    assert session.game_number == record.id
    assert [event.text for event in scene.events[heard:] if event.kind is EventKind.ASKED] == []
    assert board_agrees(scene.simulated.world.stacks(), game.position, scene.calibration, Colour.BLACK)


def test_a_fault_before_the_first_move_is_got_over(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    scene.waits_s = 200.0
    scene.table.gantry.connect()
    once(scene, lambda: scene.table.gantry.state is GantryState.HOMING, scene.simulated.line.unplug)
    later(scene, 9.0, scene.simulated.line.plug_in)
    heard = len(scene.events)
    prepare_session(scene.table, SETTINGS, scene.journal, Game(START), no_more_moves, [scene.events.append])
    asked = [event.text for event in scene.events[heard:] if event.kind is EventKind.ASKED]
    assert len(asked) == 1
    assert "is gone" in asked[0]
    assert scene.table.gantry.homed


def test_an_arm_left_over_the_board_is_brought_home_before_the_board_is_looked_at(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    gantry = scene.table.gantry
    gantry.move_to(*scene.calibration.to_machine(150.0, 150.0, 40.0))
    gantry.close()
    gantry.connect()
    session = prepare_session(scene.table, SETTINGS, scene.journal, Game(START), no_more_moves, [scene.events.append])
    assert "the arm is not where it parks: I bring it home first" in scene.heard(EventKind.SAID)
    assert gantry.homed
    assert session.eye.last is not None
    assert (session.eye.last.reading.contents[:32] == contents_of(START)).all()


def no_more_moves(_: Game) -> Move:
    raise ScriptEndedError


def test_without_a_game_that_was_broken_off_there_is_none_to_go_on_with(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "new.sqlite3", VirtualClock()) as journal,
        pytest.raises(JournalError, match="no game to go on with"),
    ):
        unfinished_game(journal, DrawRules())


class CutOffError(BaseException):
    """Stands for the end of the process: nothing of the program runs after it."""


def cut_off_while_carrying(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A scene whose program dies with a disc in the gripper, and the machine as it was left then."""
    scene = scene_at(folder)

    def dies(*_: object) -> None:
        raise CutOffError

    with monkeypatch.context() as patched, pytest.raises(CutOffError):
        patched.setattr(scene.table.arm, "place", dies)
        scene.session.loop.run()
    assert scene.simulated.firmware.gripper_on and scene.table.gantry.holding_disc
    scene.table.gantry.close()
    scene.simulated.panel.show(Light.OFF)
    scene.clock.sleep(1.0)
    scene.table.gantry.connect()
    return scene


def test_a_disc_that_is_still_held_after_a_restart_is_put_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = cut_off_while_carrying(tmp_path, monkeypatch)
    game, record = unfinished_game(scene.journal, DrawRules())
    heard = len(scene.events)
    session = prepare_session(
        scene.table, SETTINGS, scene.journal, game, no_more_moves, [scene.events.append], resumed=record.id
    )
    said = [event.text for event in scene.events[heard:] if event.kind is EventKind.SAID]
    assert "I still hold a disc from before: I put it down on 18" in said
    assert not scene.simulated.firmware.gripper_on
    scene.waits_s = 40.0
    with pytest.raises(ScriptEndedError):
        session.loop.run()
    assert [event.text for event in scene.events[heard:] if event.kind is EventKind.ASKED] == []
    assert board_agrees(scene.simulated.world.stacks(), game.position, scene.calibration, Colour.BLACK)
    assert [intent.outcome for intent in scene.journal.intents(record.id)] == [Outcome.DONE]
    assert scene.simulated.world.mishaps == []


def test_a_held_disc_of_no_game_is_given_into_a_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = cut_off_while_carrying(tmp_path, monkeypatch)
    held: list[bool] = []
    later(scene, 30.0, lambda: held.append(scene.simulated.firmware.gripper_on))
    later(scene, 31.0, scene.simulated.panel.press_turn)
    heard = len(scene.events)
    with pytest.raises(VisionError):  # The disc is in the hand now, and not where the position has it.
        prepare_session(scene.table, SETTINGS, scene.journal, Game(START), no_more_moves, [scene.events.append])
    asked = [event.text for event in scene.events[heard:] if event.kind is EventKind.ASKED]
    assert asked[0].startswith("I hold a disc and do not know where it belongs")
    assert held == [True], "until somebody says so"
    assert not scene.simulated.firmware.gripper_on


def test_a_stop_button_that_is_still_pressed_is_asked_to_be_released(tmp_path: Path) -> None:
    scene = scene_at(tmp_path)
    panel = scene.simulated.panel
    pressed = [False]

    def is_pressed() -> bool:
        return pressed[0]

    def stop() -> None:
        pressed[0] = True
        panel.press_stop()
        later(scene, 20, panel.press_turn)
        later(scene, 30, check_and_release)
        later(scene, 40, panel.press_turn)

    def check_and_release() -> None:
        assert scene.table.gantry.state is GantryState.STOPPED
        pressed[0] = False

    panel.stop_pressed = is_pressed  # type: ignore[method-assign]
    once(scene, lambda: carrying(scene), stop)
    scene.act()
    assert scene.heard(EventKind.ASKED)[1:] == [
        "the stop button is still pressed: release it, then press the turn button to let me go on"
    ]
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()
