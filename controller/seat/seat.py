"""Carries out what is typed at the simulated table: the hand's errands at their time, everything else at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from calibration.calibration import Calibration
from controller.draughts import (
    AmbiguousMoveError,
    Colour,
    DraughtsError,
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    parse_move,
)
from controller.draw_offer import DrawAnswer
from controller.events import Event, EventKind, TurnState
from controller.handling.kings import Kings
from controller.handling.plan import disc_word
from controller.referee import listed
from controller.seat import errands
from controller.seat.put_back import put_back
from controller.seat.sight import Sight, disagreements
from controller.seat.typed import (
    AskHint,
    AskTakeBack,
    ChangeLight,
    CrownPiece,
    Deed,
    ForgetNext,
    HandIn,
    HandOut,
    Happen,
    Help,
    OfferDraw,
    PressStop,
    PressTurn,
    PushPiece,
    PutBack,
    PutDisc,
    Quit,
    Resign,
    ShowBoard,
    ShowTruth,
    TakeDisc,
    Typed,
    TypedError,
    TypedMove,
    Wait,
    help_lines,
    parse_typed,
)
from controller.wishes import Wish, Wishes
from hardware.clock import Clock
from hardware.errors import TableProgramError
from hardware.simulated.control import FAULT_WORDS
from hardware.simulated.errand import PressButton, Step
from hardware.simulated.requests import (
    Control,
    DoErrand,
    HandAway,
    MakeFault,
    Press,
    SetLight,
    Truth,
    TruthReply,
)

YOURS = frozenset({TurnState.WAITING, TurnState.HAND, TurnState.JUDGING, TurnState.ASKING})
"""While the turn is in one of these the human may touch the discs."""
RESTING = frozenset({TurnState.WAITING, TurnState.ASKING})
"""In these the robot waits for the human, and does nothing."""
SEEN_S = 3.0
"""When the hand has been away for so long, the robot has judged what it left behind."""
MOST_WAITING = 20
"""So many deeds may wait for their turn; what is typed after them is read later."""
GIVES_UP_S = 300.0
"""Whoever wants to leave waits no longer for a robot of which nothing is heard."""
LOOK_EVERY_S = 0.1
"""Time between looks at what the hand does."""


class LeftTableError(Exception):
    """The human has left the table; raised out of whatever waits on the clock."""


class TypedLines(Protocol):
    """Where typed lines come from."""

    @property
    def ended(self) -> bool:
        """Whether nothing more can come."""
        ...

    @property
    def live(self) -> bool:
        """Whether somebody types them now, rather than that they were written beforehand."""
        ...

    def take(self) -> list[str]:
        """The lines typed since the last call; never waits."""
        ...


@dataclass(frozen=True)
class _Plan:
    """What the hand is going to do, in steps and in words."""

    steps: tuple[Step, ...]
    words: str


class Seat:
    """The human's place at a simulated table: attach `advance_to` to the clock and let `hear` listen to the robot.

    Lines are carried out in order. What needs the hand waits until the hand is free and it is the human's turn, a
    move also until the robot has answered the one before. All else happens at once: when somebody types now, even
    while an earlier line still waits. `tell` prints a sentence, `show_board` the position. When the human leaves,
    LeftTableError comes out of the clock.
    """

    def __init__(
        self,
        control: Control,
        calibration: Calibration,
        human: Colour,
        game: Game,
        lines: TypedLines,
        tell: Callable[[str], None],
        show_board: Callable[[], None],
        patience_s: float,
        answer_draw: Callable[[], DrawAnswer],
        kings: Kings = Kings.STACKED,
        wishes: Wishes | None = None,
    ) -> None:
        """`patience_s` is how long the robot leaves a wrong move lying before it says so.

        `answer_draw` is the robot's answer to a draw that is offered in the game as it stands.
        """
        self._control = control
        self._calibration = calibration
        self._human = human
        self._game = game
        self._lines = lines
        self._tell = tell
        self._show_board = show_board
        self._patience_s = patience_s
        self._answer_draw = answer_draw
        self._kings = kings
        self._wishes = wishes
        self._state = TurnState.STARTING
        self._heard_at: float | None = None
        self._asked = False
        """Whether the robot has asked for something since it is in this state."""
        self._inbox: deque[str] = deque()
        self._deeds: deque[Deed] = deque()
        self._forget_next = False
        self._hovering = False
        self._leaving = False
        self._wait_s: float | None = None
        """What `wait` still asks for, until the deeds before it have begun."""
        self._wait_until: float | None = None
        self._owed_s: float | None = None
        """How long after the hand has gone the robot may take to answer what was done; None if it has."""
        self._errand = 0
        """The number of the last errand."""
        self._working = False
        """Whether the hand is still at it."""
        self._away_since: float | None = None
        self._looked_at: float | None = None

    def hear(self, event: Event) -> None:
        """Listen to the robot: whose turn it is, and whether it has answered."""
        self._heard_at = event.time_s
        self._asked = event.kind is EventKind.ASKED or (self._asked and event.state is self._state)
        self._state = event.state
        if event.kind in (EventKind.MOVE, EventKind.ASKED):
            self._owed_s = None

    def advance_to(self, now: float) -> None:
        """Do what is due at `now` (s)."""
        self._heard_at = now if self._heard_at is None else self._heard_at
        if not self._inbox:
            self._inbox.extend(self._lines.take())
        while self._inbox and not self._leaving and not self._waits(now):
            self._read(self._inbox.popleft())
        if self._lines.ended and not self._inbox and not self._waits(now):
            self._leaving = True
        if self._deeds and self._may_begin(self._deeds[0], now):
            self._begin(self._deeds.popleft())
        elif self._leaving and not self._deeds and self._at_rest(now):
            raise LeftTableError
        elif self._leaving and self._heard_at is not None and now - self._heard_at > GIVES_UP_S:
            self._tell("nothing happens any more, so you leave")
            raise LeftTableError

    def set_up(self, clock: Clock) -> None:
        """Let the hand make the board show the game's position; returns when it does, or as nearly as it can."""
        plan = self._plan(PutBack(), self._sight())
        if not plan.steps:
            return
        self._tell("your hand sets up the discs")
        self._send(plan.steps)
        while self._away_since is None:
            clock.sleep(LOOK_EVERY_S)
            self._look_at_hand(clock.now())

    def disagreements(self) -> tuple[str, ...]:
        """Where the discs on the board are not as the game has them, in words. TableProgramError if it is gone."""
        return disagreements(self._sight(), self._game.position)

    # What is read

    def _waits(self, now: float) -> bool:
        """Whether the next line is not to be read yet."""
        if self._wait_s is not None and not self._deeds:
            self._wait_until, self._wait_s = now + self._wait_s, None
        if self._wait_until is not None and now >= self._wait_until:
            self._wait_until = None
        if self._deeds and not self._lines.live:
            return True
        return self._wait_s is not None or self._wait_until is not None or len(self._deeds) >= MOST_WAITING

    def _read(self, line: str) -> None:
        """Take in one line; whatever is wrong with it is told, and nothing happens."""
        try:
            typed = parse_typed(line)
            if typed is not None:
                self._take(typed)
        except (TypedError, TableProgramError, DraughtsError) as error:
            self._tell(str(error))

    def _take(self, typed: Typed) -> None:
        match typed:
            case TypedMove(at_once=True):
                self._begin(typed)
            case PressTurn() if not (self._deeds and self._may_touch):  # A button may be pressed at any time.
                self._begin(typed)
            case TypedMove() | CrownPiece() | TakeDisc() | PutDisc() | PushPiece() | PutBack() | PressTurn():
                self._deeds.append(typed)
                if not self._may_touch:
                    self._tell("your hand waits until it is your turn")
            case ForgetNext():
                self._forget_next = True
                self._tell("your hand is going to forget what the next move should take with it")
            case Wait(seconds):
                self._wait_s = seconds
            case Resign():
                self._game.resign(self._human)
                self._tell(f"{self._human.title} has resigned.")
                raise LeftTableError
            case AskHint():
                self._wish(Wish.HINT)
            case AskTakeBack():
                self._wish(Wish.TAKE_BACK)
            case OfferDraw():
                self._offer_draw()
            case Quit():
                self._leaving = True
                if self._state not in RESTING and not self._asked:
                    self._tell("you leave as soon as it is your turn")
            case ShowBoard():
                self._show_board()
            case ShowTruth():
                found = self.disagreements()
                self._tell("; ".join(found) if found else "the discs lie as the game has them")
            case Help():
                self._tell(help_lines())
            case _:
                self._happen(typed)

    def _wish(self, wish: Wish) -> None:
        """Ask the robot for something that it does at the human's turn."""
        if self._wishes is None or self._game.position.turn is not self._human or not self._may_touch:
            self._tell(f"a {wish.value} can be asked for when it is your turn")
        else:
            self._wishes.ask(wish)

    @property
    def _wishes_wait(self) -> bool:
        """Whether the robot has not answered yet what was asked for."""
        return self._wishes is not None and self._wishes.pending

    def _offer_draw(self) -> None:
        """Offer a draw; the table is left when the robot agrees."""
        if self._game.position.turn is not self._human or not self._may_touch:
            self._tell("a draw can be offered when it is your turn")
            return
        answer = self._answer_draw()
        self._tell(answer.sentence)
        if answer.agreed:
            self._game.agree_draw()
            raise LeftTableError

    def _happen(self, typed: HandIn | HandOut | PressStop | ChangeLight | Happen) -> None:
        """What takes effect at once, whoever's turn it is."""
        match typed:
            case HandIn(square):
                self._send(errands.reach_in(Sight((), self._calibration, self._human), square))
                self._hovering = True
                words = f"your hand reaches in over {'the board' if square is None else square}"
            case HandOut():
                self._control.handle(HandAway())
                self._hovering = False
                words = "your hand leaves"
            case PressStop():
                self._control.handle(Press("stop"))
                words = "you press the stop button"
            case ChangeLight(name):
                self._control.handle(SetLight(name))
                words = f"the light is now: {name}"
            case Happen(fault):
                self._control.handle(MakeFault(fault))
                words = FAULT_WORDS[fault]
        self._tell(words)

    # What the hand does

    @property
    def _may_touch(self) -> bool:
        """Whether the human may touch the discs: at its turn, and when it was asked for something."""
        return self._state in YOURS or self._asked

    def _may_begin(self, deed: Deed, now: float) -> bool:
        if isinstance(deed, PressTurn):  # On its way back from what it has just begun.
            return True
        self._look_at_hand(now)
        if not self._may_touch or self._wishes_wait or (self._working and not self._hovering):
            return False
        return not (isinstance(deed, TypedMove | PutBack) and self._robot_owes(now))

    def _at_rest(self, now: float) -> bool:
        """Whether the robot has seen all that was done, and waits for the human."""
        if self._hovering:
            self._happen(HandOut())
        self._look_at_hand(now)
        resting = (self._state in RESTING or self._asked) and not self._wishes_wait
        return resting and self._away_since is not None and not self._robot_owes(now)

    def _look_at_hand(self, now: float) -> None:
        """See from time to time whether the hand has done what it was told to, and has gone."""
        if self._looked_at is not None and now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        try:
            truth = self._truth()
        except TableProgramError:  # A table that is gone has no hand; the robot says what is wrong.
            self._working, busy = False, False
        else:
            self._working, busy = truth.errands_done < self._errand, truth.hand_busy
        if busy:
            self._away_since = None
        elif self._away_since is None:
            self._away_since, self._hovering = now, False

    def _robot_owes(self, now: float) -> bool:
        """Whether the robot may still say something about what was done last."""
        if self._owed_s is not None and self._away_since is not None and now - self._away_since >= self._owed_s:
            self._owed_s = None
        return self._owed_s is not None

    def _send(self, steps: tuple[Step, ...]) -> None:
        """Send the hand on an errand."""
        self._errand = self._control.handle(DoErrand(steps))["errand"]
        self._working, self._away_since = True, None

    def _begin(self, deed: Deed) -> None:
        """Send the hand on its errand; what cannot be done is told, and nothing happens."""
        try:
            plan = self._plan(deed, self._sight())
            if plan.steps:
                if self._hovering:
                    self._control.handle(HandAway())
                    self._hovering = False
                self._send(plan.steps)
        except (errands.NothingToTakeError, AmbiguousMoveError, TableProgramError) as error:
            self._tell(str(error))
            return
        self._tell(plan.words)
        if plan.steps and not isinstance(deed, PressTurn):
            self._owed_s = SEEN_S + (0.0 if isinstance(deed, PutBack) else self._patience_s)

    def _plan(self, deed: Deed, sight: Sight) -> _Plan:
        match deed:
            case TypedMove():
                return self._plan_move(deed, sight)
            case CrownPiece(square):
                turns = self._kings is Kings.TURNED
                words = f"turns the disc on {square} over" if turns else f"puts a second disc on {square}"
                return _Plan(errands.crown(sight, square), f"your hand {words}")
            case TakeDisc(square):
                return _Plan(errands.take_away(sight, square), f"your hand takes the disc on {square} away")
            case PutDisc(square, colour):
                colour = colour or self._human
                words = f"your hand puts a {disc_word(colour)} disc on {square}"
                return _Plan(errands.put_spare(sight, square, colour), words)
            case PushPiece(square, (x, y)):
                words = f"your hand pushes the piece on {square} by ({x:g}, {y:g}) mm"
                return _Plan(errands.push(sight, square, (x, y)), words)
            case PutBack():
                steps = put_back(sight, self._game.position)
                words = "your hand puts the board back" if steps else "the discs lie as the game has them already"
                return _Plan(steps, words)
            case PressTurn():
                return _Plan((PressButton(),), "your hand presses the turn button")

    def _plan_move(self, typed: TypedMove, sight: Sight) -> _Plan:
        forget = typed.forget or self._forget_next
        move = self._legal(typed)
        start, end = typed.path[0], typed.path[-1]
        steps = errands.carry(sight, start, end)
        words = f"your hand moves {start} to {end}" if move else f"your hand puts the disc on {start} onto {end}"
        jumped = move.captured if move else errands.jumped_over(typed.path) if typed.as_jump else ()
        standing = tuple(square for square in jumped if sight.on_square(square))
        if standing:
            discs = f"{'disc' if len(standing) == 1 else 'discs'} on {listed(standing)}"
            words += f" and leaves the {discs} standing" if forget else f" and takes the {discs} away"
            steps += () if forget else errands.remove(sight, standing)
        if move and move.crowns and not forget:
            try:
                steps += errands.crown_moved(sight, end, self._human)
                words += ", and crowns it"
            except errands.NothingToTakeError as error:
                words += f"; {error} to crown it with"
        self._forget_next = False
        return _Plan(steps, words)

    def _legal(self, typed: TypedMove) -> Move | None:
        """The legal move that was typed, if it is one. Raises AmbiguousMoveError when it can be several."""
        try:
            return parse_move(self._game.position, str(typed))
        except (IllegalMoveError, InvalidMoveError):
            return None

    # What the table knows

    def _truth(self) -> TruthReply:
        return msgspec.convert(self._control.handle(Truth()), TruthReply)

    def _sight(self) -> Sight:
        return Sight.of(self._truth(), self._calibration, self._human, self._kings)
