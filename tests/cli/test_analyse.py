"""`crownhead analyse`: what was given away in games of a file."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.draughts import read_pdn

GIFT = """[Event "friendly"]
[White "Ben"]
[Black "Ann"]
[Result "0-1"]

1. 11-15 24-20 2. 12-16 20x11 3. 7x16 28-24 4. 9-14 {hm} 32-28 0-1
"""
QUIET = '[White "Eve"]\n1. 11-15 23-19 2. 8-11 *\n'


@pytest.fixture
def analyse(monkeypatch, tmp_path_factory, capsys):
    """Run the command on a file's text; its exit status, stdout and stderr. Endgame tables are built once at most."""
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path_factory.getbasetemp() / "tables"))
    folder = tmp_path_factory.mktemp("games")

    def run(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        path = folder / "games.pdn"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        status = main(["analyse", str(path), "--depth", "8", *arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err.replace(str(path), "games.pdn")

    run(QUIET)  # What is said while tables are built is no part of the tests.
    return run


def test_blunders_in_words_and_numbers(analyse) -> None:
    status, out, _ = analyse(GIFT)
    assert status == 0
    first, gift, refusal, black, white, *_ = out.splitlines()
    assert first == "Game 1: Ann (Black) – Ben (White), 0-1, 4 moves"
    assert gift.startswith("  4. 9-14 loses a man")
    assert "; 16-" in gift and gift.endswith(", blunder).")
    assert refusal.startswith("  4. … 32-28 misses the win of a man; 24-20 ")
    assert black.startswith("  Black: accuracy ") and "1 blunder, 0 mistakes, 0 inaccuracies; " in black
    assert white.startswith("  White: accuracy ") and white.endswith(" hundredths of a man given away a move.")


def test_a_game_without_faults(analyse) -> None:
    _, out, _ = analyse(QUIET)
    assert out.splitlines()[:2] == [
        "Game 1: ? (Black) – Eve (White), *, 2 moves",
        "  Nobody gave anything away that matters.",
    ]


def test_json_is_a_line_a_game_and_nothing_else(analyse) -> None:
    status, out, err = analyse(GIFT + "\n" + QUIET, "--json")
    one, two = (json.loads(line) for line in out.splitlines())
    assert status == 0
    assert "analysing: 100 % (11 of 11 moves)" in err
    assert (one["game"], two["game"]) == (1, 2)
    assert (one["tags"]["Black"], one["result"], two["result"]) == ("Ann", "0-1", "*")
    assert one["start"].startswith("B:W21,")
    assert [move["move"] for move in one["moves"]][-2:] == ["9-14", "32-28"]
    gift = one["moves"][6]
    assert gift.keys() == {
        "ply", "colour", "move", "before", "after", "loss", "grade", "words", "best", "reply",
    }  # fmt: skip
    assert (gift["ply"], gift["colour"], gift["grade"]) == (7, "black", "blunder")
    assert gift["loss"] == gift["before"] - gift["after"] > 50
    assert gift["reply"][0] == "24-20"
    assert one["moves"][3]["grade"] == "only"
    assert one["black"]["blunders"] == one["white"]["blunders"] == 1
    assert two["white"] == {
        "moves": 1, "choices": 1, "accuracy": two["white"]["accuracy"], "mean_loss": two["white"]["mean_loss"],
        "inaccuracies": 0, "mistakes": 0, "blunders": 0,
    }  # fmt: skip


def test_the_annotated_game_is_written(analyse, tmp_path: Path) -> None:
    out = tmp_path / "annotated.pdn"
    assert analyse(GIFT + "\n" + QUIET, "--pdn", str(out))[0] == 0
    gift, quiet = read_pdn(out.read_bytes())
    assert gift.remarks.glyphs == {7: (4,), 8: (4,)}
    assert gift.comments[7].startswith("hm loses a man")
    assert gift.remarks.variations.keys() == {7, 8}
    assert gift.result == "0-1"
    assert quiet.remarks.glyphs == {}
    assert quiet.game.plies == 3


def test_one_game_of_several(analyse) -> None:
    _, out, _ = analyse(GIFT + "\n" + QUIET, "--game", "2")
    assert out.startswith("Game 2: ? (Black) – Eve (White)")
    assert "Game 1" not in out


def test_games_that_cannot_be_followed_are_named_and_the_others_analysed(analyse) -> None:
    status, out, err = analyse(QUIET + "1. 11-15 11-16 *\n" + QUIET)
    assert status == 1
    assert [line[:7] for line in out.splitlines() if line.startswith("Game")] == ["Game 1:", "Game 3:"]
    assert err.startswith("crownhead: PDN game 2, move 1 (ply 2): 11-16 is not legal: there is no piece on 11.\n")
    assert analyse(QUIET + "1. 11-15 11-16 *\n" + QUIET, "--game", "3")[0] == 0
    assert analyse(QUIET + "1. 11-15 11-16 *\n" + QUIET, "--game", "2")[:2] == (1, "")


def test_variations_that_cannot_be_followed_are_named(analyse) -> None:
    status, _, err = analyse("1. 11-15 23-19 (9-9) *")
    assert status == 0
    assert "in a variation, 9-9 is not legal" in err


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("", (), "games.pdn holds no game in PDN"),
        ("{only a remark}", (), "games.pdn holds no game in PDN"),
        (QUIET, ("--game", "2"), "games.pdn holds 1 game, so there is no game 2"),
        (QUIET, ("--pdn", "/no/such/folder/out.pdn"), "cannot write /no/such/folder/out.pdn"),
    ],
)
def test_what_cannot_be_done_is_said(analyse, text: str, arguments: tuple[str, ...], sentence: str) -> None:
    status, out, err = analyse(text, *arguments)
    assert (status, out) == (1, "")
    assert err.startswith(f"crownhead: {sentence}")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there(analyse, capsys) -> None:
    assert main(["analyse", "/no/such/game.pdn"]) == 1
    assert capsys.readouterr().err == "crownhead: cannot read /no/such/game.pdn: No such file or directory\n"


@pytest.mark.parametrize("option", [("--depth", "0"), ("--seconds", "x"), ("--game", "0"), ("--nodes", "-1")])
def test_wrong_usage(option: tuple[str, str], capsys) -> None:
    assert main(["analyse", "game.pdn", *option]) == 2
    assert "must be" in capsys.readouterr().err


def test_the_standard_input_is_read(analyse, monkeypatch, capsys) -> None:
    class Input:
        buffer = io.BytesIO(GIFT.encode("latin-1"))

    monkeypatch.setattr(sys, "stdin", Input())
    assert main(["analyse", "-", "--depth", "6"]) == 0
    assert capsys.readouterr().out.startswith("Game 1: Ann (Black)")


def test_whatever_is_in_the_file_there_is_no_traceback(analyse) -> None:
    for data in (b"\xff\xfe\x00", b"\x00" * 50, b"MZ\x90" + bytes(range(256)), b'[FEN "W:W3:B1"]', b"(((", b"1. "):
        status, out, err = analyse(data)
        assert (status, out) == (1, "") or data in (b"(((", b"1. ")
        assert "Traceback" not in err and "fault of the program" not in err
