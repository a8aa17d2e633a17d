"""What the table loop tells whoever listens: the display, a report, a simulated human."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from controller.draughts import Colour, Move
from controller.handling.plan import Transfer


class TurnState(Enum):
    """Where the turn is."""

    STARTING = "starting"
    WAITING = "waiting for you"
    HAND = "a hand is over the board"
    JUDGING = "looking at your move"
    THINKING = "thinking"
    PLANNING = "planning"
    MOVING = "moving"
    HELD = "holding still"
    CHECKING = "checking with the camera"
    ASKING = "asking for help"
    OVER = "the game is over"


class EventKind(Enum):
    """What an event is about."""

    STATE = "state"
    SAID = "said"
    """A sentence that needs nothing of the player."""
    ASKED = "asked"
    """A sentence that asks the player to put something right."""
    MOVE = "move"
    TRANSFER = "transfer"


@dataclass(frozen=True)
class Event:
    """Something that happened at the table, at `time_s` on the clock, in words."""

    time_s: float
    kind: EventKind
    state: TurnState
    text: str
    move: Move | None = None
    colour: Colour | None = None
    transfer: Transfer | None = None


Listener = Callable[[Event], None]
