"""The service: how games begin and end, what it waits out, and that it comes back where it was."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from served import SETTINGS, Served, with_service

from controller.draughts import Colour, Position
from controller.errors import JournalError
from controller.events import TurnState
from controller.journal import Journal
from controller.service.requests import EndGame, NewGame
from controller.service.status import ServiceState
from hardware.simulated.camera import CameraState


def ready(scene: Served) -> bool:
    return scene.record.state is ServiceState.READY


def moves(scene: Served) -> int:
    game = scene.record.game
    return 0 if game is None else game.moves


def test_the_first_move_begins_a_game_and_the_intent_is_on_disk_before_the_arm_moves(tmp_path: Path) -> None:
    scene = Served(tmp_path)
    scene.once(lambda: ready(scene), scene.human_moves)
    write, unannounced = scene.simulated.line.write, []
    began = []

    def checked_write(data: bytes) -> None:
        if began and (b"G53" in data or data.startswith((b"M8", b"M9"))):
            reader = sqlite3.connect(tmp_path / "journal.sqlite3")
            if not reader.execute("SELECT count(*) FROM transfers WHERE outcome IS NULL").fetchone()[0]:
                unannounced.append(data)
            reader.close()
        write(data)

    scene.simulated.line.write = checked_write  # type: ignore[method-assign]
    scene.once(lambda: moves(scene) == 2, lambda: began.append(True))
    scene.run(lambda: moves(scene) == 2 and scene.record.game.doing == TurnState.WAITING.value)
    assert began
    assert unannounced == []
    assert scene.board_agrees(scene.game().position)
    values = scene.values
    assert values["state"] == "playing"
    assert values["game"]["human"] == "black"
    assert values["serial"] == {"port": "simulated", "state": "ready"}
    assert values["camera"]["rate_hz"] > 0
    assert values["faults"] == []


def test_with_white_before_the_human_the_button_begins_and_the_robot_moves_first(tmp_path: Path) -> None:
    scene = Served(tmp_path, laid_for=Colour.WHITE)
    scene.once(lambda: ready(scene), scene.simulated.panel.press_turn)
    scene.run(lambda: moves(scene) == 1 and scene.record.game.doing == TurnState.WAITING.value)
    assert (scene.values["game"]["human"], scene.values["game"]["turn"]) == ("white", "white")
    assert scene.board_agrees(scene.game().position)


def test_a_game_that_is_left_is_ended_and_an_order_gives_up_the_next(tmp_path: Path) -> None:
    scene = Served(tmp_path)
    scene.once(lambda: ready(scene), lambda: scene.order(NewGame(level=7)))
    scene.run(lambda: bool(scene.path.exists() and scene.games() and scene.games()[0][0]))
    assert scene.games() == [("*", "the players have gone", 0)]
    assert "the board is set up: make the first move" in scene.lines
    heard: list[str] = []
    scene.once(lambda: ready(scene), lambda: heard.append(scene.order(NewGame(level=3))))
    scene.once(lambda: scene.record.game is not None, lambda: scene.order(EndGame()))
    scene.run(lambda: len(scene.games()) == 2 and bool(scene.games()[1][0]))
    assert heard == ["a new game begins at level 3, you play black: I set up the board if need be"]
    assert scene.games()[1] == ("*", "the game was given up", 0)
    with Journal(scene.path, scene.clock) as journal:
        assert [game.level for game in journal.games()] == [7, 3]


def test_the_button_changes_the_level(tmp_path: Path) -> None:
    scene = Served(tmp_path)

    def press(times: int) -> None:
        scene.simulated.panel.press_turn()
        due = scene.clock.now() + 0.3
        if times > 1:
            scene.once(lambda: scene.clock.now() >= due, lambda: press(times - 1))

    scene.once(lambda: ready(scene), lambda: press(3))
    scene.run(lambda: scene.record.level == 2)
    scene.once(lambda: ready(scene), lambda: press(4))
    scene.run(lambda: scene.record.level == "best")
    assert "the next game is at level best" in scene.lines


def test_a_camera_and_a_port_that_come_later_are_waited_for(tmp_path: Path) -> None:
    scene = Served(tmp_path)
    scene.simulated.camera.state = CameraState.DEAD
    scene.simulated.line.unplug()
    scene.once(lambda: scene.clock.now() > 20, scene.simulated.line.plug_in)
    scene.once(
        lambda: scene.clock.now() > 40,
        lambda: setattr(scene.simulated.camera, "state", CameraState.WORKING),
    )
    scene.run(lambda: ready(scene))
    assert ServiceState.TROUBLE in scene.states
    faults = [fault["what"] for fault in scene.record.values()["faults"]]
    assert len(faults) == 2, faults
    assert "is gone" in faults[0]
    assert "no more frames" in faults[1]


def test_after_a_restart_a_move_made_meanwhile_is_answered(tmp_path: Path) -> None:
    scene = Served(tmp_path)
    scene.once(lambda: ready(scene), scene.human_moves)
    scene.run(lambda: moves(scene) == 2 and scene.record.game.doing == TurnState.WAITING.value)
    scene.human_moves()
    scene.clock.sleep(30)
    before = scene.game().plies
    scene.run(lambda: moves(scene) == 4 and scene.record.game.doing == TurnState.WAITING.value)
    assert before == 2
    assert scene.lines.count("game 1 was broken off: I go on with it") == 1
    assert scene.board_agrees(scene.game().position)


def test_a_full_disk_is_waited_out_and_nothing_moves_meanwhile(tmp_path: Path) -> None:
    scene = Served(tmp_path)
    full = [False]

    class FullJournal(Journal):
        def _write(self, statement: str, values: tuple) -> int:
            if full[0]:
                raise JournalError("the disk is full: make room")
            return super()._write(statement, values)

    written: list[bytes] = []
    write = scene.simulated.line.write

    def noting_write(data: bytes) -> None:
        if full[0] and b"G53" in data:
            written.append(data)
        write(data)

    def fill() -> None:
        full[0] = True
        written.clear()
        due = scene.clock.now() + 40
        scene.once(lambda: scene.clock.now() >= due, lambda: full.__setitem__(0, False))

    scene.simulated.line.write = noting_write  # type: ignore[method-assign]
    scene.once(lambda: ready(scene), scene.human_moves)
    scene.once(lambda: moves(scene) == 1, fill)
    scene.run(
        lambda: moves(scene) == 2 and scene.record.game.doing == TurnState.WAITING.value,
        lambda: FullJournal(scene.path, scene.clock),
    )
    assert any("the disk is full" in line for line in scene.lines)
    carried = [data for data in written if b"Z-8" in data]  # Down to a disc.
    assert carried == []
    assert scene.board_agrees(scene.game().position)


def test_a_game_that_is_over_is_set_up_anew_by_the_arm(tmp_path: Path) -> None:
    settings = with_service(SETTINGS, sets_up=True, absent_s=30.0)
    scene = Served(tmp_path, replace(settings, player=replace(settings.player, crowns_for_human=False)))
    scene.once(lambda: ready(scene), scene.human_moves)
    ended: list[bool] = []
    scene.once(lambda: moves(scene) == 2, lambda: ended.append(True))
    scene.run(lambda: bool(ended) and ready(scene))
    assert scene.games()[0][:2] == ("*", "the players have gone")
    assert scene.states[-1] is ServiceState.READY
    assert ServiceState.SETTING_UP in scene.states
    assert scene.board_agrees(Position.start())
