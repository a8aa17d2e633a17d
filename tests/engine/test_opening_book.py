"""The book of openings: its file, what it chooses, and how it grows."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import Game, Position, notation, parse_move, read_fen
from controller.engine import AlphaBeta, Limits, Reply
from controller.engine.choosing import WeakerEngineWarning
from controller.engine.interface import WIN
from controller.engine.openings import Book, BookError, WithBook, ballots, book, grow, standard_book
from controller.engine.openings.book import BookEntry, BookMove, book_key, read_book, write_book
from controller.engine.openings.growing import (
    Growth,
    book_of,
    next_positions,
    note,
    reach,
    read_notes,
    score_moves,
)
from controller.errors import ControllerError
from hardware.clock import VirtualClock

START = Position.start()


def played(moves: str) -> Game:
    game = Game()
    for text in moves.split():
        game.play(parse_move(game.position, text))
    return game


def scores(position: Position, **given: int) -> dict[object, int]:
    """Scores of a position's moves: those given (`m11_15=3`), and far below for the others."""
    named = {name[1:].replace("_", "-"): score for name, score in given.items()}
    return {move: named.get(notation(position, move), -90) for move in position.legal_moves()}


class Unwilling:
    """An engine that may not be asked."""

    def choose(self, *_: object) -> Reply:
        raise AssertionError("the engine was asked")


TWO = Book({book_key(START): BookEntry(3, (BookMove(11, 15, 60), BookMove(9, 14, 20)))})


def test_moves_are_chosen_by_their_weights() -> None:
    choose = random.Random(1)
    chosen = [str(TWO.choose(Game(), choose)) for _ in range(2000)]
    assert set(chosen) == {"11-15", "9-14"}
    assert 0.7 < chosen.count("11-15") / 2000 < 0.8


def test_positions_are_known_in_whatever_order_of_moves() -> None:
    one, other = played("11-15 22-18 15x22 25x18 8-11"), played("11-15 22-18 15x22 25x18 8-11")
    assert book_key(one.position) == book_key(other.position)
    one, other = played("9-14 24-20 11-15"), played("11-15 24-20 9-14")
    known = Book({book_key(one.position): BookEntry(0, (BookMove(22, 18, 1),))})
    assert str(known.choose(other, random.Random(0))) == "22-18"
    assert known.choose(Game(other.position.with_turn(START.turn)), random.Random(0)) is None


def test_an_engine_with_a_book_plays_from_it_and_then_thinks() -> None:
    reply = WithBook(Unwilling(), TWO, seed=3).choose(Game(), Limits(nodes=10))
    assert (reply.score, reply.depth, reply.nodes, reply.pv) == (3, 0, 0, (reply.move,))
    thinking = WithBook(AlphaBeta(VirtualClock()), TWO).choose(played("11-15"), Limits(depth=2))
    assert (thinking.depth, thinking.nodes > 0) == (2, True)


def test_the_seed_decides_and_games_differ() -> None:
    def reply(seed: int) -> str:
        return str(WithBook(Unwilling(), TWO, seed).choose(Game(), Limits(nodes=1)).move)

    assert [reply(seed) for seed in range(40)] == [reply(seed) for seed in range(40)]
    assert {reply(seed) for seed in range(40)} == {"11-15", "9-14"}


def test_a_move_that_is_not_legal_makes_the_position_unknown() -> None:
    wrong = Book({book_key(START): BookEntry(0, (BookMove(11, 15, 9), BookMove(22, 18, 9)))})
    assert wrong.choose(Game(), random.Random(0)) is None


MOVES = st.builds(BookMove, st.integers(1, 32), st.integers(1, 32), st.integers(1, 63))
ENTRIES = st.builds(BookEntry, st.integers(-127, 127), st.lists(MOVES, max_size=5).map(tuple))


@given(st.dictionaries(st.integers(0, 2**64 - 1), ENTRIES, max_size=8))
def test_a_book_comes_back_from_its_file(entries: dict[int, BookEntry]) -> None:
    assert read_book(write_book(Book(entries))) == Book(entries)


@given(st.data())
def test_a_broken_file_is_noticed(data: st.DataObject) -> None:
    whole = write_book(TWO)
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    for broken in (bytes(changed), whole[:place], whole + b"x"):
        with pytest.raises(BookError):
            read_book(broken)


def test_a_wrong_count_is_noticed_even_with_the_right_checksum() -> None:
    whole = write_book(TWO)
    for count in (0, 2, 10**9):
        with pytest.raises(BookError):
            read_book(whole[:8] + count.to_bytes(4, "little") + whole[12:])
    assert whole[12:16] == zlib.crc32(whole[16:]).to_bytes(4, "little")


def test_a_broken_book_is_said_once_and_played_without(mocker) -> None:
    standard_book.cache_clear()
    resources = mocker.patch.object(book, "files")
    resources.return_value.joinpath.return_value.read_bytes.return_value = b"rubbish"
    try:
        with pytest.warns(WeakerEngineWarning, match=r"book of openings cannot be used \(it is no book") as said:
            found = [standard_book() for _ in range(3)]
        assert len(said) == 1
        assert found == [Book({})] * 3
        reply = WithBook(AlphaBeta(VirtualClock()), found[0]).choose(Game(), Limits(depth=1))
        assert reply.depth == 1
    finally:
        standard_book.cache_clear()


def test_a_missing_book_is_said_in_words(mocker) -> None:
    standard_book.cache_clear()
    resources = mocker.patch.object(book, "files")
    resources.return_value.joinpath.return_value.read_bytes.side_effect = FileNotFoundError(2, "No such file", "book")
    try:
        with pytest.warns(WeakerEngineWarning, match=r"book of openings cannot be used \(No such file\)"):
            assert standard_book() == Book({})
    finally:
        standard_book.cache_clear()


def test_the_book_that_comes_along_is_whole_and_begins_games_in_several_ways() -> None:
    known = standard_book()
    size = len(write_book(known))
    assert 1000 < size < 200_000
    assert len({str(known.choose(Game(), random.Random(seed))) for seed in range(100)}) > 1
    replies = sum(known.choose(ballot.game(), random.Random(0)) is not None for ballot in ballots())
    assert replies > 100


def test_reach_adds_up_over_orders_of_moves_and_passes_through_forced_ones() -> None:
    growth = Growth(plies=4, spread=10.0)
    known = {START: scores(START, m11_15=0, m9_14=0)}
    for first in ("11-15", "9-14"):
        after = played(first).position
        known[after] = scores(after, m24_20=0)
        after = played(f"{first} 24-20").position
        known[after] = scores(after, m9_14=0, m11_15=0)
    often = reach(known, growth)
    assert often[START] == 0.5
    assert often[played("11-15").position] == pytest.approx(0.25, rel=0.01)
    from_ballots = sum(one.game().position == played("9-14 24-20 11-15").position for one in ballots()) * 0.5 / 156
    both_orders = often[played("9-14 24-20 11-15").position] - from_ballots
    assert both_orders == pytest.approx(0.5, rel=0.01)
    forced = played("11-16 24-20 16-19")  # A ballot, after which two moves are forced.
    for text in ("23x16", "12x19"):
        assert forced.position not in reach(known, Growth(plies=6))
        forced.play(parse_move(forced.position, text))
    assert forced.position in reach(known, Growth(plies=6))
    assert forced.position not in often  # It lies beyond the last ply there.


def test_the_likeliest_positions_are_looked_at_first() -> None:
    growth = Growth(plies=4, spread=10.0)
    assert next_positions({}, growth, 1) == [START]
    known = {START: scores(START, m11_15=10, m9_14=0)}
    after = next_positions(known, growth, 2)
    assert after == [played("11-15").position, played("9-14").position]
    assert len(next_positions(known, growth, 1000)) > 100  # Those of most ballots; after some there is no choice.
    assert next_positions(known, Growth(plies=1), 5) == []


def test_moves_are_scored_from_their_mover_s_side() -> None:
    engine = AlphaBeta(VirtualClock())
    found = score_moves(played("11-16 24-20 16-19").position, engine, Limits(depth=4))
    assert {str(move) for move in found} == {"23x16"}
    loss = score_moves(START, engine, Limits(depth=5))
    assert set(loss) == set(START.legal_moves())
    assert all(-60 < score < 60 for score in loss.values())
    winning = score_moves(read_fen("B:W18:B14,1"), engine, Limits(depth=3))
    assert max(winning.values()) == WIN - 1


def test_a_book_holds_the_moves_near_the_best_and_the_likeliest_positions_if_it_must_be_small() -> None:
    growth = Growth(plies=4, margin=6)
    after = played("11-15").position
    known = {START: scores(START, m11_15=5, m9_14=0, m10_14=-2), after: scores(after, m22_18=-4)}
    grown = book_of(known, growth)
    entry = grown.entries[book_key(START)]
    assert [(move.start, move.end) for move in entry.moves] == [(11, 15), (9, 14)]
    assert entry.moves[0].weight == 63 > entry.moves[1].weight > 0
    assert entry.score == 5
    assert grown.entries[book_key(after)] == BookEntry(-4, (BookMove(22, 18, 63),))
    small = book_of(known, Growth(plies=4, margin=6, size=40))
    assert set(small.entries) == {book_key(START)}
    assert len(write_book(small)) <= 40


def test_notes_come_back_and_a_line_broken_off_is_passed_over() -> None:
    known = {START: scores(START, m11_15=5, m9_14=-3), played("11-15").position: scores(played("11-15").position)}
    lines = [note(position, found) for position, found in known.items()]
    assert lines[0].startswith("B:W21,")
    assert read_notes(lines) == known
    for length in (3, 60, len(lines[1]) - 9):
        assert read_notes([lines[0], lines[1][:length]]) == {START: known[START]}
    with pytest.raises(ControllerError, match="line 1 of the notes"):
        read_notes([lines[0][:60], lines[1]])


def test_growing_goes_on_from_the_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes, out = tmp_path / "notes.txt", tmp_path / "book.bin"
    order = ["--nodes", "300", "--plies", "3", "--notes", str(notes), "--out", str(out)]
    assert grow.main([*order, "--positions", "3"]) == 0
    first = notes.read_text()
    assert len(first.splitlines()) == 3
    notes.write_text(first[:-10])  # As a power cut leaves it.
    assert grow.main([*order, "--positions", "5"]) == 0
    second = notes.read_text()
    assert second.startswith("\n".join(first.splitlines()[:2]) + "\n")
    assert len(read_notes(second.splitlines())) == 5
    grown = read_book(out.read_bytes())
    assert grown.choose(Game(), random.Random(0)) in START.legal_moves()
    assert "5 positions" in capsys.readouterr().out


def test_growing_says_what_is_wrong_with_the_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("rubbish\nrubbish\n")
    assert grow.main(["--notes", str(notes), "--out", str(tmp_path / "book.bin")]) == 1
    assert "line 1 of the notes cannot be read" in capsys.readouterr().err
