"""The compiled move generator against the rules in Python, which are the oracle."""

from __future__ import annotations

import random

import pytest

from controller.draughts import Colour, Position, read_fen
from controller.draughts.bitboard import BITS, BLACK_CROWNING, BOARD, WHITE_CROWNING, successors
from controller.engine.choosing import is_compiled
from controller.engine.counting import count_sequences, count_sequences_by_move
from tests.engine_benchmark import core_leaves_per_second, reference_leaves_per_second

RANDOM_POSITIONS = 100_000
PERFT = (7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128, 388623673)
MERGED_12 = 388617999
FURTHER = {
    "W:WK18,K19,K26,27,30,31,32:BK1,2,3,4,K10,11,12": (7513466, 59375720, 59375206),
    "W:W9,10,13,21,22,K30:B19,20,24,25,28,K3": (566181, 3958147, 3958142),
}


def test_the_extension_is_built() -> None:
    """Where the tests run there is a compiler; a machine without one plays in plain Python."""
    assert is_compiled()


def random_state(chance: random.Random) -> tuple[int, int, int]:
    """Any mixture of men and kings, from nearly empty boards to crowded ones, men on no crowning row."""
    share = chance.uniform(0.05, 0.8)
    kings_share = chance.choice((0.0, 0.1, 0.5, 1.0))
    boards = [0, 0]
    kings = 0
    for bit in BITS[1:]:
        if chance.random() >= share:
            continue
        side = chance.getrandbits(1)
        if boards[side].bit_count() == 12:
            continue
        boards[side] |= bit
        crowned = bit & (WHITE_CROWNING if side else BLACK_CROWNING)
        if crowned or chance.random() < kings_share:
            kings |= bit
    return boards[0], boards[1], kings


def test_positions_after_each_move_equal_the_rules() -> None:
    from controller.engine import _core

    chance = random.Random(4)
    compared = 0
    while compared < RANDOM_POSITIONS:
        black_pieces, white_pieces, kings = random_state(chance)
        black = bool(chance.getrandbits(1))
        own, other = (black_pieces, white_pieces) if black else (white_pieces, black_pieces)
        expected = successors(own, other, kings, black)
        found = _core.successors(own, other, kings, black)
        assert len(found) == len(set(found))
        assert set(found) == set(expected), (own, other, kings, black)
        compared += 1
    assert own & other == 0
    assert (own | other) & ~BOARD == 0


@pytest.mark.parametrize("merged", [False, True])
def test_perft_of_the_start_is_exact_to_depth_twelve(merged: bool) -> None:
    if merged:
        assert count_sequences(Position.start(), 12, merged=True) == MERGED_12
    else:
        assert tuple(count_sequences(Position.start(), depth) for depth in range(1, 13)) == PERFT


@pytest.mark.parametrize("fen", FURTHER)
def test_perft_of_further_positions_is_exact_to_depth_eight(fen: str) -> None:
    position = read_fen(fen)
    depth_7, depth_8, merged_8 = FURTHER[fen]
    assert count_sequences(position, 7) == depth_7
    assert count_sequences(position, 8) == depth_8
    assert count_sequences(position, 8, merged=True) == merged_8


def test_the_parts_of_a_count_add_up() -> None:
    parts = count_sequences_by_move(Position.start(), 10)
    assert sum(parts.values()) == PERFT[9]
    assert Position.start().turn is Colour.BLACK


def test_perft_is_as_fast_as_plain_c() -> None:
    reference = reference_leaves_per_second(depth=8, repeats=9)
    if reference is None:
        pytest.skip("there is no C compiler here to build the reference with")
    assert core_leaves_per_second(depth=8, repeats=9) > 0.75 * reference  # The benchmark measures more exactly.
