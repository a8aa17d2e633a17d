"""The words that can be typed at the simulated table."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import Colour
from controller.seat.typed import (
    PUSH_MM,
    WORDS,
    ChangeLight,
    CrownPiece,
    ForgetNext,
    HandIn,
    HandOut,
    Happen,
    Help,
    OfferDraw,
    PressStop,
    PressTurn,
    PushPiece,
    PutBack,
    PutDisc,
    Quit,
    Resign,
    ShowBoard,
    ShowTruth,
    TakeDisc,
    TypedError,
    TypedMove,
    Wait,
    parse_typed,
)
from hardware.simulated.names import LIGHTS
from hardware.simulated.requests import Fault


@pytest.mark.parametrize(
    ("line", "path", "as_jump"),
    [
        ("11-15", (11, 15), False),
        ("11 15", (11, 15), False),
        ("  11 -  15 ", (11, 15), False),
        ("11–15", (11, 15), False),
        ("11x18x25", (11, 18, 25), True),
        ("11 X 18 × 25", (11, 18, 25), True),
        ("11:18", (11, 18), True),
        ("32-1", (32, 1), False),
        ("7-7", (7, 7), False),
        ("11-15 # a comment", (11, 15), False),
    ],
)  # fmt: skip
def test_moves(line, path, as_jump):
    assert parse_typed(line) == TypedMove(path, as_jump)


def test_moves_with_a_word_before_them():
    assert parse_typed("forget 11x18") == TypedMove((11, 18), as_jump=True, forget=True)
    assert parse_typed("now 11 15") == TypedMove((11, 15), at_once=True)
    assert parse_typed("now forget 11x18") == TypedMove((11, 18), as_jump=True, forget=True, at_once=True)
    assert parse_typed("forget now 11x18") == parse_typed("now forget 11x18")


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("forget", ForgetNext()),
        ("Crown 29", CrownPiece(29)),
        ("take 14", TakeDisc(14)),
        ("put 14", PutDisc(14)),
        ("put 14 light", PutDisc(14, Colour.WHITE)),
        ("put 14 black", PutDisc(14, Colour.BLACK)),
        ("PUT   BACK", PutBack()),
        ("push 14", PushPiece(14, PUSH_MM)),
        ("push 14 -3 7.5", PushPiece(14, (-3.0, 7.5))),
        ("press", PressTurn()),
        ("stop", PressStop()),
        ("hand in", HandIn()),
        ("hand in 14", HandIn(14)),
        ("hand out", HandOut()),
        ("lamp on", ChangeLight("lamp")),
        ("lamp off", ChangeLight("lamp-off")),
        (f"light {LIGHTS[-1]}", ChangeLight(LIGHTS[-1])),
        ("bump", Happen(Fault.BUMP)),
        ("reset", Happen(Fault.RESET_FIRMWARE)),
        ("wait 5", Wait(5.0)),
        ("wait 0.5", Wait(0.5)),
        ("board", ShowBoard()),
        ("truth", ShowTruth()),
        ("help", Help()),
        ("draw", OfferDraw()),
        ("offer draw", OfferDraw()),
        ("resign", Resign()),
        ("quit", Quit()),
        ("", None),
        ("   # only a comment", None),
    ],
)
def test_words(line, typed):
    assert parse_typed(line) == typed


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_typed_by_its_name(fault):
    assert parse_typed(fault.value) == Happen(fault)


def test_every_word_of_the_help_is_understood():
    for words, meaning in WORDS:
        line = re.sub(r"\[.*?\]", "", words.replace("light NAME", meaning and f"light {LIGHTS[-1]}"))
        for word in line.replace("wait S", "wait 1").split(", "):
            assert parse_typed(word) is not None


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("11-33", "there is no square 33: the squares are numbered from 1 to 32"),
        ("0-4", "there is no square 0: the squares are numbered from 1 to 32"),
        ("crown 99999999999999999999", "there is no square 9999999999: the squares are numbered from 1 to 32"),
        ("take", "which square (1 to 32)?"),
        ("take fourteen", "a square is a number from 1 to 32, not 'fourteen'"),
        ("take 14 15", "I do not understand 'take 14 15': type it like 'take 14'"),
        ("push 14 8", "I do not understand 'push 14 8': type it like 'push 14 8 4'"),
        ("push 14 far away", "push by how many millimetres, as in 'push 14 8 4'?"),
        ("push 14 1000 0", "1000 will not do: a number from -60 to 60"),
        ("put 14 green", "I do not understand 'put 14 green': type it like 'put 14 dark'"),
        ("forget everything", "after 'forget' comes a move, as in 'forget 11x18'"),
        ("now", "after 'now' comes a move, as in 'now 11x18'"),
        ("wait", "wait how many seconds, as in 'wait 5'?"),
        ("wait nan", "nan will not do: a number from 0 to 3600"),
        ("wait -1", "-1 will not do: a number from 0 to 3600"),
        ("unplugg", "I do not know 'unplugg': did you mean 'unplug'?"),
        ("camera of", "I do not know 'camera of': did you mean 'camera off'?"),
        ("hand of", "I do not know 'hand of': did you mean 'hand out'?"),
        ("hello robot", "I do not know 'hello robot': did you mean 'help'?"),
        ("xyzzy", "I do not know 'xyzzy': 'help' says what can be typed"),
        ("11-", "I do not know '11-': 'help' says what can be typed"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(line, sentence):
    with pytest.raises(TypedError) as error:
        parse_typed(line)
    assert str(error.value) == sentence


def test_the_lamp_is_among_the_lights():
    assert {"lamp", "lamp-off"} <= set(LIGHTS)


def test_a_light_that_there_is_not_is_answered_with_those_that_there_are():
    for line in ("light blinding", "lamp", "lamp maybe", "light"):
        with pytest.raises(TypedError, match=LIGHTS[0]):
            parse_typed(line)


@given(st.text(max_size=30) | st.text("0123456789-x pushtakewnor", max_size=20))
def test_no_text_is_too_strange(line):
    try:
        parse_typed(line)
    except TypedError as error:
        assert "\n" not in str(error)


@given(st.lists(st.integers(1, 32), min_size=2, max_size=6), st.sampled_from("x-"))
def test_a_move_prints_as_it_is_typed(squares, mark):
    text = mark.join(map(str, squares))
    typed = parse_typed(text)
    assert str(typed) == text
