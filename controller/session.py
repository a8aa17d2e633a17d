"""Puts together what plays one game at a table: eye, mover, announcer, loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.calibration import Calibration
from controller.announcer import Announcer
from controller.disc_mover import DiscMover
from controller.draughts import Colour, Game, write_fen
from controller.errors import ControllerError
from controller.events import Listener, TurnState
from controller.eye import Eye
from controller.handling.plan import Gripper
from controller.journal import Journal
from controller.settings import Settings
from controller.table import Table
from controller.table_loop import Manners, TableLoop, Think
from hardware.frame import Frame
from vision.finder import find_board

CORNERS_MAY_BE_OFF = 0.15
"""How far a corner of the playing area may be from where the calibration has it, in squares."""


class BoardNotInPlaceError(ControllerError):
    """The board is not where the calibration says it is."""


@dataclass(frozen=True)
class Session:
    """A game that is ready to be played: call `loop.run()`."""

    loop: TableLoop
    eye: Eye
    announcer: Announcer
    game_number: int


def prepare_session(
    table: Table,
    settings: Settings,
    journal: Journal,
    game: Game,
    think: Think,
    listeners: Sequence[Listener] = (),
    seed: int | None = None,
) -> Session:
    """Find the board, learn how it looks from the game's position that lies on it, home the arm.

    Raises BoardNotInPlaceError, BoardNotFoundError or CannotLearnError when what the camera sees does not fit, and
    the hardware's errors.
    """
    human = Colour[settings.game.human.upper()]
    announcer = Announcer(table.clock, table.panel)
    for listener in listeners:
        announcer.listen(listener)
    eye = Eye(
        table.camera,
        table.clock,
        table.calibration.view(human is Colour.WHITE),
        table.guard,
        settings.player.hand_frame_s,
    )
    eye.on_trouble = announcer.ask
    mover = DiscMover(
        table.arm,
        table.guard,
        eye,
        announcer,
        journal,
        table.clock,
        table.panel,
        Gripper(settings.handling.lifts_stack),
        settings.handling.max_tries,
    )
    check_board_in_place(table.camera.frame(), table.calibration)
    eye.learn_from(game.position)
    announcer.say("I see the board and know its colours")
    table.gantry.on_wait = _waiting(announcer)
    table.arm.home()
    number = journal.begin_game(write_fen(game.position), settings.game.human, settings.game.level, seed)
    loop = TableLoop(
        table.clock,
        table.panel,
        eye,
        mover,
        announcer,
        journal,
        game,
        number,
        human,
        think,
        Manners(
            settings.player.idle_frame_s,
            settings.player.patience_s,
            crowns_for_human=settings.player.crowns_for_human,
        ),
    )
    return Session(loop, eye, announcer, number)


def check_board_in_place(frame: Frame, calibration: Calibration) -> None:
    """Raise BoardNotInPlaceError unless `frame` shows the board's corners where the calibration has them."""
    side = 8 * calibration.square_mm
    expected = calibration.camera.project([(0, 0, 0), (side, 0, 0), (side, side, 0), (0, side, 0)])
    found = np.asarray(find_board(frame.pixels).corners)
    gaps = np.linalg.norm(found[:, None] - expected[None], axis=2).min(axis=1)
    square_px = np.linalg.norm(expected - np.roll(expected, 1, axis=0), axis=1).mean() / 8
    if gaps.max() > CORNERS_MAY_BE_OFF * square_px:
        raise BoardNotInPlaceError(
            f"the board is not where the calibration has it (off by {gaps.max() / square_px:.1f} squares): "
            "put it back or calibrate again"
        )


def _waiting(announcer: Announcer) -> Callable[[str | None], None]:
    """What the gantry tells when it has to wait for its permit (a reason) and when it has it again (None)."""

    def waits(reason: str | None) -> None:
        if reason is None:
            announcer.enter(TurnState.MOVING)
        else:
            announcer.enter(TurnState.HELD)
            announcer.say(f"I hold still: {reason}")

    return waits
