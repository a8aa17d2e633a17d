"""Hints, moves taken back, draws and resignations at the simulated table, asked for with the one button."""

from __future__ import annotations

from pathlib import Path

import pytest
from scene import Scene, set_scene

from controller.draughts import Colour, Position, Reason, read_fen, write_fen
from controller.draw_offer import DrawAnswer
from controller.events import EventKind, TurnState
from controller.granting import NOTHING_TO_TAKE_BACK, PLAY_ON, SURE
from controller.resuming import unfinished_game

START = Position.start()


def press(scene: Scene, *times: float, held_s: float = 0.15, after: int = 0) -> None:
    """Press the button at these times (s) of the human's turn after so many moves."""
    begun: list[float] = []

    def watch(now: float) -> None:
        if not begun and scene.game.plies == after and scene.session.announcer.state is TurnState.WAITING:
            begun.append(now)
            for time_s in times or (0.0,):
                scene.simulated.panel.press_turn(held_s, after_s=0.5 + time_s)

    scene.clock.attach(watch)


TWICE, THRICE, FOUR_TIMES = (0.0, 0.4), (0.0, 0.4, 0.8), (0.0, 0.4, 0.8, 1.2)


def test_a_hint_is_said_and_pointed_at_and_nothing_is_touched(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["11-15"])
    heights: list[tuple[float, float, float]] = []
    scene.clock.attach(lambda now: heights.append(scene.simulated.world.tip_mm))
    press(scene, *TWICE)
    scene.act()
    assert "you could play 11-15" in scene.heard(EventKind.SAID)
    for square in (11, 15):
        x, y = scene.at(square)
        near = [z for at_x, at_y, z in heights if abs(at_x - x) < 1 and abs(at_y - y) < 1]
        assert len(near) > 3, "it stays over the square"
        assert min(near) >= 2 * scene.calibration.disc.height_mm + 4, "it touches nothing"
    assert scene.board_agrees()
    assert scene.simulated.world.knocked == 0
    assert scene.journal.intents(scene.session.game_number) == ()


def test_a_pair_of_quiet_moves_is_taken_back(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18"])
    scene.human_does(scene.carry(11, 15))
    press(scene, *THRICE, after=2)
    finish(scene)
    assert [str(move) for move in scene.game.moves] == []
    assert "I take back 11-15 and 22-18" in scene.heard(EventKind.SAID)
    assert scene.heard(EventKind.ASKED) == []
    assert scene.board_agrees()


def test_captured_discs_come_back_and_the_crown_goes_off(tmp_path: Path) -> None:
    start = read_fen("B:W18,30,32:B14,28,1,2")
    scene = set_scene(tmp_path, start, ["32-27"])
    scene.human_does(scene.carry(14, 23), scene.to_tray(18))
    press(scene, *THRICE, after=2)
    finish(scene)
    assert write_fen(scene.game.position) == write_fen(start)
    assert scene.board_agrees()
    number = scene.session.game_number
    (record,) = scene.journal.take_backs(number)
    assert (record.plies, record.moves) == (0, ("14x23", "32-27"))
    assert scene.journal.moves(number) == ()


def test_a_crowned_man_is_a_man_again(tmp_path: Path) -> None:
    start = read_fen("B:W21,22,23,29:B28,1,2,3")
    scene = set_scene(tmp_path, start, ["21-17"])
    scene.human_does(scene.carry(28, 32))
    press(scene, *THRICE, after=2)
    finish(scene)
    assert write_fen(scene.game.position) == write_fen(start)
    assert scene.board_agrees()


def test_after_a_take_back_the_game_goes_on_and_is_resumed_without_it(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START, ["22-18", "24-20"])
    scene.human_does(scene.carry(11, 15))
    press(scene, *THRICE, after=2)
    begun: list[bool] = []

    def go_on(_: float) -> None:
        if not begun and scene.journal.take_backs(scene.session.game_number):
            begun.append(True)
            scene.human_does(scene.carry(9, 14))

    scene.clock.attach(go_on)
    scene.waits_s = 25.0
    scene.act()
    assert [str(move) for move in scene.game.moves] == ["9-14", "24-20"]
    assert scene.board_agrees()
    game, record = unfinished_game(scene.journal, scene.game.rules)
    assert [str(move) for move in game.moves] == ["9-14", "24-20"]
    assert record.id == scene.session.game_number


def test_before_anything_was_played_there_is_nothing_to_take_back(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    press(scene, *THRICE)
    finish(scene)
    assert NOTHING_TO_TAKE_BACK in scene.heard(EventKind.SAID)


def test_who_holds_the_button_is_asked_and_resigns_with_another_press(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    press(scene, held_s=4.0)
    press(scene, 8.0)
    finish(scene)
    assert scene.heard(EventKind.ASKED) == [SURE]
    outcome = scene.game.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Colour.WHITE, Reason.RESIGNATION)


def test_who_does_not_say_it_again_plays_on(tmp_path: Path) -> None:
    scene = set_scene(tmp_path, START)
    press(scene, held_s=4.0)
    finish(scene)
    assert PLAY_ON in scene.heard(EventKind.SAID)
    assert scene.game.outcome() is None


@pytest.mark.parametrize("agreed", [True, False])
def test_a_draw_is_offered_and_answered(tmp_path: Path, agreed: bool) -> None:
    scene = set_scene(tmp_path, START, answer_draw=lambda _: DrawAnswer(agreed, "this is my answer"))
    press(scene, *FOUR_TIMES)
    finish(scene)
    assert "this is my answer" in scene.heard(EventKind.SAID)
    outcome = scene.game.outcome()
    assert (outcome is not None and outcome.reason is Reason.AGREEMENT) is agreed


def finish(scene: Scene) -> None:
    """Play until the human has had nothing to do for a while, or the game has ended."""
    scene.waits_s = 25.0
    scene.act()
