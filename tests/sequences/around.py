"""Errands in which hands, light, camera or the arm do something around a move, or without one."""

from __future__ import annotations

from controller.draughts import Position
from hardware.simulated.scene import Point
from tests.sequences import lights
from tests.sequences.direction import Director, Errand
from tests.sequences.positions import moves_where
from tests.sequences.stage import BOARD_MM, OVER_MM, Stage

_ANY = moves_where(lambda _, __: True)
ARM_ABOVE_MM = 38.0


def hand_hovers(director: Director) -> None:
    """A hand wanders over the board and goes away."""
    stage, _ = director.begin(_ANY)
    stage.enter(stage.position.turn)
    for _ in range(4):
        stage.hover(_somewhere(director))
    stage.leave()
    stage.expect("unchanged")


def piece_touched(director: Director) -> None:
    """A piece is nudged within its square."""
    stage, _ = director.begin(_ANY)
    stage.enter(stage.position.turn)
    for square in director.chance.sample(sorted(stage.position.pieces()), 2):
        stage.hover(stage.centre(square))
        stage.push(square, 6.0)
    stage.leave()
    stage.expect("unchanged")


def sleeve_rests(director: Director) -> None:
    """An arm lies over part of the board for long; then a move is made."""
    stage, move = director.begin(_ANY)
    stage.enter(stage.position.turn, "rest")
    spot = _somewhere(director)
    for _ in range(5):
        stage.hover(spot, 22.0, "rest")
    stage.make(move)
    stage.leave()
    stage.expect_move(move)


def hand_stays_after_moving(director: Director) -> None:
    """After the move the hand stays over the board for a while."""
    stage, move = director.begin(_ANY)
    stage.enter(stage.position.turn)
    stage.make(move)
    spot = _somewhere(director)
    for _ in range(4):
        stage.hover(spot, 22.0, "rest")
    stage.leave()
    stage.expect_move(move)


def hand_never_goes(director: Director) -> None:
    """The sequence ends with the hand still there."""
    stage, move = director.begin(_ANY)
    stage.enter(stage.position.turn)
    stage.make(move)
    spot = stage.centre(move.end)
    for _ in range(4):
        stage.hover(spot, 22.0, "rest")


def camera_nudged(director: Director) -> None:
    """The camera is pushed by a few mm and tenths of a degree; then a move is made."""
    stage, move = director.begin(_ANY)
    _push(director, stage, 4.0, 0.4)
    stage.expect("moved_camera")
    stage.play(move)


def camera_bumped(director: Director) -> None:
    """The camera is pushed by a centimetre and one or two degrees; then a move is made."""
    stage, move = director.begin(_ANY)
    _push(director, stage, 9.0, 1.4)
    stage.expect("moved_camera")
    stage.play(move)


def camera_pushed_under_a_hand(director: Director) -> None:
    """The camera is pushed while a hand is over the board."""
    stage, move = director.begin(_ANY)
    stage.enter(stage.position.turn)
    _push(director, stage, 4.0, 0.4)
    stage.make(move)
    stage.leave()
    stage.expect_move(move, frames=3)


def lamp_switched(director: Director) -> None:
    """A lamp goes on or off, and later back; a move is made before and after."""
    stage, move = director.begin(_ANY)
    before = stage.light
    stage.light = lights.switched(director.light)
    stage.expect("unchanged", frames=3)
    stage.play(move)
    stage.light = before
    stage.still(3)
    if moves := stage.position.legal_moves():
        stage.play(director.chance.choice(moves))


def lamp_switched_under_a_hand(director: Director) -> None:
    """A lamp goes on or off in the middle of a move."""
    stage, move = director.begin(_ANY)
    stage.enter(stage.position.turn)
    stage.light = lights.switched(director.light)
    stage.make(move)
    stage.leave()
    stage.expect_move(move, frames=3)


def sun_wanders(director: Director) -> None:
    """Hard shadows wander over the board while a move is made."""
    stage, move = director.begin(_ANY)
    lamp = stage.light
    stage.relight(lambda part: lights.sun(lamp, part))
    stage.play(move)
    stage.relight(lambda part: lights.sun(lamp, part))


def arms_shadow(director: Director) -> None:
    """Somebody beside the board throws the hard shadow of an arm on it; then a move is made."""
    stage, move = director.begin(_ANY)
    shade = lights.over_the_shoulder(stage.light, stage.position.turn is stage.near)
    stage.relight(lambda _: shade)
    mover = stage.position.turn
    stage.enter(mover, "shadow")
    near = mover is stage.near
    for _ in range(3):
        off = director.chance.uniform(48.0, 60.0)
        x = director.chance.uniform(90.0, 230.0)
        stage.hover((x, -off if near else BOARD_MM + off), OVER_MM + 20.0, "shadow")
    stage.leave()
    stage.expect("unchanged")
    stage.play(move)


def exposure_drifts(director: Director) -> None:
    """The camera sets its exposure by itself while clouds go by and a hand comes in."""
    stage, move = director.begin(_ANY)
    lamp = lights.automatic(stage.light)
    stage.relight(lambda _: lamp)
    for _ in range(2):
        stage.later(5.0)
        stage.still()
    stage.play(move)
    stage.later(5.0)
    if moves := stage.position.legal_moves():
        stage.play(director.chance.choice(moves))


def white_balance_drifts(director: Director) -> None:
    """The picture gets warmer or colder."""
    stage, move = director.begin(_ANY)
    lamp = stage.light
    way = director.chance.choice((-1.0, 1.0))
    stage.relight(lambda part: lights.tinted(lamp, way * part))
    for part in (0.0, 0.5, 1.0):
        stage.light = lights.tinted(lamp, way * part)
        stage.still(1)
    stage.play(move)


def gantry_crosses(director: Director) -> None:
    """The arm passes over the board without touching anything."""
    stage, move = director.begin(_ANY)
    for x, y in ((300.0, 330.0), (210.0, 240.0), (120.0, 140.0), (250.0, 300.0)):
        stage.arm((x, y, ARM_ABOVE_MM))
    stage.arm(None)
    stage.expect("unchanged")
    stage.play(move)


def arm_moves(director: Director) -> None:
    """The arm makes a move; then its opponent does."""
    stage, move = director.begin(
        moves_where(lambda position, move: not move.captured and not move.crowns and _answered(position.after(move)))
    )
    start, end = stage.centre(move.start), stage.centre(move.end)
    stage.arm((start[0], start[1], ARM_ABOVE_MM))
    held = stage.lift(move.start)
    for part in (0.0, 0.5, 1.0):
        tip: Point = (
            start[0] + part * (end[0] - start[0]),
            start[1] + part * (end[1] - start[1]),
            ARM_ABOVE_MM + 8.0,
        )
        stage.arm(tip, "gantry", held)
    stage.lay_down(held, move.end)
    stage.arm((end[0], end[1], ARM_ABOVE_MM))
    stage.arm((end[0] + 60, min(end[1] + 120, 400.0), ARM_ABOVE_MM))
    stage.arm(None)
    stage.expect_move(move)
    stage.play(director.chance.choice(stage.position.legal_moves()))


def _answered(position: Position) -> bool:
    return bool(position.legal_moves())


def _somewhere(director: Director) -> tuple[float, float]:
    return director.chance.uniform(60, BOARD_MM - 60), director.chance.uniform(60, BOARD_MM - 60)


def _push(director: Director, stage: Stage, shift_mm: float, turn_deg: float) -> None:
    """The camera stands and looks elsewhere from now on."""

    def up_to(most: float) -> Point:
        x, y, z = (director.chance.choice((-1, 1)) * director.chance.uniform(0.4, 1.0) * most for _ in range(3))
        return x, y, z

    stage.camera = stage.camera.nudged(up_to(shift_mm), up_to(turn_deg))


ERRANDS: tuple[Errand, ...] = (
    hand_hovers,
    piece_touched,
    sleeve_rests,
    hand_stays_after_moving,
    hand_never_goes,
    camera_nudged,
    camera_bumped,
    camera_pushed_under_a_hand,
    lamp_switched,
    lamp_switched_under_a_hand,
    sun_wanders,
    arms_shadow,
    exposure_drifts,
    white_balance_drifts,
    gantry_crosses,
    arm_moves,
)
