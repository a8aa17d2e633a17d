"""Errands in which legal moves are made, whole, broken off, or made carelessly."""

from __future__ import annotations

from controller.draughts import Colour, Move, Position, row_of, unfinished_jumps
from tests.sequences.direction import Director, Errand
from tests.sequences.positions import moves_where
from tests.sequences.stage import CARELESS_MM, Stage


def _king(position: Position, move: Move) -> bool:
    piece = position.piece_at(move.start)
    return piece is not None and piece.king


def _back(position: Position, move: Move) -> bool:
    """Whether a king goes where a man could not."""
    step = row_of(move.end) - row_of(move.start)
    return _king(position, move) and (step < 0) == (position.turn is Colour.BLACK)


PLAIN = moves_where(lambda _, move: not move.captured and not move.crowns)
SINGLE = moves_where(lambda _, move: len(move.captured) == 1 and not move.crowns)
DOUBLE = moves_where(lambda _, move: len(move.captured) == 2)
TRIPLE = moves_where(lambda _, move: len(move.captured) >= 3)
KING_JUMP = moves_where(lambda position, move: len(move.captured) >= 2 and _king(position, move))
KING_BACK = moves_where(lambda position, move: not move.captured and _back(position, move))
CROWNING = moves_where(lambda _, move: move.crowns)
ANY_JUMP = moves_where(lambda _, move: bool(move.captured))
ANY = moves_where(lambda _, __: True)


def simple_move(director: Director) -> None:
    """A man or a king goes one step."""
    stage, move = director.begin(PLAIN)
    stage.play(move)


def single_jump(director: Director) -> None:
    """One disc or stack is jumped and taken away."""
    stage, move = director.begin(SINGLE)
    stage.play(move, first_off=director.chance.random() < 0.3)


def double_jump(director: Director) -> None:
    """Two in one move."""
    stage, move = director.begin(DOUBLE)
    stage.play(move)


def triple_jump(director: Director) -> None:
    """Three or more."""
    stage, move = director.begin(TRIPLE)
    stage.play(move)


def long_king_jump(director: Director) -> None:
    """A king takes two or more, perhaps coming back to where it was."""
    stage, move = director.begin(KING_JUMP)
    stage.play(move)


def king_back(director: Director) -> None:
    """A king goes backwards."""
    stage, move = director.begin(KING_BACK)
    stage.play(move)


def crowning(director: Director) -> None:
    """A man is crowned by a second disc."""
    stage, move = director.begin(CROWNING)
    stage.play(move)


def crown_forgotten(director: Director) -> None:
    """The crown stays away: a move all the same."""
    stage, move = director.begin(CROWNING)
    stage.play(move, crown=False)


def crown_later(director: Director) -> None:
    """The crown comes with a second reach."""
    stage, move = director.begin(CROWNING)
    mover = stage.position.turn
    stage.play(move, crown=False)
    stage.enter(mover)
    stage.crown(move.end)
    stage.leave()
    stage.expect("unchanged")


def jump_broken_off(director: Director) -> None:
    """Of a double jump only the first half is made."""
    stage, part = director.begin(_parts)
    _break_off(stage, part)


def jump_gone_on_with(director: Director) -> None:
    """The rest follows after a while."""
    stage, part = director.begin(_parts)
    _break_off(stage, part)
    whole = director.chance.choice([route for route in stage.position.routes() if _begins(route, part)])
    mover = stage.position.turn
    stage.enter(mover)
    stage.make(Move(whole.path[len(part.path) - 1 :], whole.captured[len(part.captured) :], whole.crowns))
    stage.leave()
    stage.expect_move(whole)


def captured_left_standing(director: Director) -> None:
    """A captured disc stays on the board."""
    stage, move = director.begin(ANY_JUMP)
    _leave_one_standing(stage, move)


def captured_taken_later(director: Director) -> None:
    """It is taken away after a while."""
    stage, move = director.begin(ANY_JUMP)
    left = _leave_one_standing(stage, move)
    mover = stage.position.turn
    stage.enter(mover)
    stage.take_off(left)
    stage.leave()
    stage.expect_move(move)


def two_moves(director: Director) -> None:
    """One side moves, then the other."""
    _game(director, 2)


def short_game(director: Director) -> None:
    """Half a dozen moves from the start."""
    _game(director, 6, from_the_start=True)


def between_two_frames(director: Director) -> None:
    """A whole move that no frame shows a hand of."""
    stage, move = director.begin(PLAIN)
    stage.shift(move.start, move.end)
    stage.expect_move(move)


def careless_placement(director: Director) -> None:
    """A disc is put down nearly on the next square."""
    stage, move = director.begin(ANY)
    stage.off_mm = CARELESS_MM
    stage.play(move)


def careless_game(director: Director) -> None:
    """Three moves by people who put discs down anyhow."""
    _game(director, 3, off_mm=CARELESS_MM)


def move_taken_back(director: Director) -> None:
    """The player thinks better of it before letting the board go, and then makes another move."""
    stage, move = director.begin(PLAIN)
    stage.enter(stage.position.turn)
    stage.carry(move.path)
    stage.carry(move.path[::-1])
    stage.leave()
    stage.expect("unchanged")
    others = [other for other in stage.position.legal_moves() if other.path != move.path]
    stage.play(director.chance.choice(others or [move]))


def man_turned_king_moves(director: Director) -> None:
    """A man is crowned, the other side answers, and the new king moves."""
    stage, move = director.begin(_crowned_and_answered)
    stage.play(move)
    stage.play(director.chance.choice(stage.position.legal_moves()))
    goes_on = [other for other in stage.position.legal_moves() if other.start == move.end]
    stage.play(director.chance.choice(goes_on or list(stage.position.legal_moves())))


def _crowned_and_answered(position: Position) -> list[Move]:
    """Crowning moves after which the game goes on for two moves whatever the answer is."""
    found = []
    for move in CROWNING(position):
        after = position.after(move)
        if after.legal_moves() and all(after.after(reply).legal_moves() for reply in after.legal_moves()):
            found.append(move)
    return found


def _parts(position: Position) -> list[Move]:
    """Beginnings of jumps that leave the board as no whole move does."""
    whole = {(after.black, after.white, after.kings) for after in map(position.after, position.legal_moves())}
    found = []
    for part in unfinished_jumps(position):
        after = position.after(part)
        if (after.black, after.white, after.kings) not in whole:
            found.append(part)
    return found


def _begins(route: Move, part: Move) -> bool:
    return route.path[: len(part.path)] == part.path


def _break_off(stage: Stage, part: Move) -> None:
    stage.enter(stage.position.turn)
    stage.make(part)
    stage.leave()
    stage.expect("unfinished", done=str(part), why="the jump goes on")


def _leave_one_standing(stage: Stage, move: Move) -> int:
    left = stage.chance.choice(move.captured)
    stage.enter(stage.position.turn)
    stage.make(move, standing=(left,))
    stage.leave()
    stage.expect("unfinished", done=str(move), why=f"the captured disc on {left} stands there still")
    return left


def _game(director: Director, plies: int, off_mm: float | None = None, from_the_start: bool = False) -> None:
    start = Position.start()
    stage, move = director.begin(lambda p: ANY(p) if _lasts(p, plies) else [], start if from_the_start else None)
    if off_mm is not None:
        stage.off_mm = off_mm
    for ply in range(plies):
        stage.play(move)
        moves = stage.position.legal_moves()
        if ply + 1 == plies or not moves:
            return
        move = director.chance.choice(moves)


def _lasts(position: Position, plies: int) -> bool:
    """Whether both sides have enough pieces for so many moves."""
    return min(position.black.bit_count(), position.white.bit_count()) >= plies


ERRANDS: tuple[Errand, ...] = (
    simple_move,
    single_jump,
    double_jump,
    triple_jump,
    long_king_jump,
    king_back,
    crowning,
    crown_forgotten,
    crown_later,
    jump_broken_off,
    jump_gone_on_with,
    captured_left_standing,
    captured_taken_later,
    two_moves,
    short_game,
    between_two_frames,
    careless_placement,
    careless_game,
    move_taken_back,
    man_turned_king_moves,
)
