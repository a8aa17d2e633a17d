"""The referee: every verdict with its sentence, from readings as vision gives them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import Colour, Game, Piece, Position, parse_move, read_fen
from controller.handling.layout import content_of, contents_of
from controller.referee import judge, priors_of
from controller.verdict import VerdictKind
from vision.reading import Content, Reading

START = Position.start()


def reading_of(contents: np.ndarray, sure: float = 0.999, hidden: tuple[int, ...] = ()) -> Reading:
    """A reading that is `sure` of these contents."""
    probabilities = np.full((len(contents), 5), (1 - sure) / 4)
    probabilities[np.arange(len(contents)), contents] = sure
    nothing = np.full((len(contents), 2), np.nan)
    hides = np.isin(np.arange(1, len(contents) + 1), hidden)
    return Reading(probabilities, nothing, nothing, hides)


def board(position: Position, changes: dict[int, Content]) -> np.ndarray:
    contents = contents_of(position)
    for square, content in changes.items():
        contents[square - 1] = content
    return contents


def test_the_start_position_is_unchanged() -> None:
    assert judge(START, reading_of(contents_of(START))).kind is VerdictKind.UNCHANGED


@pytest.mark.parametrize("text", ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"])
def test_every_first_move_is_recognised(text: str) -> None:
    move = parse_move(START, text)
    verdict = judge(START, reading_of(contents_of(START.after(move))))
    assert (verdict.kind, str(verdict.move)) == (VerdictKind.MOVE, text)
    assert verdict.confidence > 0.99


def test_every_move_of_random_games_is_told_from_all_others() -> None:
    for seed in range(12):
        chance = random.Random(seed)
        game = Game()
        while game.outcome() is None and game.plies < 120:
            move = chance.choice(game.position.legal_moves())
            verdict = judge(game.position, reading_of(contents_of(game.position.after(move)), sure=0.995))
            assert (verdict.kind, verdict.move) == (VerdictKind.MOVE, move)
            assert not verdict.crown_missing
            game.play(move)


def test_a_man_on_the_far_row_without_its_crown_is_a_move() -> None:
    position = read_fen("B:W20,5:B27")
    verdict = judge(position, reading_of(board(position, {27: Content.EMPTY, 32: Content.DARK_MAN})))
    assert (verdict.kind, verdict.crown_missing) == (VerdictKind.MOVE, True)
    assert "crown" in verdict.sentence


@pytest.mark.parametrize(("king", "missing"), [(0.03, True), (0.97, False)])
def test_a_crown_may_be_less_sure_than_its_move(king: float, missing: bool) -> None:
    position = read_fen("B:W20,5:B27")
    reading = reading_of(board(position, {27: Content.EMPTY, 32: Content.DARK_MAN}), sure=0.9999)
    reading.probabilities[31] = [0, 1 - king, king, 0, 0]
    verdict = judge(position, reading)
    assert (verdict.kind, verdict.crown_missing) == (VerdictKind.MOVE, missing)
    assert verdict.confidence > 0.99


def test_a_crown_that_cannot_be_told_is_unclear() -> None:
    position = read_fen("B:W20,5:B27")
    reading = reading_of(board(position, {27: Content.EMPTY, 32: Content.DARK_MAN}), sure=0.9999)
    reading.probabilities[31] = [0, 0.5, 0.5, 0, 0]
    verdict = judge(position, reading)
    assert (verdict.kind, verdict.squares) == (VerdictKind.UNCLEAR, (32,))


def test_a_captured_disc_left_standing_is_unfinished_and_named() -> None:
    position = read_fen("B:W18,30:B15")
    verdict = judge(position, reading_of(board(position, {15: Content.EMPTY, 22: Content.DARK_MAN})))
    assert (verdict.kind, verdict.squares) == (VerdictKind.UNFINISHED, (18,))
    assert verdict.sentence == "please take the captured disc on 18 off the board"


def test_a_jump_broken_off_is_unfinished_and_says_how_it_goes_on() -> None:
    position = read_fen("B:W18,26,5:B15")
    assert [str(move) for move in position.legal_moves()] == ["15x22x31"]
    verdict = judge(
        position, reading_of(board(position, {15: Content.EMPTY, 18: Content.EMPTY, 22: Content.DARK_MAN}))
    )
    assert verdict.kind is VerdictKind.UNFINISHED
    assert "15x22x31" in verdict.sentence


@pytest.mark.parametrize(
    ("fen", "changes", "words"),
    [
        ("B:W30:B15", {15: Content.EMPTY, 10: Content.DARK_MAN}, "15 to 10 is not allowed"),
        ("B:W18,30:B15,1", {1: Content.EMPTY, 6: Content.DARK_MAN}, "15x22"),
        ("B:W30:B15,1", {30: Content.EMPTY}, "my disc on 30 is gone without a jump: please put 30 back as it was"),
        ("B:W30:B15,1", {30: Content.EMPTY, 26: Content.LIGHT_MAN}, "put 26 and 30 back"),
        ("B:W30:B15,1", {15: Content.EMPTY}, "your disc on 15 is missing"),
        ("B:W30:B15,1", {20: Content.DARK_MAN}, "too many of yours on 20"),
        (
            "B:W30:B15,1",
            {1: Content.EMPTY, 5: Content.DARK_MAN, 15: Content.EMPTY, 19: Content.DARK_MAN},
            "more than one",
        ),
        ("B:W30:B15,1", {1: Content.DARK_KING}, "number of discs on 1"),
        (
            "B:W18,17,30:B15",
            {15: Content.EMPTY, 22: Content.DARK_MAN, 17: Content.EMPTY},
            "15 to 22 takes 18, but 17 is gone",
        ),
    ],
)
def test_what_no_move_explains_is_illegal_with_the_reason(fen: str, changes: dict[int, Content], words: str) -> None:
    position = read_fen(fen)
    verdict = judge(position, reading_of(board(position, changes)))
    assert verdict.kind is VerdictKind.ILLEGAL
    assert words in verdict.sentence
    assert set(verdict.squares) == set(changes)


def test_doubt_on_the_square_that_tells_is_unclear_and_names_it() -> None:
    contents = contents_of(START.after(parse_move(START, "11-15")))
    reading = reading_of(contents)
    reading.probabilities[14] = [0.5, 0.5, 0, 0, 0]
    reading.probabilities[15] = [0.5, 0.5, 0, 0, 0]
    verdict = judge(START, reading)
    assert (verdict.kind, verdict.squares) == (VerdictKind.UNCLEAR, (15, 16))
    assert "15 and 16" in verdict.sentence


@pytest.mark.parametrize(("man", "king"), [(0.8, 0.2), (0.3, 0.7)])
def test_whether_it_is_a_king_does_not_matter_to_what_is_illegal_anyway(man: float, king: float) -> None:
    reading = reading_of(board(START, {9: Content.EMPTY, 18: Content.DARK_MAN}))
    reading.probabilities[17] = [0, man, king, 0, 0]
    reading.probabilities[0] = [0, man, king, 0, 0]  # One that has not moved, too.
    verdict = judge(START, reading)
    assert verdict.kind is VerdictKind.ILLEGAL
    assert verdict.squares == (9, 18)


@pytest.mark.parametrize("king", [0.2, 0.5, 0.8, 0.98])
def test_a_man_that_may_be_a_king_is_nothing_illegal_by_itself(king: float) -> None:
    reading = reading_of(contents_of(START))
    reading.probabilities[20] = [0, 0, 0, 1 - king, king]
    assert judge(START, reading).kind in (VerdictKind.UNCHANGED, VerdictKind.UNCLEAR)


def test_a_hidden_square_that_tells_is_never_taken_for_empty() -> None:
    contents = contents_of(START)
    contents[10] = Content.EMPTY  # 11 has left, for 15 or for 16: both hidden.
    verdict = judge(START, reading_of(contents, hidden=(15, 16)))
    assert verdict.kind is VerdictKind.UNCLEAR


def test_hidden_squares_that_do_not_matter_do_no_harm() -> None:
    contents = contents_of(START.after(parse_move(START, "11-15")))
    verdict = judge(START, reading_of(contents, hidden=(29, 30)))
    assert (verdict.kind, str(verdict.move)) == (VerdictKind.MOVE, "11-15")


def test_priors_let_every_legal_outcome_weigh_more_than_the_rest() -> None:
    priors = priors_of(START)
    assert priors.shape == (32, 5)
    assert np.allclose(priors.sum(axis=1), 1)
    assert priors[14, Content.DARK_MAN] > 5 * priors[14, Content.LIGHT_MAN]
    assert priors[14, Content.LIGHT_MAN] > 0


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_reading_that_fits_no_move_is_ever_taken_for_one(data: st.DataObject) -> None:
    """Any sure reading is a move only if it shows exactly what that move leaves."""
    chance = random.Random(data.draw(st.integers(0, 10_000)))
    game = Game()
    for _ in range(chance.randrange(60)):
        if game.outcome() is not None:
            break
        game.play(chance.choice(game.position.legal_moves()))
    if game.outcome() is not None:
        return
    position = game.position
    changes = data.draw(st.dictionaries(st.integers(1, 32), st.sampled_from(list(Content)), max_size=4))
    contents = board(position, changes)
    verdict = judge(position, reading_of(contents))
    outcomes = {tuple(contents_of(position.after(move))): move for move in position.legal_moves()}
    if verdict.kind is VerdictKind.MOVE:
        assert verdict.move is not None
        left = contents_of(position.after(verdict.move))
        if verdict.crown_missing:
            left[verdict.move.end - 1] = content_of(Piece(position.turn, False))
        assert tuple(left) == tuple(contents)
    else:
        assert tuple(contents) not in outcomes
    assert verdict.sentence
    assert "\n" not in verdict.sentence
    assert position.turn in Colour
