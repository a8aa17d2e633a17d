"""What the endgame tables say, against the published counts and against the rules in Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest

from controller.draughts import Colour, Position, read_fen
from controller.draughts.bitboard import BITS, BLACK_CROWNING, WHITE_CROWNING, State, jumpers, successors
from controller.engine import _core
from controller.engine.endgame import EndgameValue, Ending, lookup
from controller.engine.endgame.survey import survey_tables
from tests.engine.endgame_positions import random_ending

FIRST_POSITION = "WK15,20:BK28,12"


def all_states(pieces: int) -> Iterator[State]:
    """Every position of so many pieces with Black to move: both sides have one, no man stands where it is crowned."""
    for bits in combinations(BITS[1:], pieces):
        every = sum(bits)
        parts = [sum(part) for size in range(pieces + 1) for part in combinations(bits, size)]
        for own, kings in product(parts[1:-1], parts):
            if not (own & BLACK_CROWNING | (every - own) & WHITE_CROWNING) & ~kings:
                yield own, every - own, kings


def turned(state: State) -> State:
    """The same state with the board turned round."""
    own, other, kings = (int(f"{board:035b}"[::-1], 2) for board in state)
    return own, other, kings


def solved(states: list[State], known: dict[State, int | None]) -> dict[State, int | None]:
    """Plies to the end for each state (odd: won, even: lost, None: drawn), by spreading back from the ends.

    `known`: the same for all positions of fewer pieces.
    """
    before: dict[State, list[State]] = {state: [] for state in states}
    open_moves: dict[State, int] = {}
    ends: dict[int, list[State]] = {0: []}
    for state in states:
        moves = [turned(after) for after in successors(*state, True)]
        open_moves[state] = len(moves)
        if not moves:
            ends[0].append(state)
        for after in moves:
            before.setdefault(after, []).append(state)
    for after in before.keys() - open_moves.keys():
        distance = known[after] if after[0] else 0
        if distance is not None:
            ends.setdefault(distance, []).append(after)
    found: dict[State, int | None] = dict.fromkeys(before)
    for distance in range(200):
        for after in ends.pop(distance, ()):
            if found[after] is not None:
                continue
            found[after] = distance
            for state in before[after]:
                open_moves[state] -= distance % 2
                if distance % 2 == 0 or not open_moves[state]:
                    ends.setdefault(distance + 1, []).append(state)
    assert not ends
    return {state: found[state] for state in states}


def signed(distance: int | None) -> int | None:
    """The distance as the tables tell it: 0 a draw, minus a loss; None where there is no move."""
    if not distance:
        return None if distance == 0 else 0
    return distance if distance % 2 else -distance


def test_every_position_of_two_and_three_pieces_equals_an_independent_solution(endgame_tables: None) -> None:
    known: dict[State, int | None] = {}
    for pieces in (2, 3):
        known |= solved(list(all_states(pieces)), known)
    assert len(known) == (6976 + 392064) // 2
    for state, distance in known.items():
        assert _core.endgame_value(*state, True) == signed(distance)
        assert _core.endgame_value(*turned(state), False) == signed(distance)
    longest = [max(distance for distance in known.values() if distance and distance % 2 == odd) for odd in (1, 0)]
    assert longest == [61, 62]  # As published.


def test_counts_equal_the_published_ones(endgame_folder: Path) -> None:
    counts = {count.pieces: count for count in survey_tables(endgame_folder).counts}
    assert {pieces: (counts[pieces].wins, counts[pieces].losses, counts[pieces].draws) for pieces in (2, 3, 4)} == {
        2: (1432, 804, 4740),
        3: (200500, 174610, 16954),
        4: (5148608, 3834180, 3435844),
    }
    assert counts[3].longest == 62
    assert [counts[pieces].complete for pieces in (2, 3, 4, 5, 6)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        (f"W:{FIRST_POSITION}", EndgameValue(Ending.WIN, 81)),
        (f"B:{FIRST_POSITION}", EndgameValue(Ending.DRAW)),
        ("W:WK1:BK32,K28", EndgameValue(Ending.LOSS, 32)),
        ("B:WK5,K1:BK32", EndgameValue(Ending.LOSS, 32)),  # The same turned round.
        ("B:WK1:BK6", EndgameValue(Ending.DRAW)),
        ("W:WK9:BK14", EndgameValue(Ending.WIN, 1)),  # A jump is pending.
        ("B:W14:B9", EndgameValue(Ending.WIN, 1)),
        ("B:W6:B1", EndgameValue(Ending.WIN, 1)),
        ("W:W13:B9,6", EndgameValue(Ending.LOSS, 0)),  # No move.
    ],
)
def test_known_endings(endgame_tables: None, fen: str, value: EndgameValue) -> None:
    assert lookup(read_fen(fen)) == value


def best_of(position: Position) -> int | None:
    """The value by the tables' values of the positions after each move; None where there is no move."""
    after = []
    for move in position.legal_moves():
        reached = position.after(move)
        value = _core.endgame_value(*reached.state, reached.turn is Colour.BLACK)
        # Where the opponent has no pieces or no move, the game has been won.
        after.append(1 if value is None else 0 if value == 0 else -value - 1 if value > 0 else -value + 1)
    wins, losses = [value for value in after if value > 0], [value for value in after if value < 0]
    if wins:
        return min(wins)
    return 0 if 0 in after else min(losses, default=None)


def test_positions_of_four_pieces_are_worth_the_best_of_their_moves(endgame_tables: None) -> None:
    chance = random.Random(11)
    seen = set()
    for _ in range(8_000):
        position = random_ending(chance, 4)
        value = _core.endgame_value(*position.state, position.turn is Colour.BLACK)
        assert value == best_of(position), position
        seen.add((value is None, value is not None and (value > 0) - (value < 0)))
    assert seen == {(True, False), (False, 1), (False, 0), (False, -1)}


def test_positions_with_a_jump_are_looked_up_like_others(endgame_tables: None) -> None:
    chance = random.Random(12)
    jumping = 0
    while jumping < 1_000:
        position = random_ending(chance, 4)
        if not jumpers(*position.state, position.turn is Colour.BLACK):
            continue
        jumping += 1
        assert _core.endgame_value(*position.state, position.turn is Colour.BLACK) == best_of(position), position


@pytest.mark.parametrize(
    "fen", ["W:WK1,K2,K3:BK32,K28", "B:W21,22,23:B1,2,3", "B:W21,22,23,24,25,26,27,28:B1,2,3,4,5,6,7,8"]
)
def test_more_pieces_than_the_tables_have_are_not_known(endgame_tables: None, fen: str) -> None:
    position = read_fen(fen)
    assert lookup(position) is None
    assert _core.endgame_value(*position.state, position.turn is Colour.BLACK) is None


@pytest.mark.parametrize(
    "state",
    [
        (BITS[32], BITS[1], 0, True),  # A black man on its crowning row.
        (BITS[5], BITS[2], 0, True),  # A white one.
        (0, BITS[2], 0, True),
        (BITS[5], 0, 0, False),
        (0, 0, 0, False),
    ],
)
def test_what_no_game_reaches_is_not_known(endgame_tables: None, state: tuple[int, int, int, bool]) -> None:
    assert _core.endgame_value(*state) is None


@pytest.mark.parametrize("state", [(1, 1, 0), (1, 2, 4), (1 << 8, 2, 0), (1 << 40, 2, 0)])
def test_boards_that_are_no_position_are_refused(endgame_tables: None, state: State) -> None:
    with pytest.raises(ValueError, match="no position"):
        _core.endgame_value(*state, True)


def test_nothing_is_known_without_tables(no_endgame_tables: None) -> None:
    assert _core.endgame_pieces() == 0
    assert lookup(read_fen(f"W:{FIRST_POSITION}")) is None
    assert _core.endgame_value(BITS[1], BITS[32], BITS[1] | BITS[32], True) is None
