"""Game records with something odd in them: what can be read is read, and said to be odd."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import (
    Game,
    PdnError,
    PdnGame,
    Remarks,
    iterate_pdn_parts,
    iterate_pdn_records,
    parse_move,
    read_pdn,
    write_pdn,
    write_record,
)
from controller.draughts.pdn_tokens import decoded

NEXT = '[Event "next"]\n[Result "1-0"]\n\n1. 9-14 {fine} (9-13) 22-18 1-0\n'


def only(text: str) -> PdnGame:
    (record,) = read_pdn(text)
    return record


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. 11-15 {a remark 23-19 2. 8-11 1-0",
         "PDN game 1, move 1 (ply 1): the comment “{a remark 23-19 2. 8-11 1-0” is not closed: put a }"),
        ("1. 11-15 23-19 (22-18 {x} 2. 15x22 1-0",
         "PDN game 1, move 1 (ply 2): the ( that stands here is not closed: put a ) where it ends."),
        ("1. 11-15 (11-16 23-19 (22-18) 1-0",
         "PDN game 1, move 1 (ply 1): the ( that stands here is not closed: put a ) where it ends."),
        ("1. 11-15 (a {word 23-19 1-0", "PDN game 1, move 1 (ply 1): the comment “{word 23-19 1-0” is not closed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("between", ["\n", "\n\n\n", "\r\n\r\n", "\n  "])
def test_what_is_not_closed_spoils_its_own_game_alone(text: str, sentence: str, between: str) -> None:
    error, *others = iterate_pdn_records(text + between + NEXT + "\n" + NEXT)
    assert isinstance(error, PdnError)
    assert str(error).startswith(sentence)
    assert [record.game.notations() for record in others if isinstance(record, PdnGame)] == [("9-14", "22-18")] * 2


def test_a_comment_that_is_not_closed_at_the_end_of_the_file() -> None:
    for text in ("1. 9-14 {oops", "{oops 1. 9-14 22-18 1-0", "1. 9-14 * {oops 1. 9-13 *"):
        *_, last = iterate_pdn_records(text)
        assert isinstance(last, PdnError)
        assert "the comment “{oops" in str(last)


def test_a_comment_before_a_game_that_is_not_closed_is_doubted() -> None:
    first, second = read_pdn("1. 9-14 * {of the next\n" + NEXT)
    assert (first.doubts, second.game.plies) == ((), 2)
    assert second.comments == {0: "of the next", 1: "fine"}
    assert "game 2: the comment “{of the next” is not closed" in second.doubts[0]


def test_a_comment_may_hold_lines_in_brackets() -> None:
    record = only("1. 9-14 {see\n[this]\n[%clk 0:10]\n[Anderson 1852] too} 22-18 *")
    assert record.comments == {1: "see [this] [%clk 0:10] [Anderson 1852] too"}


@given(st.integers(50, 90))
def test_a_comment_of_ours_is_never_taken_for_tags(width: int) -> None:
    game = Game()
    game.play(parse_move(game.position, "11-15"))
    remarks = Remarks({1: f'{"x" * width} [Event "a"] [Site "b"] {"y" * 30} [Date "c"]'})
    assert only(write_pdn(game, remarks=remarks)).remarks == remarks


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("Black resigns", "1-0"), ("White resigns.", "0-1"), ("red has resigned", "1-0"), ("WHITE LOSES", "0-1"),
        ("White wins", "1-0"), ("Black won on time", "0-1"), ("draw agreed", "1/2-1/2"), ("Drawn.", "1/2-1/2"),
        ("agreed draw", "1/2-1/2"), ("Game drawn by agreement", "1/2-1/2"), ("Resigns", "0-1"),
        ("Black gives up", "1-0"),
    ],
)  # fmt: skip
def test_results_in_words(words: str, result: str) -> None:
    """White is to move, so it is White that resigns where it is not said."""
    for text in (
        f"1. 11-15 {words}",
        f"1. 11-15 {words} {result}",
        f"1. 11-15 {words} *",
        f"1. 11-15 {result} {words}",
    ):
        record = only(text)
        assert (record.game.notations(), record.result, record.doubts) == (("11-15",), result, ())
        assert record.comments[1].lower().startswith(words.lower().rstrip("."))
        assert only(write_record(record)).result == result
    first, second = read_pdn(f"1. 11-15 23-19 2. 8-11 {words}\n{NEXT}")
    assert (first.result, second.result) == (only(f"1. 11-15 23-19 2. 8-11 {words}").result, "1-0")


def test_words_behind_the_moves_that_are_not_understood_are_a_comment_and_doubted() -> None:
    record = only("1. 11-15 23-19 White had to catch a train at 5. 0-1")
    assert (record.game.plies, record.result) == (2, "0-1")
    assert record.comments == {2: "White had to catch a train at 5."}
    assert record.doubts == (
        "PDN game 1, move 1 (ply 2): “White had to catch a train at 5.” behind the moves is not understood and kept "
        "as a comment.",
    )


def test_what_follows_the_words_behind_a_result_is_of_the_next_game() -> None:
    first, second = read_pdn("1. 11-15 1-0 Black resigned on move 40. {of the next} 1-0 1. 9-14 22-18 *")
    assert (first.result, first.game.plies, second.game.plies) == ("1-0", 1, 2)
    assert first.comments == {1: "Black resigned on move 40."}
    assert second.comments == {0: "of the next"}


def test_words_amid_the_moves_cannot_be_followed() -> None:
    error, after = iterate_pdn_records("1. 11-15 Black resigns 23-19 2. 8-11 *\n" + NEXT)
    assert isinstance(error, PdnError)
    assert (error.ply, error.reason[:22]) == (2, "“Black” is not a move:")
    assert isinstance(after, PdnGame)


def test_words_before_a_game_are_a_comment() -> None:
    record = only("From an old book\n1. 11-15 23-19 *")
    assert record.comments == {0: "From an old book"}
    assert read_pdn("No game at all") == ()


@pytest.mark.parametrize(
    ("text", "result", "doubt"),
    [
        ('[Result "1-0"] 1. 11-15 0-1', "0-1", "the tag Result says 1-0, and what follows the moves 0-1"),
        ('[Result "1-0"] 1. 11-15 *', "1-0", "what follows the moves says *, and the tag Result 1-0"),
        ('[Result "*"] 1. 11-15 0-1', "0-1", "the tag Result says *, and what follows the moves 0-1"),
        ('[Result "1-0"] 1. 11-15 White resigns', "0-1", "the tag Result says 1-0, and what is said after the moves"),
        (
            "1. 11-15 White resigns 1-0",
            "1-0",
            "what is said after the moves says 0-1, and what follows the moves 1-0",
        ),
        ('[Result "1-0"][FEN "B:W18:B14"] 1. 14x23', "0-1", "the tag Result says 1-0, and the board 0-1"),
        ('[FEN "B:W18:B14"] 1. 14x23 1/2-1/2', "0-1", "what follows the moves says 1/2-1/2, and the board 0-1"),
        ('[Result "Ann won"] 1. 11-15 0-1', "0-1", "the tag Result says “Ann won”, which is none of PDN's results"),
        ("1. 11-15 } 23-19 *", "*", "move 1 (ply 1): a } stands here without a { before it."),
        ("1. 11-15 {a 23-19 2. 8-11 {b} *", "*", "another { stands in the comment “{a 23-19 2. 8-11 (b”, as if a }"),
        ("1. 11-15 ) 23-19 *", "*", "move 1 (ply 1): a ) stands here without a ( before it."),
        ("1. 11-15 23-19 * )", "*", "a ) stands here without a ( before it."),
        ('[GameType "abc"] 1. 11-15 *', "*", "the GameType “abc” cannot be read"),
        ('[GameType "21,W,8,8,N1,0"] 1. 11-15 22-18 *', "*", "says that White begins, and Black does"),
        ('[GameType "21,B,8,8,N3,0"] 1. 11-15 *', "*", "has square 1 in another corner than English draughts"),
        ('[GameType "21,B,10,10,N1,0"] 1. 11-15 *', "*", "is that of another board"),
    ],
)
def test_what_is_odd_is_doubted_and_the_game_read(text: str, result: str, doubt: str) -> None:
    record = only(text)
    assert record.result == result
    assert any(doubt in said for said in record.doubts), record.doubts
    assert all(said.startswith("PDN game 1") and said.endswith(".") for said in record.doubts)
    assert only(write_record(record)).result == result


@pytest.mark.parametrize(
    "heading",
    ["", '[GameType "21"]', '[GameType "21,B,8,8,N1,0"]', '[GameType "21, B, 8, 8, N1"]',
     '[GameType "21,b,8,8,A0,0"]',
     '[GameType "?"]', '[Result "?"]', '[Result "2-0"]', '[Result "1-0"]'],
)  # fmt: skip
def test_what_is_usual_is_not_doubted(heading: str) -> None:
    assert only(heading + " 1. 11-15 23-19 1-0").doubts == ()


def test_what_is_odd_many_times_over_is_said_once() -> None:
    assert len(only("1. 11-15 ))))) 23-19 *").doubts) == 1


def test_white_begins_where_the_game_type_says_so() -> None:
    record = only('[GameType "21,W,8,8,N2,0"]\n1. 22-18 11-15 2. 18x11 8x15 0-1')
    assert record.game.notations() == ("22-18", "11-15", "18x11", "8x15")
    assert (record.doubts, record.result) == ((), "0-1")
    again = only(write_record(record))
    assert (again.game.moves, again.game.start) == (record.game.moves, record.game.start)
    algebraic = only('[GameType "21,W,8,8,A0,0"] 1. c3-d4 *')
    assert algebraic.game.notations() == ("22-18",)


def test_an_odd_game_type_is_named_where_the_moves_cannot_be_followed() -> None:
    with pytest.raises(
        PdnError, match=r"22-18 is not legal: .*; the GameType “21,B,8,8,N2,0” has square 1 in another"
    ):
        read_pdn('[GameType "21,B,8,8,N2,0"] 1. 22-18 *')
    with pytest.raises(PdnError, match="GameType 25 is another game"):
        read_pdn('[GameType "25,W,8,8,A0,0"] 1. c3-d4 *')


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["1. ", "11-15 ", "22-18 ", "{", "}", "(", ") ", "\n", '[A "b"]', '\n[Event "c"]\n', "* ", "1-0 ", "; ",
             "\n% ", "Black resigns ", "2. ", "draw ", "! ", "\r\n", "é"]
        )
    )
)  # fmt: skip
def test_the_parts_of_a_file_are_the_whole_file(words: list[str]) -> None:
    text = "".join(words)
    parts = list(iterate_pdn_parts(text))
    assert "".join(part.text for part in parts) == decoded(text)
    assert all(part.record is not None for part in parts[:-1])
    for part in parts:
        if isinstance(part.record, PdnGame):
            again = only(write_record(part.record))
            assert (again.game.moves, again.remarks, again.result) == (
                part.record.game.moves, part.record.remarks, part.record.result,
            )  # fmt: skip
