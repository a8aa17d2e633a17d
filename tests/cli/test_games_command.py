"""`crownhead games`, `status` and `new-game`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.draughts import Game, parse_move, write_fen
from controller.journal import Journal, Outcome
from hardware.clock import VirtualClock

MOVES = ("11-15", "23-19", "8-11")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite3"
    with Journal(path, VirtualClock()) as journal:
        game = Game()
        number = journal.begin_game(write_fen(game.start), "black", 5)
        for text in MOVES:
            colour = game.position.turn
            game.play(parse_move(game.position, text))
            journal.record_move(number, game.plies, colour.name.lower(), text, write_fen(game.position))
        journal.record_verdict(number, "illegal", "11 to 14 is not allowed")
        journal.finish(journal.intend(number, 2, "a disc from 23 to 19", "23", "19", 1), Outcome.DONE)
    return path


def test_games_are_listed_shown_and_counted(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "list", "--journal", str(path)]) == 0
    said = capsys.readouterr().out
    assert "level 5" in said
    assert "under way" in said
    assert main(["games", "list", "--json", "--journal", str(path)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["games"][0]["moves"] == 3
    assert listed["statistics"]["unfinished"] == 1
    assert main(["games", "show", "1", "--json", "--journal", str(path)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [move["move"] for move in shown["moves"]] == list(MOVES)
    assert shown["transfers"][0]["outcome"] == "done"
    assert main(["games", "show", "1", "--journal", str(path)]) == 0
    assert "11 to 14 is not allowed" in capsys.readouterr().out


def test_what_is_exported_can_be_imported_once(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdn, other = tmp_path / "games.pdn", tmp_path / "other.sqlite3"
    assert main(["games", "export", "--output", str(pdn), "--journal", str(path)]) == 0
    assert "1. 11-15 23-19 2. 8-11" in pdn.read_text(encoding="utf-8")
    for imported in (1, 0):
        capsys.readouterr()
        assert main(["games", "import", str(pdn), "--json", "--journal", str(other)]) == 0
        assert json.loads(capsys.readouterr().out)["left_out"] == 1 - imported
    assert main(["games", "export", "--journal", str(other)]) == 0
    assert "1. 11-15 23-19 2. 8-11" in capsys.readouterr().out


def test_a_game_is_replayed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "replay", "1", "--seconds", "0", "--journal", str(path)]) == 0
    said = capsys.readouterr().out
    assert "1. Black 11-15" in said
    assert "2. Black 8-11" in said


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("show", "9"), 1, "there is no game 9"),
        (("show", "x"), 2, "give a number"),
        (("export", "2"), 1, "there is no game 2"),
        (("import", "/nowhere.pdn"), 1, "No such file"),
        (("replay", "1", "--seconds", "-1"), 2, "the seconds must be"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    path: Path, words: tuple[str, ...], status: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", *words, "--journal", str(path)]) == status
    assert sentence in capsys.readouterr().err


def test_without_a_journal_or_a_service_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["games", "list", "--journal", str(tmp_path / "none")]) == 1
    assert "there is no journal" in capsys.readouterr().err
    assert main(["status", "--state", str(tmp_path)]) == 1
    assert "no service runs here" in capsys.readouterr().err
    assert main(["new-game", "--level", "3", "--state", str(tmp_path)]) == 1
    assert "no service runs here" in capsys.readouterr().err
    assert main(["new-game", "--end", "--level", "3"]) == 2
