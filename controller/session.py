"""Puts together what plays one game at a table: eye, mover, announcer, loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.calibration import Calibration
from controller.announcer import Announcer
from controller.broken_off import close_open_intents, contents_in_game
from controller.disc_mover import DiscMover
from controller.draughts import Colour, Game, write_fen
from controller.draw_offer import DrawAnswer, no_draw
from controller.errors import ControllerError
from controller.events import Listener, TurnState
from controller.eye import Eye, Look
from controller.granting import Granting
from controller.hand_guard import SOMETHING_HIDES_IT
from controller.handling.kings import Kings
from controller.handling.layout import contents_of
from controller.handling.plan import Gripper
from controller.held_disc import let_a_person_take_it, put_held_disc_down
from controller.journal import IntentRecord, Journal, Outcome
from controller.pointer import Pointer
from controller.recovery import Recovery
from controller.settings import Settings
from controller.table import Table
from controller.table_loop import Manners, TableLoop, Think
from controller.wishes import Wishes
from hardware.errors import HardwareError
from hardware.frame import Frame
from vision.errors import CannotLearnError
from vision.finder import find_board

CORNERS_MAY_BE_OFF = 0.15
"""How far a corner of the playing area may be from where the calibration has it, in squares."""

NOT_PARKED = "the arm is not where it parks: I bring it home first"
NOT_KNOWN = "I do not know where the arm is: I bring it home first"
NOBODY_MOVES_S = 2.0
"""How long the picture has to be still before an arm that hides a part of it is brought home."""


class BoardNotInPlaceError(ControllerError):
    """The board is not where the calibration says it is."""


@dataclass(frozen=True)
class Session:
    """A game that is ready to be played: call `loop.run()`."""

    loop: TableLoop
    eye: Eye
    announcer: Announcer
    mover: DiscMover
    game_number: int


@dataclass(frozen=True)
class Players:
    """What plays at a table, whichever game it is."""

    human: Colour
    kings: Kings
    announcer: Announcer
    eye: Eye
    recovery: Recovery
    mover: DiscMover


def prepare_session(
    table: Table,
    settings: Settings,
    journal: Journal,
    game: Game,
    think: Think,
    listeners: Sequence[Listener] = (),
    seed: int | None = None,
    resumed: int | None = None,
    answer_draw: Callable[[Game], DrawAnswer] = no_draw,
    wishes: Wishes | None = None,
) -> Session:
    """Find the board, learn how it looks from the game's position that lies on it, home the arm.

    `resumed` is the number in the journal of a game that is gone on with: the discs may then still lie as before its
    last move, and the arm makes them agree. `answer_draw` is the robot's answer to a draw that is offered by the
    turn button; `wishes` are those of a player who can say them otherwise, too.

    Raises BoardNotInPlaceError, BoardNotFoundError or CannotLearnError when what the camera sees does not fit, and
    the hardware's errors.
    """
    players = assemble(table, settings, journal, listeners)
    human, eye, announcer, recovery, mover = (
        players.human,
        players.eye,
        players.announcer,
        players.recovery,
        players.mover,
    )
    find_arm(table, players, cut_off=resumed is not None)
    if table.arm.holding and resumed is None:
        let_a_person_take_it(table, announcer)
    frame = table.camera.frame()
    check_board_in_place(frame, table.calibration)
    table.camera.remember(frame)
    look = _learn(eye, game, None if resumed is None else journal.intents(resumed), human)
    announcer.say("I see the board and know its colours")
    if not table.gantry.homed:
        home(table, recovery)
    if resumed is not None:
        if table.arm.holding:
            put_held_disc_down(table, announcer, mover.centres, journal, resumed, eye.layout(look), human)
        close_open_intents(journal, resumed)
        mover.discs_before = journal.counted_discs(resumed)
    number = _begun(journal, game, settings, seed) if resumed is None else resumed
    granting = Granting(
        wishes or Wishes(table.panel, table.clock),
        Pointer(table.arm, mover.centres, announcer, table.clock, recovery),
        mover,
        eye,
        announcer,
        journal,
        table.clock,
        think,
        answer_draw,
    )
    loop = TableLoop(
        table.clock,
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
            kings=players.kings,
        ),
        granting,
        sets_up_first=resumed is not None or players.kings is Kings.TURNED,
    )
    return Session(loop, eye, announcer, mover, number)


def assemble(table: Table, settings: Settings, journal: Journal, listeners: Sequence[Listener] = ()) -> Players:
    """Put together what plays at a table; nothing moves and nothing is looked at yet."""
    human = Colour[settings.game.human.upper()]
    kings = Kings(settings.discs.kings)
    announcer = Announcer(table.clock, table.panel)
    for listener in listeners:
        announcer.listen(listener)
    eye = Eye(
        table.camera,
        table.clock,
        table.calibration.view(human is Colour.WHITE),
        table.guard,
        settings.player.hand_frame_s,
        settings.player.fault_patience_s,
        kings,
    )
    eye.on_trouble = announcer.ask
    table.camera.on_nudge = announcer.say
    table.guard.confirmed = table.panel.turn_pressed
    eye.on_camera_back = _camera_back(announcer)
    recovery = Recovery(table.clock, table.gantry, table.panel, announcer, settings.player.fault_patience_s)
    mover = DiscMover(
        table.arm,
        table.guard,
        eye,
        announcer,
        journal,
        table.clock,
        table.panel,
        Gripper(settings.handling.lifts_stack),
        recovery,
        settings.handling.max_tries,
        kings,
    )
    table.gantry.on_wait = _waiting(announcer)
    return Players(human, kings, announcer, eye, recovery, mover)


def find_arm(table: Table, players: Players, cut_off: bool) -> None:
    """Bring an arm home that may stand before the camera. `cut_off`: the program was, in the middle of something."""
    away = table.arm.is_away_from_home(table.clock.now())
    if away or ((cut_off or table.arm.holding) and not table.gantry.homed):
        # A program that ended in mid-move has left it over the board, which has to be seen; and a machine that has
        # been without power meanwhile does not know that it is there.
        players.announcer.say(NOT_PARKED if away else NOT_KNOWN)
        _bring_away(table, players.eye, players.recovery)


def _begun(journal: Journal, game: Game, settings: Settings, seed: int | None) -> int:
    """Write down that a game begins, with the moves of its opening if it has one; returns its number."""
    number = journal.begin_game(write_fen(game.start), settings.game.human, settings.game.level, seed)
    for ply, (before, move, after) in enumerate(zip(game.positions, game.moves, game.positions[1:], strict=False), 1):
        journal.record_move(number, ply, before.turn.name.lower(), str(move), write_fen(after))
    return number


def home(table: Table, recovery: Recovery) -> None:
    """Home and park; a fault on the way is got over as in mid-game.

    What the arm covered is new to the guard as soon as the arm has left it.
    """

    def park() -> None:
        table.guard.set_reference(table.camera.frame())
        table.arm.park()

    try:
        table.gantry.home()
        park()
    except HardwareError as fault:
        recovery.after(fault, "nothing", park)


def _learn(eye: Eye, game: Game, intents: Sequence[IntentRecord] | None, human: Colour) -> Look:
    """Learn how the board looks from the game's position; one with `intents` was broken off."""
    cut_off = intents is not None and any(
        intent.ply == game.plies and intent.outcome is not Outcome.DONE for intent in intents
    )
    if intents is None or not cut_off:
        try:
            return eye.learn_from(game.position)
        except CannotLearnError:
            if intents is None:
                raise
    # Of a board that differs in one square from what it is said to be, the wrong thing might be learnt there.
    likely = [contents_of(position) for position in game.positions[-2:]]
    return eye.learn_in_part(contents_in_game(game, intents, human), likely)


def _bring_away(table: Table, eye: Eye, recovery: Recovery) -> None:
    """Home and park an arm that stands over the table, before anything has been seen without it.

    Nothing has told a hand from the table yet, so that the picture has to be still for a while first: no hand is.
    """
    table.guard.set_reference(eye.still_frame(NOBODY_MOVES_S))
    home(table, recovery)


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


def _camera_back(announcer: Announcer) -> Callable[[], None]:
    def back() -> None:
        announcer.settled()
        announcer.say("I see again")

    return back


def _waiting(announcer: Announcer) -> Callable[[str | None], None]:
    """What the gantry tells when it has to wait for its permit (a reason) and when it has it again (None)."""

    def waits(reason: str | None) -> None:
        if reason is None:
            announcer.settled()
            announcer.enter(TurnState.MOVING)
        else:
            announcer.enter(TurnState.HELD)
            tell = announcer.ask if reason == SOMETHING_HIDES_IT else announcer.say
            tell(f"I hold still: {reason}")

    return waits
