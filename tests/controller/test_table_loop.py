"""Turns at the simulated table: what the human does, what the robot says, and where the discs end up."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scene import SETTINGS, Scene, set_scene

from controller.draughts import Position, read_fen
from controller.events import EventKind, TurnState
from controller.hand_guard import SOMETHING_HIDES_IT
from controller.journal import Outcome
from controller.session import BoardNotInPlaceError, check_board_in_place
from controller.steady_camera import ASTRAY
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Carry, Errand, Hover

START = Position.start()


def done(scene: Scene) -> list[str]:
    return [str(move) for move in scene.game.moves]


def test_a_move_is_seen_answered_and_carried_out(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    scene.act()
    assert done(scene) == ["11-15", "22-18"]
    assert scene.heard(EventKind.ASKED) == []
    assert scene.board_agrees()
    assert (scene.simulated.world.knocked, scene.simulated.world.dropped) == (0, 0)


def test_every_intent_is_on_disk_before_the_machine_is_told_to_move(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    scene.table.arm.park()
    reader = sqlite3.connect(tmp_path / "journal.sqlite3")
    write, unannounced = scene.simulated.line.write, []

    def checked_write(data: bytes) -> None:
        if b"G53" in data or data.startswith((b"M8", b"M9")):
            open_intents = reader.execute("SELECT count(*) FROM transfers WHERE outcome IS NULL").fetchone()[0]
            if not open_intents:
                unannounced.append(data)
        write(data)

    scene.simulated.line.write = checked_write  # type: ignore[method-assign]
    scene.act()
    assert unannounced == []
    (intent,) = scene.journal.intents(scene.session.game_number)
    assert (intent.from_place, intent.to_place, intent.outcome) == ("22", "18", Outcome.DONE)
    assert [record.move for record in scene.journal.moves(scene.session.game_number)] == ["11-15", "22-18"]


def test_an_illegal_move_is_explained_once_and_play_goes_on_when_it_is_mended(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    scene.human_does(scene.carry(11, 14))
    scene.human_does(scene.carry(14, 11))
    scene.human_does(scene.carry(11, 15))
    scene.act()
    (complaint,) = scene.heard(EventKind.ASKED)
    assert complaint.startswith("11 to 14 is not allowed")
    assert done(scene) == ["11-15"]
    kinds = [record.kind for record in scene.journal.verdicts(scene.session.game_number)]
    assert kinds == ["illegal", "move"]


def test_a_captured_disc_left_standing_is_asked_for(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, read_fen("B:W18,21,30,31:B15,1,2,3"))
    scene.human_does(scene.carry(15, 22))
    scene.human_does(scene.to_tray(18))
    scene.act()
    assert scene.heard(EventKind.ASKED) == ["please take the captured disc on 18 off the board"]
    assert done(scene) == ["15x22"]


def test_the_robot_crowns_the_man_that_the_human_leaves_to_it(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, read_fen("B:W21,22,23,29:B28,1,2,3"), ["21-17"])
    scene.human_does(scene.carry(28, 32))
    scene.act()
    assert done(scene) == ["28-32", "21-17"]
    assert scene.heard(EventKind.ASKED) == []
    assert scene.board_agrees()


def test_where_humans_crown_their_own_men_they_are_asked_to(tmp_path: Path) -> None:
    own_crowns = replace(SETTINGS, player=replace(SETTINGS.player, crowns_for_human=False))
    scene = set_scene(tmp_path, read_fen("B:W21,22,23,29:B28,1,2,3"), ["21-17"], settings=own_crowns)
    scene.human_does(scene.carry(28, 32))
    scene.human_does(Carry(scene.calibration.tray_centre(1), scene.at(32)))
    scene.act()
    assert scene.heard(EventKind.ASKED) == ["please crown your man on 32"]
    assert done(scene) == ["28-32", "21-17"]
    assert scene.board_agrees()


def test_kings_move_and_are_captured_disc_by_disc(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, read_fen("B:WK26,29,30,32:BK18,1,2,3"), ["26x17"])
    scene.human_does(scene.carry(18, 22))
    scene.act()
    assert done(scene) == ["18-22", "26x17"]
    assert scene.board_agrees()
    transfers = [record.from_place for record in scene.journal.intents(scene.session.game_number)]
    assert transfers == ["26", "26", "22", "22"]
    assert scene.simulated.world.knocked == 0


def test_the_button_pressed_with_nothing_moved_is_answered(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    scene.human_does(press=True)
    scene.human_does(scene.carry(11, 15))
    scene.act()
    assert "nothing has moved yet: it is still your turn" in scene.heard(EventKind.SAID)
    assert done(scene) == ["11-15"]


def test_the_button_settles_at_once_what_else_would_be_waited_for(tmp_path: Path) -> None:
    waited = {}
    for press in (False, True):
        folder = tmp_path / str(press)
        folder.mkdir()
        scene = set_scene(folder, read_fen("B:W21,22,23,29:B28,1,2,3"))
        scene.human_does(scene.carry(28, 32), press=press)
        scene.act()
        gone = next(e.time_s for e in reversed(scene.events) if e.state is TurnState.HAND)
        waited[press] = scene.clock.now() - gone
    assert waited[True] < waited[False] - 1.0


def test_the_arm_holds_while_a_hand_is_over_the_table_and_then_goes_on(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    reached_in: list[float] = []

    def reach_in(now: float) -> None:
        if scene.session.announcer.state is TurnState.MOVING and not reached_in:
            reached_in.append(now)
            scene.simulated.hand.do(Errand((Hover(scene.at(18), 3.0),)))

    scene.clock.attach(reach_in)
    scene.act()
    assert reached_in
    assert TurnState.HELD in scene.states()
    assert any("a hand is over the table" in text for text in scene.heard(EventKind.SAID))
    # Looked for every 0.4 s, then braking; the hand is over the table for some five seconds.
    assert scene.simulated.moved_under_hand_s < 1.0
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()


def test_what_hides_the_board_for_long_is_asked_to_be_taken_away_once(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    scene.human_does(Hover(scene.at(18), 50.0), scene.carry(11, 15))
    scene.act()
    assert scene.heard(EventKind.ASKED) == [SOMETHING_HIDES_IT]
    assert done(scene) == ["11-15"]


def test_a_disc_that_was_not_gripped_is_tried_again(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    moved, misses = scene.simulated.world.advance, [1]

    def without_suction(seconds: float, tip: tuple[float, float, float], gripping: bool) -> None:
        if gripping and misses and scene.session.announcer.state is TurnState.MOVING:
            gripping = False
        moved(seconds, tip, gripping)

    scene.simulated.world.advance = without_suction  # type: ignore[method-assign]
    scene.session.announcer.listen(lambda event: misses.clear() if event.state is TurnState.CHECKING else None)
    scene.act()
    assert any("that went wrong and I try again" in text for text in scene.heard(EventKind.SAID))
    assert scene.heard(EventKind.ASKED) == []
    assert scene.board_agrees()
    outcomes = [record.outcome for record in scene.journal.intents(scene.session.game_number)]
    assert outcomes == [Outcome.FAILED, Outcome.DONE]


def test_what_the_arm_cannot_mend_is_asked_for_in_one_sentence(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    moved = scene.simulated.world.advance
    scene.simulated.world.advance = lambda seconds, tip, _: moved(seconds, tip, False)  # type: ignore[method-assign]
    scene.human_does(Carry(scene.at(22), scene.at(18)))
    scene.act()
    (request,) = scene.heard(EventKind.ASKED)
    assert request == "please help me: 18 should hold a light man, 22 should be empty"
    assert scene.board_agrees()


def test_a_crown_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    aside = (100.0, -115.0)
    start = read_fen("B:W21,22,23,29:B28,1,2,3")
    scene = set_scene(tmp_path, start, ["21-17"], tray=[(DiscColour.DARK, *aside, 1), (DiscColour.LIGHT, 370, 20, 1)])
    scene.human_does(scene.carry(28, 32))
    scene.human_does(Carry(aside, scene.calibration.tray_centre(3)))
    scene.act()
    assert scene.heard(EventKind.ASKED) == ["please put a dark disc into the tray: the man on 32 is to be crowned"]
    assert done(scene) == ["28-32", "21-17"]
    assert scene.board_agrees()


def test_a_camera_that_was_moved_is_noticed_and_no_move_is_made_of_it(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    take = scene.simulated.camera.frame
    nudged = [False]

    def frame() -> Frame:
        frame = take()
        pixels = np.roll(frame.pixels, (80, 90), axis=(0, 1)) if nudged[0] else frame.pixels
        return Frame(pixels, frame.time_s, frame.number)

    scene.simulated.camera.frame = frame  # type: ignore[method-assign]

    def nudge(now: float) -> None:
        nudged[0] = 4 < now < 13

    scene.clock.attach(nudge)
    scene.session.announcer.listen(
        lambda event: scene.human_does(scene.carry(11, 15)) if event.kind is EventKind.ASKED else None
    )
    scene.act()
    assert scene.heard(EventKind.ASKED) == [ASTRAY]
    assert done(scene) == ["11-15"]


def test_a_camera_moved_while_the_robot_checks_its_move_is_said_and_waited_for(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    take = scene.simulated.camera.frame

    def frame() -> Frame:
        frame = take()
        checking = scene.session.announcer.state is TurnState.CHECKING and not scene.heard(EventKind.ASKED)
        return Frame(np.roll(frame.pixels, (80, 90), axis=(0, 1)), frame.time_s, frame.number) if checking else frame

    scene.simulated.camera.frame = frame  # type: ignore[method-assign]
    scene.act()
    assert scene.heard(EventKind.ASKED) == [ASTRAY]
    assert scene.board_agrees()


def test_without_the_camera_the_arm_holds_and_says_why_until_it_is_back(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    take = scene.simulated.camera.frame
    dead_since: list[float] = []

    def frame() -> Frame:
        if scene.session.announcer.state is TurnState.MOVING and not dead_since:
            dead_since.append(scene.clock.now())
        if dead_since and scene.clock.now() < dead_since[0] + 5:
            raise CameraError("the camera gives no picture: check its cable")
        return take()

    scene.simulated.camera.frame = frame  # type: ignore[method-assign]
    scene.act()
    assert "I hold still: the camera gives no picture: check its cable" in scene.heard(EventKind.SAID)
    assert done(scene) == ["11-15", "22-18"]
    assert scene.board_agrees()


def test_a_game_ends_with_its_last_crown_in_place(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, read_fen("B:W26:B22,1,2,3"))
    scene.human_does(scene.carry(22, 31), scene.to_tray(26))
    scene.act()
    assert scene.heard(EventKind.SAID)[-1] == "Black wins: White has no pieces left."
    assert scene.states()[-1] is TurnState.OVER
    assert scene.board_agrees()


def test_a_board_that_is_not_where_the_calibration_has_it_is_said_before_anything_moves(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    pixels = np.roll(scene.simulated.camera.frame().pixels, 40, axis=1)
    with pytest.raises(BoardNotInPlaceError, match=r"off by 0\.\d squares"):
        check_board_in_place(Frame(pixels, 0.0, 0), scene.calibration)
