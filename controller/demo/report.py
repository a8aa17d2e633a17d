"""What a demo game came to: the report, and whether the discs really lie as the game says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.calibration import Calibration
from controller.draughts import Colour, Move, Position
from controller.events import Event, EventKind
from controller.handling.kings import Kings
from controller.handling.layout import wanted_on
from controller.handling.places import BOARD
from hardware.simulated.discs import DiscColour, Face, Stack
from hardware.simulated.faces import Faces

COLOURS = {DiscColour.DARK: Colour.BLACK, DiscColour.LIGHT: Colour.WHITE}


@dataclass(frozen=True)
class DemoReport:
    """The figures of one demo game, as `--report` writes them.

    misread: verdicts that differ from what the simulated human really did. asked: questions put to the player,
    asked_for: in words. faults: what was made to go wrong, and when. knocked, dropped: discs that the arm pushed over
    or let fall. board_agrees: the discs that really lie on the simulated board are the game's final position. kings:
    crownings by Black and by White, moves of kings, captures of kings. moved_under_hand_s: how long the gantry moved
    while a hand was in view. result: "*" if the robot waits for help that nobody gives.
    """

    seed: int
    physics: str
    result: str
    reason: str
    pdn: str
    human_moves: int
    misread: int
    asked: int
    asked_for: tuple[str, ...]
    faults: tuple[str, ...]
    transfers: int
    knocked: int
    dropped: int
    board_agrees: bool
    black_crowned: int
    white_crowned: int
    king_moves: int
    kings_captured: int
    moved_under_hand_s: float
    frames: int
    simulated_s: float
    wall_s: float
    picture: str
    journal: str
    calibrated_rms_mm: float | None = None
    """What the table's own proof came to, if it was calibrated first."""
    calibrated_worst_mm: float | None = None


class Tally:
    """Counts what a game's events come to."""

    def __init__(self, human: Colour) -> None:
        self._human = human
        self.human_moves: list[Move] = []
        self.asked: list[str] = []
        self.last_event_s = 0.0
        self.transfers = 0

    def hear(self, event: Event) -> None:
        """Count an event."""
        self.last_event_s = event.time_s
        if event.kind is EventKind.ASKED:
            self.asked.append(event.text)
        elif event.kind is EventKind.TRANSFER:
            self.transfers += 1
        elif event.kind is EventKind.MOVE and event.colour is self._human and event.move is not None:
            self.human_moves.append(event.move)

    def misread(self, made: Sequence[Move]) -> int:
        """How many of the human's moves were taken for others, not seen at all, or never made."""
        wrong = sum(ours != theirs for ours, theirs in zip(self.human_moves, made, strict=False))
        return wrong + abs(len(self.human_moves) - len(made))


@dataclass(frozen=True)
class KingFigures:
    """What befell kings in a game."""

    black_crowned: int
    white_crowned: int
    moves: int
    captured: int


def king_figures(positions: Sequence[Position], moves: Sequence[Move]) -> KingFigures:
    """Count crownings, moves and captures of kings; `positions` are those before each of the `moves`."""
    crowned = {Colour.BLACK: 0, Colour.WHITE: 0}
    king_moves = captured = 0
    for position, move in zip(positions, moves, strict=False):
        crowned[position.turn] += move.crowns
        pieces = position.pieces()
        king_moves += pieces[move.start].king
        captured += sum(pieces[square].king for square in move.captured)
    return KingFigures(crowned[Colour.BLACK], crowned[Colour.WHITE], king_moves, captured)


def board_agrees(
    stacks: Sequence[Stack], position: Position, calibration: Calibration, human: Colour, faces: Faces | None = None
) -> bool:
    """Whether the discs on the playing area are exactly the pieces of `position`, each within its square.

    faces: which face of each disc is up, in a set whose kings are turned over; None where kings are stacked.
    """
    half, side = calibration.square_mm / 2, 8 * calibration.square_mm
    truth = {}
    crowned = set()
    for stack in stacks:
        if not (0 <= stack.x <= side and 0 <= stack.y <= side):
            continue
        home = None
        for place in BOARD:
            x, y = calibration.square_mm_centre(place.number, human is Colour.WHITE)
            if abs(stack.x - x) <= half and abs(stack.y - y) <= half:
                home = place
        if home is None or home in truth or len(set(stack.colours)) != 1:
            return False
        truth[home] = (COLOURS[stack.colours[0]], len(stack.colours))
        if faces is not None and faces.of(stack.ids[-1]) is Face.CROWN:
            crowned.add(home.number)
    if faces is None:
        return truth == wanted_on(position)
    kings = {square for square, piece in position.pieces().items() if piece.king}
    return truth == wanted_on(position, Kings.TURNED) and crowned == kings
