"""Errands in which somebody does what the rules do not allow."""

from __future__ import annotations

from controller.draughts import (
    SQUARES,
    Colour,
    Move,
    Piece,
    Position,
    column_of,
    crowning_row,
    forward,
    neighbours,
    row_of,
    square_at,
)
from tests.sequences.direction import Director, Errand
from tests.sequences.positions import is_wrong, moves_where
from tests.sequences.stage import Stage

Step = tuple[int, int]
_ANY = moves_where(lambda _, __: True)


def wrong_direction(director: Director) -> None:
    """A man goes backwards."""
    stage, step = director.begin(lambda p: _steps(p, p.turn, backwards=True))
    _wrongly(stage, step, "men do not move backwards")


def own_piece_jumped(director: Director) -> None:
    """A player jumps a piece of his own and takes it off."""
    stage, (start, middle, end) = director.begin(_jumps_of_own)
    stage.enter(stage.position.turn)
    stage.carry((start, end))
    stage.take_off(middle)
    stage.leave()
    stage.expect("illegal", why="a player cannot jump his own pieces")


def capture_missed(director: Director) -> None:
    """A step although there is something to be captured."""
    stage, step = director.begin(lambda p: _steps(p, p.turn) if p.can_capture() else [])
    _wrongly(stage, step, "captures are compulsory")


def capture_missed_and_mended(director: Director) -> None:
    """The step is taken back, and the capture made."""
    stage, step = director.begin(lambda p: _steps(p, p.turn) if p.can_capture() else [])
    _wrongly(stage, step, "captures are compulsory")
    _mend(director, stage, step)


def two_squares(director: Director) -> None:
    """A piece goes two squares where there is nothing to jump."""
    stage, step = director.begin(_long_steps)
    _wrongly(stage, step, "pieces move one square at a time")


def two_squares_and_mended(director: Director) -> None:
    """It is put back, and a legal move is made."""
    stage, step = director.begin(_long_steps)
    _wrongly(stage, step, "pieces move one square at a time")
    _mend(director, stage, step)


def opponents_piece(director: Director) -> None:
    """The player whose turn it is moves a piece of the other side."""
    stage, step = director.begin(lambda p: _steps(p, p.turn.other))
    _wrongly(stage, step, "the piece is the opponent's")


def sideways(director: Director) -> None:
    """A man goes straight ahead, on to a square that is not played on."""
    stage, square = director.begin(_with_room_ahead)
    mover = stage.position.turn
    stage.enter(mover)
    stage.grasp(square)
    x, y = stage.centre(square)
    away = 40.0 if mover is stage.near else -40.0
    held = stage.lift(square)
    stage.put(held, (x, y + away), None)
    stage.leave()
    stage.expect("illegal", why="pieces move diagonally")


def two_pieces_moved(director: Director) -> None:
    """A player makes two moves at once."""
    stage, (one, two) = director.begin(_two_steps)
    stage.enter(stage.position.turn)
    stage.carry(one)
    stage.carry(two)
    stage.leave()
    stage.expect("illegal", why="more than one piece has moved")


def piece_stolen(director: Director) -> None:
    """A piece of the opponent's is taken off without a jump."""
    stage, square = director.begin(_can_go)
    stage.enter(stage.position.turn)
    stage.take_off(square)
    stage.leave()
    stage.expect("illegal", why="a piece is gone without a jump")


def piece_too_many(director: Director) -> None:
    """A disc from beside the board is put on an empty square."""
    stage, square = director.begin(_can_come)
    mover = stage.position.turn
    stage.enter(mover)
    stage.bring(square, mover)
    stage.leave()
    stage.expect("illegal", why="there is a piece too many")


def too_early(director: Director) -> None:
    """The side that has just moved moves once more."""
    stage, move = director.begin(_ANY)
    stage.play(move)
    again = [step for step in _steps(stage.position, stage.position.turn.other) if step[0] != move.end]
    if again:
        _wrongly(stage, director.chance.choice(again), "it is the other side's turn")


def _wrongly(stage: Stage, step: Step, why: str) -> None:
    stage.enter(stage.position.turn)
    stage.carry(step)
    stage.leave()
    stage.expect("illegal", why=why)


def _mend(director: Director, stage: Stage, step: Step) -> None:
    stage.enter(stage.position.turn)
    stage.carry(step[::-1])
    stage.leave()
    stage.expect("unchanged")
    stage.play(director.chance.choice(stage.position.legal_moves()))


def _may_stand(piece: Piece, square: int) -> bool:
    return piece.king or row_of(square) != crowning_row(piece.colour)


def _moved(position: Position, step: Step) -> bool:
    piece = position.piece_at(step[0])
    return piece is not None and is_wrong(position, {step[0]: None, step[1]: piece})


def _steps(position: Position, colour: Colour, backwards: bool = False) -> list[Step]:
    """Steps to empty neighbours that the rules do not allow; of men, backwards or forwards."""
    found = []
    for start in position.squares_of(colour):
        piece = position.piece_at(start)
        for end in neighbours(start):
            if piece is None or position.piece_at(end) is not None or not _may_stand(piece, end):
                continue
            ahead = (row_of(end) - row_of(start)) * forward(colour) > 0
            if (piece.king and backwards) or (not piece.king and ahead == backwards):
                continue
            if _moved(position, (start, end)):
                found.append((start, end))
    return found


def _long_steps(position: Position) -> list[Step]:
    found = []
    for start in position.squares_of(position.turn):
        piece = position.piece_at(start)
        for middle, end in _behind_neighbours(start):
            free = position.piece_at(middle) is None and position.piece_at(end) is None
            if piece is not None and free and _may_stand(piece, end) and _moved(position, (start, end)):
                found.append((start, end))
    return found


def _behind_neighbours(start: int) -> list[Step]:
    """Neighbours and the squares behind them."""
    found = []
    for middle in neighbours(start):
        end = square_at(2 * row_of(middle) - row_of(start), 2 * column_of(middle) - column_of(start))
        if end is not None:
            found.append((middle, end))
    return found


def _jumps_of_own(position: Position) -> list[tuple[int, int, int]]:
    found = []
    for start in position.squares_of(position.turn):
        piece = position.piece_at(start)
        for middle, end in _behind_neighbours(start):
            there = position.piece_at(middle)
            own = there is not None and there.colour is position.turn
            if piece is None or not own or position.piece_at(end) is not None or not _may_stand(piece, end):
                continue
            if is_wrong(position, {start: None, middle: None, end: piece}):
                found.append((start, middle, end))
    return found


def _with_room_ahead(position: Position) -> list[int]:
    """Men before whom the board goes on."""
    return [
        square
        for square in position.squares_of(position.turn)
        if 0 <= row_of(square) + forward(position.turn) < 8 and is_wrong(position, {square: None})
    ]


def _two_steps(position: Position) -> list[tuple[Step, Step]]:
    quiet = [move for move in position.legal_moves() if not move.captured and not move.crowns]
    return [
        ((one.start, one.end), (two.start, two.end))
        for one in quiet
        for two in quiet
        if len({one.start, one.end, two.start, two.end}) == 4 and _both_wrong(position, one, two)
    ]


def _both_wrong(position: Position, one: Move, two: Move) -> bool:
    pieces = position.pieces()
    return is_wrong(
        position, {one.start: None, two.start: None, one.end: pieces[one.start], two.end: pieces[two.start]}
    )


def _can_go(position: Position) -> list[int]:
    return [
        square
        for square in position.squares_of(position.turn.other)
        if position.board_of(position.turn.other).bit_count() > 1 and is_wrong(position, {square: None})
    ]


def _can_come(position: Position) -> list[int]:
    man = Piece(position.turn)
    return [
        square
        for square in SQUARES
        if position.piece_at(square) is None
        and position.board_of(position.turn).bit_count() < 12
        and _may_stand(man, square)
        and is_wrong(position, {square: man})
    ]


ERRANDS: tuple[Errand, ...] = (
    wrong_direction,
    own_piece_jumped,
    capture_missed,
    capture_missed_and_mended,
    two_squares,
    two_squares_and_mended,
    opponents_piece,
    sideways,
    two_pieces_moved,
    piece_stolen,
    piece_too_many,
    too_early,
)
