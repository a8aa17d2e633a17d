"""Says what happens at the table: to the status light and to whoever listens."""

from __future__ import annotations

from controller.draughts import Colour, Move
from controller.events import Event, EventKind, Listener, TurnState
from controller.handling.plan import Transfer
from hardware.clock import Clock
from hardware.panel import Light, Panel

LIGHTS = {
    TurnState.STARTING: Light.OFF,
    TurnState.WAITING: Light.YOUR_TURN,
    TurnState.HAND: Light.YOUR_TURN,
    TurnState.JUDGING: Light.YOUR_TURN,
    TurnState.THINKING: Light.THINKING,
    TurnState.PLANNING: Light.MOVING,
    TurnState.MOVING: Light.MOVING,
    TurnState.HELD: Light.ATTENTION,
    TurnState.CHECKING: Light.MOVING,
    TurnState.ASKING: Light.ATTENTION,
    TurnState.OVER: Light.OFF,
}


class Announcer:
    """Holds the state of the turn, and passes every event on."""

    def __init__(self, clock: Clock, panel: Panel) -> None:
        self._clock = clock
        self._panel = panel
        self._listeners: list[Listener] = []
        self.state = TurnState.STARTING
        self._request_open = False

    def listen(self, listener: Listener) -> None:
        """Tell `listener` of every event from now on."""
        self._listeners.append(listener)

    def enter(self, state: TurnState) -> None:
        """Go into `state`; nothing happens if the turn is there already."""
        if state is self.state:
            return
        self.state = state
        self._show()
        self._tell(EventKind.STATE, state.value)

    def say(self, text: str) -> None:
        """Say something that needs nothing of the player."""
        self._tell(EventKind.SAID, text)

    def ask(self, text: str) -> None:
        """Ask the player to put something right; the light asks for attention until `settled`."""
        self._request_open = True
        self._show()
        self._tell(EventKind.ASKED, text)

    def settled(self) -> None:
        """What was asked for has been put right, or does not matter any more."""
        self._request_open = False
        self._show()

    def played(self, text: str, move: Move, colour: Colour) -> None:
        """A move has been played in the game."""
        self._tell(EventKind.MOVE, text, move=move, colour=colour)

    def carrying(self, transfer: Transfer) -> None:
        """The arm is about to carry a disc."""
        self._tell(EventKind.TRANSFER, f"I carry {transfer}", transfer=transfer)

    def _show(self) -> None:
        self._panel.show(Light.ATTENTION if self._request_open else LIGHTS[self.state])

    def _tell(
        self,
        kind: EventKind,
        text: str,
        move: Move | None = None,
        colour: Colour | None = None,
        transfer: Transfer | None = None,
    ) -> None:
        event = Event(self._clock.now(), kind, self.state, text, move, colour, transfer)
        for listener in self._listeners:
            listener(event)
