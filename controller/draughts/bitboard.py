"""Move generation on integers: the fast inside of the rules, shared by perft and the search.

A board is an integer of 35 bits. Every second row is followed by one bit that is never set, so that the four
diagonal neighbours of any square are always 4 or 5 bits away and a step off the board lands on an unset bit.
Square s sits at bit (s - 1) + (s - 1) // 8.

All functions look from the side to move: `own` and `other` are the two sides' pieces, `kings` the kings of
both, `black` whether Black is to move. Black's men go towards higher bits.
"""

from __future__ import annotations

BITS: tuple[int, ...] = (0, *(1 << (index + index // 8) for index in range(32)))
"""The bit of each square; index 0 is unused."""

SQUARE_OF: dict[int, int] = {bit: square for square, bit in enumerate(BITS) if bit}
"""The square of each bit."""

BOARD = sum(BITS)
BLACK_CROWNING = sum(BITS[29:33])
WHITE_CROWNING = sum(BITS[1:5])

State = tuple[int, int, int]
"""`own`, `other`, `kings` of the side to move."""

Route = tuple[tuple[int, ...], tuple[int, ...]]
"""The bits a jumping piece visits, start first, and the bits it jumps, in order."""


def squares_of(board: int) -> tuple[int, ...]:
    """The squares whose bits are set, in ascending order."""
    found = []
    while board:
        bit = board & -board
        board ^= bit
        found.append(SQUARE_OF[bit])
    return tuple(found)


def board_of(squares: tuple[int, ...] | list[int]) -> int:
    """The board with the bits of `squares` set."""
    board = 0
    for square in squares:
        board |= BITS[square]
    return board


def jumpers(own: int, other: int, kings: int, black: bool) -> int:
    """The pieces of `own` that can jump."""
    empty = BOARD & ~(own | other)
    up, down = (own, own & kings) if black else (own & kings, own)
    able = up & (((other >> 4) & (empty >> 8)) | ((other >> 5) & (empty >> 10)))
    if down:
        able |= down & (((other << 4) & (empty << 8)) | ((other << 5) & (empty << 10)))
    return able


def quiet_steps(own: int, other: int, kings: int, black: bool) -> list[tuple[int, int]]:
    """The steps (start bit, end bit) that capture nothing, whether or not a jump is compulsory."""
    empty = BOARD & ~(own | other)
    up, down = (own, own & kings) if black else (own & kings, own)
    steps = []
    for shift in (4, 5):
        ends = (up << shift) & empty
        while ends:
            end = ends & -ends
            ends ^= end
            steps.append((end >> shift, end))
        ends = (down >> shift) & empty
        while ends:
            end = ends & -ends
            ends ^= end
            steps.append((end << shift, end))
    return steps


def jump_routes(own: int, other: int, kings: int, black: bool) -> list[Route]:
    """Every complete jumping route, those with the same result one by one."""
    routes: list[Route] = []
    starts = jumpers(own, other, kings, black)
    while starts:
        start = starts & -starts
        starts ^= start
        king = bool(start & kings)
        empty = BOARD & ~(own | other) | start
        crowning = 0 if king else (BLACK_CROWNING if black else WHITE_CROWNING)
        _extend(routes, (start,), (), other, empty, black or king, king or not black, crowning)
    return routes


def _extend(
    routes: list[Route],
    path: tuple[int, ...],
    captured: tuple[int, ...],
    other: int,
    empty: int,
    up: bool,
    down: bool,
    crowning: int,
) -> None:
    """Append to `routes` every way to carry on a jump that has come along `path`.

    A jumped piece leaves the board at once; by parity that allows nothing that leaving at the end would forbid.
    """
    at = path[-1]
    found = False
    if not at & crowning or not captured:
        for allowed, over, end in (
            (up, at << 4, at << 8),
            (up, at << 5, at << 10),
            (down, at >> 4, at >> 8),
            (down, at >> 5, at >> 10),
        ):
            if allowed and over & other and end & empty:
                found = True
                _extend(routes, (*path, end), (*captured, over), other ^ over, empty | over, up, down, crowning)
    if not found:
        routes.append((path, captured))


def successors(own: int, other: int, kings: int, black: bool) -> list[State]:
    """The states after each legal move, seen from the opponent, who is then to move.

    Jumping routes with the same result appear once each; there is no state when the side to move has lost.
    """
    empty = BOARD & ~(own | other)
    if black:
        up, down, crowning = own, own & kings, BLACK_CROWNING
    else:
        up, down, crowning = own & kings, own, WHITE_CROWNING
    if up & (((other >> 4) & (empty >> 8)) | ((other >> 5) & (empty >> 10))) or down & (
        ((other << 4) & (empty << 8)) | ((other << 5) & (empty << 10))
    ):
        return _jump_successors(own, other, kings, black)
    states = []
    ends = (up << 4) & empty
    while ends:
        end = ends & -ends
        ends ^= end
        start = end >> 4
        states.append((other, own ^ start ^ end, kings ^ start ^ end if kings & start else kings | (end & crowning)))
    ends = (up << 5) & empty
    while ends:
        end = ends & -ends
        ends ^= end
        start = end >> 5
        states.append((other, own ^ start ^ end, kings ^ start ^ end if kings & start else kings | (end & crowning)))
    ends = (down >> 4) & empty
    while ends:
        end = ends & -ends
        ends ^= end
        start = end << 4
        states.append((other, own ^ start ^ end, kings ^ start ^ end if kings & start else kings | (end & crowning)))
    ends = (down >> 5) & empty
    while ends:
        end = ends & -ends
        ends ^= end
        start = end << 5
        states.append((other, own ^ start ^ end, kings ^ start ^ end if kings & start else kings | (end & crowning)))
    return states


def _jump_successors(own: int, other: int, kings: int, black: bool) -> list[State]:
    states = []
    crowning = BLACK_CROWNING if black else WHITE_CROWNING
    for path, captured in jump_routes(own, other, kings, black):
        start, end = path[0], path[-1]
        gone = sum(captured)
        kings_left = kings & ~gone
        if kings & start:
            kings_left ^= start ^ end
        else:
            kings_left |= end & crowning
        states.append((other ^ gone, own ^ start ^ end, kings_left))
    return states


def move_count(own: int, other: int, kings: int, black: bool) -> int:
    """The number of legal moves, each jumping route counted by itself."""
    empty = BOARD & ~(own | other)
    up, down = (own, own & kings) if black else (own & kings, own)
    if up & (((other >> 4) & (empty >> 8)) | ((other >> 5) & (empty >> 10))) or down & (
        ((other << 4) & (empty << 8)) | ((other << 5) & (empty << 10))
    ):
        return len(jump_routes(own, other, kings, black))
    return (
        ((up << 4) & empty).bit_count()
        + ((up << 5) & empty).bit_count()
        + ((down >> 4) & empty).bit_count()
        + ((down >> 5) & empty).bit_count()
    )
