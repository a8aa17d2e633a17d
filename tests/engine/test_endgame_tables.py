"""What the endgame tables say, against the published counts and against the rules in Python."""

from __future__ import annotations

import random
from collections import deque
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

Node = tuple[int, int, int, bool]
"""A state of the side to move, and whether that is Black."""

FIRST_POSITION = "WK15,20:BK28,12"


def all_nodes(pieces: int) -> Iterator[Node]:
    """Every position of so many pieces in which both sides have one and no man stands where it must be a king."""
    for bits in combinations(BITS[1:], pieces):
        for colours, crowns in product(product((0, 1), repeat=pieces), repeat=2):
            black, white = (
                sum(bit for bit, colour in zip(bits, colours, strict=True) if colour == side) for side in (0, 1)
            )
            kings = sum(bit for bit, crown in zip(bits, crowns, strict=True) if crown)
            if black and white and not (black & BLACK_CROWNING | white & WHITE_CROWNING) & ~kings:
                yield black, white, kings, True
                yield white, black, kings, False


def solved(nodes: list[Node], known: dict[Node, int | None]) -> dict[Node, int | None]:
    """Plies to the end for each node (odd: won, even: lost, None: drawn), by spreading back from the ends one by one.

    `known`: the same for all positions of fewer pieces.
    """
    distances: dict[Node, int | None] = dict.fromkeys(nodes)
    before: dict[Node, list[Node]] = {}
    open_moves: dict[Node, list[Node]] = {}
    ends: dict[int, list[Node]] = {}
    for node in nodes:
        *state, black = node
        nexts: list[Node] = [(*after, not black) for after in successors(*state, black)]
        open_moves[node] = nexts
        for after in nexts:
            before.setdefault(after, []).append(node)
        if not nexts:
            ends.setdefault(0, []).append(node)
    outside = set(before) - set(nodes)
    for after in outside:
        distance = known[after] if after[0] else 0
        if distance is not None:
            ends.setdefault(distance, []).append(after)
    settled: dict[Node, int] = {}
    lost_after: dict[Node, int] = {}
    for distance in range(200):
        queue = deque(ends.pop(distance, ()))
        while queue:
            node = queue.popleft()
            if node in settled:
                continue
            settled[node] = distance
            for earlier in before.get(node, ()):
                if distance % 2 == 0:
                    ends.setdefault(distance + 1, []).append(earlier)
                else:
                    lost_after[earlier] = lost_after.get(earlier, 0) + 1
                    if lost_after[earlier] == len(open_moves[earlier]):
                        ends.setdefault(distance + 1, []).append(earlier)
    assert not ends
    distances.update((node, distance) for node, distance in settled.items() if node in distances)
    return distances


def signed(distance: int | None) -> int | None:
    """The distance as the tables tell it: 0 a draw, minus a loss; None where there is no move."""
    if not distance:
        return None if distance == 0 else 0
    return distance if distance % 2 else -distance


def test_every_position_of_two_and_three_pieces_equals_an_independent_solution(endgame_tables: None) -> None:
    known: dict[Node, int | None] = {}
    for pieces in (2, 3):
        known |= solved(list(all_nodes(pieces)), known)
    wrong = [node for node, distance in known.items() if _core.endgame_value(*node) != signed(distance)]
    assert len(known) == 6976 + 392064
    assert not wrong
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
    for _ in range(15_000):
        position = random_ending(chance, 4)
        value = _core.endgame_value(*position.state, position.turn is Colour.BLACK)
        assert value == best_of(position), position
        seen.add((value is None, value is not None and (value > 0) - (value < 0)))
    assert seen == {(True, False), (False, 1), (False, 0), (False, -1)}


def test_positions_with_a_jump_are_looked_up_like_others(endgame_tables: None) -> None:
    chance = random.Random(12)
    jumping = 0
    while jumping < 2_000:
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
def test_what_no_game_reaches_is_not_known(endgame_tables: None, state: Node) -> None:
    assert _core.endgame_value(*state) is None


@pytest.mark.parametrize("state", [(1, 1, 0), (1, 2, 4), (1 << 8, 2, 0), (1 << 40, 2, 0)])
def test_boards_that_are_no_position_are_refused(endgame_tables: None, state: State) -> None:
    with pytest.raises(ValueError, match="no position"):
        _core.endgame_value(*state, True)


def test_nothing_is_known_without_tables() -> None:
    assert _core.endgame_pieces() == 0
    assert lookup(read_fen(f"W:{FIRST_POSITION}")) is None
    assert _core.endgame_value(BITS[1], BITS[32], BITS[1] | BITS[32], True) is None
