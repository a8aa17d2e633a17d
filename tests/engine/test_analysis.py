"""What moves were worth, in numbers and in words."""

from __future__ import annotations

import pytest

from controller.draughts import (
    Colour,
    Game,
    Move,
    Position,
    parse_move,
    read_fen,
    read_pdn,
    write_pdn,
    write_record,
)
from controller.engine import SURE_WIN, WIN, Limits, Reply, make_engine
from controller.engine.analysis import (
    GLYPHS,
    GameAnalysis,
    Grade,
    analyse_game,
    annotated,
    expected_share,
    move_label,
    score_change,
    score_text,
)
from controller.engine.analysis_words import Choice, explained
from hardware.clock import VirtualClock

DEPTH = Limits(depth=9)


def played(moves: str, fen: str | None = None) -> Game:
    game = Game(read_fen(fen) if fen else None)
    for text in moves.split():
        game.play(parse_move(game.position, text))
    return game


def line(position: Position, moves: str) -> tuple[Move, ...]:
    found = []
    for text in moves.split():
        found.append(parse_move(position, text))
        position = position.after(found[-1])
    return tuple(found)


@pytest.mark.parametrize(
    ("fen", "bad", "bad_score", "good", "good_score", "words"),
    [
        ("B:W18,32:B10,4", "10-14 18x9", -130, "4-8 18-14 10x17", 0, "loses a man: 18x9 follows; 4-8 kept it level"),
        ("B:W18,32:B10,6,4", "10-14 18x2", -260, "4-8 32-27", 90, "loses two men: 18x2 follows; 4-8 kept the lead"),
        ("B:W18,32:BK10,4", "10-14 18x9", -130, "4-8 32-27", 0, "loses a king: 18x9 follows; 4-8 kept it level"),
        ("B:W18,32:BK10,6,4", "10-14 18x2", -260, "4-8 32-27", 0,
         "loses two pieces: 18x2 follows; 4-8 kept it level"),
        ("B:W18,32:B10,6,4", "10-14 18x2", -260, "10-15 18x11", -120,
         "loses another man: 18x2 follows; 10-15 lost less"),
        ("B:W18,32:B10,5,4", "4-8 32-27 8-12 27-23 12-16 18-14 10x17 23-18 16-20 18-15 17-22 15-11 22-26 11-8", -30,
         "10-15 18x11", 30, "gives ground: 32-27 follows; 10-15 was a little ahead"),
        ("B:W18,32:B10,1", "1-5 32-27 5-9 27-23 9-13 23-19 10-14 18x9", -100, "1-6 32-27", 0,
         "loses a man in the end: 32-27 5-9 27-23 9-13 23-19 … follow; 1-6 kept it level"),
        ("B:W18,25,32:B10,5,4", "10-14 18x9 5x14 25-22", -60, "4-8 32-27", 40,
         "gives ground: 18x9 follows; 4-8 was a little ahead"),
        ("B:W15,16,22,32:B11,12,1", "12x19 15x8", 30, "11x25", 200, "misses a jump of two; 11x25 kept the lead"),
        ("B:W18,32:B10,4,1", "1-5 32-27", 0, "4-8 18-14 10x17", 95, "misses the win of a man; 4-8 kept the lead"),
        ("B:W18,32:BK10,8,4", "10-15 18x11 8x15", 0, "10-6 32-27", 60,
         "gives a king for a man: 18x11 8x15 follow; 10-6 was a little ahead"),
        ("B:W11,30:BK32,1", "1-5 11-7 32-27 7-2", -20, "32-27 11-7 27-24", 60,
         "lets a man through to the king row: 11-7 32-27 7-2 follow; 32-27 was a little ahead"),
        ("B:W13,30:B27,1,2", "1-6 30-25 2-7", 0, "27-31 30-25", 120, "misses a king; 27-31 kept the lead"),
        ("B:W18,32:B10,4", "10-14 18x9", 1 - WIN, "4-8 18-14", -30, "loses in 1 move: 18x9 follows; 4-8 held on"),
        ("B:W18,32:B10,4", "10-14 18x9", 9 - WIN, "4-8 18-14", WIN - 5,
         "loses a won game in 5 moves: 18x9 follows; 4-8 won in 3 moves"),
        ("B:W18,32:B10,4", "4-8 18-15 10x19", 9 - WIN, "10-14", 0,
         "loses in 5 moves: 18-15 follows; 10-14 kept it level"),
        ("B:W18,32:B10,4", "10-14 18x9", 0, "4-8 18-14 10x17", WIN - 1,
         "gives away the win: 18x9 follows; 4-8 won in 1 move"),
        ("B:W18,32:B10,4", "4-8 32-27", 90, "10-14 18x9", WIN - 9, "misses the win; 10-14 won in 5 moves"),
        ("B:W18,32:B10,4", "10-14 18x9", -400, "4-8 18-14 10x17", -90, "loses a man: 18x9 follows; 4-8 lost less"),
        ("B:W18,32:B10,4", "10-14 18x9", 3 - WIN, "4-8 18-14 10x17", 11 - WIN,
         "loses in 2 moves: 18x9 follows; 4-8 held out longer"),
    ],
)  # fmt: skip
def test_words(fen: str, bad: str, bad_score: int, good: str, good_score: int, words: str) -> None:
    position = read_fen(fen)
    said = explained(position, Choice(line(position, bad), bad_score), Choice(line(position, good), good_score))
    assert said == words


def test_a_line_that_ends_amid_jumps_is_judged_where_it_is_quiet() -> None:
    position = read_fen("B:W18,25,32:B10,5,4")
    cut = explained(
        position, Choice(line(position, "4-8 32-27 10-14 18x9"), -60), Choice(line(position, "10-15 18x11"), 40)
    )
    assert cut == "gives ground: 32-27 follows; 10-15 was a little ahead"


def test_what_is_jumped_back_is_told() -> None:
    position = read_fen("B:W23,32:B14,10,3,1")
    bad, good = line(position, "14-18 23x7 3x10 32-28"), line(position, "1-5 32-28")
    assert explained(position, Choice(bad, -90), Choice(good, 0)) == (
        "loses a man: 23x7 3x10 follow; 1-5 kept it level"
    )


class Scripted:
    """An engine that says what is foreseen for each position, and counts how often it is asked."""

    def __init__(self, replies: dict[str, tuple[str, int]]) -> None:
        self.replies = replies
        self.asked: list[str] = []

    def choose(self, game: Game, limits: Limits, stop: object = None, progress: object = None) -> Reply:
        if game.start != Position.start():  # A line is being lengthened.
            return Reply(game.position.legal_moves()[0], 0, 9, 1, 0.0, game.position.legal_moves()[:1])
        key = " ".join(game.notations())
        self.asked.append(key)
        move, score = self.replies[key]
        return Reply(parse_move(game.position, move), score, 9, 1, 0.0, (parse_move(game.position, move),))


def test_scores_come_back_from_the_end_of_the_game() -> None:
    """Black's second move threw the game away, which only the last search saw."""
    engine = Scripted(
        {
            "": ("11-15", 4),
            "11-15": ("23-19", -4),
            "11-15 23-19": ("8-11", 2),
            "11-15 23-19 9-14": ("22-17", 5),
            "11-15 23-19 9-14 22-17": ("8-11", 300 - WIN),
            "11-15 23-19 8-11": ("22-17", 1),
        }
    )
    analysis = analyse_game(played("11-15 23-19 9-14 22-17"), engine, DEPTH)
    assert [(move.before, move.after) for move in analysis.moves] == [
        (-1, -1),  # Not what the first search thought, as more is known now.
        (1, 1),
        (-1, 302 - WIN),  # Black's better move was looked into as well, and found to be worth this.
        (WIN - 301, WIN - 301),
    ]
    grades = [move.grade for move in analysis.moves]
    assert grades == [Grade.BEST, Grade.BEST, Grade.BLUNDER, Grade.BEST]
    assert analysis.moves[2].words == "loses in 151 moves: 22-17 follows; 8-11 kept it level"
    assert analysis.moves[2].loss == 499


def test_nothing_is_searched_where_there_is_no_choice() -> None:
    engine = Scripted({"": ("14x23", 77)})
    analysis = analyse_game(played("14x23", "B:W18:B14"), engine, DEPTH)
    (move,) = analysis.moves
    assert engine.asked == []
    assert (move.grade, move.before, move.after, move.loss) == (Grade.ONLY, WIN - 1, WIN - 1, 0)
    assert analysis.summary(Colour.BLACK).choices == 0
    assert analysis.summary(Colour.BLACK).accuracy is None
    assert analysis.summary(Colour.WHITE).moves == 0


def test_a_game_without_moves() -> None:
    assert analyse_game(Game(), Scripted({}), DEPTH) == GameAnalysis(())


def test_a_fault_that_a_closer_look_does_not_find_is_none() -> None:
    engine = Scripted({"": ("9-14", 80), "11-15": ("23-19", 0), "9-14": ("22-18", 2)})
    (move,) = analyse_game(played("11-15"), engine, DEPTH).moves
    assert (move.grade, move.before, move.after) == (Grade.BEST, 0, 0)
    assert engine.asked == ["11-15", "", "9-14"]


def test_a_draw_by_rule_at_the_end_scores_nothing_and_one_in_the_middle_is_passed() -> None:
    around = "1-6 32-27 6-1 27-32 "
    game = played(around * 2, "B:WK32:BK1")
    analysis = analyse_game(game, make_engine(VirtualClock()), Limits(depth=4))
    assert analysis.moves[-1].after == 0
    assert analysis.faults == ()
    (record,) = read_pdn('[FEN "B:WK32:BK1"] ' + around * 3 + "*")
    assert len(analyse_game(record.game, make_engine(VirtualClock()), Limits(depth=4)).moves) == 12


GIFT, GIFT_FEN = "15-19 11-8 19-24 32-28 24-27 28-24 27-31", "B:W11,32:B15,20"
"""What each move is worth is in the endgame tables: Black loses with the third, which White does not see."""


@pytest.mark.parametrize("depth", [4, 9])
def test_a_game_thrown_away_and_the_gift_not_taken(endgame_tables: None, depth: int) -> None:
    analysis = analyse_game(played(GIFT, GIFT_FEN), make_engine(VirtualClock()), Limits(depth=depth))
    gift, refusal = analysis.faults
    assert (gift.ply, gift.grade, gift.colour, gift.notation) == (3, Grade.BLUNDER, Colour.BLACK, "19-24")
    assert (gift.before, gift.after, gift.loss) == (0, 44 - WIN, 500)
    assert gift.words.startswith("loses in 22 moves: 8-")
    assert (refusal.ply, refusal.grade, refusal.before, refusal.after) == (4, Grade.BLUNDER, WIN - 43, 0)
    assert refusal.words.startswith("gives away the win: 24-27 follows; 8-")
    assert refusal.words.endswith(" won in 22 moves")
    assert [move.grade for move in analysis.moves[4:]] == [Grade.ONLY, Grade.BEST, Grade.BEST]
    black = analysis.summary(Colour.BLACK)
    assert (black.moves, black.choices, black.blunders, black.mistakes) == (4, 3, 1, 0)
    assert black.accuracy == pytest.approx(200 / 3)  # Of three choices one counts nothing.


def test_two_men_given_away() -> None:
    """No evaluation can overlook it: two men of seven for nothing, and a king soon after."""
    game = played("10-14 17x1", "B:W17,19,21,27,30,31,32:B2,3,6,9,10,11,12")
    gift, capture = analyse_game(game, make_engine(VirtualClock()), DEPTH).moves
    assert (gift.grade, capture.grade) == (Grade.BLUNDER, Grade.ONLY)
    assert gift.words.startswith("loses two men")
    assert ": 17x1 " in gift.words
    assert gift.after < -120 < gift.before
    assert str(gift.best[0]) not in ("10-14", "10-15")  # Both lose two men.


def test_a_won_ending_given_away(endgame_tables: None) -> None:
    game = played("11-16 12x19", "W:WK10,K11:BK12")
    analysis = analyse_game(game, make_engine(VirtualClock()), Limits(depth=9))
    gift = analysis.moves[0]
    assert (gift.grade, gift.share) == (Grade.BLUNDER, 0.5)
    assert gift.words.startswith("gives away the win: 12x19 follows; 10-")
    assert gift.words.endswith("won in 2 moves")
    assert gift.loss == 500
    assert analysis.moves[1].grade is Grade.ONLY
    assert analysis.faults == (gift,)


def test_an_annotated_game_keeps_its_remarks_and_can_be_read_again(endgame_tables: None) -> None:
    moves = GIFT.replace("19-24", "19-24? {hm} (2. 19-23)")
    (record,) = read_pdn(f'[FEN "{GIFT_FEN}"] {moves} 1/2-1/2')
    analysis = analyse_game(record.game, make_engine(VirtualClock()), DEPTH)
    (again,) = read_pdn(write_record(annotated(record, analysis)))
    assert again.game.moves == record.game.moves
    assert again.tags["Annotator"] == "Crownhead"
    assert again.remarks.glyphs[3] == (2, GLYPHS[Grade.BLUNDER])
    assert again.comments[3].startswith("hm loses in 22 moves")
    variations = again.remarks.variations[3]
    assert str(variations[0].moves[0]) == "19-23"
    assert variations[1].moves == analysis.moves[2].best[: len(variations[1].moves)]
    assert len(variations[1].moves) > 1
    untouched = write_pdn(record.game, {**record.tags, "Result": record.result}, record.remarks)
    assert untouched == write_record(record)  # The record itself has not been changed.


@pytest.mark.parametrize(
    ("score", "text"),
    [(0, "0"), (5, "+5"), (-110, "−110"), (WIN - 7, "won in 4"), (8 - WIN, "lost in 4"), (WIN, "won")],
)
def test_scores_as_text(score: int, text: str) -> None:
    assert score_text(score) == text


def test_numbers_of_moves() -> None:
    engine = make_engine(VirtualClock())
    analysis = analyse_game(played("11-15 23-19 8-11"), engine, Limits(depth=3))
    assert [move_label(move, Position.start()) for move in analysis.moves] == ["1. 11-15", "1. … 23-19", "2. 8-11"]
    white = played("22-18 10-14", "W:W22,32:B10,1")
    analysis = analyse_game(white, engine, Limits(depth=3))
    assert [move_label(move, white.start) for move in analysis.moves] == ["1. … 22-18", "2. 10-14"]
    assert score_change(analysis.moves[0]).count("→") == 1


def test_the_share_that_may_be_expected() -> None:
    assert expected_share(0) == 0.5
    assert expected_share(SURE_WIN) == 1.0
    assert expected_share(-SURE_WIN) == 0.0
    assert 0.8 < expected_share(100) < 0.9
    assert expected_share(70) + expected_share(-70) == pytest.approx(1.0)
