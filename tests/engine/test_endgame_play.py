"""Endings played out by looking up the positions after each move: the won are won, the drawn held."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import Colour, DrawRules, Game, Move, Position, Reason, read_fen
from controller.draughts.bitboard import BITS
from controller.draughts.game import QUIET_PLIES
from controller.engine import SURE_WIN, Limits, _core
from controller.engine.compiled import CompiledSearch
from controller.engine.endgame import EndgameValue, Ending, attach_tables, lookup
from hardware.clock import VirtualClock
from tests.engine.endgame_positions import random_ending

LONGEST_WIN = "B:W29,30:B2,15"
LONGEST_LOSS = "B:WK5,30:B3,4"
LONGEST_QUIET = "B:WK13,21:BK10,K29"
"""Of four pieces: the longest way to a win, to a loss, and the most moves of kings on end."""

CORE = Path(__file__).resolve().parents[2] / "controller" / "engine" / "core"
QUIET_RUNS = Path(__file__).with_name("quiet_runs.c")

Choose = Callable[[Position], Move]
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module", autouse=True)
def tables(endgame_folder: Path) -> Iterator[None]:
    attach_tables(endgame_folder)
    yield
    _core.endgame_detach()


def worth(position: Position) -> int:
    """More is better for the side to move: a win, the sooner the better; a draw; a loss, the later the better."""
    if not position.board_of(position.turn):
        return -1000
    value = lookup(position)
    assert value is not None
    plies = value.plies or 0
    return {Ending.WIN: 1000 - plies, Ending.DRAW: 0, Ending.LOSS: plies - 1000}[value.ending]


def best_move(position: Position) -> Move:
    return min(position.legal_moves(), key=lambda move: worth(position.after(move)))


def chosen_move(position: Position) -> Move:
    """The move to play in a won ending."""
    state = _core.endgame_choice(*position.state, position.turn is Colour.BLACK)
    return next(move for move in position.legal_moves() if position.after(move).state == state)


def by_lot(chance: random.Random) -> Choose:
    return lambda position: chance.choice(position.legal_moves())


def shuffling(chance: random.Random) -> Choose:
    """Moves kings to and fro for as long as that is allowed, so that forty moves may pass."""

    def choose(position: Position) -> Move:
        moves = position.legal_moves()
        quiet = [move for move in moves if not move.is_capture and BITS[move.start] & position.kings]
        return chance.choice(quiet or moves)

    return choose


def played_out(start: Position, mover: Choose, other: Choose, most_plies: int = 1000) -> Game:
    """The game from `start`, `mover` choosing for the side to move there; to its end, or so many plies."""
    game = Game(start)
    while game.outcome() is None and game.plies < most_plies:
        choose = mover if game.position.turn is start.turn else other
        game.play(choose(game.position))
    return game


@st.composite
def endings(draw: st.DrawFn, ending: Ending) -> tuple[Position, EndgameValue]:
    """A position of two to four pieces that ends so for its side to move."""
    chance = random.Random(draw(seeds))
    pieces = draw(st.sampled_from((2, 3, 4, 4, 4)))
    while True:
        position = random_ending(chance, pieces)
        value = lookup(position)
        assert value is not None
        if value.ending is ending:
            return position, value


@pytest.mark.parametrize(("fen", "plies"), [(LONGEST_WIN, 109), (LONGEST_QUIET, 81)])
@pytest.mark.parametrize("seed", range(10))
def test_the_longest_wins_are_won_inside_the_draw_rule(fen: str, plies: int, seed: int) -> None:
    start = read_fen(fen)
    assert lookup(start) == EndgameValue(Ending.WIN, plies)
    defences = (best_move, by_lot(random.Random(seed)), shuffling(random.Random(seed)))
    for defence in defences:
        game = played_out(start, best_move, defence)
        outcome = game.outcome()
        assert outcome is not None
        assert outcome.winner is start.turn
    assert played_out(start, best_move, best_move).plies == plies


def test_the_longest_loss_takes_as_long_as_it_says() -> None:
    start = read_fen(LONGEST_LOSS)
    assert lookup(start) == EndgameValue(Ending.LOSS, 108)
    assert played_out(start, best_move, best_move).plies == 108


@settings(max_examples=60)
@given(endings(Ending.WIN), seeds)
def test_a_won_ending_is_won_against_every_defence(ending: tuple[Position, EndgameValue], seed: int) -> None:
    start, value = ending
    longest = played_out(start, best_move, best_move)
    assert longest.plies == value.plies
    for defence in (best_move, by_lot(random.Random(seed)), shuffling(random.Random(seed))):
        game = played_out(start, best_move, defence)
        outcome = game.outcome()
        assert outcome is not None
        assert outcome.winner is start.turn
        assert outcome.reason in {Reason.NO_PIECES, Reason.NO_MOVES}
        assert game.plies <= longest.plies


@settings(max_examples=60)
@given(endings(Ending.DRAW), seeds)
def test_a_drawn_ending_is_held_against_every_attack(ending: tuple[Position, EndgameValue], seed: int) -> None:
    start, _ = ending
    for attack in (best_move, by_lot(random.Random(seed)), shuffling(random.Random(seed))):
        outcome = played_out(start, best_move, attack, 200).outcome()
        assert outcome is None or outcome.winner in {None, start.turn}


@settings(max_examples=40)
@given(endings(Ending.LOSS), seeds)
def test_a_lost_ending_is_lost_against_the_best_play(ending: tuple[Position, EndgameValue], seed: int) -> None:
    start, value = ending
    assert value.plies is not None
    for defence in (best_move, by_lot(random.Random(seed)), shuffling(random.Random(seed))):
        game = played_out(start, defence, best_move)
        outcome = game.outcome()
        assert outcome is not None
        assert outcome.winner is start.turn.other
        assert game.plies <= value.plies


@settings(max_examples=60)
@given(endings(Ending.WIN), seeds)
def test_the_chosen_moves_win_with_room_to_spare(ending: tuple[Position, EndgameValue], seed: int) -> None:
    start, value = ending
    for defence in (best_move, by_lot(random.Random(seed)), shuffling(random.Random(seed))):
        game = Game(start)
        while game.outcome() is None:
            left = lookup(game.position)
            assert left is not None
            assert left.plies is not None
            assert game.plies + left.plies <= (value.plies or 0)
            game.play((chosen_move if game.position.turn is start.turn else defence)(game.position))
            assert game.quiet_plies <= 38
        outcome = game.outcome()
        assert outcome is not None
        assert outcome.winner is start.turn


@settings(max_examples=20)
@given(endings(Ending.DRAW), endings(Ending.LOSS))
def test_no_move_is_chosen_where_nothing_is_won(
    drawn: tuple[Position, EndgameValue], lost: tuple[Position, EndgameValue]
) -> None:
    for position, _ in (drawn, lost):
        assert _core.endgame_choice(*position.state, position.turn is Colour.BLACK) is None


def test_no_won_ending_is_drawn_by_the_forty_moves(tmp_path: Path) -> None:
    """All positions of up to four pieces, one by one, in a program of its own."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    program = tmp_path / "quiet_runs"
    names = ("endgame", "endgame_build", "endgame_choice", "endgame_index", "moves")
    sources = [str(QUIET_RUNS), *(str(CORE / f"{name}.c") for name in names)]
    subprocess.run([compiler, "-O2", "-I", str(CORE), *sources, "-o", str(program)], check=True)
    said = subprocess.run([str(program), "4"], check=True, capture_output=True, text=True).stdout
    runs = [[int(word) for word in line.split()] for line in said.splitlines()]
    assert [pieces for pieces, *_ in runs] == [2, 3, 4]
    assert all(longest == told < QUIET_PLIES for _, longest, told in runs)


@pytest.mark.parametrize("quiet", [60, 70, 74, 78])
def test_no_win_is_claimed_that_the_forty_moves_forestall(endgame_tables: None, quiet: int) -> None:
    game = Game(read_fen("W:WK1,K2:BK31"), DrawRules(repetition=False))
    chance = random.Random(3)
    while game.quiet_plies < quiet:
        position = game.position
        quiet_moves = [move for move in position.legal_moves() if not position.after(move).can_capture()]
        game.play(chance.choice(quiet_moves))
    value = lookup(game.position)
    assert value is not None and value.plies > 80 - quiet
    assert abs(CompiledSearch(VirtualClock()).choose(game, Limits(nodes=200_000)).score) < SURE_WIN
