"""`crownhead analyse`: what was given away in games of a file."""

from __future__ import annotations

import errno
import io
import json
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.draughts import PdnError, PdnGame, iterate_pdn_records, read_pdn
from controller.engine import WIN, Reply, make_engine
from hardware.clock import VirtualClock

GIFT = """[Event "friendly"]
[White "Ben"]
[Black "Ann"]
[Result "1/2-1/2"]
[FEN "B:W11,32:B15,20"]

1. 15-19 11-8 2. 19-24 {hm} 32-28 3. 24-27 28-24 4. 27-31 1/2-1/2
"""
"""What each move of it is worth is in the endgame tables: Black throws the game away, and White does not take it."""

QUIET = '[White "Eve"]\n[FEN "B:WK32:BK1"]\n1. 1-6 32-27 2. 6-1 *\n'
"""A draw from beginning to end."""


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
    assert first == "Game 1: Ann (Black) – Ben (White), 1/2-1/2, 4 moves"
    assert gift.startswith("  2. 19-24 loses in 22 moves: 8-")
    assert gift.endswith(" kept it level (0 → lost in 22, blunder).")
    assert refusal.startswith("  2. … 32-28 gives away the win: 24-27 follows; 8-")
    assert refusal.endswith(" won in 22 moves (won in 22 → 0, blunder).")
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
    assert "analysing: 100 % (10 of 10 moves)" in err
    assert (one["game"], two["game"]) == (1, 2)
    assert (one["tags"]["Black"], one["result"], two["result"]) == ("Ann", "1/2-1/2", "*")
    assert one["start"] == "B:W11,32:B15,20"
    assert [move["move"] for move in one["moves"]][:4] == ["15-19", "11-8", "19-24", "32-28"]
    gift = one["moves"][2]
    assert gift.keys() == {
        "ply", "colour", "move", "before", "after", "loss", "grade", "words", "best", "reply",
    }  # fmt: skip
    assert (gift["ply"], gift["colour"], gift["grade"]) == (3, "black", "blunder")
    assert (gift["before"], gift["after"], gift["loss"]) == (0, 44 - WIN, 500)
    assert gift["reply"][0].startswith("8-")
    assert one["moves"][4]["grade"] == "only"
    assert one["black"]["blunders"] == one["white"]["blunders"] == 1
    assert two["white"] == {
        "moves": 1, "choices": 1, "accuracy": two["white"]["accuracy"], "mean_loss": two["white"]["mean_loss"],
        "inaccuracies": 0, "mistakes": 0, "blunders": 0,
    }  # fmt: skip


def test_the_annotated_game_is_written(analyse, tmp_path: Path) -> None:
    out = tmp_path / "annotated.pdn"
    assert analyse(GIFT + "\n" + QUIET, "--pdn", str(out))[0] == 0
    gift, quiet = read_pdn(out.read_bytes())
    assert gift.remarks.glyphs == {3: (4,), 4: (4,)}
    assert gift.comments[3].startswith("hm loses in 22 moves")
    assert gift.remarks.variations.keys() == {3, 4}
    assert gift.result == "1/2-1/2"
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


BROKEN = '[Event "of a stranger"]\n1. 11-15 11-16 {what?} *\n'


@pytest.fixture
def annotate(analyse, tmp_path: Path):
    """Analyse the games of a text and write them into their own file; the exit status, stderr and the file's text."""
    path = tmp_path / "own.pdn"

    def run(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o640)
        status = main(["analyse", str(path), "--depth", "5", "--pdn", str(path), *arguments])
        assert list(tmp_path.iterdir()) == [path]
        assert path.stat().st_mode & 0o777 == 0o640
        return status, "", path.read_text(encoding="utf-8")

    return run


def test_the_file_itself_can_be_annotated(annotate) -> None:
    text = "% mine\n" + GIFT + "\n" + BROKEN + "\n" + QUIET + "\n; the end\n"
    status, _, written = annotate(text)
    assert status == 1
    gift, broken, quiet = iterate_pdn_records(written)
    assert isinstance(gift, PdnGame) and 3 in gift.remarks.variations
    assert isinstance(broken, PdnError) and BROKEN in written
    assert isinstance(quiet, PdnGame) and quiet.tags["Annotator"] == "Crownhead"
    assert written.endswith("; the end\n")


def test_games_that_are_not_asked_for_stay_as_they_are(annotate) -> None:
    text = QUIET + "\n" + BROKEN + "\n" + GIFT.replace("hm", "Grüße") + "\n" + QUIET.replace("Eve", "Zoë")
    status, _, written = annotate(text.encode("cp1252"), "--game", "3")
    assert status == 0
    assert written.startswith(QUIET + "\n" + BROKEN + "\n")
    assert written.endswith(QUIET.replace("Eve", "Zoë") + "\n")
    assert "{Grüße loses in 22 moves" in " ".join(written.split())
    assert annotate(text, "--game", "2")[0] == 1


class Interrupting:
    """An engine that Ctrl-C interrupts after so many searches."""

    def __init__(self, searches: int) -> None:
        self.left = searches
        self.engine = make_engine(VirtualClock())

    def choose(self, *arguments: object, **named: object) -> Reply:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.engine.choose(*arguments, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(("searches", "marked"), [(0, 0), (1, 0), (12, 1)])
def test_ctrl_c_loses_no_game(annotate, monkeypatch, capsys, searches: int, marked: int) -> None:
    monkeypatch.setattr("controller.engine.make_engine", lambda *_, **__: Interrupting(searches))
    text = QUIET + "\n" + BROKEN + "\n" + GIFT + "\n" + QUIET
    status, _, written = annotate(text)
    assert status == 130
    assert written.count('[Annotator "Crownhead"]') == marked
    assert [isinstance(record, PdnGame) for record in iterate_pdn_records(written)] == [True, False, True, True]
    assert written.endswith(BROKEN + "\n" + GIFT + "\n" + QUIET + "\n" * (marked > 0))
    assert (written == text) is (marked == 0)
    said = capsys.readouterr().err
    assert ("own.pdn has 1 game marked, the others are as they were\n" in said) is (marked > 0)
    assert said.endswith("crownhead: stopped\n")


def test_a_file_that_cannot_be_written_is_named(analyse, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if full.exists():
        status, _, err = analyse(QUIET, "--pdn", str(full))
        assert (status, err.splitlines()[-1]) == (1, "crownhead: cannot write /dev/full: No space left on device")
    status, out, err = analyse(QUIET, "--pdn", str(tmp_path))
    assert (status, out, err) == (1, "", f"crownhead: cannot write {tmp_path}: Is a directory\n")
    assert list(tmp_path.iterdir()) == []


def test_when_the_disk_is_full_what_was_there_stays(annotate, analyse, monkeypatch, tmp_path: Path, capsys) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    status, _, written = annotate(GIFT)
    assert (status, written) == (1, GIFT)
    assert f"crownhead: cannot write {tmp_path}/own.pdn: No space left on device\n" in capsys.readouterr().err


def test_a_link_stays_a_link(analyse, tmp_path: Path) -> None:
    link, target = tmp_path / "link.pdn", tmp_path / "target.pdn"
    link.symlink_to(target)
    assert analyse(QUIET, "--pdn", str(link))[0] == 0
    assert link.is_symlink()
    assert '[Annotator "Crownhead"]' in target.read_text()


def test_what_is_odd_in_a_game_is_said(analyse) -> None:
    status, out, err = analyse('[Result "1-0"]\n1. 11-15 23-19 ) 2. 8-11 Black was late 0-1\n')
    assert status == 0
    assert out.startswith("Game 1: ? (Black) – ? (White), 0-1, 2 moves")
    assert [line[:24] for line in err.splitlines() if "PDN" in line] == ["crownhead: PDN game 1, m"] * 2 + [
        "crownhead: PDN game 1: t"
    ]


def test_a_game_with_a_comment_that_is_not_closed_spoils_no_other(analyse) -> None:
    status, out, err = analyse("1. 11-15 {oops 23-19 *\n\n" + QUIET + "\n" + GIFT)
    assert status == 1
    assert [line[:7] for line in out.splitlines() if line.startswith("Game")] == ["Game 2:", "Game 3:"]
    assert err.startswith("crownhead: PDN game 1, move 1 (ply 1): the comment “{oops 23-19 *” is not closed")
