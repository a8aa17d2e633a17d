"""Comments, glyphs and variations of game records, read and written again."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import (
    DrawRules,
    Game,
    PdnError,
    PdnGame,
    Position,
    Remarks,
    Variation,
    iterate_pdn_records,
    notation,
    read_fen,
    read_pdn,
    write_pdn,
    write_record,
)
from controller.draughts.pdn_reading import DEEPEST


def only(text: str | bytes) -> PdnGame:
    (record,) = read_pdn(text)
    return record


def texts(start: Position, variation: Variation) -> list[str]:
    words = []
    for move in variation.moves:
        words.append(notation(start, move))
        start = start.after(move)
    return words


def test_variations_hold_moves_comments_glyphs_and_variations() -> None:
    record = only(
        "1. 11-15 23-19 {a} (1... 22-18! {jump} 15x22 25x18 $14 (2... 26x17 {the other way} 8-11) 8-11 {even}) "
        "(23-18 ; rest\n) {b} 2. 8-11?? *"
    )
    assert record.game.notations() == ("11-15", "23-19", "8-11")
    assert record.comments == {2: "a b"}
    assert record.remarks.glyphs == {3: (4,)}
    first, second = record.remarks.variations[2]
    before = record.game.positions[1]
    assert texts(before, first) == ["22-18", "15x22", "25x18", "8-11"]
    assert first.remarks.glyphs == {1: (1,), 3: (14,)}
    assert first.remarks.comments == {1: "jump", 4: "even"}
    (inner,) = first.remarks.variations[3]
    assert texts(before.after(first.moves[0]).after(first.moves[1]), inner) == ["26x17", "8-11"]
    assert inner.remarks == Remarks({1: "the other way"})
    assert (texts(before, second), second.remarks.comments) == (["23-18"], {1: "rest"})
    assert record.doubts == ()


def test_written_variations() -> None:
    text = (
        "{first} 1. 11-15 $1 {second} (1. 11-16 24-19 {x} 2. 8-11 (2. 16-20 22-18)) (1.\n"
        "9-14 $6) 1... 23-19 2. 8-11 *\n"
    )
    record = only(text)
    assert write_record(record).endswith("\n\n" + text)


def test_a_variation_of_white_s_first_move_in_a_position_set_up() -> None:
    record = only('[FEN "W:W22,32:B1,10"] 1... 22-18 (1... 32-28 2. 1-6 {a} 28-24) 2. 1-6 *')
    assert write_record(record).endswith("1... 22-18 (1... 32-28 2. 1-6 {a} 2... 28-24) 2. 1-6 *\n")


@pytest.mark.parametrize(
    ("mark", "glyphs"),
    [("!", (1,)), ("?", (2,)), ("!!", (3,)), ("??", (4,)), ("!?", (5,)), ("?!", (6,)), ("???", (4,)), ("*", (7,)),
     ("(!)", (1,)), ("(?!)", (6,)), (" $1 $12", (1, 12)), ("! $140", (1, 140))],
)  # fmt: skip
def test_marks_of_strength_are_glyphs(mark: str, glyphs: tuple[int, ...]) -> None:
    record = only(f"1. 11-15{mark} 23-19 1-0")
    assert record.remarks == Remarks(glyphs={1: glyphs})
    assert record.game.plies == 2
    assert only(write_record(record)).remarks == record.remarks


def test_words_in_parentheses_are_a_comment() -> None:
    record = only("(A game) 1. 11-15 (a fine move) 23-19 ({best}) 2. 8-11 () (( )) *")
    assert record.comments == {0: "(A game)", 1: "(a fine move)", 2: "(best)"}
    assert record.remarks.variations == {}
    assert record.doubts == ()


def test_a_variation_that_cannot_be_followed_is_kept_as_words() -> None:
    record = only("1. 11-15 23-19 (22-18 15x22 25x18 9-9 (and {so} on (!)) 3. 5-9) 2. 8-11 *")
    (variation,) = record.remarks.variations[2]
    assert len(variation.moves) == 3
    assert variation.remarks.comments == {3: "9-9 (and so on (!)) 3. 5-9"}
    assert record.doubts == (
        "PDN game 1, move 1 (ply 2): in a variation, 9-9 is not legal: the piece on 9 has not moved.",
    )
    assert record.game.plies == 3
    assert only(write_record(record)).remarks == record.remarks


def test_a_jump_broken_off_in_a_variation_is_kept_as_words() -> None:
    record = only('[FEN "B:W15,22,32:B11,1"] 1. 11x25 (1. 11x18 {well} ) 32-28 *')
    assert record.comments == {1: "(well 11x18)"}
    assert record.game.plies == 2


def test_results_in_variations_end_no_game() -> None:
    records = read_pdn("1. 11-15 23-19 (22-18 1-0) 2. 8-11 (2. 9-14 *) 0-1 1. 9-14 *")
    assert [(record.game.plies, record.result) for record in records] == [(3, "0-1"), (1, "*")]
    assert records[0].remarks.variations[2][0].remarks.comments == {1: "1-0"}


def test_depth_has_an_end_and_nothing_is_lost() -> None:
    depth = 5000
    record = only("1. 11-15 " + "(11-16 " * depth + ")" * depth + " 23-19 *")
    assert record.game.plies == 2
    remarks, levels = record.remarks, 0
    while remarks.variations:
        (variation,) = remarks.variations[1]
        remarks, levels = variation.remarks, levels + 1
    assert levels == DEEPEST
    assert remarks.comments[1].count("11-16") == depth - DEEPEST
    assert only(write_record(record)).remarks.variations.keys() == {1}


def test_clock_marks_are_comments_wherever_they_stand() -> None:
    record = only("1. 11-15 {[%clock w0:10:00 B0:09:58]} 23-19 [%clk 0:09:41] 2. 8-11 *")
    assert record.comments == {1: "[%clock w0:10:00 B0:09:58]", 2: "[%clk 0:09:41]"}
    assert only(write_record(record)).remarks == record.remarks


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. 11 - 15 23 -19 2. 8- 11 *", "11-15 23-19 8-11"),
        ("1 11-15 23-19 2 8-11 1 - 0", "11-15 23-19 8-11"),
        ("1.11-15 23-19 2.8-11 1/2 - 1/2", "11-15 23-19 8-11"),
        ("1. 11–15 23–19 2. 8–11 1–0", "11-15 23-19 8-11"),
        ("1. 11-15, 23-19; 2. 9-14\n2. 8-11 ½-½", "11-15 23-19 8-11"),
        ("1115 2319 0811 *", "11-15 23-19 8-11"),
        ("1. c3-d4 d6-c5 2. b2-c3 *", "11-15 23-19 8-11"),
        ("1. f6-g5 c3-d4 2. g5-h4 *", "11-16 22-18 16-20"),
        ('[GameType "21,B,8,8,A3,0"] 1. f6-g5 c3-d4 *', "11-16 22-18"),
        ('[GameType "21,B,8,8,A0,0"] 1. c3-d4 *', "11-15"),
        ("1. c3-d4 f6-e5 2. d4-f6 g7-e5 0-1", "11-15 22-18 15x22 25x18"),
        ('[GameType "English"] 1. 11-15 *', "11-15"),
        ('[GameType "21,W,8,8,N1"] 1. 11-15 *', "11-15"),
        ('[FEN "W:B1,K9:W18,K22:H0:F1"] 1... 18-15 *', "18-15"),
        ('/FEN "W:W18:B1"/ 1... 18-15 *', "18-15"),
        ("1. 9-14 22-18 1. 11-15 *", "9-14 22-18 / 11-15"),
    ],
)
def test_strangers_ways_of_writing(text: str, moves: str) -> None:
    assert " / ".join(" ".join(record.game.notations()) for record in read_pdn(text)) == moves


def test_comments_and_names_in_other_encodings() -> None:
    text = '[White "Müller – “der Alte”"]\r\n1. 11-15 {Grüße} *'
    for data in (text.encode(), text.encode("cp1252"), text.encode("utf-16"), text.encode("utf-8-sig")):
        record = only(data)
        assert (record.tags["White"], record.comments) == ("Müller – “der Alte”", {1: "Grüße"})
    assert only(b'[White "\x81\xfc"] 1. 11-15').tags["White"] == "\x81ü"  # Not even Windows-1252.


def test_games_after_one_that_cannot_be_followed() -> None:
    found = list(
        iterate_pdn_records(
            '[Event "a"] 1. 11-15 *\n[Event "b"] 1. 11-15 11-16 (9-9 1-0) 2. nonsense {x} 0-1\n'
            '[Event "c"]\n[FEN "B:W3:B1"]\n1. 1-5 *\n1. 9-14 (9-13) *\n1. 9-14 x 1. 9-13 22-18 *'
        )
    )
    assert [record.ply if isinstance(record, PdnError) else -record.game.plies for record in found] == [
        -1, 2, 0, -1, 2,
    ]  # fmt: skip
    assert [record.game for record in found if isinstance(record, PdnError)] == [2, 3, 5]


WORDS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="{}"), min_size=1, max_size=8)
COMMENTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@st.composite
def remarks_on(draw: st.DrawFn, start: Position, plies: int, choose: random.Random, depth: int) -> Remarks:
    """Remarks on a line of `plies` moves from `start` that `choose` picked; variations leave it at random."""
    positions = [start]
    moves = []
    for _ in range(plies):
        legal = positions[-1].legal_moves()
        if not legal:
            break
        moves.append(choose.choice(legal))
        positions.append(positions[-1].after(moves[-1]))
    places = st.integers(0, len(moves))
    comments = draw(st.dictionaries(places, COMMENTS, max_size=4))
    glyphs = draw(
        st.dictionaries(places, st.lists(st.integers(0, 255), min_size=1, max_size=3).map(tuple), max_size=4)
    )
    variations: dict[int, tuple[Variation, ...]] = {}
    if depth and moves:
        for ply in draw(st.sets(st.integers(1, len(moves)), max_size=2)):
            inside = []
            for _ in range(draw(st.integers(1, 2))):
                own = random.Random(draw(st.integers(0, 10**6)))
                branch, remarks = draw(line_from(positions[ply - 1], own, depth - 1))
                if branch:
                    inside.append(Variation(branch, remarks))
            if inside:
                variations[ply] = tuple(inside)
    return Remarks(comments, glyphs, variations)


@st.composite
def line_from(draw: st.DrawFn, start: Position, choose: random.Random, depth: int):  # type: ignore[no-untyped-def]
    plies = draw(st.integers(1, 8))
    state = choose.getstate()
    remarks = draw(remarks_on(start, plies, choose, depth))
    choose.setstate(state)
    moves = []
    for _ in range(plies):
        legal = start.legal_moves()
        if not legal:
            break
        moves.append(choose.choice(legal))
        start = start.after(moves[-1])
    return tuple(moves), remarks


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(0, 10**6), st.sampled_from(["B:W21-32:B1-12", "W:WK18,27,30:BK1,9,K12"]))
def test_what_is_written_is_read_back_the_same(data: st.DataObject, seed: int, fen: str) -> None:
    moves, remarks = data.draw(line_from(read_fen(fen), random.Random(seed), 3))
    game = Game(read_fen(fen), DrawRules(repetition=False))
    for move in moves:
        game.play(move)
    text = write_pdn(game, {"Event": "round trip", "Result": "*"}, remarks)
    record = only(text)
    assert record.game.moves == game.moves
    assert record.remarks == remarks
    assert record.doubts == ()
    assert only(write_record(record)).remarks == remarks
    assert write_record(record) == text
    assert only(text.replace("\n", "\r\n").encode()).remarks == remarks


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["1.", "1...", "11-15", "22-18", "15x22", "c3-d4", "9-9", "x", "{", "}", "(", ")", "[", "]",
             '"', '[A "b"]', '[FEN "W:W22:B18"]',
             "*", "1-0", ";", "%", "\n", "$1", "!", "/FEN", '/FEN "B:W22:B18"/', "\x00"]
        )
    )
)  # fmt: skip
def test_whatever_can_be_read_can_be_written_and_read_again(words: list[str]) -> None:
    for record in iterate_pdn_records(" ".join(words)):
        if isinstance(record, PdnGame):
            again = only(write_record(record))
            assert (again.game.moves, again.remarks, again.result) == (
                record.game.moves, record.remarks, record.result,
            )  # fmt: skip
