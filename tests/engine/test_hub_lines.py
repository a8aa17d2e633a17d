"""The Hub protocol's texts: lines, positions, moves, scores and levels."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import (
    AmbiguousMoveError,
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Position,
    read_fen,
    same_move,
)
from controller.engine.hub.errors import HubLineError
from controller.engine.hub.level import read_level, seconds_for_move
from controller.engine.hub.lines import LONGEST, read_line, write_line
from controller.engine.hub.notation import (
    read_move,
    read_position,
    read_score,
    write_move,
    write_position,
    write_score,
)
from controller.engine.interface import SURE_WIN, WIN, Limits

START = "B" + "b" * 12 + "e" * 8 + "w" * 12


@pytest.mark.parametrize(
    ("text", "command", "arguments"),
    [
        ("ping", "ping", {}),
        ("  go think \r", "go", {"think": ""}),
        ('pos pos=Bbw moves="11-15 24-20"', "pos", {"pos": "Bbw", "moves": "11-15 24-20"}),
        ("level time = 1.5 inc=0 moves= 3", "level", {"time": "1.5", "inc": "0", "moves": "3"}),
        ('set-param name=book value=""', "set-param", {"name": "book", "value": ""}),
        ("set-param name=book value=", "set-param", {"name": "book", "value": ""}),
        ('id name="Böse = Bube"', "id", {"name": "Böse = Bube"}),
    ],
)
def test_lines_are_taken_apart(text, command, arguments) -> None:
    line = read_line(text)
    assert (line.command, dict(line.arguments)) == (command, arguments)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no command"),
        (" \t", "there is no command"),
        ("=go", "there is no command"),
        ('"go"', "there is no command"),
        ("go=think", "must be followed by a blank"),
        ('pos moves="11-15', 'from “moves="11-15” on'),
        ('pos moves="11-15"x', "cannot read the arguments"),
        ("go =", "cannot read the arguments"),
        ("go " + "x" * LONGEST, "longer than"),
    ],
)
def test_what_is_no_line_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(HubLineError, match=re.escape(reason)):
        read_line(text)


VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters='"'))


@given(st.dictionaries(st.from_regex(r"[a-z][a-z-]*", fullmatch=True), VALUES))
def test_what_is_written_is_read_again(arguments: dict[str, str]) -> None:
    assert dict(read_line(write_line("info", arguments)).arguments) == arguments


def test_a_value_cannot_break_out_of_its_line() -> None:
    line = write_line("error", {"message": 'a "b"\r\nquit'})
    assert "\n" not in line
    assert read_line(line).arguments == {"message": "a 'b' quit"}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_line(text)
    except HubLineError as error:
        assert str(error)


def test_the_start_is_written_as_33_letters() -> None:
    assert write_position(Position.start()) == START
    assert read_position(START) == Position.start()


@pytest.mark.parametrize("fen", ["B:W18,K22:B1,K9", "W:WK32:BK1", "W:W5:B"])
def test_positions_are_read_as_written(fen: str) -> None:
    position = read_fen(fen)
    assert read_position(write_position(position)) == position


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has 0 letters"),
        (START[:-1], "has 32 letters"),
        ("W" + "b" * 20 + "e" * 10 + "w" * 20, "has 51 letters"),
        ("x" + START[1:], "side to move, B or W"),
        (START[:-1] + ".", "'.' on square 32"),
        ("Bb" + "b" * 12 + "e" * 8 + "w" * 11, "Black has 13 pieces"),
        ("Bw" + "e" * 31, "white man on 1 stands on its crowning row"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(HubLineError, match=reason):
        read_position(text)


def test_a_capture_names_start_end_and_what_is_jumped() -> None:
    position = read_fen("B:W15,23:B11")
    (move,) = position.legal_moves()
    assert move.path == (11, 18, 27)
    assert write_move(move) == "11x27x15x23"


@pytest.mark.parametrize("text", ["11x27x15x23", "11x27x23x15", "11x27", "11-27", "11x18x27", "11x18 18x27", "11X27"])
def test_a_capture_is_read_in_every_form(text: str) -> None:
    position = read_fen("B:W15,23:B11")
    assert read_move(position, text) == position.legal_moves()[0]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("11x27x15", IllegalMoveError),
        ("11x27x15x22", IllegalMoveError),
        ("11x18x15", IllegalMoveError),
        ("11-16", IllegalMoveError),
        ("11x33x15", InvalidMoveError),
        ("hello", InvalidMoveError),
    ],
)
def test_other_captures_are_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_move(read_fen("B:W15,23:B11"), text)


TWO_WAYS = read_fen("B:W6,7,14,15:B2")
"""Two captures with the same start and end, of different pieces."""


def test_hubs_form_is_never_ambiguous() -> None:
    with pytest.raises(AmbiguousMoveError):
        read_move(TWO_WAYS, "2x18")
    assert read_move(TWO_WAYS, "2x18x6x14").path == (2, 9, 18)
    assert read_move(TWO_WAYS, "2x18x15x7").path == (2, 11, 18)


@given(st.lists(st.integers(0, 1000), max_size=120))
def test_every_legal_move_is_read_as_written(choices: list[int]) -> None:
    game = Game()
    for choice in choices:
        if game.outcome() is not None:
            break
        legal = game.position.legal_moves()
        for move in legal:
            assert same_move(read_move(game.position, write_move(move)), move)
            assert same_move(read_move(game.position, str(move)), move)
        game.play(legal[choice % len(legal)])


@pytest.mark.parametrize(
    ("score", "text"),
    [(0, "0.00"), (-1, "-0.01"), (134, "1.34"), (WIN - 7, "99.93"), (7 - WIN, "-99.93"), (SURE_WIN, "90.00")],
)
def test_scores_are_in_men_and_forced_results_count_down_from_100(score: int, text: str) -> None:
    assert write_score(score) == text
    assert read_score(text) == score


def test_a_sure_score_of_unknown_distance_is_below_every_forced_win() -> None:
    assert write_score(20_000) == "89.99"
    assert write_score(-20_000) == "-89.99"


@pytest.mark.parametrize(("text", "score"), [("nan", 0), ("inf", 0), ("?", 0), ("1e300", WIN), ("-0.004", 0)])
def test_strange_scores_do_no_harm(text: str, score: int) -> None:
    assert read_score(text) == score


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("level depth=9", Limits(depth=9)),
        ("level nodes=5000", Limits(nodes=5000)),
        ("level move-time=0.25", Limits(seconds=0.245)),
        ("level move-time=2 depth=7", Limits(seconds=1.995, depth=7)),
        ("level move-time=0.02", Limits(seconds=0.019)),
        ("level move-time=0.001", Limits(seconds=0.01)),
        ("level infinite", Limits()),
        ("level infinite ponder", Limits()),
        ("level time=60", Limits(seconds=2)),
        ("level time=60 moves=20", Limits(seconds=3)),
        ("level time=60 moves=0 inc=1", Limits(seconds=3)),
        ("level time=0", Limits(seconds=0.01)),
        ("level time=-3 inc=5", Limits(seconds=1.6)),
        ("level depth=99999999999999999999", Limits(depth=1000)),
    ],
)
def test_levels_are_limits(line: str, limits: Limits) -> None:
    assert read_level(read_line(line).arguments) == limits


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("level", "needs one of"),
        ("level moves=3", "needs one of"),
        ("level depth=0", "depth must be a whole number from 1 on"),
        ("level depth=1.5", "depth must be"),
        ("level nodes=-1", "nodes must be"),
        ("level nodes=", "nodes must be"),
        ("level move-time=soon", "move-time must be a number of seconds, not 'soon'"),
        ("level time=nan", "time must be"),
        ("level time=1 inc=inf", "inc must be"),
        ("level time=1 moves=x", "moves must be"),
        ("level move-time=0", "move-time must be more than 0, not '0'"),
        ("level move-time=-5", "move-time must be more than 0, not '-5'"),
        ("level time=-3", "time must be 0 or more, the increment added, not '-3'"),
        ("level time=-3 inc=2.5", "time must be 0 or more"),
        ("level time=9 inc=-5", "inc must be 0 or more, not '-5'"),
        ("level time=9 moves=-1", "moves must be"),
        ("level infinite depth=3", "infinite and limited by depth"),
        ("level infinite time=3 inc=1", "infinite and limited by time"),
        ("level depth=3 moves=4", "moves says something of time=…, which is missing"),
        ("level move-time=3 inc=4", "inc says something of time=…, which is missing"),
    ],
)
def test_what_is_no_level_is_refused(line: str, reason: str) -> None:
    with pytest.raises(HubLineError, match=reason):
        read_level(read_line(line).arguments)


@given(
    st.floats(0.2, 1e5), st.floats(0, 100), st.one_of(st.none(), st.integers(1, 100)),
)  # fmt: skip
def test_a_move_never_takes_all_the_time_left(time: float, increment: float, moves: int | None) -> None:
    assert 0 < seconds_for_move(time, increment, moves) <= time + increment - 0.04


def test_a_game_is_never_lost_on_time() -> None:
    left, increment = 60.0, 0.5
    for _ in range(500):
        left += increment
        left -= seconds_for_move(left - increment, increment) + 0.001
        assert left > 0
