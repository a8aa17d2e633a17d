"""Game records."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import (
    Colour,
    DrawRules,
    Game,
    PdnError,
    Remarks,
    parse_move,
    read_fen,
    read_pdn,
    write_fen,
    write_pdn,
)


def played(moves: str, fen: str | None = None) -> Game:
    game = Game(read_fen(fen) if fen else None)
    for text in moves.split():
        game.play(parse_move(game.position, text))
    return game


def test_written_record() -> None:
    game = played("11-15 22-18 15x22")
    text = write_pdn(
        game, {"Black": 'Ann "A" Other', "Result": "1-0", "Annotator": "me"}, Remarks({0: "Begin.", 2: "Take {it}!"})
    )
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "Ann \\"A\\" Other"]\n[White "?"]\n'
        '[Result "1-0"]\n[GameType "21,B,8,8,N1,0"]\n[Annotator "me"]\n\n'
        "{Begin.} 1. 11-15 22-18 {Take (it)!} 2. 15x22 1-0\n"
    )


def test_a_finished_game_has_its_own_result() -> None:
    game = played("14x23", "B:W18:B14")
    assert '[Result "0-1"]' in write_pdn(game, {"Result": "1-0"})
    assert write_pdn(game).endswith("1. 14x23 0-1\n")
    game = played("11-15")
    game.resign(Colour.BLACK)
    assert write_pdn(game).endswith(" 1-0\n")
    assert write_pdn(played("11-15")).endswith(" *\n")


def test_a_position_of_its_own_is_set_up() -> None:
    text = write_pdn(played("22x15", "W:W22,32:B18,1"))
    assert '[SetUp "1"]\n[FEN "W:W22,32:B1,18"]' in text
    assert text.endswith("1... 22x15 *\n")
    (record,) = read_pdn(text)
    assert write_fen(record.game.start) == "W:W22,32:B1,18"


def test_an_unknown_result_is_refused() -> None:
    with pytest.raises(PdnError, match="is no result"):
        write_pdn(Game(), {"Result": "2-0"})


def test_random_games_come_back_as_they_were() -> None:
    choose = random.Random(21)
    texts, games = [], []
    for number in range(25):
        game = Game(rules=DrawRules(repetition=False))
        while game.outcome() is None and game.plies < 150:
            game.play(choose.choice(game.position.legal_moves()))
        comments = {ply: f"after {ply} moves; a remark of some length" for ply in range(0, game.plies, 7)}
        texts.append(write_pdn(game, {"Event": f"number {number}", "Result": "1/2-1/2"}, Remarks(comments)))
        games.append((game, comments))
    assert all(len(line) <= 80 for text in texts for line in text.splitlines())
    records = read_pdn("\n".join(texts))
    assert len(records) == len(games)
    for number, (record, (game, comments)) in enumerate(zip(records, games, strict=True)):
        assert record.game.moves == game.moves
        assert record.game.position == game.position
        assert record.comments == comments
        assert record.tags["Event"] == f"number {number}"
        assert record.result == (game.outcome().result if game.outcome() else "1/2-1/2")


STRANGE = (
    b'\xef\xbb\xbf[Event "a "quoted" one"]\r\n[Result "1/2-1/2"]\r\n[GameType "21"]\r\n'
    b"% an escaped line 1. 9-14\r\n"
    b"1. 11-15! {x} 23-19 (22-18 15x22 (2. 3-4) ; no 1-0\r\n ) 2.8-11 $3 22-17?! 2... 11-16* 24-20,"
    b" 16-23 27x11 7x16 20x11\r\n"
    b'[Event "short"]\r\n[FEN "B:W15,22,32:B11,1."]\r\n1. 11x25 32-28 ; rest of line 1. 9-13\r\n2. 1-6 2-0\r\n'
    b'[FEN "B:W15,22,32:B11,1"]\r\n1. 11x18 {step by step} 18x25 32-28 *\r\n'
    b"1. 1115 22-18 15:22 0-1\r\n"
    b'[Event "resigned before the first move"]\r\n[Result "0-1"]\r\n\r\n0-1\r\n'
    b'[White "M\xfcller"]\r\n1. 11-15\r\n'
)


def test_strangers_files() -> None:
    records = read_pdn(STRANGE)
    assert [" ".join(record.game.notations()) for record in records] == [
        "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11 7x16 20x11",
        "11x25 32-28 1-6",
        "11x25 32-28",
        "11-15 22-18 15x22",
        "",
        "11-15",
    ]
    assert [record.result for record in records] == ["1/2-1/2", "1-0", "*", "0-1", "0-1", "*"]
    assert records[0].comments == {1: "x"}
    assert records[1].comments == {2: "rest of line 1. 9-13"}
    assert records[0].tags["Event"].endswith('a "quoted" one')
    assert records[5].tags["White"] == "Müller"


def test_a_record_may_go_on_through_a_draw_by_rule() -> None:
    text = '[FEN "B:WK32:BK1"] ' + "1-6 32-27 6-1 27-32 " * 30 + "1/2-1/2"
    (record,) = read_pdn(text)
    assert record.game.plies == 120


@pytest.mark.parametrize(
    ("text", "game", "ply", "sentence"),
    [
        (
            "1. 11-15 23-19 16-20 1-0",
            1,
            3,
            "PDN game 1, move 2 (ply 3): 16-20 is not legal: there is no piece on 16.",
        ),
        ("1. 11-15 * 1. 11-15 22-18 2. 8-11", 2, 3, "8-11 is not legal: you must jump: 15x22."),
        ("1. 11-15 nonsense 22-18", 1, 2, "“nonsense” is not a move"),
        ("1. 11-15 c3-c4", 1, 2, "c3-c4 names c4, a light square"),
        ("1. 11-15 g1-f2", 1, 2, "g1-f2 (1-6) is not legal: the piece on 1 is Black's"),
        ('1. 11-15 /FEN "W:W20:B1"/ 20-16', 1, 2, "another position is set up here"),
        ('/FEN "W:W20:B20"/ 20-16', 1, 0, "two pieces on square 20"),
        ('[FEN "B:W20-32:B1"] 1. 1-5', 1, 0, "White has 13 pieces"),
        ('[GameType "20"] 1. 32-28', 1, 0, "GameType 20 is another game"),
        ('[FEN "B:W15,22,32:B11,1"] 1. 11x18 32-28', 1, 1, "the jump goes on: 11x18x25"),
        ('[FEN "B:W15,22,32:B11,1"] 1. 11x18', 1, 1, "the jump goes on: 11x18x25"),
        ('[FEN "B:W6,7,14,15,31:B2"] 1. 2x18', 1, 1, "name the squares between"),
    ],
)
def test_errors_name_game_ply_and_reason(text: str, game: int, ply: int, sentence: str) -> None:
    with pytest.raises(PdnError) as caught:
        read_pdn(text)
    assert (caught.value.game, caught.value.ply) == (game, ply)
    assert sentence in str(caught.value)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=12))
def test_any_tag_comes_back(value: str) -> None:
    (record,) = read_pdn(write_pdn(played("11-15"), {"Annotator": value}))
    assert record.tags["Annotator"] == value
    assert record.game.plies == 1


def test_headings_without_moves_are_games() -> None:
    records = read_pdn('[Event "one"]\n[Result "1-0"]\n\n[Event "two"]\n[Result "0-1"]\n')
    assert [(record.tags["Event"], record.result) for record in records] == [("one", "1-0"), ("two", "0-1")]


def test_nothing_is_no_game() -> None:
    assert read_pdn("") == read_pdn(b"\r\n % only this \r\n; and this") == ()


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                "1.",
                "11-15",
                "22-18",
                "{",
                "}",
                "(",
                ")",
                "[",
                "]",
                '"',
                '[A "b"]',
                "*",
                "1-0",
                ";",
                "%",
                "\n",
                "$1",
                "x",
                "\x00",
            ]
        )
    )
)
def test_any_text_gives_games_or_a_pdn_error(words: list[str]) -> None:
    try:
        read_pdn(" ".join(words))
    except PdnError as error:
        assert error.game >= 1
