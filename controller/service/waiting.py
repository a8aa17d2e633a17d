"""Waits for people: until the board is set up and the first move made, or the button pressed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from controller.broken_off import contents_in_game
from controller.draughts import Colour, Game, Move, Position
from controller.eye import Eye
from controller.handling.kings import Kings
from controller.settings import Settings
from controller.table import Table
from controller.verdict import VerdictKind
from hardware.clock import Clock
from hardware.frame import Frame
from hardware.panel import Light
from vision.errors import VisionError

LOOK_S, LOOK_READY_S = 2.0, 0.7
"""Time between looks while nobody has set up the board, and once it is."""
BUTTON_S = 0.1
BURST_S = 1.2
"""Presses of the turn button that follow one another sooner than this belong together."""
FLASH_S = 0.2


class Wish(Enum):
    """What so many presses of the turn button in a row ask for."""

    BEGIN = 1
    OTHER_COLOUR = 2
    HARDER = 3
    EASIER = 4


@dataclass(frozen=True)
class Start:
    """A game is to begin: the human plays `human`, and has made the first move if there is one."""

    human: Colour
    move: Move | None = None


class WaitingRoom:
    """Looks at the table now and then; `told` hears whether the board is set up, and for whom, when that changes."""

    def __init__(self, table: Table, settings: Settings, clock: Clock, told: Callable[[Colour | None], None]) -> None:
        self._table, self._clock, self._told = table, clock, told
        kings = Kings(settings.discs.kings)
        self._eyes = {
            human: Eye(
                table.camera,
                clock,
                table.calibration.view(human is Colour.WHITE),
                table.guard,
                settings.player.hand_frame_s,
                settings.player.fault_patience_s,
                kings,
            )
            for human in Colour
        }
        self._tried: Frame | None = None
        self._seen: Frame | None = None
        self._laid_for: Colour | None = None
        self._look_again = False
        """Whether the board is judged although nothing has changed: it was just learnt."""
        self._presses, self._pressed_at = 0, 0.0

    @property
    def laid_for(self) -> Colour | None:
        """Whose discs lie before the human on the board that is set up; None while it is not."""
        return self._laid_for

    def wait(self, likelier: Colour, interrupted: Callable[[], bool]) -> Start | Wish | None:
        """A first move on the board, or what the button asks for; None as soon as `interrupted` says so.

        `likelier` is the colour of the human that is tried first. Raises CameraError when the camera gives no frames.
        """
        self._table.panel.turn_pressed()
        self._show()
        next_look = self._clock.now()
        while not interrupted():
            if self._table.panel.turn_pressed():
                self._presses, self._pressed_at = self._presses + 1, self._clock.now()
            if self._presses and self._clock.now() - self._pressed_at > BURST_S:
                presses, self._presses = self._presses, 0
                return Wish(min(presses, len(Wish)))
            if self._clock.now() >= next_look:
                if start := self._look(likelier):
                    return start
                next_look = self._clock.now() + (LOOK_S if self._laid_for is None else LOOK_READY_S)
            self._clock.sleep(BUTTON_S)
        return None

    def flash(self, times: int) -> None:
        """Answer a wish by the light: so many flashes."""
        for _ in range(times):
            for light in (Light.YOUR_TURN, Light.OFF):
                self._table.panel.show(light)
                self._clock.sleep(FLASH_S)
        self._show()

    def _look(self, likelier: Colour) -> Start | None:
        if self._laid_for is None:
            self._try_to_learn(likelier)
            return None
        eye = self._eyes[self._laid_for]
        glance = eye.glance()
        if glance.hand or not (glance.changed or self._look_again):
            return None
        self._look_again = False
        start = Position.start()
        verdict, look = eye.judge(start)
        if look is None:
            return None
        if verdict.kind is VerdictKind.MOVE and verdict.move is not None and self._laid_for is start.turn:
            return Start(self._laid_for, verdict.move)
        if verdict.kind is VerdictKind.UNCHANGED:
            eye.believe(look, start)
        elif verdict.kind not in (VerdictKind.HAND, VerdictKind.UNFINISHED):
            self._set(None)  # Somebody takes the discs away, or plays with them.
            self._tried = None
        return None

    def _try_to_learn(self, likelier: Colour) -> None:
        """See whether the starting position lies there: only when the picture has changed and is at rest again."""
        frame = self._table.camera.frame()
        self._table.guard.check_age(frame)
        eye = self._eyes[likelier]
        before, self._seen = self._seen, frame
        if before is None or not eye.is_still(before, frame):
            return
        if self._tried is not None and eye.is_still(self._tried, frame):
            return
        self._tried = frame
        for human in (likelier, likelier.other):
            if self._shows_start(human):
                self._set(human)
                return

    def _shows_start(self, human: Colour) -> bool:
        """Whether the starting position lies there, or what a first move made while nobody looked has left of it."""
        eye = self._eyes[human]
        try:
            eye.learn_from(Position.start())
        except VisionError:
            if human is not Position.start().turn:
                return False
        else:
            return True
        try:
            eye.learn_in_part(contents_in_game(Game(), (), human), most_surprises=0)
        except VisionError:
            return False
        verdict, _ = eye.judge(Position.start())
        return verdict.kind is VerdictKind.MOVE

    def _set(self, human: Colour | None) -> None:
        if human is not self._laid_for:
            self._laid_for, self._look_again = human, True
            self._show()
            self._told(human)

    def _show(self) -> None:
        self._table.panel.show(Light.OFF if self._laid_for is None else Light.YOUR_TURN)
