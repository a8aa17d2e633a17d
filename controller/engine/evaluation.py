"""What a position is worth when the search goes no deeper: material, and a little of how it stands.

Scores are in hundredths of a man. Rows are counted from Black's side as in `draughts.squares`.
"""

from __future__ import annotations

from controller.draughts.bitboard import BITS, BOARD, board_of
from controller.draughts.squares import SQUARES, column_of, row_of

MAN = 100
KING = 130
_ADVANCE = 2
_ADVANCE_IN_ENDING = 5
_BACK_GUARD = 7
_CENTRE = 3
_KING_CENTRE = 6
_MOBILITY = 1
_FEW_PIECES = 10
"""From here on men hurry to crown, and kings hunt and flee."""
_TRADE_SHARE = 40
"""A lead grows by 1/40 for each piece that has left the board, so that the side ahead trades."""
_DISTANCE = 4
_SHELTER = 15
_SHELTER_ROOM = 3

_ROW_BITS = tuple(board_of([square for square in SQUARES if row_of(square) >> power & 1]) for power in range(3))
"""The rows whose number has the bit 1, 2 or 4 set: three counts add up the rows of all men."""
_BLACK_GUARDS = board_of([1, 3])
_WHITE_GUARDS = board_of([30, 32])
_CENTRE_SQUARES = board_of([10, 11, 14, 15, 18, 19, 22, 23])
_DOUBLE_CORNERS = board_of([1, 5, 28, 32])

_DISTANCES: dict[int, dict[int, int]] = {
    BITS[one]: {
        BITS[two]: max(abs(row_of(one) - row_of(two)), abs(column_of(one) - column_of(two))) for two in SQUARES
    }
    for one in SQUARES
}


def evaluate(own: int, other: int, kings: int, black: bool) -> int:
    """The score of a position as the side to move sees it; nobody has won, and no jump is pending."""
    black_pieces, white_pieces = (own, other) if black else (other, own)
    black_kings, white_kings = black_pieces & kings, white_pieces & kings
    black_men, white_men = black_pieces ^ black_kings, white_pieces ^ white_kings
    black_men_count, white_men_count = black_men.bit_count(), white_men.bit_count()
    black_count, white_count = black_pieces.bit_count(), white_pieces.bit_count()
    total = black_count + white_count

    lead = (black_men_count - white_men_count) * MAN
    if kings:
        lead += (black_kings.bit_count() - white_kings.bit_count()) * KING
    score = lead + int(lead * (24 - total) / _TRADE_SHARE)  # Rounded alike for both colours.

    ones, twos, fours = _ROW_BITS
    rows = (
        (black_men & ones).bit_count()
        + (white_men & ones).bit_count()
        + 2 * ((black_men & twos).bit_count() + (white_men & twos).bit_count())
        + 4 * ((black_men & fours).bit_count() + (white_men & fours).bit_count())
        - 7 * white_men_count
    )
    score += rows * (_ADVANCE if total > _FEW_PIECES else _ADVANCE_IN_ENDING)
    score += _CENTRE * ((black_men & _CENTRE_SQUARES).bit_count() - (white_men & _CENTRE_SQUARES).bit_count())
    if white_men:
        score += _BACK_GUARD * (black_men & _BLACK_GUARDS).bit_count()
    if black_men:
        score -= _BACK_GUARD * (white_men & _WHITE_GUARDS).bit_count()

    if kings:
        score += _KING_CENTRE * (
            (black_kings & _CENTRE_SQUARES).bit_count() - (white_kings & _CENTRE_SQUARES).bit_count()
        )
        if total <= _FEW_PIECES and black_count != white_count:
            empty = BOARD & ~(black_pieces | white_pieces)
            if black_count > white_count:
                score += _hunt(black_kings, white_kings, empty)
            else:
                score -= _hunt(white_kings, black_kings, empty)
    return score if black else -score


def _hunt(hunters: int, hunted: int, empty: int) -> int:
    """What the kings of the side ahead have gained in driving the enemy's: near, out of the corners, no room."""
    score = 0
    while hunted:
        king = hunted & -hunted
        hunted ^= king
        distances = _DISTANCES[king]
        pack = hunters
        while pack:
            hunter = pack & -pack
            pack ^= hunter
            score -= _DISTANCE * distances[hunter]
        if king & _DOUBLE_CORNERS:
            score -= _SHELTER
        room = empty & ((king << 4) | (king << 5) | (king >> 4) | (king >> 5))
        score -= _SHELTER_ROOM * room.bit_count()
    return score


def position_noise(own: int, other: int, kings: int, black: bool, seed: int) -> float:
    """A random number for a position, the same at every call: mean 0, standard deviation 1, within ±√6.

    It is what a weak player misjudges; as the side to move sees it, so that both sides of a search agree.
    """
    black_pieces, white_pieces = (own, other) if black else (other, own)
    mixed = black_pieces * 0x9E3779B97F4A7C15 ^ white_pieces * 0xC2B2AE3D27D4EB4F ^ kings * 0x165667B19E3779F9
    mixed = (mixed + seed * 0x27D4EB2F165667C5) & 0xFFFFFFFFFFFFFFFF
    mixed = (mixed ^ (mixed >> 31)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF  # The finaliser of splitmix64.
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    mixed ^= mixed >> 31
    spread = ((mixed & 0xFFFF) + (mixed >> 16 & 0xFFFF)) / 0xFFFF - 1.0  # A triangle over ±1: deviation 1/√6.
    return spread * 6**0.5 * (1 if black else -1)
