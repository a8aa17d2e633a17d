"""`crownhead play` from its command line: games at the simulated table by a script, and bad input."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from controller.camera_window import NoDisplayError, open_screen
from controller.cli.main import main
from controller.draughts import DrawRules, read_pdn
from controller.journal import Journal
from controller.play_at_terminal import PlayOrder
from controller.resuming import unfinished_game
from hardware.clock import VirtualClock
from hardware.errors import CameraError

FAST = ("play", "--simulate", "--speed", "1000", "--level", "1")
WON = "B:W26:B22,1"
"""Black wins by its only jump."""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run a command line with a script on stdin; its exit status, stdout and stderr."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    for variable in ("CROWNHEAD_CONFIG", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)

    def run(*arguments: str, script: str = "") -> tuple[int, str, str]:
        file = tmp_path / "script"
        file.write_text(script)
        with file.open() as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            status = main(arguments)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def test_a_script_plays_blunders_and_leaves(play, tmp_path: Path) -> None:
    script = "11-15  # a good beginning\n5-13\nwait 8\ntruth\nput back\nnonsense\nwait 4\nquit\n12-16\n"
    status, out, err = play(*FAST, "--seed", "3", script=script)
    assert (status, err) == (0, "")
    said = out.splitlines()
    for sentence in (
        "You play Black and sit at the near side; Crownhead plays White at level 1.",
        "your hand moves 11 to 15",
        "you play 11-15",
        "your hand puts the disc on 5 onto 13",
        "5 should hold a dark man; 13 should be empty",
        "your hand puts the board back",
        "I do not know 'nonsense': 'help' says what can be typed",
        "The discs lie as the game has them.",
    ):
        assert said.count(sentence) == 1, sentence
    assert any(re.fullmatch(r"5 to 13 is not allowed: .*", line) for line in said)
    assert "Black to move: your turn." in said
    assert "your hand moves 12 to 16" not in said
    (game,) = read_pdn(out[out.index("[Event") : out.index("\nThe discs")])
    assert game.result == "*"
    assert str(game.game.moves[0]) == "11-15"
    assert game.tags["Black"] == "Human"
    kept = tmp_path / "state" / "journal.sqlite3"
    assert said[-1] == f"The game is kept in {kept}, number 1; --resume goes on with it."
    with sqlite3.connect(kept) as journal:
        assert journal.execute("SELECT result, human, level FROM games").fetchall() == [(None, "black", "1")]
        assert journal.execute("SELECT count(*) FROM moves").fetchone() == (2,)


def test_a_game_that_was_left_is_gone_on_with(play, tmp_path: Path) -> None:
    assert play(*FAST, "--human", "black", script="11-15\nquit\n")[0] == 0
    status, out, err = play("play", "--simulate", "--speed", "1000", "--resume", script="put back\nwait 1\nquit\n")
    assert (status, err) == (0, "")
    (game,) = read_pdn(out[out.index("[Event") : out.index("\nThe discs")])
    assert str(game.game.moves[0]) == "11-15"
    assert len(game.game.moves) == 2
    assert ", number 1; --resume goes on with it." in out
    with sqlite3.connect(tmp_path / "state" / "journal.sqlite3") as journal:
        assert journal.execute("SELECT count(*) FROM games").fetchone() == (1,)


def test_without_a_game_to_go_on_with_that_is_said(play) -> None:
    status, out, err = play("play", "--simulate", "--resume")
    assert (status, out) == (1, "")
    assert err == "crownhead: there is no game to go on with: the last one has ended, or none was begun\n"


def test_a_game_is_played_to_its_end_and_the_end_of_the_script_is_no_hurry(play) -> None:
    status, out, _ = play(*FAST, "--fen", WON, script="22x31")
    assert status == 0
    assert "your hand moves 22 to 31 and takes the disc on 26 away, and crowns it" in out
    assert out.count("Black wins: White has no pieces left.") == 1
    assert '[Result "0-1"]' in out
    assert "The discs lie as the game has them." in out


def test_a_game_begins_after_a_ballot_and_is_gone_on_with(play, tmp_path: Path) -> None:
    status, out, err = play(*FAST, "--human", "white", "--ballot", "130", script="22-18\nquit\n")
    assert (status, err) == (0, "")
    assert "The game begins after ballot 130 (11-15 24-20 8-11): the position is W:W20,21," in out
    assert out.count("you play 22-18") == 1
    (game,) = read_pdn(out[out.index("[Event") : out.index("\nThe discs")])
    assert game.game.notations()[:5] == ("11-15", "24-20", "8-11", "22-18", "15x22")
    with sqlite3.connect(tmp_path / "state" / "journal.sqlite3") as database:
        rows = database.execute("SELECT ply, colour, move FROM moves ORDER BY ply").fetchall()
    assert rows[:4] == [(1, "black", "11-15"), (2, "white", "24-20"), (3, "black", "8-11"), (4, "white", "22-18")]
    with Journal(tmp_path / "state" / "journal.sqlite3", VirtualClock()) as journal:
        again, _ = unfinished_game(journal, DrawRules())
    assert again.moves == game.game.moves


def test_the_seed_draws_the_ballot_and_without_one_the_robot_plays_another_game_each_time(
    play, mocker: MockerFixture
) -> None:
    playing = mocker.patch("controller.play_at_terminal.play_at_terminal")

    def order(*seed: str) -> PlayOrder:
        assert play("play", "--simulate", "--ballot", "random", *seed)[0] == 0
        found: PlayOrder = playing.call_args.args[0]
        return found

    orders = [order("--seed", str(seed)) for seed in range(6)]
    assert len({one.game.position for one in orders}) > 1
    assert order("--seed", "5").game.position == orders[5].game.position
    assert [(one.seed, one.engine_seed) for one in orders] == [(seed, seed) for seed in range(6)]
    without = [order() for _ in range(4)]
    assert {one.seed for one in without} == {1}
    assert len({one.engine_seed for one in without}) > 1
    assert all(one.game.plies == 3 and one.opening for one in without)


def test_the_best_level_thinks_for_the_time_of_the_settings_and_agrees_to_a_draw(play, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[table]\nkind = "simulated"\n[game]\nlevel = "best"\n[engine]\nthinking_s = 0.2\n')
    arguments = ("--config", str(settings), "play", "--speed", "1000", "--fen", "B:WK32,31:BK1,12")
    status, out, err = play(*arguments, script="1-6\nwait 30\ndraw\n")
    assert (status, err) == (0, "")
    assert "Crownhead plays White at level best." in out
    assert "I agree: the game is a draw." in out.splitlines()
    assert '[White "Crownhead, level best"]' in out
    assert '[Result "1/2-1/2"]' in out


def test_settings_can_name_the_simulated_table_where_white_sits_at_the_near_side_and_gives_up(
    play, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[table]\nkind = "simulated"\n[game]\nhuman = "white"\n[files]\njournal = "games.sqlite3"\n')
    arguments = ("--config", str(settings), "play", "--speed", "1000", "--level", "2", "--fen", "W:W11:B1,2,7")
    status, out, _ = play(*arguments, script="wait 8\nresign\n")
    assert status == 0
    assert "You play White and sit at the near side; Crownhead plays Black at level 2." in out
    rows = [line.split() for line in out.splitlines() if re.match(r"^ *[bwBW ]\d", line)]
    assert rows[0] == ["b1", "b2", "3", "4"]
    assert rows[7] == ["29", "30", "31", "32"]
    assert "White has resigned." in out
    with sqlite3.connect(tmp_path / "games.sqlite3") as journal:
        assert journal.execute("SELECT result FROM games").fetchall() == [("0-1",)]


def test_a_camera_that_dies_for_good_ends_the_game_with_its_sentence_and_keeps_it(play, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[player]\nfault_patience_s = 3\n")
    script = "wait 8\ncamera off\nwait 60\n"
    status, out, err = play(*FAST, "--config", str(settings), script=script)
    assert status == 1
    assert "the camera is dead" in out
    assert "number 1; --resume goes on with it." in out.splitlines()[-1]
    assert re.fullmatch(r"crownhead: The camera gives no more frames: .*\n", err)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--style", "tartan"), "invalid choice: 'tartan'"),
        (("--physics", "quantum"), "invalid choice: 'quantum'"),
        (("--speed", "0"), "the speed must be more than 0"),
        (("--speed", "fast"), "the speed must be more than 0"),
        (("--seed", "-1"), "the seed must be a whole number"),
        (("--level", "11"), "the level must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, best, not '11'"),
        (("--ballot", "first"), "the ballot must be its number, or random, not 'first'"),
        (("--ballot", "1", "--fen", WON), "not allowed with argument --ballot"),
        (("--ballot", "1", "--resume"), "--ballot is for a new game: that of --resume has its own"),
        (("--style", "walnut"), "--style is for a simulated table: add --simulate"),
        (("--speed", "2"), "--speed is for a simulated table: add --simulate"),
        (("--table", "/tmp"), "--table is for --simulate"),
        (("--simulate", "--table", "/tmp", "--style", "walnut"), "--style is not for --table"),
        (("--simulate", "--table", "/tmp", "--faults", "heavy"), "--faults is not for --table"),
        (("--simulate", "--table", "/tmp", "--config", "a.toml"), "--config and --table do not go together"),
    ],
)
def test_wrong_usage_is_one_sentence(play, arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    settings = tmp_path / "a.toml"
    settings.touch()
    status, out, err = play("play", *(str(settings) if word == "a.toml" else word for word in arguments))
    assert (status, out) == (2, "")
    assert err.startswith("usage: crownhead play")
    assert sentence in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--simulate", "--ballot", "3"), "ballot 3 (9-13 21-17 10-14) is barred from play: choose another"),
        (("--simulate", "--ballot", "175"), "there is no ballot 175: the ballots are numbered from 1 to 174"),
        (("--simulate", "--fen", "X:W1:B2"), "does not say whose turn it is"),
        (("--simulate", "--fen", "W:W1,1:B2"), "puts two pieces on square 1"),
        (("--simulate", "--fen", "W:W:B2"), "there is nothing left to play in this position: Black wins"),
        (("--simulate", "--show-camera"), "there is no screen to show the camera's picture on"),
        (
            ("--simulate", "--table", "FOLDER"),
            "no table runs in FOLDER: start one with `crownhead table --dir FOLDER`",
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(play, arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "nowhere")
    status, out, err = play("play", *(word.replace("FOLDER", folder) for word in arguments))
    assert (status, out) == (1, "")
    assert sentence.replace("FOLDER", folder) in err
    assert len(err.splitlines()) == 1


def test_a_screen_that_cannot_be_opened_is_no_screen() -> None:
    with pytest.raises(NoDisplayError):
        open_screen({"DISPLAY": ":does-not-exist", "PATH": "/usr/bin:/bin"})


def test_the_real_table_is_that_of_the_settings(play, mocker: MockerFixture) -> None:
    opened = mocker.patch("controller.play_at_terminal.open_real_table", side_effect=CameraError("no camera"))
    status, _, err = play("play", "--human", "white", "--level", "3")
    assert (status, err) == (1, "crownhead: no camera\n")
    (settings, *_), _ = opened.call_args
    assert (settings.game.human, settings.game.level) == ("white", 3)
