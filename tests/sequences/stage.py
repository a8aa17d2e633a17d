"""The stage on which a sequence is acted: discs on the table, somebody's hand, the arm, the light and the camera.

Every call that shows something adds frames (`shots`), not drawn yet.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from controller.draughts import Colour, Move, Piece, Position, column_of, row_of, same_move
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.scene import HandPose, Point, Scene

GEOMETRY = TableGeometry()
DISC_MM, HIGH_MM, SQUARE_MM = GEOMETRY.disc_diameter_mm, GEOMETRY.disc_height_mm, GEOMETRY.square_mm
BOARD_MM = 8 * SQUARE_MM
NEXT_S = 0.7
"""Time between two frames."""
APART_MM = DISC_MM + 0.4
OVER_MM, GRIP_MM = 45.0, 5.0
"""Height of the fingertips while they travel, and how far below a disc's top they grip."""
LAID_OFF_MM, PUT_OFF_MM, CARELESS_MM = 4.0, 5.0, 10.0
"""How far off their squares' middles discs lie at first, and where a player, or a careless one, puts them."""
AWAY_MM, AWAY_SHARE = 130.0, 0.25
"""With the fingertips so far off the board a verdict can be given, but need not; how often that is seen."""
LEAN_MM = 2.5
TRAY_SPARES = 2
XY = tuple[float, float]


@dataclass(frozen=True)
class Shot:
    """One frame to be drawn, and what is told about it."""

    scene: Scene
    phase: str
    actor: str | None
    camera: SimulatedCamera
    light: Illumination
    time_s: float


@dataclass
class Expected:
    """One verdict that a watcher should come to, and in which frames it can be given."""

    verdict: str
    frames: list[int]
    details: dict[str, object] = field(default_factory=dict)


class Stage:
    """`position` is what the rules make of what was done; `near` the colour that plays from the camera's far side."""

    def __init__(
        self, position: Position, near: Colour, camera: SimulatedCamera, light: Illumination, chance: random.Random
    ) -> None:
        self.start = self.position = position
        self.near, self.camera, self.light, self.chance = near, camera, light, chance
        self.off_mm = PUT_OFF_MM
        self.shots: list[Shot] = []
        self.expected: list[Expected] = []
        self.reach = 0
        self._now = 0.0
        self._ids = chance.sample(range(200), 200)
        self._stacks: dict[int, list[Disc]] = {}
        self._tray: list[Disc] = []
        self._hand: HandPose | None = None
        self._hand_of = Colour.WHITE
        self._tip: Point | None = None
        self._hung: tuple[Disc, ...] = ()
        self._lay()

    # What happens

    def make(self, move: Move, crown: bool = True, standing: tuple[int, ...] = (), first_off: bool = False) -> None:
        """The hand of the side to move makes a move or the beginning of one; it stays over the table.

        crown: whether a man that gets there is crowned. standing: captured pieces it forgets. first_off: it takes
        captured pieces away before it moves its own.
        """
        taken = [square for square in move.captured if square not in standing]
        if first_off:
            for square in taken:
                self.take_off(square)
        self.carry(move.path)
        if not first_off:
            for square in taken:
                self.take_off(square)
        if move.crowns and crown:
            self.crown(move.end)

    def play(self, move: Move, crown: bool = True, first_off: bool = False) -> None:
        """A legal move from beginning to end, and the verdict that is expected of it."""
        self.enter(self.position.turn)
        self.make(move, crown, first_off=first_off)
        self.leave()
        self.expect_move(move)

    def expect_move(self, move: Move, frames: int = 2) -> None:
        """The board lies still after a legal move."""
        legal = next(other for other in self.position.legal_moves() if same_move(other, move))
        said = {"move": str(legal), "by": self.position.turn.value.lower()}
        self.position = self.position.after(move)
        self.expect("move", frames, **said)

    def expect(self, verdict: str, frames: int = 2, **details: object) -> None:
        """The board lies still for so many frames, in which a verdict can be given."""
        first = len(self.shots) - (self.shots[-1].phase == "away")
        self.still(frames)
        self.expected.append(Expected(verdict, list(range(first, len(self.shots))), details))

    def still(self, frames: int = 2) -> None:
        """Nothing happens."""
        for _ in range(frames):
            self._shoot("still")

    def relight(self, light_at: Callable[[float], Illumination]) -> None:
        """Another light in all that has been shown so far and from now on: as it is at each part (0–1) of it."""
        last = max(1, len(self.shots) - 1)
        self.shots = [replace(shot, light=light_at(number / last)) for number, shot in enumerate(self.shots)]
        self.light = self.shots[-1].light

    def later(self, seconds: float) -> None:
        """Time goes by that no frame shows."""
        self._now += seconds

    # The hand

    def enter(self, colour: Colour, phase: str = "enter") -> None:
        """A hand reaches in from that colour's side."""
        self.reach += 1
        self._hand_of = colour
        self._hold((*self._beside(self.chance.uniform(-45.0, 50.0)), OVER_MM))
        self._shoot(phase)

    def leave(self) -> None:
        """The hand goes: it is seen at the board's edge, and perhaps once more farther away."""
        self._hold((*self._beside(self.chance.uniform(-15.0, 45.0)), OVER_MM))
        self._shoot("leave")
        if self.chance.random() < AWAY_SHARE:
            self._hold((*self._beside(AWAY_MM), OVER_MM))
            self._shoot("away")
        self._hand = None

    def vanish(self) -> None:
        """The hand has gone without another frame of it."""
        self._hand = None

    def hover(self, at: XY, height_mm: float = OVER_MM, phase: str = "hover") -> None:
        """The hand is over a point of the board."""
        self._hold((*at, height_mm))
        self._shoot(phase)

    def grasp(self, square: int) -> None:
        """The fingers close around what stands on a square."""
        stack = self._stacks[square]
        self._hold((stack[-1].x, stack[-1].y, stack[-1].z + HIGH_MM - GRIP_MM))
        self._shoot("grasp")

    def carry(self, path: tuple[int, ...]) -> None:
        """Take the piece on the first square by way of the others to the last one and put it down there."""
        self.grasp(path[0])
        held = self._stacks.pop(path[0])
        x, y = self.centre(path[0])
        for square in path[1:]:
            to_x, to_y = self.centre(square)
            self._hold(((x + to_x) / 2, (y + to_y) / 2, OVER_MM), held)
            self._shoot("carry")
            x, y = to_x, to_y
        self.put(held, self._spot(path[-1]), path[-1])

    def put(self, held: list[Disc], at: XY, square: int | None) -> None:
        """Put discs down; off the squares they count as lying beside the board."""
        lying = _moved(held, at, 0.0)
        if square is None:
            self._tray += lying
        else:
            self._stacks[square] = lying
        self._hold((*at, HIGH_MM * len(held) - GRIP_MM))
        self._shoot("release")

    def push(self, square: int, most_mm: float, phase: str = "touch") -> None:
        """A finger on a piece moves it a little within its square."""
        stack = self._stacks.pop(square)
        moved = _moved(stack, self._spot(square, most_mm), 0.0)
        self._stacks[square] = moved
        self._hold((moved[-1].x, moved[-1].y, moved[-1].z + HIGH_MM))
        self._shoot(phase)

    def take_off(self, square: int) -> None:
        """Take a piece off the board."""
        self.grasp(square)
        held = self._stacks.pop(square)
        x, y = self._free_tray_place()
        self._hold(((x + held[0].x) / 2, (y + held[0].y) / 2, OVER_MM), held)
        self._shoot("remove")
        self._tray += _moved(held, (x, y), 0.0)

    def crown(self, square: int) -> None:
        """Put a disc from beside the board on a man."""
        below = self._stacks[square]
        spare = next(disc for disc in self._tray if disc.colour is below[0].colour)
        self._hold((spare.x, spare.y, HIGH_MM - GRIP_MM))
        self._shoot("grasp_crown")
        self._tray.remove(spare)
        off_x, off_y = self._within(LEAN_MM)
        on = replace(spare, x=below[0].x + off_x, y=below[0].y + off_y, z=HIGH_MM)
        self._hold(((spare.x + on.x) / 2, (spare.y + on.y) / 2, OVER_MM), [spare])
        self._shoot("carry_crown")
        self._stacks[square] = [*below, on]
        self._hold((on.x, on.y, 2 * HIGH_MM - GRIP_MM))
        self._shoot("crown")

    def bring(self, square: int, colour: Colour) -> None:
        """Put a disc from beside the board on an empty square."""
        disc = next(disc for disc in self._tray if disc.colour is _disc_colour(colour))
        self._hold((disc.x, disc.y, HIGH_MM - GRIP_MM))
        self._shoot("grasp")
        self._tray.remove(disc)
        self.put([disc], self._spot(square), square)

    def lift(self, square: int) -> list[Disc]:
        """The piece on a square is in nobody's way any more."""
        return self._stacks.pop(square)

    def shift(self, start: int, end: int) -> None:
        """A piece is somewhere else all at once, between two frames."""
        self._stacks[end] = _moved(self._stacks.pop(start), self._spot(end), 0.0)

    # The arm

    def arm(self, tip: Point | None, phase: str = "gantry", carried: list[Disc] | None = None) -> None:
        """The gantry's tip is at a point, or (None) out of sight; it may carry discs."""
        self._tip = tip
        self._hung = tuple(_moved(carried, (tip[0], tip[1]), tip[2] - HIGH_MM)) if carried and tip else ()
        if tip is not None:
            self._shoot(phase)

    def lay_down(self, held: list[Disc], square: int) -> None:
        """What the arm has carried lies on a square."""
        self._stacks[square] = _moved(held, self._spot(square, 1.0), 0.0)

    # Where things are

    def centre(self, square: int) -> XY:
        """The middle of a square, board mm."""
        x, y = (column_of(square) + 0.5) * SQUARE_MM, (7.5 - row_of(square)) * SQUARE_MM
        return (x, y) if self.near is Colour.WHITE else (BOARD_MM - x, BOARD_MM - y)

    @property
    def corners_mm(self) -> list[Point]:
        """The playing area's corners a8, h8, h1, a1; a1 is the one beside square 29."""
        corners = [(0.0, BOARD_MM, 0.0), (BOARD_MM, BOARD_MM, 0.0), (BOARD_MM, 0.0, 0.0), (0.0, 0.0, 0.0)]
        return corners if self.near is Colour.WHITE else corners[2:] + corners[:2]

    @property
    def lying(self) -> Position:
        """What stands on the squares, with the side to move next."""
        pieces = {
            square: Piece(Colour.BLACK if stack[0].colour is DiscColour.DARK else Colour.WHITE, len(stack) > 1)
            for square, stack in self._stacks.items()
        }
        return Position.of(pieces, self.position.turn)

    def _lay(self) -> None:
        for square, piece in self.position.pieces().items():
            self._stacks[square] = []
            x, y = self._spot(square, LAID_OFF_MM)
            for level in range(2 if piece.king else 1):
                lean_x, lean_y = self._within(LEAN_MM * level)
                disc = Disc(self._ids.pop(), _disc_colour(piece.colour), x + lean_x, y + lean_y, HIGH_MM * level)
                self._stacks[square].append(disc)
        for colour in (DiscColour.DARK, DiscColour.LIGHT):
            for _ in range(TRAY_SPARES):
                self._tray.append(Disc(self._ids.pop(), colour, *self._free_tray_place(), 0.0))

    def _spot(self, square: int, off_mm: float | None = None) -> XY:
        """A point near a square's middle where a disc has room; a careless player's is far from it."""
        x, y = self.centre(square)
        most = self.off_mm if off_mm is None else off_mm
        others = [disc for number, stack in self._stacks.items() if number != square for disc in stack]
        for _ in range(1000):
            dx, dy = self._within(most)
            if most >= CARELESS_MM and math.hypot(dx, dy) < 0.6 * most:
                continue
            if all(math.hypot(x + dx - disc.x, y + dy - disc.y) > APART_MM for disc in others):
                return x + dx, y + dy
        return x, y

    def _free_tray_place(self) -> XY:
        free = [
            place
            for place in GEOMETRY.tray_mm
            if all(math.hypot(place[0] - disc.x, place[1] - disc.y) > APART_MM + 6 for disc in self._tray)
        ]
        x, y = self.chance.choice(free)
        dx, dy = self._within(3.0)
        return x + dx, y + dy

    def _within(self, radius_mm: float) -> XY:
        away, angle = radius_mm * math.sqrt(self.chance.random()), self.chance.uniform(0, 2 * math.pi)
        return away * math.cos(angle), away * math.sin(angle)

    def _beside(self, off_mm: float) -> XY:
        """A point so far off the board on the hand's side."""
        return self._from_side(self.chance.uniform(70.0, 250.0), -off_mm)

    def _from_side(self, x: float, y: float) -> XY:
        return (x, y) if self._hand_of is self.near else (BOARD_MM - x, BOARD_MM - y)

    def _hold(self, at: Point, held: list[Disc] | None = None) -> None:
        elbow_x, elbow_y = self._from_side(190.0, -430.0)
        turn = math.degrees(math.atan2(elbow_x - at[0], at[1] - elbow_y))
        low = at[2] + GRIP_MM - HIGH_MM * len(held or ())
        discs = tuple(_moved(held, (at[0], at[1]), low)) if held else ()
        self._hand = HandPose(at, turn, discs, self.reach)

    def _shoot(self, phase: str) -> None:
        discs = tuple(disc for stack in self._stacks.values() for disc in stack) + tuple(self._tray)
        scene = Scene(discs, self._tip, self._hung, self._hand)
        actor = "gantry" if self._tip is not None else None
        if self._hand is not None:
            actor = f"hand_{self._hand_of.value.lower()}"
        self.shots.append(Shot(scene, phase, actor, self.camera, self.light, self._now))
        self._now += NEXT_S


def _disc_colour(colour: Colour) -> DiscColour:
    return DiscColour.DARK if colour is Colour.BLACK else DiscColour.LIGHT


def _moved(discs: list[Disc], to: XY, low: float) -> list[Disc]:
    """A stack at another point, its lowest disc's underside at a height."""
    return [
        replace(disc, x=to[0] + disc.x - discs[0].x, y=to[1] + disc.y - discs[0].y, z=low + HIGH_MM * level)
        for level, disc in enumerate(discs)
    ]
