"""Legal moves: the traps of the rules one by one, and a second generator on coordinates that must agree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draughts import SQUARES, Colour, Move, Piece, Position, read_fen, unfinished_jumps, write_fen


def moves(fen: str) -> list[str]:
    return [str(move) for move in read_fen(fen).legal_moves()]


def test_black_begins() -> None:
    start = Position.start()
    assert start.turn is Colour.BLACK
    assert write_fen(start) == "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def test_capture_is_mandatory() -> None:
    assert moves("B:W18,32:B14,1,2") == ["14x23"]


def test_choice_between_captures_is_free_and_quiet_moves_are_not() -> None:
    # Two captures, one of them longer, and plenty of quiet moves.
    assert moves("B:W18,19,27,32:B15,1,3") == ["15x22", "15x24x31"]


def test_a_jump_must_be_carried_on() -> None:
    assert moves("B:W15,23:B11,1") == ["11x18x27"]


def test_men_do_not_jump_backwards_but_kings_do() -> None:
    assert moves("B:W6,7,31:B15,K11") == ["11x2x9"]
    assert "15x" not in " ".join(moves("B:W10,11,31:B15"))


def test_a_man_that_is_crowned_by_a_jump_ends_its_move() -> None:
    position = read_fen("B:W26,27:B22")
    (move,) = position.legal_moves()
    assert (str(move), move.crowns) == ("22x31", True)
    assert write_fen(position.after(move)) == "W:W27:BK31"


def test_a_king_in_the_same_place_jumps_on() -> None:
    assert moves("B:W26,27:BK22") == ["22x31x24"]


def test_a_step_crowns() -> None:
    position = read_fen("W:W5,32:B28,12")
    move = next(move for move in position.legal_moves() if move.end == 1)
    assert move.crowns
    assert position.after(move).piece_at(1) == Piece(Colour.WHITE, king=True)


def test_men_capture_kings() -> None:
    position = read_fen("W:W22:BK18,K1")
    (move,) = position.legal_moves()
    assert move.captured == (18,)
    assert write_fen(position.after(move)) == "B:W15:BK1"


def test_kings_do_not_fly() -> None:
    assert moves("B:W32:BK14") == ["14-9", "14-10", "14-17", "14-18"]
    assert moves("B:W23:BK14") == ["14-9", "14-10", "14-17", "14-18"]


def test_a_round_trip_may_end_where_it_began() -> None:
    position = read_fen("B:W18,19,26,27,5:BK15")
    (move,) = position.legal_moves()
    assert move == Move((15, 22, 31, 24, 15), (18, 26, 27, 19))
    assert move.start == move.end
    assert write_fen(position.after(move)) == "W:W5:BK15"
    assert len(position.routes()) == 2


def test_a_round_trip_may_go_on_past_the_start() -> None:
    position = read_fen("B:W18,19,26,27,11:BK15")
    assert {(move.end, frozenset(move.captured)) for move in position.legal_moves()} == {
        (8, frozenset({11})),
        (8, frozenset({11, 18, 19, 26, 27})),
    }


def test_the_same_captures_by_two_routes_are_one_move() -> None:
    position = read_fen("B:W14,15,22,23:BK10")
    routes, legal = position.routes(), position.legal_moves()
    assert len(routes) == 2
    assert len(legal) == 1
    assert legal[0] == routes[0]


def test_unfinished_jumps_are_the_proper_prefixes() -> None:
    assert unfinished_jumps(read_fen("B:W15,23:B11")) == (Move((11, 18), (15,)),)
    round_trip = read_fen("B:W18,19,26,27:BK15")
    assert [len(prefix.captured) for prefix in unfinished_jumps(round_trip)] == [1, 2, 3, 1, 2, 3]
    assert unfinished_jumps(Position.start()) == ()


def test_problems_name_everything_that_is_wrong() -> None:
    pieces = {square: Piece(Colour.WHITE) for square in range(4, 17)}
    pieces |= {30: Piece(Colour.BLACK), 31: Piece(Colour.BLACK, king=True)}
    problems = Position.of(pieces, Colour.BLACK).problems()
    assert problems == (
        "The black man on 30 stands on its crowning row, where it must be a king.",
        "White has 13 pieces, but a side has at most 12.",
        "The white man on 4 stands on its crowning row, where it must be a king.",
    )
    assert Position.of({}, Colour.BLACK).problems() == ("Black has no pieces.", "White has no pieces.")
    blocked = Position.of({28: Piece(Colour.BLACK), 32: Piece(Colour.WHITE)}, Colour.BLACK)
    assert blocked.problems() == ("Black is to move but has no legal move.",)
    assert Position.start().problems() == ()


# A second generator, on rows and columns, that shares nothing with the first.

Board = dict[tuple[int, int], tuple[str, bool]]


def place_of(square: int) -> tuple[int, int]:
    row, place = divmod(square - 1, 4)
    return row, 2 * place + (row + 1) % 2


PLACES = {place_of(square): square for square in range(1, 33)}


def reference_moves(position: Position) -> set[tuple[tuple[int, ...], tuple[int, ...], bool]]:
    board: Board = {place_of(square): (piece.colour.value, piece.king) for square, piece in position.pieces().items()}
    side = position.turn.value
    jumps: set[tuple[tuple[int, ...], tuple[int, ...], bool]] = set()
    steps: set[tuple[tuple[int, ...], tuple[int, ...], bool]] = set()
    last_row = 7 if side == "B" else 0

    def ways(king: bool) -> list[tuple[int, int]]:
        ahead = 1 if side == "B" else -1
        rows = [ahead, -ahead] if king else [ahead]
        return [(row, column) for row in rows for column in (-1, 1)]

    def jump(path: list[tuple[int, int]], over: list[tuple[int, int]], king: bool) -> None:
        row, column = path[-1]
        going = False
        crowned = not king and row == last_row
        for down, right in [] if crowned else ways(king):
            middle, end = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if board.get(middle, (side,))[0] == side or middle in over or end not in PLACES:
                continue
            if end in board and end != path[0]:
                continue
            going = True
            jump([*path, end], [*over, middle], king)
        if over and not going:
            jumps.add((tuple(PLACES[at] for at in path), tuple(PLACES[at] for at in over), crowned))

    for (row, column), (colour, king) in board.items():
        if colour != side:
            continue
        jump([(row, column)], [], king)
        for down, right in ways(king):
            end = (row + down, column + right)
            if end in PLACES and end not in board:
                crowned = not king and end[0] == last_row
                steps.add(((PLACES[row, column], PLACES[end]), (), crowned))
    return jumps or steps


@st.composite
def positions(draw: st.DrawFn) -> Position:
    squares = draw(st.lists(st.sampled_from(SQUARES), min_size=2, max_size=20, unique=True))
    pieces = {}
    for square in squares:
        colour = draw(st.sampled_from(Colour))
        if sum(piece.colour is colour for piece in pieces.values()) == 12:
            continue
        crowned = (colour is Colour.BLACK and square >= 29) or (colour is Colour.WHITE and square <= 4)
        pieces[square] = Piece(colour, crowned or draw(st.booleans()))
    return Position.of(pieces, draw(st.sampled_from(Colour)))


@settings(max_examples=600, deadline=None)
@given(positions())
def test_both_generators_agree(position: Position) -> None:
    found = [(move.path, move.captured, move.crowns) for move in position.routes()]
    assert len(found) == len(set(found))
    assert set(found) == reference_moves(position)


@settings(max_examples=300, deadline=None)
@given(positions())
def test_a_move_changes_what_it_says_and_nothing_else(position: Position) -> None:
    before = position.pieces()
    for move in position.legal_moves():
        expected = {square: piece for square, piece in before.items() if square not in (move.start, *move.captured)}
        expected[move.end] = Piece(position.turn, before[move.start].king or move.crowns)
        after = position.after(move)
        assert after.pieces() == expected
        assert after.turn is position.turn.other
        assert after.contradictions() == ()


@settings(max_examples=200, deadline=None)
@given(positions())
def test_turning_the_board_turns_the_moves(position: Position) -> None:
    turned = Position.of(
        {33 - square: Piece(piece.colour.other, piece.king) for square, piece in position.pieces().items()},
        position.turn.other,
    )
    assert {tuple(33 - square for square in move.path) for move in turned.routes()} == {
        move.path for move in position.routes()
    }
