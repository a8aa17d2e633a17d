"""Prompts for people who do not look at a screen: spoken, or told by the buzzer."""

from __future__ import annotations

from enum import Enum

from controller.draughts import Colour, Game
from controller.events import Event, EventKind, TurnState
from controller.voice import Voice
from hardware.panel import Panel, SoundingPanel

YOUR_TURN = "your turn"
MUST_JUMP = "you must jump"
JUMP_BEEPS = 2
"""One beep, which the panel makes by itself, says that it is the player's turn; so many that it must jump, too."""


class Speaks(Enum):
    """What is spoken aloud."""

    NOTHING = "nothing"
    PROMPTS = "prompts"
    """Whose turn it is, and what the player is asked for."""
    EVERYTHING = "everything"


class Prompter:
    """Listens to a game's events. Without a voice the buzzer has to do; either way it returns at once."""

    def __init__(self, game: Game, human: Colour, panel: Panel, voice: Voice | None, speaks: Speaks) -> None:
        self._game = game
        self._human = human
        self._panel = panel
        self._voice = None if speaks is Speaks.NOTHING else voice
        self._everything = speaks is Speaks.EVERYTHING
        self._prompted: tuple[int, int] | None = None
        """The position for which the player has been prompted: moves played, and the position's hash."""

    def hear(self, event: Event) -> None:
        """Prompt the player when its turn has come, and speak what there is to be said."""
        if event.kind is EventKind.STATE:
            if event.state is TurnState.WAITING and self._game.position.turn is self._human:
                self._prompt()
        elif event.kind is EventKind.ASKED or (self._everything and event.kind in (EventKind.SAID, EventKind.MOVE)):
            self._speak(event.text)

    def _prompt(self) -> None:
        now = self._game.plies, hash(self._game.position)
        if now == self._prompted:
            return
        self._prompted = now
        must_jump = any(move.is_capture for move in self._game.position.legal_moves())
        self._speak(MUST_JUMP if must_jump else YOUR_TURN)
        if must_jump and isinstance(self._panel, SoundingPanel):
            self._panel.beep(JUMP_BEEPS)

    def _speak(self, text: str) -> None:
        if self._voice is not None:
            self._voice.speak(text)
